/**
 * Runs that go through the model together: where each waits for its next token, one run of the model reads a token for all.
 *
 * Every run keeps its own loop, matcher, sampler and budget; it only gets its logits from here. A prompt, or what a grammar
 * forces, is read for one run alone, so each text is read in the portions in which it would be read by itself: on the shipped
 * model the logits are the same to the last bit. Runs may join at any time and leave when they end; beyond `maxRuns`
 * they wait for a place.
 */

import { ModelError } from '../errors.ts'
import { checkNames } from '../mask/options.ts'
import type { Model } from './model.ts'
import type { TokenBatch, TokenSequence } from './sequence.ts'
import type { TakenSequence } from './session.ts'

export interface BatchOptions {
  /** Most runs at a time; default 8. Each needs the memory of the positions of the longest. */
  readonly maxRuns?: number
}

const DEFAULT_MAX_RUNS = 8

/** A run that has asked for logits. */
interface Wish {
  readonly ids: readonly number[]
  readonly signal: AbortSignal | undefined
  readonly resolve: (logits: Float32Array | null) => void
  readonly reject: (error: unknown) => void
}

/** A run in the batch. `sequence` is `null` until there is a place for it. */
interface Member {
  sequence: TokenSequence | null
  wish: Wish | null
}

export class Batch {
  readonly maxRuns: number
  readonly #model: Model
  /** `null` where the model reads one text at a time. */
  readonly #texts: TokenBatch | null
  readonly #members = new Set<Member>()
  /** Texts of runs that have ended. */
  readonly #left: TokenSequence[] = []
  #isWorking = false
  /** Something has changed since it was last looked at. */
  #isCalled = false

  /** Throws `TypeError` for options that are not known, `RangeError` for `maxRuns` that is no whole number of at least 1. */
  constructor(model: Model, options: BatchOptions = {}) {
    checkNames(options, ['maxRuns'])
    const { maxRuns = DEFAULT_MAX_RUNS } = options
    if (!(Number.isInteger(maxRuns) && maxRuns >= 1))
      throw new RangeError(`maxRuns must be a whole number of at least 1, not ${maxRuns}`)
    this.maxRuns = maxRuns
    this.#model = model
    this.#texts = model.startBatch?.() ?? null
  }

  /** @internal Runs join the batch that they are given, and leave it at their end. */
  join(model: Model): TakenSequence {
    if (model !== this.#model) throw new TypeError('the batch is one of another model')
    if (this.#texts === null) return { sequence: model.startSequence(), reused: 0, release: () => {} }
    const member: Member = { sequence: null, wish: null }
    this.#members.add(member)
    const sequence: TokenSequence = {
      get length() {
        return member.sequence?.length ?? 0
      },
      append: (ids, signal) =>
        new Promise((resolve, reject) => {
          member.wish = { ids, signal, resolve, reject }
          this.#wake()
        }),
      truncate: () => {
        throw new ModelError('a run in a batch takes nothing back')
      },
    }
    const release = () => {
      this.#members.delete(member)
      if (member.sequence !== null) this.#left.push(member.sequence)
      this.#wake()
    }
    return { sequence, reused: 0, release }
  }

  #wake(): void {
    this.#isCalled = true
    if (this.#isWorking) return
    this.#isWorking = true
    // Behind what is going on now, so that runs which start together are read together.
    setImmediate(() => this.#work())
  }

  /** Reads as long as it is known what to read: a run that has its logits has not said yet what it wants next. */
  async #work(): Promise<void> {
    while (this.#isCalled) {
      this.#isCalled = false
      try {
        this.#place()
      } catch (error) {
        // No room can be made for another text: those that wait for it are told, the others go on.
        for (const member of this.#members)
          if (member.sequence === null && member.wish !== null) take(member).reject(error)
      }
      const placed = [...this.#members].filter(({ sequence }) => sequence !== null)
      const alone = placed.find(
        ({ sequence, wish }) => wish !== null && (wish.ids.length > 1 || sequence!.length === 0),
      )
      if (alone !== undefined) await this.#readAlone(alone)
      else if (placed.length > 0 && placed.every(({ wish }) => wish !== null))
        await this.#readTogether(placed)
      else continue
      this.#isCalled = true
      // Whoever was served says what comes next.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#isWorking = false
  }

  /** Lets go who has left and finds room for who waits; only between two runs of the model, since texts are moved. */
  #place(): void {
    const texts = this.#texts!
    for (const sequence of this.#left.splice(0)) texts.remove(sequence)
    for (const member of this.#members) {
      if (member.sequence !== null) continue
      if (member.wish?.signal?.aborted) take(member).resolve(null)
      else if (texts.sequences.length < this.maxRuns) member.sequence = texts.add()
    }
  }

  async #readAlone(member: Member): Promise<void> {
    const { ids, signal, resolve, reject } = take(member)
    await member.sequence!.append(ids, signal).then(resolve, reject)
  }

  async #readTogether(members: readonly Member[]): Promise<void> {
    const bySequence = new Map(members.map((member) => [member.sequence, member]))
    const inOrder = this.#texts!.sequences.map((sequence) => bySequence.get(sequence)!)
    const wishes = inOrder.map(take)
    try {
      const logits = await this.#texts!.step(wishes.map(({ ids }) => ids[0]!))
      for (const [i, { resolve }] of wishes.entries()) resolve(logits[i]!)
    } catch (error) {
      for (const { reject } of wishes) reject(error)
    }
  }
}

function take(member: Member): Wish {
  const wish = member.wish!
  member.wish = null
  return wish
}
