/**
 * How the families that came from SentencePiece write the bytes of a token: as text, in which `▁` (U+2581) is a space, and
 * single bytes as `<0x0A>` where the tokenizer falls back to bytes.
 *
 * A `▁` is a space wherever the token stands. That their decoders drop the first space of what they are given is a rule for
 * whole texts (`TokenFamily.stripsFirstSpace`), not one for tokens.
 *
 * Sources: Kudo and Richardson, "SentencePiece" (2018); the decoders `Replace`, `ByteFallback`, `Metaspace` and `Strip` of
 * Hugging Face's `tokenizers`.
 */
import type { TextRules } from './tokenizer-family.ts'

const BACKSLASH = 0x5c
const SPACE = 0x20
/** A token for one byte has this many characters: `<0x0A>`. */
const BYTE_TOKEN = 6

/**
 * Writes the bytes of the token that a JSON string spells, in UTF-8 and without its quotes in `source[start, end)`, to `out`
 * from `at` on. Returns the end of what is written, or -1 where there is an escape or something that is not UTF-8.
 */
export function writeSentencePiece(
  source: Uint8Array,
  start: number,
  end: number,
  { spaces, byteFallback }: TextRules,
  out: Uint8Array,
  at: number,
): number {
  if (byteFallback && end - start === BYTE_TOKEN) {
    const byte = byteToken(source, start)
    if (byte >= 0) {
      out[at] = byte
      return at + 1
    }
  }
  for (let i = start; i < end; ) {
    const byte = source[i]!
    if (byte < 0x80) {
      if (byte === BACKSLASH) return -1
      out[at++] = byte
      i++
      continue
    }
    const length = lengthOfCharacter(source, i)
    if (length === 0 || i + length > end) return -1
    if (spaces && byte === 0xe2 && source[i + 1] === 0x96 && source[i + 2] === 0x81) out[at++] = SPACE
    else for (let k = 0; k < length; k++) out[at++] = source[i + k]!
    i += length
  }
  return at
}

/** The bytes of a token with this text. */
export function sentencePieceBytes(text: string, rules: TextRules): Uint8Array {
  const utf8 = new TextEncoder().encode(text)
  if (rules.byteFallback && utf8.length === BYTE_TOKEN) {
    const byte = byteToken(utf8, 0)
    if (byte >= 0) return Uint8Array.of(byte)
  }
  return rules.spaces ? new TextEncoder().encode(text.replaceAll('\u2581', ' ')) : utf8
}

/** The byte that the six characters from `at` on name, or -1. */
function byteToken(source: Uint8Array, at: number): number {
  if (source[at] !== 0x3c || source[at + 1] !== 0x30 || source[at + 2] !== 0x78 || source[at + 5] !== 0x3e)
    return -1
  const high = hexDigit(source[at + 3]!)
  const low = hexDigit(source[at + 4]!)
  return high < 0 || low < 0 ? -1 : 16 * high + low
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Bytes of the character of UTF-8 that begins at `at` with a byte above 0x7f; 0 where there is none. */
function lengthOfCharacter(source: Uint8Array, at: number): number {
  const lead = source[at]!
  const second = source[at + 1]!
  if (lead < 0xc2 || lead > 0xf4 || (second & 0xc0) !== 0x80) return 0
  if (lead < 0xe0) return 2
  if ((source[at + 2]! & 0xc0) !== 0x80) return 0
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if (lead < 0xf0) return (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f) ? 0 : 3
  if ((source[at + 3]! & 0xc0) !== 0x80) return 0
  return (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f) ? 0 : 4
}
