/**
 * The keys that may come next in one object: a trie of the declared names (`key-names.ts`), beside the languages of free
 * keys, those that are not declared.
 *
 * There is an automaton for each set of names that are still allowed; its states are pairs (trie node, state of the free
 * key's string), made as they are visited, so ten thousand names cost nothing until somebody types them. A key has one
 * spelling, hence comparing bytes compares names, and a declared name that is not allowed any more is not an additional
 * key either.
 */
import { Dfa } from './dfa.ts'
import type { AllowedNames, KeyNames } from './key-names.ts'
import { bytesOf, latin1 } from './latin1.ts'
import { LeastFirst } from './least-first.ts'
import type { StringDfa } from './string-dfa.ts'

/** The property with index i has tag `i + DECLARED`; smaller tags are those of free keys, by their language. */
export const DECLARED = 1024

/** Names that are free keys to some have the tags from here on, by index: only where free keys have one language, with tag 1. */
const EITHER = 2
/** Names up to this many can have such a tag. */
export const MAX_EITHER = DECLARED - EITHER

/** States up to this many are looked through one by one. */
const FEW_STATES = 24

/** Both are below 2^26. */
function pairOf(node: number, free: number): number {
  return (node + 1) * 2 ** 26 + free
}

/** Whether a tag of a key's automaton is that of a free key, one that is not declared. */
export function isFree(tag: number): boolean {
  return tag < DECLARED
}

export class KeyDfa extends Dfa {
  readonly start: number
  readonly names: KeyNames
  readonly freeKeys: StringDfa | null
  readonly #allowed: AllowedNames
  readonly #alphabet: Uint8Array
  /** Node of the trie, or -1 once no declared name fits. */
  readonly #node: number[] = [-1]
  /** State of `freeKeys`, or 0. */
  readonly #free: number[] = [0]
  readonly #tag: number[] = [0]
  /** By node and state of the free key, once there are many: a set of names sees few keys. */
  #interned: Map<number, number> | null = null
  #ends: Map<number, boolean> | null = null
  /** For each tag its least free keys, as far as they were asked for. */
  #least: Map<number, { readonly found: readonly string[]; readonly asked: number }> | null = null

  readonly #isFreeToSome: ((name: number) => boolean) | null

  /** @param isFreeToSome of several objects whose keys these are: whether a name is a free key in one of them */
  constructor(
    names: KeyNames,
    allowed: AllowedNames,
    freeKeys: StringDfa | null,
    alphabet: Uint8Array,
    isFreeToSome: ((name: number) => boolean) | null = null,
  ) {
    super()
    this.#isFreeToSome = isFreeToSome
    this.names = names
    this.freeKeys = freeKeys
    this.#allowed = allowed
    this.#alphabet = alphabet
    this.start = this.#state(0, freeKeys?.start ?? 0)
  }

  /** The declared names that can still come of `state`, ascending. */
  *namesFrom(state: number): Generator<number> {
    const node = this.#node[state]!
    if (node < 0) return
    const { from, to } = this.#allowed
    for (const name of this.names.within(node, from, to)) if (this.isAllowed(name)) yield name
  }
  /** The node of the names at `state`, or -1 once no declared name fits. */
  nameNode(state: number): number {
    return this.#node[state]!
  }
  /** Whether one of the names at or below a node is allowed. */
  allowsAny(node: number): boolean {
    return this.names.some(node, this.#allowed)
  }
  isAllowed(name: number): boolean {
    return this.names.isAmong(this.#allowed, name)
  }
  /** Whether these are the keys of several objects. */
  get isUnion(): boolean {
    return this.#isFreeToSome !== null
  }
  /** The tag of a name. */
  tagOf(name: number): number {
    return name + (this.#isFreeToSome?.(name) === true ? EITHER : DECLARED)
  }
  /** The name with a tag; -1 for that of other keys. */
  nameOf(tag: number): number {
    if (tag >= DECLARED) return tag - DECLARED
    return this.#isFreeToSome !== null && tag >= EITHER ? tag - EITHER : -1
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
    // Still to be remembered where an additional key could end as a declared name that is not allowed.
    if (at >= 0 && free === 0 && !this.allowsAny(at)) return 0
    if (at >= 0 && !this.names.hasNames(at)) at = -1
    if (at < 0 && free === 0) return 0
    const known = this.#find(at, free)
    if (known !== 0) return known
    const state = this.#node.push(at) - 1
    this.#free.push(free)
    const name = at < 0 ? -1 : this.names.name(at)
    this.#tag.push(name >= 0 ? this.tagOf(name) : free !== 0 ? this.freeKeys!.tag(free) : 0)
    this.#interned?.set(pairOf(at, free), state)
    return state
  }

  /** The state of a node and a state of the free key, or 0. */
  #find(node: number, free: number): number {
    const count = this.#node.length
    if (count <= FEW_STATES) {
      for (let state = count - 1; state > 0; state--)
        if (this.#node[state] === node && this.#free[state] === free) return state
      return 0
    }
    if (this.#interned === null) {
      this.#interned = new Map()
      for (let state = 1; state < count; state++)
        this.#interned.set(pairOf(this.#node[state]!, this.#free[state]!), state)
    }
    return this.#interned.get(pairOf(node, free)) ?? 0
  }

  edges(state: number): readonly number[] | null {
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
    // Where no declared name lies ahead, every end of the free key's string is an end; without one, a name may come.
    if (this.#tag[state] !== 0 || this.#node[state]! < 0 || this.#free[state] === 0) return true
    if (this.infinite(state)) return true
    let can = this.#ends?.get(state)
    if (can === undefined) {
      can = this.namesFrom(state).next().done !== true
      if (!can)
        can = this.freeKeys!.tagsFrom(this.#free[state]!).some(
          (tag) => this.shortestFree(state, tag, '', []) !== null,
        )
      this.#ends ??= new Map()
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

  /** Whether the free keys that can come of the state may all be taken. */
  mayRunOut(state: number): boolean {
    return this.#free[state] !== 0 && !this.infinite(state)
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
    const name = this.nameOf(tag)
    if (name >= 0) {
      const spelling = this.names.spellings[name]!
      return taken.includes(latin1(spelling, 0, spelling.length)) ? null : this.shortest(state, tag)
    }
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
    this.#least ??= new Map()
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
    for (const name of this.namesFrom(state)) yield this.tagOf(name)
    const free = this.#free[state]!
    if (free !== 0) yield* this.freeKeys!.tagsFrom(free)
  }

  shortest(state: number, tag: number): Uint8Array | null {
    const name = this.nameOf(tag)
    if (name >= 0) return this.names.spellings[name]!.subarray(this.typed(state))
    return this.shortestFree(state, tag, '', [])
  }
}
