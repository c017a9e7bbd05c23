/**
 * Grammars and patterns that are hard on a compiler, at a hundredth of their size and of the limits: each compiles, or is refused
 * with what it costs or where it is wrong; what a compiler can know is not left to the first mask. Times are measured by
 * `npm run bench -- adversarial`.
 */
import { describe, expect, test } from 'vitest'
import {
  type CompiledGrammar,
  compileGbnf,
  compileRegex,
  GrammarError,
  LimitError,
  PatternError,
} from '../../src/core.ts'
import { adversarialGrammars, adversarialPatterns } from '../support/adversarial-grammars.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const SHARE = 0.01
const limits = { maxClosureSteps: 1_000, maxContexts: 100_000, maxStates: 2_000 }

function check(compile: () => CompiledGrammar): void {
  let compiled: CompiledGrammar
  try {
    compiled = compile()
  } catch (error) {
    if (error instanceof LimitError) expect(error.actual).toBeGreaterThanOrEqual(error.limit)
    else if (error instanceof GrammarError) expect(error.errors.length).toBeGreaterThan(0)
    else if (error instanceof PatternError) expect(error.offset).toBeGreaterThanOrEqual(0)
    else throw error
    return
  }
  expect(
    compiled
      .matcher()
      .mask()
      .some((word) => word !== 0),
  ).toBe(true)
}

describe('a hard grammar compiles, or is refused with a reason', () => {
  test.each(adversarialGrammars(SHARE))('%s', { timeout: 20_000 }, (_, make) => {
    check(() => compileGbnf(make(), byteVocabulary(), { limits }))
  })
})

describe('a hard pattern compiles, or is refused with a reason', () => {
  test.each(adversarialPatterns(SHARE))('%s', { timeout: 20_000 }, (_, make) => {
    check(() => compileRegex(make(), byteVocabulary(), { limits }))
  })
})
