/**
 * What is left of tokens behind a terminal: those strictly below some nodes of tries.
 *
 * A rest is read by the terminals that may follow (`Partitions.of`), and what they leave is a rest again: so the tokens that
 * run through several terminals are told apart terminal by terminal, and since punctuation, strings and numbers are the
 * same in all grammars, nearly all of it is known before a grammar is met.
 */
import { effort } from '../effort.ts'
import { LimitError } from '../errors.ts'
import { Trie } from '../vocab/trie.ts'

/** A node of a trie; the tokens meant are those strictly below it. */
export interface Place {
  readonly trie: Trie
  readonly node: number
}

/** Places up to this many are read where they are; more are merged by what is left of their tokens. */
const FEW = 4

/** Rests of many places that are known again. */
const MAX_MERGED = 256

/** Bytes of a rest with its slots, and of a trie beside what its arrays hold: of small ones that is nearly all. */
const REST_BYTES = 300
const TRIE_BYTES = 1_000

/** Bytes that are named one by one; those of more are found together. */
const FEW_BYTES = 4

/** Above the length of any token in bytes, which a vocabulary sees to. */
const LENGTHS = 2 ** 16

/** Remainders that are read, and bytes that are written, to make one trie: those of whole vocabularies are some ten million. */
const MAX_MERGE = 2 ** 25

let nextId = 1

export class Rest {
  /** Unique within a process. Caches multiply it by 2^26, which is exact for the first 2^27 rests. */
  readonly id: number = nextId++
  readonly #places: readonly Place[]
  readonly #owner: Rests
  #byFirst: (Trie | null | undefined)[] = []
  #bytes: readonly number[] | null = null

  constructor(places: readonly Place[], owner: Rests) {
    this.#places = places
    this.#owner = owner
  }

  /** Lets its tries go: they are made again when asked for. */
  forget(): void {
    this.#byFirst = []
  }

  /** Whether it is what is strictly below these places. */
  isBelow(places: readonly Place[]): boolean {
    const own = this.#places
    return (
      own.length === places.length &&
      own.every(({ trie, node }, i) => trie === places[i]!.trie && node === places[i]!.node)
    )
  }

  /** The bytes with which its tokens go on, ascending. */
  get bytes(): readonly number[] {
    this.#bytes ??= this.#firstBytes()
    return this.#bytes
  }

  #firstBytes(): readonly number[] {
    const bytes = new Set<number>()
    for (const { trie, node } of this.#places) {
      const end = trie.skip[node]!
      for (let child = node + 1; child < end; child = trie.skip[child]!) bytes.add(trie.byte[child]!)
    }
    return [...bytes].sort((a, b) => a - b)
  }

  /** Where to read if any byte may come first; `null` where it pays to name the byte. */
  get places(): readonly Place[] | null {
    return this.#places.length <= FEW ? this.#places : null
  }

  /**
   * The remainders that begin with `byte`, equal ones merged; `null` where none do.
   *
   * There is one trie for each byte, made when a terminal is met that can read that byte: below a space lies a third of a
   * vocabulary, and what follows a comma and a space is a quote.
   */
  from(byte: number): Trie | null {
    let merged = this.#byFirst[byte]
    if (merged === undefined) {
      merged = this.#owner.merge(this.#below(byte))
      this.#keep(byte, merged)
    }
    return merged
  }

  /** The same for each of these bytes: many of them are found in one pass over the places. */
  tries(bytes: readonly number[]): Trie[] {
    const due = bytes.filter((byte) => this.#byFirst[byte] === undefined)
    if (due.length > FEW_BYTES) {
      const below: Place[][] = []
      for (const byte of due) below[byte] = []
      for (const { trie, node } of this.#places) {
        const end = trie.skip[node]!
        for (let child = node + 1; child < end; child = trie.skip[child]!)
          below[trie.byte[child]!]?.push({ trie, node: child })
      }
      effort.reads += this.#places.length
      for (const byte of due) this.#keep(byte, this.#owner.merge(below[byte]!))
    }
    return bytes.map((byte) => this.from(byte)).filter((trie) => trie !== null)
  }

  #keep(byte: number, merged: Trie | null): void {
    this.#owner.hold(this, merged)
    this.#byFirst[byte] = merged
  }

  #below(byte: number): Place[] {
    const below: Place[] = []
    for (const { trie, node } of this.#places) {
      const child = trie.child(node, byte)
      if (child !== 0) below.push({ trie, node: child })
    }
    effort.reads += this.#places.length
    return below
  }
}

