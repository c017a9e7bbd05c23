/**
 * The schemas of tools as they are compiled, and what is wrong with them: each problem with the name of its tool and with a
 * pointer into the tools document, those of several tools together.
 */
import { LimitError } from '../errors.ts'
import { type Expr, GrammarBuilder } from '../grammar/grammar.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import { addSchema, type SchemaOptions, type SchemaReport } from '../schema/index.ts'
import type { Tool } from './definitions.ts'
import { Problems } from './problems.ts'

/** The arguments of a tool without its mask, beside tools with theirs. */
const ANY_OBJECT: JsonValue = new Map([['type', 'object']])

/** Adds the arguments of a tool to a grammar. Errors and report have pointers into the schema: `moved` leads them out. */
export function addArguments(
  builder: GrammarBuilder,
  tool: Tool,
  options: SchemaOptions,
): { readonly expr: Expr; readonly report: SchemaReport } {
  const schema = tool.strict ? objectOnly(tool.parameters) : ANY_OBJECT
  const { expr, report } = addSchema(builder, builder.regexes, schema, options, tool.name)
  const { annotations, narrowings, unenforced } = report
  return {
    expr,
    report: {
      annotations: annotations.map((entry) => moved(entry, tool)),
      narrowings: narrowings.map((entry) => moved(entry, tool)),
      unenforced: unenforced.map((entry) => moved(entry, tool)),
    },
  }
}

/**
 * Throws `SchemaError` for a schema that is none, or that nothing satisfies. Of one that is only judged by, what cannot be
 * enforced is no error, and what would cost too much neither.
 */
export function checkSchema(tool: Tool, options: SchemaOptions): void {
  const builder = new GrammarBuilder()
  try {
    const lenient = options.lenient === true || !tool.strict
    addSchema(builder, builder.regexes, objectOnly(tool.parameters), { ...options, lenient }, tool.name)
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
  }
}

/**
 * Up to draft 7 nothing counts beside a `$ref`, the `type` of arguments neither; inside of an `allOf` it stands alone.
 */
function objectOnly(schema: JsonObject): JsonObject {
  const ref = schema.get('$ref')
  const dialect = schema.get('$schema')
  if (ref === undefined || typeof dialect !== 'string' || !dialect.includes('/draft-0')) return schema
  const kept = [...schema].filter(([key]) => ['$schema', 'definitions', '$defs', '$id', 'id'].includes(key))
  return new Map<string, JsonValue>([...kept, ['type', 'object'], ['allOf', [new Map([['$ref', ref]])]]])
}

/** Does something with the schema of each tool; what is wrong with any is thrown together, each with its tool's name. */
export function collectErrors<T>(tools: readonly Tool[], make: (tool: Tool) => T): T[] {
  const problems = new Problems()
  const made = tools.flatMap((tool) =>
    problems.of<T[]>(
      () => [make(tool)],
      [],
      (problem) => ({ ...moved(problem, tool), message: `tool "${tool.name}": ${problem.message}` }),
    ),
  )
  problems.check()
  return made
}

/** Does one thing and the other; of what is wrong at one place the first that says so is told. */
export function together(...checks: readonly (() => void)[]): void {
  const problems = new Problems()
  for (const check of checks) {
    const { pointers } = problems
    problems.of(check, undefined, (problem) => (pointers.has(problem.pointer) ? null : problem))
  }
  problems.check()
}

/** What stands in another document has its URI in front. */
function moved<T extends { readonly pointer: string }>(entry: T, { pointer }: Tool): T {
  if (!entry.pointer.startsWith('#')) return entry
  // As `objectOnly` has it; a schema with an `allOf` of its own has no reference in front.
  const place = entry.pointer.slice(1).replace(/^\/allOf\/0\/\$ref$/u, '/$ref')
  return { ...entry, pointer: pointer + place }
}
