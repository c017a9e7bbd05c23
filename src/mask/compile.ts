/** Grammar and vocabulary to compiled grammar. */
import { tooWideRule } from '../automaton/first-steps.ts'
import { largestLeast } from '../automaton/sizes.ts'
import { canSpell, canSpellKey } from '../automaton/terminals.ts'
import { mayHaveDeadEnds, spellsEverything, trimGrammar } from '../automaton/trim.ts'
import { LimitError, VocabularyError } from '../errors.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { CompiledGrammar } from './compiled-grammar.ts'
import { GrammarState } from './grammar-state.ts'
import { type MaskLimits, resolveMaskLimits } from './limits.ts'
import { whyUnspelled } from './missing-bytes.ts'

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
      'bytes that a text or value has at least',
      maxBytes,
      size,
      'lower minLength, minItems, minProperties, the number of required keys or a count of the grammar, or raise limits.maxCompletionBytes',
    )
  }
  const trim = (bytes: Uint8Array): Grammar | null =>
    trimGrammar(
      grammar,
      bytes,
      (terminal) => canSpell(terminal, grammar, bytes, { maxStates: resolved.maxStates }),
      (keys) => canSpellKey(keys, grammar, bytes, { maxStates: resolved.maxStates }),
    )
  // Control characters stand in raw texts alone, and few vocabularies lack one.
  const isWhole = spellsEverything(alphabet) && !alphabet.subarray(0, 0x20).includes(0)
  const spelled = isWhole && !mayHaveDeadEnds(grammar) ? grammar : trim(alphabet)
  if (spelled === null)
    throw new VocabularyError(`${CANNOT}: ${whyUnspelled(alphabet, vocabulary.size, resolved, trim)}`)
  const state = new GrammarState(spelled, vocabulary, resolved)
  checkBeginnings(spelled, state, resolved.maxClosureSteps)
  if (state.unique !== null && !vocabulary.spellsBytes)
    throw new VocabularyError(
      'uniqueItems needs a vocabulary in which every byte is a token by itself: else what items are left could not be told',
    )
  if (!state.canBeFinished()) throw new VocabularyError(`${CANNOT}: its tokens do not fit together to one`)
  return new CompiledGrammar(state, resolved)
}

/** What any text would meet is met now: rules that are too wide, and outside of JSON, where texts can be ambiguous, the beginning. */
function checkBeginnings({ rules }: Grammar, { program }: GrammarState, limit: number): void {
  const wide = tooWideRule(program.nodes, program.rules, limit)
  if (wide >= 0)
    throw new LimitError(
      'steps between two tokens of the text',
      limit,
      limit + 1,
      `let fewer alternatives begin rule ${rules[wide]!.name}, or raise limits.maxClosureSteps`,
    )
  if (!program.isJson) program.closure(program.start)
}

const CANNOT = 'the vocabulary cannot spell any text of the grammar'
