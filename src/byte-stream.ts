/**
 * Values written one behind the other as bytes, and read again.
 *
 * Whole numbers are written in groups of seven bits, lowest first, each byte but the last with its top bit set. Texts are written
 * together, once each, and named by their number. Whoever reads gets what was written or a `DataError` with the place: no
 * number is longer than 53 bits, nothing is read past the end, and no list is longer than the bytes that are left, so what is
 * made is never much larger than what was read.
 */
import { DataError } from './errors.ts'

/** The most bytes of one number. */
const MAX_NUMBER_BYTES = 8

export class ByteWriter {
  #bytes = new Uint8Array(256)
  #length = 0
  readonly #texts = new Map<string, number>()

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const longer = new Uint8Array(Math.max(this.#length + more, this.#bytes.length * 2))
    longer.set(this.#bytes)
    this.#bytes = longer
  }

  /** A whole number from 0 to 2^53 - 1. */
  number(value: number): void {
    this.#reserve(MAX_NUMBER_BYTES)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
  }

  /** A whole number that may be negative. */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** A whole number from 0 to 2^52, or `Infinity`. */
  bound(value: number): void {
    this.number(value === Number.POSITIVE_INFINITY ? 0 : value + 1)
  }

  flag(value: boolean): void {
    this.number(value ? 1 : 0)
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** The number of a text, which is written with all others. */
  text(text: string): void {
    let index = this.#texts.get(text)
    if (index === undefined) {
      index = this.#texts.size
      this.#texts.set(text, index)
    }
    this.number(index)
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.number(items.length)
    for (const item of items) write(item)
  }

  /** All that was written, the texts first. */
  finish(): Uint8Array {
    const head = new ByteWriter()
    const texts = [...this.#texts.keys()]
    const pool = texts.join('')
    const isUtf8 = !/\p{Surrogate}/u.test(pool) && texts.every((text) => !/\p{Surrogate}/u.test(text))
    const encoded = isUtf8 ? new TextEncoder().encode(pool) : utf16(pool)
    head.number(texts.length)
    head.flag(isUtf8)
    head.number(encoded.length)
    head.raw(encoded)
    for (const { length } of texts) head.number(length)
    head.raw(this.#bytes.subarray(0, this.#length))
    return head.bytes
  }

  /** What was written, without texts. */
  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0
  #texts: readonly string[] = []

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads the texts, which come first. */
  texts(): void {
    const count = this.count()
    const isUtf8 = this.flag()
    const encoded = this.raw(this.count())
    const pool = isUtf8 ? this.#utf8(encoded) : this.#utf16(encoded)
    const texts: string[] = []
    let from = 0
    for (let i = 0; i < count; i++) {
      const to = from + this.number()
      if (to > pool.length) this.fail('a text is longer than all of them')
      texts.push(pool.slice(from, to))
      from = to
    }
    if (from !== pool.length) this.fail('the texts are longer than they say')
    this.#texts = texts
  }

  #utf8(bytes: Uint8Array): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      return this.fail('the texts are not UTF-8')
    }
  }

  #utf16(bytes: Uint8Array): string {
    if (bytes.length % 2 !== 0) this.fail('half a character')
    let text = ''
    for (let i = 0; i < bytes.length; i += 2) text += String.fromCharCode(bytes[i]! | (bytes[i + 1]! << 8))
    return text
  }

  fail(reason: string): never {
    throw new DataError(reason, this.#at)
  }

  number(): number {
    const bytes = this.#bytes
    let value = 0
    let scale = 1
    for (let i = 0; i < MAX_NUMBER_BYTES; i++) {
      if (this.#at >= bytes.length) this.fail('the data ends too early')
      const byte = bytes[this.#at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value <= Number.MAX_SAFE_INTEGER ? value : this.fail('a number is too large')
      scale *= 0x80
    }
    return this.fail('a number is too long')
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  bound(): number {
    const value = this.number()
    return value === 0 ? Number.POSITIVE_INFINITY : value - 1
  }

  flag(): boolean {
    const value = this.number()
    if (value > 1) this.fail(`${value} is neither true nor false`)
    return value === 1
  }

  /** A number below `limit`. */
  below(limit: number, what: string): number {
    const value = this.number()
    if (value >= limit) this.fail(`there is no ${what} ${value}`)
    return value
  }

  /** One of some things, by its number. */
  oneOf<T>(all: readonly T[], what: string): T {
    return all[this.below(all.length, what)]!
  }

  /** The bounds of a count, both inclusive. */
  bounds(): { min: number; max: number } {
    const min = this.number()
    const max = this.bound()
    if (max < min) this.fail(`a bound from ${min} to ${max}`)
    return { min, max }
  }

  /** How many of something that takes a byte at least. */
  count(): number {
    const count = this.number()
    const left = this.#bytes.length - this.#at
    if (count > left) this.fail(`${count} entries are announced, and ${left} bytes are left`)
    return count
  }

  raw(length: number): Uint8Array {
    const from = this.#at
    if (length > this.#bytes.length - from) this.fail('the data ends too early')
    this.#at += length
    return this.#bytes.subarray(from, this.#at)
  }

  /** All that is left. */
  rest(): Uint8Array {
    return this.raw(this.#bytes.length - this.#at)
  }

  text(): string {
    return this.oneOf(this.#texts, 'text')
  }

  /** Texts, none twice. */
  distinctTexts(): string[] {
    const texts = this.list(() => this.text())
    if (texts.length > 1 && new Set(texts).size < texts.length) this.fail('a text that is there twice')
    return texts
  }

  list<T>(read: () => T): T[] {
    const count = this.count()
    const items: T[] = []
    for (let i = 0; i < count; i++) items.push(read())
    return items
  }

  /** Nothing may be left. */
  end(): void {
    if (this.#at !== this.#bytes.length) this.fail('there is more than is announced')
  }
}

function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length)
  for (let i = 0; i < text.length; i++) {
    bytes[2 * i] = text.charCodeAt(i) & 0xff
    bytes[2 * i + 1] = text.charCodeAt(i) >> 8
  }
  return bytes
}
