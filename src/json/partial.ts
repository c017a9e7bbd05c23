/**
 * What a prefix of JSON text holds for certain: its containers with the values that are closed. A string, number or
 * literal at the end of the prefix might still go on and is left out, a key without its value too.
 */
import { JsonNumber, type JsonObject, type JsonValue } from './value.ts'

type Open = { values: JsonValue[] } | { entries: JsonObject; key: string | null }

const SCALAR = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null/y

/**
 * @param text a prefix of a JSON object or array
 * @returns `undefined` where the text does not begin one
 */
export function readPartial(text: string): JsonValue | undefined {
  const stack: Open[] = []
  let root: JsonValue | undefined
  const add = (value: JsonValue): void => {
    const top = stack[stack.length - 1]
    if (top === undefined) root = value
    else if ('values' in top) top.values.push(value)
    else if (top.key === null) top.key = value as string
    else {
      top.entries.set(top.key, value)
      top.key = null
    }
  }
  for (let at = 0; at < text.length; ) {
    const c = text[at]!
    if (c === '{' || c === '[') {
      const container: JsonObject | JsonValue[] = c === '{' ? new Map() : []
      add(container)
      stack.push(container instanceof Map ? { entries: container, key: null } : { values: container })
      at++
    } else if (c === '}' || c === ']') {
      stack.pop()
      at++
    } else if (c === ',' || c === ':' || c <= ' ') {
      at++
    } else {
      SCALAR.lastIndex = at
      const scalar = SCALAR.exec(text)?.[0]
      if (scalar === undefined) break
      at += scalar.length
      // A number at the very end may have further digits.
      if (at === text.length && /^[-0-9]/.test(scalar)) break
      add(scalarValue(scalar))
    }
  }
  return root
}

function scalarValue(text: string): JsonValue {
  return /^[-0-9]/.test(text) ? new JsonNumber(text) : (JSON.parse(text) as string | boolean | null)
}
