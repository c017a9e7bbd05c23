/**
 * Numbers that a schema names, and whether they can be written: within the exponents and digits that the numbers of a
 * grammar have. Decided from the text, so `1e1000000` costs what its few characters cost.
 */
import { canonicalNumber } from '../json/decimal.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import { childPointer } from './pointer.ts'

/** Largest magnitude of an exponent that is written: that of the automaton's numbers. */
export const MAX_EXPONENT = 400
/** Most digits of a bound. */
const MAX_DIGITS = 1_000
/** Longest excerpt of a number in a message. */
const SHOWN = 40

/** `large` and `small` numbers are never written; `long` ones have more digits than can be compared with. */
export type Size = 'written' | 'large' | 'small' | 'long'

/** How a number compares with those that are written. */
export function sizeOf(text: string): Size {
  const canonical = canonicalNumber(text)
  if (canonical === '0') return 'written'
  const [digits, exponent] = canonical.replace(/^-/, '').split('e') as [string, string]
  // The number is d.ddd * 10 ** magnitude.
  const magnitude = Number(exponent) + digits.length - 1
  if (magnitude > MAX_EXPONENT) return 'large'
  if (magnitude < -MAX_EXPONENT) return 'small'
  return digits.length > MAX_DIGITS ? 'long' : 'written'
}

/** What is wrong with a number that is not `written`. */
export function sizeProblem(text: string, size: Size): string {
  const number = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return size === 'long'
    ? `${number} has more than ${MAX_DIGITS} digits; round it`
    : `${number} lies beyond the numbers that are written, from 1e-${MAX_EXPONENT} to 1e${MAX_EXPONENT} in magnitude; choose one of them`
}

/** The first number in a value that is never written, and its place; `null` if there is none. Iterative. */
export function unwritable(root: JsonValue, pointer: string): { pointer: string; problem: string } | null {
  const stack = [{ value: root, pointer }]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, pointer } = top
    if (value instanceof JsonNumber) {
      const size = sizeOf(value.text)
      if (size === 'large' || size === 'small') return { pointer, problem: sizeProblem(value.text, size) }
    } else if (value instanceof Map) {
      const entries = [...value].reverse()
      for (const [key, item] of entries) stack.push({ value: item, pointer: childPointer(pointer, key) })
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--)
        stack.push({ value: value[index] as JsonValue, pointer: `${pointer}/${index}` })
    }
  }
  return null
}
