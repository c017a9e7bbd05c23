/**
 * Characters as GBNF writes them, within literals and classes: themselves, or escapes.
 *
 * `\n \r \t \\ \" \[ \] \-`, and code points as `\xHH`, `\uHHHH`, `\UHHHHHHHH`. A surrogate is no character; a pair of them,
 * each escaped, is the character that it stands for.
 */
import type { Places } from './places.ts'

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  '"': '"',
  '[': '[',
  ']': ']',
  '-': '-',
}
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** One character, and where the next one begins. */
export interface Character {
  readonly codePoint: number
  readonly end: number
}

/** The character at `offset`, which lies within the text. */
export function readCharacter(text: string, offset: number, places: Places): Character {
  if (text[offset] !== '\\') {
    const codePoint = text.codePointAt(offset)!
    if (isSurrogate(codePoint)) places.fail('a lone surrogate is no character', offset)
    return { codePoint, end: offset + (codePoint > 0xffff ? 2 : 1) }
  }
  const kind = text[offset + 1] ?? ''
  const simple = SIMPLE[kind]
  if (simple !== undefined) return { codePoint: simple.codePointAt(0)!, end: offset + 2 }
  if (DIGITS[kind] === undefined) {
    places.fail(
      `${kind === '' ? 'the text ends in an escape' : `\\${kind} is no escape`}; known are \\n \\r \\t \\\\ \\" \\[ \\] \\- \\xHH \\uHHHH \\UHHHHHHHH`,
      offset,
    )
  }
  const first = readHex(text, offset, places)
  if (!isSurrogate(first.codePoint)) return first
  const isHigh = first.codePoint < 0xdc00
  if (isHigh && text[first.end] === '\\' && DIGITS[text[first.end + 1] ?? ''] !== undefined) {
    const second = readHex(text, first.end, places)
    if (second.codePoint >= 0xdc00 && isSurrogate(second.codePoint)) {
      const codePoint = 0x10000 + ((first.codePoint - 0xd800) << 10) + (second.codePoint - 0xdc00)
      return { codePoint, end: second.end }
    }
  }
  return places.fail(
    `${text.slice(offset, first.end)} is half of a surrogate pair, which is no character; write the character itself or \\UHHHHHHHH`,
    offset,
  )
}

function readHex(text: string, offset: number, places: Places): Character {
  const kind = text[offset + 1]!
  const digits = DIGITS[kind]!
  const end = offset + 2 + digits
  const hex = text.slice(offset + 2, end)
  if (hex.length < digits || !/^[0-9a-fA-F]+$/u.test(hex))
    places.fail(`expected ${digits} hexadecimal digits after \\${kind}`, offset)
  const codePoint = Number.parseInt(hex, 16)
  if (codePoint > 0x10ffff) places.fail(`${text.slice(offset, end)} is beyond U+10FFFF`, offset)
  return { codePoint, end }
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff
}
