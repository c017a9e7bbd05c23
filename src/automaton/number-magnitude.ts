/**
 * Sets of magnitudes (numbers without a sign) and how a growing digit string compares with their ends.
 *
 * A positive magnitude is written `0.d1d2d3… * 10 ** point` with `d1 != 0`: its *significand* is the digit string, its
 * *point* an integer. Two magnitudes compare by point first and by significand, as strings, second. So what a prefix of
 * digits has decided about all ends of all intervals is one range `[low, high)` of the sorted significands: those below it
 * are smaller than every continuation, those from `high` on are larger, those within agree with the prefix so far. Once the
 * range is empty the digits no longer matter, and membership is a set of points, whatever follows.
 *
 * No end is ever expanded to its plain digits beyond the digit cap: `1e308` and `1e999999999` cost the same.
 */
import type { Decimal, Interval } from '../json/decimal.ts'
import { type Ranges, unionOf } from './number-ranges.ts'

interface Magnitude {
  /** Without leading or trailing zeros, not empty. */
  readonly digits: string
  readonly point: number
}

/** Positive magnitudes between two ends; `null` is no end (0, itself left out, and infinity). */
interface MagnitudeInterval {
  readonly min: Magnitude | null
  readonly minExclusive: boolean
  readonly max: Magnitude | null
  readonly maxExclusive: boolean
}

/** An interval with its ends as indices into the sorted significands; -1 is no end. */
interface IndexedInterval {
  readonly min: number
  readonly minPoint: number
  readonly minExclusive: boolean
  readonly max: number
  readonly maxPoint: number
  readonly maxExclusive: boolean
}

export class MagnitudeSet {
  /** Whether zero is in the set. */
  readonly zero: boolean
  /** The distinct significands of all ends, in string order. */
  readonly significands: readonly string[]
  readonly #points: readonly (readonly number[])[]
  readonly #intervals: readonly IndexedInterval[]
  readonly #ranges = new Map<number, Ranges>()

  /**
   * The magnitudes of the positive (or, with `negative`, of the negative) members of the intervals, and zero unless
   * `withoutZero`. The ends move inwards to multiples of the step, so that an interval without one vanishes.
   */
  constructor(
    intervals: readonly Interval[],
    options: { negative: boolean; withoutZero: boolean; step: Decimal; digitCap: number },
  ) {
    let zero = false
    const parts: MagnitudeInterval[] = []
    for (const interval of intervals) {
      const side = options.negative ? mirror(interval) : interval
      if (!options.withoutZero && containsZero(side)) zero = true
      const part = positivePart(side)
      const kept = part === null ? null : toMultiples(part, options.step, options.digitCap)
      if (kept !== null) parts.push(kept)
    }
    const points = new Map<string, number[]>()
    for (const { min, max } of parts) {
      for (const end of [min, max]) {
        if (end === null) continue
        const known = points.get(end.digits)
        if (known === undefined) points.set(end.digits, [end.point])
        else known.push(end.point)
      }
    }
    const significands = [...points.keys()].sort()
    const indexOf = new Map(significands.map((digits, index) => [digits, index]))
    this.zero = zero
    this.significands = significands
    this.#points = significands.map((digits) => points.get(digits)!)
    this.#intervals = parts.map(({ min, minExclusive, max, maxExclusive }) => ({
      min: min === null ? -1 : indexOf.get(min.digits)!,
      minPoint: min === null ? Number.NEGATIVE_INFINITY : min.point,
      minExclusive,
      max: max === null ? -1 : indexOf.get(max.digits)!,
      maxPoint: max === null ? Number.POSITIVE_INFINITY : max.point,
      maxExclusive,
    }))
  }

  /** Whether every magnitude at a point within `[first, last]` is a member, and no end is there. */
  covers(first: number, last: number): boolean {
    for (let i = 0; i < this.significands.length; i++) if (this.matters(i, first, last)) return false
    const ranges = this.points(0, false)
    for (let i = 0; i < ranges.length; i += 2) if (ranges[i]! <= first && ranges[i + 1]! >= last) return true
    return false
  }

  /** `low` after one more digit: the ends in `[low, high)` that a prefix with `digit` at `index` exceeds are passed. */
  narrowLow(low: number, high: number, index: number, digit: number): number {
    while (low < high && this.#digit(low, index) < digit) low++
    return low
  }

  /** `high` after one more digit, the counterpart of {@link narrowLow}. */
  narrowHigh(low: number, high: number, index: number, digit: number): number {
    while (high > low && this.#digit(high - 1, index) > digit) high--
    return high
  }

  /** Whether an end with the significand stands at a point within `[first, last]`. */
  matters(significand: number, first: number, last: number): boolean {
    for (const point of this.#points[significand]!) if (point >= first && point <= last) return true
    return false
  }

  /**
   * The points at which a digit string is a member that exceeds the significands below `low`, equals the one at `low`
   * if `equal`, and is smaller than the others.
   */
  points(low: number, equal: boolean): Ranges {
    const key = 2 * low + (equal ? 1 : 0)
    let ranges = this.#ranges.get(key)
    if (ranges === undefined) {
      const first = equal ? low + 1 : low
      ranges = unionOf(
        this.#intervals.map((interval) => {
          const minHolds = interval.min < low || (interval.min < first && !interval.minExclusive)
          const maxHolds =
            interval.max < 0 || interval.max >= first || (interval.max >= low && !interval.maxExclusive)
          return [
            minHolds ? interval.minPoint : interval.minPoint + 1,
            maxHolds ? interval.maxPoint : interval.maxPoint - 1,
          ]
        }),
      )
      this.#ranges.set(key, ranges)
    }
    return ranges
  }

  /**
   * Whether some continuation of a digit string may be a member at a point within `[first, last]`: it agrees with the
   * significands in `[low, high)`, has all digits of the one at `low` if `equal`, and must go on to exceed that one if
   * `beyond`. Ends are judged in its favour where more digits may decide.
   */
  mayContinue(
    low: number,
    high: number,
    equal: boolean,
    beyond: boolean,
    first: number,
    last: number,
  ): boolean {
    for (const { min, minPoint, max, maxPoint, maxExclusive } of this.#intervals) {
      const maxFails = max >= 0 && (max < low || (max === low && equal && (beyond || maxExclusive)))
      const from = Math.max(first, min < high ? minPoint : minPoint + 1)
      const to = Math.min(last, maxFails ? maxPoint - 1 : maxPoint)
      if (from <= to) return true
    }
    return false
  }

  #digit(significand: number, index: number): number {
    const digits = this.significands[significand]!
    return index < digits.length ? digits.charCodeAt(index) - 48 : 0
  }
}

