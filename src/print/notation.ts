/**
 * How GBNF writes things: literals, classes, sequences, choices, repetitions, each with as few brackets as it needs.
 *
 * A *piece* is text with how tightly it holds together. What a person can read stands as it is; what has no glyph, and what
 * means something to the notation, is escaped (`\n`, `\xHH`, `\uHHHH`, `\UHHHHHHHH`). Only what llama.cpp reads is written: our
 * reader takes more.
 */
import { ANY, type CharSet } from '../regex/charset.ts'

/** How tightly a piece holds together: 0 a choice, 1 a sequence, 2 anything that a repetition may follow. */
type Level = 0 | 1 | 2

export interface Piece {
  readonly text: string
  readonly level: Level
  /** The text that a literal is. */
  readonly literal?: string
  /** What a sequence is made of. */
  readonly parts?: readonly Piece[]
  /** What a choice is between. */
  readonly options?: readonly Piece[]
  /** What comes once or more, and how often at most. */
  readonly once?: { readonly piece: Piece; readonly max: number }
}

/** Characters of a repeated text that are written out: `"aa"`, not `"a"{2}`. */
const MAX_WRITTEN = 8

/** The empty text. */
export const EMPTY: Piece = { text: '""', level: 2 }

/** A text, character by character. */
export function literalOf(text: string): Piece {
  const spelled = [...text].map((character) => escaped(character, '"')).join('')
  return { text: `"${spelled}"`, level: 2, literal: text }
}

/** One character of a set that is not empty. */
export function classOf(set: CharSet): Piece {
  if (set.isAny) return { text: '.', level: 2 }
  const own = rangesOf(set)
  const [first] = own
  if (own.length === 1 && first![0] === first![1]) return literalOf(String.fromCodePoint(first![0]))
  const others = rangesOf(set.complement())
  const last = own.at(-1)
  const isOpen = first![0] === 0 || last![1] === 0x10ffff
  const isNegated = others.length < own.length || (others.length === own.length && isOpen)
  const texts = (isNegated ? others : own).flatMap(rangeTexts)
  // A dash between two others would be a range, and llama.cpp knows no escape for it: it stands last.
  const dash = texts.includes('-') ? '-' : ''
  const text = texts.filter((each) => each !== '-').join('')
  return { text: `[${isNegated ? '^' : ''}${text}${dash}]`, level: 2 }
}

/** The ranges of a set, those on both sides of the surrogates joined. */
function rangesOf(set: CharSet): (readonly [low: number, high: number])[] {
  const ranges: [number, number][] = []
  for (let i = 0; i < set.ranges.length; i += 2) {
    const [low, high] = [set.ranges[i]!, set.ranges[i + 1]!]
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === 0xd7ff && low === 0xe000) last[1] = high
    else ranges.push([low, high])
  }
  return ranges
}

/** A range as one item of a class, or as two where it has two characters. */
function rangeTexts([low, high]: readonly [number, number]): string[] {
  const [from, to] = [String.fromCodePoint(low), String.fromCodePoint(high)]
  if (high > low + 1) return [`${escaped(from, '[]^-')}-${escaped(to, '[]^-')}`]
  return (low === high ? [from] : [from, to]).map((character) => escaped(character, '[]^'))
}

const SHORT: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
  '"': '\\"',
  '[': '\\[',
  ']': '\\]',
}

/** @param special what else means something where the character stands */
function escaped(character: string, special: string): string {
  const isSpecial = character === '\\' || special.includes(character)
  if (!isSpecial && /[\p{L}\p{N}\p{P}\p{S} ]/u.test(character)) return character
  const short = SHORT[character]
  if (short !== undefined) return short
  const hex = character.codePointAt(0)!.toString(16).toUpperCase()
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** One behind the other; texts that stand beside each other are one. */
export function sequenceOf(pieces: readonly Piece[]): Piece {
  const parts: Piece[] = []
  for (const piece of pieces.flatMap((each) => each.parts ?? [each])) {
    const before = parts.at(-1)
    if (piece === EMPTY) continue
    if (piece.literal !== undefined && before?.literal !== undefined)
      parts[parts.length - 1] = literalOf(before.literal + piece.literal)
    else parts.push(piece)
  }
  if (parts.length < 2) return parts[0] ?? EMPTY
  return { text: parts.map((piece) => bracketed(piece, 1)).join(' '), level: 1, parts }
}

/** One of the pieces, each once; the empty one makes the others optional. */
export function choiceOf(pieces: readonly Piece[]): Piece {
  const flat = pieces.flatMap((piece) => piece.options ?? [piece])
  const options = [...new Map(flat.map((piece) => [piece.text, piece])).values()]
  const others = options.filter((piece) => piece !== EMPTY)
  if (others.length === 0) return EMPTY
  const one: Piece =
    others.length === 1
      ? others[0]!
      : { text: others.map(({ text }) => text).join(' | '), level: 0, options: others }
  return others.length < options.length ? repeatOf(one, 0, 1) : one
}

export function repeatOf(piece: Piece, min: number, max: number): Piece {
  if (max === 0 || piece === EMPTY) return EMPTY
  if (min === 1 && max === 1) return piece
  const { literal } = piece
  if (min === max && literal !== undefined && literal.length * min <= MAX_WRITTEN)
    return literalOf(literal.repeat(min))
  // Nothing, or once or more.
  if (min === 0 && max === 1 && piece.once !== undefined) return repeatOf(piece.once.piece, 0, piece.once.max)
  const text = `${bracketed(piece, 2)}${countOf(min, max)}`
  return min === 1 ? { text, level: 2, once: { piece, max } } : { text, level: 2 }
}

function countOf(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === max) return `{${min}}`
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`
}

function bracketed({ text, level }: Piece, least: Level): string {
  // Repetitions of repetitions are bracketed, too: some readers take one only.
  return level < least || (least === 2 && /[*+?}]$/u.test(text)) ? `(${text})` : text
}

/** Any number of any characters. */
export const ANY_TEXT: Piece = repeatOf(classOf(ANY), 0, Number.POSITIVE_INFINITY)
