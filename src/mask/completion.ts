/**
 * The least that completes a text: the shortest completion in bytes, the lowest bytes among those, and what it costs in
 * tokens.
 *
 * It is put together from pieces that end where terminals end: the rest of the terminal that runs, then, up the stack,
 * what each context still owes. A piece's cost is the fewest tokens that spell it, and tokens need not cross pieces, so
 * that the cost of a context is a sum kept beside it, and taking the first token of a cheapest spelling lowers it by one.
 * One end token comes on top.
 *
 * Least texts of rules are a least fixed point, found by rounds over the rules: a text only ever becomes shorter. Texts
 * are strings of one byte a unit; concatenation shares their parts.
 */

import { END_CONTEXT, UNION } from '../automaton/contexts.ts'
import { type Dfa, stateAfter, TableDfa } from '../automaton/dfa.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { bytesOf, latin1, latin1Of } from '../automaton/latin1.ts'
import { type Bracket, type Punctuation, punctuation } from '../automaton/layout.ts'
import type { ArrayPart, ObjectPart } from '../automaton/parts.ts'
import type { Node, Program } from '../automaton/program.ts'
import { LimitError } from '../errors.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { DistinctSearch, type Estimates } from './distinct-search.ts'
import { DistinctValues } from './distinct-values.ts'
import { owedEntries, type Pieces, Prices, type TakenKeys } from './entries.ts'
import { type Cell, cellAt, keysOf, within } from './history.ts'
import type { Item } from './item-index.ts'
import { isBetter, join, joined, type Least, NOTHING } from './least.ts'
import type { Text, Thread } from './threads.ts'

/** States of automata that are written down are below this. */
const STATES = 2 ** 26

/** Tokens that a key of any text takes more than the shortest, so as to be none of up to 8,000 others: as many as it has bytes, at most. */
export const LONGER_KEY = 5

export class Completions implements Estimates {
  readonly #program: Program
  readonly #vocabulary: Vocabulary
  /** The least of tokens that are named together. */
  readonly #named = new WeakMap<readonly number[], Least>()
  readonly #maxBytes: number
  /** By depth: where a text does not depend on it there is but one. */
  readonly #bases = new Map<number, Base>()
  /** The rules by which the one is written that is being written. */
  #reading: Set<number> | null = null
  /** Choices of that rule that were written already, by node and depth. */
  readonly #splits = new Map<string, Least | null>()
  /** Whether the least texts of rules are known. */
  isSettled = false
  readonly #positions = new Map<string, Least | null>()
  readonly #contexts: (Least | undefined)[] = []
  /** Those of unions by the history that they depend on. */
  #unions = new WeakMap<object, Map<number, Least | null>>()
  readonly #pieces = new Map<string, Least>()
  /** Of automata that search for a shortest rest each time: there are few, with few states. */
  readonly #rests = new WeakMap<Dfa, Map<number, Least | null>>()
  readonly #distinct: DistinctValues
  readonly #prices: (Prices | undefined)[] = []
  /** Completions in which items that must differ may be equal where that is hard to see: what a search for others goes by. */
  readonly #relaxed: Completions | null
  /** By node and depth: the least arrays that were searched for. */
  readonly #arrays = new Map<string, Least | null>()

