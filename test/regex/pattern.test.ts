import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LimitError, PatternError } from '../../src/errors.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { parsePattern, parsePatternReport } from '../../src/regex/pattern.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'
import { patterns, texts } from '../support/patterns.ts'

function compile(pattern: string): CharDfa {
  const builder = new RegexBuilder()
  return new CharDfa(builder, parsePattern(pattern, builder))
}

/** Whether the pattern is found, tried at each character: engines may also look between the halves of a pair. */
function found(regexp: RegExp, text: string): boolean {
  for (let index = 0; ; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1) {
    regexp.lastIndex = index
    if (regexp.test(text)) return true
    if (index >= text.length) return false
  }
}

function agree(pattern: string, samples: readonly string[]): void {
  const regexp = new RegExp(pattern, 'uy')
  const dfa = compile(pattern)
  for (const text of samples)
    expect([pattern, text, dfa.accepts(text)]).toEqual([pattern, text, found(regexp, text)])
}

describe('parsePattern', () => {
  test('agrees with RegExp on random patterns, anchors and lookarounds anywhere in them', () => {
    fc.assert(fc.property(patterns(), fc.array(texts, { minLength: 8, maxLength: 8 }), agree), {
      numRuns: 1500,
      seed: 30,
    })
  })

  test('agrees with RegExp on what people write', () => {
    const written = [
      '^(?!.*--)[a-z-]+$',
      '^(?=.*[A-Z])(?=.*\\d).{3,}$',
      '^(?:(?!ab).)*$',
      '\\bab\\b',
      '\\Ba',
      '^(\\b\\w+\\b\\s?)+$',
      '(?<=ab)1',
      '(?<!ab)1',
      'a(?<=^a)-',
      '(?:(?<=1a)b|^-)$',
      '^[^\\s]+(?<!\\.)$',
      '^$|^a+$',
      'a$|^b',
      '(^|-)a(-|$)',
      '^(a|aa){0,3}$',
      '(a*)*b',
      '^(?:a|b|1|-|ab|ba|a-b|--|😀)$',
      '^(?!(?:a|b|1)$)',
      '^((?!-)[\\w-]{1,3}(?<!-)\\.)*$',
      '(?=a$)|(?=^b)',
      '^(?:(?=a)|b)*$',
      '(?:^a|b){2,3}$',
    ]
    const sample = fc.sample(texts, { numRuns: 400, seed: 31 })
    for (const pattern of written) agree(pattern, sample)
  })

  test('knows the classes of ECMA-262 for every code point', () => {
    for (const pattern of [
      '\\s',
      '\\w',
      '\\d',
      '.',
      '\\p{L}',
      '\\p{Script=Greek}',
      '\\P{ASCII}',
      '\\p{Lu}',
    ]) {
      const dfa = compile(`^${pattern}$`)
      const regexp = new RegExp(`^${pattern}$`, 'u')
      for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint < 0x3100 ? 1 : 37) {
        if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue
        const text = String.fromCodePoint(codePoint)
        if (dfa.accepts(text) !== regexp.test(text)) expect.fail(`${pattern} on U+${codePoint.toString(16)}`)
      }
    }
  })

  test('takes huge counts as they are', () => {
    expect(compile('^A{1000000}$').isEmpty()).toBe(false)
    const bounded = compile('^.{0,100000}$')
    expect(bounded.accepts('a'.repeat(1000))).toBe(true)
    expect(bounded.stateCount).toBeLessThan(1100)
    expect(compile('^(?:a{0,1000}){0,1000}$').accepts('a'.repeat(50))).toBe(true)
  })

  test('keeps ambiguous repetitions small', () => {
    const cases: [pattern: string, states: number][] = [
      ['^(a|aa){0,50}$', 102],
      ['^(a|ab|b)*$', 4],
      ['^(\\w+\\s?)*$', 4],
      ['^(\\S+\\s+){0,49}\\S+$', 110],
      ['^(\\d{1,3}\\.?){1,20}$', 110],
      ['[a-z]{50}$', 60],
      ['[a-z]{3,50}', 6],
      ['^(a*b*)*$', 4],
      ['^(a?){100}$', 102],
    ]
    for (const [pattern, states] of cases) {
      const dfa = compile(pattern)
      for (let state = 1; state < dfa.stateCount; state++) {
        for (let cls = 0; cls < dfa.classCount; cls++) dfa.next(state, cls)
        if (dfa.stateCount > states) expect.fail(`${pattern} has more than ${states} states`)
      }
    }
  })

  test('reads without flag u what is invalid with it, and says so', () => {
    const builder = new RegexBuilder()
    expect(parsePatternReport('^\\-\\_$', builder).notes).toEqual([
      'the pattern is not valid with flag u and was read without it',
    ])
    expect(compile('^\\-\\_$').accepts('-_')).toBe(true)
    expect(parsePatternReport('^a\\-b$', builder).notes).toHaveLength(1)
    expect(parsePatternReport('^a-b$', builder).notes).toEqual([])
    expect(compile('^\\-😀$').accepts('-😀')).toBe(true)
  })

  test('refuses what is not regular or not a pattern, with its place', () => {
    const cases: [pattern: string, offset: number, message: string][] = [
      ['^(a)\\1$', 4, 'a back-reference is not regular; write out what it may repeat (at 4 of /^(a)\\1$/)'],
      ['(?<n>a)\\k<n>', 7, 'back-reference'],
      ['ab(', 3, 'not a regular expression: Unterminated group'],
      ['a**', 3, 'Nothing to repeat'],
      ['(?i:a)', 0, 'modifiers'],
      ['\\-[😀]', 3, 'half of a character'],
      ['(?:a(?<=aa))*', 4, 'a lookbehind of several characters'],
      ['a\\b(?<=aa)', 1, 'what looks ahead'],
    ]
    for (const [pattern, offset, message] of cases) {
      try {
        compile(pattern)
        expect.fail(`${pattern} was read`)
      } catch (error) {
        if (!(error instanceof PatternError)) throw error
        expect([pattern, error.offset]).toEqual([pattern, offset])
        expect(error.message).toContain(message)
      }
    }
  })

  test('limits length and nesting', () => {
    expect(() => compile('('.repeat(100_000))).toThrow(LimitError)
    expect(() => compile('a'.repeat(100_001))).toThrow(LimitError)
    expect(compile(`^${'(?:a|'.repeat(199)}b${')'.repeat(199)}$`).accepts('b')).toBe(true)
    expect(compile(`^${'a?'.repeat(5_000)}$`).accepts('aaa')).toBe(true)
    expect(compile(`^${'ab'.repeat(49_999)}$`).accepts('ab'.repeat(49_999))).toBe(true)
  })
})
