/**
 * A schema in few words, for the prompt of a model that was never taught JSON Schema: `integer from 0`,
 * `"civil" or "structural"`, `list of {city: string}`. The mask enforces the schema; this only tells the model what to aim at.
 */
import { resolveLocal } from '../json/pointer.ts'
import { printJson, quote } from '../json/print.ts'
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'

/** Nesting that is described; deeper values are called by their type alone. */
const MAX_DEPTH = 4
/** Schemas that are described for one tool; what comes after them is called by its type alone. */
const MAX_PARTS = 500

/** One line for each property of an object schema: `name (what, optional): description`. */
export function describeProperties(schema: JsonObject): string[] {
  const required = schema.get('required')
  const names = new Set(Array.isArray(required) ? required : [])
  const properties = schema.get('properties')
  if (!(properties instanceof Map)) return []
  const describer = new Describer(schema)
  return [...properties].map(([name, property]) => {
    const optional = names.has(name) ? '' : ', optional'
    const description = property instanceof Map ? property.get('description') : undefined
    const note = typeof description === 'string' && description !== '' ? `: ${description}` : ''
    return `${name} (${describer.describe(property, 0)}${optional})${note}`
  })
}

class Describer {
  readonly #root: JsonObject
  #parts = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  describe(schema: JsonValue, depth: number): string {
    if (!(schema instanceof Map)) return 'any value'
    const whole = depth < MAX_DEPTH && ++this.#parts <= MAX_PARTS
    const reference = schema.get('$ref')
    if (typeof reference === 'string') {
      const target = whole ? resolveLocal(this.#root, reference) : undefined
      return target === undefined ? 'value' : this.describe(target, depth + 1)
    }
    const constant = schema.get('const')
    if (constant !== undefined) return printJson(constant)
    const values = schema.get('enum')
    if (isList(values)) return values.map((value) => printJson(value)).join(' or ')
    const options = schema.get('anyOf') ?? schema.get('oneOf')
    if (isList(options) && whole)
      return options.map((option) => this.describe(option, depth + 1)).join(' or ')
    const type = schema.get('type')
    const types = isList(type) ? type : [type]
    return types.map((one) => this.#type(one, schema, whole ? depth + 1 : null)).join(' or ')
  }

  /** `depth` is that of the parts; `null` where they are not described. */
  #type(type: JsonValue | undefined, schema: JsonObject, depth: number | null): string {
    if (typeof type !== 'string') return 'any value'
    if (type === 'integer' || type === 'number') return type + range(schema)
    if (type === 'string') return stringOf(schema)
    if (type === 'array') {
      const items = schema.get('items')
      return depth === null || items === undefined ? 'list' : `list of ${this.describe(items, depth)}`
    }
    const properties = schema.get('properties')
    if (type !== 'object' || depth === null || !(properties instanceof Map) || properties.size === 0)
      return type
    const entries = [...properties].map(([name, value]) => `${quote(name)}: ${this.describe(value, depth)}`)
    return `{${entries.join(', ')}}`
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function stringOf(schema: JsonObject): string {
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
