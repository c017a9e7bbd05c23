/**
 * The pushdown automaton run byte by byte over a trie, without history: for the rests that partitions do not tell all of, and
 * where tokens are searched for.
 *
 * A *thread* is (terminal, state, context), or a context alone between two terminals; a *configuration* is a set of
 * threads. Both are interned, and a step (configuration, byte) is computed once: walking a trie is then one look-up a
 * node. What an object remembers of its free keys is not in a context, so a step that ends such a key, or leaves few ends
 * to it, is marked, and so is one that ends an item which must differ from others, or leaves not very many values for it;
 * tokens behind one are *conditional*: allowed unless the matcher's history forbids them.
 */
import { hash } from '../automaton/contexts.ts'
import type { Dfa } from '../automaton/dfa.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import type { Program } from '../automaton/program.ts'
import { emptyBits, hasBit, setBit } from '../bits.ts'
import { effort } from '../effort.ts'
import type { Trie } from '../vocab/trie.ts'
import { IntMap } from './int-map.ts'
import type { Room } from './room.ts'
import type { UniqueItemsGuard } from './unique-items.ts'

/** Set in the result of a step that the keys an object already holds may forbid. */
const KEY = 1 << 30
/** The same of the items that an array already holds: the step leads where not very many values can come any more. */
const NARROW = 1 << 29
/** An item that must differ from others has ended. */
const ENDED = 1 << 28
/** One has ended, and what goes on behind it may be forbidden, too, all by one byte. */
const PASSED = 1 << 27
const MARKS = KEY | NARROW | ENDED | PASSED
const EVERY_BYTE = emptyBits(256).fill(0xffffffff)

/** Configurations that the walker may hold before its memory is given back. */
const MAX_CONFIGURATIONS = 1 << 18

/** Where the walk puts tokens: three lists that only grow. */
export interface WalkOutput {
  /** Ids that are allowed whatever the history. */
  readonly free: IdList
  /** Ids with one step on the way that history may forbid. */
  readonly once: IdList
  /** Ids with more than one. */
  readonly often: IdList
}

/** A growable list of token ids. */
export class IdList {
  ids = new Int32Array(64)
  length = 0

  push(id: number): void {
    if (this.length === this.ids.length) {
      const longer = new Int32Array(this.length * 2)
      longer.set(this.ids)
      this.ids = longer
    }
    this.ids[this.length++] = id
  }
  toArray(): Int32Array {
    return this.length === 0 ? NONE : this.ids.slice(0, this.length)
  }
}

const NONE = new Int32Array(0)

/** Of what `walk` keeps for each byte of a token: the steps that may be forbidden, up to two. */
const COUNT = 3
/** Beside it: whether an item that must differ has ended, so that the next may be forbidden whatever there was before. */
const HAS_ENDED = 4

function mark(before: number, step: number): number {
  let count = before & COUNT
  if ((step & KEY) !== 0) count = Math.min(2, count + 1)
  if ((step & NARROW) !== 0)
    count = (before & HAS_ENDED) === 0 && (step & PASSED) === 0 ? Math.max(1, count) : 2
  return count | (before & HAS_ENDED) | ((step & ENDED) === 0 ? 0 : HAS_ENDED)
}

/** Threads, interned; thread 0 is none. */
class ThreadTable {
  /** `null`: between two terminals. */
  readonly dfa: (Dfa | null)[] = [null]
  readonly state: number[] = [0]
  readonly context: number[] = [0]
  #slots = new Int32Array(256)

  intern(dfa: Dfa | null, state: number, context: number): number {
    const id = dfa === null ? 0 : dfa.id
    const mask = this.#slots.length - 1
    let at = hash(id, state, context) & mask
    for (;;) {
      const thread = this.#slots[at]!
      if (thread === 0) break
      if (this.context[thread] === context && this.state[thread] === state && this.dfa[thread] === dfa)
        return thread
      at = (at + 1) & mask
    }
    const thread = this.dfa.push(dfa) - 1
    this.state.push(state)
    this.context.push(context)
    this.#slots[at] = thread
    if (thread * 2 > this.#slots.length) this.#rehash()
    return thread
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let thread = 1; thread < this.dfa.length; thread++) {
      let at = hash(this.dfa[thread]?.id ?? 0, this.state[thread]!, this.context[thread]!) & mask
      while (slots[at] !== 0) at = (at + 1) & mask
      slots[at] = thread
    }
    this.#slots = slots
  }

