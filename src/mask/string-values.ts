/**
 * The JSON strings of a text, as values: which tokens would make a string that is being written one of them.
 *
 * Whatever stands between two quotes that follow one another counts, be it a string or not: one too many is tried in vain.
 */
import { latin1 } from '../automaton/latin1.ts'
import { emptyBits, hasBit, setBit } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

const BACKSLASH = 0x5c

/** A string that is being written, one byte a unit. */
export interface OpenString {
  /** What was written of it, its quote included; `''` where it begins in the token. */
  readonly typed: string
  /** How it then ends. */
  readonly rest: string
}

export class StringValues {
  readonly #values = new Set<string>()

  readonly #vocabulary: Vocabulary

  /** @param text one byte a unit, as all texts here */
  constructor(text: string, vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.add(text)
  }

  /** Adds the strings of another text; whether there were new ones. */
  add(text: string): boolean {
    const before = this.#values.size
    const quotes: number[] = []
    for (let i = 0; i < text.length; i++) {
      if (text.charCodeAt(i) === BACKSLASH) i++
      else if (text[i] === '"') quotes.push(i)
    }
    for (let i = 1; i < quotes.length; i++) {
      const value = readValue(text.slice(quotes[i - 1]!, quotes[i]! + 1))
      if (value !== null) this.#values.add(value)
    }
    return this.#values.size > before
  }

  /** Adds the string that a token makes. */
  addWith(id: number, string: OpenString): void {
    const value = this.#valueWith(id, string)
    if (value !== null) this.#values.add(value)
  }

  /** How many characters the string has that a token makes. */
  lengthWith(id: number, string: OpenString): number {
    return this.#valueWith(id, string)?.length ?? 0
  }

  #valueWith(id: number, { typed, rest }: OpenString): string | null {
    const bytes = this.#vocabulary.bytes(id)!
    const text = latin1(bytes, 0, bytes.length)
    return readValue(typed === '' ? text.slice(openQuote(text)) + rest : typed + text + rest)
  }

  /** The tokens of a list with which a string becomes one of the values. */
  among(ids: Int32Array, string: OpenString): Set<number> {
    const { typed, rest } = string
    const found = new Set<number>()
    const before = typed === '' ? null : readValue(`${typed}"`)
    const behind = readValue(`"${rest}`)
    const direct = before === null || behind === null ? null : this.#direct(before, behind, this.#vocabulary)
    const escaping = escapingOf(this.#vocabulary)
    for (const id of ids) {
      // A token without escapes is the rest of a value as it stands.
      if (direct !== null && !hasBit(escaping, id)) {
        if (direct.has(id)) found.add(id)
        continue
      }
      const value = this.#valueWith(id, string)
      if (value === null || this.#values.has(value)) found.add(id)
    }
    return found
  }

  /** The tokens that are what the values have behind their beginning. */
  #direct(before: string, behind: string, { trie }: Vocabulary): Set<number> {
    const ids = new Set<number>()
    for (const value of this.#values) {
      if (value.length < before.length + behind.length) continue
      if (!value.startsWith(before) || !value.endsWith(behind)) continue
      let node = 0
      for (const byte of new TextEncoder().encode(value.slice(before.length, value.length - behind.length))) {
        node = trie.child(node, byte)
        if (node === 0) break
      }
      for (let t = trie.first[node]!; node > 0 && t < trie.first[node + 1]!; t++) ids.add(trie.tokens[t]!)
    }
    return ids
  }
}

/** The tokens that have a backslash. */
function escapingOf(vocabulary: Vocabulary): Uint32Array {
  let ids = escaping.get(vocabulary)
  if (ids === undefined) {
    ids = emptyBits(vocabulary.size)
    for (const id of vocabulary.trie.tokens) if (vocabulary.bytes(id)!.includes(BACKSLASH)) setBit(ids, id)
    escaping.set(vocabulary, ids)
  }
  return ids
}

const escaping = new WeakMap<Vocabulary, Uint32Array>()

/** Where the string begins that is open at the end of a text, which may begin within one: the last quote that closes none. */
function openQuote(text: string): number {
  let last = 0
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) === BACKSLASH) i++
    else if (text[i] === '"') last = i
  }
  return last
}

/** What a JSON string says, written one byte a unit; `null` where it is none. */
function readValue(text: string): string | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(Uint8Array.from(text, (unit) => unit.charCodeAt(0))))
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })
