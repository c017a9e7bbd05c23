/**
 * Text into a matcher byte by byte, whatever the vocabulary: each byte as the token that is this byte alone. A grammar
 * speaks of bytes, so the way in which a text is cut into tokens does not change what it accepts.
 */
import { hasBit } from '../bits.ts'
import { VocabularyError } from '../errors.ts'
import type { Matcher } from '../mask/matcher.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

export class ByteFeeder {
  readonly #ids = new Int32Array(256).fill(-1)

  constructor(vocabulary: Vocabulary) {
    for (let id = 0; id < vocabulary.size; id++) {
      const bytes = vocabulary.bytes(id)
      if (bytes?.length === 1) this.#ids[bytes[0]!] = id
    }
  }

  /** Gives the matcher all bytes, or up to the first that it refuses; the number it took. */
  feed(matcher: Matcher, bytes: Uint8Array): number {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!
      const id = this.#ids[byte]!
      if (id < 0) {
        throw new VocabularyError(
          `the vocabulary has no token for the byte 0x${byte.toString(16)} alone; check without --model`,
        )
      }
      if (!matcher.accept(id)) return i
    }
    return bytes.length
  }

  /** What may come next, in words. */
  followers(matcher: Matcher): string[] {
    const mask = matcher.mask()
    const bytes: number[] = []
    for (let byte = 0; byte < 256; byte++) {
      const id = this.#ids[byte]!
      if (id >= 0 && hasBit(mask, id)) bytes.push(byte)
    }
    const words = describeBytes(bytes)
    if (matcher.isComplete()) words.push('the end')
    return words
  }
}

/** Bytes in words: printable ASCII as itself, runs as ranges, the rest by what it begins. */
export function describeBytes(bytes: readonly number[]): string[] {
  const words: string[] = []
  const ascii = bytes.filter((byte) => byte < 0x80)
  for (let i = 0; i < ascii.length; ) {
    let end = i
    while (
      end + 1 < ascii.length &&
      ascii[end + 1] === ascii[end]! + 1 &&
      sameKind(ascii[i]!, ascii[end + 1]!)
    )
      end++
    if (end - i >= 2) words.push(`${character(ascii[i]!)}-${character(ascii[end]!)}`)
    else for (let j = i; j <= end; j++) words.push(character(ascii[j]!))
    i = end + 1
  }
  if (bytes.some((byte) => byte >= 0xc2)) words.push('a character beyond ASCII')
  if (bytes.some((byte) => byte >= 0x80 && byte < 0xc0)) words.push('the next byte of this character')
  return words
}

/** Ranges do not run from digits into letters or punctuation. */
function sameKind(a: number, b: number): boolean {
  const kind = (byte: number) => {
    if (byte >= 0x30 && byte <= 0x39) return 0
    if (byte >= 0x41 && byte <= 0x5a) return 1
    if (byte >= 0x61 && byte <= 0x7a) return 2
    return byte < 0x20 ? 3 : 4
  }
  return kind(a) === kind(b)
}

function character(byte: number): string {
  if (byte === 0x20) return 'space'
  if (byte === 0x0a) return 'line feed'
  if (byte === 0x0d) return 'carriage return'
  if (byte === 0x09) return 'tab'
  if (byte < 0x20 || byte === 0x7f) return `0x${byte.toString(16).padStart(2, '0')}`
  return String.fromCharCode(byte)
}
