/**
 * Where keys and values of past positions live: buffers allocated ahead, growing by a quarter.
 *
 * What a sequence needs of them is a `KeyValueCache`. There are two: `RowCache` (row-store.ts) for graphs that give the rows
 * they added, and `PairedCache` here, which works with any graph: two buffers a cache, the graph copies past plus new from one
 * to the other, and the runtime copies that once more for the object that `run` returns (discard.ts).
 */
import type { CacheInfo, Graph } from './graph.ts'
import type { Tensor } from './runtime.ts'

/** Tensors by name; the caches write theirs into it. */
export type Tensors = Record<string, Tensor>

/** Tensors to write outputs into; `null` where the runtime allocates them. */
export type Fetches = Record<string, Tensor | null>

export interface KeyValueCache {
  /** Makes room for `positions` in all, of which the first `used` hold something. */
  reserve(positions: number, used: number): void
  /** Puts the tensors for a run of `past` + `count` positions into `feeds` and `fetches`. */
  bind(past: number, count: number, feeds: Tensors, fetches: Fetches): void
  /** The run that was bound succeeded and gave `outputs`. */
  commit(past: number, count: number, outputs: Readonly<Tensors>): void
  /** Keeps the first `length` of `used` positions. */
  truncate(length: number, used: number): void
}

export type FloatArray = Float32Array | Uint16Array

const GROWTH = 1.25
const STEP = 64

/** Positions to make room for, where `positions` are asked for and there is room for `capacity`. */
export function capacityFor(positions: number, capacity: number, limit: number): number {
  const wanted = Math.max(positions, Math.ceil(capacity * GROWTH))
  return Math.max(positions, Math.min(limit, Math.ceil(wanted / STEP) * STEP))
}

export function allocate(info: CacheInfo, positions: number, texts = 1): FloatArray {
  const size = texts * info.heads * positions * info.width
  return info.type === 'float32' ? new Float32Array(size) : new Uint16Array(size)
}

/** Copies the first `positions` of every head between buffers whose heads are `from` and `to` positions apart. */
function copyHeads(
  info: CacheInfo,
  source: FloatArray,
  from: number,
  target: FloatArray,
  to: number,
  positions: number,
): void {
  const { heads, width } = info
  for (let head = 0; head < heads; head++) {
    const start = head * from * width
    target.set(source.subarray(start, start + positions * width), head * to * width)
  }
}

export class PairedCache implements KeyValueCache {
  readonly #graph: Graph
  readonly #limit: number
  /** Holds the past: per cache, heads `past` positions apart. */
  #current: FloatArray[] = []
  #next: FloatArray[] = []
  #past: Tensor[] = []
  #present: Tensor[] = []
  #capacity = 0

  constructor(graph: Graph, limit: number) {
    this.#graph = graph
    this.#limit = limit
  }

  reserve(positions: number, used: number): void {
    if (positions <= this.#capacity) return
    const capacity = capacityFor(positions, this.#capacity, this.#limit)
    const { caches } = this.#graph
    this.#current = caches.map((info, i) => {
      const buffer = allocate(info, capacity)
      const old = this.#current[i]
      if (old !== undefined) copyHeads(info, old, used, buffer, used, used)
      return buffer
    })
    this.#next = caches.map((info) => allocate(info, capacity))
    this.#capacity = capacity
    this.#past = this.#view(this.#current, used)
  }

  bind(past: number, count: number, feeds: Tensors, fetches: Fetches): void {
    const { caches } = this.#graph
    this.#present = this.#view(this.#next, past + count)
    for (let i = 0; i < caches.length; i++) {
      feeds[caches[i]!.input] = this.#past[i]!
      fetches[caches[i]!.output] = this.#present[i]!
    }
  }

  commit(): void {
    const filled = this.#next
    this.#next = this.#current
    this.#current = filled
    this.#past = this.#present
  }

  truncate(length: number, used: number): void {
    const { caches } = this.#graph
    for (let i = 0; i < caches.length; i++) {
      copyHeads(caches[i]!, this.#current[i]!, used, this.#next[i]!, length, length)
    }
    this.#present = this.#view(this.#next, length)
    this.commit()
  }

  /** Tensors over the first `positions` of the buffers. Their number is that of the caches, whatever the length. */
  #view(buffers: readonly FloatArray[], positions: number): Tensor[] {
    const { caches, runtime } = this.#graph
    return caches.map((info, i) => {
      const { heads, width } = info
      return new runtime.Tensor(info.type, buffers[i]!.subarray(0, heads * positions * width), [
        1,
        heads,
        positions,
        width,
      ])
    })
  }
}
