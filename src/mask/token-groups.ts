/**
 * Tokens by what they leave to be written of the terminal that runs.
 *
 * Of the tokens that stay in a terminal to their last byte, or end with it, those behind which the terminal has the same
 * shortest ends are one group: within a free string that is nearly all of them. What a token costs is then a matter of its
 * group and of the context, so a mask with a budget asks for some groups and not for tokens. Like partitions, groups depend on
 * the vocabulary and the terminal only; the tokens that leave a terminal on the way are its partition's exits.
 *
 * Groups of any text are put together from one walk a vocabulary, whatever its bounds; those of other terminals are walked, a look at
 * each token that the terminal can begin to read. What is kept is forgotten where it takes more than its bound.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import type { Spelling } from '../automaton/least-spelling.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import { emptyBits, setBits } from '../bits.ts'
import { effort } from '../effort.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { type Least, NOTHING } from './least.ts'
import type { Partitions } from './partition.ts'
import type { Place, Rest } from './rest.ts'

/** A way to end a terminal: its tag, and the shortest text up to there. */
export interface End {
  readonly tag: number
  readonly least: Least
}

export interface TokenGroup {
  readonly ids: Int32Array
  readonly ends: readonly End[]
  /** The tokens as a mask, where they are many. */
  readonly bits: Uint32Array | null
}

/** From so many tokens on a group is kept as a mask, too. */
const MANY = 500
/** Bytes of groups that are kept. */
const MAX_BYTES = 32 << 20
const OVERHEAD = 200
/** Shortest texts that are remembered. */
const MAX_PIECES = 1 << 14
/** Longer than any token: a bound that lets an automaton count. */
const COUNTABLE = 1 << 20
/** States are below this in the keys of rests. */
const STATES = 2 ** 26

/** The tokens of a free string that take as many characters and end alike. */
interface FreeClass {
  /** The bytes of one of them. */
  readonly sample: readonly number[]
  readonly ids: Int32Array
}

export class TokenGroups {
  readonly #vocabulary: Vocabulary
  #known = new WeakMap<Dfa, Map<number, readonly TokenGroup[]>>()
  #bytes = 0
  readonly #pieces = new Map<string, Least>()
  readonly #free = new Map<Spelling, FreeGroups>()
  #ends = new WeakMap<Dfa, Map<number, readonly End[]>>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /**
   * The groups of the whole vocabulary, or of a rest. They may hold tokens that the bounds of a string refuse: the mask knows.
   */
  of(dfa: Dfa, state: number, rest: Rest | null): readonly TokenGroup[] {
    if (rest === null && dfa instanceof StringDfa && dfa.spelling !== 'raw') {
      const content = dfa.content(state)
      if (content !== null && content.language < 0)
        return this.#freeOf(dfa.spelling).of(content.need, -content.language)
    }
    return this.#get(dfa, state, rest, () => this.#make(dfa, state, rest))
  }

