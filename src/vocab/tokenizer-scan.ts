/**
 * Reads a `tokenizer.json` without building its two large tables as objects.
 *
 * A vocabulary of 128,256 tokens comes with 280,000 merges, which decoding does not need. So the file's bytes are walked
 * once: `model.vocab`, be it an object (BPE) or a list with scores (Unigram), is noted in place in arrays by token id,
 * `model.merges` is passed over by its brackets and strings alone, and everything else, small, goes through `JSON.parse`.
 */
import { JsonError, VocabularyError } from '../errors.ts'
import { readJson } from '../json/read.ts'

/** Ids from here on are refused: no vocabulary is that large, and tables are as long as the largest id. */
export const ID_LIMIT = 1 << 22

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The texts of `model.vocab`, as they are written, by token id. */
export class VocabularyTexts {
  /** One more than the largest id. */
  size = 0
  /** Token `id` is the JSON string whose quotes are around `source[starts[id], ends[id])`, where `starts[id]` is not 0. */
  starts: Int32Array
  ends: Int32Array
  /** The other tokens. */
  readonly others = new Map<number, string>()

  /** @param isList the file has a list of pieces with their scores, and no object of texts to ids */
  constructor(
    readonly source: Uint8Array,
    readonly isList = false,
  ) {
    // Most files have 30 bytes or more a token, merges included: growing is for the others.
    const capacity = Math.min(ID_LIMIT, 1024 + (source.length >>> 5))
    this.starts = new Int32Array(capacity)
    this.ends = new Int32Array(capacity)
  }

  has(id: number): boolean {
    return id < this.size && (this.starts[id] !== 0 || this.others.has(id))
  }

  /** Throws `VocabularyError` where the token is no JSON string. */
  text(id: number): string {
    const other = this.others.get(id)
    if (other !== undefined) return other
    const start = this.starts[id]! - 1
    try {
      return JSON.parse(decodeText(this.source.subarray(start, this.ends[id]! + 1))) as string
    } catch {
      throw locate(this.source, start)
    }
  }

  /** The lowest id with this text. O(tokens), and slow only where it is written with escapes or not there. */
  find(text: string): number | undefined {
    const { source, starts, ends } = this
    const bytes = new TextEncoder().encode(JSON.stringify(text).slice(1, -1))
    let hasEscapes = false
    for (let id = 0; id < this.size; id++) {
      if (starts[id] === 0) {
        if (this.others.get(id) === text) return id
        continue
      }
      const start = starts[id]!
      const length = ends[id]! - start
      if (length === bytes.length) {
        let at = 0
        while (at < length && source[start + at] === bytes[at]) at++
        if (at === length) return id
      } else if (length > bytes.length && !hasEscapes) {
        hasEscapes = source.subarray(start, ends[id]!).includes(BACKSLASH)
      }
    }
    if (!hasEscapes) return undefined
    for (let id = 0; id < this.size; id++) if (this.has(id) && this.text(id) === text) return id
    return undefined
  }

  /** Adds a token with a text of its own. */
  add(id: number, text: string): void {
    this.reserve(id, text)
    this.others.set(id, text)
  }

  /** Makes room for a new id. */
  reserve(id: number, text: string): void {
    if (!Number.isSafeInteger(id) || id < 0 || id >= ID_LIMIT) {
      throw new VocabularyError(
        `model.vocab gives ${JSON.stringify(text)} the id ${JSON.stringify(id)}; expected an integer from 0 to ${ID_LIMIT - 1}`,
      )
    }
    if (this.has(id)) {
      const both = `${JSON.stringify(this.text(id))} and ${JSON.stringify(text)}`
      throw new VocabularyError(
        `model.vocab gives the id ${id} to ${both}; every token needs an id of its own`,
      )
    }
    if (id >= this.starts.length) {
      const capacity = Math.max(id + 1, 2 * this.starts.length)
      this.starts = grown(this.starts, capacity)
      this.ends = grown(this.ends, capacity)
    }
    if (id >= this.size) this.size = id + 1
  }
}

function grown(array: Int32Array, capacity: number): Int32Array {
  const larger = new Int32Array(capacity)
  larger.set(array)
  return larger
}

export interface TokenizerFields {
  /** The members of the document but `model`. */
  readonly document: ReadonlyMap<string, unknown>
  /** The members of `model` but `vocab` and `merges`. */
  readonly model: ReadonlyMap<string, unknown>
  readonly hasMerges: boolean
  /** `model.vocab` where it is an object or a list of pieces, else the value it has. */
  readonly vocab: VocabularyTexts | unknown
}

