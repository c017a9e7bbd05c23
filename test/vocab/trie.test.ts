/** The trie against its definition, on random tokens. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Trie } from '../../src/vocab/trie.ts'
import { Random, seedOf } from '../support/random.ts'

/** Few distinct bytes, so that prefixes are shared, 0 and 255 among them. */
const byte: fc.Arbitrary<number> = fc.constantFrom(0, 1, 0x20, 0x61, 0x62, 0xff)
const token: fc.Arbitrary<number[]> = fc.oneof(
  fc.array(byte, { minLength: 1, maxLength: 9 }),
  fc.constantFrom([0], [0, 0], [0x20], [0x20, 0x20, 0x20, 0x20, 0], Array<number>(70).fill(0x61)),
)
const tokens = fc.oneof(
  fc.array(token, { maxLength: 20 }),
  fc.array(token, { minLength: 25, maxLength: 200 }),
)

function pool(list: readonly (readonly number[])[]): { data: Uint8Array; offsets: Uint32Array } {
  const offsets = new Uint32Array(list.length + 1)
  list.forEach((bytes, at) => {
    offsets[at + 1] = offsets[at]! + bytes.length
  })
  return { data: Uint8Array.from(list.flat()), offsets }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at < 0 ? a.length - b.length : at < b.length ? a[at]! - b[at]! : 1
}

/** So many that they are sorted in two steps, with groups of all sizes that share their first bytes. */
function many(random: Random): number[][] {
  const values = [0, 1, 0x20, 0x61, 0x62, 0xff]
  return Array.from({ length: 5000 }, () => {
    const bytes = Array.from({ length: 1 + random.below(9) }, () => random.pick(values))
    return random.below(3) === 0 ? [0x61, 0, 0x61, ...bytes] : bytes
  })
}

describe('trie', () => {
  it('sorts many tokens as it sorts few', () => {
    const list = many(new Random(seedOf('trie')))
    const { data, offsets } = pool(list)
    const trie = new Trie(data, offsets, Int32Array.from(list.keys()))
    const sorted = [...list.keys()].sort((a, b) => compare(list[a]!, list[b]!) || a - b)
    expect([...trie.tokens]).toEqual(sorted)
  })

  it('holds the tokens sorted by their bytes, equal ones by id, each at the end of its path', () => {
    fc.assert(
      fc.property(tokens, (list) => {
        const { data, offsets } = pool(list)
        const trie = new Trie(data, offsets, Int32Array.from(list.keys()))
        const sorted = [...list.keys()].sort((a, b) => compare(list[a]!, list[b]!) || a - b)
        expect([...trie.tokens]).toEqual(sorted)
        const prefixes = new Set(list.flatMap((bytes) => bytes.map((_, at) => bytes.slice(0, at + 1).join())))
        expect(trie.size).toBe(prefixes.size + 1)
        expect(trie.maxDepth).toBe(list.reduce((most, { length }) => Math.max(most, length), 0))
        const path: number[] = []
        for (let node = 0; node < trie.size; node++) {
          path.length = Math.max(trie.depth[node]! - 1, 0)
          if (node > 0) path.push(trie.byte[node]!)
          expect(path.length).toBe(trie.depth[node])
          const own = [...trie.tokens.subarray(trie.first[node], trie.first[node + 1])]
          expect(own.every((id) => list[id]!.join() === path.join())).toBe(true)
          // The subtree is what goes deeper.
          let end = node + 1
          while (end < trie.size && trie.depth[end]! > trie.depth[node]!) end++
          expect(trie.skip[node]).toBe(end)
        }
        expect(trie.first[trie.size]).toBe(list.length)
      }),
    )
  })

  it('is the same whatever order its entries come in, and gives them the ids it is told', () => {
    fc.assert(
      fc.property(tokens, fc.infiniteStream(fc.nat()), (list, random) => {
        const { data, offsets } = pool(list)
        const ids = Int32Array.from(list.keys(), (at) => 1000 - at)
        const sorted = new Trie(data, offsets, Int32Array.from(list.keys()))
        const shuffled = [...list.keys()]
          .map((at) => ({ at, key: random.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ at }) => at)
        const trie = new Trie(data, offsets, Int32Array.from(shuffled), ids)
        expect([...trie.tokens]).toEqual([...sorted.tokens].map((at) => 1000 - at))
        expect(trie.skip).toEqual(sorted.skip)
        expect(new Trie(data, offsets, sorted.tokens)).toEqual(sorted)
      }),
    )
  })

  it('finds the child along a byte, and none where there is none', () => {
    const list = [[0x61], [0x61, 0x62], [0x61, 0xff], [0x63, 0]]
    const { data, offsets } = pool(list)
    const trie = new Trie(data, offsets, Int32Array.from(list.keys()))
    const a = trie.child(0, 0x61)
    expect([a, trie.child(a, 0x62), trie.child(a, 0xff)].map((node) => trie.depth[node])).toEqual([1, 2, 2])
    expect([trie.child(0, 0x62), trie.child(a, 0x61), trie.child(a, 0)]).toEqual([0, 0, 0])
    expect([trie.hasBelow(a), trie.hasBelow(trie.child(a, 0x62))]).toEqual([true, false])
  })
})
