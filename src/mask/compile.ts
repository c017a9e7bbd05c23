/** Grammar and vocabulary to compiled grammar. */
import { largestLeast } from '../automaton/sizes.ts'
import { canSpell, canSpellKey } from '../automaton/terminals.ts'
import { mayHaveDeadEnds, spellsEverything, trimGrammar } from '../automaton/trim.ts'
import { LimitError, VocabularyError } from '../errors.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { CompiledGrammar } from './compiled-grammar.ts'
import { checkEndTokens } from './end-tokens.ts'
import { GrammarState } from './grammar-state.ts'
import { type MaskLimits, resolveMaskLimits } from './limits.ts'

/**
 * Compiles a grammar for a vocabulary. Automata and masks are made when first asked for, so this costs what is linear in
 * the grammar.
 *
 * @throws LimitError where some value is longer than a completion may be; VocabularyError where the vocabulary cannot spell any text of the
 *   grammar, or a token that ends a text is named where the text must go on
 */
export function compileGrammar(
  grammar: Grammar,
  vocabulary: Vocabulary,
  limits: MaskLimits = {},
): CompiledGrammar {
  const { alphabet } = vocabulary
  const resolved = resolveMaskLimits(limits)
  const maxBytes = resolved.maxCompletionBytes
  const size = largestLeast(grammar)
  if (size > maxBytes) {
    throw new LimitError(
      'bytes that a value has at least',
      maxBytes,
      size,
      'lower minLength, minItems or minProperties, or raise limits.maxCompletionBytes',
    )
  }
  const whole = spellsEverything(alphabet) && !mayHaveDeadEnds(grammar)
  const spelled = whole
    ? grammar
    : trimGrammar(
        grammar,
        alphabet,
        (terminal) => canSpell(terminal, grammar, alphabet, { maxStates: resolved.maxStates }),
        (keys) => canSpellKey(keys, grammar, alphabet, { maxStates: resolved.maxStates }),
      )
  if (spelled === null) {
    throw new VocabularyError(
      `${CANNOT}: every one needs a byte that no token has, or a number with more digits than are written`,
    )
  }
  checkEndTokens(spelled, vocabulary)
  const state = new GrammarState(spelled, vocabulary, resolved)
  if (state.unique !== null && !vocabulary.spellsBytes)
    throw new VocabularyError(
      'uniqueItems needs a vocabulary in which every byte is a token by itself: else what items are left could not be told',
    )
  if (!state.canBeFinished()) throw new VocabularyError(`${CANNOT}: its tokens do not fit together to one`)
  return new CompiledGrammar(state, resolved)
}

const CANNOT = 'the vocabulary cannot spell any text of the grammar'
