/** Parts and vocabulary to compiled grammar: what `compilePart` of the public API is. */

import { isPart, kindOf, literal, type Part, remedyFor } from '../grammar/compose.ts'
import { GrammarBuilder } from '../grammar/grammar.ts'
import { resolveOptions } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { compileGrammar } from './compile.ts'
import { type CompiledSchema, withVocabulary } from './compile-schema.ts'
import { lowerPart } from './lower-parts.ts'
import { type CompileOptions, checkVocabulary, splitOptions } from './options.ts'

/**
 * Compiles a grammar that was put together of parts (`sequence`, `choice`, `jsonSchema`, …) for a vocabulary.
 *
 * The options are those of `compile`, and hold for every schema in it. Pointers of errors and of the report begin with the
 * part: `sequence[1].jsonSchema#/properties/x`.
 *
 * @throws SchemaError for schemas, all problems of all of them together; PatternError, LimitError; VocabularyError for a
 *   token that the vocabulary lacks, and where it cannot spell any text; TypeError and RangeError for what is no part, for a
 *   rule that never ends, and for options
 */
export function compilePart(
  part: Part | string,
  vocabulary: Vocabulary,
  options: CompileOptions = {},
): CompiledSchema {
  checkVocabulary(vocabulary)
  return compilePartWith(part, vocabulary, splitOptions(options))
}

/** `compilePart` with its options taken apart. */
export function compilePartWith(
  given: Part | string,
  vocabulary: Vocabulary,
  { schema, mask }: ReturnType<typeof splitOptions>,
): CompiledSchema {
  const part = typeof given === 'string' ? literal(given) : given
  if (!isPart(part))
    throw new TypeError(`a grammar is put together of parts, not of ${kindOf(part)}${remedyFor(part)}`)
  const builder = new GrammarBuilder()
  const { layout } = resolveOptions(schema)
  const { expr, report } = lowerPart(part, builder, vocabulary, schema)
  const compiled = compileGrammar(builder.build(expr.rule, layout), vocabulary, mask)
  return Object.assign(compiled, { report: withVocabulary(report, vocabulary) })
}
