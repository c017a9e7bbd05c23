/** Grammar and vocabulary to compiled grammar. */
import { canSpell } from '../automaton/terminals.ts'
import { hasExtremeNumber, spellsEverything, trimGrammar } from '../automaton/trim.ts'
import { VocabularyError } from '../errors.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { CompiledGrammar } from './compiled-grammar.ts'
import { GrammarState, type MaskLimits } from './grammar-state.ts'

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
  const { alphabet } = vocabulary
  const whole = spellsEverything(alphabet) && !hasExtremeNumber(grammar)
  const spelled = whole ? grammar : trimGrammar(grammar, (terminal) => canSpell(terminal, grammar, alphabet))
  if (spelled === null) {
    throw new VocabularyError(
      `${CANNOT}: every one needs a byte that no token has, or a number with more digits than are written`,
    )
  }
  const state = new GrammarState(spelled, vocabulary, limits)
  if (!state.canBeFinished()) throw new VocabularyError(`${CANNOT}: its tokens do not fit together to one`)
  return new CompiledGrammar(state)
}

const CANNOT = 'the vocabulary cannot spell any text of the grammar'
