/**
 * Lean positions in arrays whose items must differ, against threads with all their history: whatever was written, a mask has
 * exactly the tokens that the threads can read byte by byte.
 */
import { describe, expect, test } from 'vitest'
import { Matcher } from '../../src/mask/matcher.ts'
import { firstThread, step, type Thread } from '../../src/mask/threads.ts'
import { grammarStateOf } from '../support/grammar-states.ts'
import { idsOf, showToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('lean items that must differ')
const { vocabulary, ends } = tinyVocabulary()
const closed = { additionalProperties: false }

const ITEMS: readonly [string, object][] = [
  ['any value', {}],
  ['any string', { type: 'string' }],
  ['strings of two characters', { type: 'string', maxLength: 2 }],
  ['strings of a pattern without end', { type: 'string', pattern: '^a+b?$' }],
  ['strings of a pattern with an end', { type: 'string', pattern: '^[a-c]{1,2}$' }],
  ['integers', { type: 'integer' }],
  ['numbers', { type: 'number' }],
  ['integers of a range', { type: 'integer', minimum: 0, maximum: 120 }],
  ['numbers from zero to one', { type: 'number', minimum: 0, maximum: 1 }],
  ['texts that begin alike', { enum: ['a', 'ab', 'b', 1, 12, 123, null] }],
  ['two values', { type: 'boolean' }],
  ['strings and integers', { type: ['string', 'integer'] }],
  [
    'an object of a string',
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], ...closed },
  ],
  [
    'a string, then few',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { enum: ['x', 'a'] } },
      required: ['a', 'b'],
      ...closed,
    },
  ],
  [
    'few, then a number',
    {
      type: 'object',
      properties: { b: { type: 'boolean' }, a: { type: 'integer' } },
      required: ['a', 'b'],
      ...closed,
    },
  ],
  ['objects of any names', { type: 'object', additionalProperties: { const: 1 } }],
  ['objects with one name', { type: 'object', maxProperties: 1 }],
  [
    'objects of names of which there are two',
    { type: 'object', patternProperties: { '^(a|b)$': { const: 1 } }, ...closed },
  ],
  ['lists of strings', { type: 'array', items: { type: 'string' }, maxItems: 1 }],
  ['lists that differ, of strings', { type: 'array', items: { type: 'string' }, uniqueItems: true }],
  ['lists that differ, of few', { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true }],
  [
    'objects with a list that differs',
    {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'integer' }, uniqueItems: true } },
      required: ['a'],
      ...closed,
    },
  ],
]

const MODES = [
  { propertyOrder: 'any', whitespace: 'compact' },
  { propertyOrder: 'any', whitespace: 'any', numbers: 'any' },
  { whitespace: 'pretty' },
] as const

/** The ids of the tokens that the threads can read. */
function readable(
  state: ReturnType<typeof grammarStateOf>,
  threads: readonly Thread[],
  bytes: Uint8Array,
): number[] {
  const ids: number[] = []
  for (let id = 0; id < vocabulary.size; id++) {
    const token = vocabulary.bytes(id)
    if (token === null || token.length === 0 || ends.includes(id)) continue
    const text = { bytes: new Uint8Array([...bytes, ...token]), length: bytes.length }
    let next = threads
    for (let i = 0; i < token.length && next.length > 0; i++) {
      text.length++
      next = step(state.program, state.unique, next, text)
    }
    if (next.length > 0) ids.push(id)
  }
  return ids
}

function after(state: ReturnType<typeof grammarStateOf>, bytes: Uint8Array): readonly Thread[] {
  let threads: readonly Thread[] = [firstThread(state.program)]
  for (let length = 1; length <= bytes.length; length++)
    threads = step(state.program, state.unique, threads, { bytes, length })
  return threads
}

describe('a lean mask has the tokens that threads can read', () => {
  test.each(ITEMS)('items are %s', (name, items) => {
    const random = new Random(seed ^ name.length)
    const wrong: string[] = []
    for (const mode of MODES) {
      const state = grammarStateOf({ type: 'array', uniqueItems: true, items }, vocabulary, mode)
      for (let walk = 0; walk < 3 && wrong.length === 0; walk++) {
        const matcher = new Matcher(state, {}, () => state)
        const past: number[] = []
        for (let n = 0; n < 16 && wrong.length === 0; n++) {
          const bytes = matcher.bytes()
          const expected = new Set(readable(state, after(state, bytes), bytes))
          const allowed = idsOf(matcher.mask()).filter((id) => !ends.includes(id))
          for (const id of allowed)
            if (!expected.has(id))
              wrong.push(`after ${matcher.text()}: ${showToken(vocabulary, id)} must be refused`)
          for (const id of expected)
            if (!allowed.includes(id))
              wrong.push(`after ${matcher.text()}: ${showToken(vocabulary, id)} must be allowed`)
          if (allowed.length === 0) break
          // What was written before is written again as often as may be.
          const again = past.filter((id) => allowed.includes(id)).slice(-6)
          const id = again.length > 0 && random.below(3) > 0 ? random.pick(again) : random.pick(allowed)
          past.push(id)
          expect(matcher.accept(id)).toBe(true)
          if (random.below(12) === 0) matcher.rollback(1)
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })
})
