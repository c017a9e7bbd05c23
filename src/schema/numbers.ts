/**
 * Sets of numbers: unions of intervals, optionally only the multiples of a step (1 for integers). Exact decimal
 * arithmetic on BigInt; nothing is rounded and nothing enumerated but where a caller asks for it.
 */
import { LimitError } from '../errors.ts'
import {
  compareDecimals,
  containsDecimal,
  type Decimal,
  hasInteger,
  type Interval,
  intersectIntervals,
  makeDecimal,
} from '../json/decimal.ts'
import { ANY_NUMBER, EXACT, INTEGER_STEP, joinBlocked, type NumberRecord } from './shape.ts'

/** Steps and bounds whose exponents lie further apart are not brought to a common scale. */
const MAX_SCALE = 10_000

export function point(value: Decimal): Interval {
  return { min: value, minExclusive: false, max: value, maxExclusive: false }
}

/** The one value of the interval, `null` if it has more. */
export function pointOf({ min, max }: Interval): Decimal | null {
  return min !== null && max !== null && compareDecimals(min, max) === 0 ? min : null
}

function isMultiple(value: Decimal, step: Decimal): boolean {
  if (step.exponent === 0 && step.mantissa === 1n) return value.exponent >= 0
  const [a, b] = scaled(value, step)
  return a % b === 0n
}

function hasMultiple(interval: Interval, step: Decimal): boolean {
  if (step.exponent === 0 && step.mantissa === 1n) return hasInteger(interval)
  if (interval.min === null || interval.max === null) return true
  const least = multipleFrom(interval.min, interval.minExclusive, step)
  return containsDecimal(interval, makeDecimal(least * step.mantissa, step.exponent))
}

/** The least step that is a multiple of both. */
function commonStep(a: Decimal, b: Decimal): Decimal {
  const [x, y] = scaled(a, b)
  let [p, q] = [x, y]
  while (q !== 0n) [p, q] = [q, p % q]
  return makeDecimal((x / p) * y, Math.min(a.exponent, b.exponent))
}

/** All multiples of the step in the intervals, ascending; `null` if there are more than `most`. */
function multiplesIn(intervals: readonly Interval[], step: Decimal, most: number): Decimal[] | null {
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

/** Sorted and disjoint, with intervals that touch joined. */
export function uniteIntervals(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort(compareStarts)
  const united: Interval[] = []
  for (const next of sorted) {
    const last = united[united.length - 1]
    if (last === undefined || !meets(last, next)) united.push(next)
    else if (endsBefore(last, next)) {
      united[united.length - 1] = { ...last, max: next.max, maxExclusive: next.maxExclusive }
    }
  }
  return united
}

function meetIntervals(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
  if (isEverywhere(a)) return b
  if (isEverywhere(b)) return a
  const met: Interval[] = []
  // Two sorted lists: advance the one that ends first.
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const left = a[i] as Interval
    const right = b[j] as Interval
    const both = intersectIntervals(left, right)
    if (both !== null) met.push(both)
    if (endsBefore(left, right)) i++
    else j++
  }
  return met
}

/** What lies outside. */
function complementIntervals(intervals: readonly Interval[]): Interval[] {
  const gaps: Interval[] = []
  let min: Decimal | null = null
  let minExclusive = false
  let open = true
  for (const interval of intervals) {
    if (interval.min !== null) {
      const gap = intersectIntervals(
        { min, minExclusive, max: null, maxExclusive: false },
        { min: null, minExclusive: false, max: interval.min, maxExclusive: !interval.minExclusive },
      )
      if (gap !== null) gaps.push(gap)
    }
    min = interval.max
    minExclusive = !interval.maxExclusive
    if (interval.max === null) open = false
  }
  if (open) gaps.push({ min, minExclusive, max: null, maxExclusive: false })
  return gaps
}

/** What both records allow, `null` if nothing. */
export function meetNumbers(a: NumberRecord, b: NumberRecord): NumberRecord | null {
  if (a === ANY_NUMBER) return b
  if (b === ANY_NUMBER || a === b) return a
  const step = a.step === null ? b.step : b.step === null ? a.step : commonStep(a.step, b.step)
  const stepProblem =
    step === null || isUnit(step) ? null : a.step !== null && !isUnit(a.step) ? a.stepProblem : b.stepProblem
  return settleNumbers({
    intervals: meetIntervals(a.intervals, b.intervals),
    step,
    digitsOnly: a.digitsOnly || b.digitsOnly,
    stepProblem,
    blocked: joinBlocked(a.blocked, b.blocked),
  })
}

/** Drops intervals without a value. */
export function settleNumbers(record: NumberRecord): NumberRecord | null {
  const { step } = record
  const intervals =
    step === null ? record.intervals : record.intervals.filter((interval) => hasMultiple(interval, step))
  return intervals.length === 0 ? null : { ...record, intervals }
}

