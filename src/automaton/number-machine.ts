/**
 * The states of number texts: a lazily built, interned automaton over bytes with exact liveness.
 *
 * A state knows what its future depends on and no more:
 * - while the digits agree with some end of an interval that still matters: the range of those ends, the number of
 *   digits, and the place of the point;
 * - once the digits are decided: the *window*, the exponents that would put the value into the set if it ended here, which
 *   one more integer digit moves down by one; and for multiples of a step the least exponent that makes it one, and the
 *   remainder that later digits work on;
 * - inside an exponent: which continuations land in the window.
 *
 * Whether a decided state can be finished is a matter of arithmetic, if the alphabet has all that a number needs. Else,
 * and for the few states that still agree with an end, it is a memoised search: every text is finite (digits and exponents
 * are capped), so the automaton has no cycles. States are shared by both signs where their futures are equal. Unbounded
 * numbers have one state for each count of digits; an end adds one for each of its digits.
 */
import { LimitError } from '../errors.ts'
import type { Decimal } from '../json/decimal.ts'
import type { MagnitudeSet } from './number-magnitude.ts'
import { contains, moveAndClip, NONE, negate, type Ranges } from './number-ranges.ts'
import { State, StateTable } from './number-states.ts'
import { FINEST, Step } from './number-step.ts'

/** Largest magnitude of a written exponent. */
export const MAX_EXPONENT = 400
/** Most digits of a written exponent, leading zeros included. */
export const MAX_EXPONENT_DIGITS = 4

/**
 * `any`: every spelling of RFC 8259. `digits`: the shortest spelling without an exponent. `exponent`: the shortest one with
 * an exponent, `d.ddde-n`.
 */
export type MachineMode = 'any' | 'digits' | 'exponent'

interface MachineOptions {
  readonly mode: MachineMode
  /** Only multiples of this positive number. */
  readonly step: Decimal
  readonly digitCap: number
  /** 256 entries, 1 for a byte that may be written. */
  readonly alphabet: Uint8Array
  readonly maxStates: number
}

/** Before the sign. */
const SIGN = 0
/** Before the first digit. */
const START = 1
/** A lone leading `0`. */
const ZERO = 2
const INTEGER = 3
/** The point was read, no digit after it. Only in `any`. */
const POINT = 4
const FRACTION = 5
/** The `e` was read. */
const EXPONENT = 6
const SIGNED = 7
/** Only zeros of an exponent were read; `count` of them. */
const EXPONENT_ZEROS = 8
/** An exponent that has a non-zero digit. */
const EXPONENT_DIGITS = 9

const UNKNOWN = 0
const ALIVE = 1
const DEAD = 2

const POSITIVE = 0
const NEGATIVE = 1

const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const DIGIT_0 = 0x30
const SMALL_E = 0x65
const LARGE_E = 0x45

/** The order of the liveness search: what ends a text soonest comes first, zeros (which decide least) after other digits. */
const SEARCH_ORDER = [...'eE123456789', ...'0.-+'].map((character) => character.charCodeAt(0))
/** With these bytes every value that the caps allow can be spelled. */
const NEEDED = [...'-.0123456789e'].map((character) => character.charCodeAt(0))

export class NumberMachine {
  /** The state before the first byte; 0 when no text qualifies. */
  readonly start: number
  readonly #sets: readonly [positive: MagnitudeSet, negative: MagnitudeSet]
  readonly #step: Step
  readonly #mode: MachineMode
  readonly #digitCap: number
  readonly #alphabet: Uint8Array
  readonly #isComplete: boolean
  readonly #maxStates: number
  /** State 0 is dead. */
  readonly #states = new StateTable()
  readonly #life: number[] = []

  constructor(sets: readonly [positive: MagnitudeSet, negative: MagnitudeSet], options: MachineOptions) {
    this.#sets = sets
    this.#step = new Step(options.step)
    this.#mode = options.mode
    this.#digitCap = options.digitCap
    this.#alphabet = options.alphabet
    this.#isComplete = NEEDED.every((byte) => options.alphabet[byte] === 1)
    this.#maxStates = options.maxStates
    this.#intern(new State())
    this.#life[0] = DEAD
    const start = new State()
    start.phase = SIGN
    start.room = this.#digitCap
    this.start = this.#live(this.#intern(start))
  }

  /** The number of states, live or dead, that were built. */
  get size(): number {
    return this.#states.size
  }

  accepting(state: number): boolean {
    return this.#states.get(state).accepting
  }

  /** The next state; 0 when no text continues so. */
  transition(state: number, byte: number): number {
    return state === 0 ? 0 : this.#live(this.#successor(this.#states.get(state), byte))
  }

