/**
 * What one state of one terminal makes of the vocabulary, or of what is left of its tokens, whatever follows the terminal.
 *
 * The tokens fall into those that stay in the terminal to their last byte, or end exactly at its end (the *base*, a mask
 * or a short list), those that leave it on the way (the *exits*, each with the rest to be read behind it), and those that it
 * refuses. A partition depends on the vocabulary and the terminal only, so those of free strings, keys, numbers and
 * separators are computed once for all grammars.
 */
import type { Dfa } from '../automaton/dfa.ts'
import type { DfaPool } from '../automaton/dfa-pool.ts'
import { FreeTextDfa, WITHOUT_STOP } from '../automaton/free-text.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import type { KeyNames } from '../automaton/key-names.ts'
import type { Spelling } from '../automaton/least-spelling.ts'
import { type Content, StringDfa } from '../automaton/string-dfa.ts'
import { StringMinus } from '../automaton/string-minus.ts'
import { effort } from '../effort.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { share } from './bases.ts'
import { BOUNDS, type EngineBounds } from './bounds.ts'
import { FreeTextPartitions } from './free-text-partition.ts'
import { listOf, NO_IDS } from './id-lists.ts'
import { type NameHit, NameHits, nameHits } from './name-hits.ts'
import { PartitionCache } from './partition-cache.ts'
import {
  type Amendment,
  type Exit,
  finishPartition,
  LONG,
  NO_EXITS,
  type Partition,
} from './partition-parts.ts'
import { PatternPartitions } from './pattern-partition.ts'
import { type Place, type Rest, Rests } from './rest.ts'
import { StringTable } from './string-table.ts'

/** Nodes of names are below this in the keys of rests. */
const NODES = 2 ** 26
/** Bytes of a hit, with its part in what was made of it, and of a list of them. */
const HIT_BYTES = 90
const HITS_BYTES = 200
/** Automata of free strings with bounds, as `Partitions.#bounded` keeps them. */
const MAX_BOUNDED = 512

/** Partitions of one vocabulary, by terminal and state. */
export class Partitions {
  readonly #vocabulary: Vocabulary
  readonly #pool: DfaPool
  readonly #shared: PartitionCache
  readonly #tables = new Map<Spelling, StringTable>()
  #ofPatterns: PatternPartitions | null = null
  readonly #freeText: FreeTextPartitions
  readonly #rests: Rests
  readonly #bounded = new Map<string, StringDfa>()
  readonly #isBounded = new WeakSet<Dfa>()
  #hits = new WeakMap<KeyNames, Map<number, NameHits>>()
  /** Those of the names asked for last. */
  #hitNames: KeyNames | null = null
  #hitsOfNames: Map<number, NameHits> | undefined = undefined
  readonly #maxHitBytes: number
  /** Bytes of hits made since all were forgotten. */
  #hitBytes = 0
  /** Tokens of subtrees, by trie and node. */
  readonly #subtrees = new WeakMap<Trie, Map<number, Int32Array>>()
  readonly #everywhere: readonly Place[]
  #stack = new Int32Array(64)

  constructor(vocabulary: Vocabulary, pool: DfaPool, bounds: EngineBounds = BOUNDS) {
    this.#vocabulary = vocabulary
    this.#pool = pool
    this.#shared = new PartitionCache(bounds.partitions)
    this.#maxHitBytes = bounds.names
    this.#rests = new Rests(bounds.rests)
    this.#freeText = new FreeTextPartitions(vocabulary, this.#rests)
    this.#everywhere = [{ trie: vocabulary.trie, node: 0 }]
  }

  /** Bytes of the partitions that all grammars share. */
  get byteLength(): number {
    return this.#shared.byteLength
  }

