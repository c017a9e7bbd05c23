/** Tools that pass the lint: each schema fixed for the dialect, `strict` said, and a list of all that was changed. */
import { printJson } from '../../json/print.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { type LintTool, MAX_DEPTH, readDocument } from './document.ts'
import type { Change, Finding, LintDialect } from './finding.ts'
import { withoutRefused } from './fix-engine.ts'
import { SchemaFixer } from './fix-schema.ts'
import { dialectOf, type LintOptions, lintDocument } from './lint.ts'
import type { Service } from './rules.ts'

export interface FixedTools {
  /** The document as JSON text, in its own shape and order, with the digits of its numbers. */
  readonly tools: string
  /** All that was changed, with what it does to the arguments that are allowed. */
  readonly changes: readonly Change[]
  /** The errors that the fixed document still has. */
  readonly left: readonly Finding[]
}

/**
 * The tools with what the dialect refuses taken out or said otherwise, as far as that keeps what a schema is for.
 *
 * Bounds go into the descriptions, objects are closed, `oneOf` becomes `anyOf`, `allOf` one schema; for OpenAI every property
 * is required and null where it was left out. What has no such way (recursion for Anthropic, maps of free keys, limits
 * over the request) is left and listed. Tools that say `strict: false` stay as they are. Errors as for `lintTools`.
 */
export function fixTools(tools: unknown, options: LintOptions = {}): FixedTools {
  const { findings, ...fixed } = fixAndLint(tools, options)
  return { ...fixed, left: findings.filter(({ severity }) => severity === 'error') }
}

/** The same with all that lint says of the fixed document, which may be deeper than one that it would read. */
export function fixAndLint(
  tools: unknown,
  options: LintOptions,
): Omit<FixedTools, 'left'> & { readonly findings: readonly Finding[] } {
  const dialect = dialectOf(options)
  const document = readDocument(tools)
  const changes: Change[] = []
  const { value } = document
  const fixed = document.tools.map((tool, index) => {
    const whole = Array.isArray(value) ? (value as readonly JsonValue[])[index] : value
    return fixTool(tool, whole as JsonObject, dialect, changes)
  })
  const text = printJson(Array.isArray(value) ? fixed : (fixed[0] as JsonValue), { indent: 2 })
  return { tools: text, changes, findings: lintDocument(readDocument(text, 3 * MAX_DEPTH), dialect) }
}

/** What is left out may leave an allOf that can be one schema. */
const MAX_ROUNDS = 8

function fixForService(tool: LintTool, schema: JsonObject, service: Service, changes: Change[]): JsonObject {
  let current = schema
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = changes.length
    current = new SchemaFixer(tool, current, service, changes).fixed()
    if (changes.length === before) break
  }
  return current
}

function fixTool(tool: LintTool, whole: JsonObject, dialect: LintDialect, changes: Change[]): JsonObject {
  const { definition, schema, schemaKey, schemaPointer, name, hosted } = tool
  const isService = dialect !== 'json-schema'
  if (hosted || (isService && tool.strict === false)) return whole
  const result = new Map(definition)
  const say = (pointer: string, keyword: string, message: string): void => {
    changes.push({ effect: 'same', pointer, keyword, tool: name, message })
  }
  if (schema !== undefined) {
    const fixed = isService
      ? fixForService(tool, schema, dialect, changes)
      : withoutRefused(tool, schema, changes)
    result.set(schemaKey, fixed)
  } else if (isService && schemaKey === 'input_schema' && !definition.has(schemaKey)) {
    const nothing: [string, JsonValue][] = [
      ['type', 'object'],
      ['properties', new Map()],
      ['additionalProperties', false],
    ]
    result.set(schemaKey, new Map(nothing))
    say(schemaPointer, schemaKey, 'the tool takes no arguments, and now it says so')
  }
  if (isService && tool.strict === undefined) {
    result.set('strict', true)
    say(tool.pointer, 'strict', 'the schema is to be enforced: strict is true')
  }
  return definition === whole ? result : new Map(whole).set('function', result)
}