/** Takes the same fields from a document that is parsed already. */
export function fieldsOfObject(root: unknown): TokenizerFields {
  if (!isRecord(root)) throw new VocabularyError('tokenizer.json is not an object; pass the whole file')
  const document = new Map(Object.entries(root))
  const given = document.get('model')
  if (!isRecord(given)) throw noModel()
  document.delete('model')
  const model = new Map(Object.entries(given))
  let vocab: unknown = model.get('vocab')
  if (isRecord(vocab)) {
    const texts = new VocabularyTexts(new Uint8Array(0))
    for (const [text, id] of Object.entries(vocab)) texts.add(id as number, text)
    vocab = texts
  } else if (Array.isArray(vocab)) {
    const texts = new VocabularyTexts(new Uint8Array(0), true)
    for (const [id, entry] of vocab.entries()) {
      const [text, score, more] = Array.isArray(entry) ? (entry as unknown[]) : []
      if (typeof text !== 'string' || typeof score !== 'number' || more !== undefined)
        throw noPiece(id, entry)
      texts.add(id, text)
    }
    vocab = texts
  }
  const hasMerges = model.get('merges') !== undefined
  model.delete('vocab')
  model.delete('merges')
  return { document, model, hasMerges, vocab }
}

/** Reads the fields from the bytes of the file. Throws `VocabularyError` with the place where they are not JSON. */
export function scanTokenizerJson(source: Uint8Array): TokenizerFields {
  try {
    return new Scanner(source).fields()
  } catch (error) {
    if (error instanceof NotJson) throw locate(source, error.offset)
    throw error
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function noModel(): VocabularyError {
  return new VocabularyError(
    'tokenizer.json has no "model" object; pass the tokenizer.json of the model, not its configuration',
  )
}

function noPiece(index: number, value: unknown): VocabularyError {
  return new VocabularyError(
    `model.vocab[${index}] is ${JSON.stringify(value)?.slice(0, 80)}; expected [text, score]`,
  )
}

/** Internal: the scan met something that is not JSON at the offset. */
class NotJson extends Error {
  constructor(readonly offset: number) {
    super('not JSON')
  }
}

/** The exact place comes from the reader of `src/json`, which is slower and only runs here. */
function locate(source: Uint8Array, offset: number): VocabularyError {
  let place = `at byte ${offset}`
  try {
    readJson(decodeText(source), { duplicateKeys: 'last' })
  } catch (error) {
    if (error instanceof JsonError) place = error.message
    else if (error instanceof TypeError) place += ', and not UTF-8'
  }
  return new VocabularyError(`tokenizer.json is not JSON, or is cut off: ${place}`)
}

/** Throws `TypeError` for what is not UTF-8. */
function decodeText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

class Scanner {
  readonly #source: Uint8Array
  #at = 0

  constructor(source: Uint8Array) {
    this.#source = source
  }

  fields(): TokenizerFields {
    if (this.#peek() !== OPEN_BRACE) {
      this.#parseValue()
      throw new VocabularyError('tokenizer.json is not an object; pass the whole file')
    }
    const document = new Map<string, unknown>()
    let model: Map<string, unknown> | null = null
    let hasMerges = false
    let vocab: VocabularyTexts | unknown
    this.#members((key) => {
      if (key !== 'model' || this.#peek() !== OPEN_BRACE) {
        document.set(key, this.#parseValue())
        return
      }
      const members = new Map<string, unknown>()
      model = members
      this.#members((name) => {
        if (name === 'merges') {
          hasMerges = true
          this.#skipValue()
        } else if (name === 'vocab') {
          const first = this.#peek()
          vocab =
            first === OPEN_BRACE
              ? this.#vocabulary()
              : first === OPEN_BRACKET
                ? this.#pieces()
                : this.#parseValue()
        } else {
          members.set(name, this.#parseValue())
        }
      })
    })
    if (this.#peek() !== -1) throw new NotJson(this.#at)
    if (model === null) throw noModel()
    return { document, model, hasMerges, vocab }
  }

  /** The next byte that is not white space, not consumed; -1 at the end. */
  #peek(): number {
    this.#at = skipSpace(this.#source, this.#at)
    return this.#source[this.#at] ?? -1
  }

  #expect(byte: number): void {
    if (this.#peek() !== byte) throw new NotJson(this.#at)
    this.#at++
  }

  /** Calls `visit` at the start of each member's value; it consumes the value. */
  #members(visit: (key: string) => void): void {
    this.#expect(OPEN_BRACE)
    if (this.#peek() === CLOSE_BRACE) {
      this.#at++
      return
    }
    for (;;) {
      if (this.#peek() !== QUOTE) throw new NotJson(this.#at)
      const key = this.#parseValue() as string
      this.#expect(COLON)
      visit(key)
      if (this.#peek() !== COMMA) break
      this.#at++
    }
    this.#expect(CLOSE_BRACE)
  }

  #parseValue(): unknown {
    this.#peek()
    const start = this.#at
    this.#skipValue()
    return this.#parse(start, this.#at)
  }

  #parse(start: number, end: number): unknown {
    try {
      return JSON.parse(decodeText(this.#source.subarray(start, end)))
    } catch {
      throw new NotJson(start)
    }
  }

  /** Passes over one value, looking at strings and at the depth of brackets only. */
  #skipValue(): void {
    const source = this.#source
    this.#peek()
    let at = this.#at
    let depth = 0
    do {
      if (at >= source.length) throw new NotJson(at)
      const byte = source[at]!
      if (byte === QUOTE) {
        at = endOfString(source, at)
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth++
        at++
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth-- === 0) throw new NotJson(at)
        at++
      } else if (depth > 0) {
        at++
      } else {
        while (at < source.length && isScalarByte(source[at]!)) at++
        if (at === this.#at) throw new NotJson(at)
      }
    } while (depth > 0)
    this.#at = at
  }

  /** The object of `model.vocab`: strings to integers. Most of the time goes here, so its place in the file is a local. */
  #vocabulary(): VocabularyTexts {
    const source = this.#source
    const texts = new VocabularyTexts(source)
    let at = skipSpace(source, this.#at + 1)
    while (source[at] !== CLOSE_BRACE || texts.size > 0) {
      if (source[at] !== QUOTE) throw new NotJson(at)
      const start = at
      const end = endOfString(source, start)
      at = skipSpace(source, end)
      if (source[at] !== COLON) throw new NotJson(at)
      at = skipSpace(source, at + 1)
      const first = at
      let id = 0
      while (at < source.length && source[at]! >= DIGIT_0 && source[at]! <= DIGIT_9)
        id = id * 10 + source[at++]! - DIGIT_0
      if (at === first || id >= ID_LIMIT || isScalarByte(source[at] ?? 0)) throw this.#noId(start, end, first)
      if (id >= texts.size) texts.reserve(id, '')
      else if (texts.has(id)) texts.reserve(id, this.#parse(start, end) as string)
      texts.starts[id] = start + 1
      texts.ends[id] = end - 1
      at = skipSpace(source, at)
      if (source[at] !== COMMA) break
      at = skipSpace(source, at + 1)
    }
    this.#at = at
    this.#expect(CLOSE_BRACE)
    return texts
  }

  /** The list of `model.vocab`: `[text, score]` by token id. Scores are for encoding. */
  #pieces(): VocabularyTexts {
    const source = this.#source
    const texts = new VocabularyTexts(source, true)
    let at = skipSpace(source, this.#at + 1)
    while (source[at] !== CLOSE_BRACKET || texts.size > 0) {
      const entry = at
      const start = source[at] === OPEN_BRACKET ? skipSpace(source, at + 1) : -1
      if (source[start] !== QUOTE) throw this.#noPiece(texts.size, entry)
      const end = endOfString(source, start)
      at = skipSpace(source, end)
      if (source[at] !== COMMA) throw this.#noPiece(texts.size, entry)
      at = skipSpace(source, at + 1)
      const score = at
      while (at < source.length && isScalarByte(source[at]!)) at++
      at = skipSpace(source, at)
      if (at === score || source[at] !== CLOSE_BRACKET) throw this.#noPiece(texts.size, entry)
      const id = texts.size
      texts.reserve(id, '')
      texts.starts[id] = start + 1
      texts.ends[id] = end - 1
      at = skipSpace(source, at + 1)
      if (source[at] !== COMMA) break
      at = skipSpace(source, at + 1)
    }
    this.#at = at
    this.#expect(CLOSE_BRACKET)
    return texts
  }

  #noPiece(index: number, at: number): VocabularyError {
    this.#at = at
    return noPiece(index, this.#parseValue())
  }

  #noId(start: number, end: number, at: number): VocabularyError {
    this.#at = at
    const value = this.#parseValue()
    const token = JSON.stringify(this.#parse(start, end))
    return new VocabularyError(
      `model.vocab gives ${token} the id ${JSON.stringify(value)}; expected an integer from 0 to ${ID_LIMIT - 1}`,
    )
  }
}

/** The first place from `at` on that is not white space. */
function skipSpace(source: Uint8Array, at: number): number {
  while (at < source.length && isSpace(source[at]!)) at++
  return at
}

/** The end of the string whose opening quote is at `at`, behind its closing one. */
function endOfString(source: Uint8Array, at: number): number {
  at++
  while (at < source.length) {
    const byte = source[at]!
    if (byte === QUOTE) return at + 1
    if (byte < 0x20) break
    at += byte === BACKSLASH ? 2 : 1
  }
  throw new NotJson(Math.min(at, source.length))
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/** Bytes of numbers, `true`, `false` and `null`. */
function isScalarByte(byte: number): boolean {
  return (
    (byte >= DIGIT_0 && byte <= DIGIT_9) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === MINUS ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  )
}
