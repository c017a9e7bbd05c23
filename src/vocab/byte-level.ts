/**
 * The byte alphabet of byte-level BPE (GPT-2 and after): each byte is written as one printable character.
 *
 * Printable Latin-1 characters stand for themselves; the other 68 bytes, in order, are written U+0100, U+0101 and so on (a
 * space is `Ġ`). Every character is one UTF-16 unit, so a token has as many bytes as its text has units.
 *
 * Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), `bytes_to_unicode`.
 */

/** The byte of a character, by UTF-16 unit; -1 outside the alphabet. */
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

/**
 * Writes the bytes that `text[start, end)` spells to `out` from `at` on. Returns the index of the first character outside
 * the alphabet, or -1 when there is none and `end - start` bytes are written.
 */
export function writeByteLevel(
  text: string,
  start: number,
  end: number,
  out: Uint8Array,
  at: number,
): number {
  const table = BYTE_OF
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i)
    const byte = unit < table.length ? table[unit]! : -1
    if (byte < 0) return i
    out[at++] = byte
  }
  return -1
}
