/** Grammar text and vocabulary to compiled grammar: what `compileGbnf` of the public API is. */
import type { GrammarProblem } from '../errors.ts'
import { addGbnf } from '../gbnf/index.ts'
import { GrammarBuilder } from '../grammar/grammar.ts'
import { resolveOptions } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { compileGrammar } from './compile.ts'
import type { CompiledGrammar } from './compiled-grammar.ts'
import { type CompileOptions, checkNames, checkVocabulary, splitLimits } from './options.ts'

export interface GbnfOptions extends Pick<CompileOptions, 'limits'> {
  /** The rule whose texts are the language; default `root`. */
  readonly root?: string
}

/** A compiled grammar, and what its text has that is perhaps not meant. */
export interface CompiledGbnf extends CompiledGrammar {
  readonly report: {
    /** Rules that are not used or can never end, classes that look like texts; in the order of the text, at most 100. */
    readonly notes: readonly GrammarProblem[]
  }
}

/**
 * Compiles a grammar in GBNF, the notation of llama.cpp, for a vocabulary.
 *
 * Any context-free grammar is taken, left-recursive and ambiguous ones too. Rules that can never end are left out, and
 * `report.notes` says so. `<think>` and `<[7]>` are tokens of the vocabulary, by their text or id; `!<think>` is any one
 * token but that.
 *
 * @param text the grammar, or its bytes in UTF-8
 * @throws GrammarError with line and column, for what is no GBNF, for rules that are unknown, defined twice or have no text at
 *   all; LimitError where something is too large; VocabularyError where the vocabulary cannot spell any text of the
 *   grammar; TypeError and RangeError for options
 */
export function compileGbnf(
  text: string | Uint8Array,
  vocabulary: Vocabulary,
  options: GbnfOptions = {},
): CompiledGbnf {
  if (typeof text !== 'string' && !(text instanceof Uint8Array))
    throw new TypeError(`a grammar is its text or the bytes of it, not ${typeof text}`)
  checkVocabulary(vocabulary)
  checkNames(options, ['root', 'limits'])
  const { root = 'root' } = options
  if (typeof root !== 'string') throw new TypeError(`option root is the name of a rule, not ${typeof root}`)
  const split = splitLimits(options.limits)
  const { layout, limits } = resolveOptions({ limits: split.schema })
  const builder = new GrammarBuilder()
  const { expr, notes } = addGbnf(builder, text, { root, tokens: vocabulary, maxSteps: limits.maxSteps })
  const compiled = compileGrammar(builder.build(expr.rule, layout), vocabulary, split.mask)
  return Object.assign(compiled, { report: { notes } })
}
