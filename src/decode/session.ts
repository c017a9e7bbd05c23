/**
 * What a model has read, kept from one run to the next: a prompt that begins like the last one is read from where it differs.
 *
 * Requests that share a system message and tools then read them once. A session never changes an answer: what is reused
 * are rows of the cache that a run without it would compute in the same way. So only prompts are kept, not what was
 * generated: kernels for one token at a time round otherwise than those for many (on the shipped model logits differ by up to 1).
 * For the same reason a few tokens at the end of a prompt are always read.
 *
 * A session holds one text: one run at a time, and the memory of as many positions as its longest run had (46 KB each for
 * the shipped model), until it is cleared or gone.
 */

import { ModelError } from '../errors.ts'
import { checkNames } from '../mask/options.ts'
import type { Model } from './model.ts'
import type { TokenSequence } from './sequence.ts'

export interface SessionOptions {
  /** Most positions to keep, and so of prompt and answer together; default the model's context. */
  readonly maxPositions?: number
}

/** A text that a run goes on from. */
export interface TakenSequence {
  readonly sequence: TokenSequence
  /** Tokens at the beginning of the prompt that need not be read; never all of them. */
  readonly reused: number
  readonly release: () => void
}

/** Tokens at the end of a prompt that are read anyhow: the last one gives the logits, and it may be read by itself. */
export const ALWAYS_READ = 3

export class Session {
  readonly maxPositions: number
  readonly #model: Model
  #sequence: TokenSequence
  /** The tokens of the positions that may be reused, at the beginning of the sequence. */
  #ids: number[] = []
  #isTaken = false

  /** Throws `TypeError` for options that are not known, `RangeError` for `maxPositions` that are no whole number from 1 to the model's context. */
  constructor(model: Model, options: SessionOptions = {}) {
    checkNames(options, ['maxPositions'])
    const { maxPositions = model.contextLength } = options
    if (!(Number.isInteger(maxPositions) && maxPositions >= 1 && maxPositions <= model.contextLength)) {
      throw new RangeError(
        `maxPositions must be a whole number from 1 to the model's context of ${model.contextLength}, not ${maxPositions}`,
      )
    }
    this.maxPositions = maxPositions
    this.#model = model
    this.#sequence = model.startSequence(maxPositions)
  }

  /** Positions that the next run may reuse. */
  get length(): number {
    return this.#ids.length
  }

  /** Forgets everything and gives the memory back. Throws `ModelError` while a run uses the session. */
  clear(): void {
    this.#requireFree()
    this.#sequence = this.#model.startSequence(this.maxPositions)
    this.#ids = []
  }

  /** @internal Runs take the session they are given, and release it at their end. */
  take(model: Model, prompt: readonly number[]): TakenSequence {
    if (model !== this.#model) throw new TypeError('the session is one of another model')
    this.#requireFree()
    this.#isTaken = true
    const inner = this.#sequence
    const ids = this.#ids
    const most = Math.min(ids.length, prompt.length - ALWAYS_READ)
    let reused = 0
    while (reused < most && ids[reused] === prompt[reused]) reused++
    inner.truncate(reused)
    ids.length = reused
    const sequence: TokenSequence = {
      get length() {
        return inner.length
      },
      append: async (more, signal) => {
        const isPrompt = inner.length === reused
        try {
          return await inner.append(more, signal)
        } finally {
          // What was read before it was aborted, or failed, is read. The last token may have been read by itself.
          const end = Math.min(inner.length, reused + more.length - 1)
          if (isPrompt) for (let i = reused; i < end; i++) ids.push(more[i - reused]!)
        }
      },
      truncate: (length) => {
        inner.truncate(length)
        ids.length = Math.min(ids.length, length)
      },
    }
    const release = () => {
      this.#isTaken = false
    }
    return { sequence, reused, release }
  }

  #requireFree(): void {
    if (this.#isTaken) {
      throw new ModelError(
        'the session is in use by a run that has not ended; await its result first, or give each run a session of its own',
      )
    }
  }
}
