/**
 * Prompt text to token ids, such that no control token can come of untrusted text.
 *
 * `@huggingface/tokenizers` turns the literal text of every added token into its id, wherever it stands; a user who
 * writes `<|im_end|>` would end the turn. So a prompt comes as pieces with their provenance: the literals of control
 * tokens are looked for in trusted pieces only, and everything between two of them, trusted or not, is joined and
 * encoded by a tokenizer that knows no control token. Joining matters: encoding each piece alone would change the
 * tokens at the seams of a harmless prompt.
 *
 * Tokenizers of SentencePiece put a space before a text. A prompt gets it where its tokenizer says (before each span between two
 * control tokens, or the first alone); what goes on from other text, as forced bytes do, never.
 */
import { Tokenizer } from '@huggingface/tokenizers'
import { ModelError } from '../errors.ts'
import { isObject } from './folder.ts'
import {
  checkMerged,
  checkMerges,
  firstSpaceAlone,
  keepsTexts,
  startTokens,
  withAllCuts,
  withoutPrefix,
} from './tokenizer-parts.ts'
import { cut, isUnigram, PLAIN, UnigramText } from './unigram-text.ts'

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
  /** The same, but for the space that is put before a text. */
  readonly #continuing: Tokenizer
  readonly #unigram: UnigramText | null
  /** Only what a prompt begins with gets that space. */
  readonly #isFirstAlone: boolean
  readonly #controls = new Map<string, ControlToken>()
  /** Matches the literal of a control token, the longest where several begin. */
  readonly #literals: RegExp | null
  readonly #prefix: readonly number[]
  /** Whether the tokens of a text spell all of it, but that characters may be composed. */
  readonly keepsTexts: boolean

  /**
   * `tokenizer` and `config` are the parsed files; `isControl` says which tokens are not text.
   * @throws ModelError where no prompt can be written with them
   */
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
    checkMerges(tokenizer.model)
    const parts = {
      ...tokenizer,
      added_tokens: kept,
      pre_tokenizer: usable(() => withAllCuts(tokenizer.pre_tokenizer)),
      post_processor: null,
    }
    this.#unigram = isUnigram(tokenizer) ? new UnigramText(tokenizer, isControl) : null
    this.#isFirstAlone = usable(() => firstSpaceAlone(tokenizer))
    this.keepsTexts = usable(() => keepsTexts(tokenizer))
    const open = (some: Readonly<Record<string, unknown>>) => usable(() => new Tokenizer(some, config))
    this.#plain = open(parts)
    checkMerged(this.#plain)
    const continuing = usable(() => withoutPrefix(parts))
    this.#continuing = this.#plain
    if (continuing !== null) {
      this.#continuing = open(continuing)
      this.#continuing.model = this.#plain.model
    }
    this.#prefix = usable(() => startTokens(tokenizer, open))
    // What the library cannot do shows now, and not in the first prompt.
    this.encodeText('a')
    this.#encodeWith(this.#plain, 'a')
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

  /** Ids of text that goes on from other text, and holds no control token, whatever it says. */
  encodeText(text: string): number[] {
    return this.#encodeWith(this.#continuing, text)
  }

  #encodeWith(tokenizer: Tokenizer, text: string): number[] {
    if (text === '') return []
    const unigram = this.#unigram
    if (unigram === null) return usable(() => wholeIds(tokenizer.encode(text, PLAIN).ids))
    return cut(text, this.#literals).flatMap((part, i) =>
      usable(() => wholeIds(unigram.encode(i === 0 ? tokenizer : this.#continuing, this.#continuing, part))),
    )
  }

  /** Ids of a prompt. `addPrefix` puts the tokens before it that the tokenizer begins a text with (`<s>`). */
  encode(pieces: readonly PromptPiece[], addPrefix = false): number[] {
    const prefix = addPrefix ? this.#prefix : []
    const ids: number[] = [...prefix]
    let span = ''
    let stripNext = false
    const addText = (text: string) => {
      const rest = stripNext ? text.trimStart() : text
      if (rest !== '') stripNext = false
      span += rest
    }
    const flush = (strip: boolean) => {
      const isFirst = ids.length === prefix.length
      const tokenizer = this.#isFirstAlone && !isFirst ? this.#continuing : this.#plain
      for (const id of this.#encodeWith(tokenizer, strip ? span.trimEnd() : span)) ids.push(id)
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

/** What is made of the file, by the library too; `ModelError` where it says what cannot be done, or is too deep. */
function usable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ModelError) throw error
    throw new ModelError(
      `tokenizer.json cannot be used to write prompts: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** The ids, of which every one is an id: the library has none for a token that is unknown and named nowhere. */
function wholeIds(ids: number[]): number[] {
  if (ids.every((id) => Number.isSafeInteger(id))) return ids
  throw new ModelError('tokenizer.json names a token for what is unknown, and has none; is the file whole?')
}

/** The source of a regular expression for any of the texts, the longest where several begin; `null` for none. */
export function anyOf(texts: readonly string[]): string | null {
  if (texts.length === 0) return null
  const longestFirst = [...texts].sort((a, b) => b.length - a.length)
  return longestFirst.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&')).join('|')
}
