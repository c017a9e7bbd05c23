/**
 * The trie of a vocabulary read as characters, for patterns, which speak of characters and not of bytes.
 *
 * Each node has a *kind*: the *atom* of the character that ends there, where all before it are characters that stand for
 * themselves in a JSON string, or else what it is to a string (inside a character, a quote, an escape, nothing). An atom
 * is a set of code points that patterns seldom tell apart: each ASCII character is one of its own, the spaces and the
 * line separators beyond ASCII are one each, the rest are blocks. So a pattern is asked about a hundred atoms once, and
 * about code points only where it tells those of one atom apart. Below the token `"` the trie is read as what a string
 * begins with.
 *
 * 17 bytes a node (4.7 MB for 128,256 tokens), made in two passes when a vocabulary meets its first pattern. Rejected: the set
 * of atoms of each token, to put masks of classes together from: 128,000 tokens of Llama 3.1 have 71,000 different ones.
 */
import { NONE, STEPS } from '../automaton/utf8.ts'
import { hasBit } from '../bits.ts'
import { SHORT_ESCAPES } from '../json/escapes.ts'
import type { Trie } from '../vocab/trie.ts'

/** Atoms of ASCII are the code point less 0x20, then come those of other characters; all are below `INSIDE`. */
const SPACES = 96
const SEPARATORS = 97
const FIRST_BLOCK = 98
/** Inside a character; no token ends there. */
export const INSIDE = 122
/** Inside a character, where a token ends. */
export const PARTIAL = 123
/** The letter of an escape, which ends it. */
export const ESCAPED = 124
/** The `u` of an escape. What is below is left to the automaton of the string. */
export const HEX = 125
/** A quote that ends the string. What is below is beyond it. */
export const QUOTE = 126
/** The backslash of an escape. */
export const ESCAPE = 127
/** What no string holds, and all below. */
const NOTHING = 128

/** Members of sets of atoms: atoms and `PARTIAL`. */
export const SET_SIZE = 124
/** A set of atoms is so many words. */
export const SET_WORDS = 4

const BLOCKS = [
  0x80, 0xa1, 0xc0, 0xd7, 0xd8, 0xf7, 0xf8, 0x100, 0x180, 0x370, 0x400, 0x530, 0x900, 0x1100, 0x200b, 0x2070,
  0x3001, 0x3100, 0x4e00, 0xa000, 0xac00, 0xe000, 0xff00, 0x10000,
]
/** First and last code points. */
const SPACE_RANGES = [
  0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
]
const SEPARATOR_RANGES = [0x2028, 0x2029]
const SURROGATES = [0xd800, 0xdfff]

function isWithin(ranges: readonly number[], codePoint: number): boolean {
  for (let i = 0; i < ranges.length; i += 2)
    if (codePoint >= ranges[i]! && codePoint <= ranges[i + 1]!) return true
  return false
}

/** The atom of a code point from 0x20 on. */
function atomOf(codePoint: number): number {
  if (codePoint < 0x80) return codePoint - 0x20
  if (isWithin(SPACE_RANGES, codePoint)) return SPACES
  if (isWithin(SEPARATOR_RANGES, codePoint)) return SEPARATORS
  let block = 0
  while (block + 1 < BLOCKS.length && BLOCKS[block + 1]! <= codePoint) block++
  return FIRST_BLOCK + block
}

/**
 * The code points of all atoms, ascending: first, last and atom in turn. Quote and backslash have none: they never stand for
 * themselves.
 */
export const ATOM_SEGMENTS: readonly number[] = segmentsOfAtoms()

function segmentsOfAtoms(): number[] {
  const segments: number[] = []
  for (let c = 0x20; c < 0x80; c++) if (c !== 0x22 && c !== 0x5c) segments.push(c, c, atomOf(c))
  const cuts = new Set(BLOCKS)
  const special = [...SPACE_RANGES, ...SEPARATOR_RANGES, ...SURROGATES]
  for (let i = 0; i < special.length; i += 2) cuts.add(special[i]!).add(special[i + 1]! + 1)
  const starts = [...cuts].sort((a, b) => a - b)
  starts.forEach((start, i) => {
    if (start !== SURROGATES[0]) segments.push(start, (starts[i + 1] ?? 0x110000) - 1, atomOf(start))
  })
  return segments
}

/** What a byte means: a state of UTF-8, or behind a backslash. */
const BEHIND_ESCAPE = 8
/** The kind of a character's first byte. */
const KIND_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || STEPS[byte] === NONE) return NOTHING
  return byte === 0x22 ? QUOTE : byte === 0x5c ? ESCAPE : byte < 0x80 ? atomOf(byte) : INSIDE
})

