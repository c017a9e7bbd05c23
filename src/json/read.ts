/**
 * JSON text to values that lose nothing (`value.ts`): RFC 8259 exactly, by position.
 *
 * One pass over the text with an explicit stack, so nesting costs memory, never the call stack, and is limited. Text
 * between escapes is sliced, not copied character by character. Lone surrogates in strings are kept as they stand (the
 * grammar of RFC 8259 allows them); `isWellFormed` tells whether a string has one.
 */

import { JsonError, LimitError } from '../errors.ts'
import { SHORT_ESCAPES } from './escapes.ts'
import { DEFAULT_MAX_DEPTH, JsonNumber, type JsonObject, type JsonValue } from './value.ts'

export { fromJs } from './from-js.ts'

export interface ReadOptions {
  /** Deepest nesting of arrays and objects; default 10,000. */
  readonly maxDepth?: number
  /** A key that appears twice in one object: refused (default), or the last value wins at the first one's place. */
  readonly duplicateKeys?: 'error' | 'last'
}

/**
 * Reads one JSON document.
 *
 * Throws `JsonError` with the place where the text stops being JSON, `LimitError` where it nests too deeply. Linear in
 * the text.
 */
export function readJson(text: string, options: ReadOptions = {}): JsonValue {
  if (typeof text !== 'string') throw new TypeError(`JSON text must be a string, not ${typeof text}`)
  return new Reader(text, options.maxDepth ?? DEFAULT_MAX_DEPTH, options.duplicateKeys !== 'last').document()
}

/** Whether the string is Unicode text: every surrogate in it stands in a pair. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const LEFT_BRACKET = 0x5b
const BACKSLASH = 0x5c
const RIGHT_BRACKET = 0x5d
const LEFT_BRACE = 0x7b
const RIGHT_BRACE = 0x7d

/** A container whose end has not been read. `key` is the entry being read, for objects. */
type Open =
  | { readonly entries: JsonObject; readonly items: null; key: string }
  | { readonly entries: null; readonly items: JsonValue[]; readonly key: '' }

class Reader {
  readonly #text: string
  readonly #maxDepth: number
  readonly #uniqueKeys: boolean
  #position = 0

  constructor(text: string, maxDepth: number, uniqueKeys: boolean) {
    this.#text = text
    this.#maxDepth = maxDepth
    this.#uniqueKeys = uniqueKeys
  }

  document(): JsonValue {
    if (this.#text.charCodeAt(0) === 0xfeff) throw this.#error('a byte order mark is not JSON; remove it', 0)
    const stack: Open[] = []
    let top: Open | undefined
    for (;;) {
      let value: JsonValue
      const code = this.#skipSpace()
      if (code === QUOTE) {
        value = this.#string()
      } else if (code === LEFT_BRACE) {
        this.#checkDepth(stack.length)
        this.#position++
        const entries: JsonObject = new Map()
        if (this.#skipSpace() !== RIGHT_BRACE) {
          top = { entries, items: null, key: this.#key(entries) }
          stack.push(top)
          continue
        }
        this.#position++
        value = entries
      } else if (code === LEFT_BRACKET) {
        this.#checkDepth(stack.length)
        this.#position++
        const items: JsonValue[] = []
        if (this.#skipSpace() !== RIGHT_BRACKET) {
          top = { entries: null, items, key: '' }
          stack.push(top)
          continue
        }
        this.#position++
        value = items
      } else {
        value = this.#scalar(code)
      }

      // A value is complete: give it to its container, and close the containers that end here.
      for (;;) {
        if (top === undefined) {
          if (!Number.isNaN(this.#skipSpace())) throw this.#unexpected('the end of the text')
          return value
        }
        if (top.items !== null) {
          top.items.push(value)
          const next = this.#skipSpace()
          if (next === COMMA) {
            this.#position++
            break
          }
          if (next !== RIGHT_BRACKET) throw this.#unexpected('"," or "]"')
          value = top.items
        } else {
          top.entries.set(top.key, value)
          const next = this.#skipSpace()
          if (next === COMMA) {
            this.#position++
            this.#skipSpace()
            top.key = this.#key(top.entries)
            break
          }
          if (next !== RIGHT_BRACE) throw this.#unexpected('"," or "}"')
          value = top.entries
        }
        this.#position++
        stack.pop()
        top = stack[stack.length - 1]
      }
    }
  }

  /** Moves to the next character that is not space and returns its code; `NaN` at the end. */
  #skipSpace(): number {
    const text = this.#text
    let position = this.#position
    let code = text.charCodeAt(position)
    while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
      code = text.charCodeAt(++position)
    }
    this.#position = position
    return code
  }

  /** A key and its colon. */
  #key(entries: JsonObject): string {
    const start = this.#position
    if (this.#text.charCodeAt(start) !== QUOTE) throw this.#unexpected('a key in double quotes')
    const key = this.#string()
    if (this.#uniqueKeys && entries.has(key)) {
      throw this.#error(`the key ${JSON.stringify(key)} appears twice in one object`, start)
    }
    if (this.#skipSpace() !== COLON) throw this.#unexpected('":"')
    this.#position++
    return key
  }

  #string(): string {
    const text = this.#text
    const start = this.#position + 1
    let position = start
    for (;;) {
      const code = text.charCodeAt(position)
      if (code === QUOTE) {
        this.#position = position + 1
        return text.slice(start, position)
      }
      if (code === BACKSLASH) return this.#escapedString(start, position)
      if (!(code >= SPACE)) throw this.#badStringCharacter(start - 1, position)
      position++
    }
  }

  /** The rest of a string from its first backslash on. */
  #escapedString(start: number, firstEscape: number): string {
    const text = this.#text
    let value = ''
    let from = start
    let position = firstEscape
    for (;;) {
      const code = text.charCodeAt(position)
      if (code === QUOTE) {
        this.#position = position + 1
        return value + text.slice(from, position)
      }
      if (!(code >= SPACE)) throw this.#badStringCharacter(start - 1, position)
      if (code !== BACKSLASH) {
        position++
        continue
      }
      value += text.slice(from, position)
      const letter = text[position + 1]
      if (letter === 'u') {
        const digits = text.slice(position + 2, position + 6)
        if (!/^[0-9a-fA-F]{4}$/.test(digits))
          throw this.#error('"\\u" needs four hexadecimal digits', position)
        value += String.fromCharCode(Number.parseInt(digits, 16))
        position += 6
      } else {
        const plain = SHORT_ESCAPES.get(text.charCodeAt(position + 1))
        if (plain === undefined) {
          throw this.#error(
            'a backslash in a string begins none of the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u',
            position,
          )
        }
        value += String.fromCharCode(plain)
        position += 2
      }
      from = position
    }
  }

