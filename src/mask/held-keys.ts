/**
 * Tokens with which a key that is being written could become one that its object holds: it then ends otherwise than it would, so
 * that what its completion costs is not what a profile says.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { LONGER_KEY } from './completion.ts'
import { keysOf } from './history.ts'
import { type Held, keysHeld, type Lean } from './lean.ts'
import type { Profile } from './profile.ts'
import type { Text } from './threads.ts'

/** Bytes of an escape before its last one. */
const LONGEST_ESCAPE = 5
/** Characters, and the quote, behind which a key ends at the latest that cannot end at once: declared names are in the way. */
const SOON = 3

/** Whether keys that are held could make a token of the profile cost more than `most`. */
export function mayMatter(leans: readonly Lean[], profile: Profile, most: number): boolean {
  return profile.hasNarrowKeys || leans.some(({ dfa }) => isNarrow(dfa)) || profile.worst + LONGER_KEY > most
}

/**
 * The tokens behind which a key could become one that is held.
 *
 * @param depth of contexts
 */
export function alongHeld(
  leans: readonly Lean[],
  profile: Profile,
  vocabulary: Vocabulary,
  depth: readonly number[],
  { bytes, length }: Text,
): number[] {
  const { trie } = vocabulary
  const begun = profile.begun(vocabulary)
  const ids: number[] = []
  for (const { dfa, context, start, held } of leans) {
    for (let at: Held | null = held; at !== null; at = at.outer)
      for (const key of keysOf(at.keys))
        for (let end = 1; end <= key.length && begun.size > 0; end++)
          if (profile.hasNarrowKeys || mayBeNext(key, end)) ids.push(...(begun.get(key.slice(0, end)) ?? []))
    if (!(dfa instanceof KeyDfa)) continue
    const typed = latin1(bytes, start, length)
    const isAny = dfa.freeKeys?.isAny === true
    for (const key of keysOf(keysHeld(held, depth[context]!))) {
      if (!key.startsWith(typed)) continue
      for (let i = typed.length, node = 0; i < key.length; i++) {
        node = trie.child(node, key.charCodeAt(i))
        if (node === 0) break
        if (isAny && !mayBeNext(key, i + 1)) continue
        ids.push(...trie.tokens.subarray(trie.first[node]!, trie.first[node + 1]!))
      }
    }
  }
  return ids
}

/** Whether a terminal is a key of a language of its own. */
function isNarrow(dfa: Dfa | null): boolean {
  return dfa instanceof KeyDfa && dfa.freeKeys?.isAny === false
}

/** Whether the shortest key of any text that begins as a key does, up to `end`, may be that key, or a character is open there. */
function mayBeNext(key: string, end: number): boolean {
  if (end >= key.length - SOON) return true
  const next = key.charCodeAt(end)
  return (next >= 0x80 && next < 0xc0) || key.slice(Math.max(0, end - LONGEST_ESCAPE), end).includes('\\')
}
