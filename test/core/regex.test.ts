/**
 * `compileRegex`: masks against the oracle, texts against RegExp, and what it refuses. Longer walks come with `SEED`.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CompiledSchema,
  compileRegex,
  LimitError,
  PatternError,
  Vocabulary,
  VocabularyError,
} from '../../src/core.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { parseWholePattern } from '../../src/regex/pattern.ts'
import { narrowingOf } from '../../src/schema/narrowings.ts'
import { chooseToken, judgeMasks } from '../support/masks.ts'
import { patterns, texts } from '../support/patterns.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { accepts } from '../support/suite.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const PATTERNS = [
  'a|ab|abc',
  '(?:a|b)*a(?:a|b){3}',
  '[1-9][0-9]{0,3}(?:\\.[0-9]{2})?',
  '\\{"a": (?:1|true|null)\\}',
  '.{2,5}',
  '[^a]*é?[€𝄞]{1,3}',
  '^(?!ab)[a-c]{1,4}$',
  '(?=.*1)[a1]{0,5}(?<!a)',
  '\\b(?:red|green)\\b[ .]*',
  '"(?:[^"\\\\]|\\\\["\\\\])*"',
  '(?:aa)*|b+',
  '\\p{Lu}\\p{Ll}*',
  'a{3000,}',
]

const seed = seedOf('compileRegex')
const { vocabulary } = tinyVocabulary()

function recogniser(pattern: string): Recogniser {
  const builder = new GrammarBuilder()
  const language = parseWholePattern(pattern, builder.regexes).regex
  const root = builder.declare('root')
  builder.define(root, { type: 'terminal', terminal: { kind: 'text', language }, frame: 'text' })
  return new Recogniser(builder.build(root, { whitespace: 'model', indent: 2, maxWhitespace: 64 }))
}

describe('compileRegex', () => {
  test.each(PATTERNS)('masks what the oracle masks: %s', (pattern) => {
    const random = new Random(seed ^ PATTERNS.indexOf(pattern))
    const compiled = compileRegex(pattern, vocabulary)
    const expected = recogniser(pattern)
    const wrong = Array.from({ length: 6 }, () => judgeMasks(compiled, expected, random, 10)).flat()
    expect(wrong).toEqual([])
  })

  test.each(PATTERNS)('accepts the texts that RegExp matches as a whole: %s', (pattern) => {
    const random = new Random(seed ^ 1 ^ PATTERNS.indexOf(pattern))
    const compiled = compileRegex(pattern, byteVocabulary())
    const regexp = new RegExp(`^(?:${pattern})$`, 'u')
    const pieces = [
      'a',
      'b',
      'ab',
      'aaa',
      '1',
      '23',
      '.50',
      'é',
      '€',
      '𝄞',
      'red',
      ' ',
      '"',
      '\\"',
      '\n',
      'Äb',
    ]
    for (let run = 0; run < 200; run++) {
      const text = Array.from({ length: random.below(5) }, () => random.pick(pieces)).join('')
      expect([text, accepts(compiled, text)]).toEqual([text, regexp.test(text)])
    }
    const { text } = compiled.matcher().shortestCompletion()
    expect(regexp.test(Buffer.from(text).toString('utf8'))).toBe(true)
  })

  test('agrees with RegExp on random patterns: texts as a whole, and whatever masks lead to', () => {
    const random = new Random(seed ^ 2)
    const agree = (pattern: string, samples: readonly string[]): void => {
      const regexp = new RegExp(`^(?:${pattern})$`, 'u')
      let compiled: CompiledSchema
      try {
        compiled = compileRegex(pattern, vocabulary)
      } catch (error) {
        if (!(error instanceof PatternError) || error.reason !== 'no text matches') throw error
        expect([pattern, samples.filter((text) => regexp.test(text))]).toEqual([pattern, []])
        return
      }
      for (const text of samples)
        expect([pattern, text, accepts(compiled, text)]).toEqual([pattern, text, regexp.test(text)])
      const matcher = compiled.matcher()
      for (let steps = random.below(8); steps > 0 && !matcher.mustStop(); steps--)
        expect(matcher.accept(chooseToken(matcher, vocabulary, random, false))).toBe(true)
      const whole = matcher.text() + matcher.shortestCompletion().text
      expect([pattern, whole, regexp.test(whole)]).toEqual([pattern, whole, true])
    }
    fc.assert(fc.property(patterns(), fc.array(texts, { minLength: 8, maxLength: 8 }), agree), {
      numRuns: 300,
      seed,
    })
  })

  test('is a search only where the pattern says so', () => {
    expect(accepts(compileRegex('a|b', byteVocabulary()), 'xa')).toBe(false)
    expect(accepts(compileRegex('[^]*(?:a|b)[^]*', byteVocabulary()), 'xa\n')).toBe(true)
    expect(accepts(compileRegex('', byteVocabulary()), '')).toBe(true)
  })

  test('keeps counts and repeated repetitions as they are', () => {
    expect(accepts(compileRegex('(((a*)*)*)*', byteVocabulary()), 'aaaa')).toBe(true)
    const counted = compileRegex('(?:a|bc?){0,1000000}\\.', byteVocabulary())
    expect(accepts(counted, `${'abcb'.repeat(1_000)}.`)).toBe(true)
    expect(accepts(counted, 'ac.')).toBe(false)
  })

  test('says in the report how the pattern was read', () => {
    const message = 'the pattern is not valid with flag u and was read without it'
    expect(compileRegex('\\-', vocabulary).report.narrowings).toEqual([{ pointer: '#', message }])
    expect(compileRegex('-', vocabulary).report.narrowings).toEqual([])
  })

  test('refuses with the place in the pattern', () => {
    const cases: [pattern: string, offset: number, message: string][] = [
      ['a)|(b', 1, 'not a regular expression'],
      ['(a)\\1', 3, 'a back-reference is not regular'],
      ['(?<n>a)b\\k<n>', 8, 'a back-reference is not regular'],
      ['a(?i:b)', 1, 'modifiers inside a pattern are not supported'],
      ['a{2,1}', 6, 'numbers out of order'],
      ['a^', 0, 'no text matches'],
      ['[]', 0, 'no text matches'],
      ['a(?=b)', 0, 'no text matches'],
    ]
    for (const [pattern, offset, message] of cases) {
      try {
        compileRegex(pattern, vocabulary)
        expect.fail(`${pattern} was compiled`)
      } catch (error) {
        if (!(error instanceof PatternError)) throw error
        expect([error.offset, error.pattern]).toEqual([offset, pattern])
        expect(error.message).toContain(message)
      }
    }
  })

  test('keeps to its limits and names them', () => {
    const maxStates = { limits: { maxStates: 30 } }
    const matcher = compileRegex('(?:a|b)*a(?:a|b){20}', byteVocabulary(), maxStates).matcher()
    expect(() => {
      for (let index = 0; index < 100; index++) {
        matcher.mask()
        matcher.accept(97 + (index % 3 === 0 ? 1 : 0))
      }
    }).toThrow('regular expression states')
    for (const pattern of ['a{2000000}', 'a{1000000}', '(?:a{1000}){1000}', `${'('.repeat(100_000)}a`])
      expect(() => compileRegex(pattern, vocabulary)).toThrow(LimitError)
    expect(() => compileRegex('a', vocabulary, { limits: { maxStates: 0 } })).toThrow(RangeError)
    expect(() => compileRegex('a', vocabulary, { formats: 'assert' } as object)).toThrow(
      'unknown option "formats"; known are limits',
    )
  })

  test('refuses what the vocabulary cannot spell', () => {
    const letters = Vocabulary.fromBytes([Uint8Array.of(97), Uint8Array.of(98), null], { endTokens: [2] })
    expect(() => compileRegex('c+', letters)).toThrow(VocabularyError)
    const narrowed = compileRegex('[ac]+', letters)
    expect(narrowed.matcher().accept(1)).toBe(false)
    expect(narrowed.report.narrowings).toEqual([{ pointer: '#', ...narrowingOf('bytes') }])
  })
})
