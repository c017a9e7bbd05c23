/**
 * Literals and classes as GBNF writes them: what stands between quotes, and between brackets.
 *
 * Each is read from its first character on, up to where the next item may begin. Linear in what is read.
 */
import { CharSet } from '../regex/charset.ts'
import { readCharacter } from './characters.ts'
import type { Places } from './places.ts'

/** Ranges of a class that are sorted at once. */
const MANY = 10_000
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The text of a literal, which begins with `"`; `end` is behind the last quote. */
export function readLiteral(
  text: string,
  start: number,
  places: Places,
): { readonly literal: string; readonly end: number } {
  const parts: string[] = []
  let at = start + 1
  let plain = at
  for (;;) {
    if (at >= text.length) places.fail('expected " at the end of the literal that begins here', start)
    const character = text.charCodeAt(at)
    if (character === QUOTE) break
    // What needs no look is taken over as it stands.
    if (character !== BACKSLASH && (character < 0xd800 || character > 0xdfff)) {
      at++
      continue
    }
    const { codePoint, end } = readCharacter(text, at, places)
    parts.push(text.slice(plain, at), String.fromCodePoint(codePoint))
    at = end
    plain = end
  }
  parts.push(text.slice(plain, at))
  return { literal: parts.join(''), end: at + 1 }
}

/**
 * The characters of a class, which begins with `[`; `end` is behind the `]`. `twice` is a character that is there twice by
 * itself, -1 where none is: such a class is often meant as a text.
 */
export function readClass(
  text: string,
  start: number,
  places: Places,
): { readonly set: CharSet; readonly end: number; readonly twice: number } {
  const isNegated = text[start + 1] === '^'
  const ranges: (readonly [number, number])[] = []
  let at = start + (isNegated ? 2 : 1)
  while (text[at] !== ']') {
    if (at >= text.length) places.fail('expected ] at the end of the class that begins here', start)
    const low = readCharacter(text, at, places)
    if (text[low.end] !== '-' || text[low.end + 1] === ']') {
      ranges.push([low.codePoint, low.codePoint])
      at = low.end
      continue
    }
    if (low.end + 1 >= text.length) places.fail('expected ] at the end of the class that begins here', start)
    const high = readCharacter(text, low.end + 1, places)
    if (high.codePoint < low.codePoint)
      places.fail(`the range ${text.slice(at, high.end)} is out of order`, at)
    ranges.push([low.codePoint, high.codePoint])
    at = high.end
  }
  if (ranges.length === 0) {
    const instead = isNegated ? 'write . for any character' : 'write "" for the empty text'
    places.fail(`an empty class; ${instead}`, start)
  }
  let set = CharSet.of()
  for (let from = 0; from < ranges.length; from += MANY)
    set = set.union(CharSet.of(...ranges.slice(from, from + MANY)))
  const meant = isNegated ? set.complement() : set
  if (meant.isEmpty) places.fail('a class that no character is in', start)
  return { set: meant, end: at + 1, twice: repeatedIn(ranges) }
}

function repeatedIn(ranges: readonly (readonly [number, number])[]): number {
  const met = new Set<number>()
  for (const [low, high] of ranges) {
    if (low !== high) continue
    if (met.has(low)) return low
    met.add(low)
  }
  return -1
}
