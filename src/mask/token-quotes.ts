/** The quotes of tokens: how many keys a token may end, seen without reading it. Counted once a vocabulary. */
import type { Dfa } from '../automaton/dfa.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

const QUOTE = 0x22
const BRACE = 0x7b
const SPACE = 0x20
/** As many and more. */
const MANY = 255

const counts = new WeakMap<Vocabulary, Uint8Array>()

/** The least number of quotes with which a token may end a key of the objects around a terminal, or of one that begins. */
export function quotesOfKey(dfa: Dfa | null): number {
  if (dfa instanceof KeyDfa) return 1
  return dfa instanceof StringDfa ? 3 : 2
}

/** Whether a token has fewer quotes; one without bytes may stand for anything. */
export function hasFewerQuotes(vocabulary: Vocabulary, id: number, quotes: number): boolean {
  let own = counts.get(vocabulary)
  if (own === undefined) {
    own = countQuotes(vocabulary)
    counts.set(vocabulary, own)
  }
  return own[id]! < quotes
}

function countQuotes(vocabulary: Vocabulary): Uint8Array {
  const found = new Uint8Array(vocabulary.size).fill(MANY)
  for (const id of vocabulary.trie.tokens) {
    let quotes = 0
    for (const byte of vocabulary.bytes(id)!) if (byte === QUOTE && quotes < MANY) quotes++
    found[id] = quotes
  }
  return found
}

/** Whether a token that ends within a key has opened the object around: then no key stands before it. */
export function beginsObject(vocabulary: Vocabulary, id: number): boolean {
  const bytes = vocabulary.bytes(id)!
  // A quote that is escaped stands behind no brace.
  let at = bytes.lastIndexOf(QUOTE) - 1
  while (at >= 0 && bytes[at]! <= SPACE) at--
  return at >= 0 && bytes[at] === BRACE
}
