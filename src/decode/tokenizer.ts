/**
 * Prompt text to token ids, such that no control token can come of untrusted text.
 *
 * `@huggingface/tokenizers` turns the literal text of every added token into its id, wherever it stands; a user who
 * writes `<|im_end|>` would end the turn. So a prompt comes as pieces with their provenance: the literals of control
 * tokens are looked for in trusted pieces only, and everything between two of them, trusted or not, is joined and
 * encoded by a tokenizer that knows no control token. Joining matters: encoding each piece alone would change the
 * tokens at the seams of a harmless prompt.
 */
import { Tokenizer } from '@huggingface/tokenizers'
import { isObject } from './folder.ts'

/** A part of a prompt. Trusted text comes from the developer or the model's template, never from users or tools. */
export interface PromptPiece {
  readonly text: string
  readonly trusted: boolean
}

interface ControlToken {
  readonly id: number
  readonly content: string
  /** The token swallows white space before or after it. */
  readonly lstrip: boolean
  readonly rstrip: boolean
}

export class PromptTokenizer {
  readonly #plain: Tokenizer
  readonly #controls = new Map<string, ControlToken>()
  /** Matches the literal of a control token, the longest where several begin. */
  readonly #literals: RegExp | null
  readonly #prefix: readonly number[]

  /** `tokenizer` and `config` are the parsed files; `isControl` says which added tokens are not text. */
  constructor(
    tokenizer: Readonly<Record<string, unknown>>,
    config: Readonly<Record<string, unknown>>,
    isControl: (id: number) => boolean,
  ) {
    const kept: unknown[] = []
    for (const token of Array.isArray(tokenizer.added_tokens) ? tokenizer.added_tokens : []) {
      if (!isObject(token) || typeof token.id !== 'number' || typeof token.content !== 'string') continue
      if (token.content === '') continue
      if (!isControl(token.id)) kept.push(token)
      else {
        const { id, content } = token
        this.#controls.set(content, {
          id,
          content,
          lstrip: token.lstrip === true,
          rstrip: token.rstrip === true,
        })
      }
    }
    const source = anyOf([...this.#controls.keys()])
    this.#literals = source === null ? null : new RegExp(source, 'gu')
    this.#plain = new Tokenizer({ ...tokenizer, added_tokens: kept, post_processor: null }, config)
    this.#prefix = readPrefix(tokenizer, config)
  }

  /** Whether `text` holds the literal of a control token. */
  hasControlLiteral(text: string): boolean {
    return this.#literals !== null && text.search(this.#literals) >= 0
  }

  /** Ids of the control tokens whose literals stand in `text`, in order, taken as trusted. */
  controlsIn(text: string): number[] {
    if (this.#literals === null) return []
    return [...text.matchAll(this.#literals)].map(([literal]) => this.#controls.get(literal)!.id)
  }

  /** Ids of text that holds no control token, whatever it says. */
  encodeText(text: string): number[] {
    return text === '' ? [] : this.#plain.encode(text, { add_special_tokens: false }).ids
  }

  /** Ids of a prompt. `addPrefix` puts the tokens before it that the tokenizer begins a text with (`<s>`). */
  encode(pieces: readonly PromptPiece[], addPrefix = false): number[] {
    const ids: number[] = addPrefix ? [...this.#prefix] : []
    let span = ''
    let stripNext = false
    const addText = (text: string) => {
      const rest = stripNext ? text.trimStart() : text
      if (rest !== '') stripNext = false
      span += rest
    }
    const flush = (strip: boolean) => {
      for (const id of this.encodeText(strip ? span.trimEnd() : span)) ids.push(id)
      span = ''
    }
    for (const { text, trusted } of pieces) {
      let from = 0
      if (trusted && this.#literals !== null) {
        for (const match of text.matchAll(this.#literals)) {
          const control = this.#controls.get(match[0])!
          addText(text.slice(from, match.index))
          flush(control.lstrip)
          ids.push(control.id)
          stripNext = control.rstrip
          from = match.index + match[0].length
        }
      }
      addText(text.slice(from))
    }
    flush(false)
    return ids
  }
}

/**
 * The ids that the tokenizer itself puts before a text: what an empty text encodes to, up to a closing end token. A
 * post-processor adds tokens by their names and reads none, so this takes a small vocabulary and no merges: a second
 * tokenizer of 128,256 tokens would be most of a second.
 */
function readPrefix(
  tokenizer: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): number[] {
  if (!isObject(tokenizer.post_processor)) return []
  const full = new Tokenizer({ ...tokenizer, model: smallModel(tokenizer) }, config)
  const text = full.encode('a', { add_special_tokens: false }).ids
  const { ids } = full.encode('a')
  for (let start = 0; start + text.length <= ids.length; start++) {
    if (text.every((id: number, i: number) => ids[start + i] === id)) return ids.slice(0, start)
  }
  return []
}

/** The model with the characters that write single bytes, and what the post-processor names. */
function smallModel({ model, post_processor: processor }: Readonly<Record<string, unknown>>): unknown {
  if (!isObject(model) || !isObject(model.vocab)) return model
  const { vocab: all } = model
  const names = Array.from({ length: LAST_BYTE_CHARACTER + 1 }, (_, point) => String.fromCodePoint(point))
  JSON.stringify(processor, (_, value) => {
    if (typeof value === 'string') names.push(value)
    return value
  })
  const vocab = Object.fromEntries(
    names.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]),
  )
  return { ...model, vocab, merges: [] }
}

/** Of the alphabet that byte-level BPE writes bytes in. */
const LAST_BYTE_CHARACTER = 0x143

/** The source of a regular expression for any of the texts, the longest where several begin; `null` for none. */
export function anyOf(texts: readonly string[]): string | null {
  if (texts.length === 0) return null
  const longestFirst = [...texts].sort((a, b) => b.length - a.length)
  return longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')).join('|')
}
