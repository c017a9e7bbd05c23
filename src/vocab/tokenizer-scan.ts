/**
 * Reads a `tokenizer.json` without building its two large tables as objects.
 *
 * A vocabulary of 128,256 tokens comes with 280,000 merges, which decoding does not need: `JSON.parse` spends most of
 * its time on them. So the text is walked once: `model.vocab` is read in place into arrays by token id, `model.merges` is
 * passed over by its brackets and strings alone, and everything else, small, goes through `JSON.parse`.
 *
 * PERF: Llama 3.1 (8.2 M characters) in a fresh process, Node 20.20: text to bytes in 57 ms so, in 300 ms through
 * `JSON.parse` (150 ms of it the parse). Warm: 31 and 265 ms.
 */
import { JsonError, VocabularyError } from '../errors.ts'
import { readJson } from '../json/read.ts'

/** Ids from here on are refused: no vocabulary is that large, and tables are as long as the largest id. */
const ID_LIMIT = 1 << 22

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

/** The texts of `model.vocab`, as written in byte-level characters, by token id. */
export class VocabularyTexts {
  /** One more than the largest id. */
  size = 0
  /** Token `id` is `source[starts[id] - 1, ends[id])` where `starts[id]` is not 0. */
  starts = new Int32Array(1024)
  ends = new Int32Array(1024)
  /** The tokens that are no plain slice of the source. */
  readonly others = new Map<number, string>()

  constructor(readonly source: string) {}

  has(id: number): boolean {
    return id < this.size && (this.starts[id] !== 0 || this.others.has(id))
  }

  text(id: number): string {
    return this.others.get(id) ?? this.source.slice(this.starts[id]! - 1, this.ends[id])
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
        `model.vocab gives ${JSON.stringify(text)} the id ${id}; expected an integer from 0 to ${ID_LIMIT - 1}`,
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

function grown(array: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
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
  /** `model.vocab` where it is an object, else the value it has. */
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
    const texts = new VocabularyTexts('')
    for (const [text, id] of Object.entries(vocab)) texts.add(id as number, text)
    vocab = texts
  }
  const hasMerges = model.has('merges')
  model.delete('vocab')
  model.delete('merges')
  return { document, model, hasMerges, vocab }
}

/** Reads the fields from the text of the file. Throws `VocabularyError` with the place where the text is not JSON. */
export function scanTokenizerJson(text: string): TokenizerFields {
  try {
    return new Scanner(text).fields()
  } catch (error) {
    if (error instanceof NotJson) throw locate(text, error.offset)
    throw error
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function noModel(): VocabularyError {
  return new VocabularyError(
    'tokenizer.json has no "model" object; pass the tokenizer.json of the model, not its configuration',
  )
}

/** Internal: the scan met something that is not JSON at the offset. */
class NotJson extends Error {
  constructor(readonly offset: number) {
    super('not JSON')
  }
}

/** The exact place comes from the reader of `src/json`, which is slower and only runs here. */
function locate(text: string, offset: number): VocabularyError {
  let place = `at character ${offset}`
  try {
    readJson(text, { duplicateKeys: 'last' })
  } catch (error) {
    if (error instanceof JsonError) place = error.message
  }
  return new VocabularyError(`tokenizer.json is not JSON, or is cut off: ${place}`)
}

class Scanner {
  readonly #text: string
  #at = 0
  /** Whether the string read last has an escape. */
  #escaped = false

  constructor(text: string) {
    this.#text = text
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
          vocab = this.#peek() === OPEN_BRACE ? this.#vocabulary() : this.#parseValue()
        } else {
          members.set(name, this.#parseValue())
        }
      })
    })
    if (this.#peek() !== -1) throw new NotJson(this.#at)
    if (model === null) throw noModel()
    return { document, model, hasMerges, vocab }
  }

