/** Whether a schema lets null through, as far as its own keywords and local references tell; in doubt it does not. */
import { resolveLocal } from '../../json/pointer.ts'
import type { JsonArray, JsonObject, JsonValue } from '../../json/value.ts'
import { typesOf } from './places.ts'

/** References that are followed; a longer chain is taken for one that does not end in null. */
const MAX_REFERENCES = 20

export function acceptsNull(schema: JsonValue | undefined, root: JsonObject, left = MAX_REFERENCES): boolean {
  if (typeof schema === 'boolean') return schema
  if (!(schema instanceof Map) || left === 0) return false
  const { enum: values, anyOf, oneOf, allOf, $ref } = Object.fromEntries(schema)
  if (schema.has('type') && !typesOf(schema).includes('null')) return false
  if (schema.has('const') && schema.get('const') !== null) return false
  if (Array.isArray(values) && !(values as JsonArray).includes(null)) return false
  if ($ref !== undefined && !acceptsNull(resolveLocal(root, $ref), root, left - 1)) return false
  const list = (value: JsonValue | undefined): JsonArray => (Array.isArray(value) ? (value as JsonArray) : [])
  const accepts = (item: JsonValue): boolean => acceptsNull(item, root, left - 1)
  if (anyOf !== undefined && !list(anyOf).some(accepts)) return false
  if (oneOf !== undefined && list(oneOf).filter(accepts).length !== 1) return false
  return list(allOf).every(accepts) && !['not', 'if'].some((keyword) => schema.has(keyword))
}