/** The union, with fewer records where they say the same of different intervals. */
export function uniteNumbers(records: readonly NumberRecord[]): readonly NumberRecord[] {
  if (records.length < 2) return records
  const groups = new Map<string, NumberRecord[]>()
  const united: NumberRecord[] = []
  for (const record of records) {
    if (record.blocked.length > 0) {
      united.push(record)
      continue
    }
    const step = record.step
    const key = `${step === null ? '' : `${step.mantissa}e${step.exponent}`}/${record.digitsOnly}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  for (const group of groups.values()) {
    const first = group[0] as NumberRecord
    united.push(
      group.length === 1
        ? first
        : { ...first, intervals: uniteIntervals(group.flatMap((record) => [...record.intervals])) },
    )
  }
  return absorbNumbers(united)
}

/** Leaves out what a plain record says already. */
function absorbNumbers(records: readonly NumberRecord[]): readonly NumberRecord[] {
  const plain = records.find(
    ({ step, digitsOnly, blocked }) => step === null && !digitsOnly && blocked.length === 0,
  )
  if (plain === undefined) return records
  const kept: NumberRecord[] = []
  for (const record of records) {
    if (record === plain) {
      kept.push(record)
      continue
    }
    const rest = settleNumbers({
      ...record,
      intervals: meetIntervals(record.intervals, complementIntervals(plain.intervals)),
    })
    if (rest !== null) kept.push(rest)
  }
  return kept
}

/**
 * What `a` allows and `b` does not. What is not a multiple of a step is a set of intervals only where the multiples are
 * few: beyond `most` of them `null` says that the difference cannot be told.
 */
export function subtractNumbers(
  a: NumberRecord,
  b: NumberRecord,
  most: number,
): readonly NumberRecord[] | null {
  const outside = settleNumbers({
    ...a,
    intervals: meetIntervals(a.intervals, complementIntervals(b.intervals)),
  })
  const result = outside === null ? [] : [outside]
  const inside = settleNumbers({ ...a, intervals: meetIntervals(a.intervals, b.intervals) })
  if (inside === null) return result
  if (b.digitsOnly && !a.digitsOnly) {
    // `1.0` is a value of its own here.
    return null
  }
  if (b.step === null || (a.step !== null && isMultiple(a.step, b.step))) return result
  const { step } = b
  const taken = multiplesIn(inside.intervals, step, most)
  if (taken !== null) {
    const rest = settleNumbers({
      ...inside,
      intervals: meetIntervals(inside.intervals, complementIntervals(taken.map(point))),
    })
    if (rest !== null) result.push(rest)
    return result
  }
  const values = valuesOf(inside, most)
  if (values === null) return null
  const others = values.filter((value) => !isMultiple(value, step))
  if (others.length > 0) result.push({ ...inside, intervals: others.map(point) })
  return result
}

/** The values of the record, `null` if there are more than `most`. */
export function valuesOf(record: NumberRecord, most: number): Decimal[] | null {
  if (record.step !== null) return multiplesIn(record.intervals, record.step, most)
  const values: Decimal[] = []
  for (const interval of record.intervals) {
    const value = pointOf(interval)
    if (value === null || values.length === most) return null
    values.push(value)
  }
  return values
}

/** All integers, or all integers written as digits (draft 4). */
export function integers(digitsOnly: boolean): NumberRecord {
  return { ...ANY_NUMBER, step: INTEGER_STEP, digitsOnly, blocked: EXACT }
}

export function isUnit(step: Decimal): boolean {
  return step.mantissa === 1n && step.exponent === 0
}

function isEverywhere(intervals: readonly Interval[]): boolean {
  const first = intervals[0]
  return first !== undefined && first.min === null && first.max === null
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
    throw new LimitError('digits between a number and a step', MAX_SCALE, apart)
  }
  if (a.mantissa === 0n) return [0n, b.mantissa]
  return [
    a.mantissa * 10n ** BigInt(a.exponent - exponent),
    b.mantissa * 10n ** BigInt(b.exponent - exponent),
  ]
}

function compareStarts(a: Interval, b: Interval): number {
  if (a.min === null || b.min === null) return a.min === b.min ? 0 : a.min === null ? -1 : 1
  return compareDecimals(a.min, b.min) || Number(a.minExclusive) - Number(b.minExclusive)
}

/** Whether `next`, which does not start before, overlaps or touches. */
function meets(last: Interval, next: Interval): boolean {
  if (last.max === null || next.min === null) return true
  const order = compareDecimals(next.min, last.max)
  return order < 0 || (order === 0 && !(last.maxExclusive && next.minExclusive))
}

function endsBefore(a: Interval, b: Interval): boolean {
  if (a.max === null) return false
  if (b.max === null) return true
  const order = compareDecimals(a.max, b.max)
  return order < 0 || (order === 0 && a.maxExclusive && !b.maxExclusive)
}
