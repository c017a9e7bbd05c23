/**
 * What is left of tokens behind a terminal: those strictly below some nodes of tries.
 *
 * A rest is read by the terminals that may follow (`Partitions.of`), and what they leave is a rest again: so the tokens that
 * run through several terminals are told apart terminal by terminal, and since punctuation, strings and numbers are the
 * same in all grammars, nearly all of it is known before a grammar is met. Rests with an `id` in common are one object.
 */
import { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

/** A node of a trie; the tokens meant are those strictly below it. */
export interface Place {
  readonly trie: Trie
  readonly node: number
}

/** Places up to this many are read where they are; more are merged by what is left of their tokens. */
const FEW = 4

let nextId = 1

export class Rest {
  /** Unique within a process, and below 2^24 for the first sixteen million. */
  readonly id: number = nextId++
  readonly #vocabulary: Vocabulary
  readonly #places: readonly Place[]
  readonly #byFirst: (Trie | null | undefined)[] = []

  constructor(vocabulary: Vocabulary, places: readonly Place[]) {
    this.#vocabulary = vocabulary
    this.#places = places
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
      merged = this.#merge(byte)
      this.#byFirst[byte] = merged
    }
    return merged
  }

  #merge(first: number): Trie | null {
    const ids: number[] = []
    const offsets: number[] = [0]
    const data: number[] = []
    for (const { trie, node } of this.#places) {
      const child = trie.child(node, first)
      if (child === 0) continue
      const above = trie.depth[node]!
      for (let below = child; below < trie.skip[child]!; below++) {
        for (let t = trie.first[below]!; t < trie.first[below + 1]!; t++) {
          const id = trie.tokens[t]!
          const bytes = this.#vocabulary.bytes(id)!
          // A trie of remainders holds the ends of its tokens.
          for (let b = bytes.length - (trie.depth[below]! - above); b < bytes.length; b++)
            data.push(bytes[b]!)
          offsets.push(data.length)
          ids.push(id)
        }
      }
    }
    if (ids.length === 0) return null
    const entries = Int32Array.from(ids.keys())
    return new Trie(Uint8Array.from(data), Uint32Array.from(offsets), entries, Int32Array.from(ids))
  }
}

/** The rests of one vocabulary: those of single nodes, which many terminals leave, are one object each while they are kept. */
export class Rests {
  readonly #vocabulary: Vocabulary
  readonly #single = new WeakMap<Trie, Map<number, Rest>>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** The rests strictly below the places: few of them by themselves, else all in one. */
  below(places: readonly Place[]): Rest[] {
    if (places.length > FEW) return [new Rest(this.#vocabulary, places)]
    return places.map((place) => this.#at(place))
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
      rest = new Rest(this.#vocabulary, [place])
      byNode.set(node, rest)
    }
    return rest
  }
}
