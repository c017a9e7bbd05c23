/**
 * The engine alone: schemas and grammars, vocabularies, masks. No Node modules, no ONNX; runs in a browser too.
 *
 *     const vocabulary = Vocabulary.fromTokenizerJson(text, { endTokens: ['<|eot_id|>'] })
 *     const matcher = compile(schema, vocabulary).matcher()
 *     const mask = matcher.mask()      // choose a token whose bit is set …
 *     matcher.accept(id)               // … and say which
 */
import { GrammarBuilder } from './grammar/grammar.ts'
import type { JsonValue } from './json/value.ts'
import { compileGrammar } from './mask/compile.ts'
import type { CompiledGrammar } from './mask/compiled-grammar.ts'
import { type MaskLimits, splitLimits } from './mask/limits.ts'
import {
  addSchema,
  type Limits,
  resolveOptions,
  type SchemaOptions,
  type SchemaReport,
} from './schema/index.ts'
import type { Vocabulary } from './vocab/vocabulary.ts'

export * from './errors.ts'
export { JsonNumber, type JsonValue } from './json/value.ts'
export type { CompiledGrammar } from './mask/compiled-grammar.ts'
export type { Frame } from './mask/frames.ts'
export type { MaskLimits } from './mask/limits.ts'
export type { Matcher } from './mask/matcher.ts'
export type { Limits, SchemaOptions, SchemaReport } from './schema/index.ts'
export { Vocabulary, type VocabularyOptions } from './vocab/vocabulary.ts'

/** A compiled schema: a grammar, and what the schema said that the grammar does not enforce. */
export interface CompiledSchema extends CompiledGrammar {
  readonly report: SchemaReport
}

export interface CompileOptions extends Omit<SchemaOptions, 'limits'> {
  /** Deterministic budgets, in steps and sizes; beyond them a `LimitError`. */
  readonly limits?: Partial<Limits> & MaskLimits
}

/**
 * Compiles a JSON Schema for a vocabulary.
 *
 * @param schema JSON text, which loses nothing (order of keys, digits of numbers), or a value
 * @throws JsonError for text that is not JSON, SchemaError for what cannot be enforced or satisfied, with all places,
 *   LimitError where deciding costs too much, VocabularyError where the vocabulary cannot spell any instance
 */
export function compile(
  schema: string | JsonValue | object,
  vocabulary: Vocabulary,
  options: CompileOptions = {},
): CompiledSchema {
  const { limits, ...rest } = options
  const [maskLimits, schemaLimits] = splitLimits(limits ?? {})
  const schemaOptions = { ...rest, limits: schemaLimits }
  const builder = new GrammarBuilder()
  const { layout } = resolveOptions(schemaOptions)
  const root = builder.declare('root')
  const { expr, report } = addSchema(builder, builder.regexes, schema, schemaOptions)
  builder.define(root, expr)
  return Object.assign(compileGrammar(builder.build(root, layout), vocabulary, maskLimits), { report })
}
