/**
 * Tool definitions in the OpenAI shape, read losslessly and checked.
 *
 * `{"type": "function", "function": {"name", "description", "parameters"}}`, or the flat `{"type": "function", "name", ...}`
 * of the Responses API; one or a list. What is wrong is a `SchemaError` with a pointer into the tools document that
 * names the tool.
 */
import { SchemaError } from '../errors.ts'
import { fromJs } from '../json/from-js.ts'
import { quote } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'

export interface Tool {
  readonly name: string
  readonly description: string
  /** Schema of the arguments; always one of an object. */
  readonly parameters: JsonObject
  /** Where `parameters` stands in the tools document. */
  readonly pointer: string
}

/** Names that no call format can mistake for something else. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/u

/** Reads one tool or a list: JSON text, plain values, or lossless ones. */
export function readTools(input: unknown): Tool[] {
  const document = typeof input === 'string' ? readJson(input) : fromJs(input)
  const list = Array.isArray(document) ? (document as readonly JsonValue[]) : [document]
  const tools = list.map((value, index) => readTool(value, Array.isArray(document) ? `#/${index}` : '#'))
  const seen = new Map<string, string>()
  for (const { name, pointer } of tools) {
    const first = seen.get(name)
    if (first !== undefined) {
      throw new SchemaError(
        `the tool ${quote(name)} is defined twice (first at ${first}); give each its own name`,
        pointer,
      )
    }
    seen.set(name, pointer)
  }
  return tools
}

function readTool(value: JsonValue, pointer: string): Tool {
  if (!(value instanceof Map))
    throw new SchemaError('a tool must be an object like {"type": "function", "function": {…}}', pointer)
  const type = value.get('type')
  if (type !== undefined && type !== 'function') {
    throw new SchemaError(
      `a tool's type must be "function", not ${typeof type === 'string' ? quote(type) : 'this'}`,
      `${pointer}/type`,
    )
  }
  const nested = value.get('function')
  const target = nested === undefined ? value : nested
  const place = nested === undefined ? pointer : `${pointer}/function`
  if (!(target instanceof Map))
    throw new SchemaError('a tool\'s "function" must be an object with a name', place)
  const name = target.get('name')
  if (typeof name !== 'string') throw new SchemaError('a tool needs a "name"', `${place}/name`)
  if (!NAME.test(name)) {
    throw new SchemaError(
      `the tool name ${quote(name)} cannot be used: 1 to 64 of the characters A-Z a-z 0-9 _ - are allowed`,
      `${place}/name`,
    )
  }
  const description = target.get('description') ?? ''
  if (typeof description !== 'string') {
    throw new SchemaError(`tool ${quote(name)}: the description must be a string`, `${place}/description`)
  }
  const parameters = readParameters(name, target.get('parameters'), `${place}/parameters`)
  return { name, description, parameters, pointer: `${place}/parameters` }
}

/** Arguments are an object: where the schema does not say so, it is added; where it says otherwise, that is an error. */
function readParameters(name: string, schema: JsonValue | undefined, pointer: string): JsonObject {
  if (schema === undefined || schema === null) {
    return new Map<string, JsonValue>([
      ['type', 'object'],
      ['properties', new Map()],
      ['additionalProperties', false],
    ])
  }
  if (schema === true) return new Map([['type', 'object']])
  if (!(schema instanceof Map)) {
    throw new SchemaError(`tool ${quote(name)}: the parameters must be a JSON Schema of an object`, pointer)
  }
  const type = schema.get('type')
  if (type === 'object') return schema
  if (type === undefined) return new Map<string, JsonValue>([...schema, ['type', 'object']])
  throw new SchemaError(`tool ${quote(name)}: the parameters must have the type "object"`, `${pointer}/type`)
}

/** The definition as the OpenAI-shaped value that chat templates expect. */
export function toolValue(tool: Tool): JsonObject {
  const target = new Map<string, JsonValue>([
    ['name', tool.name],
    ['description', tool.description],
    ['parameters', tool.parameters],
  ])
  return new Map<string, JsonValue>([
    ['type', 'function'],
    ['function', target],
  ])
}
