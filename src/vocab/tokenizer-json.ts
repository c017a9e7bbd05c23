/**
 * `tokenizer.json` (the format of Hugging Face's `tokenizers`) to the bytes of each token.
 *
 * Bytes come from the file, never from decoding ids, which loses them. Byte-level BPE is read, and BPE and Unigram of
 * SentencePiece; every other family is refused by name, never guessed.
 *
 * Linear in the file, without parsing the merges (`tokenizer-scan.ts`); an object that is parsed already takes longer.
 *
 * PERF: Llama 3.1 (9.1 MB), from its path to a vocabulary in a fresh process, Node 20.20, median of 9, `npm run bench -- load`:
 * 78 ms by the bytes of the file (read 5, bytes of the tokens 38, trie 35). Before, by its text: 141 ms, 33 of them for 16 MB of
 * UTF-16. Text that is encoded to bytes first: 122 ms; `JSON.parse` and its object: 385 ms.
 */
import { VocabularyError } from '../errors.ts'
import { isWellFormed } from '../json/read.ts'
import { byteLevelBytes, writeByteLevel } from './byte-level.ts'
import { sentencePieceBytes, writeSentencePiece } from './sentence-piece.ts'
import { type AddedToken, TokenTable } from './token-table.ts'
import { readFamily, type TextRules, type TokenFamily } from './tokenizer-family.ts'
import {
  fieldsOfObject,
  ID_LIMIT,
  scanTokenizerJson,
  type TokenizerFields,
  type VocabularyTexts,
} from './tokenizer-scan.ts'

/**
 * Reads a `tokenizer.json`: the bytes of the file (the fastest), its text, or the object it parses to.
 *
 * Throws `VocabularyError` where it is not JSON, the family is not one of those above, or an id is given twice.
 */
export function readTokenizerJson(tokenizer: Uint8Array | string | object): TokenTable {
  // Encoding would write U+FFFD for it.
  if (typeof tokenizer === 'string' && !isWellFormed(tokenizer))
    throw new VocabularyError('tokenizer.json holds half a surrogate pair')
  const fields =
    typeof tokenizer === 'string'
      ? scanTokenizerJson(new TextEncoder().encode(tokenizer))
      : tokenizer instanceof Uint8Array
        ? scanTokenizerJson(tokenizer)
        : fieldsOfObject(tokenizer)
  const family = readFamily(fields)
  // `readFamily` has seen to it.
  const texts = fields.vocab as VocabularyTexts
  const added = readAddedTokens(fields, texts)
  return spell(texts, [...added, ...unaddedControls(fields, texts, added)], family)
}

/**
 * The bytes of all tokens. In byte-level BPE a character outside the byte alphabet (Command R has emoji) stands for its UTF-8.
 * The decoder `ByteLevel` of `tokenizers` does so for a token as a whole; no vocabulary is known where that is another text.
 */
function spell(texts: VocabularyTexts, added: readonly AddedToken[], family: TokenFamily): TokenTable {
  const utf8 = new TextEncoder()
  const rules = family.text
  const literalBytes = (content: string): Uint8Array =>
    rules === null ? utf8.encode(content) : sentencePieceBytes(content, rules)
  const literals = new Map(added.map(({ id, content }) => [id, literalBytes(content)]))
  const { source, starts, ends } = texts
  let size = texts.size
  let capacity = 0
  for (let id = 0; id < texts.size; id++) capacity += ends[id]! - starts[id]!
  for (const [id, bytes] of literals) {
    size = Math.max(size, id + 1)
    capacity += bytes.length
  }
  for (const text of texts.others.values()) capacity += 3 * text.length
  const isLiteral = new Uint8Array(size)
  for (const id of literals.keys()) isLiteral[id] = 1

  const data = new Uint8Array(capacity)
  const offsets = new Uint32Array(size + 1)
  let at = 0
  for (let id = 0; id < size; id++) {
    offsets[id] = at
    if (isLiteral[id] === 1) {
      const literal = literals.get(id)!
      data.set(literal, at)
      at += literal.length
    } else if (texts.has(id)) {
      const start = starts[id]!
      const end =
        start === 0
          ? -1
          : rules === null
            ? writeByteLevel(source, start, ends[id]!, data, at)
            : writeSentencePiece(source, start, ends[id]!, rules, data, at)
      at = end < 0 ? writeText(id, texts.text(id), rules, data, at) : end
    }
  }
  offsets[size] = at
  return new TokenTable(data.slice(0, at), offsets, added, family)
}

