/**
 * The keys that may come next in one object: a trie of the declared names, beside the languages of free keys, those that
 * are not declared.
 *
 * `KeyNames` is the trie, built once for an object. `KeyDfa` is the automaton for one set of names that are still allowed;
 * its states are pairs (trie node, state of the free key's string), made as they are visited, so ten thousand names
 * cost nothing until somebody types them. A key has one spelling, hence comparing bytes compares names, and a declared
 * name that is not allowed any more is not an additional key either.
 */
import { quote } from '../json/print.ts'
import { Dfa } from './dfa.ts'
import { bytesOf } from './latin1.ts'
import { LeastFirst } from './least-first.ts'
import type { StringDfa } from './string-dfa.ts'

const encoder = new TextEncoder()

/** The property with index i has tag `i + DECLARED`; smaller tags are those of free keys, by their language. */
export const DECLARED = 1024

/** Whether a tag of a key's automaton is that of a free key, one that is not declared. */
export function isFree(tag: number): boolean {
  return tag < DECLARED
}

/** The declared names of one object, quoted, as a trie over bytes. */
export class KeyNames {
  readonly spellings: readonly Uint8Array[]
  readonly #edges: Map<number, number>[] = [new Map()]
  /** Index of the name that ends at the node, or -1. */
  readonly #name: number[] = [-1]
  /** Indices of the names at or below the node, ascending. */
  readonly #below: number[][] = [[]]
  readonly #depth: number[] = [0]
  readonly #spellable: readonly boolean[]

  constructor(names: readonly string[], alphabet: Uint8Array) {
    this.spellings = names.map((name) => encoder.encode(quote(name)))
    this.spellings.forEach((spelling, index) => {
      let node = 0
      this.#below[0]!.push(index)
      for (const byte of spelling) {
        let child = this.#edges[node]!.get(byte)
        if (child === undefined) {
          child = this.#edges.push(new Map()) - 1
          this.#name.push(-1)
          this.#below.push([])
          this.#depth.push(this.#depth[node]! + 1)
          this.#edges[node]!.set(byte, child)
        }
        node = child
        this.#below[node]!.push(index)
      }
      this.#name[node] = index
    })
    this.#spellable = this.spellings.map((spelling) => spelling.every((byte) => alphabet[byte] === 1))
  }

  /** The bytes that lead on from the node. Node 0 is the root. */
  edges(node: number): Iterable<number> {
    return this.#edges[node]!.keys()
  }
  /** How many bytes lead on from the node. */
  width(node: number): number {
    return this.#edges[node]!.size
  }
  /** The child along `byte`, or -1. */
  child(node: number, byte: number): number {
    return this.#edges[node]!.get(byte) ?? -1
  }
  name(node: number): number {
    return this.#name[node]!
  }
  below(node: number): readonly number[] {
    return this.#below[node]!
  }
  /** Bytes from the root to the node. */
  depth(node: number): number {
    return this.#depth[node]!
  }
  isSpellable(name: number): boolean {
    return this.#spellable[name]!
  }
}

export class KeyDfa extends Dfa {
  readonly start: number
  readonly names: KeyNames
  readonly freeKeys: StringDfa | null
  readonly #isAllowed: (name: number) => boolean
  readonly #alphabet: Uint8Array
  /** Node of the trie, or -1 once no declared name fits. */
  readonly #node: number[] = [-1]
  /** State of `freeKeys`, or 0. */
  readonly #free: number[] = [0]
  readonly #tag: number[] = [0]
  /** By node, less one, and state of the free key. */
  readonly #interned: (Map<number, number> | undefined)[] = []
  readonly #ends = new Map<number, boolean>()
  /** For each tag its least free keys, as far as they were asked for. */
  readonly #least = new Map<number, { readonly found: readonly string[]; readonly asked: number }>()