  #live(id: number): number {
    return this.#isAlive(id) ? id : 0
  }

  /** A lower bound on the number of bytes to the nearest accepting state, 0 in such a state. */
  distance(id: number): number {
    const state = this.#states.get(id)
    if (state.accepting) return 0
    if (!isDecided(state)) return 1
    const { phase, room, window } = state
    const top = topOf(state)
    let withExponent = Number.POSITIVE_INFINITY
    if (this.#mode !== 'digits') {
      withExponent = 2
      while (withExponent < room + 2 && !this.#canFinish(state, withExponent - 2, top)) withExponent++
    }
    let without = Number.POSITIVE_INFINITY
    if (this.#mode !== 'exponent' && (phase === INTEGER ? top >= 0 : contains(window, 0))) {
      // Integer digits alone have to bring the value into the window.
      without = phase === INTEGER ? Math.max(0, window[0]!) : 0
      while (without < room) {
        if (this.#canFinish(state, without, phase === INTEGER ? Math.min(top, without) : 0)) break
        without++
      }
    }
    return Math.max(1, Math.min(withExponent, without))
  }

  /** Recursion is as deep as the longest text: the digit cap and an exponent. */
  #isAlive(id: number): boolean {
    if (this.#life[id] === UNKNOWN) {
      this.#life[id] = this.#reachesEnd(this.#states.get(id)) ? ALIVE : DEAD
    }
    return this.#life[id] === ALIVE
  }

  #reachesEnd(state: State): boolean {
    if (state.accepting) return true
    if (this.#isComplete && state.phase >= EXPONENT) return true
    if (this.#isComplete && isDecided(state)) return this.#canFinish(state, state.room, topOf(state))
    return SEARCH_ORDER.some((byte) => this.#isAlive(this.#successor(state, byte)))
  }

  /**
   * Whether some continuation of decided digits, with at most `room` more of them and an exponent of at most `top`, is a
   * multiple of the step. What a smaller exponent can make a multiple, a larger one can make too (ten times as much), and
   * what fewer digits can, more can as well: so `top` is the largest exponent of the window.
   */
  #canFinish({ phase, fraction, least, remainder, mayEnd }: State, room: number, top: number): boolean {
    const step = this.#step
    /** Places below the last digit that are not below the step's exponent, at the largest exponent. */
    const places = top - fraction - step.exponent
    const count = Math.min(places, room)
    if (count > 0) return step.canReach(remainder, count, places - count, !mayEnd)
    return mayEnd && least <= top && remainder % step.core === 0 && (phase !== POINT || room > 0)
  }

  #successor(state: State, byte: number): number {
    if (this.#alphabet[byte] !== 1) return 0
    const { phase } = state
    const digit = byte - DIGIT_0
    if (digit >= 0 && digit <= 9) {
      if (phase === SIGN) return this.#firstDigit(this.#unsigned(POSITIVE), digit)
      if (phase === START) return this.#firstDigit(state, digit)
      return phase >= EXPONENT ? this.#exponentDigit(state, digit) : this.#digit(state, digit)
    }
    if (byte === DOT) return this.#dot(state)
    if (byte === SMALL_E || byte === LARGE_E) return this.#beginExponent(state, byte)
    if (byte === MINUS) {
      if (phase === SIGN) return this.#intern(this.#unsigned(NEGATIVE))
      return phase === EXPONENT ? this.#signed(negate(state.window)) : 0
    }
    return byte === PLUS && phase === EXPONENT && this.#mode === 'any' ? this.#signed(state.window) : 0
  }

  #unsigned(set: number): State {
    const next = new State()
    next.phase = START
    next.set = set
    next.high = this.#sets[set]!.significands.length
    next.room = this.#digitCap
    next.least = FINEST
    return next
  }

  #firstDigit(state: State, digit: number): number {
    if (digit > 0) return this.#digit(state, digit)
    if (this.#mode === 'exponent') return 0
    const next = state.copy()
    next.phase = ZERO
    next.room--
    next.accepting = this.#setOf(state).zero
    return this.#intern(next)
  }

  #digit(state: State, digit: number): number {
    const { phase, room } = state
    if (phase === ZERO || room === 0 || (phase === INTEGER && this.#mode === 'exponent')) return 0
    const step = this.#step
    const next = state.copy()
    next.phase = phase <= INTEGER ? INTEGER : FRACTION
    next.room = room - 1
    if (next.phase === FRACTION) next.fraction++
    next.mayEnd = next.phase === INTEGER || digit > 0
    next.remainder = step.append(state.remainder, digit)
    if (digit > 0) next.least = next.fraction + step.exponent + step.need(next.remainder)
    else if (next.phase === INTEGER) next.least--
    next.remainder = step.reduce(next.remainder)
    if (state.set < 0) return this.#decided(next, state.window, phase === INTEGER ? -1 : 0)
    return state.count === 0 && digit === 0 ? this.#onlyZeros(next) : this.#undecided(next, digit)
  }

  #dot(state: State): number {
    const { phase } = state
    if (phase !== ZERO && phase !== INTEGER) return 0
    const next = state.copy()
    // A shortest spelling goes on alike after the point and after a zero behind it.
    next.phase = this.#mode === 'any' ? POINT : FRACTION
    next.mayEnd = false
    next.accepting = false
    if (this.#mode === 'digits') next.room = Math.min(next.room, -this.#step.exponent)
    if (next.room <= 0) return 0
    if (state.set < 0) return this.#decided(next, state.window, 0)
    return state.count === 0 ? this.#onlyZeros(next) : this.#settle(next)
  }

  /** A fraction of zeros so far, or none. */
  #onlyZeros(next: State): number {
    const { phase, room, fraction } = next
    const set = this.#setOf(next)
    const isZero = this.#mode === 'any' && set.zero
    // The first other digit stands at the point `-fraction` or, after more zeros, below; an exponent moves it.
    const reach = this.#mode === 'digits' ? 0 : MAX_EXPONENT
    const first = 1 - fraction - room - reach
    const last = reach - fraction
    if ((isZero || this.#mode === 'digits') && set.covers(first, last)) {
      return this.#decided(next, [this.#first(), this.#last(phase, room)], 0)
    }
    const least = Math.max(first, this.#step.exponent + 1)
    if (!isZero && !set.mayContinue(0, set.significands.length, false, false, least, last)) return 0
    next.point = -fraction
    next.accepting = isZero && phase === FRACTION
    return this.#intern(next)
  }

  /** After another digit, the first non-zero one or a later one, of digits that agreed with ends in `[low, high)`. */
  #undecided(next: State, digit: number): number {
    const set = this.#setOf(next)
    const { count } = next
    next.low = set.narrowLow(next.low, next.high, count, digit)
    next.high = set.narrowHigh(next.low, next.high, count, digit)
    if (next.phase === INTEGER) next.point = count + 1
    else if (count === 0) next.point = 1 - next.fraction
    next.count = count + 1
    return this.#settle(next)
  }

  /** Drops ends that are out of reach, and interns what is left: decided or not. */
  #settle(next: State): number {
    const { phase, room, point, count } = next
    const set = this.#setOf(next)
    const last = point + this.#last(phase, room)
    const first = point + Math.max(this.#first(), this.#leastLater(next))
    while (next.low < next.high && !set.matters(next.low, first, last)) next.low++
    while (next.low < next.high && !set.matters(next.high - 1, first, last)) next.high--
    const { low, high } = next
    const equal = low < high && set.significands[low]!.length <= count
    // Further digits other than 0 need this exponent: where it is beyond all ends, they have been decided as well.
    const changing = room === 0 ? Number.POSITIVE_INFINITY : point + next.fraction + 1 + this.#step.exponent
    let open = low
    while (open < high && !set.matters(open, Math.max(first, changing), last)) open++
    if (open === high) return this.#decided(next, set.points(low, equal), -point)
    // A shortest spelling that may not end here goes on to a non-zero digit.
    const beyond = this.#mode !== 'any' && !next.mayEnd
    if (!set.mayContinue(low, high, equal, beyond, first, last)) return 0
    next.window = moveAndClip(set.points(low, equal), -point, first - point, last - point)
    next.accepting = this.#accepts(next)
    return this.#intern(next)
  }

  /** A state with the window `ranges`, moved by `offset`. What cannot make a difference is left out, so that equal futures are one state. */
  #decided(next: State, ranges: Ranges, offset: number): number {
    const { depth, core, exponent } = this.#step
    const last = this.#last(next.phase, next.room)
    const window = moveAndClip(ranges, offset, Math.max(this.#first(), this.#leastLater(next)), last)
    if (window.length === 0) return 0
    const lowest = window[0]!
    const top = window[window.length - 1]!
    next.set = -1
    next.low = 0
    next.high = 0
    next.count = 0
    next.point = 0
    next.window = window
    next.mayEnd ||= this.#mode === 'any'
    next.least = Math.max(next.least, lowest)
    // Digits that the window or the step's exponent refuse need no room.
    if (this.#mode === 'digits' && next.phase === INTEGER) {
      next.room = Math.min(next.room, top + Math.max(0, -exponent))
    }
    // Once no digit but 0 may follow, it is one how far down.
    const zerosOnly = top <= next.fraction + exponent
    if (zerosOnly && next.phase !== INTEGER) next.fraction = Math.max(0, top - exponent)
    // Nor does it matter where nothing that may follow needs a larger exponent than the window begins with.
    const needsNoMore = next.room === 0 || next.fraction + next.room + exponent + depth <= lowest
    if (needsNoMore) next.fraction = 0
    if (zerosOnly || needsNoMore) next.remainder %= core
    next.accepting = this.#accepts(next)
    return this.#intern(next)
  }

  /** No exponent below makes a multiple of the step, whatever digits follow. */
  #leastLater({ room, fraction, least }: State): number {
    return room === 0 ? least : Math.min(least, fraction + 1 + this.#step.exponent)
  }

  #accepts({ phase, mayEnd, window, least, remainder }: State): boolean {
    if (phase === POINT || this.#mode === 'exponent') return false
    return (
      (mayEnd || this.#mode === 'any') &&
      least <= 0 &&
      contains(window, 0) &&
      remainder % this.#step.core === 0
    )
  }

  #beginExponent(state: State, byte: number): number {
    const { phase } = state
    if (this.#mode === 'digits' || (phase !== ZERO && phase !== INTEGER && phase !== FRACTION)) return 0
    if (this.#mode === 'exponent' && (byte === LARGE_E || !state.mayEnd)) return 0
    if (state.remainder % this.#step.core !== 0) return 0
    const next = new State()
    next.phase = EXPONENT
    if (state.set >= 0 && state.count === 0) {
      next.window = state.accepting ? [-MAX_EXPONENT, MAX_EXPONENT] : NONE
    } else {
      next.window = moveAndClip(state.window, 0, Math.max(state.least, -MAX_EXPONENT), MAX_EXPONENT)
    }
    if (this.#mode === 'exponent') {
      // No exponent of zero: that would be plain digits.
      const below = moveAndClip(next.window, 0, -MAX_EXPONENT, -1)
      next.window = [...below, ...moveAndClip(next.window, 0, 1, MAX_EXPONENT)]
    }
    return next.window.length === 0 ? 0 : this.#intern(next)
  }

  #signed(window: Ranges): number {
    const next = new State()
    next.phase = SIGNED
    next.window = moveAndClip(window, 0, 0, MAX_EXPONENT)
    return next.window.length === 0 ? 0 : this.#intern(next)
  }

  #exponentDigit(state: State, digit: number): number {
    const { phase, window } = state
    if (phase === EXPONENT_DIGITS) {
      const following = moveAndClip(state.pairs, -10 * digit, 0, 9)
      return this.#exponentDigits(contains(window, digit), following, NONE)
    }
    const left = MAX_EXPONENT_DIGITS - state.count - 1
    if (left < 0) return 0
    if (digit === 0) {
      const next = new State()
      next.phase = EXPONENT_ZEROS
      next.count = state.count + 1
      next.window = moveAndClip(window, 0, 0, Math.min(MAX_EXPONENT, 10 ** left - 1))
      next.accepting = contains(next.window, 0)
      return this.#mode === 'exponent' || next.window.length === 0 ? 0 : this.#intern(next)
    }
    const following = left >= 1 ? moveAndClip(window, -10 * digit, 0, 9) : NONE
    const pairs = left >= 2 ? moveAndClip(window, -100 * digit, 0, 99) : NONE
    return this.#exponentDigits(contains(window, digit), following, pairs)
  }

  /** An exponent whose value qualifies or not, with the digits and the pairs of digits that may follow. */
  #exponentDigits(accepting: boolean, following: Ranges, pairs: Ranges): number {
    if (!accepting && following.length === 0 && pairs.length === 0) return 0
    const next = new State()
    next.phase = EXPONENT_DIGITS
    next.window = following
    next.pairs = pairs
    next.accepting = accepting
    return this.#intern(next)
  }

  #setOf(state: State): MagnitudeSet {
    return this.#sets[state.set]!
  }

  /** The least exponent that can be reached; writing more digits of an integer counts as one each. */
  #first(): number {
    return this.#mode === 'digits' ? 0 : -MAX_EXPONENT
  }

  #last(phase: number, room: number): number {
    const growth = phase === INTEGER && this.#mode !== 'exponent' ? room : 0
    return this.#mode === 'digits' ? growth : MAX_EXPONENT + growth
  }

  #intern(state: State): number {
    const id = this.#states.intern(state)
    if (id === this.#life.length) {
      if (id > this.#maxStates) {
        throw new LimitError(
          'states of a number automaton',
          this.#maxStates,
          id,
          'use shorter bounds or a multipleOf with fewer digits',
        )
      }
      this.#life.push(UNKNOWN)
    }
    return id
  }
}

/** Whether the digits so far and the exponent alone tell whether the value is in the set. */
function isDecided({ phase, set }: State): boolean {
  return phase >= INTEGER && phase < EXPONENT && set < 0
}

/** The largest exponent of the window. */
function topOf({ window }: State): number {
  return window[window.length - 1]!
}
