/** The engine's state of a schema, for tests that look behind a matcher. */
import type { CompileOptions, Vocabulary } from '../../src/core.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { GrammarState } from '../../src/mask/grammar-state.ts'
import { resolveMaskLimits } from '../../src/mask/limits.ts'
import { splitOptions } from '../../src/mask/options.ts'
import { addSchema, resolveOptions } from '../../src/schema/index.ts'

export function grammarStateOf(
  schema: object,
  vocabulary: Vocabulary,
  options: CompileOptions,
): GrammarState {
  const { schema: schemaOptions, mask } = splitOptions(options)
  const builder = new GrammarBuilder()
  const { layout } = resolveOptions(schemaOptions)
  const root = builder.declare('root')
  builder.define(root, addSchema(builder, builder.regexes, schema, schemaOptions).expr)
  return new GrammarState(builder.build(root, layout), vocabulary, resolveMaskLimits(mask))
}
