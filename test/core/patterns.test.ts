/**
 * Patterns that are meant to hurt: each compiles and is masked along random texts without a `LimitError`, or is refused when
 * compiled, as unsatisfiable or by a limit that says what was counted. The runner's timeout guards against hangs only.
 */
import { describe, expect, test } from 'vitest'
import { compile, LimitError, SchemaError } from '../../src/core.ts'
import { idsOf } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('adversarial patterns')
const vocabulary = byteVocabulary()

const string = (pattern: string, more: object = {}): object => ({ type: 'string', pattern, ...more })
const keys = (...patterns: string[]): object => ({
  type: 'object',
  patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, { type: 'integer' }])),
})
const join = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join('|')
const letters = [...'abcdefghijklmnopqrstuvwxyz']

const COMPILED: Record<string, object> = {
  'an automaton of 2^20 states': string('(a|b)*a(a|b){20}'),
  'the same with lengths': string('^(a|b)*a(a|b){20}$', { minLength: 30, maxLength: 60 }),
  'the same without another': { ...string('^(a|b)*a(a|b){20}$'), not: { pattern: '^(a|b)*b(a|b){20}$' } },
  'a long gap with a maximum': string('a.{100}b', { maxLength: 150 }),
  'a long gap with both lengths': string('a.{100}b', { minLength: 300, maxLength: 400 }),
  'counts of counts': string('^((a{0,1000}b?){0,1000}c?){0,1000}$'),
  'nested stars': string('^((.*a)*(.*b)*)*(.*)*$'),
  'nested searches': string('(.*(.*(.*(.*x)*y)*z)*w)*$'),
  'words of 90 kB': string(join(12_000, (index) => `w${(index * 7919) % 100_003}`)),
  'alternatives of 90 kB that are no words': string(`^(${join(9_000, (index) => `w${index}[a-z]`)})$`),
  'lookaheads for each letter': string(`^${letters.map((letter) => `(?=.*${letter})`).join('')}`),
  'many searches in a fixed length': {
    type: 'string',
    maxLength: 200,
    allOf: ['^.{60}$', 'ab1', 'b12', 'bc1', 'c12', 'ca1', 'a12', '\\d\\d', 'ac', '^\\w*$'].map((pattern) => ({
      pattern,
    })),
  },
  'a key with a long gap to its end': { ...keys('a.{15}$'), additionalProperties: false, minProperties: 3 },
  'keys with two such gaps': keys('a.{15}$', 'b.{16}$'),
  'a date-time with a searched pattern': string('\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ', {
    format: 'date-time',
  }),
  'a date-time with digits apart': string('5.*5.*5.*5', { format: 'date-time' }),
  'a host name with a gap': string('a.{40}b', { format: 'hostname' }),
  'no time ends in b, but other values do': { format: 'time', pattern: 'b$' },
  'no date-time has these, but other values do': { format: 'date-time', pattern: 'é|n' },
}

const REFUSED: Record<string, [schema: object, message: string]> = {
  'counts of counts that must be': [
    string('^((a{1000}){1000}){1000}$'),
    'bytes that a text or value has at least: 1000000002',
  ],
  'rows of optional parts': [
    string(`^${'(a?b?c?)'.repeat(2_000)}$`),
    'optional parts in a row of a pattern: 501',
  ],
  'rows of stars': [string(`^${'a*b*'.repeat(2_000)}$`), 'optional parts in a row of a pattern: 501'],
  'two automata of 2^20 states that do not meet': [
    { type: 'string', allOf: [{ pattern: '^(a|b)*a(a|b){20}$' }, { pattern: '^(a|b)*b(a|b){20}$' }] },
    'leave no string',
  ],
  'more letters than fit': [
    string(`^${letters.map((letter) => `(?=.*${letter})`).join('')}.{10}$`),
    'leaves no string',
  ],
  'a time that ends in b': [
    string('b$', { format: 'time' }),
    'pattern "b$" and format "time" leave no string',
  ],
  'a date-time with letters it has not': [string('é|n', { format: 'date-time' }), 'leave no string'],
  'a host name with an underscore': [string('_', { format: 'hostname' }), 'leave no string'],
  'a lookahead that nothing fulfils': [string('^(?=a)b'), 'leaves no string'],
  'a start behind something': [string('a^'), 'leaves no string'],
  'a required property with such a pattern': [
    { type: 'object', properties: { p: string('a^') }, required: ['p'] },
    'leaves no string (#/properties/p/pattern)',
  ],
}

describe('patterns that are meant to hurt', () => {
  test.each(Object.keys(COMPILED))('%s: compiled, masked, never stopped', (name) => {
    const grammar = compile(COMPILED[name] as object, vocabulary)
    const random = new Random(seed ^ name.length)
    for (let run = 0; run < 3; run++) {
      const matcher = grammar.matcher()
      for (let step = 0; step < 60 && !matcher.mustStop(); step++) {
        const ids = idsOf(matcher.mask()).filter((id) => !vocabulary.endTokens.includes(id))
        expect([step, ids.length > 0]).toEqual([step, true])
        expect(matcher.accept(random.pick(ids))).toBe(true)
      }
    }
  })

  test.each(Object.entries(REFUSED))('%s: refused when compiled', (_, [schema, message]) => {
    try {
      compile(schema, vocabulary)
      expect.fail('compiled')
    } catch (error) {
      if (!(error instanceof SchemaError || error instanceof LimitError)) throw error
      expect(error.message).toContain(message)
    }
  })

  test('limits.maxStates holds for the automaton of a pattern', () => {
    const matcher = compile(string('(a|b)*a(a|b){20}'), vocabulary, { limits: { maxStates: 20 } }).matcher()
    matcher.accept(0x22)
    expect(() => {
      for (let step = 0; step < 100; step++) {
        matcher.mask()
        matcher.accept(0x61 + (step % 3 === 0 ? 1 : 0))
      }
    }).toThrow('regular expression states: 21 exceeds the limit of 20')
  })
})
