/**
 * The shape of given values: what `enum` and `const` allow. Scalars are sets, containers are records whose items and
 * properties are value nodes, so two values that differ anywhere are seen to differ.
 */
import { parseDecimal } from '../json/decimal.ts'
import { point, uniteIntervals } from '../json/intervals.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import type { Shapes } from './intersect.ts'
import type { Node } from './node.ts'
import { childPointer } from './pointer.ts'
import type { SchemaDocument } from './references.ts'
import {
  ANY_NUMBER,
  ANY_STRING,
  type ArrayRecord,
  EMPTY_SHAPE,
  EXACT,
  type ObjectRecord,
  type Shape,
} from './shape.ts'

/** Exactly these values. */
export function shapeOfValues(
  values: readonly JsonValue[],
  pointer: string,
  shapes: Shapes,
  document: SchemaDocument,
): Shape {
  shapes.budget.spend(values.length)
  const strings = new Set<string>()
  const numbers = []
  const arrays: ArrayRecord[] = []
  const objects: ObjectRecord[] = []
  let { nulls, trues, falses } = EMPTY_SHAPE
  for (const value of values) {
    if (value === null) nulls = EXACT
    else if (value === true) trues = EXACT
    else if (value === false) falses = EXACT
    else if (typeof value === 'string') strings.add(value)
    else if (value instanceof JsonNumber) numbers.push(point(parseDecimal(value.text)))
    else if (value instanceof Map) objects.push(objectOf(value, pointer, shapes, document))
    else arrays.push(arrayOf(value, pointer, shapes, document))
  }
  return {
    nulls,
    trues,
    falses,
    numbers: numbers.length === 0 ? [] : [{ ...ANY_NUMBER, intervals: uniteIntervals(numbers) }],
    strings: strings.size === 0 ? [] : [{ ...ANY_STRING, values: strings }],
    arrays,
    objects,
  }
}

function arrayOf(
  value: readonly JsonValue[],
  pointer: string,
  shapes: Shapes,
  document: SchemaDocument,
): ArrayRecord {
  const prefix = value.map((item, index) => document.valueNode(item, `${pointer}/${index}`))
  return { ...shapes.anyArray, prefix, rest: shapes.nodes.none, min: value.length, max: value.length }
}

function objectOf(
  value: ReadonlyMap<string, JsonValue>,
  pointer: string,
  shapes: Shapes,
  document: SchemaDocument,
): ObjectRecord {
  const properties = new Map<string, Node>()
  for (const [name, item] of value)
    properties.set(name, document.valueNode(item, childPointer(pointer, name)))
  return {
    ...shapes.anyObject,
    properties,
    others: shapes.keys.none,
    required: new Set(value.keys()),
  }
}
