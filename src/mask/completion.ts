/**
 * The least that completes a text: the shortest completion in bytes, the lowest bytes among those, and what it costs in
 * tokens.
 *
 * It is put together from pieces that end where terminals end: the rest of the terminal that runs, then, up the stack,
 * what each context still owes. A piece's cost is the fewest tokens that spell it, and tokens need not cross pieces, so
 * that the cost of a context is a sum kept beside it, and taking the first token of a cheapest spelling lowers it by one.
 * One end token comes on top.
 * Those of contexts that hang on no history are kept: a context over known ones is one join.
 */

import { END_CONTEXT, UNION } from '../automaton/contexts.ts'
import { stateAfter } from '../automaton/dfa.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import { punctuation } from '../automaton/layout.ts'
import type { Node } from '../automaton/nodes.ts'
import type { Program } from '../automaton/program.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { DistinctSearch, type Estimates } from './distinct-search.ts'
import { DistinctValues } from './distinct-values.ts'
import type { TakenKeys } from './entries.ts'
import { type Cell, cellAt, keysOf, within } from './history.ts'
import type { Item } from './item-index.ts'
import { isBetter, join, joined, type Least, NOTHING } from './least.ts'
import { LeastTexts } from './least-texts.ts'
import type { PieceTable } from './piece-table.ts'
import type { Text, Thread } from './threads.ts'

/** Tokens that a key of any text takes more than the shortest, so as to be none of up to 8,000 others: as many as it has bytes, at most. */
export const LONGER_KEY = 5

export class Completions implements Estimates {
  readonly #program: Program
  readonly #pieces: PieceTable
  readonly #texts: LeastTexts
  readonly #contexts: (Least | undefined)[] = []
  /** Those of unions by the history that they depend on. */
  #unions = new WeakMap<object, Map<number, Least | null>>()
  readonly #distinct: DistinctValues
  /** Completions in which items that must differ may be equal where that is hard to see: what a search for others goes by. */
  readonly #relaxed: Completions | null

  /** @param isRelaxed whether arrays of items that must differ may be too short where only a search tells how long they are */
  constructor(program: Program, pieces: PieceTable, isRelaxed = false) {
    this.#program = program
    this.#pieces = pieces
    this.#distinct = new DistinctValues(program, this)
    const isHard = program.nodes.some((node) => node.kind === 'array' && this.#distinct.isHard(node.part))
    const relaxed = isHard && !isRelaxed ? new Completions(program, pieces, true) : null
    this.#relaxed = relaxed
    this.#texts = new LeastTexts(program, pieces, this.#distinct, relaxed === null ? null : relaxed.#texts)
  }

  /** Whether the least texts of rules are known. */
  get isSettled(): boolean {
    return this.#texts.isSettled
  }

  /** A text as a piece of its own. */
  piece(text: string): Least {
    return this.#pieces.of(text)
  }

  /** The least completion over all threads, and the thread it belongs to. */
  of(threads: readonly Thread[], text: Text): { thread: Thread; least: Least } {
    return this.#fresh(() => this.#of(threads, text))
  }

  #of(threads: readonly Thread[], text: Text): { thread: Thread; least: Least } {
    let best: { thread: Thread; least: Least } | null = null
    for (const thread of threads) {
      const least = this.#ofThread(thread, text)
      if (least !== null && (best === null || isBetter(least, best.least))) best = { thread, least }
    }
    if (best === null) throw new RangeError('no thread can be completed')
    const own = this.#memberOf(best.thread, text)
    const thread = { ...own, context: this.#parted(own.context, own.history) }
    return { thread, least: { text: best.least.text, tokens: best.least.tokens + 1 } }
  }

  /** The same alone, of which no thread needs to know its frames. */
  leastOf(threads: readonly Thread[], text: Text): Least | null {
    return this.#fresh(() => this.#leastOfAny(threads, text))
  }

  #leastOfAny(threads: readonly Thread[], text: Text): Least | null {
    let best: Least | null = null
    for (const thread of threads) {
      const least = this.#ofThread(thread, text)
      if (least !== null && (best === null || isBetter(least, best))) best = least
    }
    return best
  }

