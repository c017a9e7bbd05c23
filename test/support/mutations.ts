/**
 * Small changes to an instance: a member or an item left out, repeated or moved, a value replaced by another of the same
 * text, a number or a string by its neighbours. What a schema says of the changed text no label tells; judges do.
 */
import { printJson } from '../../src/json/print.ts'
import { JsonNumber, type JsonValue } from '../../src/json/value.ts'
import type { Random } from './random.ts'

/** All values in the value, itself included. */
function parts(value: JsonValue): JsonValue[] {
  const found: JsonValue[] = []
  const stack: JsonValue[] = [value]
  while (stack.length > 0) {
    const part = stack.pop() as JsonValue
    found.push(part)
    if (Array.isArray(part)) stack.push(...part)
    else if (part instanceof Map) stack.push(...part.values())
  }
  return found
}

function scalar(value: JsonValue, random: Random): JsonValue {
  if (value instanceof JsonNumber) {
    const { text } = value
    const near = Number(text) + random.pick([1, -1, 0.5, 1000])
    return new JsonNumber(
      random.pick([
        `${near}`,
        /[.eE]/.test(text) ? text : `${text}.0`,
        '0',
        text.startsWith('-') ? text.slice(1) : text === '0' ? '1' : `-${text}`,
      ]),
    )
  }
  if (typeof value === 'string') {
    const half = value.slice(0, Math.floor(value.length / 2)).replace(/[\ud800-\udbff]$/, '')
    return random.pick([half, `${value}x`, `${value}${value}`, '', value.toUpperCase(), ` ${value}`, 'é'])
  }
  return random.pick<JsonValue>([null, true, false])
}

/** The value with one change somewhere. */
function mutate(value: JsonValue, random: Random): JsonValue {
  const all = parts(value)
  const target = random.below(all.length)
  const other = random.pick(all)
  let seen = -1
  const change = (part: JsonValue): JsonValue => {
    if (random.chance(0.3)) return other
    if (Array.isArray(part) && part.length > 0) {
      const at = random.below(part.length)
      const item = part[at] as JsonValue
      return random.pick([
        part.toSpliced(at, 1),
        part.toSpliced(at, 0, item),
        part.toReversed(),
        [...part, other],
      ])
    }
    if (part instanceof Map && part.size > 0) {
      const entries = [...part]
      const at = random.below(entries.length)
      const [name, item] = entries[at] as [string, JsonValue]
      return new Map(
        random.pick([
          entries.toSpliced(at, 1),
          [...entries, [`${name}x`, item]],
          entries.toSpliced(at, 1, [name.slice(1), item]),
          entries.toReversed(),
        ]),
      )
    }
    return scalar(part, random)
  }
  // The same order as in `parts` does not matter: one of all is changed.
  const copy = (part: JsonValue): JsonValue => {
    if (++seen === target) return change(part)
    if (Array.isArray(part)) return part.map(copy)
    if (part instanceof Map) return new Map([...part].map(([name, item]) => [name, copy(item)]))
    return part
  }
  return copy(value)
}

/** So many texts near the value. */
export function neighbours(value: JsonValue, random: Random, count: number): string[] {
  return Array.from({ length: count }, () => printJson(mutate(value, random)))
}
