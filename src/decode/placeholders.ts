/**
 * Provenance through a chat template: untrusted strings enter the template as unguessable names, and the rendered text
 * is cut at those names afterwards, so that every character of the prompt is known to be the template's or a stranger's.
 *
 * A name ends in a double quote, which tells the context it was printed in: `"` raw, `\"` inside JSON, `\\\"` inside
 * JSON inside JSON; the string is escaped as often when it is put back. Equal strings get equal names, so that a
 * template may still compare them. The text of a JSON value has such a name, too: where the template prints that as a
 * JSON string, the value stands in its place, as it was written. So do numbers that would be printed with other digits.
 */
import { LimitError } from '../errors.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import type { PromptPiece } from './tokenizer.ts'

/** Schema and tool keys that templates look up, and that are harmless wherever they are printed. */
const PLAIN_KEYS = new Set(
  (
    'type function name description parameters properties required enum items anyOf oneOf allOf const default format ' +
    'title minimum maximum minItems maxItems minLength maxLength pattern additionalProperties prefixItems strict ' +
    'nullable examples return $ref $defs definitions'
  ).split(' '),
)
/** Values of `type` that templates branch on. */
const PLAIN_TYPES = new Set('function object array string number integer boolean null'.split(' '))

/** Templates walk what they print recursively, and so may this file, down to here. */
const MAX_DEPTH = 500

/** Turns strings into what enters the template. */
export interface Names {
  /** @param isVital whether the prompt is not whole without it */
  string(text: string, pieces?: readonly PromptPiece[], isVital?: boolean): string
  key(text: string): string
  /** The text of a JSON value, to be printed as such. */
  value(text: string, isVital?: boolean): string
}

export class Placeholders implements Names {
  readonly #prefix = `p${crypto.randomUUID().replaceAll('-', '')}n`
  readonly #indexes = new Map<string, number>()
  /** Indexes of the strings without which a prompt is not whole. */
  readonly #vital = new Set<number>()
  readonly #values: {
    readonly text: string
    readonly pieces: readonly PromptPiece[] | undefined
    readonly isValue: boolean
  }[] = []

  string(text: string, pieces?: readonly PromptPiece[], isVital = false): string {
    // Templates ask whether there is any text; and none can do no harm.
    if (text === '') return ''
    // What must not be lost has a name of its own: another string may say the same.
    const isShared = pieces === undefined && !isVital
    let index = isShared ? this.#indexes.get(text) : undefined
    if (index === undefined) {
      index = this.#add(text, pieces)
      if (isShared) this.#indexes.set(text, index)
    }
    if (isVital) this.#vital.add(index)
    return this.#name(index)
  }

  value(text: string, isVital = false): string {
    const index = this.#add(text, undefined, true)
    if (isVital) this.#vital.add(index)
    return this.#name(index)
  }

  #add(text: string, pieces: readonly PromptPiece[] | undefined, isValue = false): number {
    return this.#values.push({ text, pieces, isValue }) - 1
  }

  #name(index: number): string {
    return `${this.#prefix}${index}_"`
  }

  key(text: string): string {
    return PLAIN_KEYS.has(text) ? text : this.string(text)
  }

  /** Strings as themselves, for a rendering that shows what the template does to them; to be restored like any other. */
  get plain(): Names {
    return {
      string: (text) => text,
      // A plain object would sort keys that look like integers, and lose this one.
      key: (text) => (/^\d+$/u.test(text) || text === '__proto__' ? this.key(text) : text),
      // Nor has it every number. Vital is what the other rendering names.
      value: (text) => this.value(text),
    }
  }

  /** The vital strings whose names the template has not printed. */
  lostIn(rendered: string): string[] {
    const printed = new Set([...rendered.matchAll(this.#printed)].map((match) => Number(match[1])))
    return [...this.#vital].filter((index) => !printed.has(index)).map((index) => this.#values[index]!.text)
  }

  /** The same for a rendering of the strings themselves. */
  lostInPlain(rendered: string): string[] {
    const texts = [...this.#vital].map((index) => this.#values[index]!.text.trim())
    return texts.filter((text) => ![0, 1, 2].some((times) => rendered.includes(escapeTimes(text, times))))
  }

  /** Matches what stands for a string in rendered text. */
  get #printed(): RegExp {
    return new RegExp(`${this.#prefix}(\\d+)_(\\\\*)"`, 'gu')
  }

  /** Every string that has a name. */
  texts(): string[] {
    return this.#values.map(({ text }) => text)
  }

  /** Cuts rendered text into the template's own pieces and the strings put back; `change` may alter those. */
  restore(rendered: string, change: (text: string) => string = (text) => text): PromptPiece[] {
    const result: PromptPiece[] = []
    const push = (text: string, trusted: boolean) => {
      if (text !== '') result.push({ text, trusted })
    }
    let from = 0
    for (const match of rendered.matchAll(this.#printed)) {
      const { text, pieces, isValue } = this.#values[Number(match[1])]!
      const slashes = match[2]!.length
      const end = match.index + match[0].length
      if (isValue && slashes === 1 && rendered[match.index - 1] === '"' && rendered[end] === '"') {
        push(rendered.slice(from, match.index - 1), true)
        push(change(text), false)
        from = end + 1
        continue
      }
      push(rendered.slice(from, match.index), true)
      from = end
      if (slashes === 0 && pieces !== undefined) for (const piece of pieces) push(piece.text, piece.trusted)
      else push(escapeTimes(change(text), Math.log2(slashes + 1)), false)
    }
    push(rendered.slice(from), true)
    return result
  }
}

function escapeTimes(text: string, times: number): string {
  let escaped = text
  for (let i = 0; i < times; i++) escaped = JSON.stringify(escaped).slice(1, -1)
  return escaped
}

/** A JSON value as the plain objects that a template walks, with its strings named. */
export function toTemplateValue(value: JsonValue, names: Names, key = '', depth = 0): unknown {
  if (depth > MAX_DEPTH)
    throw new LimitError(
      'nesting depth of a tool definition or of arguments',
      MAX_DEPTH,
      depth,
      'nest it less deeply',
    )
  if (typeof value === 'string') return key === 'type' && PLAIN_TYPES.has(value) ? value : names.string(value)
  if (value === null || typeof value === 'boolean') return value
  if (value instanceof JsonNumber) {
    const number = Number(value.text)
    return String(number) === value.text ? number : names.value(value.text)
  }
  if (value instanceof Map) {
    const object: Record<string, unknown> = {}
    for (const [name, entry] of value) {
      // Not an assignment: `__proto__` must become an entry like any other.
      Object.defineProperty(object, names.key(name), {
        value: toTemplateValue(entry, names, name, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    return object
  }
  return (value as readonly JsonValue[]).map((item) => toTemplateValue(item, names, key, depth + 1))
}
