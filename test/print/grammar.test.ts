/**
 * Grammars printed and read back: the same masks all along random walks, or more where the print says so. Longer walks come
 * with `SEED`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compile, compileGbnf } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { isLoose, judgePrint } from '../support/printed.ts'
import { Random, seedOf } from '../support/random.ts'
import { modesOf, SCHEMAS } from '../support/schemas.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('printing')
const { vocabulary, control } = tinyVocabulary()

/** Grammars that come with the package. */
const FOLDER = 'grammars'
const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.gbnf')) : []

const RECURSIVE = [
  'root ::= root "+" n | n\nn ::= "1" | "[" root "]"',
  'root ::= s "\\n"\ns ::= s s | "a" | "\\"" [^"\\\\]{1,3} "\\""',
  'root ::= ("a"? [b-x]){2,9} | <tool> root? "\\u00e9\\U0001F600\\x01"',
  'root ::= ([^a-z\\]\\-^]* "," | !<tool>)* "x"{3}',
]

describe('a grammar, printed and read back', () => {
  test.each(grammars(control).map((grammar) => [grammar.name, grammar] as const))('%s', (name, { build }) => {
    const random = new Random(seed ^ name.length)
    expect(judgePrint(compileGrammar(build(), vocabulary), random, 4, 12)).toEqual([])
  })

  test.each(files)('%s', (name) => {
    const random = new Random(seed ^ name.length)
    const compiled = compileGbnf(readFileSync(`${FOLDER}/${name}`), vocabulary)
    expect(isLoose(String(compiled))).toBe(false)
    expect(judgePrint(compiled, random, 4, 16)).toEqual([])
  })

  test.each(RECURSIVE)('%s', (text) => {
    const random = new Random(seed ^ text.length)
    const compiled = compileGbnf(text, vocabulary)
    expect(isLoose(String(compiled))).toBe(false)
    expect(judgePrint(compiled, random, 4, 16)).toEqual([])
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