/** The rests of one vocabulary: those of single nodes, which many terminals leave, are one object each while they are kept. */
export class Rests {
  readonly #single = new WeakMap<Trie, Map<number, Rest>>()
  /** Those of many places, by a hash of the places. */
  readonly #merged = new Map<number, Rest>()

  /** The tries that were made of places. */
  readonly #made = new WeakSet<Trie>()

  readonly #maxBytes: number
  /** Those that hold tries of their own, and the bytes of these. */
  #holding: WeakRef<Rest>[] = []
  #bytes = 0

  /** @param maxBytes of the tries that rests hold; where there would be more all are let go */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Counts a trie in that a rest is about to hold. */
  hold(rest: Rest, trie: Trie | null): void {
    const bytes = REST_BYTES + (trie === null ? 0 : TRIE_BYTES + trie.byteLength)
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) {
      for (const holding of this.#holding) holding.deref()?.forget()
      this.#holding = []
      this.#bytes = bytes
    }
    this.#holding.push(new WeakRef(rest))
  }

  /**
   * The tokens at some nodes and below them, from the node's own byte on, each remainder once; `null` where there are none.
   *
   * A remainder is the end of its token, so that its length says which it is. Where a text may be split in many ways, the
   * same ones are below many of the places; only those of rests are, as a vocabulary's trie has each token once.
   *
   * @throws LimitError where tokens of thousands of bytes may be split at every byte
   */
  merge(places: readonly Place[]): Trie | null {
    const met = places.some(({ trie }) => this.#made.has(trie)) ? new Set<number>() : null
    let read = 0
    let count = 0
    let total = 0
    for (const { trie, node } of places) {
      const above = trie.depth[node]! - 1
      for (let below = node; below < trie.skip[node]!; below++) {
        const length = trie.depth[below]! - above
        const own = trie.first[below + 1]! - trie.first[below]!
        read += own
        if (met === null) {
          count += own
          total += own * length
          continue
        }
        for (let t = trie.first[below]!; t < trie.first[below + 1]!; t++) {
          const key = trie.tokens[t]! * LENGTHS + length
          if (met.has(key)) continue
          met.add(key)
          count++
          total += length
        }
      }
      if (Math.max(read, total) > MAX_MERGE) throw tooLong(Math.max(read, total))
    }
    effort.reads += read
    if (count === 0) return null
    const ids = new Int32Array(count)
    const offsets = new Uint32Array(count + 1)
    const data = new Uint8Array(total)
    let entry = 0
    let at = 0
    for (const { trie, node } of places) {
      const above = trie.depth[node]! - 1
      const path = new Uint8Array(trie.maxDepth - above)
      for (let below = node; below < trie.skip[node]!; below++) {
        const length = trie.depth[below]! - above
        path[length - 1] = trie.byte[below]!
        for (let t = trie.first[below]!; t < trie.first[below + 1]!; t++) {
          const id = trie.tokens[t]!
          // The first of those that are equal is taken.
          if (met !== null && !met.delete(id * LENGTHS + length)) continue
          for (let i = 0; i < length; i++) data[at + i] = path[i]!
          at += length
          ids[entry++] = id
          offsets[entry] = at
        }
      }
    }
    const merged = new Trie(data, offsets, Int32Array.from(ids.keys()), ids)
    this.#made.add(merged)
    return merged
  }

  /** The rests strictly below the places: few of them by themselves, else all in one. */
  below(places: readonly Place[]): Rest[] {
    if (places.length > FEW) return [this.#mergedAt(places)]
    return places.map((place) => this.#at(place))
  }

  /** The states of patterns tend to end a string behind the same characters. */
  #mergedAt(places: readonly Place[]): Rest {
    let hash = places.length
    for (const { node } of places) hash = (Math.imul(hash, 31) + node) | 0
    let rest = this.#merged.get(hash)
    if (rest === undefined || !rest.isBelow(places)) {
      rest = new Rest(places, this)
      if (this.#merged.size >= MAX_MERGED) this.#merged.clear()
      this.#merged.set(hash, rest)
    }
    return rest
  }

  #at(place: Place): Rest {
    const { trie, node } = place
    let byNode = this.#single.get(trie)
    if (byNode === undefined) {
      byNode = new Map()
      this.#single.set(trie, byNode)
    }
    let rest = byNode.get(node)
    if (rest === undefined) {
      rest = new Rest([place], this)
      byNode.set(node, rest)
    }
    return rest
  }
}

function tooLong(actual: number): LimitError {
  return new LimitError(
    'bytes of what may be left of tokens',
    MAX_MERGE,
    actual,
    'the vocabulary has tokens of thousands of bytes; let the grammar split them in fewer ways',
  )
}
