/**
 * A conjunction of schemas as one schema with the keywords of all, where that says exactly the same.
 *
 * It does where no keyword of one speaks about what another one's says: `additionalProperties` about `properties`, for
 * example. What cannot be shown to be exact is left alone.
 */
import { compareDecimals, parseDecimal } from '../../json/decimal.ts'
import { equalJson } from '../../json/print.ts'
import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts'
import { sizeOf } from '../../schema/constants.ts'

export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
])

/** Keywords that speak about each other: of each group, only one of the schemas may have some. */
const GROUPS: readonly ReadonlySet<string>[] = [
  new Set([
    ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains', 'minContains'],
    'maxContains',
  ]),
  new Set(['if', 'then', 'else']),
]
const OLD = ['exclusiveMinimum', 'exclusiveMaximum']
/** Speak about properties of other schemas, so they stand alone where there are objects at all. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties', 'patternProperties']

/** Of lower bounds the greatest holds (1), of upper ones the least (-1). */
const BOUNDS: Readonly<Record<string, 1 | -1>> = {
  ...{ minLength: 1, minItems: 1, minProperties: 1, minimum: 1, exclusiveMinimum: 1 },
  ...{ maxLength: -1, maxItems: -1, maxProperties: -1, maximum: -1, exclusiveMaximum: -1 },
}

/** One schema for all; annotations are those of the first that has them. `null` where it may not be the same. */
export function mergeSchemas(parts: readonly JsonValue[]): JsonObject | null {
  const merged = new Map<string, JsonValue>()
  const schemas: JsonObject[] = []
  for (const part of parts) {
    if (part === true) continue
    if (!(part instanceof Map)) return null
    schemas.push(part)
  }
  const having = (keywords: Iterable<string>): number =>
    schemas.filter((schema) => [...keywords].some((keyword) => schema.has(keyword))).length
  if (GROUPS.some((group) => having(group) > 1)) return null
  // In draft 4 the exclusive bounds speak of those beside them.
  const isOld = schemas.some((schema) => OLD.some((keyword) => typeof schema.get(keyword) === 'boolean'))
  if (isOld && schemas.length > 1) return null
  if (having(CLOSING) > 0 && having([...CLOSING, 'properties']) > 1) return null
  for (const schema of schemas) {
    for (const [keyword, value] of schema) {
      const before = merged.get(keyword)
      const both = before === undefined ? value : together(keyword, before, value)
      if (both === null) return null
      merged.set(keyword, both)
    }
  }
  return merged
}

/** What two values of one keyword say together; `null` where one value cannot say it. */
function together(keyword: string, a: JsonValue, b: JsonValue): JsonValue | null {
  if (ANNOTATIONS.has(keyword) || equalJson(a, b)) return a
  if (keyword === 'required' && Array.isArray(a) && Array.isArray(b))
    return [...new Set([...(a as JsonArray), ...(b as JsonArray)])]
  const side = BOUNDS[keyword]
  if (side !== undefined && a instanceof JsonNumber && b instanceof JsonNumber) {
    // Beyond what the engine writes out, comparing may cost more than it is worth.
    if ([a, b].some(({ text }) => sizeOf(text) !== 'written')) return null
    const order = compareDecimals(parseDecimal(a.text), parseDecimal(b.text))
    return order * side > 0 ? a : b
  }
  if (!['properties', '$defs', 'definitions'].includes(keyword)) return null
  if (!(a instanceof Map && b instanceof Map)) return null
  const entries = new Map(a)
  for (const [name, schema] of b) {
    const before = entries.get(name)
    if (before !== undefined && !equalJson(before, schema)) return null
    entries.set(name, schema)
  }
  return entries
}
