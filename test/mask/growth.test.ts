/**
 * Bounds on what a text may still need: none of them is less than what random texts do need, wherever they stand. That masks
 * go by them rightly is tested with the masks (`budget.test.ts`). `SEED` repeats a run.
 */
import { describe, expect, test } from 'vitest'
import { SingleLanguage } from '../../src/automaton/char-language.ts'
import { StringDfa } from '../../src/automaton/string-dfa.ts'
import { stringRest } from '../../src/mask/string-rest.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { formatRegex } from '../../src/regex/formats.ts'
import { longestRest } from '../../src/regex/longest-rest.ts'
import { parsePattern } from '../../src/regex/pattern.ts'
import { type Regex, RegexBuilder } from '../../src/regex/regex.ts'
import { Random, seedOf } from '../support/random.ts'

const seed = seedOf('bounds on what a text needs')
const ALPHABET = new Uint8Array(256).fill(1)

const PATTERNS: readonly string[] = [
  '^[a-z]+$',
  '^[a-z]+[0-9]*x$',
  'ab.c',
  '^(aa|b{5})*$',
  '^[0-9a-f]{8}-[0-9a-f]{4}$',
  '^(GET|POST|é)$',
  '^[A-Z][a-z]{2,5}( [A-Z][a-z]+)*$',
  '^[a-z]{3}$|^[a-z]{30}!$',
  '^([a-z]{2,6}|[0-9 ]{4,9})*$',
  '^[\\u{1f600}-\\u{1f64f}]+$',
  '^[\\n\\t/"]+$',
  '^(http|https)://[^ ]+\\.(com|org)(/[^ ?#]*)?$',
  '^(x-|a{2,}b)*c{3}$',
]
const FORMATS = ['date', 'time', 'date-time', 'uuid', 'ipv4', 'email', 'uri', 'regex'] as const

function dfaOf(regex: Regex, builder: RegexBuilder): StringDfa {
  const chars = new SingleLanguage(new CharDfa(builder, regex))
  return new StringDfa({ chars, minLength: 0, maxLength: Number.POSITIVE_INFINITY }, 'json', ALPHABET)
}

/** States on random ways through an automaton. */
function statesOf(dfa: StringDfa, random: Random): Set<number> {
  const states = new Set<number>()
  for (let walk = 0; walk < 12; walk++) {
    let state = dfa.start
    for (let step = 0; step < 40 && state !== 0; step++) {
      states.add(state)
      const next: number[] = []
      for (let byte = 0; byte < 256; byte++) if (dfa.next(state, byte) !== 0) next.push(dfa.next(state, byte))
      // Bytes of ASCII lead on as often as the others together.
      state = next.length === 0 ? 0 : random.pick(random.chance(0.5) ? next : next.slice(0, 96))
    }
  }
  return states
}

/** Bytes beyond those of the bound: the rest of a character, and the quotes. */
const QUOTES = 13

describe('no string of a pattern needs more than its longest rest', () => {
  const check = (regex: Regex, builder: RegexBuilder, name: string): void => {
    const random = new Random(seed ^ name.length)
    const dfa = dfaOf(regex, builder)
    const read = longestRest(regex)
    const found = stringRest(dfa, 0)
    expect(Math.min(read, found), name).toBeLessThan(Number.POSITIVE_INFINITY)
    for (const state of statesOf(dfa, random)) {
      const { length } = dfa.shortest(state, 1)!
      expect(length).toBeLessThanOrEqual(read + QUOTES)
      expect(length).toBeLessThanOrEqual(found + QUOTES)
    }
  }
  test.each(PATTERNS)('%s', (source) => {
    const builder = new RegexBuilder()
    check(parsePattern(source, builder), builder, source)
  })
  test.each(FORMATS)('format %s', (format) => {
    const builder = new RegexBuilder()
    check(formatRegex(format, builder)!, builder, format)
  })
})

test('a string that must be none of many is counted with the others', () => {
  const builder = new RegexBuilder()
  const rest = (source: string, others: number): number =>
    stringRest(dfaOf(parsePattern(source, builder), builder), others)
  expect(rest('^[ab]*$', 0)).toBe(0)
  // Of one and three and seven, by length.
  expect([1, 2, 3, 6, 7].map((others) => rest('^[ab]*$', others))).toEqual([1, 1, 2, 2, 3])
  // Where there are not so many, the longest.
  expect(rest('^(a|bcd)?$', 100)).toBe(3)
  expect(rest('^([a-z][0-9]){5000}$', 0)).toBe(Number.POSITIVE_INFINITY)
})
