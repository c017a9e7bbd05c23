/**
 * Multiples of decimal steps, exactly: what a value, an interval or two steps have in common. Nothing is rounded, and
 * nothing enumerated but where a caller asks for it.
 */
import { LimitError } from '../errors.ts'
import { containsDecimal, type Decimal, hasInteger, type Interval, makeDecimal } from '../json/decimal.ts'

/** Steps and bounds whose exponents lie further apart are not brought to a common scale. */
const MAX_SCALE = 10_000
/** Steps taken away at once. */
const MAX_EXCLUDED = 16

export function isMultiple(value: Decimal, step: Decimal): boolean {
  if (step.exponent === 0 && step.mantissa === 1n) return value.exponent >= 0
  const [a, b] = scaled(value, step)
  return a % b === 0n
}

/** Whether a multiple of the step lies in the interval. */
export function hasMultiple(interval: Interval, step: Decimal): boolean {
  if (step.exponent === 0 && step.mantissa === 1n) return hasInteger(interval)
  if (interval.min === null || interval.max === null) return true
  const least = multipleFrom(interval.min, interval.minExclusive, step)
  return containsDecimal(interval, makeDecimal(least * step.mantissa, step.exponent))
}

/** The least step that is a multiple of both. */
export function commonStep(a: Decimal, b: Decimal): Decimal {
  const [x, y] = scaled(a, b)
  let [p, q] = [x, y]
  while (q !== 0n) [p, q] = [q, p % q]
  return makeDecimal((x / p) * y, Math.min(a.exponent, b.exponent))
}

/** All multiples of the step in the intervals, ascending; `null` if there are more than `most`. */
export function multiplesIn(intervals: readonly Interval[], step: Decimal, most: number): Decimal[] | null {
  const found: Decimal[] = []
  for (const interval of intervals) {
    const { min, max } = interval
    if (min === null || max === null) return null
    for (let k = multipleFrom(min, interval.minExclusive, step); ; k++) {
      const value = makeDecimal(k * step.mantissa, step.exponent)
      if (!containsDecimal(interval, value)) break
      if (found.length === most) return null
      found.push(value)
    }
  }
  return found
}

/** Whether a multiple of the step lies in the interval that is a multiple of none of the others, which are multiples of it. */
export function hasOtherMultiple(interval: Interval, step: Decimal, others: readonly Decimal[]): boolean {
  if (!hasMultiple(interval, step)) return false
  if (others.length === 0 || interval.min === null || interval.max === null) return true
  if (others.length > MAX_EXCLUDED)
    throw new LimitError(
      'steps that a number is no multiple of',
      MAX_EXCLUDED,
      others.length,
      'exclude fewer multiples (not, oneOf)',
    )
  // n classes of remainders that do not cover all integers leave one of 2^n neighbours (Crittenden, Vanden Eynden 1969).
  const first = multipleFrom(interval.min, interval.minExclusive, step)
  for (let k = first; k < first + (1n << BigInt(others.length)); k++) {
    const value = makeDecimal(k * step.mantissa, step.exponent)
    if (!containsDecimal(interval, value)) return false
    if (!others.some((other) => isMultiple(value, other))) return true
  }
  return true
}

export function isUnit(step: Decimal): boolean {
  return step.mantissa === 1n && step.exponent === 0
}

/** The least k whose multiple of the step is not below `min`. */
function multipleFrom(min: Decimal, exclusive: boolean, step: Decimal): bigint {
  const [a, b] = scaled(min, step)
  const floor = a >= 0n || a % b === 0n ? a / b : a / b - 1n
  return floor * b === a && !exclusive ? floor : floor + 1n
}

/** Both over the same power of ten. */
function scaled(a: Decimal, b: Decimal): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent)
  const apart = Math.abs(a.exponent - b.exponent)
  if (apart > MAX_SCALE && a.mantissa !== 0n) {
    throw new LimitError(
      'digits between a number and a step',
      MAX_SCALE,
      apart,
      'bring multipleOf nearer to the bounds',
    )
  }
  if (a.mantissa === 0n) return [0n, b.mantissa]
  return [
    a.mantissa * 10n ** BigInt(a.exponent - exponent),
    b.mantissa * 10n ** BigInt(b.exponent - exponent),
  ]
}
