/** What is remembered is bounded, and where a bound is reached masks are the same, only slower. */
import { describe, expect, test } from 'vitest'
import { type CompiledGrammar, type CompileOptions, compile, Vocabulary } from '../../src/core.ts'
import { engineOf } from '../../src/mask/engine.ts'
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

describe('what grammars over one vocabulary share', () => {
  test('is forgotten at its bounds, and masks stay the same', () => {
    const tokens = Array.from({ length: vocabulary.size }, (_, id) => vocabulary.bytes(id))
    const tight = Vocabulary.fromBytes(tokens, { endTokens: ends, size: vocabulary.size })
    const tiny = { partitions: 3_000, unions: 200, buffers: 200, names: 2_000, rests: 500, automata: 3 }
    const engine = engineOf(tight, tiny)
    const random = new Random(seed)
    const pattern = { type: 'string', pattern: '^[a-c]+(x|"|é)*$' }
    const schemas = [
      SCHEMA,
      { type: 'array', items: { anyOf: [pattern, { type: 'number' }, { type: 'array', items: pattern }] } },
      { type: 'object', properties: { a: pattern }, additionalProperties: { type: 'string', maxLength: 3 } },
    ]
    for (const whitespace of ['model', 'pretty', 'any'] as const) {
      for (const schema of schemas) {
        const grammars = [tight, vocabulary].map((each) => compile(schema, each, { whitespace }))
        for (let round = 0; round < 4; round++) compare(grammars[0]!, grammars[1]!, random, 30)
        expect(engine.partitions.byteLength).toBeLessThanOrEqual(3_000)
      }
    }
  })
})
