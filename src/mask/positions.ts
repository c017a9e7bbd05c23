/**
 * Where a text stood after each of its last tokens.
 *
 * A matcher may be taken back to any of them; those further back are dropped, some at a time, so that a text of any length
 * holds at most twice the window and a few more. What open containers must remember stands in the positions themselves.
 * Of the positions that are dropped the last one with threads is kept, from which the text can be read once more.
 */
import type { Lean } from './lean.ts'
import type { Thread } from './threads.ts'

/** Where a text stands: as a lean thread or several, as threads, or both. */
export interface Position {
  readonly lean: Lean | null
  /** Where there are more than one. */
  readonly leans: readonly Lean[] | null
  /** `null` until somebody asks for them; then the text is read once more from the last position that has them. */
  threads: readonly Thread[] | null
  /** Bytes of text up to here. */
  readonly length: number
  /** Whether an end token was accepted. */
  readonly ended: boolean
}

/** Positions beyond twice the window that are dropped together. */
const SLACK = 64

export class Positions {
  readonly #maxRollback: number
  #kept: Position[]
  /** Tokens before the first position that is kept. */
  #dropped = 0
  /** Tokens that cannot be taken back. */
  #fixed = 0
  /** The last position with threads before those that are kept. */
  #anchor: Position | null = null

  constructor(first: Position, maxRollback: number) {
    this.#kept = [first]
    this.#maxRollback = maxRollback
  }

  get now(): Position {
    return this.#kept[this.#kept.length - 1]!
  }
  /** The same place, with more known of it. */
  set now(position: Position) {
    this.#kept[this.#kept.length - 1] = position
  }

  /** Tokens so far. */
  get tokens(): number {
    return this.#dropped + this.#kept.length - 1
  }

  /** Positions held. */
  get held(): number {
    return this.#kept.length + (this.#anchor === null ? 0 : 1)
  }

  push(position: Position): void {
    this.#kept.push(position)
    const fixed = this.tokens - this.#maxRollback
    if (fixed > this.#fixed) this.#fixed = fixed
    if (this.#kept.length > 2 * this.#maxRollback + SLACK) this.#drop(this.#fixed - this.#dropped)
  }

  #drop(count: number): void {
    for (let at = count; at >= 0; at--) {
      if (this.#kept[at]!.threads === null) continue
      this.#anchor = this.#kept[at]!
      break
    }
    this.#kept = this.#kept.slice(count)
    this.#dropped += count
  }

  /** @throws RangeError for more tokens than there are, or than are kept */
  back(n: number): void {
    const { tokens } = this
    if (!Number.isInteger(n) || n < 0 || n > tokens)
      throw new RangeError(`cannot take back ${n} of ${tokens} tokens`)
    if (n > tokens - this.#fixed)
      throw new RangeError(
        `cannot take back ${n} of ${tokens} tokens: ${tokens - this.#fixed} can be, as maxRollback of the matcher is ${this.#maxRollback}`,
      )
    this.#kept.length -= n
  }

  /** The last position whose threads are known. */
  get known(): Position {
    const kept = this.#kept
    for (let at = kept.length - 1; at >= 0; at--) if (kept[at]!.threads !== null) return kept[at]!
    return this.#anchor!
  }

  /** Notes the threads after `length` bytes, should the first position that is kept stand there and want them. */
  note(length: number, threads: readonly Thread[]): void {
    const first = this.#kept[0]!
    if (first.length === length) first.threads ??= threads
  }

  copy(): Positions {
    const other = new Positions(this.now, this.#maxRollback)
    other.#kept = this.#kept.slice()
    other.#dropped = this.#dropped
    other.#fixed = this.#fixed
    other.#anchor = this.#anchor
    return other
  }
}
