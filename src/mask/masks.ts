/**
 * Masks of threads, memoised.
 *
 * A mask is kept as a shared base and a few ids more: a state inside a string has the base of its terminal, whatever the
 * grammar, and adds the tokens that end the string and go on in this context. What is made is kept in two generations
 * that together hold at most `maxBytes`: when the young one is half of that, the old one is dropped.
 */
import type { Dfa } from '../automaton/dfa.ts'
import type { Program } from '../automaton/program.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { endsFreeKey, type Partitions } from './partition.ts'
import { type Exit, type Partition, SPARSE } from './partition-parts.ts'
import { IdList, type Walker, type WalkOutput } from './walker.ts'

/** The mask of one thread: `base` (shared, never written) and `ids`. */
export interface Entry {
  readonly base: Uint32Array | null
  readonly ids: Int32Array
  /** Ids with one, and with more than one, step on the way that history may forbid: allowed unless it does. */
  readonly once: Int32Array
  readonly often: Int32Array
  /** Whether the text may end here. */
  readonly ends: boolean
  /** Bytes that this entry alone holds. */
  readonly byteLength: number
}

/** What an entry costs beside its arrays: the object, four views, the map's slot. */
const ENTRY_OVERHEAD = 400

export class Masks {
  readonly #program: Program
  readonly #walker: Walker
  readonly #partitions: Partitions
  readonly #vocabulary: Vocabulary
  readonly #maxBytes: number
  #young = new Map<number, Entry>()
  #old = new Map<number, Entry>()
  readonly #fleeting = new WeakMap<Dfa, Map<string, Entry>>()
  readonly #builders: EntryBuilder[] = []
  readonly #mayReclaim: boolean
  #nesting = 0
  #youngBytes = 0
  #oldBytes = 0

  constructor(
    program: Program,
    walker: Walker,
    partitions: Partitions,
    vocabulary: Vocabulary,
    maxBytes: number,
  ) {
    this.#program = program
    this.#walker = walker
    this.#partitions = partitions
    this.#vocabulary = vocabulary
    this.#maxBytes = maxBytes
    // Where some byte is no token, a search keeps configurations of its own.
    this.#mayReclaim = vocabulary.spellsBytes
  }

  /** Bytes held by memoised masks; never more than the bound. */
  get byteLength(): number {
    return this.#youngBytes + this.#oldBytes
  }

  /** The mask of a thread of the walker's table. */
  of(thread: number): Entry {
    const young = this.#young.get(thread)
    if (young !== undefined) return young
    const entry = this.#old.get(thread) ?? this.#make(thread)
    this.#keep(thread, entry)
    return entry
  }

  /** The mask of a terminal that goes with its text: kept with the automaton, not with the grammar. */
  ofFleeting(dfa: Dfa, state: number, context: number): Entry {
    let entries = this.#fleeting.get(dfa)
    if (entries === undefined) {
      entries = new Map()
      this.#fleeting.set(dfa, entries)
    }
    const key = `${state} ${context}`
    let entry = entries.get(key)
    if (entry === undefined) {
      entry = this.#build((builder) => this.#addTerminal(dfa, state, context, builder))
      entries.set(key, entry)
    }
    return entry
  }

  #keep(thread: number, entry: Entry): void {
    if (this.#youngBytes + entry.byteLength > this.#maxBytes / 2) {
      this.#old = this.#young
      this.#oldBytes = this.#youngBytes
      this.#young = new Map()
      this.#youngBytes = 0
    }
    if (entry.byteLength > this.#maxBytes / 2) return
    this.#young.set(thread, entry)
    this.#youngBytes += entry.byteLength
  }

