/** Pattern and vocabulary to compiled grammar: what `compileRegex` of the public API is. */
import { LimitError, PatternError } from '../errors.ts'
import { type Expr, GrammarBuilder } from '../grammar/grammar.ts'
import { isEmpty } from '../regex/chardfa.ts'
import { parseWholePattern } from '../regex/pattern.ts'
import type { RegexBuilder } from '../regex/regex.ts'
import { type Limits, resolveOptions } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { compileGrammar } from './compile.ts'
import { type CompiledSchema, withVocabulary } from './compile-schema.ts'
import { type CompileOptions, checkNames, checkVocabulary, splitLimits } from './options.ts'

export type RegexOptions = Pick<CompileOptions, 'limits'>

/**
 * Compiles a regular expression (ECMA-262 with flag `u`) for a vocabulary: a constraint on a raw text, not on JSON.
 *
 * The text *as a whole* matches, as if the pattern stood between `^(?:` and `)$`: `a|b` is the texts `a` and `b`. (The
 * keyword `pattern` of a schema is a search; the same search is `[^]*(?:a|b)[^]*` here.) `^` and `$` hold at the ends of the
 * text, `.` is no line break, characters are code points. A pattern that is invalid with flag `u` is read without it,
 * which `report.narrowings` says.
 *
 * @throws PatternError, with the place in the pattern, for what is no pattern, is not regular (back-references, some
 *   lookbehinds) or matches no text; LimitError where it is too large; VocabularyError where the vocabulary cannot spell any
 *   text that matches; TypeError and RangeError for options
 */
export function compileRegex(
  pattern: string,
  vocabulary: Vocabulary,
  options: RegexOptions = {},
): CompiledSchema {
  if (typeof pattern !== 'string')
    throw new TypeError(`a pattern is a string, not ${typeof pattern}: pass the source of a RegExp`)
  checkVocabulary(vocabulary)
  checkNames(options, ['limits'])
  const split = splitLimits(options.limits)
  const { layout, limits } = resolveOptions({ limits: split.schema })
  const builder = new GrammarBuilder()
  const { expr, notes } = wholeText(pattern, builder.regexes, limits)
  const root = builder.declare('root')
  builder.define(root, expr)
  const compiled = compileGrammar(builder.build(root, layout), vocabulary, split.mask)
  const narrowings = notes.map((message) => ({ pointer: '#', message }))
  const report = withVocabulary({ annotations: [], narrowings, unenforced: [] }, vocabulary)
  return Object.assign(compiled, { report })
}

/**
 * The texts that match a pattern as a whole, and how it had to be read.
 *
 * @throws PatternError where there are none; LimitError where none can be written within the limits
 */
export function wholeText(
  pattern: string,
  regexes: RegexBuilder,
  limits: Pick<Limits, 'maxStates'>,
): { readonly expr: Expr; readonly notes: readonly string[] } {
  const { regex, notes } = parseWholePattern(pattern, regexes)
  if (isEmpty(regexes, regex, limits)) throw new PatternError('no text matches', pattern, 0)
  // Each character leads to a state of its own: what ends a text goes through all of them.
  if (regex.minLength > limits.maxStates)
    throw new LimitError(
      'characters of the shortest text of a pattern',
      limits.maxStates,
      regex.minLength,
      'repeat less, or raise limits.maxStates',
    )
  return { expr: { type: 'terminal', terminal: { kind: 'text', language: regex }, frame: 'text' }, notes }
}
