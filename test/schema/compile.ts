/** Compiles a schema to a judge of values, for tests. */
import { SchemaError } from '../../src/errors.ts'
import { type Grammar, GrammarBuilder } from '../../src/grammar/grammar.ts'
import { readJson } from '../../src/json/read.ts'
import type { RegexBuilder } from '../../src/regex/regex.ts'
import {
  addSchema,
  resolveOptions,
  type SchemaOptions,
  type SchemaReport,
  schemaToGrammar,
} from '../../src/schema/index.ts'
import { IrMatcher } from './matcher.ts'

export interface Compiled {
  readonly accepts: (text: string) => boolean
  readonly report: SchemaReport
  readonly grammar: Grammar
  readonly regexes: RegexBuilder
}

const ANY_MODES: SchemaOptions = { propertyOrder: 'any', numbers: 'any' }

export function compileSchema(schema: string | object, options: SchemaOptions = ANY_MODES): Compiled {
  const builder = new GrammarBuilder()
  const { regexes } = builder
  const { expr, report } = addSchema(builder, regexes, schema, options)
  if (expr.type !== 'call') throw new Error('the root of a schema is a call')
  const grammar = builder.build(expr.rule, resolveOptions(options).layout)
  const matcher = new IrMatcher(grammar, regexes)
  return { accepts: (text) => matcher.accepts(readJson(text)), report, grammar, regexes }
}

/** The error with which a schema is refused. */
export function refusal(schema: string | object, options: SchemaOptions = {}): SchemaError {
  try {
    schemaToGrammar(schema, options)
  } catch (error) {
    if (error instanceof SchemaError) return error
    throw error
  }
  throw new Error('the schema was not refused')
}