  #scalar(code: number): JsonValue {
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number()
    const text = this.#text
    const position = this.#position
    if (text.startsWith('true', position)) {
      this.#position += 4
      return true
    }
    if (text.startsWith('false', position)) {
      this.#position += 5
      return false
    }
    if (text.startsWith('null', position)) {
      this.#position += 4
      return null
    }
    throw this.#unexpected('a value')
  }

  #number(): JsonNumber {
    const text = this.#text
    const start = this.#position
    let position = start
    if (text.charCodeAt(position) === MINUS) position++
    if (text.charCodeAt(position) === ZERO) {
      position++
      if (isDigit(text.charCodeAt(position))) throw this.#error('a number has a leading zero', start)
    } else {
      position = this.#digits(position)
    }
    if (text.charCodeAt(position) === POINT) position = this.#digits(position + 1)
    if ((text.charCodeAt(position) | 0x20) === 0x65) {
      position++
      const sign = text.charCodeAt(position)
      if (sign === PLUS || sign === MINUS) position++
      position = this.#digits(position)
    }
    this.#position = position
    return new JsonNumber(text.slice(start, position))
  }

  /** The end of a run of at least one digit. */
  #digits(start: number): number {
    let position = start
    while (isDigit(this.#text.charCodeAt(position))) position++
    if (position === start) {
      this.#position = start
      throw this.#unexpected('a digit')
    }
    return position
  }

  #checkDepth(depth: number): void {
    if (depth < this.#maxDepth) return
    const { line, column } = this.#error('', this.#position)
    throw new LimitError(
      'JSON nesting depth',
      this.#maxDepth,
      depth + 1,
      `nest it less deeply (line ${line}, column ${column})`,
    )
  }

  #badStringCharacter(start: number, position: number): JsonError {
    if (position >= this.#text.length) return this.#error('the text ends inside a string', start)
    const code = this.#text.charCodeAt(position).toString(16).padStart(4, '0')
    return this.#error(
      `the control character U+${code.toUpperCase()} in a string must be written "\\u${code}"`,
      position,
    )
  }

  #unexpected(expected: string): JsonError {
    const point = this.#text.codePointAt(this.#position)
    const found = point === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(point))
    return this.#error(`expected ${expected}, found ${found}`, this.#position)
  }

  #error(reason: string, offset: number): JsonError {
    let line = 1
    let lineStart = 0
    for (let at = this.#text.indexOf('\n'); at !== -1 && at < offset; at = this.#text.indexOf('\n', at + 1)) {
      line++
      lineStart = at + 1
    }
    return new JsonError(reason, offset, line, offset - lineStart + 1)
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
