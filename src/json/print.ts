/**
 * JSON values back to text, and equality by value. Everything is iterative and linear in the value (keys that are
 * compared are sorted first), number text is printed as it was read.
 */
import { canonicalNumber } from './decimal.ts'
import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from './value.ts'

/** Separators for a single line, or spaces a level for several lines. */
export type PrintStyle =
  | { readonly itemSeparator: string; readonly keySeparator: string }
  | { readonly indent: number }

/**
 * The canonical spelling of a string, the one that keys and `enum` values have: `\"`, `\\`, `\b \f \n \r \t`, other
 * controls as `\u00xx` in lower case, everything else raw. A lone surrogate, which UTF-8 cannot say raw, is `\udxxx`.
 */
export function quote(text: string): string {
  return JSON.stringify(text)
}

/** Prints a value, by default without any space. */
export function printJson(
  value: JsonValue,
  style: PrintStyle = { itemSeparator: ',', keySeparator: ':' },
): string {
  return 'indent' in style
    ? write(value, ',', ': ', style.indent, false)
    : write(value, style.itemSeparator, style.keySeparator, -1, false)
}

/** A text that two values share if and only if they are equal: `1` and `1.0` are, entry order does not count. */
export function jsonKey(value: JsonValue): string {
  return write(value, ',', ':', -1, true)
}

/** Whether two values are equal as JSON Schema compares them: numbers by value, objects whatever the order. */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
  const stack: JsonValue[] = [a, b]
  while (stack.length > 0) {
    const right = stack.pop() as JsonValue
    const left = stack.pop() as JsonValue
    if (left === right) continue
    if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false
    if (left instanceof JsonNumber || right instanceof JsonNumber) {
      if (!(left instanceof JsonNumber && right instanceof JsonNumber)) return false
      if (left.text !== right.text && canonicalNumber(left.text) !== canonicalNumber(right.text)) return false
    } else if (left instanceof Map || right instanceof Map) {
      if (!(left instanceof Map && right instanceof Map) || left.size !== right.size) return false
      for (const [key, item] of left) {
        const other = right.get(key)
        if (other === undefined) return false
        stack.push(item, other)
      }
    } else {
      if (left.length !== right.length) return false
      for (let index = 0; index < left.length; index++) {
        stack.push(left[index] as JsonValue, right[index] as JsonValue)
      }
    }
  }
  return true
}

/** A container that is being written: what is left of it. */
interface Open {
  readonly entries: JsonObject | null
  readonly keys: readonly string[]
  readonly items: JsonArray
  readonly length: number
  next: number
}

function write(
  root: JsonValue,
  itemSeparator: string,
  keySeparator: string,
  indent: number,
  canonical: boolean,
): string {
  const parts: string[] = []
  const stack: Open[] = []
  const newLine = (): void => {
    if (indent >= 0) parts.push('\n', ' '.repeat(indent * stack.length))
  }
  let value = root
  for (;;) {
    if (value === null || typeof value === 'boolean') {
      parts.push(String(value))
    } else if (typeof value === 'string') {
      parts.push(quote(value))
    } else if (value instanceof JsonNumber) {
      parts.push(canonical ? canonicalNumber(value.text) : value.text)
    } else if (value instanceof Map) {
      const keys = [...value.keys()]
      if (canonical) keys.sort()
      parts.push('{')
      stack.push({ entries: value, keys, items: [], length: keys.length, next: 0 })
    } else {
      parts.push('[')
      stack.push({ entries: null, keys: [], items: value, length: value.length, next: 0 })
    }

    for (;;) {
      const top = stack[stack.length - 1]
      if (top === undefined) return parts.join('')
      if (top.next < top.length) {
        if (top.next > 0) parts.push(itemSeparator)
        newLine()
        const index = top.next++
        if (top.entries === null) {
          value = top.items[index] as JsonValue
        } else {
          const key = top.keys[index] as string
          parts.push(quote(key), keySeparator)
          value = top.entries.get(key) as JsonValue
        }
        break
      }
      stack.pop()
      if (top.length > 0) newLine()
      parts.push(top.entries === null ? ']' : '}')
    }
  }
}
