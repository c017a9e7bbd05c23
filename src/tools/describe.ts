/**
 * A schema in few words, for the prompt of a model that was never taught JSON Schema: `integer from 0`,
 * `"civil" or "structural"`, `list of {city: string}`. The mask enforces the schema; this only tells the model what to aim at.
 */
import { printJson, quote } from '../json/print.ts'
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'

/** Nesting that is described; deeper values are called by their type alone. */
const MAX_DEPTH = 4

/** One line for each property of an object schema: `name (what, optional): description`. */
export function describeProperties(schema: JsonObject): string[] {
  const required = schema.get('required')
  const names = new Set(Array.isArray(required) ? required : [])
  const properties = schema.get('properties')
  const lines: string[] = []
  if (!(properties instanceof Map)) return lines
  for (const [name, property] of properties) {
    const optional = names.has(name) ? '' : ', optional'
    const description = property instanceof Map ? property.get('description') : undefined
    const note = typeof description === 'string' && description !== '' ? `: ${description}` : ''
    lines.push(`${name} (${describe(property, schema, 0)}${optional})${note}`)
  }
  return lines
}

function describe(schema: JsonValue, root: JsonObject, depth: number): string {
  if (!(schema instanceof Map)) return 'any value'
  const reference = schema.get('$ref')
  if (typeof reference === 'string') {
    const target = resolve(reference, root)
    return target === null || depth >= MAX_DEPTH ? 'value' : describe(target, root, depth + 1)
  }
  if (schema.has('const')) return printJson(schema.get('const')!)
  const values = schema.get('enum')
  if (Array.isArray(values))
    return (values as readonly JsonValue[]).map((value) => printJson(value)).join(' or ')
  const options = schema.get('anyOf') ?? schema.get('oneOf')
  if (Array.isArray(options) && depth < MAX_DEPTH) {
    return (options as readonly JsonValue[]).map((option) => describe(option, root, depth + 1)).join(' or ')
  }
  const type = schema.get('type')
  if (Array.isArray(type)) {
    return (type as readonly JsonValue[])
      .map((one) => describeType(String(one), schema, root, depth))
      .join(' or ')
  }
  return typeof type === 'string' ? describeType(type, schema, root, depth) : 'any value'
}

function describeType(type: string, schema: JsonObject, root: JsonObject, depth: number): string {
  if (type === 'array') {
    const items = schema.get('items')
    return depth >= MAX_DEPTH || items === undefined ? 'list' : `list of ${describe(items, root, depth + 1)}`
  }
  if (type === 'object') {
    const properties = schema.get('properties')
    if (!(properties instanceof Map) || properties.size === 0 || depth >= MAX_DEPTH) return 'object'
    const entries = [...properties].map(
      ([name, value]) => `${quote(name)}: ${describe(value, root, depth + 1)}`,
    )
    return `{${entries.join(', ')}}`
  }
  if (type === 'integer' || type === 'number') return type + range(schema)
  if (type !== 'string') return type
  const format = schema.get('format')
  const pattern = schema.get('pattern')
  const most = schema.get('maxLength')
  return [
    typeof format === 'string' ? format : 'string',
    typeof pattern === 'string' ? ` like ${pattern}` : '',
    most instanceof JsonNumber ? ` of at most ${most.text} characters` : '',
  ].join('')
}

function range(schema: JsonObject): string {
  const min = schema.get('minimum')
  const max = schema.get('maximum')
  return (
    (min instanceof JsonNumber ? ` from ${min.text}` : '') +
    (max instanceof JsonNumber ? ` to ${max.text}` : '')
  )
}

/** The target of a local reference, `#/…`. */
function resolve(reference: string, root: JsonObject): JsonValue | null {
  if (!reference.startsWith('#')) return null
  let value: JsonValue = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    const next: JsonValue | undefined = value instanceof Map ? value.get(key) : undefined
    if (next === undefined) return null
    value = next
  }
  return value
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
