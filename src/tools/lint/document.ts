/**
 * A tools document as lint reads it: leniently, so that what is wrong with one tool is a finding and not the end.
 *
 * OpenAI's shapes (`{"type": "function", "function": {…, "parameters"}}` and the flat one of the Responses API) and
 * Anthropic's (`{"name", "input_schema"}`), one tool or a list, as JSON text, plain values or lossless ones, with a validator
 * in the place of a schema, too. What is no tool at all is a `SchemaError`; a document beyond the limits below a `LimitError`,
 * met before anything walks it. All later walks may recurse: the depth is bounded here.
 */
import { LimitError, SchemaError } from '../../errors.ts'
import { quote } from '../../json/print.ts'
import { fromJs, readJson } from '../../json/read.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { type PARAMETERS, withSchemas } from '../definitions.ts'
import type { Finding } from './finding.ts'

/** Levels of arrays and objects; a schema level takes two of them. */
export const MAX_DEPTH = 400
/** Values in the document, an object that JavaScript shares counted where it stands. */
const MAX_VALUES = 1_000_000
/** Tools are compared by pairs. */
const MAX_TOOLS = 1_000

/** The shapes of the two services and of the Model Context Protocol. */
type Shape = 'anthropic-strict' | 'openai-strict' | 'mcp'

export interface LintTool {
  /** The name, or a stand-in where there is none. */
  readonly name: string
  readonly description: string
  /** What holds the name, the description and the schema, and where it stands. */
  readonly definition: JsonObject
  readonly pointer: string
  /** Where the schema is kept in the definition. */
  readonly schemaKey: (typeof PARAMETERS)[number]
  readonly schemaPointer: string
  /** Whose shape the definition has; absent where it is nobody's, or the service's own tool. */
  readonly shape?: Shape
  /** Absent where there is none, or none that can be read. */
  readonly schema?: JsonObject
  readonly strict?: boolean
  /** A tool that the service brings itself, without a schema to look at. */
  readonly hosted: boolean
}

export interface ToolsDocument {
  readonly value: JsonValue
  readonly tools: readonly LintTool[]
  /** What is wrong with the definitions around the schemas. */
  readonly problems: readonly Finding[]
}

/** Names that every service takes. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/u

/** @param maxDepth for what was read before, and has become deeper since */
export function readDocument(input: unknown, maxDepth = MAX_DEPTH): ToolsDocument {
  const value =
    typeof input === 'string'
      ? readJson(input, { maxDepth })
      : fromJs(
          withSchemas(input, undefined, () => {}),
          maxDepth,
        )
  checkSize(value)
  const isList = Array.isArray(value)
  const list = isList ? (value as readonly JsonValue[]) : [value]
  if (list.length > MAX_TOOLS)
    throw new LimitError('tools in a document', MAX_TOOLS, list.length, 'lint them in several documents')
  const problems: Finding[] = []
  const tools = list.map((tool, index) => readTool(tool, isList ? `#/${index}` : '#', index, problems))
  const names = new Map<string, LintTool>()
  for (const tool of tools) {
    const first = names.get(tool.name)
    if (first === undefined) names.set(tool.name, tool)
    else {
      problems.push({
        severity: 'error',
        pointer: `${tool.pointer}/name`,
        keyword: 'name',
        tool: tool.name,
        why: `the name is taken by the tool at ${first.pointer}`,
        instead: 'give each tool a name of its own',
      })
    }
  }
  return { value, tools, problems }
}

function checkSize(root: JsonValue): void {
  let values = 0
  const stack: JsonValue[] = [root]
  while (stack.length > 0) {
    const value = stack.pop() as JsonValue
    values++
    if (values + stack.length > MAX_VALUES) {
      throw new LimitError(
        'values in a tools document',
        MAX_VALUES,
        values + stack.length,
        'lint fewer tools',
      )
    }
    if (value instanceof Map) for (const item of value.values()) stack.push(item)
    else if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) stack.push(item)
  }
}

function readTool(value: JsonValue, pointer: string, index: number, problems: Finding[]): LintTool {
  if (!(value instanceof Map)) {
    throw new SchemaError(
      'a tool must be an object like {"type": "function", "function": {…}} or {"name": …, "input_schema": {…}}',
      pointer,
    )
  }
  const nested = value.get('function')
  const definition = nested === undefined ? value : nested
  const place = nested === undefined ? pointer : `${pointer}/function`
  if (!(definition instanceof Map))
    throw new SchemaError('a tool\'s "function" must be an object with a name', place)
  const type = value.get('type')
  const hosted =
    typeof type === 'string' &&
    type !== 'function' &&
    (type !== 'custom' || value.get('custom') instanceof Map)
  const given = definition.get('name')
  const name = typeof given === 'string' ? given : `tool ${index + 1}`
  const say = (keyword: string, why: string, instead: string): void => {
    problems.push({ severity: 'error', pointer: `${place}/${keyword}`, keyword, tool: name, why, instead })
  }
  if (hosted) {
    problems.push({
      severity: 'note',
      pointer,
      tool: name,
      why: `a tool of type ${quote(type)} is the service's own`,
      instead: 'nothing: there is no schema of yours to look at',
    })
  } else if (typeof given !== 'string') say('name', 'the tool has no name', 'give it one, like "get_weather"')
  else if (!NAME.test(given))
    say('name', 'such a name is refused', 'use 1 to 64 of the characters A-Z a-z 0-9 _ -')
  const described = definition.get('description')
  if (described !== undefined && described !== null && typeof described !== 'string')
    say('description', 'the description is not a string', 'say in words when to use the tool')
  const schemaKey = definition.has('inputSchema')
    ? 'inputSchema'
    : definition.has('input_schema') || type === 'custom'
      ? 'input_schema'
      : 'parameters'
  const schema = definition.get(schemaKey)
  if (schema !== undefined && schema !== null && !(schema instanceof Map) && !hosted)
    say(schemaKey, 'the arguments have no schema of an object', 'write {"type": "object", "properties": {…}}')
  const strict = definition.get('strict')
  const shape = hosted ? null : shapeOf(definition, nested !== undefined || type === 'function')
  return {
    name,
    description: typeof described === 'string' ? described : '',
    definition,
    pointer: place,
    schemaKey,
    schemaPointer: `${place}/${schemaKey}`,
    ...(shape === null ? {} : { shape }),
    ...(schema instanceof Map && !hosted ? { schema } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    hosted,
  }
}

function shapeOf(definition: JsonObject, isFunction: boolean): Shape | null {
  if (definition.has('inputSchema')) return 'mcp'
  if (definition.has('input_schema')) return 'anthropic-strict'
  return isFunction || definition.has('parameters') ? 'openai-strict' : null
}