  get size(): number {
    return this.dfa.length
  }
}

export class Walker {
  readonly threads = new ThreadTable()
  readonly #program: Program
  readonly #unique: UniqueItemsGuard | null
  /** Threads of each configuration, ascending; configuration 0 is dead. */
  readonly #configurations: Int32Array[] = [new Int32Array(0)]
  #ofThread = new IntMap()
  readonly #ofSet = new Map<string, number>()
  #steps = new IntMap()
  readonly #viable: (Uint32Array | undefined)[] = []
  #stack = new Int32Array(64)
  #marks = new Uint8Array(64)

  /** @param unique what arrays whose items must differ have to say, if the grammar has any */
  constructor(program: Program, unique: UniqueItemsGuard | null) {
    this.#program = program
    this.#unique = unique
  }

  /** Where items that must differ have nothing to say; `null` where there are none. */
  get room(): Room | null {
    return this.#unique?.room ?? null
  }

  /** The configuration of one thread. */
  single(thread: number): number {
    let configuration = this.#ofThread.get(thread)
    if (configuration < 0) {
      configuration = this.#configurations.push(Int32Array.of(thread)) - 1
      this.#ofThread.add(thread, configuration)
    }
    return configuration
  }

  #set(threads: number[]): number {
    if (threads.length === 0) return 0
    if (threads.length === 1) return this.single(threads[0]!)
    threads.sort((a, b) => a - b)
    const key = threads.join()
    let configuration = this.#ofSet.get(key)
    if (configuration === undefined) {
      configuration = this.#configurations.push(Int32Array.from(threads)) - 1
      this.#ofSet.set(key, configuration)
    }
    return configuration
  }

  /** Configurations that are known, the dead one aside. */
  get configurationCount(): number {
    return this.#configurations.length - 1
  }

  /** The threads of a configuration. */
  threadsOf(configuration: number): Int32Array {
    return this.#configurations[configuration]!
  }

  /** The configuration of several threads. */
  union(threads: readonly number[]): number {
    return this.#set([...new Set(threads)])
  }

  /** The next configuration, 0 where none; the mark is dropped. */
  next(configuration: number, byte: number): number {
    return this.#step(configuration, byte) & ~MARKS
  }

  #step(configuration: number, byte: number): number {
    const viable = this.viable(configuration)
    if (!hasBit(viable, byte)) return 0
    const key = configuration * 256 + byte
    const known = this.#steps.get(key)
    if (known >= 0) return known
    const target = this.#advance(this.#configurations[configuration]!, byte)
    this.#steps.add(key, target)
    return target
  }

  /** The bytes that a configuration may read, as a set of 256 bits; it may hold some that it cannot. */
  viable(configuration: number): Uint32Array {
    return this.#viable[configuration] ?? this.#findViable(configuration)
  }

  #findViable(configuration: number): Uint32Array {
    let viable: Uint32Array | null = emptyBits(256)
    const { threads } = this
    const add = (dfa: Dfa, state: number): void => {
      const edges = dfa.edges(state)
      if (edges === null) viable = null
      else if (viable !== null) for (const byte of edges) setBit(viable, byte)
    }
    for (const thread of this.#configurations[configuration]!) {
      const dfa = threads.dfa[thread]!
      let context = threads.context[thread]!
      if (dfa !== null) {
        const state = threads.state[thread]!
        add(dfa, state)
        const tag = dfa.tag(state)
        if (tag === 0) continue
        context = this.#program.exit(context, tag)
      }
      for (const start of this.#program.closure(context).starts) add(start.dfa, start.dfa.start)
    }
    this.#viable[configuration] = viable ?? EVERY_BYTE
    return this.#viable[configuration]!
  }

  #advance(from: Int32Array, byte: number): number {
    const { threads } = this
    const program = this.#program
    const unique = this.#unique
    const { watched } = program.contexts
    const to: number[] = []
    let marks = 0
    const settle = (dfa: Dfa, state: number, context: number): void => {
      let thread: number
      const tag = dfa.tag(state)
      if (dfa instanceof KeyDfa && (tag === 0 ? dfa.mayRunOut(state) : isFree(tag))) marks |= KEY
      if (tag !== 0 && dfa.final(state)) {
        const behind = program.exit(context, tag)
        if (unique !== null && watched[behind] === 1) {
          if (unique.room.isEndOfItem(behind)) marks |= NARROW | ENDED
          else if (!unique.room.within(behind)) marks |= NARROW
        }
        thread = threads.intern(null, 0, behind)
      } else {
        if (unique !== null && watched[context] === 1 && !unique.room.of(dfa, state, context)) marks |= NARROW
        thread = threads.intern(dfa, state, context)
      }
      if (!to.includes(thread)) to.push(thread)
    }
    const enter = (context: number): boolean => {
      let any = false
      for (const start of program.closure(context).starts) {
        const state = start.dfa.next(start.dfa.start, byte)
        if (state === 0) continue
        settle(start.dfa, state, start.context)
        any = true
      }
      return any
    }
    for (const thread of from) {
      const dfa = threads.dfa[thread]!
      const context = threads.context[thread]!
      if (dfa === null) {
        enter(context)
        continue
      }
      const at = threads.state[thread]!
      const state = dfa.next(at, byte)
      if (state !== 0) settle(dfa, state, context)
      const tag = dfa.tag(at)
      if (tag === 0) continue
      const behind = program.exit(context, tag)
      const before = marks
      marks = 0
      // Where the terminal could have gone on, its item ends with this byte.
      if (enter(behind) && unique !== null && watched[behind] === 1 && unique.room.isEndOfItem(behind)) {
        if ((marks & NARROW) !== 0 && !unique.room.isPlentiful(behind)) marks |= PASSED
        marks |= NARROW | ENDED
      }
      marks |= before
    }
    return this.#set(to) | marks
  }

  /**
   * Adds the tokens strictly below `node` of `trie` that the automaton can read from `configuration`.
   */
  walk(trie: Trie, node: number, configuration: number, out: WalkOutput): void {
    const { byte, depth, skip, first, tokens } = trie
    if (this.#stack.length <= trie.maxDepth) {
      this.#stack = new Int32Array(trie.maxDepth + 1)
      this.#marks = new Uint8Array(trie.maxDepth + 1)
    }
    const stack = this.#stack
    const marks = this.#marks
    const end = skip[node]!
    stack[depth[node]!] = configuration
    marks[depth[node]!] = 0
    let i = node + 1
    let read = 0
    while (i < end) {
      read++
      const d = depth[i]!
      const step = this.#step(stack[d - 1]!, byte[i]!)
      if (step === 0) {
        i = skip[i]!
        continue
      }
      const marked = step < PASSED ? marks[d - 1]! : mark(marks[d - 1]!, step)
      stack[d] = step & ~MARKS
      marks[d] = marked
      const from = first[i]!
      const to = first[i + 1]!
      if (from < to) {
        const count = marked & COUNT
        const list = count === 0 ? out.free : count === 1 ? out.once : out.often
        for (let t = from; t < to; t++) list.push(tokens[t]!)
      }
      i++
    }
    effort.reads += read
  }

  /**
   * Forgets the configurations when there are too many; threads and contexts stay. Only between two walks, and only where
   * nobody keeps the number of one.
   */
  reclaim(): void {
    if (this.#configurations.length < MAX_CONFIGURATIONS) return
    this.#configurations.length = 1
    this.#viable.length = 0
    this.#ofSet.clear()
    this.#ofThread = new IntMap()
    this.#steps = new IntMap()
  }
}
