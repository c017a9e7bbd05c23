/**
 * Where keys and values of past positions live: buffers allocated ahead, growing by a quarter.
 *
 * - `RowCache`: for graphs that give the rows they added (added-rows.ts). The past is read where it lies, in buffers with
 *   room behind their rows, and the new rows are written behind it. Nothing is copied but them.
 * - `PairedCache`: two buffers a cache, the graph copies past plus new from one to the other, and the runtime copies that
 *   once more for the object that `run` returns (discard.ts). Works with any graph.
 *
 * The attention operator clears as many rows as the buffer has, so a token is a little dearer the larger the buffers are
 * (1 ms for 1,000 rows of the shipped model): they grow by small steps instead of doubling.
 */
import { type CacheInfo, type Graph, ROWS_INPUT } from './graph.ts'
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

type FloatArray = Float32Array | Uint16Array

const GROWTH = 1.25
const STEP = 64

function capacityFor(positions: number, capacity: number, limit: number): number {
  const wanted = Math.max(positions, Math.ceil(capacity * GROWTH))
  return Math.max(positions, Math.min(limit, Math.ceil(wanted / STEP) * STEP))
}

function allocate(info: CacheInfo, positions: number): FloatArray {
  const size = info.heads * positions * info.width
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

export class RowCache implements KeyValueCache {
  readonly #graph: Graph
  readonly #limit: number
  readonly #isExact: boolean
  #buffers: FloatArray[] = []
  #tensors: Tensor[] = []
  #capacity = 0

  /** @param isExact whether the buffers have room for what they hold and no more, as any operator expects */
  constructor(graph: Graph, limit: number, isExact = false) {
    this.#graph = graph
    this.#limit = limit
    this.#isExact = isExact
  }

  reserve(positions: number, used: number): void {
    if (!this.#isExact && positions > this.#capacity)
      this.#resize(capacityFor(positions, this.#capacity, this.#limit), used)
  }

  bind(past: number, count: number, feeds: Tensors, fetches: Fetches): void {
    if (this.#isExact) this.#resize(past, past)
    const { caches, runtime } = this.#graph
    for (let i = 0; i < caches.length; i++) {
      feeds[caches[i]!.input] = this.#tensors[i]!
      fetches[caches[i]!.output] = null
    }
    const { heads } = caches[0]!
    const rows = new BigInt64Array(heads * count)
    for (let i = 0; i < rows.length; i++) rows[i] = BigInt(past + (i % count))
    feeds[ROWS_INPUT] = new runtime.Tensor('int64', rows, [1, heads, count, 1])
  }

  commit(past: number, count: number, outputs: Readonly<Tensors>): void {
    if (this.#isExact) this.#resize(past + count, past)
    const { caches } = this.#graph
    for (let i = 0; i < caches.length; i++) {
      const info = caches[i]!
      const added = floatsOf(outputs[info.output]!)
      const buffer = this.#buffers[i]!
      for (let head = 0; head < info.heads; head++) {
        const rows = added.subarray(head * count * info.width, (head + 1) * count * info.width)
        buffer.set(rows, (head * this.#capacity + past) * info.width)
      }
    }
  }

  truncate(): void {}

  #resize(capacity: number, used: number): void {
    const { caches, runtime } = this.#graph
    this.#buffers = caches.map((info, i) => {
      const buffer = allocate(info, capacity)
      const old = this.#buffers[i]
      if (old !== undefined) copyHeads(info, old, this.#capacity, buffer, capacity, used)
      return buffer
    })
    this.#tensors = caches.map(
      (info, i) => new runtime.Tensor(info.type, this.#buffers[i]!, [1, info.heads, capacity, info.width]),
    )
    this.#capacity = capacity
  }
}

/** The numbers of a tensor as they are kept: halves as their bits, whichever array the runtime has for them. */
function floatsOf({ data }: Tensor): FloatArray {
  if (data instanceof Float32Array || data instanceof Uint16Array) return data
  const { buffer, byteOffset, byteLength } = data as ArrayBufferView<ArrayBuffer>
  return new Uint16Array(buffer, byteOffset, byteLength / 2)
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
