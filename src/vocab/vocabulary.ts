/**
 * What a model can say: the bytes of each token id, which ids end a text, which are control.
 *
 * Immutable. Bytes lie in one pool (`data`, `offsets`); `trie` holds the content tokens only, so that neither a control
 * token nor an end token can ever be taken for text. About 5 MB for 128,256 tokens.
 */
import { checksumOf } from '../checksum.ts'
import { VocabularyError } from '../errors.ts'
import { CONTENT, CONTROL, HOLE, type TokenTable } from './token-table.ts'
import { readTokenizerJson } from './tokenizer-json.ts'
import { ID_LIMIT } from './tokenizer-scan.ts'
import { Trie } from './trie.ts'

export interface VocabularyOptions {
  /** Tokens that end a text, as ids or as the literal text of added tokens. At least one. */
  readonly endTokens?: readonly (number | string)[]
  /** Width of the logits, and so of every mask; the number of ids, if absent. Ids without a token are always masked. */
  readonly size?: number
  /** Tokens that are never content, beside those recognised as control. */
  readonly controlTokens?: readonly (number | string)[]
  /** Added tokens that are content although they would be taken for control. */
  readonly textTokens?: readonly (number | string)[]
}

const TOKEN_LISTS = ['endTokens', 'controlTokens', 'textTokens'] as const

/** Throws `TypeError` for what is no option or has the wrong type: a misspelled one would change what a model may say. */
function checkOptions(options: VocabularyOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('the options of a vocabulary must be an object')
  const known: readonly string[] = [...TOKEN_LISTS, 'size']
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new TypeError(`unknown option ${JSON.stringify(name)}; known are ${known.join(', ')}`)
  }
  for (const name of TOKEN_LISTS) {
    const list: unknown = options[name]
    if (list === undefined) continue
    if (!Array.isArray(list))
      throw new TypeError(`option ${name} must be a list of ids and texts, not ${shown(list)}`)
    for (const token of list) {
      if (typeof token !== 'number' && typeof token !== 'string')
        throw new TypeError(`option ${name} lists ids and texts, not ${shown(token)}`)
    }
  }
}

/** Nodes of the trie keep their depth in 16 bits. */
const MAX_TOKEN_BYTES = 0xffff

export class Vocabulary {
  /** Width of masks in ids: bit `id & 31` of word `id >>> 5`. */
  readonly size: number
  /** Ids that end a text, ascending. */
  readonly endTokens: readonly number[]
  /** The content tokens. */
  readonly trie: Trie
  /** 256 entries: 1 for each byte that occurs in a content token. */
  readonly alphabet: Uint8Array
  /** Whether each of those bytes is a token of its own, so that it can be written whatever comes before. */
  readonly spellsBytes: boolean
  /**
   * Whether the tokenizer's own decoder takes away a space at the very beginning of the ids it is given, as those of
   * SentencePiece do that put one before every text. A token's bytes have it: an answer goes on from its prompt, where a space
   * stays one. So an answer that is decoded by itself lacks the first space of `text()`.
   */
  readonly stripsFirstSpace: boolean
  readonly #data: Uint8Array
  readonly #offsets: Uint32Array
  readonly #kind: Uint8Array
  /** Whether tokens have no texts but those that their bytes are. */
  readonly #isNamedByBytes: boolean
  /** `null` until somebody asks, where the texts are those of the bytes. */
  #literals: Names | null
  #fingerprint: Uint32Array | null = null