  /**
   * The partition of the whole vocabulary, or of a rest.
   * @param own where those of automata are kept that not all grammars share
   */
  of(dfa: Dfa, state: number, rest: Rest | null, own: PartitionCache): Partition {
    if (dfa instanceof KeyDfa) return this.#key(dfa, state, rest, own)
    const cache = this.#pool.isShared(dfa) || this.#isBounded.has(dfa) ? this.#shared : own
    let partition = cache.get(dfa, state, rest)
    if (partition === undefined) {
      partition = this.#make(dfa, state, rest, own)
      if (cache === this.#shared && partition.ids.length > 0) share(partition.ids)
      cache.set(dfa, state, rest, partition)
    }
    return partition
  }

  #make(dfa: Dfa, state: number, rest: Rest | null, own: PartitionCache): Partition {
    effort.partitions++
    if (dfa instanceof FreeTextDfa && rest === null && !dfa.leadsOn(WITHOUT_STOP))
      return this.#freeText.of(dfa, state)
    if (dfa instanceof StringMinus) return this.#minus(dfa, state, rest, own)
    if (dfa instanceof StringDfa && dfa.spelling !== 'raw') return this.#string(dfa, state, rest, own)
    return this.#walk(dfa, state, rest)
  }

  /** A string or a free key. */
  #string(dfa: StringDfa, state: number, rest: Rest | null, own: PartitionCache): Partition {
    const opening = dfa.opening(state)
    const content = opening ?? dfa.content(state)
    if (content === null) return this.#walk(dfa, state, rest)
    if (content.language >= 0) {
      if (rest !== null || !dfa.spellsAll) return this.#walk(dfa, state, rest)
      return opening === null ? this.#patterns.of(dfa, content) : this.#patterns.opening(dfa, opening)
    }
    // Any text: what the tables of the vocabulary say, with the exits under the tag of this language.
    const tag = -content.language
    if (opening === null && rest === null) return tagged(this.#table(dfa.spelling).partition(content), tag)
    const free = this.#free(dfa.spelling, content)
    if (free === dfa) return this.#walk(dfa, state, rest)
    const same = opening === null ? free.next(free.start, 0x22) : free.start
    return tagged(this.of(free, same, rest, own), tag)
  }

  /** The automaton of any text with these bounds, as far as a token can tell them. */
  #free(spelling: Spelling, { need, rest }: Content): StringDfa {
    const most = this.#vocabulary.trie.maxDepth + 1
    const minLength = Math.min(need, most)
    const maxLength = rest >= most ? Number.POSITIVE_INFINITY : rest
    const key = `${spelling} ${minLength} ${maxLength}`
    let dfa = this.#bounded.get(key)
    if (dfa === undefined) {
      if (this.#bounded.size >= MAX_BOUNDED) this.#bounded.clear()
      dfa = new StringDfa({ chars: null, minLength, maxLength }, spelling, this.#vocabulary.alphabet)
      this.#bounded.set(key, dfa)
      this.#isBounded.add(dfa)
    }
    return dfa
  }

  #table(spelling: Spelling): StringTable {
    let table = this.#tables.get(spelling)
    if (table === undefined) {
      table = new StringTable(this.#vocabulary, spelling, this.#rests)
      this.#tables.set(spelling, table)
    }
    return table
  }

  /**
   * A free key's partition, with the declared names cut out and led to their own exits. Which of them may come changes with
   * each key; where that makes no difference to the tokens, nor does it to the partition.
   */
  #key(dfa: KeyDfa, state: number, rest: Rest | null, own: PartitionCache): Partition {
    const free = dfa.free(state)
    const shared = free === 0 ? null : this.of(dfa.freeKeys!, free, rest, own)
    const hits = this.#hitsOf(dfa, state, rest)
    const isAnyFree = free !== 0 && dfa.freeKeys!.isAny
    if (isAnyFree && hits.named.length === 0) return shared!
    const make = (): Partition => this.#cutNames(dfa, state, hits.all, shared, rest)
    return (free === 0 || isAnyFree) && !dfa.isUnion ? hits.partition(dfa, shared, make) : make()
  }

