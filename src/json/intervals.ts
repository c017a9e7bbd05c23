/**
 * Lists of intervals of numbers, sorted and disjoint: union, intersection, complement. Linear in the lists, but for the
 * sorting of a union.
 */
import { compareDecimals, type Decimal, type Interval, intersectIntervals } from './decimal.ts'

export function point(value: Decimal): Interval {
  return { min: value, minExclusive: false, max: value, maxExclusive: false }
}

/** The one value of the interval, `null` if it has more. */
export function pointOf({ min, max }: Interval): Decimal | null {
  return min !== null && max !== null && compareDecimals(min, max) === 0 ? min : null
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

/** What lies in both lists. */
export function meetIntervals(a: readonly Interval[], b: readonly Interval[]): readonly Interval[] {
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
export function complementIntervals(intervals: readonly Interval[]): Interval[] {
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

function isEverywhere(intervals: readonly Interval[]): boolean {
  const first = intervals[0]
  return first !== undefined && first.min === null && first.max === null
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
