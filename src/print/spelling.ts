/**
 * How the characters of a language are written in a text: as they are, as a JSON string writes them in all its ways, or as a
 * key does, in one.
 */
import type { Spelling } from '../automaton/least-spelling.ts'
import { SHORT_ESCAPES } from '../json/escapes.ts'
import { ANY, CharSet } from '../regex/charset.ts'
import { choiceOf, classOf, EMPTY, literalOf, type Piece, sequenceOf } from './notation.ts'
import type { Rules } from './rules.ts'

/** What a JSON string holds as it is. */
const PLAIN = CharSet.of([0x20, 0x21], [0x23, 0x5b], [0x5d, 0x10ffff])
const BMP = CharSet.of([0, 0xffff])
const BEYOND = CharSet.of([0x10000, 0x10ffff])
const CONTROLS = CharSet.of([0, 0x1f])
/** Longer spellings are rules of their own. */
const MAX_INLINE = 12

/** One character of a set, in a way of writing. */
export class Characters {
  readonly #rules: Rules
  readonly #known = new Map<string, Piece>()

  constructor(rules: Rules) {
    this.#rules = rules
  }

  of(set: CharSet, spelling: Spelling): Piece {
    if (spelling === 'raw') return classOf(set)
    const key = `${spelling} ${set.key}`
    let piece = this.#known.get(key)
    if (piece === undefined) {
      piece = set.isAny ? anySpelling(spelling) : spelling === 'json' ? jsonSpelling(set) : keySpelling(set)
      if (piece.text.length > MAX_INLINE) piece = this.#rules.add(nameOf(set, spelling), piece)
      this.#known.set(key, piece)
    }
    return piece
  }
}

/** Of any character: nearly every grammar has it. */
const anyOf = new Map<Spelling, Piece>()

function anySpelling(spelling: Spelling): Piece {
  let piece = anyOf.get(spelling)
  if (piece === undefined) {
    piece = spelling === 'json' ? jsonSpelling(ANY) : keySpelling(ANY)
    anyOf.set(spelling, piece)
  }
  return piece
}

function nameOf(set: CharSet, spelling: Spelling): string {
  const base = spelling === 'json' ? 'char' : 'key-char'
  if (set.isAny) return base
  const [low, high] = set.ranges
  if (set.ranges.length !== 2) return `${base}-of`
  const shown = (codePoint: number): string => {
    const character = String.fromCodePoint(codePoint)
    return /^[A-Za-z0-9]$/u.test(character) ? character : `u${codePoint.toString(16).padStart(4, '0')}`
  }
  return low === high ? `${base}-${shown(low!)}` : `${base}-${shown(low!)}-${shown(high!)}`
}

/** Every spelling of RFC 8259. */
function jsonSpelling(set: CharSet): Piece {
  const plain = set.intersect(PLAIN)
  const letters = [...SHORT_ESCAPES].flatMap(([letter, codePoint]) => (set.has(codePoint) ? [letter] : []))
  const escapes: Piece[] = []
  if (letters.length > 0) escapes.push(classOf(CharSet.from(String.fromCharCode(...letters))))
  escapes.push(...unitEscapes(set).map((units) => sequenceOf([literalOf('u'), units])))
  return choiceOf([
    ...(plain.isEmpty ? [] : [classOf(plain)]),
    sequenceOf([literalOf('\\'), choiceOf(escapes)]),
  ])
}