  /**
   * @param literals ids by literal text; `null` for all tokens by the text that their bytes are
   * @param order the ids that have bytes, sorted by them; `null` where that is not known
   */
  private constructor(
    data: Uint8Array,
    offsets: Uint32Array,
    kind: Uint8Array,
    literals: Names | null,
    order: Int32Array | null,
    options: VocabularyOptions,
    stripsFirstSpace = false,
  ) {
    const ids = offsets.length - 1
    this.size = options.size ?? ids
    if (!Number.isInteger(this.size) || this.size < 1 || this.size > ID_LIMIT)
      throw new RangeError(
        options.size === undefined && ids === 0
          ? 'there are no tokens'
          : `size must be an integer from 1 to ${ID_LIMIT}, not ${shown(options.size ?? ids)}`,
      )
    this.stripsFirstSpace = stripsFirstSpace
    this.#data = data
    this.#offsets = offsets
    this.#kind = kind
    this.#isNamedByBytes = literals === null
    this.#literals = literals
    this.endTokens = [...new Set((options.endTokens ?? []).map((token) => this.#endToken(token)))].sort(
      (a, b) => a - b,
    )
    if (this.endTokens.length === 0) {
      throw new VocabularyError(
        'no end token is given; name at least one in endTokens, as an id or as its text',
      )
    }
    for (const id of this.endTokens) kind[id] = CONTROL
    this.trie = new Trie(data, offsets, this.#content(order))
    const { byte, depth, first, size } = this.trie
    this.alphabet = new Uint8Array(256)
    const alone = new Uint8Array(256)
    for (let node = 1; node < size; node++) {
      this.alphabet[byte[node]!] = 1
      if (depth[node] === 1 && first[node]! < first[node + 1]!) alone[byte[node]!] = 1
    }
    this.spellsBytes = this.alphabet.every((occurs, at) => alone[at] === occurs)
  }

  /** The content tokens, in the order of their bytes where that is known, else of their ids. */
  #content(order: Int32Array | null): Int32Array {
    const offsets = this.#offsets
    const kind = this.#kind
    const ids = Math.min(kind.length, this.size)
    const content = new Int32Array(order?.length ?? ids)
    let count = 0
    for (let at = 0; at < content.length; at++) {
      const id = order === null ? at : order[at]!
      if (id >= ids || kind[id] !== CONTENT) continue
      const length = offsets[id + 1]! - offsets[id]!
      if (length > MAX_TOKEN_BYTES)
        throw new VocabularyError(`token ${id} has ${length} bytes; the most is ${MAX_TOKEN_BYTES}`)
      if (length > 0) content[count++] = id
    }
    return content.subarray(0, count)
  }

  /**
   * Reads a `tokenizer.json`: the file's bytes (the fastest), its text, or the object it holds. Byte-level BPE, and BPE and
   * Unigram of SentencePiece (`▁`, `<0x0A>`); other families are refused by name.
   * @throws VocabularyError where the bytes of a token cannot be known exactly
   */
  static fromTokenizerJson(
    tokenizer: Uint8Array | string | object,
    options: VocabularyOptions = {},
  ): Vocabulary {
    checkOptions(options)
    return Vocabulary.fromTable(readTokenizerJson(tokenizer), options)
  }

  /** From what a `tokenizer.json` was found to say (`readTokenizerJson`). */
  static fromTable(table: TokenTable, options: VocabularyOptions): Vocabulary {
    const { kind, tokens } = table.classify(options)
    const literals = new Map(tokens.map(({ content, id }) => [content, id]))
    const { data, offsets, order, family } = table
    return new Vocabulary(data, offsets, kind, literals, order, options, family.stripsFirstSpace)
  }

  /**
   * From the bytes of each id; `null` for an id without any. Only `controlTokens` are control.
   * @throws VocabularyError where an option names a token that does not exist, or by a text that several have
   */
  static fromBytes(tokens: readonly (Uint8Array | null)[], options: VocabularyOptions = {}): Vocabulary {
    checkOptions(options)
    if (options.textTokens !== undefined)
      throw new TypeError('option textTokens is for tokenizer.json; here only controlTokens are control')
    if (!Array.isArray(tokens))
      throw new TypeError(`tokens must be a list, not ${tokens === null ? 'null' : typeof tokens}`)
    const offsets = new Uint32Array(tokens.length + 1)
    // Not `forEach`, which passes over what is absent.
    for (const [id, token] of tokens.entries() as Iterable<[number, unknown]>) {
      if (token !== null && !(token instanceof Uint8Array))
        throw new TypeError(`tokens[${id}] must be a Uint8Array or null, not ${typeof token}`)
      offsets[id + 1] = offsets[id]! + (token?.length ?? 0)
    }
    const data = new Uint8Array(offsets[tokens.length]!)
    const kind = new Uint8Array(tokens.length)
    tokens.forEach((token, id) => {
      if (token === null) return
      data.set(token, offsets[id]!)
      kind[id] = CONTENT
    })
    let literals: Names | null = null
    for (const token of options.controlTokens ?? []) {
      if (typeof token === 'string') literals ??= literalsOf(data, offsets, kind)
      const id = typeof token === 'number' ? token : theOne(literals?.get(token), token)
      if (id === undefined || kind[id] === undefined)
        throw new VocabularyError(`there is no token ${JSON.stringify(token)} to be a control token`)
      kind[id] = CONTROL
    }
    return new Vocabulary(data, offsets, kind, null, null, options)
  }

  #endToken(token: number | string): number {
    const id = typeof token === 'number' ? token : this.idOf(token)
    if (id === undefined)
      throw new VocabularyError(
        this.#isNamedByBytes
          ? `the end token ${JSON.stringify(token)} is not in the vocabulary`
          : `the end token ${JSON.stringify(token)} is not among the added tokens; name one of the others by its id`,
      )
    if (!Number.isInteger(id) || id < 0 || id >= this.size || id >= this.#kind.length) {
      throw new VocabularyError(
        `the end token ${id} lies outside the ${Math.min(this.size, this.#kind.length)} ids of the vocabulary`,
      )
    }
    return id
  }

  /** Four words that tell the vocabulary: its tokens, their kinds, the end tokens, the size. O(bytes), once. */
  get fingerprint(): Uint32Array {
    this.#fingerprint ??= checksumOf(this.#data, this.#offsets, this.#kind, [this.size, ...this.endTokens])
    return this.#fingerprint
  }

  /** Whether both have the same tokens, of the same kinds, end tokens and size. */
  equals(other: Vocabulary): boolean {
    if (other === this) return true
    const words = other.fingerprint
    return this.fingerprint.every((word, i) => word === words[i])
  }

  /** Memory of the tables: tokens, their bytes, and the trie. */
  get byteLength(): number {
    return this.#data.byteLength + this.#offsets.byteLength + this.#kind.byteLength + this.trie.byteLength
  }

  /** The bytes that content token `id` stands for; `null` for control tokens, holes and ids out of range. */
  bytes(id: number): Uint8Array | null {
    return id < this.size && this.#kind[id] === CONTENT
      ? this.#data.subarray(this.#offsets[id]!, this.#offsets[id + 1]!)
      : null
  }
  /** How many bytes content token `id` stands for; -1 for control tokens, holes and ids out of range. */
  byteLengthOf(id: number): number {
    return id < this.size && this.#kind[id] === CONTENT ? this.#offsets[id + 1]! - this.#offsets[id]! : -1
  }
  /** Writes the bytes of content token `id` into `target`, from `at` on. */
  copyBytes(id: number, target: Uint8Array, at: number): void {
    const start = this.#offsets[id]!
    const count = this.#offsets[id + 1]! - start
    for (let i = 0; i < count; i++) target[at + i] = this.#data[start + i]!
  }
  /** Whether `id` is a control token: allowed only where a grammar names it, or as an end. */
  isControl(id: number): boolean {
    return this.#kind[id] === CONTROL
  }
  /** Whether `id` has no token at all. */
  isHole(id: number): boolean {
    return (this.#kind[id] ?? HOLE) === HOLE
  }
  /**
   * The id of the added token with this literal text; of several the one that is control.
   * @throws VocabularyError where that is not one
   */
  idOf(text: string): number | undefined {
    const ids = this.idsOf(text)
    const controls = ids.length > 1 ? ids.filter((id) => this.isControl(id)) : ids
    return theOne(controls.length === 1 ? controls : ids, text)
  }
  /** The ids of all added tokens with this literal text. */
  idsOf(text: string): readonly number[] {
    this.#literals ??= literalsOf(this.#data, this.#offsets, this.#kind)
    const ids = this.#literals.get(text)
    return typeof ids === 'number' ? [ids] : (ids ?? [])
  }
  /** Whether this literal text is that of a control token. */
  hasControl(text: string): boolean {
    return this.idsOf(text).some((id) => this.isControl(id))
  }
  /** The literal text of an added token. O(added tokens). */
  literal(id: number): string | undefined {
    if (this.#isNamedByBytes)
      return this.isHole(id)
        ? undefined
        : textOf(this.#data.subarray(this.#offsets[id]!, this.#offsets[id + 1]!))
    for (const [text, other] of this.#literals!) if (other === id) return text
    return undefined
  }

  /** The bytes of a token that is named by its id: of a content token its own, else those of its literal text. */
  spelling(id: number): Uint8Array {
    if (this.#isNamedByBytes) return this.#data.subarray(this.#offsets[id]!, this.#offsets[id + 1]!)
    return this.bytes(id) ?? new TextEncoder().encode(this.literal(id) ?? '')
  }

  /** A trie of some content tokens. */
  trieOf(ids: readonly number[]): Trie {
    return new Trie(this.#data, this.#offsets, Int32Array.from(ids))
  }

  /** The fewest content tokens that spell `text`; `Infinity` where none do. O(bytes * longest token). */
  tokenCount(text: Uint8Array): number {
    const { trie } = this
    const fewest = new Float64Array(text.length + 1).fill(Number.POSITIVE_INFINITY)
    fewest[text.length] = 0
    for (let from = text.length - 1; from >= 0; from--) {
      let node = 0
      let best = Number.POSITIVE_INFINITY
      for (let to = from; to < text.length; to++) {
        node = trie.child(node, text[to]!)
        if (node === 0) break
        if (trie.first[node]! < trie.first[node + 1]!) best = Math.min(best, fewest[to + 1]! + 1)
      }
      fewest[from] = best
    }
    return fewest[0]!
  }
}

/** Ids by literal text; several where tokens are equal. */
type Names = ReadonlyMap<string, number | readonly number[]>

/** The ids of all tokens by the text that their bytes are. */
function literalsOf(data: Uint8Array, offsets: Uint32Array, kind: Uint8Array): Names {
  const literals = new Map<string, number | number[]>()
  for (let id = 0; id < kind.length; id++) {
    const text = kind[id] === HOLE ? undefined : textOf(data.subarray(offsets[id], offsets[id + 1]))
    if (text === undefined) continue
    const known = literals.get(text)
    if (known === undefined) literals.set(text, id)
    else if (typeof known === 'number') literals.set(text, [known, id])
    else known.push(id)
  }
  return literals
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** The text that bytes are; none where they are cut out of one, or are no bytes at all. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** @throws VocabularyError for several tokens, of which none is to be guessed */
function theOne(ids: number | readonly number[] | undefined, text: string): number | undefined {
  if (typeof ids !== 'object') return ids
  if (ids.length > 1)
    throw new VocabularyError(
      `the text ${JSON.stringify(text)} is that of the tokens ${ids.join(', ')}; give the id of the one that is meant`,
    )
  return ids[0]
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