  /**
   * Tokens that stay within a declared name are added: where the free keys have a language of their own, it may know nothing
   * of them.
   */
  #cutNames(
    dfa: KeyDfa,
    state: number,
    hits: readonly NameHit[],
    shared: Partition | null,
    rest: Rest | null,
  ): Partition {
    effort.partitions++
    const isAnyFree = shared !== null && dfa.freeKeys!.isAny
    const mayDie = shared !== null && !isAnyFree
    const states: number[] = []
    const ids: number[] = []
    const whole: number[] = []
    const removed = new Removed(this.#subtrees)
    const exits: Exit[] = []
    for (let i = 0; i < hits.length; ) {
      const hit = hits[i]!
      const { name, trie, node } = hit
      // Where any key is free, what is on the way to a name is allowed as it is.
      if (isAnyFree && name < 0) {
        i++
        continue
      }
      const isAllowed = name < 0 ? dfa.allowsAny(hit.at) : dfa.isAllowed(name)
      // Where only a name that may not come could end the key, nothing is written that far.
      if (mayDie) states[i] = dfa.next(hit.parent < 0 ? state : states[hit.parent]!, hit.byte)
      if (shared !== null && (name >= 0 || (mayDie && states[i] === 0))) removed.addBelow(hit)
      if (isAllowed) {
        const list = name >= 0 && isFree(dfa.tagOf(name)) ? whole : ids
        for (let t = trie.first[node]!; t < trie.first[node + 1]!; t++) list.push(trie.tokens[t]!)
      }
      if (isAllowed && name >= 0 && trie.hasBelow(node))
        for (const behind of this.#rests.below([hit])) exits.push({ tag: dfa.tagOf(name), rest: behind })
      i = name >= 0 || (mayDie && states[i] === 0) || (!isAllowed && shared === null) ? hit.skip : i + 1
    }
    if (shared === null)
      return rest === null
        ? finishPartition(this.#vocabulary, null, listOf(ids), exits)
        : { dense: null, ids: listOf(ids), whole: NO_IDS, exits, amendment: null }
    const lists = removed.lists
    if (lists.length === 0 && ids.length === 0 && whole.length === 0) return shared
    return amended(shared, { removed: lists, ids: listOf(ids), whole: listOf(whole), exits })
  }

  /** The tokens that end on the way to declared names, by the state they lead to; `cut`: all that pass a name's end, too. */
  alongNames(dfa: KeyDfa, state: number, rest: Rest | null): NamedTokens {
    const parts: { ids: Int32Array; state: number }[] = []
    const cut: number[] = []
    const states: number[] = []
    this.#hitsOf(dfa, state, rest).all.forEach((hit, i) => {
      const { trie, node, name, byte, parent } = hit
      const from = parent < 0 ? state : states[parent]!
      states[i] = from === 0 ? 0 : dfa.next(from, byte)
      const ids = trie.tokens.slice(trie.first[node]!, trie.first[node + 1]!)
      // Behind the end of a name all tokens are the name's, not the free key's.
      const end = name >= 0 ? trie.skip[node]! : node + 1
      for (let t = trie.first[node]!; t < trie.first[end]!; t++) cut.push(trie.tokens[t]!)
      if (states[i] !== 0 && ids.length > 0) parts.push({ ids, state: states[i]! })
    })
    return { parts, cut }
  }

  #hitsOf(dfa: KeyDfa, state: number, rest: Rest | null): NameHits {
    const from = dfa.nameNode(state)
    if (from < 0) return NO_HITS
    const { names } = dfa
    // A rest is read from the first node on, all but always.
    const key = rest === null ? from : from === 0 ? -rest.id : rest.id * NODES + from
    if (names !== this.#hitNames) {
      this.#hitNames = names
      this.#hitsOfNames = this.#hits.get(names)
    }
    let hits = this.#hitsOfNames?.get(key)
    if (hits === undefined) {
      const places =
        rest === null ? this.#everywhere : (rest.places ?? rest.tries([...names.edges(from)]).map(rootOf))
      hits = new NameHits(nameHits(names, from, places))
      this.#keepHits(names, key, hits)
    }
    return hits
  }

  #keepHits(names: KeyNames, key: number, hits: NameHits): void {
    const bytes = HITS_BYTES + HIT_BYTES * hits.all.length
    this.#hitBytes += bytes
    if (this.#hitBytes > this.#maxHitBytes) {
      this.#hits = new WeakMap()
      this.#hitBytes = bytes
    }
    let byPlace = this.#hits.get(names)
    if (byPlace === undefined) {
      byPlace = new Map()
      this.#hits.set(names, byPlace)
    }
    byPlace.set(key, hits)
    this.#hitNames = names
    this.#hitsOfNames = byPlace
  }

  /** The string's own partition without the tokens that end as one of the texts, or can become nothing else. */
  #minus(dfa: StringMinus, state: number, rest: Rest | null, own: PartitionCache): Partition {
    const { base } = dfa
    const shared = this.of(base, dfa.baseOf(state), rest, own)
    const removed = new Removed(this.#subtrees)
    const pending: { trie: Trie; node: number; state: number }[] = []
    for (const place of this.#placesFor(base, dfa.baseOf(state), rest)) pending.push({ ...place, state })
    for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
      const { trie, node } = top
      const end = trie.skip[node]!
      const at = dfa.baseOf(top.state)
      for (let child = node + 1; child < end; child = trie.skip[child]!) {
        const byte = trie.byte[child]!
        if (base.next(at, byte) === 0) continue
        const next = dfa.next(top.state, byte)
        if (next === 0) removed.addBelow({ trie, node: child })
        else if (dfa.outside(next) === 0) pending.push({ trie, node: child, state: next })
      }
    }
    const { lists } = removed
    if (lists.length === 0) return shared
    return amended(shared, { removed: lists, ids: NO_IDS, whole: NO_IDS, exits: NO_EXITS })
  }

  get #patterns(): PatternPartitions {
    this.#ofPatterns ??= new PatternPartitions(this.#vocabulary, this.#rests, (spelling) =>
      this.#table(spelling).partition(ENDLESS),
    )
    return this.#ofPatterns
  }

  /** Reads the tokens with the automaton alone. */
  #walk(dfa: Dfa, state: number, rest: Rest | null): Partition {
    const found: Found = { ids: [], whole: isKey(dfa) && rest !== null ? [] : null, leaving: new Map() }
    for (const { trie, node } of this.#placesFor(dfa, state, rest)) this.#below(dfa, trie, node, state, found)
    const exits: Exit[] = []
    for (const [tag, places] of found.leaving)
      for (const behind of this.#rests.below(places)) exits.push({ tag, rest: behind })
    const { ids, whole } = found
    if (rest !== null)
      return { dense: null, ids: listOf(ids), whole: listOf(whole ?? []), exits, amendment: null }
    return finishPartition(this.#vocabulary, null, listOf(ids), exits)
  }

  /** Where to begin to read in a state. */
  #placesFor(dfa: Dfa, state: number, rest: Rest | null): readonly Place[] {
    if (rest === null) return this.#everywhere
    if (rest.places !== null) return rest.places
    const bytes = dfa.edges(state) ?? rest.bytes.filter((byte) => dfa.next(state, byte) !== 0)
    return rest.tries(bytes).map(rootOf)
  }

  /** Everything below `node`, which was reached in `state`: by the automaton's edges while they are few, else by the trie's. */
  #below(dfa: Dfa, trie: Trie, node: number, state: number, found: Found): void {
    const { byte, skip } = trie
    const end = skip[node]!
    if (end === node + 1) return
    const edges = dfa.edges(state)
    if (edges === null) {
      this.#sweep(dfa, trie, node, state, found)
      return
    }
    // Edges tend to come in the order of their bytes, as the children do: the search goes on where the last one ended.
    let child = node + 1
    let read = edges.length
    for (let i = 0; i < edges.length; i++) {
      const edge = edges[i]!
      if (child >= end || byte[child]! > edge) child = node + 1
      for (; child < end && byte[child]! < edge; child = skip[child]!) read++
      if (child >= end || byte[child] !== edge) continue
      const next = dfa.next(state, edge)
      // Recursion is as deep as the longest token at most.
      if (next !== 0 && enter(dfa, trie, child, next, found)) this.#below(dfa, trie, child, next, found)
    }
    effort.reads += read
  }

  /** The subtree of `node` in preorder. */
  #sweep(dfa: Dfa, trie: Trie, node: number, state: number, found: Found): void {
    const { byte, depth, skip, first } = trie
    if (this.#stack.length <= trie.maxDepth) this.#stack = new Int32Array(trie.maxDepth + 1)
    const stack = this.#stack
    const end = skip[node]!
    stack[depth[node]!] = state
    let i = node + 1
    let read = 0
    while (i < end) {
      read++
      const d = depth[i]!
      const next = dfa.next(stack[d - 1]!, byte[i]!)
      if (next === 0) {
        i = skip[i]!
        continue
      }
      if ((first[i]! < first[i + 1]! || dfa.tag(next) !== 0) && !enter(dfa, trie, i, next, found)) {
        i = skip[i]!
        continue
      }
      stack[d] = next
      i++
    }
    effort.reads += read
  }
}

