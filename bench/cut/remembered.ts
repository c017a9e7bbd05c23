/**
 * A model that remembers what it said behind each text, so that runs with one prompt cost what is new in them.
 *
 * A prompt is read at once and every other token by itself, whichever run asks first: kernels for one token round otherwise than
 * those for many, and a text has one answer. It keeps the logits of each place: 4 bytes × vocabulary.
 */
import type { Model, TokenSequence } from '../../src/index.ts'

export class RememberedModel implements Model {
  readonly vocabulary
  readonly tokenizer
  readonly chat
  readonly contextLength
  readonly #inner: TokenSequence
  /** What the inner sequence has read. */
  #read: number[] = []
  readonly #logits = new Map<string, Float32Array>()
  /** The first text that was read: the prompt of all runs. */
  #prompt: readonly number[] | null = null

  constructor(model: Model) {
    this.vocabulary = model.vocabulary
    this.tokenizer = model.tokenizer
    this.chat = model.chat
    this.contextLength = model.contextLength
    this.#inner = model.startSequence()
  }

  startSequence(): TokenSequence {
    const ids: number[] = []
    return {
      get length() {
        return ids.length
      },
      append: async (more) => {
        ids.push(...more)
        this.#prompt ??= [...ids]
        return this.#logitsOf(ids)
      },
      truncate: (length) => {
        ids.length = length
      },
    }
  }

  /** The logits behind the prompt and these tokens. */
  logitsBehind(ids: readonly number[]): Promise<Float32Array> {
    if (this.#prompt === null) throw new Error('no run has read a prompt yet')
    return this.#logitsOf([...this.#prompt, ...ids])
  }

  async #logitsOf(ids: readonly number[]): Promise<Float32Array> {
    const known = this.#logits.get(ids.join())
    if (known !== undefined) return known
    const prompt = this.#prompt!.length
    let shared = 0
    while (shared < this.#read.length && this.#read[shared] === ids[shared]) shared++
    // Behind the last token there are logits to come in any case.
    shared = Math.min(shared, ids.length - 1)
    if (shared < prompt) shared = 0
    this.#inner.truncate(shared)
    this.#read = ids.slice(0, shared)
    let logits: Float32Array | null = null
    while (this.#read.length < ids.length) {
      const at = this.#read.length
      const next = ids.slice(at, at < prompt ? prompt : at + 1)
      logits = (await this.#inner.append(next))!
      this.#read.push(...next)
      const key = this.#read.join()
      if (!this.#logits.has(key)) this.#logits.set(key, logits.slice())
    }
    return this.#logits.get(ids.join())!
  }

  async release(): Promise<void> {}
}