  constructor(
    names: KeyNames,
    isAllowed: (name: number) => boolean,
    freeKeys: StringDfa | null,
    alphabet: Uint8Array,
  ) {
    super()
    this.names = names
    this.freeKeys = freeKeys
    this.#isAllowed = isAllowed
    this.#alphabet = alphabet
    this.start = this.#state(0, freeKeys?.start ?? 0)
  }

  /** The declared names that can still come of `state`, ascending. */
  *namesFrom(state: number): Generator<number> {
    const node = this.#node[state]!
    if (node < 0) return
    for (const name of this.names.below(node)) if (this.isAllowed(name)) yield name
  }
  /** The node of the names at `state`, or -1 once no declared name fits. */
  nameNode(state: number): number {
    return this.#node[state]!
  }
  /** Whether one of the names is allowed. */
  allowsAny(names: readonly number[]): boolean {
    for (let i = 0; i < names.length; i++) if (this.isAllowed(names[i]!)) return true
    return false
  }
  isAllowed(name: number): boolean {
    return this.names.isSpellable(name) && this.#isAllowed(name)
  }
  /** The state of the free key's string, or 0. */
  free(state: number): number {
    return this.#free[state]!
  }
  /** Bytes typed of a declared name that can still come of `state`. */
  typed(state: number): number {
    const node = this.#node[state]!
    return node < 0 ? 0 : this.names.depth(node)
  }

