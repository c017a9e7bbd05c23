/**
 * The tokens of a vocabulary as pieces of a free JSON string or key, counted in code points.
 *
 * Nearly all tokens are *plain* (`plain-tokens.ts`): whole characters that stand for themselves. The others (a quote, a
 * backslash, half a character) are read once by the string's automaton, with how many characters they take before they end
 * or close the string; from that table the partition of any state is put together without reading a token again.
 */
import type { Spelling } from '../automaton/least-spelling.ts'
import { type Content, StringDfa } from '../automaton/string-dfa.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { listOf } from './id-lists.ts'
import { type Exit, finishPartition, type Partition } from './partition-parts.ts'
import { type PlainTokens, plainTokensOf } from './plain-tokens.ts'
import type { Rests } from './rest.ts'

/** Longer than any token: a bound that lets the automaton count. */
const COUNTABLE = 1 << 20

export class StringTable {
  readonly #vocabulary: Vocabulary
  readonly #plain: PlainTokens
  readonly #special: Trie
  /** Special tokens that stay in the string, and the code points that the string must have room for. */
  readonly #staying: { id: number; room: number }[] = []
  /** Nodes of the special trie at which the string is closed, and the code points before. */
  readonly #closing: { node: number; count: number }[] = []
  readonly #longest: number
  readonly #longestClosing: number
  readonly #partitions = new Map<string, Partition>()
  readonly #exits = new Map<string, Exit[]>()
  readonly #rests: Rests

  constructor(vocabulary: Vocabulary, spelling: Spelling, rests: Rests) {
    this.#vocabulary = vocabulary
    this.#rests = rests
    this.#plain = plainTokensOf(vocabulary)
    this.#special = this.#plain.special
    this.#readSpecial(
      new StringDfa({ chars: null, minLength: 0, maxLength: COUNTABLE }, spelling, vocabulary.alphabet),
    )
    this.#longestClosing = this.#closing.reduce((most, { count }) => Math.max(most, count), 0)
    this.#longest = this.#staying.reduce(
      (most, { room }) => Math.max(most, room),
      Math.max(this.#plain.longest, this.#longestClosing),
    )
  }

  #readSpecial(dfa: StringDfa): void {
    const { byte, depth, skip, first, tokens, size, maxDepth } = this.#special
    if (dfa.start === 0) return
    const states = new Int32Array(maxDepth + 1)
    const counts = new Int32Array(maxDepth + 1)
    states[0] = dfa.next(dfa.start, 0x22)
    let i = 1
    while (i < size) {
      const d = depth[i]!
      const state = dfa.next(states[d - 1]!, byte[i]!)
      if (state === 0) {
        i = skip[i]!
        continue
      }
      const content = dfa.content(state)
      const closed = dfa.tag(state) !== 0
      counts[d] = content === null ? counts[d - 1]! : COUNTABLE - content.rest
      if (closed) {
        this.#closing.push({ node: i, count: counts[d]! })
        i = skip[i]!
        continue
      }
      // Inside a character there must be room for it.
      const room = counts[d]! + (content === null ? 1 : 0)
      for (let t = first[i]!; t < first[i + 1]!; t++) this.#staying.push({ id: tokens[t]!, room })
      states[d] = state
      i++
    }
  }

  /** The partition of a content with any characters. */
  partition({ need, rest }: Content): Partition {
    const required = Math.min(need, this.#longestClosing + 1)
    const room = Math.min(rest, this.#longest)
    const key = `${required} ${room}`
    let partition = this.#partitions.get(key)
    if (partition === undefined) {
      partition = this.#make(required, room)
      this.#partitions.set(key, partition)
    }
    return partition
  }

  #make(need: number, rest: number): Partition {
    const ids: number[] = []
    for (const { id, room } of this.#staying) if (room <= rest) ids.push(id)
    const { first, tokens } = this.#special
    for (const { node, count } of this.#closing) {
      if (count < need || count > rest) continue
      for (let t = first[node]!; t < first[node + 1]!; t++) ids.push(tokens[t]!)
    }
    return finishPartition(this.#vocabulary, this.#plain.upTo(rest), listOf(ids), this.#exitsOf(need, rest))
  }

  #exitsOf(need: number, rest: number): Exit[] {
    const most = Math.min(rest, this.#longestClosing)
    const key = `${need} ${most}`
    let exits = this.#exits.get(key)
    if (exits === undefined) {
      const nodes = this.#closing.filter(
        ({ node, count }) => count >= need && count <= most && this.#special.hasBelow(node),
      )
      const places = nodes.map(({ node }) => ({ trie: this.#special, node }))
      exits = this.#rests.below(places).map((behind) => ({ tag: 1, rest: behind }))
      this.#exits.set(key, exits)
    }
    return exits
  }
}
