/** What is remembered is bounded, and where a bound is reached masks are the same, only slower. */
import { describe, expect, test } from 'vitest'
import { type CompiledGrammar, type CompileOptions, compile } from '../../src/core.ts'
import { chooseToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('bounds')
const { vocabulary, ends } = tinyVocabulary()

const SCHEMA = {
  type: 'object',
  properties: {
    ...Object.fromEntries(
      ['a', 'b', 'c', 'x', 'y', 'kind', 'next', 'tag'].map((name) => [name, { $ref: '#' }]),
    ),
    list: {
      type: 'array',
      items: { anyOf: [{ $ref: '#' }, { type: 'number' }, { type: 'string', maxLength: 9 }] },
    },
  },
  additionalProperties: { enum: ['red', 'green', 1, null] },
}

/** Walks at random along both; every mask must be the same. */
function compare(bounded: CompiledGrammar, free: CompiledGrammar, random: Random, steps: number): void {
  const [narrow, wide] = [bounded.matcher(), free.matcher()]
  for (let step = 0; step < steps; step++) {
    expect(narrow.mask()).toEqual(wide.mask())
    const id = chooseToken(wide, vocabulary, random, step > steps / 2)
    expect([narrow.accept(id), wide.accept(id)]).toEqual([true, true])
    if (random.chance(0.05)) expect(narrow.frames()).toEqual(wide.frames())
    if (ends.includes(id)) break
  }
}

describe('what texts teach a grammar', () => {
  const options: CompileOptions = { propertyOrder: 'any' }

  test('is begun anew for a new text once there are many contexts, and masks stay the same', () => {
    const random = new Random(seed)
    const free = compile(SCHEMA, vocabulary, options)
    const bounded = compile(SCHEMA, vocabulary, { ...options, limits: { maxContexts: 400 } })
    let renewed = 0
    const early = [bounded.matcher(), free.matcher()] as const
    for (let round = 0; round < 40; round++) {
      const before = bounded.sizes.contexts
      compare(bounded, free, random, 30)
      expect(bounded.sizes.contexts).toBeLessThanOrEqual(400)
      if (bounded.sizes.contexts < before) renewed++
      // A matcher from before goes on.
      if (early[1].mustStop()) continue
      expect(early[0].mask()).toEqual(early[1].mask())
      const id = chooseToken(early[1], vocabulary, random, false)
      expect(early.map((matcher) => matcher.accept(id))).toEqual([true, true])
    }
    expect(renewed).toBeGreaterThan(0)
    expect(free.sizes.contexts).toBeGreaterThan(400)
  })

  test('of memoised masks is dropped at every bound', () => {
    const free = compile(SCHEMA, vocabulary, options)
    for (const maxMaskBytes of [1, 2_000, 20_000]) {
      const random = new Random(seed)
      const bounded = compile(SCHEMA, vocabulary, { ...options, limits: { maxMaskBytes } })
      for (let round = 0; round < 5; round++) compare(bounded, free, random, 30)
      expect(bounded.sizes.maskBytes).toBeLessThanOrEqual(Math.max(maxMaskBytes, 5_000))
    }
  })
})