  /** Whether completions from a context on are searched for, as items must differ: history then tells what they are. */
  concerns(context: number): boolean {
    return this.#program.contexts.watched[context] === 1
  }

  /**
   * The least from a context on, without the end token, as if its objects held no free keys: `null` where nothing completes it.
   * Where items must differ it is `undefined`, unless they are let be equal, so that no completion is less.
   */
  ofContext(context: number, ignoresItems = false): Least | null | undefined {
    if (context === END_CONTEXT) return NOTHING
    if (ignoresItems && this.#relaxed !== null) return this.#relaxed.ofContext(context, true)
    if (!ignoresItems && this.concerns(context)) return undefined
    return this.#fresh(() => this.#contexts[context] ?? this.#ofContext(context, null))
  }

  /** What is found with choices that hold, as often as they turn out not to. */
  #fresh<T>(find: () => T): T {
    return this.#texts.fresh(find, () => {
      this.#contexts.length = 0
      this.#unions = new WeakMap()
    })
  }

  /** What a context owes by itself, as if its container held nothing and items that must differ could be equal; `null` where nobody can say, or nothing completes it. */
  ownOf(context: number): Least | null {
    if (this.#relaxed !== null) return this.#relaxed.ownOf(context)
    const { node, count } = this.#program.contexts
    if (this.#markedOf(node[context]!) !== null) return null
    return this.#texts.ofNode(node[context]!, count[context]!, this.#nesting(context), [])
  }

  /** The least from a node to the end of its part, items that must differ being let be equal; `null` where there is none. */
  leastAt(node: number): Least | null {
    if (this.#relaxed !== null) return this.#relaxed.leastAt(node)
    this.#texts.settle()
    return this.#texts.ofNode(node, 0, 0)
  }

  /**
   * Tokens by which that may be too few for what the objects do hold: 0 where it depends on nothing that they hold, `Infinity`
   * where nobody knows.
   */
  slackOf(context: number): number {
    const { node, count, parent } = this.#program.contexts
    let slack = 0
    for (let at = context; at !== END_CONTEXT && this.#contexts[at] === undefined; at = this.#outer(at)) {
      if (node[at] === UNION) return Number.POSITIVE_INFINITY
      const isMarked = this.#markedOf(node[at]!) !== null
      const place = isMarked ? parent[at]! : at
      if (this.#takenAt(place, null) === null) continue
      const { part } = this.#program.nodes[node[place]!] as Extract<Node, { kind: 'object-place' }>
      const isAny = part.freeKeys.freeKeys?.isAny === true
      if (isMarked || !isAny || part.unmet(count[place]!) !== 0) return Number.POSITIVE_INFINITY
      slack += LONGER_KEY * (part.extra(count[place]!) + 1)
    }
    return slack
  }

  /** A thread whose terminal runs in several contexts, in the one with the least completion. */
  #memberOf(thread: Thread, text: Text): Thread {
    if (thread.dfa === null) return thread
    let best: { thread: Thread; least: Least } | null = null
    for (const member of this.#program.contexts.membersOf(thread.context)) {
      const own = this.#inMember(thread, member, text)
      const least = own === null ? null : this.#ofThread(own, text)
      if (least !== null && (best === null || isBetter(least, best.least))) best = { thread: own!, least }
    }
    return best?.thread ?? thread
  }

  /** The same thread in one of the contexts; `null` where its object has no such key. */
  #inMember(thread: Thread, member: number, text: Text): Thread | null {
    const { node, count } = this.#program.contexts
    const at = this.#program.nodes[node[member]!]!
    if (!(thread.dfa instanceof KeyDfa) || at.kind !== 'object-place') return { ...thread, context: member }
    const dfa = at.part.keys(count[member]!)
    const state = stateAfter(dfa, latin1(text.bytes, thread.start, text.length))
    return state === 0 ? null : { ...thread, dfa, state, context: member }
  }

  /** The context, or one of several, with one stack below: that with the least completion. */
  #parted(context: number, history: Cell | null): number {
    const { node, parent } = this.#program.contexts
    const chain: number[] = []
    let unions = 0
    for (let at = context; at !== END_CONTEXT; at = parent[at]!) {
      if (node[at] === UNION) {
        unions++
        at = this.#leastMember(at, history)
        if (at === END_CONTEXT) break
      }
      chain.push(at)
    }
    if (unions === 0) return context
    return chain.reduceRight((outer, c) => this.#program.over(c, outer), END_CONTEXT)
  }

  /** Of several contexts that with the least completion. */
  #leastMember(context: number, history: Cell | null): number {
    let own = context
    let best: Least | null = null
    for (const member of this.#program.contexts.membersOf(context)) {
      const least = this.#ofContext(member, history)
      if (least === null || (best !== null && !isBetter(least, best))) continue
      best = least
      own = member
    }
    return own
  }

  #ofThread(thread: Thread, text: Text): Least | null {
    const { dfa, state, context, history } = thread
    if (this.concerns(context)) return this.#ofDistinct(thread, text)
    if (dfa === null) return this.#ofContext(context, history)
    let best: Least | null = null
    for (const tag of dfa.tagsFrom(state)) {
      const free = dfa instanceof KeyDfa && isFree(tag)
      const least = free
        ? this.#ofFreeKey(dfa, tag, thread, text)
        : joined(
            this.#pieces.rest(dfa, state, tag),
            this.#ofContext(this.#program.exit(context, tag), history),
          )
      if (least !== null && (best === null || isBetter(least, best))) best = least
    }
    return best
  }

  /** Where items must differ: up to the end of the outermost such array. What is owed behind it does not hang on its items. */
  #ofDistinct(thread: Thread, text: Text): Least | null {
    const estimates = this.#relaxed ?? this
    estimates.#texts.settle()
    const goal = this.#distinct.goalOf(thread.context)
    const isGoal = ({ context }: Thread): boolean => context === goal
    const found = new DistinctSearch(this.#program, estimates, thread, text, isGoal).next()
    return found === null ? null : joined(found, this.#ofContext(goal, found.thread.history))
  }

  /** The least bytes that must follow a thread between two terminals; `current` is the key of an item that just ended. */
  remaining(thread: Thread, current: string | null): number {
    if (this.#relaxed !== null) return this.#relaxed.remaining(thread, current)
    const { node, count, parent } = this.#program.contexts
    let length = 0
    for (let c = thread.context; c !== END_CONTEXT; ) {
      // In several contexts no items must differ, nor around them.
      if (node[c] === UNION)
        return length + (this.#ofContext(c, thread.history)?.text.length ?? Number.POSITIVE_INFINITY)
      const marked = this.#markedOf(node[c]!)
      const taken = this.#takenAt(marked === null ? c : parent[c]!, thread.history)
      length +=
        this.#distinctLength(c, thread.history, c === thread.context ? current : null) ??
        (marked === null
          ? this.#texts.ofNode(node[c]!, count[c]!, this.#nesting(c), taken ?? [])
          : this.#ofMarked(c, marked, taken ?? [])
        )?.text.length ??
        Number.POSITIVE_INFINITY
      c = marked === null ? parent[c]! : parent[parent[c]!]!
    }
    return length
  }

  distinct(node: number, count: number, items: Item | null): readonly string[] | null {
    return this.#distinct.isScalar(node)
      ? (this.#distinct.least(node, 0, count, items, null)?.map(({ text }) => text) ?? null)
      : null
  }

  fewValues(node: number, most: number): readonly JsonValue[] {
    if (!this.#distinct.isScalar(node)) return []
    const values = this.#distinct.least(node, 0, most + 1, null, null) ?? []
    return values.length > most ? [] : values.map(({ key }) => readJson(key))
  }

  /** The same for what an array of items that must differ still owes, as far as its items are alike; `null` elsewhere. */
  #distinctLength(context: number, history: Cell | null, current: string | null): number | null {
    const { contexts, nodes } = this.#program
    const at = nodes[contexts.node[context]!]!
    if (at.kind !== 'array-place' || !at.part.isUnique) return null
    const count = contexts.count[context]!
    const due = at.place === 'before-item' ? 1 : 0
    const owed = Math.max(at.part.owed(count), due)
    if (owed === 0) return null
    const depth = contexts.depth[context]!
    const cell = within(history, depth)
    const nesting = this.#nesting(context)
    const items = cell !== null && cell.depth === depth ? cell.items : null
    if (this.#distinct.isStuck(at.part, count, items, current)) return Number.POSITIVE_INFINITY
    const values = at.part.isUniform(count)
      ? this.#distinct.least(at.part.step(count).node, nesting, owed, items, current)
      : this.#distinct.leastOfAll(at.part, count, owed, items, current)
    if (values === null) return null
    if (values.length < owed) return Number.POSITIVE_INFINITY
    const marks = punctuation('[', nesting, this.#program.layout)
    const separators = (owed - due) * marks.separator.length
    return values.reduce((sum, { text }) => sum + text.length, separators + marks.close.length)
  }

  /** A free key must not be one that the object already holds, and what is owed behind it must not be this one. */
  #ofFreeKey(dfa: KeyDfa, tag: number, { state, context, history, start }: Thread, text: Text): Least | null {
    const depth = this.#program.contexts.depth[context]!
    const typed = latin1(text.bytes, start, text.length)
    const cell = cellAt(history, depth)
    const rest = dfa.shortestFree(state, tag, typed, keysOf(cell.used))
    if (rest === null) return null
    const ending = latin1(rest, 0, rest.length)
    const behind = { ...cell, used: { key: typed + ending, next: cell.used } }
    return joined(this.#pieces.of(ending), this.#ofContext(this.#program.exit(context, tag), behind))
  }

  /** Up the stack, iteratively: contexts may be nested as deep as the text, and unions with them. */
  #ofContext(context: number, history: Cell | null): Least | null {
    const { contexts } = this.#program
    const known = this.#unionsOf(history)
    const due = this.#unionsAbove([context], known)
    while (due.length > 0) {
      const union = due[due.length - 1]!
      const members = contexts.membersOf(union)
      const first = this.#unionsAbove(members, known)
      if (first.length > 0) {
        due.push(...first)
        continue
      }
      due.pop()
      let best: Least | null = null
      let lasting = true
      for (const member of members) {
        const least = this.#along(member, history, known)
        if (least !== null && (best === null || isBetter(least, best))) best = least
        lasting &&= this.#contexts[member] !== undefined || member === END_CONTEXT
      }
      if (best !== null && lasting) this.#contexts[union] = best
      known.set(union, best)
    }
    return this.#along(context, history, known)
  }

  /** The completions of unions that depend on a history. */
  #unionsOf(history: Cell | null): Map<number, Least | null> {
    const owner = history ?? this
    let known = this.#unions.get(owner)
    if (known === undefined) {
      known = new Map()
      this.#unions.set(owner, known)
    }
    return known
  }

  /** The unions that contexts stand in, or are, whose completions are not known; each once. */
  #unionsAbove(contexts: readonly number[], known: ReadonlyMap<number, unknown>): number[] {
    const { node } = this.#program.contexts
    const unions = new Set<number>()
    for (const context of contexts) {
      let at = context
      while (at !== END_CONTEXT && this.#contexts[at] === undefined && node[at] !== UNION)
        at = this.#outer(at)
      if (at !== END_CONTEXT && this.#contexts[at] === undefined && !known.has(at)) unions.add(at)
    }
    return [...unions]
  }

  /** What is owed behind a value that may meet demands hangs on the value: both are one step. */
  #outer(context: number): number {
    const { node, parent } = this.#program.contexts
    return this.#markedOf(node[context]!) === null ? parent[context]! : parent[parent[context]!]!
  }

  /** Up to the next union, whose completion is known. What depends on history is not kept. */
  #along(context: number, history: Cell | null, known: ReadonlyMap<number, Least | null>): Least | null {
    const { node, count, parent } = this.#program.contexts
    const chain: number[] = []
    let at = context
    while (at !== END_CONTEXT && this.#contexts[at] === undefined && node[at] !== UNION) {
      chain.push(at)
      at = this.#outer(at)
    }
    let lasting = at === END_CONTEXT || this.#contexts[at] !== undefined
    let least = at === END_CONTEXT ? NOTHING : (this.#contexts[at] ?? known.get(at)!)
    if (least === null) return null
    while (chain.length > 0) {
      const c = chain.pop()!
      const marked = this.#markedOf(node[c]!)
      const taken = this.#takenAt(marked === null ? c : parent[c]!, history)
      const own =
        marked === null
          ? this.#texts.ofNode(node[c]!, count[c]!, this.#nesting(c), taken ?? [])
          : this.#ofMarked(c, marked, taken ?? [])
      if (own === null) return null
      least = join(own, least)
      this.#pieces.limit(least.text.length)
      lasting &&= taken === null
      if (lasting) this.#contexts[c] = least
    }
    return least
  }

  /** The ways to write a value before which a node stands, at once or behind a colon; `null` where it has but one. */
  #markedOf(at: number): MarkedNode | null {
    const { nodes } = this.#program
    const node = nodes[at]!
    if (node.kind === 'marked') return node
    if (node.kind !== 'terminal') return null
    const next = nodes[node.next]!
    return next.kind === 'marked' ? next : null
  }

  /** The least value together with the entries that are then still owed. */
  #ofMarked(context: number, { options }: MarkedNode, taken: TakenKeys): Least | null {
    const { nodes, contexts } = this.#program
    const place = contexts.parent[context]!
    const own = nodes[contexts.node[context]!]!
    const lead = own.kind === 'terminal' ? this.#pieces.rest(own.dfa(), own.dfa().start, 1) : NOTHING
    const { part } = nodes[contexts.node[place]!] as Extract<Node, { kind: 'object-place' }>
    let best: Least | null = null
    for (const { marks, value } of options) {
      const count = part.marked(contexts.count[place]!, marks)
      if (count < 0) continue
      const rest = joined(
        this.#texts.ofNode(value, 0, this.#nesting(context)),
        this.#texts.ofNode(contexts.node[place]!, count, this.#nesting(place), taken),
      )
      if (rest !== null && (best === null || isBetter(rest, best))) best = rest
    }
    return joined(lead, best)
  }

  /** The free keys that an object holds, where its completion writes more of them; `null` where it writes none. */
  #takenAt(context: number, history: Cell | null): string[] | null {
    const { node, count, depth } = this.#program.contexts
    const at = this.#program.nodes[node[context]!]!
    if (at.kind !== 'object-place' || at.part.free === null) return null
    const writes = at.part.extra(count[context]!) > 0 || at.part.unmet(count[context]!) !== 0
    if (at.place !== 'before-key' && !writes) return null
    const cell = within(history, depth[context]!)
    return cell !== null && cell.depth === depth[context] ? keysOf(cell.used) : []
  }

  #nesting(context: number): number {
    return this.#texts.isNested ? this.#program.nesting(context) : 0
  }
}

type MarkedNode = Extract<Node, { kind: 'marked' }>
