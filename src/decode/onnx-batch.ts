/**
 * Several texts on one graph, read together: a run for the next token of each costs little more than one for a single text,
 * since the weights are read once.
 *
 * Every text has its own length: the attention operator goes by the attention mask, a row of which says how long a text
 * is. So nothing is padded, and a text that ends leaves no hole: the last one takes its place.
 */
import { ModelError } from '../errors.ts'
import type { Fetches, Tensors } from './cache.ts'
import { discard } from './discard.ts'
import type { Graph } from './graph.ts'
import { widenHalf } from './half.ts'
import { floatsOf, RowCache, RowStore } from './row-store.ts'
import { OnnxSequence, type TokenBatch } from './sequence.ts'

export class OnnxBatch implements TokenBatch {
  readonly sequences: OnnxSequence[] = []
  readonly #graph: Graph
  readonly #limit: number
  readonly #caches: RowCache[] = []
  #store: RowStore

  /** `graph` adds rows; `limit` is the most positions of a text. */
  constructor(graph: Graph, limit: number) {
    this.#graph = graph
    this.#limit = limit
    this.#store = new RowStore(graph, limit)
  }

  add(): OnnxSequence {
    const cache = new RowCache(this.#store, this.sequences.length)
    const sequence = new OnnxSequence(this.#graph, this.#limit, { cache })
    this.#caches.push(cache)
    this.sequences.push(sequence)
    return sequence
  }

  remove(sequence: OnnxSequence): void {
    const place = this.sequences.indexOf(sequence)
    if (place < 0) return
    const last = this.sequences.pop()!
    const cache = this.#caches.pop()!
    if (last !== sequence) {
      this.#store.move(cache.place, place, last.length)
      cache.place = place
      this.sequences[place] = last
      this.#caches[place] = cache
    }
    // Nothing is left that the memory would be for.
    if (this.sequences.length === 0) this.#store = new RowStore(this.#graph, this.#limit)
  }

  async step(ids: readonly number[]): Promise<readonly Float32Array[]> {
    const { runtime, session, path, hasMask, hasPositions, hasCacheBranch, keepDims, width } = this.#graph
    const count = ids.length
    const pasts = this.sequences.map(({ length }) => length)
    const total = Math.max(...pasts) + 1
    if (total > this.#limit)
      throw new ModelError(`${total} positions do not fit the ${this.#limit} of a text`)
    this.#store.reserve(count, total)
    const int64 = (values: BigInt64Array, dims: readonly number[]) =>
      new runtime.Tensor('int64', values, dims)
    const feeds: Tensors = { input_ids: int64(BigInt64Array.from(ids, BigInt), [count, 1]) }
    if (hasPositions) feeds.position_ids = int64(BigInt64Array.from(pasts, BigInt), [count, 1])
    if (hasMask) {
      const mask = new BigInt64Array(count * total)
      for (let text = 0; text < count; text++) mask.fill(1n, text * total, text * total + pasts[text]! + 1)
      feeds.attention_mask = int64(mask, [count, total])
    }
    if (hasCacheBranch) feeds.use_cache_branch = new runtime.Tensor('bool', Uint8Array.of(1), [1])
    if (keepDims !== null) feeds.num_logits_to_keep = int64(BigInt64Array.of(1n), keepDims)
    const fetches: Fetches = { logits: null }
    this.#store.bind(0, pasts, 1, feeds, fetches)
    const outputs = await session.run(feeds, fetches).catch((error: unknown) => {
      throw new ModelError(
        `${path} failed on ${count} texts: ${error instanceof Error ? error.message : error}`,
      )
    })
    this.#store.commit(0, pasts, 1, outputs)
    const floats = floatsOf(outputs.logits!)
    discard(outputs, { logits: outputs.logits! })
    const logits = floats instanceof Float32Array ? floats : new Float32Array(floats.length)
    if (floats instanceof Uint16Array) widenHalf(floats, logits)
    for (const sequence of this.sequences) sequence.advance()
    return this.sequences.map((_, text) => logits.subarray(text * width, (text + 1) * width))
  }
}
