/**
 * The byte alphabet of byte-level BPE (GPT-2 and after): each byte is written as one printable character.
 *
 * Printable Latin-1 characters stand for themselves; the other 68 bytes, in order, are written U+0100, U+0101 and so on (a
 * space is `Ġ`). So every character is one UTF-16 unit, and one or two bytes of UTF-8, and a token has as many bytes as its
 * text has characters.
 *
 * Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), `bytes_to_unicode`.
 */

/** The byte of a character, by code point; -1 outside the alphabet. */
const BYTE_OF = byteTable()

function byteTable(): Int16Array {
  const table = new Int16Array(0x144).fill(-1)
  let next = 0x100
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
    table[printable ? byte : next++] = byte
  }
  return table
}

const BACKSLASH = 0x5c

/**
 * Writes the bytes that a JSON string spells, in UTF-8 and without its quotes in `source[start, end)`, to `out` from `at` on.
 * Returns the end of what is written, or -1 where a character lies outside the alphabet or is none.
 */
export function writeByteLevel(
  source: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  const table = BYTE_OF
  for (let i = start; i < end; i++) {
    let point = source[i]!
    if (point === BACKSLASH) {
      point = escaped(source, i + 1)
      i += source[i + 1] === 0x75 ? 5 : 1
    } else if (point >= 0x80) {
      if (point < 0xc2 || point > 0xc5 || ++i === end) return -1
      const second = source[i]!
      if ((second & 0xc0) !== 0x80) return -1
      point = ((point & 0x1f) << 6) | (second & 0x3f)
    }
    if (point >= table.length) return -1
    const byte = table[point]!
    if (byte < 0) return -1
    out[at++] = byte
  }
  return at
}

/** The UTF-16 unit of an escape whose first character behind the backslash is at `at`; a very large one for what is none of use. */
function escaped(source: Uint8Array, at: number): number {
  const first = source[at]
  if (first === 0x22 || first === BACKSLASH || first === 0x2f) return first
  if (first !== 0x75) return Number.MAX_SAFE_INTEGER
  let unit = 0
  for (let i = at + 1; i < at + 5; i++) {
    const digit = source[i]!
    const value = digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x57
    if (!(value >= (digit <= 0x39 ? 0 : 10) && value < 16)) return Number.MAX_SAFE_INTEGER
    unit = 16 * unit + value
  }
  return unit
}

/** The bytes of a token with this text; a character outside the alphabet stands for its UTF-8. */
export function byteLevelBytes(text: string): Uint8Array {
  const utf8 = new TextEncoder()
  const bytes: number[] = []
  for (const character of text) {
    const byte = BYTE_OF[character.codePointAt(0)!] ?? -1
    if (byte >= 0) bytes.push(byte)
    else bytes.push(...utf8.encode(character))
  }
  return Uint8Array.from(bytes)
}

/** The bytes as a vocabulary writes them. */
export function byteLevelText(bytes: Uint8Array): string {
  return String.fromCharCode(...Array.from(bytes, (byte) => BYTE_OF.indexOf(byte)))
}
