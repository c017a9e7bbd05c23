/**
 * Parts that a caller puts together to a grammar: texts, patterns, schemas, control tokens, free text, one behind the other,
 * one of several, again and again.
 *
 * A part is a plain value: frozen, made of other parts, and of no vocabulary. It may be used any number of times, within one
 * grammar and in several; what a token or a schema means is found when the part is compiled (`compilePart`). Wherever a part
 * is taken, a string is the literal of it. What is no part is a `TypeError`, a number out of range a `RangeError`, both
 * where the part is made.
 */
import { fromJs } from '../json/from-js.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'

export interface LiteralPart {
  readonly type: 'literal'
  readonly text: string
}
export interface TokenPart {
  readonly type: 'token'
  readonly token: string | number
}
/** A rule that has a name: how a part holds itself. */
export interface RulePart {
  readonly type: 'rule'
  readonly name: string
  readonly body: () => Part | string
}

/** What a grammar is made of; made by the functions of these names. */
export type Part =
  | LiteralPart
  | TokenPart
  | RulePart
  | { readonly type: 'regex'; readonly pattern: string }
  | { readonly type: 'jsonSchema'; readonly schema: JsonValue }
  | { readonly type: 'gbnf'; readonly text: string; readonly root: string }
  | { readonly type: 'freeText'; readonly until: readonly (LiteralPart | TokenPart)[] }
  | { readonly type: 'sequence'; readonly parts: readonly Part[] }
  | { readonly type: 'choice'; readonly options: readonly Part[] }
  | { readonly type: 'repeat'; readonly part: Part; readonly min: number; readonly max: number }

/** How often a part comes, both inclusive. */
export interface RepeatOptions {
  /** Default 0. */
  readonly min?: number
  /** Default `Infinity`. */
  readonly max?: number
}

/** Where free text ends. */
export interface FreeTextOptions {
  /** Texts, and control tokens, that it does not hold; at least one where the option is given. */
  readonly until?: string | TokenPart | readonly (string | LiteralPart | TokenPart)[]
}

/** This text, byte for byte; the empty one is nothing. */
export function literal(text: string): LiteralPart {
  return made({ type: 'literal', text })
}

/** A raw text that matches a regular expression (ECMA-262 with flag `u`) as a whole, as `compileRegex` reads it. */
export function regex(pattern: string): Part {
  return made({ type: 'regex', pattern })
}

/**
 * A JSON document of a schema, given as JSON text, which loses nothing, or as a value, of which this takes a copy.
 * @throws JsonError for text that is not JSON
 */
export function jsonSchema(schema: string | JsonValue | object): Part {
  return made({ type: 'jsonSchema', schema: typeof schema === 'string' ? readJson(schema) : fromJs(schema) })
}

/** A text of a grammar in GBNF, as `compileGbnf` reads it; `root` is the rule that it begins with. */
export function gbnf(text: string, options: { readonly root?: string } = {}): Part {
  checkOptions(options, ['root'])
  const { root = 'root' } = options
  return made({ type: 'gbnf', text, root })
}

/** One token of the vocabulary, by its literal text or by its id. Text that merely spells it is not it. */
export function token(tokenOrId: string | number): TokenPart {
  return made({ type: 'token', token: tokenOrId })
}

/**
 * Any text in which none of the stops occurs; without `until` any text at all. A control token is never part of it; as a
 * stop, it keeps the text from spelling that token.
 *
 * The stop itself is not taken: what follows begins with it, or the grammar ends. So free text may be empty, where the stop
 * comes at once; of stops that overlap the one that ends first ends it, and a stop that holds another one adds nothing.
 * What follows is read as it is written: behind `until: 'ab'`, a part that begins with `b` may complete an `a` to `ab`.
 */
export function freeText(options: FreeTextOptions = {}): Part {
  checkOptions(options, ['until'])
  const { until } = options
  if (until === undefined) return made({ type: 'freeText', until: [] })
  const stops = (Array.isArray(until) ? until : [until]).map(partOf) as (LiteralPart | TokenPart)[]
  if (stops.length === 0)
    throw new RangeError('until lists no stop; leave it out for text that goes on to the end')
  return made({ type: 'freeText', until: stops })
}

/** One part behind the other; none of them is the empty text. */
export function sequence(...parts: readonly (Part | string)[]): Part {
  return made({ type: 'sequence', parts: parts.map(partOf) })
}

/** One of the parts. */
export function choice(...options: readonly (Part | string)[]): Part {
  return made({ type: 'choice', options: options.map(partOf) })
}

/** A part several times, with nothing between; by default any number of times. */
export function repeat(part: Part | string, options: RepeatOptions = {}): Part {
  checkOptions(options, ['min', 'max'])
  const { min = 0, max = Number.POSITIVE_INFINITY } = options
  return made({ type: 'repeat', part: partOf(part), min, max })
}

/** A part, or nothing. */
export function optional(part: Part | string): Part {
  return repeat(part, { max: 1 })
}

