/**
 * `compileRegex`: masks against the oracle, texts against RegExp, and what it refuses. Longer walks come with `SEED`.
 */
import { describe, expect, test } from 'vitest'
import { compileRegex, LimitError, PatternError, Vocabulary, VocabularyError } from '../../src/core.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { parseWholePattern } from '../../src/regex/pattern.ts'
import { narrowingOf } from '../../src/schema/narrowings.ts'
import { judgeMasks } from '../support/masks.ts'
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

  test('is a search only where the pattern says so', () => {
    expect(accepts(compileRegex('a|b', byteVocabulary()), 'xa')).toBe(false)
    expect(accepts(compileRegex('[^]*(?:a|b)[^]*', byteVocabulary()), 'xa\n')).toBe(true)
    expect(accepts(compileRegex('', byteVocabulary()), '')).toBe(true)
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
    const maxStates = { limits: { maxStates: 20 } }
    const matcher = compileRegex('(?:a|b)*a(?:a|b){20}', byteVocabulary(), maxStates).matcher()
    expect(() => {
      for (let index = 0; index < 100; index++) {
        matcher.mask()
        matcher.accept(97 + (index % 3 === 0 ? 1 : 0))
      }
    }).toThrow('regular expression states')
    expect(() => compileRegex('a{2000000}', vocabulary)).toThrow(LimitError)
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
