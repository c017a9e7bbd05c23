/**
 * Where the declared names of an object run along the tokens of a vocabulary or of a rest.
 *
 * Which names may still come changes with every entry of an object; which tokens lie on their way does not. So that is
 * found once for the names of an object, and a mask asks only which of the names found are allowed. O(tokens that begin
 * with a beginning of a name), whatever the number of names.
 */
import type { KeyNames } from '../automaton/key-names.ts'
import { effort } from '../effort.ts'
import type { Trie } from '../vocab/trie.ts'
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

/** Names with fewer ways on are looked up in the trie, byte by byte. */
const FEW = 4

/** The hits below the places from a node of the names on, in preorder. */
export function nameHits(names: KeyNames, from: number, places: readonly Place[]): readonly NameHit[] {
  const hits: NameHit[] = []
  let read = 0
  const enter = (trie: Trie, node: number, at: number, byte: number, parent: number): void => {
    const name = names.name(at)
    const hit = { trie, node, at, name, byte, parent, skip: 0 }
    const index = hits.push(hit) - 1
    if (name < 0 && trie.hasBelow(node)) below(trie, node, at, index)
    const isBare = trie.first[node]! === trie.first[node + 1]!
    // A hit that has no token at or below it says nothing.
    if (isBare && name < 0 && hits.length === index + 1) hits.pop()
    else hit.skip = hits.length
  }
  // Recursion is as deep as the longest token.
  const below = (trie: Trie, node: number, at: number, parent: number): void => {
    if (names.width(at) <= FEW) {
      for (const byte of names.edges(at)) {
        read++
        const next = trie.child(node, byte)
        if (next !== 0) enter(trie, next, names.child(at, byte), byte, parent)
      }
      return
    }
    const end = trie.skip[node]!
    for (let next = node + 1; next < end; next = trie.skip[next]!) {
      read++
      const byte = trie.byte[next]!
      const child = names.child(at, byte)
      if (child >= 0) enter(trie, next, child, byte, parent)
    }
  }
  for (const { trie, node } of places) below(trie, node, from, -1)
  effort.reads += read
  return hits
}