/** What follows a backslash, to the code point it stands for; 0 for no escape. */
export const ESCAPES = new Uint8Array(256)
for (const [letter, codePoint] of SHORT_ESCAPES) ESCAPES[letter] = codePoint

/** Atoms that patterns tend to allow together have a bit of `below` in common. */
const GROUPS = ['abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ', '0123456789', ' ']
for (const punctuation of [
  "!'*",
  '#',
  '$',
  '%',
  '&',
  '()',
  '+',
  ',',
  '-',
  '.',
  '/',
  ':',
  ';',
  '<>',
  '=',
  '?',
  '@',
  '[]',
  '^`|~',
  '_',
  '{}',
  '\x7f',
])
  GROUPS.push(punctuation)
const SPACE_GROUP = GROUPS.length
const BLOCK_GROUP = SPACE_GROUP + 1
const PARTIAL_GROUP = SPACE_GROUP + 2
const OTHER_GROUP = SPACE_GROUP + 3
export const GROUP_OF = groupsOfKinds()

function groupsOfKinds(): Int32Array {
  const bits = new Int32Array(NOTHING + 1).fill(1 << OTHER_GROUP)
  GROUPS.forEach((characters, group) => {
    for (const c of characters) bits[c.charCodeAt(0) - 0x20] = 1 << group
  })
  bits.fill(1 << SPACE_GROUP, SPACES, FIRST_BLOCK)
  bits.fill(1 << BLOCK_GROUP, FIRST_BLOCK, INSIDE)
  bits[INSIDE] = 0
  bits[PARTIAL] = 1 << PARTIAL_GROUP
  return bits
}

export class Characters {
  readonly trie: Trie
  /** What each node is. */
  readonly kind: Uint8Array
  /** The node above each. */
  readonly parent: Int32Array
  /** Whole characters from the root to each node. */
  readonly count: Uint16Array
  /** Characters of the longest token at or below each node, as far as a string can hold it; one that is begun counts. */
  readonly longest: Uint16Array
  /** Groups of the kinds strictly below each node. */
  readonly below: Int32Array
  /** For each kind up to `ESCAPE` its nodes; those of `kind` are `nodes[starts[kind] .. starts[kind + 1])`. */
  readonly nodes: Int32Array
  readonly starts: Int32Array
  /** Tokens at and below the nodes of each kind. */
  readonly weight: Float64Array
  /** The blocks of code points that tokens end within, each once: first and last ones, ascending by the first. */
  readonly beginnings: Int32Array
  #endings: Int32Array | null = null

  constructor(trie: Trie) {
    this.trie = trie
    const { size } = trie
    this.kind = new Uint8Array(size)
    this.parent = new Int32Array(size)
    this.count = new Uint16Array(size)
    this.longest = new Uint16Array(size)
    this.below = new Int32Array(size)
    this.starts = new Int32Array(NOTHING + 1)
    this.weight = new Float64Array(NOTHING + 1)
    this.#classify()
    this.#collect()
    this.nodes = this.#list()
    this.beginnings = this.#listBeginnings()
  }

  /** Kinds, parents and counts, from the root down. */
  #classify(): void {
    const { byte, depth, skip, first, size, maxDepth } = this.trie
    const { kind, parent, count } = this
    // By depth: the node, the whole characters before it, and what a byte below it means.
    const path = new Int32Array(maxDepth + 1)
    const counts = new Int32Array(maxDepth + 1)
    const modes = new Uint8Array(maxDepth + 1)
    let i = 1
    while (i < size) {
      const d = depth[i]!
      const up = path[d - 1]!
      const mode = modes[d - 1]!
      const b = byte[i]!
      let k = NOTHING
      let next = 0
      if (mode === BEHIND_ESCAPE) {
        k = b === 0x75 ? HEX : ESCAPES[b] !== 0 ? ESCAPED : NOTHING
      } else {
        next = STEPS[256 * mode + b]!
        if (mode === 0) {
          k = KIND_OF[b]!
          if (k === ESCAPE) next = BEHIND_ESCAPE
        } else if (next !== NONE) {
          k = next === 0 ? atomOf((this.#pointAt(up) << 6) | (b & 0x3f)) : INSIDE
        }
      }
      if (k === INSIDE && first[i]! < first[i + 1]!) k = PARTIAL
      path[d] = i
      parent[i] = up
      kind[i] = k
      modes[d] = next
      counts[d] = count[i] = counts[d - 1]! + (k < INSIDE || k === ESCAPED ? 1 : 0)
      if (k === NOTHING || k === HEX || (k === QUOTE && up !== 0)) {
        kind.fill(NOTHING, i + 1, skip[i])
        i = skip[i]!
      } else {
        i++
      }
    }
  }

  /** What lies below each node, from the leaves up. */
  #collect(): void {
    const { skip, first, size } = this.trie
    const { kind, parent, count, longest, below, weight, starts } = this
    for (let i = size - 1; i > 0; i--) {
      const k = kind[i]!
      const up = parent[i]!
      const room = k === PARTIAL ? count[i]! + 1 : count[i]!
      if (k !== NOTHING && first[i]! < first[i + 1]! && longest[i]! < room) longest[i] = room
      if (longest[up]! < longest[i]!) longest[up] = longest[i]!
      below[up]! |= below[i]! | GROUP_OF[k]!
      weight[k]! += first[skip[i]!]! - first[i]!
      if (k < NOTHING) starts[k + 1]!++
    }
    for (let k = 0; k < NOTHING; k++) starts[k + 1]! += starts[k]!
  }

