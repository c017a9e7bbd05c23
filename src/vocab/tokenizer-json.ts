/**
 * `tokenizer.json` (the format of Hugging Face's `tokenizers`) to the bytes of each token.
 *
 * Bytes come from the file, never from decoding ids, which loses them. Only byte-level BPE is read; every other family
 * is refused by name, never guessed.
 *
 * Linear in the file, without parsing the merges (`tokenizer-scan.ts`); an object that is parsed already takes longer.
 *
 * PERF: Llama 3.1 (9.1 MB), from its path to a vocabulary in a fresh process, Node 20.20, median of 9, `npm run bench -- load`:
 * 78 ms by the bytes of the file (read 5, bytes of the tokens 38, trie 35). Before, by its text: 141 ms, 33 of them for 16 MB of
 * UTF-16. Text that is encoded to bytes first: 122 ms; `JSON.parse` and its object: 385 ms.
 */
import { VocabularyError } from '../errors.ts'
import { isWellFormed } from '../json/read.ts'
import { writeByteLevel } from './byte-level.ts'
import { type AddedToken, TokenTable } from './token-table.ts'
import { requireByteLevel } from './tokenizer-family.ts'
import {
  fieldsOfObject,
  ID_LIMIT,
  scanTokenizerJson,
  type TokenizerFields,
  VocabularyTexts,
} from './tokenizer-scan.ts'

/**
 * Reads a `tokenizer.json`: the bytes of the file (the fastest), its text, or the object it parses to.
 *
 * Throws `VocabularyError` where it is not JSON, the family is not byte-level BPE, or an id is given twice.
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
  requireByteLevel(fields)
  if (!(fields.vocab instanceof VocabularyTexts)) {
    throw new VocabularyError('model.vocab is not an object of token texts to ids; is the file whole?')
  }
  return spell(fields.vocab, readAddedTokens(fields, fields.vocab))
}

/**
 * The bytes of all tokens. One that holds a character outside the byte alphabet (Command R has emoji) stands for its UTF-8, as
 * the decoder `ByteLevel` of `tokenizers` has it.
 */
function spell(texts: VocabularyTexts, added: readonly AddedToken[]): TokenTable {
  const utf8 = new TextEncoder()
  const literals = new Map(added.map(({ id, content }) => [id, utf8.encode(content)]))
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
      const end = starts[id] === 0 ? -1 : writeByteLevel(source, starts[id]!, ends[id]!, data, at)
      at = end < 0 ? writeText(id, texts.text(id), data, at) : end
    }
  }
  offsets[size] = at
  return new TokenTable(data.slice(0, at), offsets, added)
}

/** Writes a token as `writeByteLevel` does, or else its text. */
function writeText(id: number, text: string, data: Uint8Array, at: number): number {
  if (!isWellFormed(text))
    throw new VocabularyError(
      `token ${id} ${JSON.stringify(text)} holds half a surrogate pair: its bytes are not known`,
    )
  const written = quoted(text)
  const end = writeByteLevel(written, 0, written.length, data, at)
  return end < 0 ? at + new TextEncoder().encodeInto(text, data.subarray(at)).written : end
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
