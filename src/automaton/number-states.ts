/**
 * The states of number automata, each kept once: two states with equal fields are one.
 *
 * A state is filled in by the machine and handed over; after that it does not change. Finding it costs one hash over its
 * fields and, as a rule, one comparison.
 */
import { equalRanges, NONE, type Ranges } from './number-ranges.ts'

export class State {
  phase = 0
  /** The magnitude set that still matters, -1 when decided. */
  set = -1
  /** Ends that agree with the digits so far, as a range of significands. Like `count` and `point`, only while undecided. */
  low = 0
  high = 0
  /** Digits from the first non-zero one on; in an exponent, its leading zeros. */
  count = 0
  /** The value is `0.digits * 10 ** point`. */
  point = 0
  /** Digits that may still be written before the exponent. */
  room = 0
  /** Digits after the point. */
  fraction = 0
  /** The digits, read as an integer, modulo what the step can tell. */
  remainder = 0
  /** The least exponent that makes the value a multiple of the step's power of ten and base part. */
  least = 0
  /** Whether the notation allows to end here: for a shortest spelling, no trailing zero. */
  mayEnd = false
  /** The exponents within reach that put the value into the set, whatever digits follow once decided. In an exponent: the values it may have. */
  window: Ranges = NONE
  /** In an exponent: two more digits that land in its values. */
  pairs: Ranges = NONE
  accepting = false

  copy(): State {
    const copy = new State()
    copy.phase = this.phase
    copy.set = this.set
    copy.low = this.low
    copy.high = this.high
    copy.count = this.count
    copy.point = this.point
    copy.room = this.room
    copy.fraction = this.fraction
    copy.remainder = this.remainder
    copy.least = this.least
    copy.mayEnd = this.mayEnd
    copy.window = this.window
    copy.pairs = this.pairs
    copy.accepting = this.accepting
    return copy
  }
}

/** Interned states; ids count up from 0. */
export class StateTable {
  readonly #states: State[] = []
  readonly #hashes: number[] = []
  /** The next state in the same bucket, -1 at its end. */
  readonly #nexts: number[] = []
  #buckets = new Int32Array(64).fill(-1)

  get size(): number {
    return this.#states.length
  }

  get(id: number): State {
    return this.#states[id]!
  }

  /** The id of the state, which is added if it is new: then the id is the former size. */
  intern(state: State): number {
    const hash = hashOf(state)
    const bucket = hash & (this.#buckets.length - 1)
    for (let id = this.#buckets[bucket]!; id >= 0; id = this.#nexts[id]!) {
      if (this.#hashes[id] === hash && isSame(this.#states[id]!, state)) return id
    }
    const id = this.#states.push(state) - 1
    this.#hashes.push(hash)
    this.#nexts.push(this.#buckets[bucket]!)
    this.#buckets[bucket] = id
    if (id === this.#buckets.length) this.#grow()
    return id
  }

  #grow(): void {
    const buckets = new Int32Array(this.#buckets.length * 4).fill(-1)
    for (let id = 0; id < this.#hashes.length; id++) {
      const bucket = this.#hashes[id]! & (buckets.length - 1)
      this.#nexts[id] = buckets[bucket]!
      buckets[bucket] = id
    }
    this.#buckets = buckets
  }
}

function hashOf(state: State): number {
  let hash = state.phase * 8 + (state.set + 1) * 2 + (state.mayEnd ? 1 : 0)
  hash = mix(hash, state.low)
  hash = mix(hash, state.high)
  hash = mix(hash, state.count)
  hash = mix(hash, state.point)
  hash = mix(hash, state.room)
  hash = mix(hash, state.fraction)
  hash = mix(hash, state.remainder)
  hash = mix(hash, state.least)
  for (const end of state.window) hash = mix(hash, end)
  for (const end of state.pairs) hash = mix(hash, end)
  return hash ^ (hash >>> 15)
}

function mix(hash: number, value: number): number {
  return Math.imul((hash ^ value) + (hash >>> 16), 0x2c1b3c6d)
}

function isSame(a: State, b: State): boolean {
  return (
    a.phase === b.phase &&
    a.room === b.room &&
    a.fraction === b.fraction &&
    a.remainder === b.remainder &&
    a.least === b.least &&
    a.set === b.set &&
    a.low === b.low &&
    a.high === b.high &&
    a.count === b.count &&
    a.point === b.point &&
    a.mayEnd === b.mayEnd &&
    a.accepting === b.accepting &&
    equalRanges(a.window, b.window) &&
    equalRanges(a.pairs, b.pairs)
  )
}
