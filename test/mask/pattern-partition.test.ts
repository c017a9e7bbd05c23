/**
 * Partitions of strings with a pattern: what they allow, and where a token leaves the string, is what its automaton says of
 * each token alone, byte by byte. `SEED` repeats a run.
 */
import { describe, expect, test } from 'vitest'
import { SingleLanguage } from '../../src/automaton/char-language.ts'
import { DfaPool } from '../../src/automaton/dfa-pool.ts'
import type { Spelling } from '../../src/automaton/least-spelling.ts'
import { StringDfa } from '../../src/automaton/string-dfa.ts'
import { hasBit } from '../../src/bits.ts'
import { Partitions } from '../../src/mask/partition.ts'
import { PartitionCache } from '../../src/mask/partition-cache.ts'
import type { Partition } from '../../src/mask/partition-parts.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { parsePattern } from '../../src/regex/pattern.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'
import type { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { Random, seedOf } from '../support/random.ts'
import { llamaVocabulary, shippedVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('partitions of patterns')

/** Closed sets of each kind: without bound, counted, in rows, of several states, beside others; and patterns without any. */
const PATTERNS: readonly string[] = [
  '^[a-z]+$',
  '^[a-z]+[0-9]*$',
  '^[^/]+$',
  '^[^"\\\\]*$',
  '^.*$',
  '^.{0,20}x',
  'x',
  'ab.c',
  '^\\S+$',
  '^(\\S+\\s+){0,9}\\S+$',
  '^\\s*\\w+\\s*$',
  '^[\\w.-]{1,40}$',
  '^[0-9a-f]{24}$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}$',
  '^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$',
  '^[A-Z][a-z]{2,5}( [A-Z][a-z]+)*$',
  '^[a-z]{3}$|^[a-z]{30}!$',
  '^([a-z]{2,6}|[0-9 ]{4,9})*$',
  '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d',
  '^[\\u00c0-\\u00ff]+$',
  '^[^\\u4e00-\\u4eff]*$',
  '^[\\u4e00-\\u9fff\\u3040]{1,20}$',
  '^[\\u{1f600}-\\u{1f64f}]+$',
  '^\\p{L}+$',
  '^[^\\u0000-\\u001f]*$',
  '^[\\n\\t/"]+$',
  '^(aa|b)*$',
  '^(?!.*--)[a-z-]+$',
  '^$',
  '^uk.gov.*.eq$',
  '^(http|https)://[^ ]+\\.(com|org)(/[^ ?#]*)?$',
]
const LENGTHS: readonly (readonly [number, number])[] = [
  [0, Number.POSITIVE_INFINITY],
  [0, 300],
  [0, 20],
  [3, 7],
  [12, Number.POSITIVE_INFINITY],
]

function stringDfa(
  pattern: string,
  lengths: readonly [number, number],
  spelling: Spelling,
  alphabet: Uint8Array,
): StringDfa {
  const builder = new RegexBuilder()
  const chars = new SingleLanguage(new CharDfa(builder, parsePattern(pattern, builder)))
  return new StringDfa({ chars, minLength: lengths[0], maxLength: lengths[1] }, spelling, alphabet)
}

/** What a partition says of each token: 1 for those within, the tag plus 1 for those that leave by it. */
function told({ dense, ids, exits }: Partition, vocabulary: Vocabulary): Map<number, number> {
  const verdicts = new Map<number, number>()
  if (dense !== null) for (let id = 0; id < vocabulary.size; id++) if (hasBit(dense, id)) verdicts.set(id, 1)
  for (const id of ids) verdicts.set(id, 1)
  for (const { tag, rest } of exits) {
    if (rest.places === null) {
      for (let byte = 0; byte < 256; byte++)
        for (const id of rest.from(byte)?.tokens ?? []) verdicts.set(id, tag + 1)
      continue
    }
    for (const { trie, node } of rest.places) {
      for (let t = trie.first[node + 1]!; t < trie.first[trie.skip[node]!]!; t++)
        verdicts.set(trie.tokens[t]!, tag + 1)
    }
  }
  return verdicts
}

function expected(dfa: StringDfa, state: number, vocabulary: Vocabulary): Map<number, number> {
  const verdicts = new Map<number, number>()
  for (const id of vocabulary.trie.tokens) {
    const bytes = vocabulary.bytes(id)!
    let at = state
    for (let i = 0; i < bytes.length; i++) {
      at = dfa.next(at, bytes[i]!)
      if (at === 0) break
      const tag = dfa.tag(at)
      if (tag !== 0 && i + 1 < bytes.length) {
        verdicts.set(id, tag + 1)
        break
      }
      if (i + 1 === bytes.length) verdicts.set(id, 1)
    }
  }
  return verdicts
}

/** The states along a random text of tokens, and along its last token byte by byte. */
function walk(dfa: StringDfa, vocabulary: Vocabulary, random: Random, tokens: number): number[] {
  const states = [dfa.start]
  let state = dfa.next(dfa.start, 0x22)
  for (let step = 0; step < tokens && state !== 0 && dfa.tag(state) === 0; step++) {
    states.push(state)
    const allowed = [...expected(dfa, state, vocabulary)].filter(([, verdict]) => verdict === 1)
    if (allowed.length === 0) break
    for (const byte of vocabulary.bytes(random.pick(allowed)[0])!) {
      state = dfa.next(state, byte)
      if (random.chance(0.2) && dfa.tag(state) === 0) states.push(state)
    }
  }
  return [...new Set(states)]
}

function judge(vocabulary: Vocabulary, pattern: string, tokens: number, share: number): void {
  const random = new Random(seed ^ (pattern.length * 7919 + pattern.charCodeAt(1)))
  const partitions = new Partitions(vocabulary, new DfaPool(vocabulary.alphabet))
  for (const spelling of ['json', 'key'] as const) {
    for (const lengths of LENGTHS) {
      if (!random.chance(share)) continue
      const dfa = stringDfa(pattern, lengths, spelling, vocabulary.alphabet)
      if (dfa.start === 0) continue
      for (const state of walk(dfa, vocabulary, random, tokens)) {
        const place = `${pattern} ${lengths} ${spelling} ${JSON.stringify(dfa.content(state))}`
        const own = told(partitions.of(dfa, state, null, new PartitionCache(1 << 20)), vocabulary)
        const right = expected(dfa, state, vocabulary)
        const wrong = [...new Set([...own.keys(), ...right.keys()])].filter(
          (id) => own.get(id) !== right.get(id),
        )
        const shown = wrong.slice(0, 5).map((id) => Buffer.from(vocabulary.bytes(id)!).toString('latin1'))
        expect(shown, place).toEqual([])
      }
    }
  }
}

describe('on a tiny vocabulary', () => {
  test.each(PATTERNS)('%s', (pattern) => judge(tinyVocabulary().vocabulary, pattern, 8, 1))
})

describe('on the vocabulary of the shipped model', () => {
  test.each(PATTERNS)('%s', (pattern) => judge(shippedVocabulary(), pattern, 4, 0.4))
})

describe('on that of Llama 3.1', () => {
  test.each(PATTERNS)('%s', (pattern) => judge(llamaVocabulary(), pattern, 3, 0.15))
})

test('more sets of characters than are kept at once', () => {
  const vocabulary = shippedVocabulary()
  const random = new Random(seed)
  const partitions = new Partitions(vocabulary, new DfaPool(vocabulary.alphabet))
  const cache = new PartitionCache(1 << 20)
  for (let round = 0; round < 900; round++) {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'].filter(() => random.chance(0.85)).join('')
    const dfa = stringDfa(`^[ ${letters}]+$`, LENGTHS[0]!, 'json', vocabulary.alphabet)
    const content = dfa.next(dfa.start, 0x22)
    const partition = partitions.of(dfa, content, null, cache)
    if (round % 60 === 0) expect(told(partition, vocabulary)).toEqual(expected(dfa, content, vocabulary))
  }
})
