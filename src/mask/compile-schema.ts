/** Schema and vocabulary to compiled grammar: what `compile` of the public API is. */
import { spellsEverything } from '../automaton/trim.ts'
import { GrammarBuilder } from '../grammar/grammar.ts'
import type { JsonValue } from '../json/value.ts'
import { addSchema, resolveOptions, type SchemaReport } from '../schema/index.ts'
import { narrowingOf } from '../schema/narrowings.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { compileGrammar } from './compile.ts'
import type { CompiledGrammar } from './compiled-grammar.ts'
import { type CompileOptions, checkVocabulary, splitOptions } from './options.ts'

/** A compiled schema: a grammar, and what the schema said that the grammar does not enforce. */
export interface CompiledSchema extends CompiledGrammar {
  readonly report: SchemaReport
}

/**
 * Compiles a JSON Schema for a vocabulary.
 *
 * @param schema JSON text, which loses nothing (order of keys, digits of numbers), or a value
 * @throws JsonError for text that is not JSON, SchemaError for what cannot be enforced or satisfied, with all places,
 *   LimitError where deciding costs too much, VocabularyError where the vocabulary cannot spell any instance,
 *   TypeError and RangeError for options
 */
export function compile(
  schema: string | JsonValue | object,
  vocabulary: Vocabulary,
  options: CompileOptions = {},
): CompiledSchema {
  checkVocabulary(vocabulary)
  return compileWith(schema, vocabulary, splitOptions(options))
}

/** `compile` with its options taken apart. */
export function compileWith(
  schema: string | JsonValue | object,
  vocabulary: Vocabulary,
  { schema: schemaOptions, mask }: ReturnType<typeof splitOptions>,
): CompiledSchema {
  const builder = new GrammarBuilder()
  const { layout } = resolveOptions(schemaOptions)
  const root = builder.declare('root')
  const { expr, report } = addSchema(builder, builder.regexes, schema, schemaOptions)
  builder.define(root, expr)
  const compiled = compileGrammar(builder.build(root, layout), vocabulary, mask)
  return Object.assign(compiled, { report: withVocabulary(report, vocabulary) })
}

/** The report, and what the vocabulary cannot spell. */
export function withVocabulary(report: SchemaReport, vocabulary: Vocabulary): SchemaReport {
  if (spellsEverything(vocabulary.alphabet)) return report
  return { ...report, narrowings: [...report.narrowings, { pointer: '#', ...narrowingOf('bytes') }] }
}