interface NamedTokens {
  readonly parts: readonly { readonly ids: Int32Array; readonly state: number }[]
  readonly cut: readonly number[]
}

interface Found {
  readonly ids: number[]
  /** Where they are told apart, those that end with the terminal. */
  readonly whole: number[] | null
  /** Where the terminal may be left, by tag. */
  readonly leaving: Map<number, Place[]>
}

/** Any text that may not end within a token. */
const ENDLESS: Content = { language: -1, need: Number.POSITIVE_INFINITY, rest: Number.POSITIVE_INFINITY }
const NO_HITS = new NameHits([])

/** Notes what a node that is reached in `state` holds; whether the terminal can go on below it. */
function enter(dfa: Dfa, trie: Trie, node: number, state: number, { ids, whole, leaving }: Found): boolean {
  const tag = dfa.tag(state)
  const list = tag !== 0 && whole !== null ? whole : ids
  for (let t = trie.first[node]!; t < trie.first[node + 1]!; t++) list.push(trie.tokens[t]!)
  if (tag === 0) return true
  if (dfa.leadsOn(tag) && trie.hasBelow(node)) {
    const places = leaving.get(tag)
    if (places === undefined) leaving.set(tag, [{ trie, node }])
    else places.push({ trie, node })
  }
  return !dfa.final(state)
}

