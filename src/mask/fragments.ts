/**
 * The tokens of a rest that a context can read: parts of masks, memoised. A context has few rests, which are looked through one
 * by one.
 *
 * A rest is read terminal by terminal, see `rest.ts`: what a terminal makes of it is a partition, shared by all grammars
 * where the terminal is, and what leaves the terminal is read on in the context behind it. Only where a step may be
 * forbidden by history in a way that partitions do not tell, and behind very many terminals of one token, is a rest walked
 * byte by byte.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import type { Program, Start } from '../automaton/program.ts'
import { hasBit } from '../bits.ts'
import { effort } from '../effort.ts'
import { among, without } from './id-lists.ts'
import type { Partitions } from './partition.ts'
import type { PartitionCache } from './partition-cache.ts'
import type { Exit, Partition } from './partition-parts.ts'
import type { Rest } from './rest.ts'
import { IdList, type Walker } from './walker.ts'

export interface Fragment {
  /** `null` of nothing at all. */
  readonly rest: Rest | null
  /** Ids that are allowed whatever the history. */
  readonly lists: readonly Int32Array[]
  /** Ids with one, and with more than one, step on the way that history may forbid. */
  readonly once: readonly Int32Array[]
  readonly often: readonly Int32Array[]
  /** Whether history can only forbid a token by a key that is whole in it. */
  readonly byKeys: boolean
  /** Bytes of the lists that this fragment alone holds. */
  readonly ownBytes: number
  /** Another one of the same context. */
  next: Fragment | null
}

/** What a fragment costs beside its lists. */
const OVERHEAD = 300
/** Rests that go on with more bytes are read without looking. */
const FEW_BYTES = 4
/** Terminals of one token that are read one by one: recursion is as deep. */
const MAX_TERMINALS = 32
/** So many lists are compared one by one. */
const FEW_LISTS = 16

const NO_LISTS: readonly Int32Array[] = []
const NOTHING: Fragment = {
  rest: null,
  lists: NO_LISTS,
  once: NO_LISTS,
  often: NO_LISTS,
  byKeys: true,
  ownBytes: 0,
  next: null,
}

export class Fragments {
  readonly #program: Program
  readonly #walker: Walker
  readonly #partitions: Partitions
  readonly #own: PartitionCache
  readonly #maxBytes: number
  /** By context, those of one behind one another. */
  #known: (Fragment | undefined)[] = []
  #bytes = 0
  /** Terminals of a token that are being read. */
  #depth = 0

  constructor(
    program: Program,
    walker: Walker,
    partitions: Partitions,
    own: PartitionCache,
    maxBytes: number,
  ) {
    this.#program = program
    this.#walker = walker
    this.#partitions = partitions
    this.#own = own
    this.#maxBytes = maxBytes
  }

  get byteLength(): number {
    return this.#bytes
  }

