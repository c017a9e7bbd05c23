/** Constraints in words, for the description of what they are taken from; and such descriptions without these words. */
import { printJson } from '../../json/print.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

const STYLE = { itemSeparator: ', ', keySeparator: ': ' }

/** What a fix says of a parameter that may be left out. */
export const NULL_FOR_NOTHING = 'Write null to leave it out.'

const many = (n: string, noun: string): string => (n === '1' ? noun : `${noun}s`)

const PHRASES: Readonly<Record<string, (value: string) => string>> = {
  minimum: (n) => `at least ${n}`,
  maximum: (n) => `at most ${n}`,
  exclusiveMinimum: (n) => `more than ${n}`,
  exclusiveMaximum: (n) => `less than ${n}`,
  multipleOf: (n) => `a multiple of ${n}`,
  minLength: (n) => `at least ${n} ${many(n, 'character')}`,
  maxLength: (n) => `at most ${n} ${many(n, 'character')}`,
  minItems: (n) => `at least ${n} ${many(n, 'item')}`,
  maxItems: (n) => `at most ${n} ${many(n, 'item')}`,
  minProperties: (n) => `at least ${n} ${n === '1' ? 'property' : 'properties'}`,
  maxProperties: (n) => `at most ${n} ${n === '1' ? 'property' : 'properties'}`,
}

function phrase(keyword: string, value: JsonValue): string {
  const text = printJson(value, STYLE)
  const words = PHRASES[keyword]
  // In draft 4 the exclusive bounds are booleans beside the others.
  if (words !== undefined && typeof value === 'object') return words(text)
  if (keyword === 'uniqueItems' && value === true) return 'no item twice'
  if (keyword === 'pattern' && typeof value === 'string') return `matches the regular expression ${value}`
  if (keyword === 'format' && typeof value === 'string') return `in the format ${value}`
  return `${keyword}: ${text}`
}

/** The schema with the constraints said at the end of its description. */
export function withRules(
  schema: JsonObject,
  rules: readonly (readonly [keyword: string, value: JsonValue])[],
): JsonObject {
  return withSentence(schema, `Rules: ${rules.map(([keyword, value]) => phrase(keyword, value)).join('; ')}.`)
}

/** The schema with a sentence at the end of its description, which ends with a full stop before that. */
export function withSentence(schema: JsonObject, sentence: string): JsonObject {
  const given = schema.get('description')
  const before = typeof given === 'string' ? given.trimEnd() : ''
  const stop = before === '' ? '' : ENDED.test(before) ? ' ' : '. '
  return new Map(schema).set('description', before + stop + sentence)
}

/** The openings of the phrases above, those of keywords without a phrase too. */
const OPENINGS = [
  ...['at least', 'at most', 'more than', 'less than', 'a multiple of', 'no item twice'],
  ...['matches the regular expression', 'in the format', '[a-zA-Z]+:'],
].join('|')
const ADDED = new RegExp(`(?:^|\\s)(?:Rules: (?:${OPENINGS})|${NULL_FOR_NOTHING.replace('.', '\\.')}$)`, 'u')

/** What a description says of its own, and what a fix has added to it. */
export function splitDescription(description: string): { readonly own: string; readonly added: string } {
  const whole = description.trim()
  const at = whole.endsWith('.') ? whole.search(ADDED) : -1
  return at < 0 ? { own: whole, added: '' } : { own: whole.slice(0, at), added: whole.slice(at) }
}

/** Whether what a fix has added says a pattern or a format. */
export function saysForm(added: string): boolean {
  return /matches the regular expression|in the format/u.test(added)
}

/** Ends with a mark that ends or joins sentences, perhaps in quotes or brackets. */
const ENDED = /[.!?…:;,。！？：；，、][\p{Pe}\p{Pf}"']*$/u
