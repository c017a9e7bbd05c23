/**
 * One running text on a graph: token ids go in, the logits after the last one come out.
 *
 * The cache of keys and values is kept between calls, so a call costs what its new tokens cost. All tensors that grow
 * with the vocabulary or with the length are made once and reused; a step allocates a fixed number of small objects.
 * Long inputs are fed in chunks, so that no run holds the logits of a whole prompt: a graph with `num_logits_to_keep`
 * computes one row, of any other only the last token's row is fetched.
 */
import { ModelError } from '../errors.ts'
import { type Fetches, type KeyValueCache, PairedCache, type Tensors } from './cache.ts'
import { discard } from './discard.ts'
import type { Graph } from './graph.ts'
import { widenHalf } from './half.ts'
import { RowCache, RowStore } from './row-store.ts'
import type { Tensor } from './runtime.ts'

/** What a decode loop needs of a model that reads. */
export interface TokenSequence {
  /** Positions read so far. */
  readonly length: number
  /**
   * Reads `ids` and gives the logits that follow the last of them. The array is valid until the next call.
   * Stops between chunks when `signal` is aborted, with `null` in place of the logits.
   */
  append(ids: readonly number[], signal?: AbortSignal): Promise<Float32Array | null>
  /** Forgets all but the first `length` positions. */
  truncate(length: number): void
}

/** Texts that a model reads together, a token each at a time. */
export interface TokenBatch {
  /** In the order in which `step` takes them; it changes when one is removed. */
  readonly sequences: readonly TokenSequence[]
  /** A new text. It is read by itself until it takes part in a step. */
  add(): TokenSequence
  /** Forgets a text. */
  remove(sequence: TokenSequence): void
  /** Reads one token for every text, and gives the logits that follow each, valid until the next call. */
  step(ids: readonly number[]): Promise<readonly Float32Array[]>
}

/** Tokens a run, where the graph computes one row of logits only. */
const CHUNK = 256
/** Floats of logits that a run may hold inside the runtime, where it computes all rows (32 MB). */
const CHUNK_LOGITS = 8 << 20
/** onnxruntime's level "fatal": for runs whose failure is an answer. */
const SILENT = 4

export class OnnxSequence implements TokenSequence {
  readonly #graph: Graph
  readonly #limit: number
  readonly #cache: KeyValueCache
  readonly #chunk: number
  readonly #options: { readonly logSeverityLevel?: number }
  readonly #feeds: Tensors = {}
  /** The caches alone, and the caches with the logits. */
  readonly #fetches: Fetches = {}
  readonly #fetchesWithLogits: Fetches = {}
  readonly #ids: BigInt64Array
  readonly #positions: BigInt64Array
  readonly #oneId: Tensor
  readonly #onePosition: Tensor
  readonly #halfLogits: Uint16Array | null
  readonly #logits: Float32Array
  /** Ones, for the attention mask; grows with the cache. */
  #ones = new BigInt64Array(0)
  #length = 0

  /** `limit` is the most positions, `cache` a place among those of others, `silent` keeps the runtime from logging. */
  constructor(graph: Graph, limit: number, options: { cache?: KeyValueCache; silent?: boolean } = {}) {
    const { cache, silent = false } = options
    this.#graph = graph
    this.#limit = limit
    this.#cache =
      cache ?? (graph.addsRows ? new RowCache(new RowStore(graph, limit)) : new PairedCache(graph, limit))
    this.#options = silent ? { logSeverityLevel: SILENT } : {}
    const { runtime, width, keepDims } = graph
    this.#chunk = keepDims === null ? Math.max(1, Math.min(CHUNK, Math.floor(CHUNK_LOGITS / width))) : CHUNK
    this.#ids = new BigInt64Array(this.#chunk)
    this.#positions = new BigInt64Array(this.#chunk)
    this.#oneId = this.#row(this.#ids, 1)
    this.#onePosition = this.#row(this.#positions, 1)
    this.#logits = new Float32Array(width)
    this.#halfLogits = graph.logitsType === 'float16' ? new Uint16Array(width) : null
    this.#fetchesWithLogits.logits = new runtime.Tensor(graph.logitsType, this.#halfLogits ?? this.#logits, [
      1,
      1,
      width,
    ])
    if (keepDims !== null)
      this.#feeds.num_logits_to_keep = new runtime.Tensor('int64', BigInt64Array.of(1n), keepDims)
  }

  get length(): number {
    return this.#length
  }

  async append(ids: readonly number[], signal?: AbortSignal): Promise<Float32Array | null> {
    if (ids.length === 0) throw new RangeError('append needs at least one token')
    const end = this.#length + ids.length
    if (end > this.#limit) {
      throw new ModelError(
        `${end} positions do not fit the model's context of ${this.#limit}; shorten the prompt or maxTokens`,
      )
    }
    this.#cache.reserve(end, this.#length)
    if (this.#ones.length < end) this.#ones = new BigInt64Array(Math.ceil((end * 5) / 4 / 64) * 64).fill(1n)
    const keeps = this.#graph.keepDims !== null
    let from = 0
    while (from < ids.length) {
      if (from > 0 && signal?.aborted) return null
      const rest = ids.length - from
      // All rows of logits would be fetched at once: the last token goes alone, so that its row is the only one.
      const most = keeps || rest === 1 ? rest : rest - 1
      // Else no token goes alone, wherever the chunks begin: kernels for one row round otherwise than those for many.
      const count = most === this.#chunk + 1 && most > 2 ? this.#chunk - 1 : Math.min(most, this.#chunk)
      await this.#run(ids, from, count, keeps || rest === 1)
      from += count
    }
    if (this.#halfLogits !== null) widenHalf(this.#halfLogits, this.#logits)
    return this.#logits
  }

  truncate(length: number): void {
    if (!(Number.isInteger(length) && length >= 0 && length <= this.#length)) {
      throw new RangeError(`cannot truncate ${this.#length} positions to ${length}`)
    }
    if (length === this.#length) return
    this.#cache.truncate(length, this.#length)
    this.#length = length
  }

  /** A run of others has read one more token into the cache. */
  advance(): void {
    this.#length++
  }

  async #run(ids: readonly number[], from: number, count: number, withLogits: boolean): Promise<void> {
    const { runtime, session, path, hasMask, hasPositions, hasCacheBranch } = this.#graph
    const past = this.#length
    const total = past + count
    const feeds = this.#feeds
    const fetches = withLogits ? this.#fetchesWithLogits : this.#fetches
    for (let i = 0; i < count; i++) {
      this.#ids[i] = BigInt(ids[from + i]!)
      this.#positions[i] = BigInt(past + i)
    }
    feeds.input_ids = count === 1 ? this.#oneId : this.#row(this.#ids, count)
    if (hasPositions) feeds.position_ids = count === 1 ? this.#onePosition : this.#row(this.#positions, count)
    if (hasMask) feeds.attention_mask = this.#row(this.#ones, total)
    if (hasCacheBranch)
      feeds.use_cache_branch = new runtime.Tensor('bool', Uint8Array.of(past > 0 ? 1 : 0), [1])
    this.#cache.bind(past, count, feeds, fetches)
    const outputs = await session.run(feeds, fetches, this.#options).catch((error: unknown) => {
      throw new ModelError(
        `${path} failed at position ${past}: ${error instanceof Error ? error.message : error}`,
      )
    })
    this.#cache.commit(past, count, outputs)
    discard(outputs, fetches)
    this.#length = total
  }

  #row(data: BigInt64Array, count: number): Tensor {
    return new this.#graph.runtime.Tensor('int64', data.subarray(0, count), [1, count])
  }
}
