/** How violations speak of values and of what is asked for. */
import { printJson } from '../../json/print.ts'
import { JsonNumber, type JsonValue } from '../../json/value.ts'

const MAX_SHOWN = 60
/** Most values of an `enum` that a message lists. */
const MAX_LISTED = 8

/** A value in a message, short. */
export function shown(value: JsonValue): string {
  const text = printJson(value)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

/** What a value is. */
export function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Map) return 'object'
  return value instanceof JsonNumber ? 'number' : typeof value
}

/** `an integer`, `an object or null`. */
export function anyType(types: readonly string[]): string {
  return listed(
    types.map((type) => (type === 'null' ? type : `${/^[aeiou]/u.test(type) ? 'an' : 'a'} ${type}`)),
  )
}

/** Values as a message lists them, the first of many. */
export function anyValue(values: readonly JsonValue[]): string {
  const texts = values.slice(0, MAX_LISTED).map(shown)
  return values.length > MAX_LISTED ? `${texts.join(', ')}, …` : listed(texts)
}

function listed(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

/** `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  const plural = noun === 'property' ? 'properties' : `${noun}s`
  return `${count} ${count === 1 ? noun : plural}`
}
