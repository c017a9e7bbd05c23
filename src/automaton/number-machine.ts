/**
 * The states of number texts after the sign: a lazily built, interned automaton over bytes with exact liveness.
 *
 * A state knows what its future depends on and no more:
 * - while the digits agree with some end of an interval that still matters: the range of those ends, the number of
 *   digits, and the place of the point;
 * - once the digits are decided: the *window*, the exponents that would put the value into the set if it ended here.
 *   One more integer digit moves it down by one; for integers it begins at the place of the last non-zero digit, since
 *   a smaller exponent would leave a fraction;
 * - inside an exponent: which continuations land in the window.
 *
 * Every text is finite (digits and exponents are capped), so the automaton has no cycles and liveness is a memoised
 * search; a window that runs empty cuts it at once. States are shared by both signs where their futures are equal.
 * Unbounded numbers have one state for each count of digits; an end adds one for each of its digits.
 */
import { LimitError } from '../errors.ts'
import type { MagnitudeSet } from './number-magnitude.ts'
import { contains, moveAndClip, NONE, negate, type Ranges } from './number-ranges.ts'

/** Largest magnitude of a written exponent. */
export const MAX_EXPONENT = 400
/** Most digits of a written exponent, leading zeros included. */
export const MAX_EXPONENT_DIGITS = 4

/**
 * `any`: every spelling of RFC 8259. `digits`: the shortest spelling without an exponent. `exponent`: the shortest one with
 * an exponent, `d.ddde-n`.
 */
export type MachineMode = 'any' | 'digits' | 'exponent'

const START = 0
/** A lone leading `0`. */
const ZERO = 1
const INTEGER = 2
/** The point was read, no digit after it. */
const POINT = 3
const FRACTION = 4
/** The `e` was read. */
const EXPONENT = 5
const SIGNED = 6
/** Only zeros of an exponent were read; `count` of them. */
const EXPONENT_ZEROS = 7
/** An exponent that has a non-zero digit. */
const EXPONENT_DIGITS = 8

const UNKNOWN = 0
const ALIVE = 1
const DEAD = 2

const MINUS = 0x2d
const PLUS = 0x2b
const DOT = 0x2e
const DIGIT_0 = 0x30
const SMALL_E = 0x65
const LARGE_E = 0x45

/** The order of the liveness search: what ends a text soonest comes first, zeros (which decide least) after other digits. */
const SEARCH_ORDER = [...'eE123456789', ...'0.-+'].map((character) => character.charCodeAt(0))

interface State {
  readonly phase: number
  /** The magnitude set that still matters, -1 when decided. */
  readonly set: number
  /** Ends that agree with the digits so far, as a range of significands. */
  readonly low: number
  readonly high: number
  /** Digits from the first non-zero one on; in an exponent, its leading zeros. */
  readonly count: number
  /** The value is `0.digits * 10 ** point`. Only while undecided. */
  readonly point: number
  /** Digits that the cap still allows. */
  readonly room: number
  /** Digits after the point. */
  readonly fraction: number
  /** The place of the last non-zero digit: 0 for units, 1 for tenths, -1 for tens. Only for integers. */
  readonly lowest: number
  /** Whether the shortest spelling may end here: no trailing zero. */
  readonly mayEnd: boolean
  /** Decided mantissa: exponents within reach that land in the set. In an exponent: the values it may have. */
  readonly window: Ranges
  /** In an exponent: two more digits that land in its values. */
  readonly pairs: Ranges
  readonly accepting: boolean
}

const BLANK = {
  set: -1,
  low: 0,
  high: 0,
  count: 0,
  point: 0,
  room: 0,
  fraction: 0,
  lowest: 0,
  mayEnd: false,
  window: NONE,
  pairs: NONE,
  accepting: false,
}

export class NumberMachine {
  readonly #sets: readonly MagnitudeSet[]
  readonly #mode: MachineMode
  readonly #integer: boolean
  readonly #digitCap: number
  readonly #alphabet: Uint8Array
  readonly #maxStates: number
  /** State 0 is dead. */
  readonly #states: State[] = [{ ...BLANK, phase: START }]
  readonly #life: number[] = [DEAD]
  /** The successor of a decided state on the digits 1 to 9, -1 while unknown. */
  readonly #afterNonZero: number[] = [0]
  readonly #ids = new Map<string, number>()

