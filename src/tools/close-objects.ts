/**
 * Closes the objects of a validator's schema: what it does not declare it strips, refuses or lets pass unread, so there is no
 * use in writing it.
 *
 * An object that says anything of other properties stays as it is. So does one that shares its value with other schemas (`allOf`,
 * alternatives beside properties, conditions), directly or by reference, with all that is in it: closed one by one, they would
 * refuse each other's properties. A schema only becomes narrower by it. Linear in the schema.
 */
import { resolveLocal } from '../json/pointer.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { type Place, placesOf } from './places.ts'

/** Keywords whose schemas are of the value that the schema around them is of. */
const SHARING: ReadonlySet<string> = new Set([
  ...['allOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'],
])
const ALTERNATIVES: ReadonlySet<string> = new Set(['anyOf', 'oneOf'])
/** Where one of these is, more properties than those of `properties` are spoken of. */
const SPEAKING = [
  ...['additionalProperties', 'patternProperties', 'unevaluatedProperties', '$ref'],
  ...SHARING,
  ...ALTERNATIVES,
]

/** A copy of the schema with `additionalProperties: false` where it may be. */
export function closeObjects(schema: JsonValue): JsonValue {
  if (!(schema instanceof Map)) return schema
  const places = placesOf(schema, '#')
  const shared = sharedSchemas(places, schema)
  const left = new Set<Place>()
  const closed = new Set<JsonValue>()
  // Each place comes before those within it.
  for (const place of places) {
    const own = place.schema
    if (shared.has(own) || (place.parent !== null && left.has(place.parent))) left.add(place)
    else if (own instanceof Map && own.has('properties') && !SPEAKING.some((key) => own.has(key)))
      closed.add(own)
  }
  return copyOf(schema, closed)
}

/** Schemas that share their value with others, and what these refer to. */
function sharedSchemas(places: readonly Place[], root: JsonObject): Set<JsonValue> {
  const shared = new Set<JsonValue>()
  const add = (first: JsonValue): void => {
    const open = [first]
    for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
      if (!(schema instanceof Map) || shared.has(schema)) continue
      shared.add(schema)
      const target = resolveLocal(root, schema.get('$ref'))
      if (target !== undefined) open.push(target)
      for (const keyword of ALTERNATIVES) {
        const list = schema.get(keyword)
        if (Array.isArray(list)) open.push(...(list as readonly JsonValue[]))
      }
    }
  }
  for (const { schema, keyword, parent } of places) {
    const isBeside = parent?.schema instanceof Map && parent.schema.has('properties')
    if (SHARING.has(keyword) || (ALTERNATIVES.has(keyword) && isBeside)) add(schema)
  }
  return shared
}

function copyOf(value: JsonValue, closed: ReadonlySet<JsonValue>): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => copyOf(item, closed))
  if (!(value instanceof Map)) return value
  const copy = new Map([...value].map(([key, item]) => [key, copyOf(item, closed)]))
  if (closed.has(value)) copy.set('additionalProperties', false)
  return copy
}
