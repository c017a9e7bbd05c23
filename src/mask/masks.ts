/**
 * Masks of threads, memoised.
 *
 * What is made is kept in two generations that together hold at most half of `maxBytes`: when the young one is full, the
 * old one is dropped. The parts that masks are made of have a quarter each, see `Fragments` and `PartitionCache`.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { NumberTerminal } from '../automaton/number-terminal.ts'
import type { Program } from '../automaton/program.ts'
import { effort } from '../effort.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Bases } from './bases.ts'
import type { Engine } from './engine.ts'
import { type Entry, EntryBuilder } from './entry.ts'
import { endsFreeKey, type Fragment, Fragments } from './fragments.ts'
import type { Partitions } from './partition.ts'
import { PartitionCache } from './partition-cache.ts'
import type { Exit } from './partition-parts.ts'
import type { Walker } from './walker.ts'

export class Masks {
  readonly #program: Program
  readonly #walker: Walker
  readonly #partitions: Partitions
  readonly #bases: Bases
  readonly #vocabulary: Vocabulary
  readonly #maxBytes: number
  /** Partitions of automata that not all grammars share. */
  readonly parts: PartitionCache
  readonly #fragments: Fragments
  /** By thread. */
  #young: (Entry | undefined)[] = []
  #old: (Entry | undefined)[] = []
  /** By threads; they are young. */
  readonly #sets = new Map<string, Entry>()
  readonly #fleeting = new WeakMap<Dfa, Map<string, Entry>>()
  readonly #builders: EntryBuilder[] = []
  readonly #mayReclaim: boolean
  #nesting = 0
  #youngBytes = 0
  #oldBytes = 0

  constructor(
    program: Program,
    walker: Walker,
    { partitions, bases }: Pick<Engine, 'partitions' | 'bases'>,
    vocabulary: Vocabulary,
    maxBytes: number,
  ) {
    this.#program = program
    this.#walker = walker
    this.#partitions = partitions
    this.#bases = bases
    this.#vocabulary = vocabulary
    this.#maxBytes = maxBytes / 2
    this.parts = new PartitionCache(maxBytes / 4)
    this.#fragments = new Fragments(program, walker, partitions, this.parts, maxBytes / 4)
    // Where some byte is no token, a search keeps configurations of its own.
    this.#mayReclaim = vocabulary.spellsBytes
  }

  /** Bytes held by memoised masks and their parts; never more than the bound. */
  get byteLength(): number {
    return this.#youngBytes + this.#oldBytes + this.parts.byteLength + this.#fragments.byteLength
  }

  /** The mask of a thread of the walker's table. */
  of(thread: number): Entry {
    const young = this.#young[thread]
    if (young !== undefined) return young
    const entry = this.#old[thread] ?? this.#make(thread)
    this.#keep(thread, entry)
    return entry
  }

  /** The mask of several threads of the walker's table. */
  ofSet(threads: readonly number[]): Entry {
    if (threads.length === 1) return this.of(threads[0]!)
    const key = threads.join()
    let entry = this.#sets.get(key)
    if (entry === undefined) {
      entry = this.#build((builder) => {
        for (const thread of threads) builder.add(this.of(thread))
      })
      if (this.#makesRoom(entry)) this.#sets.set(key, entry)
    }
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
    if (this.#makesRoom(entry)) this.#young[thread] = entry
  }

  /** Counts an entry in; whether it may be kept. */
  #makesRoom(entry: Entry): boolean {
    if (entry.byteLength > this.#maxBytes / 2) return false
    if (this.#youngBytes + entry.byteLength > this.#maxBytes / 2) {
      this.#old = this.#young
      this.#oldBytes = this.#youngBytes
      this.#young = []
      this.#sets.clear()
      this.#youngBytes = 0
    }
    this.#youngBytes += entry.byteLength
    return true
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
    effort.masks++
    // Masks are made within masks: what a walk holds on to is only free when the outermost begins.
    if (this.#nesting === 0 && this.#mayReclaim) this.#walker.reclaim()
    this.#nesting++
    // Reused, as masks are made within masks and each builder holds lists of some size.
    const builder = this.#builders.pop() ?? new EntryBuilder(this.#vocabulary, this.#bases)
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
    for (const { dfa, context: inside } of starts) {
      const { start } = dfa
      // What may begin behind a terminal that may be empty is among the starts; it may be that terminal again.
      const entry =
        dfa.tag(start) === 0
          ? this.of(threads.intern(dfa, start, inside))
          : this.#build((own) => this.#addBytes(dfa, start, inside, own))
      builder.add(entry)
    }
    for (const { ids } of tokens) builder.addIds(Int32Array.from(ids))
    if (ends) builder.addEnd()
  }

  #addTerminal(dfa: Dfa, state: number, context: number, builder: EntryBuilder): void {
    this.#addBytes(dfa, state, context, builder)
    const tag = dfa.tag(state)
    if (tag !== 0) {
      const behind = this.#program.exit(context, tag)
      // Where items must differ, what may begin there hangs on those that are there: the matcher adds it.
      if (this.#program.contexts.watched[behind] === 1) return
      builder.add(this.of(this.#walker.threads.intern(null, 0, behind)))
    }
  }

  /** What the terminal reads a byte of. */
  #addBytes(dfa: Dfa, state: number, context: number, builder: EntryBuilder): void {
    const partition = this.#partitions.of(dfa, state, null, this.parts)
    builder.addPartition(partition)
    for (const exit of partition.exits) this.#addExit(dfa, exit, context, builder)
    const { amendment } = partition
    if (amendment !== null) {
      builder.remove(amendment.removed)
      builder.addIds(amendment.ids)
      builder.addIds(amendment.whole)
      for (const exit of amendment.exits) this.#addExit(dfa, exit, context, builder)
    }
  }

  #addExit(dfa: Dfa, { tag, rest }: Exit, context: number, builder: EntryBuilder): void {
    const fragment = this.#fragments.of(this.#program.exit(context, tag), rest)
    if (!this.#isNarrowNumber(dfa, context)) builder.addFragment(fragment, endsFreeKey(dfa, tag) ? 1 : 0)
    else builder.addFragment(conditional(fragment), 0)
  }

  /** Whether what leaves a terminal ends a number that items may forbid: in which of its spellings, nobody can tell beforehand. */
  #isNarrowNumber(dfa: Dfa, context: number): boolean {
    const { room } = this.#walker
    return room !== null && dfa instanceof NumberTerminal && !room.within(context)
  }
}

/** The tokens of a fragment with one more step before them that history may forbid. */
function conditional(fragment: Fragment): Fragment {
  const { lists, once, often } = fragment
  return {
    rest: fragment.rest,
    lists: [],
    once: lists,
    often: [...once, ...often],
    byKeys: false,
    ownBytes: 0,
    next: null,
  }
}
