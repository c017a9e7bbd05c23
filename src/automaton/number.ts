/**
 * Number terminals: a lazily built DFA over bytes whose language is the JSON number texts with a value in given
 * intervals, and a multiple of a given number, decided exactly (no floating point).
 *
 * - `any` is every spelling of RFC 8259; `plain` has one spelling for each value: the shortest digits, no `-0`, no
 *   trailing zero of a fraction, no `1.0` for `1`. An interval none of whose values fits into the digit cap that way (`const: 1e300`)
 *   is spelled `d.ddde-n` instead.
 * - Caps, part of the language so that no number runs for ever: {@link digitCap} digits before the exponent, exponents of
 *   at most 400 in magnitude and four digits.
 * - State 0 is dead and every other state can reach acceptance with the bytes of the alphabet.
 *
 * A new transition costs 0.1 to 0.2 microseconds (the caller keeps rows); an unbounded number has some 200 states in all. A step
 * multiplies the states by its remainders: by its part that is coprime to ten, at least, as far as texts reach them.
 */
import { LimitError } from '../errors.ts'
import type { Decimal, Interval } from '../json/decimal.ts'
import { type MachineMode, NumberMachine } from './number-machine.ts'
import { MagnitudeSet } from './number-magnitude.ts'
import { stepOf } from './number-step.ts'

export { MAX_EXPONENT, MAX_EXPONENT_DIGITS } from './number-machine.ts'

export interface NumberSpec {
  readonly integer: boolean
  readonly intervals: readonly Interval[]
  readonly notation: 'plain' | 'any'
  /** Only multiples of this positive number. */
  readonly multipleOf?: Decimal
}

export interface NumberLimits {
  /** Most states, live or dead, that one number may build; 200,000 by default. */
  readonly maxStates?: number
  /** Most significant digits of one bound; 1,000 by default. */
  readonly maxDigits?: number
}

/** Most digits of a number text before its exponent: 64, or 20 more than the longest constant has significant ones. */
export function digitCap(intervals: readonly Interval[]): number {
  return Math.max(64, longestConstant(intervals) + 20)
}

function longestConstant(intervals: readonly Interval[]): number {
  let longest = 0
  for (const { min, max } of intervals) {
    for (const end of [min, max]) {
      if (end === null) continue
      longest = Math.max(longest, end.mantissa.toString().replace('-', '').length)
    }
  }
  return longest
}

/** Whether an end that belongs to the interval fits into the cap as digits: then no search has to tell. */
function hasShortEnd(interval: Interval, step: Decimal, cap: number): boolean {
  const fits = (end: Decimal | null, exclusive: boolean): boolean => {
    if (end === null || exclusive || step.mantissa !== 1n || end.exponent < step.exponent) return false
    const digits = end.mantissa.toString().replace('-', '').length
    return end.exponent >= 0
      ? digits + end.exponent <= cap
      : Math.max(1, digits + end.exponent) - end.exponent <= cap
  }
  return fits(interval.min, interval.minExclusive) || fits(interval.max, interval.maxExclusive)
}

/** A lazily built DFA over bytes whose language is the JSON number texts with a value in the intervals. */
export class NumberDfa {
  /** The state before the first byte; 0 when no text qualifies. */
  readonly start: number
  readonly #main: NumberMachine
  /** Spells what the main machine cannot spell within its cap. Only in `plain`, and only where it is needed. */
  readonly #scientific: NumberMachine | null
  /** Beside a scientific machine, per state: its state in either one. State 0 is dead. Else states are the main machine's. */
  readonly #mainStates: number[] = [0]
  readonly #scientificStates: number[] = [0]
  readonly #ids = new Map<number, number>()

  /**
   * `alphabet` has 256 entries, 1 for a byte that may be written. Throws `LimitError` for bounds of over 1,000 digits and for a
   * `multipleOf` of over 14; further on, a method throws it when the states become too many.
   */
  constructor(spec: NumberSpec, alphabet: Uint8Array, limits: NumberLimits = {}) {
    const { intervals, notation } = spec
    const maxDigits = limits.maxDigits ?? 1000
    const longest = longestConstant(intervals)
    if (longest > maxDigits) {
      throw new LimitError('digits of a number bound', maxDigits, longest, 'round the bound')
    }
    const step = stepOf(spec)
    const cap = digitCap(intervals)
    const maxStates = limits.maxStates ?? 200_000
    const build = (mode: MachineMode, members: readonly Interval[]): NumberMachine => {
      const positive = new MagnitudeSet(members, { negative: false, withoutZero: false, step, digitCap: cap })
      // Only `any` spells zero as `-0`.
      const withoutZero = mode !== 'any'
      const negative = new MagnitudeSet(members, { negative: true, withoutZero, step, digitCap: cap })
      return new NumberMachine([positive, negative], { mode, step, digitCap: cap, alphabet, maxStates })
    }
    if (notation === 'any') {
      this.#main = build('any', intervals)
      this.#scientific = null
      this.start = this.#main.start
      return
    }
    this.#main = build('digits', intervals)
    const main = this.#main
    const isLong = (interval: Interval): boolean => {
      if (hasShortEnd(interval, step, cap)) return false
      return (intervals.length === 1 ? main : build('digits', [interval])).start === 0
    }
    const long = intervals.filter(isLong)
    this.#scientific = long.length === 0 ? null : build('exponent', long)
    this.start = this.#pair(this.#main.start, this.#scientific?.start ?? 0)
  }

  /** The next state, 0 when no text of the language continues so. */
  transition(state: number, byte: number): number {
    const scientific = this.#scientific
    if (scientific === null) return this.#main.transition(state, byte)
    return this.#pair(
      this.#main.transition(this.#mainStates[state]!, byte),
      scientific.transition(this.#scientificStates[state]!, byte),
    )
  }

  accepting(state: number): boolean {
    const scientific = this.#scientific
    if (scientific === null) return this.#main.accepting(state)
    return (
      this.#main.accepting(this.#mainStates[state]!) || scientific.accepting(this.#scientificStates[state]!)
    )
  }

  /** A lower bound on the number of bytes to the nearest accepting state, 0 in such a state. */
  distance(state: number): number {
    const scientific = this.#scientific
    if (scientific === null) return this.#main.distance(state)
    const main = this.#mainStates[state]!
    const other = this.#scientificStates[state]!
    if (main === 0) return scientific.distance(other)
    return other === 0
      ? this.#main.distance(main)
      : Math.min(this.#main.distance(main), scientific.distance(other))
  }

  #pair(main: number, scientific: number): number {
    if (this.#scientific === null || (main === 0 && scientific === 0)) return main
    const key = main * 2 ** 24 + scientific
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#mainStates.length
      this.#mainStates.push(main)
      this.#scientificStates.push(scientific)
      this.#ids.set(key, id)
    }
    return id
  }
}
