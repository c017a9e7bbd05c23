/**
 * Masks that other masks are told by: unions of shared masks and of long shared lists, made once a vocabulary.
 *
 * Most of a mask is what terminals say that all grammars have: a string's body, the ways to go on behind a string, the
 * beginnings of a number. The same unions of those come back in grammar after grammar, so a mask keeps a reference to one
 * and a few ids of its own.
 */
import { addBits, clearBits, setBits, wordCount } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

/** A mask, or ids. */
export type Part = Uint32Array | Int32Array

/** Lists that all grammars over a vocabulary share, from some length on. */
const shared = new WeakSet<Int32Array>()

/** Notes that a list is one that comes back in grammar after grammar: it may be part of a base. */
export function share(ids: Int32Array): void {
  shared.add(ids)
}

export function isShared(ids: Int32Array): boolean {
  return shared.has(ids)
}

/** Numbers of parts are below this. */
const NUMBERS = 2 ** 26

export class Bases {
  readonly #words: number
  /** Masks that are remembered; the masks that were made of them keep theirs when these are forgotten. */
  readonly #maxUnions: number
  readonly #numbers = new WeakMap<Part, number>()
  readonly #unions = new Map<number | string, Uint32Array>()
  #next = 1

  constructor(vocabulary: Vocabulary, maxBytes: number) {
    this.#words = wordCount(vocabulary.size)
    this.#maxUnions = Math.max(1, Math.floor(maxBytes / (4 * this.#words)))
  }

  /** The union of one part or more, never to be written; and whether it was made just now. */
  union(parts: readonly Part[]): { bits: Uint32Array; isNew: boolean } {
    const key = this.#keyOf(parts)
    const known = this.#unions.get(key)
    if (known !== undefined) return { bits: known, isNew: false }
    const bits = new Uint32Array(this.#words)
    for (const part of parts) addPart(part, bits)
    this.#keep(key, bits)
    return { bits, isNew: true }
  }

  /** A mask without ids, never to be written; and whether it was made just now. */
  without(base: Uint32Array, ids: Int32Array): { bits: Uint32Array; isNew: boolean } {
    const key = -(this.#numberOf(base) * NUMBERS + this.#numberOf(ids))
    const known = this.#unions.get(key)
    if (known !== undefined) return { bits: known, isNew: false }
    const bits = base.slice()
    clearBits(bits, ids)
    this.#keep(key, bits)
    return { bits, isNew: true }
  }

  #keep(key: number | string, bits: Uint32Array): void {
    if (this.#unions.size >= this.#maxUnions) this.#unions.clear()
    this.#unions.set(key, bits)
  }

  /** The same in whatever order. */
  #keyOf(parts: readonly Part[]): number | string {
    const first = this.#numberOf(parts[0]!)
    if (parts.length === 1) return first
    if (parts.length === 2) {
      const second = this.#numberOf(parts[1]!)
      return Math.min(first, second) * NUMBERS + Math.max(first, second)
    }
    const numbers: number[] = []
    for (const part of parts) {
      const number = this.#numberOf(part)
      let at = numbers.push(number) - 1
      for (; at > 0 && numbers[at - 1]! > number; at--) numbers[at] = numbers[at - 1]!
      numbers[at] = number
    }
    return numbers.join()
  }

  #numberOf(part: Part): number {
    let number = this.#numbers.get(part)
    if (number === undefined) {
      number = this.#next++
      this.#numbers.set(part, number)
    }
    return number
  }
}

/** Adds a mask or ids to a mask. */
export function addPart(part: Part, bits: Uint32Array): void {
  if (part instanceof Uint32Array) addBits(bits, part)
  else setBits(bits, part)
}
