/** Pattern and vocabulary to compiled grammar: what `compileRegex` of the public API is. */
import { PatternError } from '../errors.ts'
import { GrammarBuilder } from '../grammar/grammar.ts'
import { isEmpty } from '../regex/chardfa.ts'
import { parseWholePattern } from '../regex/pattern.ts'
import { resolveOptions } from '../schema/index.ts'
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
  const { regex, notes } = parseWholePattern(pattern, builder.regexes)
  if (isEmpty(builder.regexes, regex, limits)) throw new PatternError('no text matches', pattern, 0)
  const root = builder.declare('root')
  builder.define(root, { type: 'terminal', terminal: { kind: 'text', language: regex }, frame: 'text' })
  const compiled = compileGrammar(builder.build(root, layout), vocabulary, split.mask)
  const narrowings = notes.map((message) => ({ pointer: '#', message }))
  const report = withVocabulary({ annotations: [], narrowings, unenforced: [] }, vocabulary)
  return Object.assign(compiled, { report })
}