  /** The tokens of `rest` that can be read from a context. */
  of(context: number, rest: Rest): Fragment {
    for (let known = this.#known[context] ?? null; known !== null; known = known.next)
      if (known.rest === rest) return known
    const { starts } = this.#program.closure(context)
    if (!canRead(starts, rest)) return NOTHING
    const fragment = this.#make(context, starts, rest)
    this.#keep(context, fragment)
    return fragment
  }

  #keep(context: number, fragment: Fragment): void {
    const { lists, once, often, ownBytes } = fragment
    const bytes = OVERHEAD + 8 * (lists.length + once.length + often.length) + ownBytes
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) {
      this.#known = []
      this.#bytes = bytes
    }
    fragment.next = this.#known[context] ?? null
    this.#known[context] = fragment
  }

  #make(context: number, starts: readonly Start[], rest: Rest): Fragment {
    effort.fragments++
    if (this.#depth >= MAX_TERMINALS || this.#isMarked(starts)) return this.#walk(context, rest)
    const parts = noParts(rest)
    this.#depth++
    try {
      for (let i = 0; i < starts.length; i++) this.#addStart(starts[i]!, rest, parts)
    } finally {
      this.#depth--
    }
    return parts
  }

  /** Whether a step of what may begin here may be marked otherwise than by the end of a key of any text. */
  #isMarked(starts: readonly Start[]): boolean {
    for (let i = 0; i < starts.length; i++) {
      const { dfa, context: inside } = starts[i]!
      if (this.#program.contexts.watched[inside] === 1 && !this.#walker.room!.isCalmStart(starts[i]!))
        return true
      if (dfa instanceof KeyDfa && dfa.freeKeys !== null && !dfa.freeKeys.isAny) return true
    }
    return false
  }

  #addStart({ dfa, context }: Start, rest: Rest, parts: Parts): void {
    const partition = this.#partitions.of(dfa, dfa.start, rest, this.#own)
    const { amendment } = partition
    if (amendment === null) {
      this.#addPartition(dfa, partition, context, parts)
      return
    }
    const amended = noParts(rest)
    this.#addPartition(dfa, partition, context, amended)
    const isGone = amendment.removed.length === 0 ? null : among(amendment.removed)
    if (!amended.byKeys) parts.byKeys = false
    for (const kind of KINDS) {
      for (const ids of amended[kind]) {
        const left = isGone === null ? ids : without(ids, isGone)
        if (left !== ids) parts.ownBytes += left.byteLength
        if (left.length > 0) parts[kind] = withList(parts[kind], left)
      }
    }
    if (amendment.ids.length > 0) parts.lists = withList(parts.lists, amendment.ids)
    if (amendment.whole.length > 0) parts.once = withList(parts.once, amendment.whole)
    for (const exit of amendment.exits) this.#addExit(dfa, exit, context, parts)
  }

  #addPartition(dfa: Dfa, { ids, whole, exits }: Partition, context: number, parts: Parts): void {
    if (ids.length > 0) parts.lists = withList(parts.lists, ids)
    if (whole.length > 0) parts.once = withList(parts.once, whole)
    for (let i = 0; i < exits.length; i++) this.#addExit(dfa, exits[i]!, context, parts)
  }

  #addExit(dfa: Dfa, { tag, rest }: Exit, context: number, parts: Parts): void {
    const { lists, once, often, byKeys } = this.of(this.#program.exit(context, tag), rest)
    if (!byKeys) parts.byKeys = false
    const key = endsFreeKey(dfa, tag)
    if (key) parts.once = withLists(parts.once, lists)
    else parts.lists = withLists(parts.lists, lists)
    if (key) parts.often = withLists(parts.often, once)
    else parts.once = withLists(parts.once, once)
    parts.often = withLists(parts.often, often)
  }

  /** The same by the walker. */
  #walk(context: number, rest: Rest): Fragment {
    const walker = this.#walker
    const out = { free: new IdList(), once: new IdList(), often: new IdList() }
    const configuration = walker.single(walker.threads.intern(null, 0, context))
    if (rest.places !== null) {
      for (const { trie, node } of rest.places) walker.walk(trie, node, configuration, out)
    } else {
      const viable = walker.viable(configuration)
      for (let byte = 0; byte < 256; byte++) {
        if (!hasBit(viable, byte)) continue
        const trie = rest.from(byte)
        if (trie !== null) walker.walk(trie, 0, configuration, out)
      }
    }
    const once = listed(out.once)
    const ownBytes = 4 * (out.free.length + out.once.length + out.often.length)
    const lists = listed(out.free)
    return { rest, lists, once, often: listed(out.often), byKeys: once.length === 0, ownBytes, next: null }
  }
}

interface Parts {
  readonly rest: Rest
  byKeys: boolean
  ownBytes: number
  lists: readonly Int32Array[]
  once: readonly Int32Array[]
  often: readonly Int32Array[]
  next: null
}

function noParts(rest: Rest): Parts {
  return {
    rest,
    lists: NO_LISTS,
    once: NO_LISTS,
    often: NO_LISTS,
    byKeys: true,
    ownBytes: 0,
    next: null,
  }
}

/** The lists and one more. They are kept, so there is to be no room to grow. */
function withList(lists: readonly Int32Array[], ids: Int32Array): readonly Int32Array[] {
  return lists.length === 0 ? [ids] : lists.includes(ids) ? lists : [...lists, ids]
}

/** Each list once: where a text may be split in many ways, the same ones come again along each. */
function withLists(lists: readonly Int32Array[], more: readonly Int32Array[]): readonly Int32Array[] {
  if (more.length === 0) return lists
  if (lists.length === 0) return more
  if (lists.length + more.length > FEW_LISTS) return [...new Set([...lists, ...more])]
  let all = lists
  for (const ids of more) all = withList(all, ids)
  return all
}

const KINDS = ['lists', 'once', 'often'] as const

/**
 * Whether something may begin with a byte of the rest, as far as that is easily told. Behind a separator and its space a third
 * of the rests are more space.
 */
function canRead(starts: readonly Start[], { bytes }: Rest): boolean {
  if (bytes.length > FEW_BYTES) return true
  for (let i = 0; i < starts.length; i++) {
    const { dfa } = starts[i]!
    for (let j = 0; j < bytes.length; j++) if (dfa.next(dfa.start, bytes[j]!) !== 0) return true
  }
  return false
}

function listed(ids: IdList): Int32Array[] {
  return ids.length === 0 ? [] : [ids.toArray()]
}

/** Whether an exit ends a free key, which the history must hear of. */
export function endsFreeKey(dfa: Dfa, tag: number): boolean {
  return isFree(tag) && dfa instanceof KeyDfa
}
