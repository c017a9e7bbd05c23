/**
 * JavaScript values to JSON values. Values that are JSON already (`Map`, `JsonNumber`) pass through. Only what JavaScript
 * kept can be kept: integer-like keys of objects come first, and numbers are the shortest digits of the double.
 *
 * What JSON cannot say (undefined, functions, NaN, dates, class instances, cycles) is a `TypeError` that names the place,
 * never dropped. An object that is reached twice is converted once and shared, so the cost is linear in what exists in
 * memory. The depth is limited, the call stack is not used.
 */

import { LimitError } from '../errors.ts'
import { partPointer } from './pointer.ts'
import { DEFAULT_MAX_DEPTH, JsonNumber, type JsonObject, type JsonValue } from './value.ts'

/** An array or object whose entries are being converted. */
interface Open {
  readonly source: object
  readonly keys: readonly string[] | null
  readonly values: readonly unknown[]
  readonly entries: JsonObject | null
  readonly items: JsonValue[]
  next: number
}

/**
 * Converts plain objects, arrays, strings, booleans, null, finite numbers and bigints.
 *
 * `-0` becomes `0`, as `JSON.stringify` has it. Throws `TypeError` with a JSON pointer to what is not JSON.
 */
export function fromJs(value: unknown, maxDepth: number = DEFAULT_MAX_DEPTH): JsonValue {
  const stack: Open[] = []
  const open = new Set<object>()
  const done = new Map<object, JsonValue>()
  let current: unknown = value
  for (;;) {
    let result: JsonValue | undefined
    if (typeof current === 'object' && current !== null && !(current instanceof JsonNumber)) {
      result = done.get(current)
      if (result === undefined) {
        if (open.has(current)) throw new TypeError(`${place(stack)} contains itself; JSON has no cycles`)
        if (stack.length >= maxDepth)
          throw new LimitError('JSON nesting depth', maxDepth, stack.length + 1, 'nest it less deeply')
        open.add(current)
        stack.push(openContainer(current, stack))
      }
    } else {
      result = scalar(current, stack)
    }

    for (;;) {
      const top = stack[stack.length - 1]
      if (top === undefined) {
        if (result === undefined) throw new RangeError('a value without a result')
        return result
      }
      if (result !== undefined) {
        const index = top.next++
        if (top.entries !== null && top.keys !== null) top.entries.set(top.keys[index] as string, result)
        else top.items.push(result)
      }
      if (top.next < top.values.length) {
        current = top.values[top.next]
        break
      }
      result = top.entries ?? top.items
      done.set(top.source, result)
      open.delete(top.source)
      stack.pop()
    }
  }
}

function openContainer(source: object, stack: readonly Open[]): Open {
  if (Array.isArray(source)) return { source, keys: null, values: source, entries: null, items: [], next: 0 }
  let keys: readonly string[]
  let values: readonly unknown[]
  if (source instanceof Map) {
    keys = [...source.keys()]
    values = [...source.values()]
    if (keys.some((key) => typeof key !== 'string'))
      throw new TypeError(`${place(stack)} is a Map with keys that are not strings`)
  } else {
    // Plain: no prototype, or one that is the root of its chain (an `Object.prototype`, of whatever realm).
    const prototype: unknown = Object.getPrototypeOf(source)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw new TypeError(`${place(stack)} is ${describe(source)}, not a plain object`)
    }
    keys = Object.keys(source)
    values = Object.values(source)
  }
  return { source, keys, values, entries: new Map(), items: [], next: 0 }
}

function scalar(value: unknown, stack: readonly Open[]): JsonValue {
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    value instanceof JsonNumber
  )
    return value
  if (typeof value === 'bigint') return new JsonNumber(String(value))
  if (typeof value === 'number' && Number.isFinite(value)) return new JsonNumber(String(value))
  throw new TypeError(`${place(stack)} is ${describe(value)}, which JSON cannot say`)
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'object' || value === null)
    return value === undefined ? 'undefined' : `a ${typeof value}`
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== ''
    ? `an instance of ${name}`
    : 'an object with a prototype of its own'
}

/** JSON pointer to the value being converted. */
function place(stack: readonly Open[]): string {
  if (stack.length === 0) return 'the value'
  const steps = stack.map(({ keys, next }) => (keys === null ? String(next) : (keys[next] ?? '')))
  return `the value at ${steps.reduce(partPointer, '')}`
}