  #list(): Int32Array {
    const { kind, starts } = this
    const nodes = new Int32Array(starts[NOTHING]!)
    const fill = starts.slice()
    for (let i = 1; i < kind.length; i++) if (kind[i]! < NOTHING) nodes[fill[kind[i]!]!++] = i
    return nodes
  }

  #listBeginnings(): Int32Array {
    const blocks = new Map<number, number>()
    for (let at = this.starts[PARTIAL]!; at < this.starts[PARTIAL + 1]!; at++) {
      const [low, high] = this.blockAt(this.nodes[at]!)
      blocks.set(low * 0x200000 + high, high)
    }
    const sorted = [...blocks].sort((a, b) => a[0] - b[0])
    return Int32Array.from(sorted.flatMap(([key, high]) => [Math.floor(key / 0x200000), high]))
  }

  /** Quotes that end a string which began before its token, and the `u` of escapes that tokens end, and go on behind. */
  get endings(): Int32Array {
    if (this.#endings === null) {
      const { kind, parent, nodes, starts } = this
      const { depth, skip } = this.trie
      const found: number[] = []
      for (let at = starts[HEX]!; at < starts[QUOTE + 1]!; at++) {
        const node = nodes[at]!
        // Four digits, and something behind them.
        let below = node + 1
        while (below < skip[node]! && depth[below]! < depth[node]! + 5) below++
        if (kind[node] === HEX && below === skip[node]) continue
        let up = parent[node]!
        while (up !== 0 && kind[up] !== QUOTE) up = parent[up]!
        if (up === 0) found.push(node)
      }
      this.#endings = Int32Array.from(found)
    }
    return this.#endings
  }

  /** Whether some node is of the kind. */
  has(kind: number): boolean {
    return this.starts[kind]! < this.starts[kind + 1]!
  }

  /** The groups all of whose kinds, as far as there are nodes of them, are in a set of atoms. */
  groupsWithin(set: Uint32Array): number {
    let groups = 0x7fffffff
    for (let kind = 0; kind < SET_SIZE; kind++)
      if (kind !== INSIDE && !hasBit(set, kind) && this.has(kind)) groups &= ~GROUP_OF[kind]!
    return groups
  }

  /** The code point that ends at a node whose kind is an atom. */
  codePointAt(node: number): number {
    return this.#pointAt(node)
  }

  /** The bits of a code point that the bytes of a character up to a node hold. */
  #pointAt(node: number): number {
    const { byte } = this.trie
    let at = node
    let point = 0
    for (let shift = 0; ; shift += 6) {
      const b = byte[at]!
      if (b < 0x80) return b
      if (b >= 0xc0) return point | ((b & (b < 0xe0 ? 0x1f : b < 0xf0 ? 0x0f : 0x07)) << shift)
      point |= (b & 0x3f) << shift
      at = this.parent[at]!
    }
  }

  /** The code points that may come of the bytes of a character up to `node`: first and last. */
  blockAt(node: number): readonly [low: number, high: number] {
    const { byte } = this.trie
    let at = node
    while (byte[at]! < 0xc0) at = this.parent[at]!
    const lead = byte[at]!
    const length = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
    const got = this.trie.depth[node]! - this.trie.depth[at]!
    const left = 6 * (length - got)
    const low = this.#pointAt(node) << left
    const high = low + (1 << left) - 1
    const least = length === 1 ? 0x80 : length === 2 ? 0x800 : 0x10000
    return [Math.max(low, least), Math.min(high, lead === 0xed && got === 0 ? 0xd7ff : 0x10ffff)]
  }
}