  /** The groups of the tokens that run along the declared names of keys. */
  along(dfa: KeyDfa, state: number, rest: Rest | null, partitions: Partitions): readonly TokenGroup[] {
    return this.#get(dfa, state, rest, () =>
      this.grouped(
        partitions
          .alongNames(dfa, state, rest)
          .parts.map(({ ids, state: end }) => ({ ids, ends: this.endsOf(dfa, end) })),
      ),
    )
  }

  #get(dfa: Dfa, state: number, rest: Rest | null, make: () => readonly TokenGroup[]): readonly TokenGroup[] {
    let known = this.#known.get(dfa)
    if (known === undefined) {
      known = new Map()
      this.#known.set(dfa, known)
    }
    const key = rest === null ? -state : rest.id * STATES + state
    let groups = known.get(key)
    if (groups === undefined) {
      groups = make()
      this.#keep(groups)
      known.set(key, groups)
    }
    return groups
  }

  /** Whether `of` may give tokens that have more characters than the terminal may have. */
  static mayBeTooLong(dfa: Dfa, state: number): boolean {
    const content = dfa instanceof StringDfa ? dfa.content(state) : null
    return content !== null && content.language < 0 && content.rest < Number.POSITIVE_INFINITY
  }

  /** The ways to end a terminal from a state on. */
  endsOf(dfa: Dfa, state: number): readonly End[] {
    let known = this.#ends.get(dfa)
    if (known === undefined) {
      known = new Map()
      this.#ends.set(dfa, known)
    }
    let ends = known.get(state)
    if (ends === undefined) {
      const found: End[] = []
      for (const tag of dfa.tagsFrom(state)) {
        const text = shortest(dfa, state, tag)
        if (text !== null) found.push({ tag, least: this.piece(latin1(text, 0, text.length)) })
      }
      ends = found
      known.set(state, ends)
    }
    return ends
  }

  /** A text as a piece of its own: the fewest tokens that spell it. */
  piece(text: string): Least {
    if (text === '') return NOTHING
    let piece = this.#pieces.get(text)
    if (piece === undefined) {
      const bytes = Uint8Array.from(text, (unit) => unit.charCodeAt(0))
      piece = { text, tokens: this.#vocabulary.tokenCount(bytes) }
      if (this.#pieces.size >= MAX_PIECES) this.#pieces.clear()
      this.#pieces.set(text, piece)
    }
    return piece
  }

  #keep(groups: readonly TokenGroup[]): void {
    for (const { ids, bits } of groups) this.#bytes += OVERHEAD + ids.byteLength + (bits?.byteLength ?? 0)
    if (this.#bytes <= MAX_BYTES) return
    this.#known = new WeakMap()
    this.#ends = new WeakMap()
    this.#bytes = 0
  }

  #freeOf(spelling: Spelling): FreeGroups {
    let free = this.#free.get(spelling)
    if (free === undefined) {
      free = new FreeGroups(this.#vocabulary, spelling, this)
      this.#free.set(spelling, free)
    }
    return free
  }

  #make(dfa: Dfa, state: number, rest: Rest | null): readonly TokenGroup[] {
    effort.partitions++
    const byState = new Map<number, number[]>()
    for (const { trie, node } of this.#placesFor(dfa, state, rest)) walk(dfa, trie, node, state, byState)
    return this.grouped([...byState].map(([end, ids]) => ({ ids, ends: this.endsOf(dfa, end) })))
  }

  /** Groups with equal ends as one. */
  grouped(
    parts: readonly { readonly ids: ArrayLike<number>; readonly ends: readonly End[] }[],
  ): TokenGroup[] {
    const byEnds = new Map<string, { ids: ArrayLike<number>[]; ends: readonly End[] }>()
    for (const { ids, ends } of parts) {
      if (ids.length === 0 || ends.length === 0) continue
      const key = ends.map(({ tag, least }) => `${tag} ${least.text.length} ${least.text}`).join(' ')
      const known = byEnds.get(key)
      if (known === undefined) byEnds.set(key, { ids: [ids], ends })
      else known.ids.push(ids)
    }
    return [...byEnds.values()].map(({ ids, ends }) => groupOf(joined(ids), ends, this.#vocabulary.size))
  }

  /** Where to begin to read in a state. */
  #placesFor(dfa: Dfa, state: number, rest: Rest | null): readonly Place[] {
    if (rest === null) return [{ trie: this.#vocabulary.trie, node: 0 }]
    if (rest.places !== null) return rest.places
    const places: Place[] = []
    for (const byte of dfa.edges(state) ?? EVERY_BYTE) {
      const trie = rest.from(byte)
      if (trie !== null) places.push({ trie, node: 0 })
    }
    return places
  }
}

/** What ends a key that is not declared is mostly what ends any string: then nothing is searched for. */
function shortest(dfa: Dfa, state: number, tag: number): Uint8Array | null {
  const free = dfa instanceof KeyDfa && isFree(tag) && dfa.nameOf(tag) < 0 ? dfa.free(state) : 0
  if (free === 0) return dfa.shortest(state, tag)
  const { freeKeys } = dfa as KeyDfa
  const text = freeKeys!.shortest(free, tag)
  let end = state
  for (let i = 0; text !== null && i < text.length && end !== 0; i++) end = dfa.next(end, text[i]!)
  return end !== 0 && dfa.tag(end) === tag ? text : dfa.shortest(state, tag)
}

const EVERY_BYTE: readonly number[] = [...Array(256).keys()]

function groupOf(ids: Int32Array, ends: readonly End[], size: number): TokenGroup {
  let bits: Uint32Array | null = null
  if (ids.length >= MANY) {
    bits = emptyBits(size)
    setBits(bits, ids)
  }
  return { ids, ends, bits }
}

function joined(lists: readonly ArrayLike<number>[]): Int32Array {
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const ids of lists) {
    all.set(ids, at)
    at += ids.length
  }
  return all
}

/** Adds the tokens strictly below `node`, which was reached in `state`, by the state that they end in. */
function walk(dfa: Dfa, trie: Trie, node: number, state: number, byState: Map<number, number[]>): void {
  const { byte, depth, skip, first, tokens } = trie
  const states = new Int32Array(trie.maxDepth + 1)
  const end = skip[node]!
  const put = (at: number, i: number): void => {
    let ids = byState.get(at)
    if (ids === undefined) {
      ids = []
      byState.set(at, ids)
    }
    for (let t = first[i]!; t < first[i + 1]!; t++) ids.push(tokens[t]!)
  }
  const sweep = (from: number, to: number): void => {
    let i = from
    let read = 0
    while (i < to) {
      read++
      const d = depth[i]!
      const next = dfa.next(states[d - 1]!, byte[i]!)
      if (next === 0) {
        i = skip[i]!
        continue
      }
      if (first[i]! < first[i + 1]!) put(next, i)
      if (dfa.tag(next) !== 0 && dfa.final(next)) {
        i = skip[i]!
        continue
      }
      states[d] = next
      i++
    }
    effort.reads += read
  }
  states[depth[node]!] = state
  const edges = dfa.edges(state)
  if (edges === null) {
    sweep(node + 1, end)
    return
  }
  for (const edge of new Set(edges)) {
    const child = trie.child(node, edge)
    if (child > node && child < end) sweep(child, skip[child]!)
  }
}

/**
 * Groups of a string of any text, or a key, by the characters that must still come: the tokens were read once, and each class of
 * them is one that takes as many characters and ends in the same place within a character.
 */
class FreeGroups {
  readonly #owner: TokenGroups
  readonly #dfa: StringDfa
  readonly #classes: readonly FreeClass[]
  readonly #byNeed = new Map<number, readonly TokenGroup[]>()
  readonly #longest: number

  constructor(vocabulary: Vocabulary, spelling: Spelling, owner: TokenGroups) {
    this.#owner = owner
    const any = { chars: null, minLength: 0, maxLength: Number.POSITIVE_INFINITY }
    this.#dfa = new StringDfa(any, spelling, vocabulary.alphabet)
    const counting = new StringDfa({ ...any, maxLength: COUNTABLE }, spelling, vocabulary.alphabet)
    this.#classes = classesOf(counting, vocabulary.trie)
    this.#longest = vocabulary.trie.maxDepth
  }

  of(need: number, tag: number): readonly TokenGroup[] {
    if (tag !== 1) {
      const groups = this.of(need, 1)
      return groups.map(({ ids, ends, bits }) => ({ ids, bits, ends: ends.map((end) => ({ ...end, tag })) }))
    }
    let groups = this.#byNeed.get(need)
    if (groups === undefined) {
      groups = this.#make(need)
      // Far from its least length each state of a string has groups of its own, asked for once.
      if (need > this.#longest) return groups
      this.#byNeed.set(need, groups)
    }
    return groups
  }

  #make(need: number): readonly TokenGroup[] {
    const dfa = this.#dfa
    const start = dfa.contentAt(-1, need, Number.POSITIVE_INFINITY)
    const parts: { ids: Int32Array; ends: readonly End[] }[] = []
    for (const { sample, ids } of this.#classes) {
      let state = start
      for (let i = 0; i < sample.length && state !== 0; i++) state = dfa.next(state, sample[i]!)
      if (state !== 0) parts.push({ ids, ends: this.#owner.endsOf(dfa, state) })
    }
    return this.#owner.grouped(parts)
  }
}

/** Reads the tokens within a string; those that close it are told apart by the characters before. */
function classesOf(dfa: StringDfa, { byte, depth, skip, first, tokens, size, maxDepth }: Trie): FreeClass[] {
  if (dfa.start === 0) return []
  const classes = new Map<number, { sample: readonly number[]; ids: number[] }>()
  const states = new Int32Array(maxDepth + 1)
  const path: number[] = []
  states[0] = dfa.next(dfa.start, 0x22)
  let i = 1
  while (i < size) {
    const d = depth[i]!
    const state = dfa.next(states[d - 1]!, byte[i]!)
    if (state === 0) {
      i = skip[i]!
      continue
    }
    path.length = d - 1
    path.push(byte[i]!)
    const isClosed = dfa.tag(state) !== 0
    if (first[i]! < first[i + 1]!) {
      const key = isClosed ? -states[d - 1]! : state
      let known = classes.get(key)
      if (known === undefined) {
        known = { sample: path.slice(), ids: [] }
        classes.set(key, known)
      }
      for (let t = first[i]!; t < first[i + 1]!; t++) known.ids.push(tokens[t]!)
    }
    if (isClosed) {
      i = skip[i]!
      continue
    }
    states[d] = state
    i++
  }
  return [...classes.values()].map(({ sample, ids }) => ({ sample, ids: Int32Array.from(ids) }))
}
