/**
 * What a `tokenizer.json` says about its tokens, whatever use is made of them: the bytes of each id, and the added tokens.
 *
 * Which of them are *content* (text, with bytes) and which *control* (no text: allowed only where a grammar names the id) is
 * decided by `classify`. The flag `special` alone does not tell (Qwen3's `<tool_call>` is not special, and control), so an
 * added token is content only if it is not special and is a run of white space or a tag of HTML, or the caller names it.
 * Mistaking content for control loses one spelling; the reverse would lose the promise.
 */
import { VocabularyError } from '../errors.ts'
import { byteLevelText } from './byte-level.ts'
import type { TokenFamily } from './tokenizer-family.ts'

export interface TokenizerOptions {
  /** Texts or ids of tokens that are control, whatever the file says. */
  readonly controlTokens?: readonly (string | number)[]
  /** Texts or ids of added tokens that are content. */
  readonly textTokens?: readonly (string | number)[]
}

/** A token that the file adds to its vocabulary. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
}

/** An added token, or one that the caller made control. */
export interface ClassifiedToken extends AddedToken {
  readonly control: boolean
}

/** Values of {@link TokenTable.classify}'s `kind`. */
export const HOLE = 0
export const CONTENT = 1
export const CONTROL = 2

/**
 * - `data[offsets[id], offsets[id + 1])` are the bytes of token `id`: those of its text, where it is an added one
 * - `added`, in the order of the file; then, as special ones, those that stand for no text without being added
 * - `order`: the ids that have bytes, sorted by them, where that is known
 */
export class TokenTable {
  constructor(
    readonly data: Uint8Array,
    readonly offsets: Uint32Array,
    readonly added: readonly AddedToken[],
    readonly family: TokenFamily,
    readonly order: Int32Array | null = null,
  ) {}

  /** One more than the largest id. */
  get size(): number {
    return this.offsets.length - 1
  }

  /**
   * The kind of each id: 0 where the vocabulary has a hole, 1 for content, 2 for control; and the added tokens, by id.
   * @throws VocabularyError where an option names a token that does not exist
   */
  classify(options: TokenizerOptions): { readonly kind: Uint8Array; readonly tokens: ClassifiedToken[] } {
    const added = new Map(this.added.map((token) => [token.id, token]))
    const control = this.#controlIds(added, options)
    const { offsets } = this
    const kind = new Uint8Array(this.size)
    for (let id = 0; id < kind.length; id++) if (offsets[id + 1]! > offsets[id]!) kind[id] = CONTENT
    for (const id of control) kind[id] = CONTROL
    const tokens = [...added.values()].map((token) => ({ ...token, control: control.has(token.id) }))
    for (const id of control) {
      if (!added.has(id)) tokens.push({ id, content: this.#text(id), special: false, control: true })
    }
    return { kind, tokens: tokens.sort((a, b) => a.id - b.id) }
  }

  #controlIds(
    added: ReadonlyMap<number, AddedToken>,
    { textTokens = [], controlTokens = [] }: TokenizerOptions,
  ): Set<number> {
    const ids = new Map<string, number>()
    for (const { id, content } of added.values()) ids.set(content, id)
    const named = new Set<number>()
    for (const token of textTokens) {
      const id = typeof token === 'number' ? token : ids.get(token)
      if (id === undefined || !added.has(id)) {
        throw new VocabularyError(
          `textTokens names ${JSON.stringify(token)}, which is not among the added tokens`,
        )
      }
      named.add(id)
    }
    const control = new Set<number>()
    for (const { id, content, special } of added.values()) {
      if (!named.has(id) && (special || !isPlainText(content))) control.add(id)
    }
    for (const token of controlTokens) {
      const id = typeof token === 'number' ? token : (ids.get(token) ?? this.#find(token))
      if (id === undefined || !this.#has(id)) {
        throw new VocabularyError(
          `controlTokens names ${JSON.stringify(token)}, which the vocabulary does not have`,
        )
      }
      control.add(id)
    }
    return control
  }

  #has(id: number): boolean {
    return this.offsets[id + 1]! > this.offsets[id]!
  }

  /** The lowest id with the bytes of `text`. */
  #find(text: string): number | undefined {
    const bytes = new TextEncoder().encode(text)
    const { data, offsets } = this
    for (let id = 0; id < this.size; id++) {
      const begin = offsets[id]!
      if (offsets[id + 1]! - begin === bytes.length && bytes.every((byte, i) => data[begin + i] === byte))
        return id
    }
    return undefined
  }

  /** What an ordinary token spells, or how the vocabulary writes it where that is no text. */
  #text(id: number): string {
    const bytes = this.data.subarray(this.offsets[id], this.offsets[id + 1])
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      if (this.family.text === null) return byteLevelText(bytes)
      return Array.from(bytes, (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`).join('')
    }
  }
}

/** HTML elements whose tags vocabularies have as text. Closed: names such as `img` or `video` are control elsewhere. */
const HTML_ELEMENTS = new Set(
  (
    'a b blockquote body br caption code dd div dl dt em footer h1 h2 h3 h4 h5 h6 head header hr html i iframe li ol p pre s ' +
    'span strong sub sup table tbody td tfoot th thead tr u ul'
  ).split(' '),
)

/** Whether an added token that is not special is content: a run of white space (or of `▁`), or an HTML tag. */
function isPlainText(content: string): boolean {
  if (/^[\s\u2581]+$/.test(content)) return true
  const tag = /^<\/?([a-z][a-z0-9]*)>$/.exec(content)
  return tag !== null && HTML_ELEMENTS.has(tag[1]!)
}
