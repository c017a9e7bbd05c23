/**
 * The engine alone: schemas and grammars, vocabularies, masks. No Node modules, no ONNX; runs in a browser too.
 *
 *     const vocabulary = Vocabulary.fromTokenizerJson(text, { endTokens: ['<|eot_id|>'] })
 *     const matcher = compile(schema, vocabulary).matcher()
 *     const mask = matcher.mask()      // choose a token whose bit is set …
 *     matcher.accept(id)               // … and say which
 *
 * `compileRegex` does the same for the texts that match a regular expression, `compileGbnf` for those of a grammar, and
 * `compilePart` for what is put together of texts, patterns, schemas and free text.
 */
export * from './errors.ts'
export {
  choice,
  type FreeTextOptions,
  freeText,
  gbnf,
  jsonSchema,
  type LiteralPart,
  literal,
  optional,
  type Part,
  type RepeatOptions,
  type RulePart,
  regex,
  repeat,
  rule,
  sequence,
  type TokenPart,
  token,
} from './grammar/compose.ts'
export { JsonNumber, type JsonValue } from './json/value.ts'
export { type CompiledGbnf, compileGbnf, type GbnfOptions } from './mask/compile-gbnf.ts'
export { compilePart } from './mask/compile-part.ts'
export { compileRegex, type RegexOptions } from './mask/compile-regex.ts'
export { type CompiledSchema, compile } from './mask/compile-schema.ts'
export { CompiledGrammar } from './mask/compiled-grammar.ts'
export { type FailedMask, type FillMasksOptions, fillMasks } from './mask/fill-masks.ts'
export type { Frame } from './mask/frames.ts'
export type { MaskLimits } from './mask/limits.ts'
export type { MaskOptions, Matcher, MatcherOptions } from './mask/matcher.ts'
export type { CompileOptions } from './mask/options.ts'
export { warmUp } from './mask/warm-up.ts'
export type { Limits, SchemaOptions, SchemaReport } from './schema/index.ts'
export { Vocabulary, type VocabularyOptions } from './vocab/vocabulary.ts'