/**
 * A part that is given when it is asked for, once a grammar, so that it may hold the rule itself:
 * `const list = rule('list', () => sequence('[', optional(list), ']'))`. The name is for messages and for printing.
 */
export function rule(name: string, body: () => Part | string): RulePart {
  return made({ type: 'rule', name, body })
}

function partOf(part: Part | string): Part {
  return typeof part === 'string' ? literal(part) : part
}

/** Frozen, once it is known to be a part. */
function made<T extends Part>(part: T): T {
  checkPart(part)
  for (const list of ['parts', 'options', 'until'] as const)
    if (list in part) Object.freeze((part as Record<string, unknown>)[list])
  return Object.freeze(part)
}

/**
 * Looks at one part, not at what it is made of beyond that those are parts, too.
 *
 * @throws TypeError for what is no part; RangeError for counts, texts and lists that make no sense
 */
export function checkPart(part: Part): void {
  switch (part.type) {
    case 'literal':
      checkText('the text of a literal', part.text)
      return
    case 'regex':
      if (typeof part.pattern === 'string') return
      throw new TypeError(`a pattern is a string, not ${kindOf(part.pattern)}: pass the source of a RegExp`)
    case 'jsonSchema':
      return
    case 'gbnf':
      if (typeof part.text !== 'string')
        throw new TypeError(`a grammar in GBNF is its text, not ${kindOf(part.text)}`)
      if (typeof part.root !== 'string')
        throw new TypeError(`option root is the name of a rule, not ${kindOf(part.root)}`)
      return
    case 'token':
      if (typeof part.token === 'string' || Number.isInteger(part.token)) return
      throw new TypeError(`a token is given by its text or its id, not by ${kindOf(part.token)}`)
    case 'freeText':
      checkParts('until', part.until)
      for (const stop of part.until) {
        if (stop.type !== 'literal' && stop.type !== 'token')
          throw new TypeError(`a stop of free text is a text or a token, not ${(stop as Part).type}`)
        if (stop.type === 'literal' && stop.text === '')
          throw new RangeError('a stop of free text is empty; the empty text occurs in every text')
      }
      return
    case 'sequence':
      checkParts('a sequence', part.parts)
      return
    case 'choice':
      checkParts('a choice', part.options)
      if (part.options.length === 0) throw new RangeError('a choice needs at least one option')
      return
    case 'repeat': {
      checkParts('a repetition', [part.part])
      const { min, max } = part
      if (!Number.isSafeInteger(min) || min < 0)
        throw new RangeError(`min is a whole number from 0 on, not ${String(min)}`)
      if (!(max === Number.POSITIVE_INFINITY || Number.isSafeInteger(max)) || max < min)
        throw new RangeError(`max is a whole number from min (${min}) on, or Infinity, not ${String(max)}`)
      return
    }
    case 'rule':
      if (typeof part.name !== 'string' || part.name === '')
        throw new TypeError('a rule has a name, which is not empty')
      if (typeof part.body !== 'function')
        throw new TypeError(`the body of rule ${part.name} is a function that gives a part: () => …`)
      return
    default:
      throw new TypeError(`not a part: ${kindOf(part)}; make one with sequence, choice, literal, …`)
  }
}

/** Whether a value has the look of a part; `checkPart` says whether it is one. */
export function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && TYPES.has((value as Part).type)
}

function checkOptions(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`options must be an object, not ${kindOf(options)}`)
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`unknown option ${JSON.stringify(name)}; known are ${known.join(', ')}`)
}

function checkText(what: string, text: unknown): void {
  if (typeof text !== 'string') throw new TypeError(`${what} is a string, not ${kindOf(text)}`)
  if (!text.isWellFormed()) throw new RangeError(`${what} holds a lone surrogate, which no UTF-8 text has`)
}

function checkParts(what: string, parts: readonly unknown[]): void {
  if (!Array.isArray(parts)) throw new TypeError(`${what} is a list of parts, not ${kindOf(parts)}`)
  for (const part of parts)
    if (!isPart(part))
      throw new TypeError(`${what} is made of parts and strings, not of ${kindOf(part)}${remedyFor(part)}`)
}

const TYPES: ReadonlySet<unknown> = new Set<Part['type']>([
  ...(['literal', 'token', 'rule', 'regex', 'jsonSchema', 'gbnf'] as const),
  ...(['freeText', 'sequence', 'choice', 'repeat'] as const),
])

/** How what is no part becomes one, where that is known: the end of a message. */
export function remedyFor(value: unknown): string {
  if (typeof value === 'string') return ': a text is literal(text), regex(pattern) or gbnf(grammar)'
  if (value instanceof RegExp) return ': an expression is regex(expression.source)'
  return kindOf(value) === 'an object' ? ': a schema is jsonSchema(schema)' : ''
}

/** What is no part, in words. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (typeof value !== 'object') return typeof value
  return Array.isArray(value) ? 'a list' : value.constructor === Object ? 'an object' : 'a class instance'
}
