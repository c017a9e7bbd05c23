/**
 * Tool definitions in OpenAI's shapes, Anthropic's or that of the Model Context Protocol, read losslessly and checked.
 *
 * `{"type": "function", "function": {"name", "description", "parameters", "strict"}}`, the flat `{"type": "function", "name",
 * "parameters", ...}` of the Responses API, Anthropic's `{"name", "description", "input_schema", "strict"}`, or a tool as a server of
 * the Model Context Protocol lists it (`inputSchema`); one or a list.
 * What is wrong is a `SchemaError` with a pointer into the tools document that names the tool.
 */
import { SchemaError } from '../errors.ts'
import { fromJs } from '../json/from-js.ts'
import { quote } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { Refine } from './judgement.ts'
import { Problems } from './problems.ts'
import { isStandardSchema, readStandard } from './standard-schema.ts'

export interface Tool {
  readonly name: string
  readonly description: string
  /** Schema of the arguments; always one of an object. */
  readonly parameters: JsonObject
  /** Where `parameters` stands in the tools document. */
  readonly pointer: string
  /** Whether a mask holds its arguments to their schema; `strict: false` only has them judged. */
  readonly strict: boolean
  /** What its validator says of arguments that are of the schema; `null` for a schema alone. */
  readonly refine: Refine | null
}

/** Names that no call format can mistake for something else. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/u
/** Where a tool has its schema, in OpenAI's shapes, in Anthropic's and in that of the Model Context Protocol. */
export const PARAMETERS = ['parameters', 'input_schema', 'inputSchema'] as const

/**
 * Reads one tool or a list: JSON text, plain values, or lossless ones; where a schema stands there may be a validator that speaks
 * Standard Schema. `strict` counts for all of them. Where something is wrong with a tool, `check` is asked what else is wrong
 * with the schemas of the others, so that all of it is said at once.
 */
export function readTools(input: unknown, strict?: boolean, check?: (tool: Tool) => void): Tool[] {
  if (input === undefined) throw new TypeError('tools are missing; give a list of them, which may be empty')
  const given = typeof input === 'string' ? readJson(input) : input
  const place = (index: number): string => (Array.isArray(given) ? `#/${index}` : '#')
  const refines = new Map<number, Refine>()
  const document = fromJs(withSchemas(given, strict, (index, refine) => refines.set(index, refine)))
  const values = Array.isArray(given) ? (document as readonly JsonValue[]) : [document]
  const problems = new Problems()
  const seen = new Map<string, string>()
  const read = (value: JsonValue, index: number): Tool => {
    const tool = readTool(value, place(index))
    const { name } = tool
    const first = seen.get(name)
    if (first !== undefined)
      throw new SchemaError(
        `the tool ${quote(name)} is defined twice (first at ${first}); give each its own name`,
        tool.pointer,
      )
    seen.set(name, tool.pointer)
    return { ...tool, strict: strict ?? tool.strict, refine: refines.get(index) ?? null }
  }
  const tools = values.map((value, index) => problems.of(() => read(value, index), null, undefined, index))
  if (problems.any && check !== undefined)
    for (const [index, tool] of tools.entries())
      if (tool !== null) problems.of(() => check(tool), undefined, undefined, index)
  problems.check()
  return tools.filter((tool) => tool !== null)
}

/** One tool or a list with the JSON Schemas of validators in their places. Throws `SchemaError` for those that tell none. */
export function withSchemas(
  given: unknown,
  strict: boolean | undefined,
  found: (index: number, refine: Refine) => void,
): unknown {
  if (!Array.isArray(given)) return withSchema(given, '#', strict, (refine) => found(0, refine))
  const problems = new Problems()
  const plain = given.map((tool: unknown, index) =>
    problems.of(() => withSchema(tool, `#/${index}`, strict, (refine) => found(index, refine)), tool),
  )
  problems.check()
  return plain
}

/** A tool with the JSON Schema of its validator in its place. */
function withSchema(
  tool: unknown,
  pointer: string,
  strict: boolean | undefined,
  found: (refine: Refine) => void,
): unknown {
  if (typeof tool !== 'object' || tool === null || tool instanceof Map) return tool
  const given = tool as Readonly<Record<string, unknown>>
  const { function: inner } = given
  if (typeof inner === 'object' && inner !== null)
    return { ...given, function: withSchema(inner, `${pointer}/function`, strict, found) }
  for (const key of PARAMETERS) {
    const validator = given[key]
    if (!isStandardSchema(validator)) continue
    const { jsonSchema, ...rest } = given
    try {
      const { schema, refine } = readStandard(validator, jsonSchema, strict ?? given.strict !== false)
      found(refine)
      return { ...rest, [key]: schema }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new SchemaError(`tool ${quote(String(given.name))}: ${reason}`, `${pointer}/${key}`)
    }
  }
  return tool
}

function readTool(value: JsonValue, pointer: string): Omit<Tool, 'refine'> {
  if (!(value instanceof Map))
    throw new SchemaError('a tool must be an object like {"type": "function", "function": {…}}', pointer)
  const nested = value.get('function')
  const target = nested === undefined ? value : nested
  const place = nested === undefined ? pointer : `${pointer}/function`
  if (!(target instanceof Map))
    throw new SchemaError('a tool\'s "function" must be an object with a name', place)
  checkType(value, target, pointer)
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
  const strict = target.get('strict') ?? value.get('strict') ?? true
  if (typeof strict !== 'boolean')
    throw new SchemaError(`tool ${quote(name)}: strict must be true or false`, `${place}/strict`)
  const [at = 'parameters', second] = PARAMETERS.filter((key) => target.has(key))
  if (second !== undefined)
    throw new SchemaError(
      `tool ${quote(name)}: give its schema as ${at} or as ${second}, not both`,
      `${place}/${second}`,
    )
  const parameters = readParameters(name, target.get(at), `${place}/${at}`)
  return { name, description, parameters, pointer: `${place}/${at}`, strict }
}

/** Tools that a service runs itself, or whose input is no JSON, have types of their own. */
function checkType(value: JsonObject, target: JsonObject, pointer: string): void {
  const type = value.get('type')
  // OpenAI's `custom` tools take free text, Anthropic's are functions.
  if (type === undefined || type === null || type === 'function') return
  if (type === 'custom' && target.has('input_schema')) return
  throw new SchemaError(
    `a tool's type must be "function", not ${typeof type === 'string' ? quote(type) : 'this'}`,
    `${pointer}/type`,
  )
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
  if (Array.isArray(type) && type.length === 1 && type[0] === 'object') return schema
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

/**
 * A tool as it was given, checked, with the types of its name and of its schema kept for the calls of a run.
 *
 * Throws `SchemaError` as `call` does for what is wrong with it by itself.
 */
export function defineTool<const T>(tool: T): T {
  readTools(tool)
  return tool
}
