/**
 * JSON Schema to grammar. Exact: the grammar's language is the set of values that satisfy the schema, but for the
 * narrowings in the report; what cannot be enforced refuses the schema with its place.
 *
 * The stages: `references.ts` finds places, `keywords.ts` and `assertions.ts` read one schema object, `expand.ts` combines
 * them to shapes (`shape.ts`, `intersect.ts`, `subtract.ts`), `satisfy.ts` decides what is empty, `emit.ts` writes rules.
 */
import { LimitError, SchemaError } from '../errors.ts'
import { type Expr, type Grammar, GrammarBuilder } from '../grammar/grammar.ts'
import { fromJs, readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import type { RegexBuilder } from '../regex/regex.ts'
import { Emitter } from './emit.ts'
import { Expander } from './expand.ts'
import { explainEmpty } from './explain.ts'
import { type ResolvedOptions, resolveOptions, type SchemaOptions } from './options.ts'
import { Report, type SchemaReport } from './report.ts'

export { type Limits, resolveOptions, type SchemaOptions } from './options.ts'
export type { SchemaReport } from './report.ts'

/**
 * Adds the rules of a schema to a grammar that is being built.
 *
 * `schema` is JSON text, or a value. `name` is the name of the root rule and the prefix of the others. Throws
 * `JsonError` for text that is not JSON, `SchemaError` with all problems for a schema that is refused or that nothing
 * satisfies, `LimitError` where deciding would cost more than the limits, `TypeError` for unknown options.
 */
export function addSchema(
  builder: GrammarBuilder,
  regexes: RegexBuilder,
  schema: string | JsonValue | object,
  options: SchemaOptions = {},
  name = '',
): { expr: Expr; report: SchemaReport } {
  return add(builder, regexes, schema, resolveOptions(options), name)
}

/** The grammar of one schema. Errors as for `addSchema`. */
export function schemaToGrammar(
  schema: string | JsonValue | object,
  options: SchemaOptions = {},
): { grammar: Grammar; report: SchemaReport } {
  const builder = new GrammarBuilder()
  const resolved = resolveOptions(options)
  const { expr, report } = add(builder, builder.regexes, schema, resolved, '')
  return { grammar: builder.build(expr.rule, resolved.layout), report }
}

function add(
  builder: GrammarBuilder,
  regexes: RegexBuilder,
  schema: string | JsonValue | object,
  options: ResolvedOptions,
  name: string,
): { expr: Extract<Expr, { type: 'call' }>; report: SchemaReport } {
  const value = typeof schema === 'string' ? readJson(schema) : fromJs(schema)
  const report = new Report(options.lenient)
  let expr: Extract<Expr, { type: 'call' }> | null = null
  try {
    const expander = new Expander(value, regexes, options, report)
    const root = expander.document.rootNode()
    const emitter = new Emitter(builder, expander, options, name)
    if (expander.isProductive(root)) expr = emitter.emit(root)
    else {
      const { problems, others } = explainEmpty(expander, root)
      for (const together of problems) report.contradiction(together)
      // Only for what they say in the report.
      for (const node of others) emitter.emit(node)
    }
  } catch (error) {
    // What was refused before comes first: the limit may be a matter of it.
    if (!(error instanceof LimitError)) throw error
    if (!report.refused) throw error.at('#')
  }
  report.throwIfRefused(value)
  if (expr === null) throw new SchemaError('nothing satisfies the schema', '#')
  return { expr, report: report.finish() }
}
