/**
 * Where a text stood after each of its last steps.
 *
 * A matcher may be taken back to any of them; those further back are dropped, some at a time, so that a text of any length
 * holds at most twice the window and a few more. What open containers must remember stands in the positions themselves.
 * Of the positions that are dropped the last one with threads is kept, from which the text can be read once more.
 *
 * They lie in chunks that copies share, so that copying is O(1); whichever goes on first takes lists of its own for the
 * chunks and for the last one of them.
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

/** Positions beyond twice the window that are dropped together, and those of a chunk. */
const SLACK = 64

export class Positions {
  readonly maxRollback: number
  /** All but the last are full. */
  #chunks: Position[][]
  /** The last chunk. */
  #last: Position[]
  #kept = 1
  /** Whether the list of chunks and the last of them are those of a copy, too. */
  #isShared = false
  /** Steps before the first position that is kept. */
  #dropped = 0
  /** Steps that cannot be taken back. */
  fixed = 0
  /** The last position with threads before those that are kept. */
  #anchor: Position | null = null

  constructor(first: Position, maxRollback: number) {
    this.#last = [first]
    this.#chunks = [this.#last]
    this.maxRollback = maxRollback
  }

  get now(): Position {
    return this.#last[this.#last.length - 1]!
  }
  /** The same place, with more known of it. */
  set now(position: Position) {
    if (this.#isShared) this.#own()
    this.#last[this.#last.length - 1] = position
  }

  #at(index: number): Position {
    return this.#chunks[Math.floor(index / SLACK)]![index % SLACK]!
  }

  /** Steps so far. */
  get tokens(): number {
    return this.#dropped + this.#kept - 1
  }

  /** Positions held. */
  get held(): number {
    return this.#kept + (this.#anchor === null ? 0 : 1)
  }

  push(position: Position): void {
    if (this.#isShared) this.#own()
    if (this.#last.length === SLACK) {
      this.#last = []
      this.#chunks.push(this.#last)
    }
    this.#last.push(position)
    const kept = ++this.#kept
    const fixed = this.#dropped + kept - 1 - this.maxRollback
    if (fixed > this.fixed) this.fixed = fixed
    if (kept > 2 * this.maxRollback + SLACK) this.#drop(Math.floor((this.fixed - this.#dropped) / SLACK))
  }

  #own(): void {
    this.#isShared = false
    this.#last = this.#last.slice()
    this.#chunks = this.#chunks.slice()
    this.#chunks[this.#chunks.length - 1] = this.#last
  }

  #drop(chunks: number): void {
    for (let at = chunks * SLACK; at >= 0; at--) {
      const position = this.#at(at)
      if (position.threads === null) continue
      this.#anchor = position
      break
    }
    this.#chunks = this.#chunks.slice(chunks)
    this.#dropped += chunks * SLACK
    this.#kept -= chunks * SLACK
  }

  /** @throws RangeError for more steps than there are, or than are kept */
  back(n: number): void {
    const { tokens } = this
    if (!Number.isInteger(n) || n < 0)
      throw new RangeError(`what is taken back is a number of steps, 0 or more, not ${n}`)
    if (n > tokens) throw new RangeError(`cannot take back ${n} of ${tokens} steps`)
    if (n > tokens - this.fixed)
      throw new RangeError(
        `cannot take back ${n} of ${tokens} steps: ${tokens - this.fixed} can be, as maxRollback of the matcher is ${this.maxRollback}`,
      )
    if (n === 0) return
    if (this.#isShared) this.#own()
    const kept = this.#kept - n
    this.#kept = kept
    const chunks = Math.ceil(kept / SLACK)
    const inLast = kept - (chunks - 1) * SLACK
    if (chunks === this.#chunks.length) {
      this.#last.length = inLast
      return
    }
    this.#chunks.length = chunks
    // A full chunk may be that of a copy.
    this.#last = this.#chunks[chunks - 1]!.slice(0, inLast)
    this.#chunks[chunks - 1] = this.#last
  }

  /** The last position whose threads are known. */
  get known(): Position {
    for (let at = this.#kept - 1; at >= 0; at--) {
      const position = this.#at(at)
      if (position.threads !== null) return position
    }
    return this.#anchor!
  }

  /** Notes the threads after `length` bytes, should the first position that is kept stand there and want them. */
  note(length: number, threads: readonly Thread[]): void {
    const first = this.#at(0)
    if (first.length === length) first.threads ??= threads
  }

  /** The bytes of text at each position that can be taken back to, the first of which cannot be taken back, and now. */
  lengths(): number[] {
    const lengths: number[] = []
    for (let at = this.fixed - this.#dropped; at < this.#kept; at++) lengths.push(this.#at(at).length)
    return lengths
  }

  /** The last position alone, behind `fixed` steps that cannot be taken back. */
  beginning(fixed: number, maxRollback: number): Positions {
    const other = new Positions(this.now, maxRollback)
    other.#dropped = fixed
    other.fixed = fixed
    other.#anchor = this.known
    return other
  }

  /** The same, to go its own way from here. O(1). */
  copy(): Positions {
    const other = new Positions(this.now, this.maxRollback)
    other.#chunks = this.#chunks
    other.#last = this.#last
    other.#kept = this.#kept
    other.#isShared = true
    this.#isShared = true
    other.#dropped = this.#dropped
    other.fixed = this.fixed
    other.#anchor = this.#anchor
    return other
  }
}