/** Tokens of whole subtrees. Those of large ones are one list each, the same whenever it is asked for. */
class Removed {
  readonly #large: WeakMap<Trie, Map<number, Int32Array>>
  readonly #lists: Int32Array[] = []
  readonly #few: number[] = []

  constructor(large: WeakMap<Trie, Map<number, Int32Array>>) {
    this.#large = large
  }

  get lists(): readonly Int32Array[] {
    return this.#few.length === 0 ? this.#lists : [...this.#lists, listOf(this.#few)]
  }

  /** Adds the tokens at and below a place. */
  addBelow({ trie, node }: Place): void {
    const from = trie.first[node]!
    const to = trie.first[trie.skip[node]!]!
    if (to - from >= LONG) this.#lists.push(this.#subtree(trie, node, from, to))
    else for (let t = from; t < to; t++) this.#few.push(trie.tokens[t]!)
  }

  #subtree(trie: Trie, node: number, from: number, to: number): Int32Array {
    let known = this.#large.get(trie)
    if (known === undefined) {
      known = new Map()
      this.#large.set(trie, known)
    }
    let ids = known.get(node)
    if (ids === undefined) {
      ids = trie.tokens.subarray(from, to)
      known.set(node, ids)
    }
    return ids
  }
}

function amended({ dense, ids, whole, exits }: Partition, amendment: Amendment): Partition {
  return { dense, ids, whole, exits, amendment }
}

function rootOf(trie: Trie): Place {
  return { trie, node: 0 }
}

function isKey(dfa: Dfa): boolean {
  return dfa instanceof StringDfa && dfa.spelling === 'key'
}

/** The partition with another tag than 1. */
function tagged(partition: Partition, tag: number): Partition {
  if (tag === 1) return partition
  return { ...partition, exits: partition.exits.map(({ rest }) => ({ tag, rest })) }
}
