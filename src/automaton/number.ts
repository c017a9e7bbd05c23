/**
 * Number terminals: a lazily built DFA over bytes whose language is the JSON number texts with a value in given
 * intervals, decided exactly (no floating point).
 *
 * - `any` is every spelling of RFC 8259; `plain` has one spelling for each value: the shortest digits, no `-0`, no
 *   trailing zero of a fraction, no `1.0` for `1`. An interval none of whose values fits into the digit cap that way (`const: 1e300`)
 *   is spelled `d.ddde-n` instead.
 * - Caps, part of the language so that no number runs for ever: {@link digitCap} digits before the exponent, exponents of
 *   at most 400 in magnitude and four digits.
 * - State 0 is dead and every other state can reach acceptance with the bytes of the alphabet.
 *
 * A transition costs one to four microseconds (the caller keeps rows); an unbounded number has some 200 states in all.
 */
import { LimitError } from '../errors.ts'
import type { Decimal, Interval } from '../json/decimal.ts'
import { type MachineMode, NumberMachine } from './number-machine.ts'
import { MagnitudeSet } from './number-magnitude.ts'

export { MAX_EXPONENT, MAX_EXPONENT_DIGITS } from './number-machine.ts'

export interface NumberSpec {
  readonly integer: boolean
  readonly intervals: readonly Interval[]
  readonly notation: 'plain' | 'any'
}

export interface NumberLimits {
  /** Most states, live or dead, that one number may build; 200,000 by default. */
  readonly maxStates?: number
  /** Most significant digits of one bound; 1,000 by default. */
  readonly maxDigits?: number
}

const MINUS = 0x2d
const POSITIVE = 0
const NEGATIVE = 1

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
function hasShortEnd(interval: Interval, integer: boolean, cap: number): boolean {
  const fits = (end: Decimal | null, exclusive: boolean): boolean => {
    if (end === null || exclusive || (integer && end.exponent < 0)) return false
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
  readonly #minus: boolean
  /** Per state: its state in the main machine and in the scientific one. States 0 and 1 are dead and the start. */
  readonly #mainStates: number[] = [0, 0]
  readonly #scientificStates: number[] = [0, 0]
  readonly #ids = new Map<number, number>()

  /** `alphabet` has 256 entries, 1 for a byte that may be written. Throws `LimitError` for bounds of over 1,000 digits. */
  constructor(spec: NumberSpec, alphabet: Uint8Array, limits: NumberLimits = {}) {
    const { integer, intervals, notation } = spec
    const maxDigits = limits.maxDigits ?? 1000
    const longest = longestConstant(intervals)
    if (longest > maxDigits) {
      throw new LimitError('digits of a number bound', maxDigits, longest, 'round the bound')
    }
    const cap = digitCap(intervals)
    const build = (mode: MachineMode, members: readonly Interval[]): NumberMachine => {
      const sets = [false, true].map((negative) => {
        // Only `any` spells zero as `-0`.
        const withoutZero = negative && mode !== 'any'
        return new MagnitudeSet(members, { negative, withoutZero, integer, digitCap: cap })
      })
      return new NumberMachine(sets, {
        mode,
        integer,
        digitCap: cap,
        alphabet,
        maxStates: limits.maxStates ?? 200_000,
      })
    }
    this.#minus = alphabet[MINUS] === 1
    if (notation === 'any') {
      this.#main = build('any', intervals)
      this.#scientific = null
    } else {
      const long = intervals.filter((interval) => {
        if (hasShortEnd(interval, integer, cap)) return false
        const alone = build('digits', [interval])
        return alone.start(POSITIVE) === 0 && alone.start(NEGATIVE) === 0
      })
      this.#main = build('digits', intervals)
      this.#scientific = long.length === 0 ? null : build('exponent', long)
    }
    const begins = this.#signed(POSITIVE) !== 0 || (this.#minus && this.#signed(NEGATIVE) !== 0)
    this.start = begins ? 1 : 0
  }

  /** The number of live states met so far, the dead one included. */
  get stateCount(): number {
    return this.#mainStates.length
  }

  /** The next state, 0 when no text of the language continues so. */
  transition(state: number, byte: number): number {
    if (state === 1) {
      if (byte === MINUS) return this.#minus ? this.#signed(NEGATIVE) : 0
      return this.transition(this.#signed(POSITIVE), byte)
    }
    const main = this.#mainStates[state]!
    const scientific = this.#scientificStates[state]!
    return this.#pair(
      main === 0 ? 0 : this.#main.transition(main, byte),
      scientific === 0 ? 0 : this.#scientific!.transition(scientific, byte),
    )
  }

  accepting(state: number): boolean {
    const main = this.#mainStates[state]!
    const scientific = this.#scientificStates[state]!
    return this.#main.accepting(main) || (scientific !== 0 && this.#scientific!.accepting(scientific))
  }

  /** The state after the sign, before the first digit. */
  #signed(sign: number): number {
    return this.#pair(this.#main.start(sign), this.#scientific === null ? 0 : this.#scientific.start(sign))
  }

  #pair(main: number, scientific: number): number {
    if (main === 0 && scientific === 0) return 0
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
