/**
 * The caches of one or several texts, for graphs that give the rows they added (added-rows.ts).
 *
 * One buffer a cache, `[texts, heads, capacity, width]`. The past is read where it lies, with room behind its rows, and new
 * rows are written behind it: nothing is copied but them. A run reads texts that lie side by side, so the texts of a batch
 * are kept without gaps.
 *
 * The attention operator clears as many rows as a buffer has, so a token is a little dearer the larger the buffers are
 * (1 ms for 1,000 rows of the shipped model): they grow by small steps instead of doubling.
 */
import {
  allocate,
  capacityFor,
  type Fetches,
  type FloatArray,
  type KeyValueCache,
  type Tensors,
} from './cache.ts'
import { type Graph, ROWS_INPUT } from './graph.ts'
import type { Tensor } from './runtime.ts'

export class RowStore {
  readonly #graph: Graph
  readonly #limit: number
  readonly #isExact: boolean
  #buffers: FloatArray[] = []
  #texts = 0
  #capacity = 0

  /** @param isExact whether the buffers have room for what they hold and no more, as any operator expects */
  constructor(graph: Graph, limit: number, isExact = false) {
    this.#graph = graph
    this.#limit = limit
    this.#isExact = isExact
  }

  /** Makes room for `texts` texts of `positions` positions each. */
  reserve(texts: number, positions: number): void {
    const more = positions > this.#capacity && !this.#isExact
    this.#resize(
      Math.max(texts, this.#texts),
      more ? capacityFor(positions, this.#capacity, this.#limit) : this.#capacity,
    )
  }

  /** Puts the tensors for a run of `count` tokens a text into `feeds` and `fetches`; the texts begin at `first`. */
  bind(first: number, pasts: readonly number[], count: number, feeds: Tensors, fetches: Fetches): void {
    if (this.#isExact) this.#resize(1, pasts[0]!)
    const { caches, runtime } = this.#graph
    for (let i = 0; i < caches.length; i++) {
      const { input, output, type, heads, width } = caches[i]!
      const size = heads * this.#capacity * width
      const data = this.#buffers[i]!.subarray(first * size, (first + pasts.length) * size)
      feeds[input] = new runtime.Tensor(type, data, [pasts.length, heads, this.#capacity, width])
      fetches[output] = null
    }
    const { heads } = caches[0]!
    const rows = new BigInt64Array(pasts.length * heads * count)
    for (let i = 0; i < rows.length; i++)
      rows[i] = BigInt(pasts[Math.floor(i / (heads * count))]! + (i % count))
    feeds[ROWS_INPUT] = new runtime.Tensor('int64', rows, [pasts.length, heads, count, 1])
  }

  /** Writes the rows that the run added, which was bound so. */
  commit(first: number, pasts: readonly number[], count: number, outputs: Readonly<Tensors>): void {
    if (this.#isExact) this.#resize(1, pasts[0]! + count)
    const { caches } = this.#graph
    for (let i = 0; i < caches.length; i++) {
      const { output, heads, width } = caches[i]!
      const added = floatsOf(outputs[output]!)
      const buffer = this.#buffers[i]!
      for (let text = 0; text < pasts.length; text++) {
        for (let head = 0; head < heads; head++) {
          const from = (text * heads + head) * count * width
          const to = ((first + text) * heads + head) * this.#capacity + pasts[text]!
          buffer.set(added.subarray(from, from + count * width), to * width)
        }
      }
    }
  }

  /** Puts the first `positions` of a text in the place of another. */
  move(from: number, to: number, positions: number): void {
    const { caches } = this.#graph
    for (let i = 0; i < caches.length; i++) {
      const { heads, width } = caches[i]!
      const buffer = this.#buffers[i]!
      for (let head = 0; head < heads; head++) {
        const start = (from * heads + head) * this.#capacity * width
        buffer.copyWithin((to * heads + head) * this.#capacity * width, start, start + positions * width)
      }
    }
  }

  #resize(texts: number, capacity: number): void {
    if (texts === this.#texts && capacity === this.#capacity) return
    const rows = Math.min(capacity, this.#capacity)
    this.#buffers = this.#graph.caches.map((info, i) => {
      const buffer = allocate(info, capacity, texts)
      const old = this.#buffers[i]
      for (let head = 0; old !== undefined && head < this.#texts * info.heads; head++) {
        const start = head * this.#capacity * info.width
        buffer.set(old.subarray(start, start + rows * info.width), head * capacity * info.width)
      }
      return buffer
    })
    this.#texts = texts
    this.#capacity = capacity
  }
}

/** One text of a store, as a sequence sees it. */
export class RowCache implements KeyValueCache {
  readonly #store: RowStore
  /** Where the text lies in the store. */
  place: number

  constructor(store: RowStore, place = 0) {
    this.#store = store
    this.place = place
  }

  reserve(positions: number): void {
    this.#store.reserve(this.place + 1, positions)
  }

  bind(past: number, count: number, feeds: Tensors, fetches: Fetches): void {
    this.#store.bind(this.place, [past], count, feeds, fetches)
  }

  commit(past: number, count: number, outputs: Readonly<Tensors>): void {
    this.#store.commit(this.place, [past], count, outputs)
  }

  truncate(): void {}
}

/** The numbers of a tensor as they are kept: halves as their bits, whichever array the runtime has for them. */
export function floatsOf({ data }: Tensor): FloatArray {
  if (data instanceof Float32Array || data instanceof Uint16Array) return data
  const { buffer, byteOffset, byteLength } = data as ArrayBufferView<ArrayBuffer>
  return new Uint16Array(buffer, byteOffset, byteLength / 2)
}
