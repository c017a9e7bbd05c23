/**
 * `tokenizer.json` (the format of Hugging Face's `tokenizers`) to the bytes of each token.
 *
 * Bytes come from the file, never from decoding ids, which loses them. Only byte-level BPE is read; every other family
 * is refused by name, never guessed. A token is *content*, with bytes, or *control*: a control token has no bytes, and
 * enters a text only where a grammar names its id. The flag `special` alone does not tell (Qwen3's `<tool_call>` is not
 * special, and control), so an added token is content only if it is not special and is a run of white space or a tag of HTML, or
 * the caller names it. Mistaking content for control loses one spelling; the reverse would lose the promise.
 *
 * Linear in the text, without parsing the merges (`tokenizer-scan.ts`); an object that is parsed already takes longer.
 */
import { VocabularyError } from '../errors.ts'
import { isWellFormed } from '../json/read.ts'
import { writeByteLevel } from './byte-level.ts'
import { requireByteLevel } from './tokenizer-family.ts'
import { fieldsOfObject, scanTokenizerJson, type TokenizerFields, VocabularyTexts } from './tokenizer-scan.ts'

export interface TokenizerOptions {
  /** Texts or ids of tokens that are control, whatever the file says. */
  readonly controlTokens?: readonly (string | number)[]
  /** Texts or ids of added tokens that are content. */
  readonly textTokens?: readonly (string | number)[]
}

/** A token that the file adds to its vocabulary, or that the caller made control. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
  readonly control: boolean
}

/** Values of {@link TokenizerVocabulary.kind}; 0 is a hole. */
const CONTENT_TOKEN = 1
const CONTROL_TOKEN = 2

/**
 * - `data[offsets[id], offsets[id + 1])` are the bytes of token `id`, empty unless it is content
 * - `kind[id]` is 0 where the vocabulary has a hole, 1 for content, 2 for control
 */
export class TokenizerVocabulary {
  constructor(
    readonly data: Uint8Array,
    readonly offsets: Uint32Array,
    readonly kind: Uint8Array,
    readonly added: readonly AddedToken[],
  ) {}

  /** One more than the largest id. */
  get size(): number {
    return this.kind.length
  }

  /** The bytes of a content token, shared, not copied; `null` for control tokens, holes and ids beyond the vocabulary. */
  bytesOf(id: number): Uint8Array | null {
    if (this.kind[id] !== CONTENT_TOKEN) return null
    return this.data.subarray(this.offsets[id], this.offsets[id + 1])
  }
}

/**
 * Reads a `tokenizer.json`, as text (faster) or as the object it parses to.
 *
 * Throws `VocabularyError` where the text is not JSON, the family is not byte-level BPE, an id is given twice, or an option
 * names a token that does not exist.
 */
export function readTokenizerJson(
  textOrObject: string | object,
  options: TokenizerOptions = {},
): TokenizerVocabulary {
  const fields =
    typeof textOrObject === 'string' ? scanTokenizerJson(textOrObject) : fieldsOfObject(textOrObject)
  requireByteLevel(fields)
  if (!(fields.vocab instanceof VocabularyTexts)) {
    throw new VocabularyError('model.vocab is not an object of token texts to ids; is the file whole?')
  }
  const texts = fields.vocab
  const added = readAddedTokens(fields, texts)
  const control = controlIds(added, texts, options)

  let size = texts.size
  for (const id of added.keys()) size = Math.max(size, id + 1)
  const kind = new Uint8Array(size)
  const offsets = new Uint32Array(size + 1)
  const encoded = new Map<number, Uint8Array>()
  const utf8 = new TextEncoder()
  for (const [id, { content }] of added) {
    if (!control.has(id)) encoded.set(id, utf8.encode(content))
  }
  const data = new Uint8Array(totalLength(texts, encoded))
  let at = 0
  for (let id = 0; id < size; id++) {
    offsets[id] = at
    if (control.has(id)) {
      kind[id] = CONTROL_TOKEN
      continue
    }
    const literal = encoded.get(id)
    if (literal !== undefined) {
      data.set(literal, at)
      at += literal.length
    } else if (id < texts.size) {
      at += writeToken(texts, id, data, at)
    }
    if (at > offsets[id]!) kind[id] = CONTENT_TOKEN
  }
  offsets[size] = at
  return new TokenizerVocabulary(data.subarray(0, at), offsets, kind, listed(added, control, texts))
}

function totalLength(texts: VocabularyTexts, encoded: ReadonlyMap<number, Uint8Array>): number {
  let total = 0
  const { starts, ends } = texts
  for (let id = 0; id < texts.size; id++) if (starts[id] !== 0) total += ends[id]! - starts[id]! + 1
  for (const text of texts.others.values()) total += text.length
  for (const bytes of encoded.values()) total += bytes.length
  return total
}