  #make(thread: number): Entry {
    const { threads } = this.#walker
    const dfa = threads.dfa[thread]!
    return this.#build((builder) => {
      if (dfa === null) this.#addContext(threads.context[thread]!, builder)
      else this.#addTerminal(dfa, threads.state[thread]!, threads.context[thread]!, builder)
    })
  }

  #build(add: (builder: EntryBuilder) => void): Entry {
    // Masks are made within masks: what a walk holds on to is only free when the outermost begins.
    if (this.#nesting === 0 && this.#mayReclaim) this.#walker.reclaim()
    this.#nesting++
    // Reused, as masks are made within masks and each builder holds lists of some size.
    const builder = this.#builders.pop() ?? new EntryBuilder(this.#vocabulary)
    try {
      add(builder)
    } finally {
      this.#nesting--
    }
    const entry = builder.finish()
    this.#builders.push(builder)
    return entry
  }

  /** Everything that may begin at a context, or the end of the text. */
  #addContext(context: number, builder: EntryBuilder): void {
    const { starts, tokens, ends } = this.#program.closure(context)
    const { threads } = this.#walker
    for (const start of starts)
      builder.add(this.of(threads.intern(start.dfa, start.dfa.start, start.context)))
    for (const { ids } of tokens) for (const id of ids) builder.free.push(id)
    if (ends) builder.ends = true
  }

  #addTerminal(dfa: Dfa, state: number, context: number, builder: EntryBuilder): void {
    const partition = this.#partitions.of(dfa, state)
    builder.addPartition(partition)
    for (const exit of partition.exits) this.#walkExit(dfa, exit, context, builder)
    if (partition.amendment !== null) {
      builder.clear(partition.amendment.clear)
      for (const id of partition.amendment.ids) builder.free.push(id)
      for (const exit of partition.amendment.exits) this.#walkExit(dfa, exit, context, builder)
    }
    const tag = dfa.tag(state)
    if (tag !== 0) {
      const behind = this.#program.exit(context, tag)
      // Where items must differ, what may begin there hangs on those that are there: the matcher adds it.
      if (this.#program.contexts.watched[behind] === 1) return
      builder.add(this.of(this.#walker.threads.intern(null, 0, behind)))
    }
  }

  #walkExit(dfa: Dfa, exit: Exit, context: number, builder: EntryBuilder): void {
    const walker = this.#walker
    const behind = this.#program.exit(context, exit.tag)
    const configuration = walker.single(walker.threads.intern(null, 0, behind))
    const keys = endsFreeKey(dfa, exit) ? 1 : 0
    if (!('remainders' in exit)) {
      walker.walk(exit.trie, exit.node, configuration, keys, builder)
      return
    }
    const viable = walker.viable(configuration)
    for (let byte = 0; byte < 256; byte++) {
      if (((viable[byte >>> 5]! >>> (byte & 31)) & 1) === 0) continue
      const trie = exit.remainders.from(byte)
      if (trie !== null) walker.walk(trie, 0, configuration, keys, builder)
    }
  }
}

/** Collects one mask: a base while there is a single one, own bits as soon as there are two or something is taken out. */
class EntryBuilder implements WalkOutput {
  readonly free = new IdList()
  readonly once = new IdList()
  readonly often = new IdList()
  ends = false
  readonly #vocabulary: Vocabulary
  #base: Uint32Array | null = null
  #own: Uint32Array | null = null

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  addPartition({ dense, ids }: Partition): void {
    if (dense !== null) this.#addBase(dense)
    for (const id of ids) this.free.push(id)
  }

  add(entry: Entry): void {
    if (entry.base !== null) this.#addBase(entry.base)
    for (const id of entry.ids) this.free.push(id)
    for (const id of entry.once) this.once.push(id)
    for (const id of entry.often) this.often.push(id)
    if (entry.ends) this.ends = true
  }

  #addBase(bits: Uint32Array): void {
    if (this.#base === bits) return
    if (this.#base === null && this.#own === null) {
      this.#base = bits
      return
    }
    const own = this.#bits()
    for (let i = 0; i < own.length; i++) own[i]! |= bits[i]!
  }

  /** Bits of our own, with all that was collected so far in them. */
  #bits(): Uint32Array {
    if (this.#own === null) {
      this.#own =
        this.#base === null ? new Uint32Array((this.#vocabulary.size + 31) >>> 5) : this.#base.slice()
      this.#base = null
    }
    const own = this.#own
    for (let i = 0; i < this.free.length; i++) own[this.free.ids[i]! >>> 5]! |= 1 << (this.free.ids[i]! & 31)
    this.free.length = 0
    return own
  }

  /** Takes the tokens at and below these nodes of the vocabulary's trie out again. */
  clear(nodes: readonly number[]): void {
    const own = this.#bits()
    const { first, skip, tokens } = this.#vocabulary.trie
    for (const node of nodes) {
      for (let t = first[node]!; t < first[skip[node]!]!; t++)
        own[tokens[t]! >>> 5]! &= ~(1 << (tokens[t]! & 31))
    }
  }

  finish(): Entry {
    if (this.free.length > SPARSE) this.#bits()
    const base = this.#own ?? this.#base
    const ids = this.free.toArray()
    const once = this.once.toArray()
    const often = this.often.toArray()
    const own = this.#own === null ? 0 : this.#own.byteLength
    const byteLength = ENTRY_OVERHEAD + own + ids.byteLength + once.byteLength + often.byteLength
    const entry = { base, ids, once, often, ends: this.ends, byteLength }
    this.#reset()
    return entry
  }

  #reset(): void {
    this.#base = null
    this.#own = null
    this.ends = false
    this.free.length = 0
    this.once.length = 0
    this.often.length = 0
  }
}