  /** @param isRelaxed whether arrays of items that must differ may be too short where only a search tells how long they are */
  constructor(program: Program, vocabulary: Vocabulary, maxBytes: number, isRelaxed = false) {
    this.#program = program
    this.#distinct = new DistinctValues(program, this)
    const isHard = program.nodes.some((node) => node.kind === 'array' && this.#distinct.isHard(node.part))
    this.#relaxed = isHard && !isRelaxed ? new Completions(program, vocabulary, maxBytes, true) : null
    this.#vocabulary = vocabulary
    this.#maxBytes = maxBytes
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

  /** What is found with choices that hold: again, if an array was searched for that they took to be shorter than it is. */
  #fresh<T>(find: () => T): T {
    for (;;) {
      try {
        return find()
      } catch (error) {
        if (error !== STALE) throw error
        this.isSettled = false
        this.#bases.clear()
        this.#positions.clear()
        this.#contexts.length = 0
        this.#unions = new WeakMap()
        this.#prices.length = 0
      }
    }
  }

  /** What a context owes by itself, as if its container held nothing and items that must differ could be equal; `null` where nobody can say, or nothing completes it. */
  ownOf(context: number): Least | null {
    if (this.#relaxed !== null) return this.#relaxed.ownOf(context)
    const { node, count } = this.#program.contexts
    if (this.#markedOf(node[context]!) !== null) return null
    return this.#ofNode(node[context]!, count[context]!, this.#nesting(context), [])
  }

  /** The least from a node to the end of its part, items that must differ being let be equal; `null` where there is none. */
  leastAt(node: number): Least | null {
    if (this.#relaxed !== null) return this.#relaxed.leastAt(node)
    this.#baseAt(0)
    return this.#settled(node, 0, 0)
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
        : joined(this.#rest(dfa, state, tag), this.#ofContext(this.#program.exit(context, tag), history))
      if (least !== null && (best === null || isBetter(least, best))) best = least
    }
    return best
  }

  /** Where items must differ: up to the end of the outermost such array. What is owed behind it does not hang on its items. */
  #ofDistinct(thread: Thread, text: Text): Least | null {
    const estimates = this.#relaxed ?? this
    estimates.#baseAt(0)
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
          ? this.#ofNode(node[c]!, count[c]!, this.#nesting(c), taken ?? [])
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
    return joined(this.piece(ending), this.#ofContext(this.#program.exit(context, tag), behind))
  }

  #rest(dfa: Dfa, state: number, tag: number): Least | null {
    if (!(dfa instanceof TableDfa)) return this.#findRest(dfa, state, tag)
    let known = this.#rests.get(dfa)
    if (known === undefined) {
      known = new Map()
      this.#rests.set(dfa, known)
    }
    const key = tag * STATES + state
    let rest = known.get(key)
    if (rest === undefined) {
      rest = this.#findRest(dfa, state, tag)
      known.set(key, rest)
    }
    return rest
  }

  #findRest(dfa: Dfa, state: number, tag: number): Least | null {
    const rest = dfa.shortest(state, tag)
    return rest === null ? null : this.piece(latin1(rest, 0, rest.length))
  }

  /** A text as a piece of its own. */
  piece(text: string): Least {
    let piece = this.#pieces.get(text)
    if (piece === undefined) {
      if (text.length > this.#maxBytes) this.#tooLong(text.length)
      const bytes = bytesOf(text)
      piece = { text, tokens: this.#vocabulary.tokenCount(bytes) }
      this.#pieces.set(text, piece)
    }
    return piece
  }

  #tooLong(length: number): never {
    throw new LimitError(
      'bytes of the shortest text',
      this.#maxBytes,
      length,
      'lower minLength, minItems or the number of required keys, or raise limits.maxCompletionBytes',
    )
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
          ? this.#ofNode(node[c]!, count[c]!, this.#nesting(c), taken ?? [])
          : this.#ofMarked(c, marked, taken ?? [])
      if (own === null) return null
      least = join(own, least)
      if (least.text.length > this.#maxBytes) this.#tooLong(least.text.length)
      lasting &&= taken === null
      if (lasting) this.#contexts[c] = least
    }
    return least
  }

  #ofNode(at: number, count: number, depth: number, taken: TakenKeys): Least | null {
    return taken.length === 0
      ? this.#settled(at, count, depth)
      : this.#evaluate(at, count, depth, null, taken)
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
    const lead = own.kind === 'terminal' ? this.#rest(own.dfa(), own.dfa().start, 1) : NOTHING
    const { part } = nodes[contexts.node[place]!] as Extract<Node, { kind: 'object-place' }>
    let best: Least | null = null
    for (const { marks, value } of options) {
      const count = part.marked(contexts.count[place]!, marks)
      if (count < 0) continue
      const rest = joined(
        this.#settled(value, 0, this.#nesting(context)),
        this.#ofNode(contexts.node[place]!, count, this.#nesting(place), taken),
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

  /** Whether a text depends on how many containers are open around it. */
  get #isNested(): boolean {
    return this.#program.layout.whitespace === 'pretty'
  }
  /** Whether what a rule's text is depends on more than the rule, so that it is written anew where it is called. */
  get #isFollowed(): boolean {
    return this.#isNested || this.#relaxed !== null
  }
  #nesting(context: number): number {
    return this.#isNested ? this.#program.nesting(context) : 0
  }

  /** The least from a node to the end of its part. `null` where nothing can be written. */
  #settled(at: number, count: number, depth: number): Least | null {
    const key = `${at},${count},${depth}`
    let least = this.#positions.get(key)
    if (least === undefined) {
      least = this.#evaluate(at, count, depth, null)
      this.#positions.set(key, least)
    }
    return least
  }

  /** Rounds over the rules until nothing becomes shorter. Rules tend to call later ones, so they are gone through backwards. */
  #baseAt(depth: number): Base {
    let base = this.#bases.get(depth)
    if (base === undefined) {
      base = {
        rules: this.#program.rules.map(() => null),
        reads: [],
        changes: this.#program.rules.map(() => 0),
        clock: 0,
        picks: new Map(),
        lowers: new Map(),
      }
      this.#bases.set(depth, base)
      const { isSettled } = this
      this.isSettled = false
      try {
        for (let changed = true; changed; ) changed = this.#improve(base, depth)
        this.isSettled = isSettled || depth === 0
      } catch (error) {
        // A limit was met: nobody is to take what was found so far for the least.
        this.#bases.delete(depth)
        this.isSettled = isSettled
        throw error
      }
    }
    return base
  }

