/**
 * Shapes: for each JSON type, what remains allowed, as a union of records. A schema is one shape; conjunction and
 * difference of schemas are computed on shapes, record by record (`intersect.ts`, `subtract.ts`).
 *
 * Every record is an upper bound of the values it stands for, and `blocked` lists what was left out: where it is empty
 * the record is exact, where it is not the record can still be shown empty, but never be emitted. So a keyword that
 * cannot be enforced is refused only where a value could come under it.
 *
 * Records speak of other values (properties, items) through nodes (`node.ts`), so they are finite for recursive schemas.
 * All of this is immutable and shared.
 */
import type { SchemaProblem } from '../errors.ts'
import type { Decimal, Interval } from '../json/decimal.ts'
import type { Regex } from '../regex/regex.ts'
import type { KeyMap } from './key-map.ts'
import type { Node } from './node.ts'

/** Constraints that a record leaves out. */
export type Blocked = readonly SchemaProblem[]

export interface NumberRecord {
  /** Sorted, disjoint, none without a value. */
  readonly intervals: readonly Interval[]
  /** Only multiples of it; 1 for integers, `null` for all numbers. */
  readonly step: Decimal | null
  /** No multiples of these. */
  readonly excluded: readonly Decimal[]
  /** Integers of draft 4 are those written without fraction and exponent. */
  readonly digitsOnly: boolean
  /** Numbers like `1.0` are left out although they are allowed: what draft 4 has beside integers. */
  readonly partial: boolean
  readonly blocked: Blocked
}

export interface StringRecord {
  /** Exactly these; then the other fields say nothing. */
  readonly values: ReadonlySet<string> | null
  readonly language: Regex | null
  /** Code points, inclusive. */
  readonly min: number
  readonly max: number
  readonly blocked: Blocked
}

/** How many of the items from a position on satisfy a node, inclusive. */
export interface Tally {
  readonly node: Node
  readonly from: number
  readonly min: number
  readonly max: number
}

export interface ArrayRecord {
  readonly prefix: readonly Node[]
  /** The items after the prefix. */
  readonly rest: Node
  readonly min: number
  readonly max: number
  readonly tallies: readonly Tally[]
  /** No two items equal. */
  readonly unique: SchemaProblem | null
  readonly blocked: Blocked
}

/** Some entry has a key of the language and a value of the node; and the refusal in case that cannot be written. */
export interface Demand {
  readonly keys: Regex
  readonly value: Node
  readonly problem: SchemaProblem
}

/** What the presence of names says of that of others. */
export interface Ties {
  /** To a name those that must be there if it is. */
  readonly implies: ReadonlyMap<string, ReadonlySet<string>>
  /** To a name those that must not be there if it is; to these that name. */
  readonly excludes: ReadonlyMap<string, ReadonlySet<string>>
}

export interface ObjectRecord {
  /** In order of appearance. A name may be required and not stand here: its value is then that of `others`. */
  readonly properties: ReadonlyMap<string, Node>
  /** The values of all further names. */
  readonly others: KeyMap
  readonly required: ReadonlySet<string>
  /** How many properties, inclusive. */
  readonly min: number
  readonly max: number
  readonly demands: readonly Demand[]
  readonly ties: Ties
  readonly blocked: Blocked
}

export interface Shape {
  /** `null` where the value is not allowed. */
  readonly nulls: Blocked | null
  readonly trues: Blocked | null
  readonly falses: Blocked | null
  readonly numbers: readonly NumberRecord[]
  readonly strings: readonly StringRecord[]
  readonly arrays: readonly ArrayRecord[]
  readonly objects: readonly ObjectRecord[]
}

export const EXACT: Blocked = []

export const EVERYWHERE: Interval = { min: null, minExclusive: false, max: null, maxExclusive: false }
export const INTEGER_STEP: Decimal = { mantissa: 1n, exponent: 0 }

export const ANY_NUMBER: NumberRecord = {
  intervals: [EVERYWHERE],
  step: null,
  excluded: [],
  digitsOnly: false,
  partial: false,
  blocked: EXACT,
}
export const ANY_STRING: StringRecord = {
  values: null,
  language: null,
  min: 0,
  max: Number.POSITIVE_INFINITY,
  blocked: EXACT,
}

export const EMPTY_SHAPE: Shape = {
  nulls: null,
  trues: null,
  falses: null,
  numbers: [],
  strings: [],
  arrays: [],
  objects: [],
}

export function isEmptyShape(shape: Shape): boolean {
  return !hasScalar(shape) && shape.arrays.length === 0 && shape.objects.length === 0
}

/** Whether a null, boolean, number or string is allowed; their records are never empty. */
export function hasScalar(shape: Shape): boolean {
  return (
    shape.nulls !== null ||
    shape.trues !== null ||
    shape.falses !== null ||
    shape.numbers.length > 0 ||
    shape.strings.length > 0
  )
}

/** The node that stands at a position of an array. */
export function itemAt(record: ArrayRecord, index: number): Node {
  return record.prefix[index] ?? record.rest
}

/** The node of a property's value. */
export function propertyAt(record: ObjectRecord, name: string): Node {
  return record.properties.get(name) ?? record.others.at(name)
}

export function joinBlocked(a: Blocked, b: Blocked): Blocked {
  if (a.length === 0 || a === b) return b
  if (b.length === 0) return a
  const joined = [...a]
  for (const problem of b) if (!joined.includes(problem)) joined.push(problem)
  return joined
}

/** The same shape, all of it left open by one more constraint. */
export function blockShape(shape: Shape, problem: SchemaProblem): Shape {
  const extra = [problem]
  const all = <R extends { readonly blocked: Blocked }>(records: readonly R[]): R[] =>
    records.map((record) => ({ ...record, blocked: joinBlocked(record.blocked, extra) }))
  const scalar = (blocked: Blocked | null): Blocked | null =>
    blocked === null ? null : joinBlocked(blocked, extra)
  return {
    nulls: scalar(shape.nulls),
    trues: scalar(shape.trues),
    falses: scalar(shape.falses),
    numbers: all(shape.numbers),
    strings: all(shape.strings),
    arrays: all(shape.arrays),
    objects: all(shape.objects),
  }
}