function mirror(interval: Interval): Interval {
  return {
    min: minus(interval.max),
    minExclusive: interval.maxExclusive,
    max: minus(interval.min),
    maxExclusive: interval.minExclusive,
  }
}

function minus(value: Decimal | null): Decimal | null {
  return value === null ? null : { mantissa: -value.mantissa, exponent: value.exponent }
}

function containsZero({ min, minExclusive, max, maxExclusive }: Interval): boolean {
  const fromBelow = min === null || min.mantissa < 0n || (min.mantissa === 0n && !minExclusive)
  const fromAbove = max === null || max.mantissa > 0n || (max.mantissa === 0n && !maxExclusive)
  return fromBelow && fromAbove
}

function positivePart({ min, minExclusive, max, maxExclusive }: Interval): MagnitudeInterval | null {
  if (max !== null && max.mantissa <= 0n) return null
  return {
    min: min === null || min.mantissa <= 0n ? null : toMagnitude(min),
    minExclusive,
    max: max === null ? null : toMagnitude(max),
    maxExclusive,
  }
}

function toMagnitude({ mantissa, exponent }: Decimal): Magnitude {
  const digits = mantissa.toString()
  return { digits: digits.replace(/0+$/, ''), point: digits.length + exponent }
}

/**
 * The same multiples of the step with inclusive ends that are multiples themselves, or `null` when there is none. An end
 * that has more digits above the step's exponent than the cap stays as it is: it need not be a member, and its neighbours
 * among the multiples could not be told apart within the cap.
 */
function toMultiples(interval: MagnitudeInterval, step: Decimal, digitCap: number): MagnitudeInterval | null {
  let { min, minExclusive, max, maxExclusive } = interval
  if (min !== null && min.point - step.exponent <= digitCap) {
    const [count, exact] = divide(min, step)
    min = multiple(step, exact && !minExclusive ? count : count + 1n)
    minExclusive = false
  }
  if (max !== null && max.point - step.exponent <= digitCap) {
    const [count, exact] = divide(max, step)
    const last = exact && maxExclusive ? count - 1n : count
    if (last === 0n) return null
    max = multiple(step, last)
    maxExclusive = false
  }
  if (min !== null && max !== null && isGreater(min, max)) return null
  return { min, minExclusive, max, maxExclusive }
}

/** How many steps go into the magnitude, and whether nothing is left. */
function divide(
  { digits, point }: Magnitude,
  { mantissa, exponent }: Decimal,
): [count: bigint, exact: boolean] {
  const length = point - exponent
  if (length <= 0) return [0n, false]
  const whole = BigInt(digits.slice(0, length).padEnd(length, '0'))
  return [whole / mantissa, digits.length <= length && whole % mantissa === 0n]
}

function multiple({ mantissa, exponent }: Decimal, count: bigint): Magnitude {
  return toMagnitude({ mantissa: mantissa * count, exponent })
}

function isGreater(a: Magnitude, b: Magnitude): boolean {
  return a.point === b.point ? a.digits > b.digits : a.point > b.point
}