  constructor(
    sets: readonly MagnitudeSet[],
    options: {
      mode: MachineMode
      integer: boolean
      digitCap: number
      alphabet: Uint8Array
      maxStates: number
    },
  ) {
    this.#sets = sets
    this.#mode = options.mode
    this.#integer = options.integer
    this.#digitCap = options.digitCap
    this.#alphabet = options.alphabet
    this.#maxStates = options.maxStates
  }

  /** The state before the first digit of a magnitude in the set; 0 when no text qualifies. */
  start(set: number): number {
    const high = this.#sets[set]!.significands.length
    return this.#live(this.#intern(`start ${set}`, { ...BLANK, phase: START, set, high }))
  }

  accepting(state: number): boolean {
    return this.#states[state]!.accepting
  }

  /** The next state; 0 when no text continues so. */
  transition(state: number, byte: number): number {
    return this.#live(this.#successor(state, byte))
  }

  #live(state: number): number {
    return this.#isAlive(state) ? state : 0
  }

  /** Recursion is as deep as the longest text: the digit cap and an exponent. */
  #isAlive(id: number): boolean {
    if (this.#life[id] === UNKNOWN) {
      const state = this.#states[id]!
      const alive = state.accepting || SEARCH_ORDER.some((byte) => this.#isAlive(this.#successor(id, byte)))
      this.#life[id] = alive ? ALIVE : DEAD
    }
    return this.#life[id] === ALIVE
  }

  #successor(id: number, byte: number): number {
    if (this.#alphabet[byte] !== 1) return 0
    const state = this.#states[id]!
    const digit = byte - DIGIT_0
    if (digit >= 0 && digit <= 9) {
      if (state.phase >= EXPONENT) return this.#exponentDigit(state, digit)
      if (state.phase === START) return this.#firstDigit(state, digit)
      if (state.set >= 0 || digit === 0) return this.#digit(state, digit)
      // Once decided, digits other than 0 are alike.
      if (this.#afterNonZero[id]! < 0) this.#afterNonZero[id] = this.#digit(state, digit)
      return this.#afterNonZero[id]!
    }
    if (byte === DOT) return this.#dot(state)
    if (byte === SMALL_E || byte === LARGE_E) return this.#beginExponent(state, byte)
    if (state.phase !== EXPONENT) return 0
    if (byte === MINUS) return this.#signed(moveAndClip(negate(state.window), 0, 0, MAX_EXPONENT))
    if (byte === PLUS && this.#mode === 'any')
      return this.#signed(moveAndClip(state.window, 0, 0, MAX_EXPONENT))
    return 0
  }

  #firstDigit(state: State, digit: number): number {
    const room = this.#digitCap - 1
    if (digit > 0) return this.#undecided({ ...state, phase: INTEGER, room }, digit)
    if (this.#mode === 'exponent') return 0
    const accepting = this.#setOf(state).zero
    return this.#intern(`zero ${state.set}`, { ...state, phase: ZERO, room, accepting })
  }

  #digit(state: State, digit: number): number {
    const { phase } = state
    if (phase === ZERO || state.room === 0 || (phase === INTEGER && this.#mode === 'exponent')) return 0
    const room = state.room - 1
    const fraction = phase === INTEGER ? 0 : state.fraction + 1
    const next = phase === INTEGER ? INTEGER : FRACTION
    if (state.set >= 0) {
      const advanced = { ...state, phase: next, room, fraction }
      return state.count === 0 && digit === 0 ? this.#onlyZeros(advanced) : this.#undecided(advanced, digit)
    }
    let window = moveAndClip(
      state.window,
      phase === INTEGER ? -1 : 0,
      this.#first(next),
      this.#last(next, room),
    )
    if (this.#integer && digit > 0) window = moveAndClip(window, 0, fraction, Number.POSITIVE_INFINITY)
    return this.#decided(next, room, fraction, next === INTEGER || digit > 0, window)
  }

  #dot(state: State): number {
    const { phase, room } = state
    if ((phase !== ZERO && phase !== INTEGER) || (this.#integer && this.#mode === 'digits')) return 0
    if (state.set < 0) {
      return this.#decided(
        POINT,
        room,
        0,
        false,
        moveAndClip(state.window, 0, this.#first(POINT), this.#last(POINT, room)),
      )
    }
    const advanced = { ...state, phase: POINT, mayEnd: false }
    return state.count === 0 ? this.#onlyZeros(advanced) : this.#settle(advanced)
  }

  /** A fraction of zeros so far, or none. */
  #onlyZeros(state: State): number {
    const { phase, room, fraction } = state
    const set = this.#setOf(state)
    if (set.unbounded && (set.zero || this.#mode === 'digits')) {
      return this.#decided(phase, room, fraction, false, [this.#first(phase), this.#last(phase, room)])
    }
    // The first other digit stands at the point `-fraction` or, after more zeros, below; an exponent moves it.
    if (!(this.#mode === 'any' && set.zero) && !this.#beginsWithin(set, 1 - fraction - room, -fraction))
      return 0
    const accepting = phase === FRACTION && this.#mode === 'any' && set.zero
    return this.#intern(`zeros ${state.set} ${phase} ${fraction}`, {
      ...state,
      point: -fraction,
      mayEnd: false,
      accepting,
    })
  }

  /** Whether a member may begin at a point within `[first, last]`, moved by an exponent. */
  #beginsWithin(set: MagnitudeSet, first: number, last: number): boolean {
    const reach = this.#mode === 'digits' ? 0 : MAX_EXPONENT
    const lowest = this.#integer ? Math.max(first - reach, 1) : first - reach
    const all = set.possiblePoints(0, set.significands.length, false, false)
    return moveAndClip(all, 0, lowest, last + reach).length > 0
  }

  /** Appends a digit, the first non-zero one or a later one, to digits that agree with ends in `[low, high)`. */
  #undecided(state: State, digit: number): number {
    const set = this.#setOf(state)
    const { phase, count, fraction } = state
    const low = set.narrowLow(state.low, state.high, count, digit)
    const high = set.narrowHigh(low, state.high, count, digit)
    let point = state.point
    if (phase === INTEGER) point = count + 1
    else if (count === 0) point = 1 - fraction
    let lowest = 0
    if (this.#integer) lowest = digit > 0 ? fraction : phase === INTEGER ? state.lowest - 1 : state.lowest
    return this.#settle({
      ...state,
      low,
      high,
      count: count + 1,
      point,
      lowest,
      mayEnd: phase === INTEGER || digit > 0,
    })
  }

  /** Drops ends that are out of reach, and interns what is left: decided or not. */
  #settle(state: State): number {
    const { phase, room, point, count, fraction, lowest, mayEnd } = state
    const set = this.#setOf(state)
    const first = this.#integer ? Math.max(this.#first(phase), lowest) : this.#first(phase)
    const last = this.#last(phase, room)
    let { low, high } = state
    while (low < high && !set.matters(low, point + first, point + last)) low++
    while (low < high && !set.matters(high - 1, point + first, point + last)) high--
    if (low === high) {
      return this.#decided(
        phase,
        room,
        fraction,
        mayEnd,
        moveAndClip(set.points(low, false), -point, first, last),
      )
    }
    const equal = set.significands[low]!.length <= count
    // A shortest spelling that may not end here goes on to a non-zero digit.
    const beyond = this.#mode !== 'any' && !mayEnd
    if (moveAndClip(set.possiblePoints(low, high, equal, beyond), -point, first, last).length === 0) return 0
    const key = `agree ${state.set} ${phase} ${low} ${high} ${count} ${point} ${room} ${lowest} ${mayEnd}`
    const window = moveAndClip(set.points(low, equal), -point, first, last)
    return this.#intern(key, { ...state, low, high, window, accepting: this.#accepts(phase, mayEnd, window) })
  }

  #decided(phase: number, room: number, fraction: number, mayEnd: boolean, window: Ranges): number {
    if (window.length === 0) return 0
    // The window of an integer in plain digits already ends at the digits that the cap leaves.
    const left = this.#integer && this.#mode === 'digits' ? Number.POSITIVE_INFINITY : room
    const places = this.#integer ? fraction : 0
    const key = `decided ${phase} ${left} ${places} ${this.#mode === 'any' || mayEnd} ${window.join()}`
    const accepting = this.#accepts(phase, mayEnd, window)
    return this.#intern(key, { ...BLANK, phase, room: left, fraction: places, mayEnd, window, accepting })
  }

  #accepts(phase: number, mayEnd: boolean, window: Ranges): boolean {
    if (phase === POINT || this.#mode === 'exponent') return false
    return (mayEnd || this.#mode === 'any') && contains(window, 0)
  }

  #beginExponent(state: State, byte: number): number {
    const { phase } = state
    if (this.#mode === 'digits' || (phase !== ZERO && phase !== INTEGER && phase !== FRACTION)) return 0
    if (this.#mode === 'exponent' && (byte === LARGE_E || !state.mayEnd)) return 0
    let window = state.window
    if (state.set >= 0 && state.count === 0) window = state.accepting ? [-MAX_EXPONENT, MAX_EXPONENT] : NONE
    window = moveAndClip(window, 0, -MAX_EXPONENT, MAX_EXPONENT)
    return window.length === 0
      ? 0
      : this.#intern(`exponent ${window.join()}`, { ...BLANK, phase: EXPONENT, window })
  }

  #signed(window: Ranges): number {
    return window.length === 0
      ? 0
      : this.#intern(`signed ${window.join()}`, { ...BLANK, phase: SIGNED, window })
  }

  #exponentDigit(state: State, digit: number): number {
    const { phase, count } = state
    if (phase === EXPONENT_DIGITS) {
      const next = moveAndClip(state.pairs, -10 * digit, 0, 9)
      return this.#exponentDigits(contains(state.window, digit), next, NONE)
    }
    if (count === MAX_EXPONENT_DIGITS) return 0
    const window = phase === EXPONENT ? moveAndClip(state.window, 0, 0, MAX_EXPONENT) : state.window
    if (digit === 0) {
      if (this.#mode === 'exponent' || window.length === 0) return 0
      const key = `exponent zeros ${count + 1} ${window.join()}`
      const accepting = contains(window, 0)
      return this.#intern(key, { ...BLANK, phase: EXPONENT_ZEROS, count: count + 1, window, accepting })
    }
    const left = MAX_EXPONENT_DIGITS - count - 1
    const next = left >= 1 ? moveAndClip(window, -10 * digit, 0, 9) : NONE
    const pairs = left >= 2 ? moveAndClip(window, -100 * digit, 0, 99) : NONE
    return this.#exponentDigits(contains(window, digit), next, pairs)
  }

  /** An exponent whose value qualifies or not, with the digits and the pairs of digits that may follow. */
  #exponentDigits(accepting: boolean, next: Ranges, pairs: Ranges): number {
    if (!accepting && next.length === 0 && pairs.length === 0) return 0
    const key = `exponent digits ${accepting} ${next.join()} ${pairs.join()}`
    return this.#intern(key, { ...BLANK, phase: EXPONENT_DIGITS, window: next, pairs, accepting })
  }

  #setOf(state: State): MagnitudeSet {
    return this.#sets[state.set]!
  }

  /** The least exponent that can still be reached in a phase; writing more digits of an integer counts as one each. */
  #first(phase: number): number {
    return this.#mode === 'digits' ? 0 : phase >= INTEGER ? -MAX_EXPONENT : 0
  }

  #last(phase: number, room: number): number {
    const growth = phase === INTEGER && this.#mode !== 'exponent' ? room : 0
    return this.#mode === 'digits' ? growth : MAX_EXPONENT + growth
  }

  #intern(key: string, state: State): number {
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#states.length
      if (id > this.#maxStates) {
        throw new LimitError('states of a number automaton', this.#maxStates, id, 'use shorter bounds')
      }
      this.#states.push(state)
      this.#life.push(UNKNOWN)
      this.#afterNonZero.push(-1)
      this.#ids.set(key, id)
    }
    return id
  }
}
