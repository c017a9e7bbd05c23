/**
 * How code points are written in bytes, and the least way to write one of many: the shortest, the lowest bytes among those.
 *
 * A spelling is found within the bytes of an alphabet, since a vocabulary may lack some. It costs a look at each code point
 * of a range at worst; those with a lead byte that is not there are passed over at once.
 */
import { SHORT_ESCAPES } from '../json/escapes.ts'
import type { CharLanguage } from './char-language.ts'

/** As any JSON string, as a key (one spelling of each character), or as UTF-8 without quotes. */
export type Spelling = 'json' | 'key' | 'raw'

export const QUOTE = 0x22
export const BACKSLASH = 0x5c

/** For each class of code points its shortest spelling, lowest bytes first; `null` where the alphabet has none. */
export function leastSpellings(
  chars: CharLanguage | null,
  spelling: Spelling,
  alphabet: Uint8Array,
): (Uint8Array | null)[] {
  if (chars === null) return leastOfAny(spelling, alphabet)
  const least: (Uint8Array | null)[] = new Array(chars.classCount).fill(null)
  chars.rangeStarts.forEach((low, i) => {
    const high = (chars.rangeStarts[i + 1] ?? 0x110000) - 1
    const cls = chars.rangeClass[i]!
    const known = least[cls] ?? null
    if (known !== null && known.length === 1 && known[0]! < low) return
    const found = leastInRange(low, high, spelling, alphabet)
    if (found !== null && (known === null || isLess(found, known))) least[cls] = found
  })
  return least
}

/** By alphabet and spelling: each bounded string asks anew. */
const known = new WeakMap<Uint8Array, Map<Spelling, (Uint8Array | null)[]>>()

function leastOfAny(spelling: Spelling, alphabet: Uint8Array): (Uint8Array | null)[] {
  let bySpelling = known.get(alphabet)
  if (bySpelling === undefined) {
    bySpelling = new Map()
    known.set(alphabet, bySpelling)
  }
  let least = bySpelling.get(spelling)
  if (least === undefined) {
    least = [leastInRange(0, 0x10ffff, spelling, alphabet)]
    bySpelling.set(spelling, least)
  }
  return least
}

function isLess(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return a.length < b.length
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!
  return false
}

const encoder = new TextEncoder()

/** The least spelling of a code point of [low, high]. Lengths grow with the code point but for escapes, so each band's first that fits wins. */
function leastInRange(
  low: number,
  high: number,
  spelling: Spelling,
  alphabet: Uint8Array,
): Uint8Array | null {
  let best: Uint8Array | null = null
  const offer = (bytes: Uint8Array): void => {
    if (bytes.every((byte) => alphabet[byte] === 1) && (best === null || isLess(bytes, best))) best = bytes
  }
  for (let c = low; c <= Math.min(high, 0x7f); c++) {
    const plain = spelling === 'raw' || (c >= 0x20 && c !== QUOTE && c !== BACKSLASH)
    if (plain) offer(Uint8Array.of(c))
    if (spelling === 'raw') continue
    for (const [letter, codePoint] of SHORT_ESCAPES) {
      if (codePoint === c && (letter !== 0x2f || spelling === 'json')) offer(Uint8Array.of(BACKSLASH, letter))
    }
    if (c < 0x20 || spelling === 'json') offer(encoder.encode(`\\u${c.toString(16).padStart(4, '0')}`))
  }
  if (best !== null) return best
  for (const [from, to] of [
    [0x80, 0x7ff],
    [0x800, 0xd7ff],
    [0xe000, 0xffff],
    [0x10000, 0x10ffff],
  ] as const) {
    for (let c = Math.max(low, from); c <= Math.min(high, to); c++) {
      const bytes = encoder.encode(String.fromCodePoint(c))
      const bad = bytes.findIndex((byte) => alphabet[byte] !== 1)
      if (bad < 0) return bytes
      // No code point with the same lead byte can be spelled either: go on at the next one.
      if (bad === 0) c |= 64 ** (bytes.length - 1) - 1
    }
  }
  if (spelling !== 'json') return null
  const c = Math.max(low, 0x80)
  if (c > high) return null
  if (c >= 0xd800 && c <= 0xdfff && high <= 0xdfff) return null
  const units = String.fromCodePoint(c >= 0xd800 && c <= 0xdfff ? 0xe000 : c)
  const escaped = [...Array(units.length).keys()].map(
    (i) => `\\u${units.charCodeAt(i).toString(16).padStart(4, '0')}`,
  )
  offer(encoder.encode(escaped.join('')))
  return best
}

/** The least text of one character, `''` where there is none. */
export function leastOf(spellings: readonly (Uint8Array | null)[]): string {
  let least: string | null = null
  for (const spelling of spellings) {
    if (spelling === null) continue
    const text = String.fromCharCode(...spelling)
    if (least === null || text.length < least.length || (text.length === least.length && text < least))
      least = text
  }
  return least ?? ''
}
