/**
 * Partitions of free text: the whole trie is walked once, from the beginning of a text; every other state is compared with that
 * one, and only where the two read a token differently is the trie walked again. So a state in the middle of a stop costs a copy
 * of the mask and the nodes along the stops.
 */
import type { FreeTextDfa } from '../automaton/free-text.ts'
import { clearBits, emptyBits, setBits } from '../bits.ts'
import { effort } from '../effort.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { NO_IDS } from './id-lists.ts'
import type { Partition } from './partition-parts.ts'
import type { Place, Rests } from './rest.ts'

/** A node at which the text ends, with tokens below, and the tag with which. */
interface End {
  readonly node: number
  readonly tag: number
}

/** What the tokens make of the beginning of a text. */
interface Beginning {
  readonly bits: Uint32Array
  /** In the order of the trie. */
  readonly ends: readonly End[]
}

export class FreeTextPartitions {
  readonly #vocabulary: Vocabulary
  readonly #rests: Rests
  readonly #beginnings = new WeakMap<FreeTextDfa, Beginning>()
  /** States by depth in the trie. */
  readonly #states: Int32Array
  /** The same from the state that is compared, and from the beginning. */
  readonly #others: Int32Array
  readonly #starts: Int32Array

  constructor(vocabulary: Vocabulary, rests: Rests) {
    this.#vocabulary = vocabulary
    this.#rests = rests
    this.#states = new Int32Array(vocabulary.trie.maxDepth + 1)
    this.#others = new Int32Array(vocabulary.trie.maxDepth + 1)
    this.#starts = new Int32Array(vocabulary.trie.maxDepth + 1)
  }

  of(dfa: FreeTextDfa, state: number): Partition {
    const beginning = this.#beginningOf(dfa)
    if (state === dfa.start) return this.#partition(beginning.bits, beginning.ends)
    const bits = beginning.bits.slice()
    const ends = this.#compare(dfa, state, beginning.ends, bits)
    return this.#partition(bits, ends)
  }

  #partition(dense: Uint32Array, ends: readonly End[]): Partition {
    const { trie } = this.#vocabulary
    const byTag = new Map<number, Place[]>()
    for (const { node, tag } of ends) {
      const places = byTag.get(tag)
      if (places === undefined) byTag.set(tag, [{ trie, node }])
      else places.push({ trie, node })
    }
    const exits = [...byTag].flatMap(([tag, places]) =>
      this.#rests.below(places).map((rest) => ({ tag, rest })),
    )
    return { dense, ids: NO_IDS, whole: NO_IDS, exits, amendment: null }
  }

  #beginningOf(dfa: FreeTextDfa): Beginning {
    let beginning = this.#beginnings.get(dfa)
    if (beginning === undefined) {
      const bits = emptyBits(this.#vocabulary.size)
      beginning = { bits, ends: this.#walk(dfa, dfa.start, 0, bits) }
      this.#beginnings.set(dfa, beginning)
    }
    return beginning
  }

  /** Sets the tokens below a node that is reached in a state; gives where the text ends. */
  #walk(dfa: FreeTextDfa, state: number, node: number, bits: Uint32Array): End[] {
    const { trie } = this.#vocabulary
    const { byte, depth, skip, first, tokens } = trie
    const states = this.#states
    const ends: End[] = []
    const end = skip[node]!
    states[depth[node]!] = state
    let i = node + 1
    let read = 0
    while (i < end) {
      read++
      const d = depth[i]!
      const next = dfa.next(states[d - 1]!, byte[i]!)
      if (next === 0) {
        i = skip[i]!
        continue
      }
      setBits(bits, tokens, first[i]!, first[i + 1]!)
      if (dfa.final(next)) {
        if (trie.hasBelow(i)) ends.push({ node: i, tag: dfa.tag(next) })
        i = skip[i]!
        continue
      }
      states[d] = next
      i++
    }
    effort.reads += read
    return ends
  }

  /** Makes of the mask of the beginning that of a state; gives where the text ends. */
  #compare(dfa: FreeTextDfa, state: number, known: readonly End[], bits: Uint32Array): End[] {
    const { trie } = this.#vocabulary
    const { byte, depth, skip } = trie
    const states = this.#others
    const starts = this.#starts
    states[0] = state
    starts[0] = dfa.start
    const ends: End[] = []
    /** Of the ends that are known, the first behind what was looked at. */
    let at = 0
    let i = 1
    let read = 0
    const keep = (to: number, isAlike: boolean): void => {
      for (; at < known.length && known[at]!.node < to; at++) if (isAlike) ends.push(known[at]!)
    }
    while (i < trie.size) {
      read++
      const d = depth[i]!
      const own = dfa.next(states[d - 1]!, byte[i]!)
      const other = dfa.next(starts[d - 1]!, byte[i]!)
      if (own === other) {
        keep(skip[i]!, true)
        i = skip[i]!
        continue
      }
      if (own === 0 || other === 0 || dfa.final(own) || dfa.final(other)) {
        keep(skip[i]!, false)
        this.#renew(dfa, i, own, bits, ends)
        i = skip[i]!
        continue
      }
      states[d] = own
      starts[d] = other
      i++
    }
    effort.reads += read
    return ends
  }

  /** Sets and clears the tokens at and below a node that is reached in a state, or not at all. */
  #renew(dfa: FreeTextDfa, node: number, state: number, bits: Uint32Array, ends: End[]): void {
    const { trie } = this.#vocabulary
    const { skip, first, tokens } = trie
    clearBits(bits, tokens, first[node]!, first[skip[node]!]!)
    if (state === 0) return
    setBits(bits, tokens, first[node]!, first[node + 1]!)
    if (!dfa.final(state)) ends.push(...this.#walk(dfa, state, node, bits))
    else if (trie.hasBelow(node)) ends.push({ node, tag: dfa.tag(state) })
  }
}