/** Writes a token by its text. */
function writeText(id: number, text: string, rules: TextRules | null, data: Uint8Array, at: number): number {
  if (!isWellFormed(text))
    throw new VocabularyError(
      `token ${id} ${JSON.stringify(text)} holds half a surrogate pair: its bytes are not known`,
    )
  const bytes = rules === null ? byteLevelBytes(text) : sentencePieceBytes(text, rules)
  data.set(bytes, at)
  return at + bytes.length
}

/** The text as a JSON string without its quotes. */
function quoted(text: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(text).slice(1, -1))
}

function readAddedTokens(fields: TokenizerFields, texts: VocabularyTexts): AddedToken[] {
  const list = fields.document.get('added_tokens') ?? []
  if (!Array.isArray(list)) throw new VocabularyError('added_tokens is not an array')
  const added = new Map<number, AddedToken>()
  for (const [index, entry] of (list as unknown[]).entries()) {
    const { id, content, special } = (entry ?? {}) as Record<string, unknown>
    if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) >= ID_LIMIT) {
      throw new VocabularyError(`added_tokens[${index}].id is ${JSON.stringify(id)}; expected the token's id`)
    }
    if (typeof content !== 'string' || content === '' || !isWellFormed(content)) {
      throw new VocabularyError(
        `added_tokens[${index}].content is ${JSON.stringify(content)}; expected the token's text`,
      )
    }
    const token = { id: id as number, content, special: special === true }
    const known = added.get(token.id)?.content ?? vocabularyText(texts, token)
    if (known !== undefined && known !== content) {
      throw new VocabularyError(
        `the id ${id} stands for ${JSON.stringify(known)} and, in added_tokens[${index}], for ${JSON.stringify(content)}`,
      )
    }
    added.set(token.id, token)
  }
  return [...added.values()]
}

/**
 * Tokens that stand for no text and are not among the added ones: what is unknown, and what the post-processor puts around a
 * text.
 */
function unaddedControls(
  { document, model }: TokenizerFields,
  texts: VocabularyTexts,
  added: readonly AddedToken[],
): AddedToken[] {
  const known = new Set(added.map(({ id }) => id))
  const ids = new Set<number>()
  const unknown = texts.isList ? model.get('unk_id') : model.get('unk_token')
  if (typeof unknown === 'number') ids.add(unknown)
  else if (typeof unknown === 'string' && !added.some(({ content }) => content === unknown)) {
    const id = texts.find(unknown)
    if (id !== undefined) ids.add(id)
  }
  for (const id of processorIds(document.get('post_processor'))) ids.add(id)
  return [...ids]
    .filter((id) => Number.isSafeInteger(id) && texts.has(id) && !known.has(id) && texts.text(id) !== '')
    .map((id) => ({ id, content: texts.text(id), special: true }))
}

/** The ids that a post-processor writes. */
function processorIds(processor: unknown): number[] {
  const ids: number[] = []
  const pending: unknown[] = [processor]
  while (pending.length > 0) {
    const { special_tokens: named, processors, cls, sep } = (pending.pop() ?? {}) as Record<string, unknown>
    if (Array.isArray(processors)) pending.push(...processors)
    for (const pair of [cls, sep]) if (Array.isArray(pair)) ids.push(pair[1] as number)
    for (const token of Object.values((named ?? {}) as object)) {
      const list = (token as Record<string, unknown> | null)?.ids
      if (Array.isArray(list)) ids.push(...(list as number[]))
    }
  }
  return ids
}

/** What `model.vocab` has at the token's id: as written, or the token's content when its bytes spell that. */
function vocabularyText(texts: VocabularyTexts, { id, content }: AddedToken): string | undefined {
  if (!texts.has(id)) return undefined
  const text = texts.text(id)
  return text !== content && spelled(text) === content ? content : text
}

/** The text that a token in byte-level characters spells, `null` where it is none. */
function spelled(text: string): string | null {
  const written = quoted(text)
  const bytes = new Uint8Array(written.length)
  const end = writeByteLevel(written, 0, written.length, bytes, 0)
  if (end < 0) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end))
  } catch {
    return null
  }
}
