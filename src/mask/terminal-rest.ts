/**
 * Bytes with which a terminal is finished, wherever a text stands in it, at most: alone, or so as to be none of many others.
 * `Infinity` where that is not seen.
 */
import type { Dfa } from '../automaton/dfa.ts'
import type { StringDfa } from '../automaton/string-dfa.ts'
import type { Terminal } from '../grammar/grammar.ts'
import type { Decimal } from '../json/decimal.ts'
import { ESCAPED_BYTES, isPlain, longestRest } from '../regex/longest-rest.ts'
import { stringRest } from './string-rest.ts'

/** Keys that an object may hold, or items an array. */
export const MANY = 16_384
/** Bytes to end punctuation, a bare number, a bracket and its container. */
export const PUNCTUATION = 6
/** Bytes to end the character of a JSON string that was begun, a pair of escapes at most, and the string. */
const END_OF_STRING = 13
/** Bytes by which a string of any text, or a number, becomes another than so many. */
const OTHER_VALUE = 8
/** Bytes of a character of raw text. */
const CHARACTER = 4
/** Digits that a number may need beyond those of its bounds. */
const MORE_DIGITS = 12
const INFINITE = Number.POSITIVE_INFINITY

/** Bytes of a name as a key, at most. */
export function spelledBytes(name: string): number {
  return 2 + name.length * ([...name].every((char) => isPlain(char.codePointAt(0)!)) ? 1 : ESCAPED_BYTES)
}

/** Bytes with which a terminal that was begun is finished, so as to be none of `others`, at most. */
export function terminalRest(terminal: Terminal, dfa: () => Dfa, others: number): number {
  switch (terminal.kind) {
    case 'texts':
      return terminal.texts.reduce((most, text) => Math.max(most, 3 * text.length), 0)
    case 'string': {
      const { language, minLength, maxLength } = terminal
      if (language === null) return minLength + END_OF_STRING + (others > 0 ? OTHER_VALUE : 0)
      const longest = ESCAPED_BYTES * Math.min(maxLength, language.maxLength)
      const read = others === 0 && minLength <= language.minLength ? longestRest(language) : INFINITE
      const rest = Math.min(longest, read)
      return END_OF_STRING + (rest === INFINITE ? stringRest(dfa() as StringDfa, others) : rest)
    }
    case 'number':
      return numberRest(terminal) + (others > 0 ? OTHER_VALUE : 0)
    case 'text':
      return longestRest(terminal.language) + CHARACTER
  }
}

/** The same of a key that is not declared: one that the object does not hold. */
export function freeKeyRest(keys: StringDfa): number {
  return END_OF_STRING + (keys.isAny ? OTHER_VALUE : stringRest(keys, MANY))
}

function numberRest({
  intervals,
  multipleOf,
  notMultiplesOf,
}: Extract<Terminal, { kind: 'number' }>): number {
  if (notMultiplesOf !== undefined) return INFINITE
  const bounds = intervals
    .flatMap(({ min, max }) => [min, max])
    .map((bound) => (bound === null ? 0 : digitsOf(bound)))
  return Math.max(0, ...bounds) + 2 * (multipleOf === undefined ? 0 : digitsOf(multipleOf)) + MORE_DIGITS
}

function digitsOf({ mantissa, exponent }: Decimal): number {
  return mantissa.toString().length + Math.abs(exponent)
}
