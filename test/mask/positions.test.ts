import { describe, expect, test } from 'vitest'
import { compile, type Matcher } from '../../src/core.ts'
import { chooseToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('a window of positions')
const vocabulary = byteVocabulary()
const encoder = new TextEncoder()

/** Objects with free keys, numbers, lists. */
const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    additionalProperties: { type: 'number' },
  },
}

function item(random: Random): string {
  const number = (): string => String(random.below(1_000_000) / 100)
  const keys = Array.from(
    { length: random.below(4) },
    (_, i) => `"key ${i} ${random.below(1000)}": ${number()}`,
  )
  return `{${[`"id": ${random.below(100_000)}`, '"tags": ["é", "b"]', ...keys].join(', ')}}`
}

function feed(matcher: Matcher, text: string): void {
  for (const byte of encoder.encode(text)) {
    matcher.mask()
    if (!matcher.accept(byte)) throw new Error(`refused after ${matcher.text().slice(-50)}`)
  }
}

describe('a matcher that lives for 100,000 tokens', () => {
  test('holds its text, what is open, and the tokens that can be taken back', () => {
    const random = new Random(seed)
    const grammar = compile(SCHEMA, vocabulary)
    const matcher = grammar.matcher({ maxRollback: 100 })
    feed(matcher, `[${item(random)}`)
    let early: typeof grammar.sizes | null = null
    while (matcher.tokenCount < 100_000) {
      feed(matcher, `, ${item(random)}`)
      expect(matcher.positionsHeld).toBeLessThanOrEqual(300)
      if (matcher.tokenCount > 10_000) early ??= grammar.sizes
    }
    expect(grammar.sizes.contexts).toBe(early!.contexts)
    expect(grammar.sizes.threads).toBeLessThanOrEqual(1.1 * early!.threads)
    expect(grammar.sizes.maskBytes).toBeLessThanOrEqual(1.1 * early!.maskBytes)
    const whole = grammar.matcher({ maxRollback: Number.POSITIVE_INFINITY })
    feed(whole, matcher.text())
    expect(whole.positionsHeld).toBe(whole.tokenCount + 1)
    expect(matcher.frames()).toEqual(whole.frames())
    expect(matcher.shortestCompletion()).toEqual(whole.shortestCompletion())
    for (const one of [matcher, whole]) one.rollback(100)
    expect(matcher.frames()).toEqual(whole.frames())
    expect(matcher.mask()).toEqual(whole.mask())
  })
})

describe('the window of positions', () => {
  test('decides how far a matcher can be taken back, counted from where it was furthest', () => {
    const matcher = compile(SCHEMA, vocabulary).matcher({ maxRollback: 3 })
    feed(matcher, '[{"id"')
    expect(() => matcher.rollback(4)).toThrow(
      /cannot take back 4 of 6 steps: 3 can be, as maxRollback .* is 3/,
    )
    expect(() => matcher.rollback(7)).toThrow(/^cannot take back 7 of 6 steps$/)
    for (const n of [-1, 0.5, Number.NaN, undefined as unknown as number])
      expect(() => matcher.rollback(n)).toThrow(`a number of steps, 0 or more, not ${n}`)
    matcher.rollback(2)
    expect(() => matcher.rollback(2)).toThrow(RangeError)
    matcher.rollback(1)
    expect(matcher.text()).toBe('[{"')
    feed(matcher, 'xy": 1')
    expect([matcher.tokenCount, matcher.text()]).toEqual([9, '[{"xy": 1'])
    const fork = matcher.fork()
    fork.rollback(3)
    expect(() => fork.rollback(1)).toThrow(RangeError)
    matcher.rollback(3)
    expect(matcher.text()).toBe('[{"xy"')
  })

  test('of no tokens takes back none', () => {
    const matcher = compile(SCHEMA, vocabulary).matcher({ maxRollback: 0 })
    feed(matcher, '[{"id": 12')
    expect(() => matcher.rollback(1)).toThrow(RangeError)
    matcher.rollback(0)
    expect(matcher.text()).toBe('[{"id": 12')
  })

  test('is a number of tokens', () => {
    const grammar = compile(SCHEMA, vocabulary)
    for (const maxRollback of [-1, 0.5, Number.NaN])
      expect(() => grammar.matcher({ maxRollback })).toThrow(RangeError)
    expect(() => grammar.matcher({ rollback: 1 } as object)).toThrow(TypeError)
  })

  test('changes nothing of masks, frames and completions', () => {
    const random = new Random(seed)
    const tiny = tinyVocabulary()
    for (let round = 0; round < 5; round++) {
      const grammar = compile(SCHEMA, tiny.vocabulary, { propertyOrder: 'any' })
      const narrow = grammar.matcher({ maxRollback: 2 })
      const wide = grammar.matcher({ maxRollback: Number.POSITIVE_INFINITY })
      let furthest = 0
      for (let steps = 0; steps < 300; steps++) {
        expect(narrow.mask()).toEqual(wide.mask())
        if (random.chance(0.1)) expect(narrow.frames()).toEqual(wide.frames())
        const id = chooseToken(wide, tiny.vocabulary, random, false)
        if (tiny.ends.includes(id)) break
        expect([narrow.accept(id), wide.accept(id)]).toEqual([true, true])
        furthest = Math.max(furthest, wide.tokenCount)
        const back = random.below(1 + wide.tokenCount - Math.max(0, furthest - 2))
        for (const one of [narrow, wide]) one.rollback(back)
      }
    }
  })
})
