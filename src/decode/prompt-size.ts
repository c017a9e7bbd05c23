/**
 * Whether a prompt can fit a context, told before it is encoded.
 *
 * Encoding costs 20 µs a character in a word that does not end, so that a description of 1 MB without a space, which fits no
 * context, took most of a minute to be refused. A tokenizer that leaves nothing out writes a text in no fewer tokens than the
 * fewest that spell it, and those are found by one pass over its bytes (`Vocabulary.tokenCount`), which ends where they are
 * too many.
 */
import { ModelError } from '../errors.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { PromptPiece, PromptTokenizer } from './tokenizer.ts'

/** Bytes that are counted at once. */
const CHUNK = 1 << 16

export interface PromptReader {
  readonly vocabulary: Vocabulary
  readonly tokenizer: PromptTokenizer
  /** Absent where prompts of any length are to be encoded. */
  readonly contextLength?: number
}

/**
 * Ids of a prompt. `addPrefix` puts the tokens before it that the tokenizer begins a text with.
 *
 * @throws ModelError for a prompt that has more tokens than the context, however it is encoded
 */
export function encodePrompt(
  { vocabulary, tokenizer, contextLength = Number.POSITIVE_INFINITY }: PromptReader,
  pieces: readonly PromptPiece[],
  addPrefix = false,
): number[] {
  const least = tokenizer.keepsTexts ? leastTokens(pieces, vocabulary, contextLength) : 0
  if (least > contextLength)
    throw new ModelError(
      `the prompt has at least ${least} tokens and the model's context ${contextLength}; shorten the messages or the tools`,
    )
  return tokenizer.encode(pieces, addPrefix)
}

/**
 * A number of tokens below which no prompt of these pieces has any, 0 for one that surely fits; it goes no further than is
 * `enough`. Control tokens are left out of account, and so is what a token may take of two chunks or pieces.
 */
function leastTokens(pieces: readonly PromptPiece[], vocabulary: Vocabulary, enough: number): number {
  const isShort = pieces.reduce((sum, { text }) => sum + text.length, 0) * MAX_BYTES <= enough
  if (isShort) return 0
  const longest = longestToken(vocabulary)
  let least = 0
  for (const { text, trusted } of pieces) {
    if (trusted) continue
    // A tokenizer may compose characters first; to one of SentencePiece a `▁` is a space.
    const counts = new Set([text, text.normalize('NFC'), text.replaceAll('\u2581', ' ')])
    least += Math.min(...[...counts].map((each) => fewest(each, vocabulary, longest, enough - least)))
    if (least > enough) break
  }
  return least
}

/** UTF-8 bytes of a UTF-16 unit. */
const MAX_BYTES = 3

function fewest(text: string, vocabulary: Vocabulary, longest: number, enough: number): number {
  const bytes = new TextEncoder().encode(text)
  let sum = 0
  for (let from = 0; from < bytes.length && sum <= enough; from += CHUNK) {
    const count = vocabulary.tokenCount(bytes.subarray(from, from + CHUNK))
    // Of what no token spells nothing is known.
    if (count < Number.POSITIVE_INFINITY) sum += Math.max(0, count - 2 * longest)
  }
  return sum
}

const lengths = new WeakMap<Vocabulary, number>()

/** Bytes of the longest token. */
function longestToken(vocabulary: Vocabulary): number {
  let longest = lengths.get(vocabulary)
  if (longest === undefined) {
    longest = 0
    for (let id = 0; id < vocabulary.size; id++)
      longest = Math.max(longest, vocabulary.bytes(id)?.length ?? 0)
    lengths.set(vocabulary, longest)
  }
  return longest
}