/** What stands behind `\u`: four digits, and behind those of a high surrogate those of a low one. */
function unitEscapes(set: CharSet): Piece[] {
  const found: Piece[] = []
  const bmp = set.intersect(BMP)
  if (!bmp.isEmpty) found.push(hexOf(bmp.ranges, 4))
  const { ranges } = set.intersect(BEYOND)
  /** The low surrogates that may follow a high one, with the high ones that they may follow. */
  const highs = new Map<string, { lows: number[]; ranges: number[] }>()
  const add = (from: number, to: number, low: number, high: number): void => {
    const known = highs.get(`${low},${high}`)
    if (known === undefined) highs.set(`${low},${high}`, { lows: [low, high], ranges: [from, to] })
    else known.ranges.push(from, to)
  }
  for (let i = 0; i < ranges.length; i += 2) {
    const [low, high] = [ranges[i]! - 0x10000, ranges[i + 1]! - 0x10000]
    const [first, last] = [low >> 10, high >> 10]
    if (first === last) add(0xd800 + first, 0xd800 + first, 0xdc00 + (low & 0x3ff), 0xdc00 + (high & 0x3ff))
    else {
      const isWhole = [(low & 0x3ff) === 0, (high & 0x3ff) === 0x3ff] as const
      if (!isWhole[0]) add(0xd800 + first, 0xd800 + first, 0xdc00 + (low & 0x3ff), 0xdfff)
      const from = first + (isWhole[0] ? 0 : 1)
      const to = last - (isWhole[1] ? 0 : 1)
      if (from <= to) add(0xd800 + from, 0xd800 + to, 0xdc00, 0xdfff)
      if (!isWhole[1]) add(0xd800 + last, 0xd800 + last, 0xdc00, 0xdc00 + (high & 0x3ff))
    }
  }
  for (const { lows, ranges: own } of highs.values())
    found.push(sequenceOf([hexOf(own, 4), literalOf('\\u'), hexOf(lows, 4)]))
  return found
}

/** Numbers of these ranges, ascending, in hexadecimal digits of either case, led by zeros. */
function hexOf(ranges: readonly number[], digits: number): Piece {
  if (digits === 0) return EMPTY
  const size = 16 ** (digits - 1)
  /** By what may follow: the digits that it may follow. */
  const groups = new Map<string, { rest: Piece; leads: number[] }>()
  for (let digit = 0; digit < 16; digit++) {
    const below: number[] = []
    for (let i = 0; i < ranges.length; i += 2) {
      const low = Math.max(ranges[i]!, digit * size)
      const high = Math.min(ranges[i + 1]!, digit * size + size - 1)
      if (low <= high) below.push(low - digit * size, high - digit * size)
    }
    if (below.length === 0) continue
    const rest = hexOf(below, digits - 1)
    const group = groups.get(rest.text)
    if (group === undefined) groups.set(rest.text, { rest, leads: [digit] })
    else group.leads.push(digit)
  }
  return choiceOf([...groups.values()].map(({ rest, leads }) => sequenceOf([digitsOf(leads), rest])))
}

function digitsOf(digits: readonly number[]): Piece {
  const spelled = digits.map((digit) => digit.toString(16))
  return classOf(CharSet.from(spelled.join('') + spelled.join('').toUpperCase()))
}

/** As keys are written: an escape only where a character cannot stand as it is, the shortest, in lower case. */
function keySpelling(set: CharSet): Piece {
  const options: Piece[] = []
  const plain = set.intersect(PLAIN)
  if (!plain.isEmpty) options.push(classOf(plain))
  const letters = [...SHORT_ESCAPES].filter(([letter, codePoint]) => letter !== 0x2f && set.has(codePoint))
  if (letters.length > 0) {
    const codes = letters.map(([letter]) => letter)
    options.push(sequenceOf([literalOf('\\'), classOf(CharSet.from(String.fromCharCode(...codes)))]))
  }
  const short = CharSet.from(String.fromCharCode(...letters.map(([, codePoint]) => codePoint)))
  const controls = set.intersect(CONTROLS).intersect(short.complement())
  for (const high of [0, 1]) {
    const digits: string[] = []
    for (let low = 0; low < 16; low++) if (controls.has(high * 16 + low)) digits.push(low.toString(16))
    if (digits.length > 0)
      options.push(sequenceOf([literalOf(`\\u00${high}`), classOf(CharSet.from(digits.join('')))]))
  }
  return choiceOf(options)
}
