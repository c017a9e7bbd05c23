/**
 * Grammars printed and read back: the same masks all along random walks, or more where the print says so. Longer walks come
 * with `SEED`.
 */
import { describe, expect, test } from 'vitest'
import { compile } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { judgePrint } from '../support/printed.ts'
import { Random, seedOf } from '../support/random.ts'
import { modesOf, SCHEMAS } from '../support/schemas.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('printing')
const { vocabulary, control } = tinyVocabulary()

describe('a grammar, printed and read back', () => {
  test.each(grammars(control).map((grammar) => [grammar.name, grammar] as const))('%s', (name, { build }) => {
    const random = new Random(seed ^ name.length)
    expect(judgePrint(compileGrammar(build(), vocabulary), random, 4, 12)).toEqual([])
  })

  test.each(SCHEMAS.map((schema) => [schema.name, schema] as const))('%s', (name, named) => {
    const random = new Random(seed ^ name.length)
    // In one line, and in one other way of writing.
    for (const mode of [{}, random.pick(modesOf(named))]) {
      const compiled = compile(named.schema, vocabulary, { ...mode, ...named.options })
      const wrong = judgePrint(compiled, random, 3, 12)
      expect([wrong, mode]).toEqual([[], mode])
    }
  })
})