  /** The next unit that is not white space, not consumed; -1 at the end. */
  #peek(): number {
    const text = this.#text
    let at = this.#at
    let unit = text.charCodeAt(at)
    while (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) unit = text.charCodeAt(++at)
    this.#at = at
    return at < text.length ? unit : -1
  }

  #expect(unit: number): void {
    if (this.#peek() !== unit) throw new NotJson(this.#at)
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
    try {
      return JSON.parse(this.#text.slice(start, this.#at))
    } catch {
      throw new NotJson(start)
    }
  }

  /** Passes over one value, looking at strings and at the depth of brackets only. */
  #skipValue(): void {
    const text = this.#text
    let depth = 0
    let unit = this.#peek()
    do {
      if (unit === -1) throw new NotJson(this.#at)
      if (unit === QUOTE) {
        this.#skipString()
      } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
        depth++
        this.#at++
      } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
        if (depth-- === 0) throw new NotJson(this.#at)
        this.#at++
      } else if (depth > 0) {
        this.#at++
      } else {
        const start = this.#at
        let at = start
        while (at < text.length && isScalarUnit(text.charCodeAt(at))) at++
        if (at === start) throw new NotJson(start)
        this.#at = at
      }
      if (depth > 0) unit = this.#peek()
    } while (depth > 0)
  }

  /** Passes over a string whose opening quote is next. */
  #skipString(): void {
    const text = this.#text
    let at = this.#at + 1
    let unit = text.charCodeAt(at)
    this.#escaped = false
    while (unit !== QUOTE) {
      if (unit === BACKSLASH) {
        this.#escaped = true
        at++
      }
      // NaN at the end of the text fails this comparison, as control characters do.
      if (!(unit >= 0x20)) throw new NotJson(at)
      unit = text.charCodeAt(++at)
    }
    this.#at = at + 1
  }

  /** The object of `model.vocab`: strings to integers. */
  #vocabulary(): VocabularyTexts {
    const text = this.#text
    const texts = new VocabularyTexts(text)
    this.#expect(OPEN_BRACE)
    if (this.#peek() === CLOSE_BRACE) {
      this.#at++
      return texts
    }
    for (;;) {
      if (this.#peek() !== QUOTE) throw new NotJson(this.#at)
      const start = this.#at
      this.#skipString()
      const end = this.#at
      const escaped = this.#escaped
      this.#expect(COLON)
      const id = this.#tokenId(start, end)
      if (escaped) {
        texts.add(id, this.#string(start, end))
      } else {
        if (id >= texts.size) texts.reserve(id, '')
        else if (texts.has(id)) texts.reserve(id, text.slice(start + 1, end - 1))
        texts.starts[id] = start + 2
        texts.ends[id] = end - 1
      }
      if (this.#peek() !== COMMA) break
      this.#at++
    }
    this.#expect(CLOSE_BRACE)
    return texts
  }

  #tokenId(start: number, end: number): number {
    const text = this.#text
    this.#peek()
    const first = this.#at
    let at = first
    let id = 0
    let unit = text.charCodeAt(at)
    while (unit >= DIGIT_0 && unit <= DIGIT_9) {
      id = id * 10 + unit - DIGIT_0
      unit = text.charCodeAt(++at)
    }
    if (at === first || isScalarUnit(unit) || id >= ID_LIMIT) {
      const value = this.#parseValue()
      const token = JSON.stringify(this.#string(start, end))
      throw new VocabularyError(
        `model.vocab gives ${token} the id ${JSON.stringify(value)}; expected an integer from 0 to ${ID_LIMIT - 1}`,
      )
    }
    this.#at = at
    return id
  }

  #string(start: number, end: number): string {
    try {
      return JSON.parse(this.#text.slice(start, end)) as string
    } catch {
      throw new NotJson(start)
    }
  }
}

/** Units of numbers, `true`, `false` and `null`. */
function isScalarUnit(unit: number): boolean {
  return (
    (unit >= DIGIT_0 && unit <= DIGIT_9) ||
    (unit >= 0x61 && unit <= 0x7a) ||
    unit === MINUS ||
    unit === 0x2b ||
    unit === 0x2e ||
    unit === 0x45
  )
}
