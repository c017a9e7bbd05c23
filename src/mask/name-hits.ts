/**
 * Where the declared names of an object run along the tokens of a vocabulary or of a rest.
 *
 * Which names may still come changes with every entry of an object; which tokens lie on their way does not. So that is
 * found once for the names of an object, and a mask asks only which of the names found are allowed. O(tokens that begin
 * with a beginning of a name), whatever the number of names.
 */
import type { KeyDfa } from '../automaton/key-dfa.ts'
import type { KeyNames } from '../automaton/key-names.ts'
import { effort } from '../effort.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Partition } from './partition-parts.ts'
import type { Place } from './rest.ts'

/** A place that is reached by the beginning of some name. */
export interface NameHit {
  readonly trie: Trie
  readonly node: number
  /** The node of the names, and the name that ends there, or -1. */
  readonly at: number
  readonly name: number
  /** The last byte, and the index of the hit before it, or -1. */
  readonly byte: number
  readonly parent: number
  /** The index behind the hits below this one. */
  skip: number
}

/** All hits of one place, and what was made of them last. */
export class NameHits {
  /** In preorder. */
  readonly all: readonly NameHit[]
  /** The indices of those at which a name ends. */
  readonly named: readonly number[]
  /** By hit, whether one of its names may come. */
  #allowed: Uint8Array | null = null
  #shared: Partition | null = null
  #made: Partition | null = null

  constructor(all: readonly NameHit[]) {
    this.all = all
    const named: number[] = []
    for (let i = 0; i < all.length; i++) if (all[i]!.name >= 0) named.push(i)
    this.named = named
  }

  /**
   * The partition that the keys with these names make of the hits, beside that of free keys: the one made before, where the
   * names that may come now make no difference here.
   */
  partition(dfa: KeyDfa, shared: Partition | null, make: () => Partition): Partition {
    this.#allowed ??= new Uint8Array(this.all.length)
    // Beside free keys of any text only whole names matter.
    if (!this.#update(dfa, shared !== null, this.#allowed) && this.#made !== null && this.#shared === shared)
      return this.#made
    this.#shared = shared
    this.#made = make()
    return this.#made
  }

  /** Whether there was a difference. */
  #update(dfa: KeyDfa, isAnyFree: boolean, allowed: Uint8Array): boolean {
    const { all, named } = this
    let differs = false
    const count = isAnyFree ? named.length : all.length
    for (let i = 0; i < count; i++) {
      const index = isAnyFree ? named[i]! : i
      const { name, at } = all[index]!
      const now = (name < 0 ? dfa.allowsAny(at) : dfa.isAllowed(name)) ? 1 : 0
      if (allowed[index] === now) continue
      allowed[index] = now
      differs = true
    }
    return differs
  }
}

/** Names with fewer ways on are looked up in the trie, byte by byte. */
const FEW = 4

/** The hits below the places from a node of the names on, in preorder. */
export function nameHits(names: KeyNames, from: number, places: readonly Place[]): readonly NameHit[] {
  const hits: NameHit[] = []
  for (let i = 0; i < places.length; i++) below(names, places[i]!.trie, places[i]!.node, from, -1, hits)
  return hits
}

/** Recursion is as deep as the longest token. */
function below(names: KeyNames, trie: Trie, node: number, at: number, parent: number, hits: NameHit[]): void {
  const width = names.width(at)
  if (width <= FEW) {
    for (let child = names.firstChild(at); child < names.firstChild(at) + width; child++) {
      const next = trie.child(node, names.byte(child))
      if (next !== 0) enter(names, trie, next, child, parent, hits)
    }
    effort.reads += width
    return
  }
  let read = 0
  const end = trie.skip[node]!
  for (let next = node + 1; next < end; next = trie.skip[next]!) {
    read++
    const child = names.child(at, trie.byte[next]!)
    if (child >= 0) enter(names, trie, next, child, parent, hits)
  }
  effort.reads += read
}

function enter(names: KeyNames, trie: Trie, node: number, at: number, parent: number, hits: NameHit[]): void {
  const name = names.name(at)
  const index = hits.length
  const isBare = trie.first[node]! === trie.first[node + 1]!
  const hit = { trie, node, at, name, byte: trie.byte[node]!, parent, skip: 0 }
  hits.push(hit)
  if (name < 0 && trie.hasBelow(node)) below(names, trie, node, at, index, hits)
  // A hit that has no token at or below it says nothing.
  if (isBare && name < 0 && hits.length === index + 1) hits.pop()
  else hit.skip = hits.length
}
