/** Grammar and vocabulary to compiled grammar. */
import { VocabularyError } from '../errors.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { CompiledGrammar, type MaskLimits } from './compiled-grammar.ts'

/**
 * Compiles a grammar for a vocabulary. Automata and masks are made when first asked for, so this costs what is linear in
 * the grammar.
 *
 * @throws VocabularyError where the vocabulary cannot spell any text of the grammar
 */
export function compileGrammar(
  grammar: Grammar,
  vocabulary: Vocabulary,
  limits: MaskLimits = {},
): CompiledGrammar {
  const compiled = new CompiledGrammar(grammar, vocabulary, limits)
  if (compiled.completions.whole() === null) {
    throw new VocabularyError(
      'the vocabulary cannot spell any text of the grammar: a byte that every text needs is no token of its own',
    )
  }
  return compiled
}