/** Writes the bytes of an ordinary token and returns how many there are. */
function writeToken(texts: VocabularyTexts, id: number, data: Uint8Array, at: number): number {
  const begin = texts.starts[id]!
  const other = begin === 0 ? texts.others.get(id) : undefined
  if (begin === 0 && other === undefined) return 0
  const source = other ?? texts.source
  const start = other === undefined ? begin - 1 : 0
  const end = other === undefined ? texts.ends[id]! : other.length
  const outside = writeByteLevel(source, start, end, data, at)
  if (outside >= 0) {
    const code = source.codePointAt(outside)!.toString(16).toUpperCase().padStart(4, '0')
    throw new VocabularyError(
      `token ${id} ${JSON.stringify(texts.text(id))} holds U+${code}, which stands for no byte in a byte-level vocabulary; ` +
        'only tokens listed in added_tokens may hold such characters',
    )
  }
  return end - start
}

function readAddedTokens(
  fields: TokenizerFields,
  texts: VocabularyTexts,
): Map<number, { content: string; special: boolean }> {
  const list = fields.document.get('added_tokens') ?? []
  if (!Array.isArray(list)) throw new VocabularyError('added_tokens is not an array')
  const added = new Map<number, { content: string; special: boolean }>()
  for (const [index, entry] of (list as unknown[]).entries()) {
    const { id, content, special } = (entry ?? {}) as Record<string, unknown>
    if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) >= 1 << 22) {
      throw new VocabularyError(`added_tokens[${index}].id is ${JSON.stringify(id)}; expected the token's id`)
    }
    if (typeof content !== 'string' || content === '' || !isWellFormed(content)) {
      throw new VocabularyError(
        `added_tokens[${index}].content is ${JSON.stringify(content)}; expected the token's text`,
      )
    }
    const token = { content, special: special === true }
    const known = added.get(id as number)?.content ?? vocabularyText(texts, id as number, content)
    if (known !== undefined && known !== content) {
      throw new VocabularyError(
        `the id ${id} stands for ${JSON.stringify(known)} and, in added_tokens[${index}], for ${JSON.stringify(content)}`,
      )
    }
    added.set(id as number, token)
  }
  return added
}

/** What `model.vocab` has at the id: as written, or `content` when its bytes spell that. */
function vocabularyText(texts: VocabularyTexts, id: number, content: string): string | undefined {
  if (!texts.has(id)) return undefined
  const text = texts.text(id)
  return text !== content && spelled(text) === content ? content : text
}

/** The text that a byte-level token spells, `null` where it is none. */
function spelled(text: string): string | null {
  const bytes = new Uint8Array(text.length)
  if (writeByteLevel(text, 0, text.length, bytes, 0) >= 0) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function controlIds(
  added: ReadonlyMap<number, { content: string; special: boolean }>,
  texts: VocabularyTexts,
  options: TokenizerOptions,
): Set<number> {
  const ids = new Map<string, number>()
  for (const [id, { content }] of added) ids.set(content, id)
  const named = new Set<number>()
  for (const token of options.textTokens ?? []) {
    const id = typeof token === 'number' ? token : ids.get(token)
    if (id === undefined || !added.has(id)) {
      throw new VocabularyError(
        `textTokens names ${JSON.stringify(token)}, which is not among the added tokens`,
      )
    }
    named.add(id)
  }
  const control = new Set<number>()
  for (const [id, { content, special }] of added) {
    if (!named.has(id) && (special || !isPlainText(content))) control.add(id)
  }
  for (const token of options.controlTokens ?? []) {
    const id = typeof token === 'number' ? token : (ids.get(token) ?? findSpelled(texts, token))
    if (id === undefined || !(added.has(id) || texts.has(id))) {
      throw new VocabularyError(
        `controlTokens names ${JSON.stringify(token)}, which the vocabulary does not have`,
      )
    }
    control.add(id)
  }
  return control
}

function findSpelled(texts: VocabularyTexts, text: string): number | undefined {
  for (let id = 0; id < texts.size; id++) {
    if (texts.has(id) && spelled(texts.text(id)) === text) return id
  }
  return undefined
}

function listed(
  added: ReadonlyMap<number, { content: string; special: boolean }>,
  control: ReadonlySet<number>,
  texts: VocabularyTexts,
): AddedToken[] {
  const list = [...added].map(([id, token]) => ({ id, ...token, control: control.has(id) }))
  for (const id of control) {
    if (added.has(id)) continue
    const text = texts.text(id)
    list.push({ id, content: spelled(text) ?? text, special: false, control: true })
  }
  return list.sort((a, b) => a.id - b.id)
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
