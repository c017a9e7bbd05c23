/**
 * Sets of numbers: unions of intervals, optionally only the multiples of a step (1 for integers), without the multiples of
 * other steps. Exact decimal arithmetic on BigInt; nothing is rounded and nothing enumerated but where a caller asks.
 */
import type { Decimal, Interval } from '../json/decimal.ts'
import { complementIntervals, meetIntervals, point, pointOf, uniteIntervals } from '../json/intervals.ts'
import { ANY_NUMBER, EXACT, INTEGER_STEP, joinBlocked, type NumberRecord } from './shape.ts'
import { commonStep, hasOtherMultiple, isMultiple, multiplesIn } from './steps.ts'

/** What both records allow, `null` if nothing. */
export function meetNumbers(a: NumberRecord, b: NumberRecord): NumberRecord | null {
  if (a === ANY_NUMBER) return b
  if (b === ANY_NUMBER || a === b) return a
  return settleNumbers({
    intervals: meetIntervals(a.intervals, b.intervals),
    step: meetSteps(a.step, b.step),
    excluded: [...a.excluded, ...b.excluded],
    digitsOnly: a.digitsOnly || b.digitsOnly,
    partial: a.partial || b.partial,
    blocked: joinBlocked(a.blocked, b.blocked),
  })
}

function meetSteps(a: Decimal | null, b: Decimal | null): Decimal | null {
  return a === null ? b : b === null ? a : commonStep(a, b)
}

/** Drops intervals without a value, and excluded steps that say nothing new. */
export function settleNumbers(record: NumberRecord): NumberRecord | null {
  const { step } = record
  let excluded: Decimal[] = []
  for (const written of record.excluded) {
    // Among multiples of a step only common multiples are left to exclude.
    const own = step === null ? written : commonStep(step, written)
    if (step !== null && isMultiple(step, own)) return null
    if (excluded.some((other) => isMultiple(own, other))) continue
    excluded = [...excluded.filter((other) => !isMultiple(other, own)), own]
  }
  const hasValue = (interval: Interval): boolean => {
    if (step !== null) return hasOtherMultiple(interval, step, excluded)
    const value = pointOf(interval)
    return value === null || !excluded.some((other) => isMultiple(value, other))
  }
  const intervals =
    step === null && excluded.length === 0 ? record.intervals : record.intervals.filter(hasValue)
  return intervals.length === 0 ? null : { ...record, intervals, excluded }
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
    const { step, excluded } = record
    const steps = [step, ...excluded]
    const key = `${steps.map(showStep).join()}/${record.digitsOnly}/${record.partial}`
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
  const plain = records.find(isPlain)
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

function isPlain({ step, excluded, digitsOnly, blocked }: NumberRecord): boolean {
  return step === null && excluded.length === 0 && !digitsOnly && blocked.length === 0
}

/** What `a` allows and `b` does not, `null` where that cannot be told. */
export function subtractNumbers(a: NumberRecord, b: NumberRecord): readonly NumberRecord[] | null {
  // What is left out of `b` would be left over.
  if (b.partial) return null
  const pieces: NumberRecord[] = []
  const add = (record: NumberRecord): void => {
    const settled = settleNumbers(record)
    if (settled !== null) pieces.push(settled)
  }
  add({ ...a, intervals: meetIntervals(a.intervals, complementIntervals(b.intervals)) })
  const inside = settleNumbers({ ...a, intervals: meetIntervals(a.intervals, b.intervals) })
  if (inside === null) return pieces
  if (b.step !== null) {
    // `1.0`, which draft 4 distinguishes from `1`, is left out.
    const partial = inside.partial || (b.digitsOnly && !a.digitsOnly)
    add({ ...inside, partial, excluded: [...inside.excluded, b.step] })
  }
  for (const step of b.excluded) {
    add({ ...inside, step: meetSteps(meetSteps(inside.step, b.step), step) })
  }
  return pieces
}

/**
 * The record without excluded steps: values one by one, or intervals with holes, where they are at most `most`; `null` if
 * they are more.
 */
export function writeOut(record: NumberRecord, most: number): NumberRecord | null {
  const { excluded, intervals } = record
  if (excluded.length === 0) return record
  const values = valuesOf(record, most)
  if (values !== null) return { ...record, excluded: [], intervals: values.map(point) }
  if (record.step !== null) return null
  const holes: Interval[] = []
  for (const step of excluded) {
    const multiples = multiplesIn(intervals, step, most)
    if (multiples === null) return null
    holes.push(...multiples.map(point))
  }
  const left = meetIntervals(intervals, complementIntervals(uniteIntervals(holes)))
  return { ...record, excluded: [], intervals: left }
}

/** The values of the record, `null` if they may be more than `most`. */
export function valuesOf(record: NumberRecord, most: number): Decimal[] | null {
  const { step, excluded } = record
  const allows = (value: Decimal): boolean => !excluded.some((other) => isMultiple(value, other))
  if (step !== null) return multiplesIn(record.intervals, step, most)?.filter(allows) ?? null
  const values: Decimal[] = []
  for (const interval of record.intervals) {
    const value = pointOf(interval)
    if (value === null || values.length === most) return null
    values.push(value)
  }
  return values.filter(allows)
}

/** All integers, or all integers written as digits (draft 4). */
export function integers(digitsOnly: boolean): NumberRecord {
  return { ...ANY_NUMBER, step: INTEGER_STEP, digitsOnly, blocked: EXACT }
}

function showStep(step: Decimal | null): string {
  return step === null ? '' : `${step.mantissa}e${step.exponent}`
}