  /** Writes every rule by the others as they are known so far; whether any became less. */
  #improve(base: Base, depth: number): boolean {
    const { rules, reads, changes } = base
    const around = this.#reading
    let changed = false
    for (let rule = rules.length - 1; rule >= 0; rule--) {
      const read = reads[rule]
      // Where nothing that it was written by became less, it would be the same text, and comparing long ones is dear.
      if (read !== undefined && !read.rules.some((other) => changes[other]! > read.at)) continue
      this.#reading = new Set()
      this.#splits.clear()
      const at = base.clock
      const least = this.#evaluate(this.#program.rules[rule]!, 0, depth, base)
      reads[rule] = { at, rules: [...this.#reading] }
      const known = rules[rule]!
      if (least !== null && (known === null || isBetter(least, known))) {
        rules[rule] = least
        changes[rule] = ++base.clock
        changed = true
      }
    }
    this.#reading = around
    this.#splits.clear()
    return changed
  }

  /** Behind a choice all options go on alike: what follows is written once for a rule. */
  #written(at: number, count: number, depth: number, base: Base): Least | null {
    if (this.#program.nodes[at]!.kind !== 'split' || count !== 0)
      return this.#evaluate(at, count, depth, base)
    const key = `${at} ${depth}`
    const known = this.#splits.get(key)
    if (known !== undefined) return known
    const least = this.#evaluate(at, count, depth, base)
    this.#splits.set(key, least)
    return least
  }

  /**
   * @param base what rules are written by; `null` once it is known, where choices follow it and rules are written anew at
   *   their depth
   */
  #evaluate(
    at: number,
    count: number,
    depth: number,
    base: Base | null,
    taken: TakenKeys = [],
  ): Least | null {
    const settled = base === null
    const known = base ?? this.#baseAt(0)
    const node = this.#program.nodes[at]!
    const of = (next: number, nextCount = 0, nextDepth = depth): Least | null =>
      settled ? this.#settled(next, nextCount, nextDepth) : this.#written(next, nextCount, nextDepth, base)
    switch (node.kind) {
      case 'end':
      case 'return':
      case 'union':
      case 'frame-open':
        return NOTHING
      case 'terminal': {
        const dfa = node.dfa()
        return dfa.start === 0 ? null : joined(this.#rest(dfa, dfa.start, 1), of(node.next))
      }
      case 'free-text':
        return this.#freeText(node, of)
      case 'free-text-exits':
        throw new RangeError('what follows free text depends on how it ends')
      case 'token':
        return joined(this.#token(node.ids), of(node.next))
      case 'call': {
        const rule = this.#program.rules[node.rule]!
        this.#reading?.add(node.rule)
        const callee = settled && this.#isFollowed ? of(rule) : known.rules[node.rule]!
        return joined(callee, of(node.next))
      }
      case 'split':
        return settled && this.#isNested
          ? this.#leastOf(node.options, of, depth)
          : this.#split(at, node.options, of, known.picks, settled)
      case 'marked':
        throw new RangeError('a value that meets demands is completed together with its object')
      case 'repeat': {
        const item = of(node.item)
        const times = Math.max(0, node.min - count)
        if (times > 0 && item === null) return null
        return joined(times === 0 ? NOTHING : this.#times(item!, times), of(node.next))
      }
      case 'frame':
        return joined(of(node.body), of(node.next))
      case 'object': {
        const marks = punctuation('{', depth + 1, this.#program.layout)
        return joined(this.#object(node.part, of, depth + 1, marks, settled), of(node.next))
      }
      case 'array': {
        const marks = punctuation('[', depth + 1, this.#program.layout)
        const least = this.#distinct.isHard(node.part)
          ? this.#searched(at, node.part, { of, depth: depth + 1, marks, settled })
          : this.#array(node.part, { of, depth: depth + 1, marks, settled })
        return joined(least, of(node.next))
      }
      case 'object-place': {
        const marks = punctuation('{', depth, this.#program.layout)
        // Before a key one must come, whether any is owed or not.
        const due = node.place === 'before-key' && node.part.owed(count).length === 0 ? 1 : 0
        const extra = Math.max(node.part.extra(count), due)
        const lead = node.place === 'before-key' ? '' : marks.separator
        const entries = this.#entries(node.part, count, extra, of, depth, marks, lead, taken, settled)
        return joined(entries, this.piece(marks.close))
      }
      case 'array-place': {
        const marks = punctuation('[', depth, this.#program.layout)
        const lead = node.place === 'before-item' ? '' : marks.separator
        const due = node.place === 'before-item'
        return joined(
          this.#items(node.part, count, { of, depth, marks, settled }, lead, due),
          this.piece(marks.close),
        )
      }
    }
  }

  /** The text that is nothing at all, or a stop; what follows tells which. */
  #freeText({ text, exits }: FreeTextNode, of: Evaluate): Least | null {
    const { nexts } = this.#program.nodes[exits] as Extract<Node, { kind: 'free-text-exits' }>
    let best: Least | null = null
    nexts.forEach((next, i) => {
      if (next < 0) return
      const lead = i === 0 ? NOTHING : this.piece(latin1Of(text.stops[i - 1]!.text))
      const least = joined(lead, of(next))
      if (least !== null && (best === null || isBetter(least, best))) best = least
    })
    return best
  }

  /** The least of some tokens that are named by id. */
  #token(ids: readonly number[]): Least {
    let least = this.#named.get(ids)
    if (least === undefined) {
      for (const id of ids) {
        const bytes = this.#vocabulary.spelling(id)
        const one = { text: latin1(bytes, 0, bytes.length), tokens: 1 }
        if (least === undefined || isBetter(one, least)) least = one
      }
      this.#named.set(ids, least!)
    }
    return least!
  }

  #split(
    at: number,
    options: readonly number[],
    of: Evaluate,
    picks: Base['picks'],
    settled: boolean,
  ): Least | null {
    const pick = picks.get(at)
    if (settled && pick !== undefined) return of(pick.option)
    let best = pick ?? null
    for (const option of options) {
      const least = of(option)
      if (least !== null && (best === null || isBetter(least, best.least))) best = { option, least }
    }
    if (best === null) return null
    picks.set(at, best)
    return best.least
  }

  /** The least of several nodes; those that are too long whatever their rules are not written, so that recursion ends. */
  #leastOf(nodes: readonly number[], of: (node: number) => Least | null, depth: number): Least | null {
    let best: Least | null = null
    for (const node of [...nodes].sort((a, b) => this.#lower(a, depth) - this.#lower(b, depth))) {
      if (best !== null && this.#lower(node, depth) > best.text.length) break
      const least = of(node)
      if (least !== null && (best === null || isBetter(least, best))) best = least
    }
    return best
  }

  /**
   * The least length of a node if the values of rules within it were no deeper than itself: as they are, it is longer, if
   * anything. What leads back to itself is longer by this, too, the more so the deeper it is.
   */
  #lower(node: number, depth: number): number {
    const own = this.#isNested ? depth : 0
    const base = this.#baseAt(own)
    let lower = base.lowers.get(node)
    if (lower === undefined) {
      lower = this.#evaluate(node, 0, own, base)?.text.length ?? Number.POSITIVE_INFINITY
      this.#splits.clear()
      base.lowers.set(node, lower)
    }
    return lower
  }

  #times(item: Least, times: number): Least {
    if (item.text.length * times > this.#maxBytes) this.#tooLong(item.text.length * times)
    return { text: item.text.repeat(times), tokens: item.tokens * times }
  }

  #object(part: ObjectPart, of: Evaluate, depth: number, marks: Punctuation, settled: boolean): Least | null {
    if (part.canClose(0)) return this.piece(EMPTY['{'])
    const entries = this.#entries(part, 0, part.extra(0), of, depth, marks, marks.open, [], settled)
    return joined(entries, this.piece(marks.close))
  }

  #array(part: ArrayPart, around: Around): Least | null {
    if (part.canClose(0)) return this.piece(EMPTY['['])
    return joined(this.#items(part, 0, around, around.marks.open, false), this.piece(around.marks.close))
  }

  /**
   * An array whose least items are searched for, once, where a completion writes it. Up to then rules are written with what
   * is no longer.
   */
  #searched(at: number, part: ArrayPart, around: Around): Least | null {
    if (this.#relaxed === null) return this.#array(part, around)
    const depth = this.#isNested ? around.depth - 1 : 0
    const key = `${at},${depth}`
    let least = this.#arrays.get(key)
    if (least === undefined) {
      if (!around.settled) return this.#array(part, around)
      least = this.#relaxed.#leastArray(at, depth)
      this.#arrays.set(key, least)
      throw STALE
    }
    return least
  }

  #leastArray(at: number, depth: number): Least | null {
    this.#baseAt(0)
    return this.#distinct.leastArray(at, depth)
  }

  #pricesAt(depth: number): Prices {
    let prices = this.#prices[depth]
    if (prices === undefined) {
      prices = new Prices()
      this.#prices[depth] = prices
    }
    return prices
  }

  /** The entries that an object still owes, the first one led in by `lead`, the others by a separator. */
  #entries(
    part: ObjectPart,
    count: number,
    extra: number,
    of: Evaluate,
    depth: number,
    marks: Punctuation,
    lead: string,
    taken: TakenKeys,
    settled: boolean,
  ): Least | null {
    const pieces: Pieces = {
      piece: (text) => this.piece(text),
      value: (entry) => of(entry, 0, depth),
      lower: settled && this.#isFollowed ? (entry) => this.#lower(entry, depth) : null,
      separator: marks.separator.length,
      prices: settled ? this.#pricesAt(depth) : null,
    }
    const entries = owedEntries(part, count, extra, taken, pieces)
    if (entries === null) return null
    return entries.reduce(
      (least, entry, i) => join(join(least, this.piece(i === 0 ? lead : marks.separator)), entry),
      NOTHING,
    )
  }

  /** The items that an array still owes, one at least where it is `due`; the first is led in by `lead`, the others by a separator. */
  #items(part: ArrayPart, count: number, around: Around, lead: string, due: boolean): Least | null {
    if (part.isCounted) return this.#counted(part, count, around, lead, due)
    const { of, depth } = around
    const separator = this.piece(around.marks.separator)
    const owed = Math.max(part.owed(count), due ? 1 : 0)
    if (part.isUnique && part.isUniform(count) && owed > 1) {
      const values = this.#distinct.least(part.step(count).node, depth, owed, null, null)
      if (values !== null) {
        if (values.length < owed) return null
        // In any order they are as long: the lowest bytes come first.
        const ascending = [...values].sort((a, b) => (a.text < b.text ? -1 : 1))
        return ascending.reduce(
          (least, value, i) => join(join(least, i === 0 ? this.piece(lead) : separator), value),
          NOTHING,
        )
      }
    }
    let least = NOTHING
    let at = count
    for (let written = 0; part.owed(at) > 0 || (due && written === 0); written++) {
      const { node, after } = part.step(at)
      const item = of(node, 0, depth)
      if (item === null) return null
      const rest = part.isUniform(at) ? part.owed(at) - 1 : 0
      least = join(join(least, written === 0 ? this.piece(lead) : separator), item)
      if (rest > 0) return join(least, this.#times(join(separator, item), rest))
      at = after
    }
    return least
  }

  /** The same where items are counted: the least over all ways to meet the counts, from the last counter backwards. */
  #counted(
    part: ArrayPart,
    start: number,
    { of, depth, marks, settled }: Around,
    lead: string,
    due: boolean,
  ): Least | null {
    const separator = this.piece(marks.separator)
    const known = new Map<number, Least | null>()
    const best = (at: number, first: Least): Least | null => {
      let least: Least | null = null
      const steps = settled
        ? [...part.steps(at)].sort((a, b) => this.#lower(a.node, depth) - this.#lower(b.node, depth))
        : part.steps(at)
      for (const { node, after } of steps) {
        // Where the counts are met they stay so; where they are not, an item that changes none leads nowhere.
        const rest = part.canClose(after) ? NOTHING : after === at ? null : known.get(after)!
        if (rest === null) continue
        if (
          least !== null &&
          settled &&
          first.text.length + this.#lower(node, depth) + rest.text.length > least.text.length
        )
          continue
        const option = joined(joined(first, of(node, 0, depth)), rest)
        if (option !== null && (least === null || isBetter(option, least))) least = option
      }
      return least
    }
    if (part.canClose(start)) return due ? best(start, this.piece(lead)) : NOTHING
    const pending = [start]
    while (pending.length > 0) {
      const at = pending[pending.length - 1]!
      const open = part
        .steps(at)
        .map(({ after }) => after)
        .filter((after) => after !== at && !part.canClose(after) && !known.has(after))
      if (open.length > 0 && !known.has(at)) {
        pending.push(...open)
        continue
      }
      known.set(at, best(at, separator))
      pending.pop()
    }
    return best(start, this.piece(lead))
  }
}

/** Where the entries of a container stand. */
interface Around {
  readonly of: Evaluate
  readonly depth: number
  readonly marks: Punctuation
  /** Whether the fixed point is reached. */
  readonly settled: boolean
}

/** The least texts of rules if those of the rules within them stood at one depth: a fixed point. */
interface Base {
  readonly rules: (Least | null)[]
  /** By rule: which ones it was written by, and when that was. */
  readonly reads: ({ readonly at: number; readonly rules: readonly number[] } | undefined)[]
  /** When rules last became less. */
  readonly changes: number[]
  /** Counts the times that one did. */
  clock: number
  /** The option of each choice that its least text takes. */
  readonly picks: Map<number, { readonly option: number; readonly least: Least }>
  /** The least lengths of nodes. */
  readonly lowers: Map<number, number>
}

type MarkedNode = Extract<Node, { kind: 'marked' }>
type FreeTextNode = Extract<Node, { kind: 'free-text' }>
type Evaluate = (node: number, count?: number, depth?: number) => Least | null

/** Thrown once an array was searched for: the choices that are known took it to be shorter than it may be. */
const STALE = new Error('an array was searched for')

const EMPTY: Readonly<Record<Bracket, string>> = { '{': '{}', '[': '[]' }
