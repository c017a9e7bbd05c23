import { describe, expect, it } from 'vitest'
import type { Fetches, Tensors } from '../../src/decode/cache.ts'
import type { Graph } from '../../src/decode/graph.ts'
import { RowCache, RowStore } from '../../src/decode/row-store.ts'
import type { Tensor } from '../../src/decode/runtime.ts'
import { Random, seedOf } from '../support/random.ts'

const seed = seedOf('row store')
const HEADS = 2
const WIDTH = 3

/** A graph of two caches in half precision, and no runtime but its tensors. */
const graph = {
  runtime: {
    Tensor: class {
      readonly type: string
      readonly data: unknown
      readonly dims: readonly number[]
      constructor(type: string, data: unknown, dims: readonly number[]) {
        this.type = type
        this.data = data
        this.dims = dims
      }
    },
  },
  caches: ['key', 'value'].map((kind) => ({
    input: `past_key_values.0.${kind}`,
    output: `added.0.${kind}`,
    type: 'float16',
    heads: HEADS,
    width: WIDTH,
  })),
} as unknown as Graph

/** The number that text, head, position and column have in the cache. */
const cell = (text: number, head: number, position: number, column: number): number =>
  ((text * 7 + head) * 500 + position) * WIDTH + column

/** What a run over texts gives: rows of their names, whatever array the runtime has for halves. */
function outputs(names: readonly number[], pasts: readonly number[], count: number): Tensors {
  const data = new Uint16Array(names.length * HEADS * count * WIDTH)
  let at = 0
  for (const [i, name] of names.entries())
    for (let head = 0; head < HEADS; head++)
      for (let row = 0; row < count; row++)
        for (let column = 0; column < WIDTH; column++) data[at++] = cell(name, head, pasts[i]! + row, column)
  const tensor: Tensor = { dims: [], data: new DataView(data.buffer) }
  return { 'added.0.key': tensor, 'added.0.value': tensor }
}

describe('RowStore', () => {
  it('gives a run the rows of its texts, however they came, grew and moved', () => {
    const random = new Random(seed)
    for (let round = 0; round < 30; round++) {
      const store = new RowStore(graph, 400)
      const texts: { name: number; length: number; cache: RowCache }[] = []
      let named = 0
      for (let step = 0; step < 40; step++) {
        if (texts.length === 0 || (texts.length < 5 && random.chance(0.2))) {
          texts.push({ name: named++, length: 0, cache: new RowCache(store, texts.length) })
        } else if (random.chance(0.1)) {
          const gone = random.below(texts.length)
          const last = texts.pop()!
          if (gone < texts.length) {
            store.move(last.cache.place, gone, last.length)
            last.cache.place = gone
            texts[gone] = last
          }
          continue
        }
        const alone = random.chance(0.5) ? random.pick(texts) : null
        const read = alone === null ? texts : [alone]
        const count = alone === null ? 1 : 1 + random.below(70)
        if (read.some(({ length }) => length + count > 400)) continue
        const pasts = read.map(({ length }) => length)
        const feeds: Tensors = {}
        const fetches: Fetches = {}
        if (alone === null) {
          store.reserve(texts.length, Math.max(...pasts) + 1)
          store.bind(0, pasts, 1, feeds, fetches)
        } else {
          alone.cache.reserve(alone.length + count)
          alone.cache.bind(alone.length, count, feeds, fetches)
        }
        check(read, feeds, count)
        expect(fetches).toEqual({ 'added.0.key': null, 'added.0.value': null })
        const given = outputs(
          read.map(({ name }) => name),
          pasts,
          count,
        )
        if (alone === null) store.commit(0, pasts, 1, given)
        else alone.cache.commit(alone.length, count, given)
        for (const text of read) text.length += count
      }
    }
  })
})

function check(texts: readonly { name: number; length: number }[], feeds: Tensors, count: number): void {
  const past = feeds['past_key_values.0.key']!
  const [batch, heads, capacity, width] = past.dims as [number, number, number, number]
  expect([batch, heads, width]).toEqual([texts.length, HEADS, WIDTH])
  expect(capacity).toBeLessThanOrEqual(400)
  const data = past.data as Uint16Array
  const positions = feeds.added_positions!
  expect(positions.dims).toEqual([texts.length, HEADS, count, 1])
  for (const [i, { name, length }] of texts.entries())
    for (let head = 0; head < HEADS; head++) {
      expect((positions.data as BigInt64Array)[(i * HEADS + head) * count]).toBe(BigInt(length))
      for (let position = 0; position < length; position++)
        for (let column = 0; column < WIDTH; column++) {
          const found = data[((i * HEADS + head) * capacity + position) * WIDTH + column]
          if (found !== cell(name, head, position, column) % 65536)
            throw new Error(`text ${name} holds ${found} at ${position}`)
        }
    }
}
