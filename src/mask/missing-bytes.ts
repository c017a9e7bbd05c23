/**
 * Why a vocabulary cannot spell any text of a grammar, in words: which bytes no token has.
 *
 * A byte that every text needs is in the shortest one, so only the bytes of that are looked at, each by asking whether the
 * grammar would be empty without it alone. This runs only on the way to an error.
 */
import type { Grammar } from '../grammar/grammar.ts'
import { Vocabulary } from '../vocab/vocabulary.ts'
import { CompiledGrammar } from './compiled-grammar.ts'
import { GrammarState } from './grammar-state.ts'
import type { MaskLimits } from './limits.ts'

/** More bytes than these are not named, nor is more of the text shown. */
const MOST = 8
const MOST_TEXT = 60

/**
 * @param trim what is left of the grammar where these bytes can be written, `null` for nothing
 * @param size the width of masks, which holds all tokens that the grammar names
 */
export function whyUnspelled(
  alphabet: Uint8Array,
  size: number,
  limits: Required<MaskLimits>,
  trim: (alphabet: Uint8Array) => Grammar | null,
): string {
  const all = new Uint8Array(256).fill(1)
  const spelled = trim(all)
  if (spelled === null) return 'every one needs a number with more digits than are written'
  const text = leastText(spelled, size, limits)
  const missing = [...new Set(text)].filter((byte) => alphabet[byte] !== 1).slice(0, MOST)
  const needed = missing.filter((byte) => trim(all.with(byte, 0)) === null)
  if (needed.length > 0) return `every one needs ${bytesOf(needed)}, which no token has`
  const shown = JSON.stringify(new TextDecoder().decode(text).slice(0, MOST_TEXT))
  return `the shortest, ${shown}, needs ${bytesOf(missing)}, which no token has, and the others such bytes, too`
}

/** The shortest text of the grammar with a token for each byte, all others being control tokens. */
function leastText(grammar: Grammar, size: number, limits: Required<MaskLimits>): Uint8Array {
  const tokens = Array.from({ length: size + 257 }, (_, id) =>
    id < size || id === size + 256 ? null : Uint8Array.of(id - size),
  )
  const controlTokens = Array.from({ length: size }, (_, id) => id)
  const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [size + 256], controlTokens })
  const compiled = new CompiledGrammar(new GrammarState(grammar, vocabulary, limits), limits)
  return new TextEncoder().encode(compiled.matcher().shortestCompletion().text)
}

function bytesOf(bytes: readonly number[]): string {
  const named = bytes.map((byte) => {
    const hex = `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`
    return byte > 0x20 && byte < 0x7f ? `${hex} (${JSON.stringify(String.fromCharCode(byte))})` : hex
  })
  return `the ${named.length === 1 ? 'byte' : 'bytes'} ${named.join(', ')}`
}
