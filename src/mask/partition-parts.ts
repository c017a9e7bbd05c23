/** What a partition is, and how it is put together: masks of lists, tries of remainders. */
import { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

/** Tokens that go on, behind the terminal, in the context of exit `tag`: those strictly below a node, or remainders. */
export type Exit =
  | { readonly tag: number; readonly trie: Trie; readonly node: number }
  | { readonly tag: number; readonly remainders: Remainders }

export interface Partition {
  /** The base: a mask that others may share, and ids beside it. */
  readonly dense: Uint32Array | null
  readonly ids: Int32Array
  readonly exits: readonly Exit[]
  /**
   * Applied after all that: tokens at and below these nodes of the vocabulary's trie are taken out again, then `ids` and
   * `exits` added. It is how declared names are cut out of the language of free keys.
   */
  readonly amendment: {
    readonly clear: readonly number[]
    readonly ids: Int32Array
    readonly exits: readonly Exit[]
  } | null
}

/** Ids up to this many stay a list; more become a mask. */
export const SPARSE = 400
/** Exits of one tag up to this many are walked where they are; more are merged by what is left of their tokens. */
const MERGE = 4

export const NO_IDS = new Int32Array(0)

/** The ids as a mask, added to `base` if there is one. */
export function bitsOf(vocabulary: Vocabulary, ids: readonly number[], base?: Uint32Array): Uint32Array {
  const bits = base === undefined ? new Uint32Array((vocabulary.size + 31) >>> 5) : base.slice()
  for (let i = 0; i < ids.length; i++) bits[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
  return bits
}

/** A partition of a shared mask (or none) and ids beside it. */
export function finishPartition(
  vocabulary: Vocabulary,
  shared: Uint32Array | null,
  ids: readonly number[],
  exits: readonly Exit[],
): Partition {
  if (ids.length <= SPARSE) return { dense: shared, ids: Int32Array.from(ids), exits, amendment: null }
  return { dense: bitsOf(vocabulary, ids, shared ?? undefined), ids: NO_IDS, exits, amendment: null }
}

/**
 * The tokens below several nodes of a trie by what is left of them: equal remainders are walked once.
 *
 * There is one trie for each byte that a remainder begins with, made when a context is met that can read that byte: below
 * a space lies a third of a vocabulary, and what follows a comma and a space is a quote.
 */
export class Remainders {
  readonly #vocabulary: Vocabulary
  readonly #trie: Trie
  readonly #nodes: readonly number[]
  readonly #byFirst = new Map<number, Trie | null>()

  constructor(vocabulary: Vocabulary, trie: Trie, nodes: readonly number[]) {
    this.#vocabulary = vocabulary
    this.#trie = trie
    this.#nodes = nodes
  }

  /** The remainders that begin with `byte`, or `null`. */
  from(byte: number): Trie | null {
    let merged = this.#byFirst.get(byte)
    if (merged === undefined) {
      merged = this.#merge(byte)
      this.#byFirst.set(byte, merged)
    }
    return merged
  }

  #merge(first: number): Trie | null {
    const trie = this.#trie
    const ids: number[] = []
    const offsets: number[] = [0]
    const data: number[] = []
    for (const node of this.#nodes) {
      const child = trie.child(node, first)
      if (child === 0) continue
      const above = trie.depth[node]!
      for (let t = trie.first[child]!; t < trie.first[trie.skip[child]!]!; t++) {
        const id = trie.tokens[t]!
        const bytes = this.#vocabulary.bytes(id)!
        for (let b = above; b < bytes.length; b++) data.push(bytes[b]!)
        offsets.push(data.length)
        ids.push(id)
      }
    }
    if (ids.length === 0) return null
    const entries = Int32Array.from(ids.keys())
    return new Trie(Uint8Array.from(data), Uint32Array.from(offsets), entries, Int32Array.from(ids))
  }
}

/** The exits of one tag at these nodes of `trie`. */
export function exitsAt(vocabulary: Vocabulary, trie: Trie, nodes: readonly number[], tag: number): Exit[] {
  if (nodes.length <= MERGE) return nodes.map((node) => ({ tag, trie, node }))
  return [{ tag, remainders: new Remainders(vocabulary, trie, nodes) }]
}