  #state(node: number, free: number): number {
    let at = node
    if (at >= 0 && !this.allowsAny(this.names.below(at))) {
      // Still to be remembered where an additional key could end as a declared name that is not allowed.
      if (free === 0) return 0
      if (this.names.below(at).length === 0) at = -1
    }
    if (at < 0 && free === 0) return 0
    let byFree = this.#interned[at + 1]
    if (byFree === undefined) {
      byFree = new Map()
      this.#interned[at + 1] = byFree
    }
    const known = byFree.get(free)
    if (known !== undefined) return known
    const state = this.#node.push(at) - 1
    this.#free.push(free)
    const name = at < 0 ? -1 : this.names.name(at)
    this.#tag.push(name >= 0 ? name + DECLARED : free !== 0 ? this.freeKeys!.tag(free) : 0)
    byFree.set(free, state)
    return state
  }

  edges(state: number): Iterable<number> | null {
    const free = this.#free[state]!
    // Every declared name begins with the quote that an additional key begins with.
    return free === 0 ? this.names.edges(this.#node[state]!) : this.freeKeys!.edges(free)
  }

  next(state: number, byte: number): number {
    if (this.#alphabet[byte] !== 1) return 0
    const node = this.#node[state]!
    const child = node < 0 ? -1 : this.names.child(node, byte)
    const name = child < 0 ? -1 : this.names.name(child)
    // A closing quote ends the key: as this declared name, or as no name at all.
    if (name >= 0) return this.isAllowed(name) ? this.#state(child, 0) : 0
    const free = this.#free[state]!
    const target = this.#state(child, free === 0 ? 0 : this.freeKeys!.next(free, byte))
    return target !== 0 && this.#canEnd(target) ? target : 0
  }

  /** Whether some key ends from the state: the only free ones left may be declared names that are not allowed. */
  #canEnd(state: number): boolean {
    // Where no declared name lies ahead, every end of the free key's string is an end.
    if (this.#tag[state] !== 0 || this.#node[state]! < 0 || this.infinite(state)) return true
    let can = this.#ends.get(state)
    if (can === undefined) {
      can = this.namesFrom(state).next().done !== true
      if (!can)
        can = this.freeKeys!.tagsFrom(this.#free[state]!).some(
          (tag) => this.shortestFree(state, tag, '', []) !== null,
        )
      this.#ends.set(state, can)
    }
    return can
  }
  tag(state: number): number {
    return this.#tag[state]!
  }
  final(_state: number): boolean {
    return true
  }

  /** Whether infinitely many free keys may still come of the state, as far as can be seen; `false` without any. */
  infinite(state: number): boolean {
    const free = this.#free[state]!
    return free !== 0 && this.freeKeys!.infinite(free)
  }

  /**
   * The shortest rest of a free key with this tag that is none of `taken`; `typed` is what was written of it. `null` where
   * all are taken.
   */
  shortestFree(state: number, tag: number, typed: string, taken: readonly string[]): Uint8Array | null {
    if (this.#free[state] === 0) return null
    const search = new LeastFirst()
    // Where a taken key may still come of it, the text is a state of its own; elsewhere states tell all there is to know.
    const own: { state: number; text: string }[] = []
    const offer = (at: number, text: string): void => {
      const close = taken.some((key) => key.startsWith(typed + text))
      search.offer(close ? -own.push({ state: at, text }) : at, text, this.#atLeastFree(at, tag))
    }
    offer(state, '')
    for (let entry = search.take(); entry !== null; entry = search.take()) {
      const { text } = entry
      const from = entry.state < 0 ? own[-entry.state - 1]!.state : entry.state
      if (this.tag(from) === tag && !taken.includes(typed + text)) return bytesOf(text)
      if (this.tag(from) !== 0) continue
      for (let byte = 0; byte < 256; byte++) {
        const to = this.next(from, byte)
        if (to !== 0) offer(to, text + String.fromCharCode(byte))
      }
    }
    return null
  }

  /** The `most` shortest free keys with this tag that are none of `taken`, the lowest bytes first among those of one length. */
  leastFree(tag: number, most: number, taken: readonly string[]): string[] {
    const wanted = most + taken.length
    let keys = this.#least.get(tag) ?? { found: [], asked: 0 }
    if (keys.asked < wanted) {
      // Whoever asks for keys soon asks for a few more.
      const asked = wanted + 16
      keys = { found: this.#findLeast(tag, asked), asked }
      this.#least.set(tag, keys)
    }
    const gone = new Set(taken)
    return keys.found.filter((key) => !gone.has(key)).slice(0, most)
  }

  /**
   * Byte by byte, all beginnings in order. The first `most` beginnings that lead to a state make as many keys, so that
   * later ones need not be followed.
   */
  #findLeast(tag: number, most: number): string[] {
    const found: string[] = []
    const followed = new Map<number, number>()
    let layer = [{ state: this.start, text: '' }]
    while (layer.length > 0) {
      const next: typeof layer = []
      for (const { state, text } of layer) {
        if (this.tag(state) === tag && found.push(text) >= most) return found
        if (this.tag(state) !== 0) continue
        for (let byte = 0; byte < 256; byte++) {
          const to = this.next(state, byte)
          const times = followed.get(to) ?? 0
          if (to === 0 || times >= most) continue
          followed.set(to, times + 1)
          next.push({ state: to, text: text + String.fromCharCode(byte) })
        }
      }
      layer = next
    }
    return found
  }

  /** Bytes that a free key has left at least. */
  #atLeastFree(state: number, tag: number): number {
    const free = this.#free[state]!
    return free === 0 ? 0 : this.freeKeys!.atLeast(free, tag)
  }

  /**
   * Whether every key that can still come of `typed`, which led to the state, is taken. Only ever so where no declared name
   * can come and the free keys that can are few.
   */
  isExhausted(state: number, typed: string, taken: readonly string[]): boolean {
    if (taken.length === 0 || this.infinite(state)) return false
    for (const _ of this.namesFrom(state)) return false
    for (const tag of this.tagsFrom(state))
      if (this.shortestFree(state, tag, typed, taken) !== null) return false
    return true
  }

  *tagsFrom(state: number): Iterable<number> {
    for (const name of this.namesFrom(state)) yield name + DECLARED
    const free = this.#free[state]!
    if (free !== 0) yield* this.freeKeys!.tagsFrom(free)
  }

  shortest(state: number, tag: number): Uint8Array | null {
    if (!isFree(tag)) return this.names.spellings[tag - DECLARED]!.subarray(this.typed(state))
    return this.shortestFree(state, tag, '', [])
  }
}
