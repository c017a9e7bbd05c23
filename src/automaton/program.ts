/**
 * The pushdown automaton: contexts over the graph of the grammar's nodes (`nodes.ts`).
 *
 * A context (node, counter, parent) is a position in that graph together with everything that is still to come, see
 * `contexts.ts`. The two questions asked of a context are
 *
 * - `closure(c)`: which terminals may begin at c, and may the text end there;
 * - `exit(c, tag)`: which context follows when the terminal that runs in c was left with `tag`.
 *
 * Both are memoised, so that the graph is walked once a context.
 */
import { LimitError } from '../errors.ts'
import type { FrameKind, Grammar, Layout } from '../grammar/grammar.ts'
import type { JsonValue } from '../json/value.ts'
import { Brackets } from './brackets.ts'
import { ContextTable, END_CONTEXT, UNION } from './contexts.ts'
import type { Dfa } from './dfa.ts'
import type { DfaPool } from './dfa-pool.ts'
import { type FreeText, FreeTextDfa, WITHOUT_STOP } from './free-text.ts'
import { DECLARED, isFree, KeyDfa, MAX_EITHER } from './key-dfa.ts'
import { KeyNamesTable } from './key-names.ts'
import { KeyUnion } from './key-union.ts'
import { type Bracket, CLOSE } from './layout.ts'
import { type Node, NodeGraph, RETURN } from './nodes.ts'
import { ArrayPart, type ObjectPart } from './parts.ts'
import { type Taken, Terminals } from './terminals.ts'

/** One terminal that may begin at a context. */
export interface Start {
  readonly dfa: Dfa
  /** The context the terminal runs in; what follows it is `exit(context, tag)`. */
  readonly context: number
  /** Frames that begin with it. */
  readonly opens: number
  readonly frame: FrameKind | null
}

/** Token ids that may come at a context, whatever their bytes. */
export interface TokenStart {
  readonly ids: readonly number[]
  /** The context that follows. */
  readonly context: number
  readonly opens: number
}

export interface Closure {
  readonly starts: readonly Start[]
  readonly tokens: readonly TokenStart[]
  /** Whether the whole text may end here. */
  readonly ends: boolean
}

export interface ProgramLimits {
  /** Contexts that may exist at once. */
  readonly maxContexts: number
  /** Steps within one closure: a grammar that is left-recursive, or ambiguous beyond reason, exceeds it. */
  readonly maxClosureSteps: number
  /** States of the automaton of one pattern. */
  readonly maxStates: number
  /** Ways to read one text that are followed at once. */
  readonly maxThreads: number
}

/** A part that is entered in a closure, and all that may follow it. */
interface PartEntry {
  readonly node: number
  readonly opens: number
  readonly parents: number[]
}

/** Options of a union whose objects are made ready when it is compiled: one of them costs some 20 µs. */
const WIDE_UNION = 256
const NO_TOKENS: readonly TokenStart[] = []
/** Starts up to this many are compared one by one. */
const FEW_STARTS = 8

/** Closures, and exits, that are remembered: some hundreds of bytes each. */
const MAX_CLOSURES = 1 << 16
/** Bytes of a context: its fields, and twice its slot. */
const CONTEXT_BYTES = 17 + 16
/** Bytes of a union beside that, and of each of its members: in the list, and in those of what can be made again. */
const UNION_BYTES = 200
const MEMBER_BYTES = 8
/** Bytes of an automaton of the keys of several objects. */
const KEYS_BYTES = 4_000

export class Program {
  readonly nodes: readonly Node[]
  readonly contexts = new ContextTable()
  /** The context before the first byte. */
  readonly start: number
  readonly layout: Layout
  readonly pool: DfaPool
  /** The first node of each rule. */
  readonly rules: readonly number[]
  readonly #graph: NodeGraph
  readonly #limits: ProgramLimits
  readonly #learned = { bytes: 0 }
  /** By context; forgotten when they are too many, like the exits. */
  #closures: (Closure | undefined)[] = []
  #closureCount = 0
  readonly #maxClosures: number
  readonly #exits = new Map<number, number>()
  readonly #terminals: Terminals
  readonly #names: KeyNamesTable
  /** By the union of the places of keys. */
  readonly #keyUnions = new Map<number, KeyUnion>()
  readonly #fleeting = new WeakSet<Dfa>()
  /** Positions that a closure has still to look at: node, counter, parent, frames opened on the way. */
  #pending: number[] = []
  /** Contexts that are looked at for what may follow free text. */
  readonly #closing = new Set<number>()
  readonly #brackets: Brackets
  #container = -1
  #isJson: boolean | null = null

  constructor(grammar: Grammar, pool: DfaPool, limits: ProgramLimits) {
    this.layout = grammar.layout
    this.pool = pool
    this.#names = new KeyNamesTable(pool.alphabet)
    this.#terminals = new Terminals(grammar, pool, { maxStates: limits.maxStates })
    this.#limits = limits
    this.#maxClosures = Math.min(MAX_CLOSURES, Math.ceil(limits.maxContexts / 4))
    this.#brackets = new Brackets(grammar.layout, pool)
    this.#graph = new NodeGraph(grammar, pool, this.#terminals, this.#names, this.#brackets, this.#learned)
    this.nodes = this.#graph.nodes
    this.rules = this.#graph.rules
    this.start = this.#resume(this.rules[grammar.root]!, END_CONTEXT)
    this.#prepareUnions()
  }

  /**
   * Makes what the objects of wide unions need to begin, which is asked of all of them at once: a mask must not wait for it.
   * Elsewhere it is made where a text comes by.
   */
  #prepareUnions(): void {
    for (const node of this.nodes) {
      if (node.kind !== 'split' || node.options.length < WIDE_UNION) continue
      for (const option of node.options) {
        const at = this.nodes[option]!
        if (at.kind !== 'object' || !at.part.canEnter(0)) continue
        at.part.canClose(0)
        at.part.keys(0)
      }
    }
  }

  get maxThreads(): number {
    return this.#limits.maxThreads
  }
  tooManyThreads(count: number): never {
    throw new LimitError(
      'ways to read a text at once',
      this.#limits.maxThreads,
      count,
      'raise limits.maxThreads, or let alternatives differ in what comes first',
    )
  }

  /** Bytes of what texts have made: contexts and automata of keys. What can be made again is not in it. */
  get learnedBytes(): number {
    return this.#learned.bytes + this.contexts.size * CONTEXT_BYTES
  }

  /** The context of `node` over `parent`; where nothing is left of a part, that is the parent itself. */
  #resume(node: number, parent: number, count = 0): number {
    if (node === RETURN) return parent
    const at = this.nodes[node]!
    if (at.kind === 'repeat' && at.next === RETURN && this.#isAgain(node, at, parent, count)) return parent
    const frame = at.kind === 'frame-open' || at.kind === 'object-place' || at.kind === 'array-place'
    const unique = at.kind === 'array-place' && at.part.isUnique
    const context = this.contexts.intern(node, count, parent, frame, unique)
    this.#checkContexts()
    return context
  }

  /** Whether any number of rounds stands before any number of the same ones. */
  #isAgain(node: number, { min, max }: { min: number; max: number }, parent: number, count: number): boolean {
    const { contexts } = this
    return (
      contexts.node[parent] === node &&
      max === Number.POSITIVE_INFINITY &&
      count >= min &&
      contexts.count[parent]! >= min
    )
  }

  #checkContexts(): void {
    const { maxContexts } = this.#limits
    const { size } = this.contexts
    if (size > maxContexts)
      throw new LimitError('contexts of the automaton', maxContexts, size, 'raise limits.maxContexts')
  }

  /** What may begin at `context`. */
  closure(context: number): Closure {
    const known = this.#closures[context]
    if (known !== undefined) return known
    const isUnion = this.contexts.node[context] === UNION
    const made = isUnion && this.isJson ? this.#closeUnion(context) : this.#close(context)
    if (this.#closureCount++ >= this.#maxClosures) {
      this.#closures = []
      this.#closureCount = 1
    }
    this.#closures[context] = made
    return made
  }

  #close(context: number): Closure {
    const { contexts, nodes } = this
    const starts: Start[] = []
    const tokens: TokenStart[] = []
    const pending = this.#pending
    pending.length = 0
    const seen = new Positions()
    const entries = new Map<string, PartEntry>()
    let ends = this.#visitContext(context, 0)
    for (;;) {
      if (pending.length === 0) {
        if (entries.size === 0) break
        this.#enterAll(entries)
      }
      const opens = pending.pop()!
      const parent = pending.pop()!
      const count = pending.pop()!
      const at = pending.pop()!
      if (!seen.add(at, count, parent)) continue
      if (seen.size > this.#limits.maxClosureSteps) {
        throw new LimitError(
          'steps between two tokens of the text',
          this.#limits.maxClosureSteps,
          seen.size,
          'raise limits.maxClosureSteps',
        )
      }
      const node = nodes[at]!
      switch (node.kind) {
        case 'end':
          break
        case 'return':
          if (this.#visitContext(parent, opens)) ends = true
          break
        case 'terminal': {
          const dfa = node.dfa()
          if (dfa.start === 0) break
          starts.push({ dfa, context: this.#resume(node.next, parent), opens, frame: node.frame })
          if (dfa.tag(dfa.start) !== 0 && this.#visitContext(this.#resume(node.next, parent), opens))
            ends = true
          break
        }
        case 'free-text': {
          const inside = this.#resume(node.exits, parent)
          const dfa = this.#freeText(node.text, inside)
          if (dfa.start === 0) break
          starts.push({ dfa, context: inside, opens, frame: 'text' })
          if (node.text.ends && this.#visitContext(this.exit(inside, WITHOUT_STOP), opens)) ends = true
          break
        }
        case 'free-text-exits':
          throw new RangeError('what follows free text depends on how it ends')
        case 'token':
          tokens.push({ ids: node.ids, context: this.#resume(node.next, parent), opens })
          break
        case 'call':
          this.#enter(this.rules[node.rule]!, this.#resume(node.next, parent), opens, entries)
          break
        case 'split':
          for (let i = node.options.length - 1; i >= 0; i--) pending.push(node.options[i]!, 0, parent, opens)
          break
        case 'repeat': {
          const next = Math.min(count + 1, node.max === Number.POSITIVE_INFINITY ? node.min : node.max)
          if (count < node.max) this.#enter(node.item, this.#resume(at, parent, next), opens, entries)
          if (count >= node.min && this.#visitContext(this.#resume(node.next, parent), opens)) ends = true
          break
        }
        case 'frame':
          pending.push(node.body, 0, this.#resume(node.open, this.#resume(node.next, parent)), opens + 1)
          break
        case 'frame-open':
          if (this.#visitContext(parent, opens)) ends = true
          break
        case 'union':
          throw new RangeError('a union is no place of the grammar')
        case 'marked': {
          const place = nodes[contexts.node[parent]!] as Extract<Node, { kind: 'object-place' }>
          for (let i = node.options.length - 1; i >= 0; i--) {
            const { marks, value } = node.options[i]!
            const behind = place.part.marked(contexts.count[parent]!, marks)
            if (behind < 0) continue
            pending.push(value, 0, this.#resume(place.places.after, contexts.parent[parent]!, behind), opens)
          }
          break
        }
        case 'object': {
          const outer = this.#resume(node.next, parent)
          const inside = this.#resume(node.places.opening, outer)
          starts.push({
            dfa: this.#opening('{', node.part, inside),
            context: inside,
            opens: opens + 1,
            frame: null,
          })
          break
        }
        case 'array': {
          const outer = this.#resume(node.next, parent)
          const inside = this.#resume(node.places.opening, outer)
          starts.push({
            dfa: this.#opening('[', node.part, inside),
            context: inside,
            opens: opens + 1,
            frame: null,
          })
          break
        }
        case 'object-place':
          if (node.place === 'before-key') {
            const inside = this.#resume(node.places.key, parent, count)
            starts.push({ dfa: node.part.keys(count), context: inside, opens, frame: 'key' })
          } else {
            const inside = this.#resume(node.places.separator, parent, count)
            starts.push({
              dfa: this.#separator('{', node.part, count, inside),
              context: inside,
              opens,
              frame: null,
            })
          }
          break
        case 'array-place': {
          if (node.place === 'before-item') {
            for (const { node: item, after } of node.part.steps(count))
              pending.push(item, 0, this.#resume(node.places.after, parent, after), opens)
            break
          }
          const inside = this.#resume(node.places.separator, parent, count)
          starts.push({
            dfa: this.#separator('[', node.part, count, inside),
            context: inside,
            opens,
            frame: null,
          })
          break
        }
      }
    }
    // They are kept: without the room to grow.
    return { starts: this.#merged(starts).slice(), tokens: tokens.length === 0 ? NO_TOKENS : tokens, ends }
  }

  /**
   * Enters a part that ends in `return`, later: in one closure a part is entered once for all that may follow it, so that the
   * ways to get to it do not multiply with those that lead on from it. In JSON a part has little to share, and each is
   * entered by itself.
   */
  #enter(node: number, parent: number, opens: number, entries: Map<string, PartEntry>): void {
    const { depth, watched } = this.contexts
    if (this.isJson || watched[parent] === 1) {
      this.#pending.push(node, 0, parent, opens)
      return
    }
    const key = `${node} ${opens} ${depth[parent]}`
    const known = entries.get(key)
    if (known === undefined) entries.set(key, { node, opens, parents: [parent] })
    else known.parents.push(parent)
  }

  #enterAll(entries: Map<string, PartEntry>): void {
    for (const { node, opens, parents } of entries.values())
      this.#pending.push(node, 0, this.union(parents), opens)
    entries.clear()
  }

  /**
   * The context of several ones of one depth, in which no items must differ. Places of one container that differ in nothing but
   * what follows it are one place, before the union of what does: stacks that part share what they have in common.
   */
  union(contexts: readonly number[]): number {
    if (contexts.length === 1) return contexts[0]!
    return this.#unionOf(this.#fold(this.contexts.flattened(contexts)))
  }

  #unionOf(members: readonly number[]): number {
    if (members.length === 1) return members[0]!
    const { size } = this.contexts
    const union = this.contexts.union(members)
    if (this.contexts.size > size) {
      this.#learned.bytes += UNION_BYTES + MEMBER_BYTES * members.length
      this.#checkContexts()
    }
    return union
  }

  /** The place of a context before another one that follows. */
  over(context: number, parent: number): number {
    const { node, count } = this.contexts
    return this.#resume(node[context]!, parent, count[context]!)
  }

  /**
   * Places of containers that differ in nothing but what is around are one, and so are places of other parts.
   *
   * Depth of recursion: that of containers in which the contexts differ in nothing but what is around.
   */
  #fold(members: readonly number[]): readonly number[] {
    const { node, count, parent } = this.contexts
    const groups = new Map<string, number[]>()
    for (const member of members) {
      const isPlace = this.#isPlace(member)
      // Lines are indented by how many containers are open.
      const nesting = isPlace ? this.#indentation(member) : 0
      const isFolded = isPlace || this.#mayFold(node[member]!)
      const key = isFolded ? `${node[member]} ${count[member]} ${nesting}` : `${member}`
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [member])
      else group.push(member)
    }
    if (groups.size === members.length) return members
    const folded = [...groups.values()].map((group) => {
      const [first] = group as [number]
      if (group.length === 1) return first
      const parents = group.map((member) => parent[member]!)
      // Of what is around containers only they share much: elsewhere one level at a time is folded, where a text comes by.
      const around = this.#isPlace(first)
        ? this.union(parents)
        : this.#unionOf(this.contexts.flattened(parents))
      return this.#resume(node[first]!, around, count[first]!)
    })
    return this.contexts.flattened(folded)
  }

  #isPlace(context: number): boolean {
    const { kind } = this.nodes[this.contexts.node[context]!]!
    return kind === 'object-place' || kind === 'array-place'
  }

  /** Whether a node asks nothing of what is around it but what follows. */
  #mayFold(at: number): boolean {
    if (this.isJson) return false
    const node = this.nodes[at]!
    if (node.kind === 'terminal') return node.terminal !== null
    return node.kind === 'call' || node.kind === 'split' || node.kind === 'repeat' || node.kind === 'token'
  }

  /** What may begin at one of several contexts, each closed by itself. */
  #closeUnion(union: number): Closure {
    const starts: Start[] = []
    const tokens: TokenStart[] = []
    let ends = false
    for (const member of this.contexts.membersOf(union)) {
      const closure = this.closure(member)
      ends ||= closure.ends
      tokens.push(...closure.tokens)
      for (const start of closure.starts) starts.push(start)
    }
    return { starts: this.#merged(starts), tokens, ends }
  }

  /** Equal terminals as one, and keys as one, in the union of their contexts. */
  #merged(starts: readonly Start[]): readonly Start[] {
    if (!mayBeMerged(starts)) return starts
    const { depth, watched } = this.contexts
    const groups = new Map<string, Start & { readonly contexts: number[] }>()
    for (const start of starts) {
      const { dfa, context, opens, frame } = start
      const areKeys = this.isJson && dfa instanceof KeyDfa && KeyUnion.takes(dfa)
      const own = watched[context] === 1 ? context : -depth[context]!
      const key = `${areKeys ? '' : dfa.id} ${opens} ${frame} ${own}`
      const known = groups.get(key)
      if (known === undefined) groups.set(key, { ...start, contexts: [context] })
      else known.contexts.push(context)
    }
    if (groups.size === starts.length) return starts
    return [...groups.values()].flatMap(({ dfa, opens, frame, contexts }) => {
      if (dfa instanceof KeyDfa && contexts.length > 1) return this.#keysOf(contexts, opens, frame)
      return { dfa, opens, frame, context: this.union(contexts) }
    })
  }

  /** The keys that may come in several contexts, as one terminal; where they have very many names, each by itself. */
  #keysOf(contexts: readonly number[], opens: number, frame: FrameKind | null): readonly Start[] {
    const union = this.union(contexts)
    let keys = this.#keyUnions.get(union)
    if (keys === undefined) {
      const { node, count } = this.contexts
      const members = [union, ...this.contexts.membersOf(union)].flatMap((context) => {
        const at = this.nodes[node[context]!]!
        return at.kind === 'object-place' ? [{ context, part: at.part, count: count[context]! }] : []
      })
      const dfas = new Set(members.map(({ part, count: own }) => part.keys(own)))
      if (dfas.size === 1) return [...dfas].map((dfa) => ({ dfa, context: union, opens, frame }))
      const names = new Set(members.flatMap(({ part }) => part.declared))
      if (names.size > MAX_EITHER)
        return members.map(({ context, part, count: own }) => ({
          dfa: part.keys(own),
          context,
          opens,
          frame,
        }))
      keys = new KeyUnion(members, this.#names, this.pool.alphabet)
      this.#learned.bytes += KEYS_BYTES + MEMBER_BYTES * members.length
      this.#keyUnions.set(union, keys)
    }
    return [{ dfa: keys.dfa, context: union, opens, frame }]
  }

  /** The automaton of free text that runs in a context: it tells whether bytes may follow where it just ends. */
  #freeText(text: FreeText, inside: number): FreeTextDfa {
    const isLast = !text.ends || !this.#maySpeak(this.exit(inside, WITHOUT_STOP))
    const stops = text.stops.map((stop) => [stop.text, stop.atStart, stop.leadsTo !== null])
    const key = `free text ${isLast} ${text.ends} ${JSON.stringify(stops)}`
    return this.pool.get(key, () => new FreeTextDfa(text, this.pool.alphabet, isLast))
  }

  /** Whether some terminal may begin at a context. */
  #maySpeak(context: number): boolean {
    if (this.#closing.has(context)) return true
    const pending = this.#pending
    this.#pending = []
    this.#closing.add(context)
    try {
      return this.closure(context).starts.length > 0
    } finally {
      this.#closing.delete(context)
      this.#pending = pending
    }
  }

  /** Looks at a context later; whether it is the end of the text. */
  #visitContext(c: number, opens: number): boolean {
    const { node, count, parent } = this.contexts
    if (c === END_CONTEXT) return true
    if (node[c] !== UNION) {
      this.#pending.push(node[c]!, count[c]!, parent[c]!, opens)
      return false
    }
    let ends = false
    for (const member of this.contexts.membersOf(c)) if (this.#visitContext(member, opens)) ends = true
    return ends
  }

  #opening(bracket: Bracket, part: ObjectPart | ArrayPart, inside: number): Dfa {
    return this.#brackets.open(bracket, part.canClose(0), part.canEnter(0), this.#indentation(inside))
  }
  #separator(bracket: Bracket, part: ObjectPart | ArrayPart, count: number, inside: number): Dfa {
    const nesting = this.#indentation(inside)
    return this.#brackets.separator(bracket, part.canClose(count), part.canEnter(count), nesting)
  }
  /** How many containers are open, where lines are indented by that. */
  #indentation(context: number): number {
    return this.layout.whitespace === 'pretty' ? this.nesting(context) : 0
  }

  /** Whether the items of some array must differ. */
  get hasUniqueItems(): boolean {
    return this.nodes.some((node) => node.kind === 'array' && node.part.isUnique)
  }

  /**
   * Whether every text is one JSON value: then it tells by itself which containers are open, and which keys each holds,
   * whatever way there is to read it.
   */
  get isJson(): boolean {
    this.#isJson ??= this.nodes.every((node) => {
      if (
        node.kind === 'repeat' ||
        node.kind === 'frame' ||
        node.kind === 'token' ||
        node.kind === 'free-text'
      )
        return false
      if (node.kind === 'call') return node.next === RETURN
      if (node.kind !== 'terminal' || node.terminal === null) return true
      return node.next === RETURN && node.terminal.kind !== 'text'
    })
    return this.#isJson
  }

  /** Whether the automaton is that of a JSON scalar. */
  isScalar(dfa: Dfa): boolean {
    return this.#terminals.isScalar(dfa)
  }

  /** The automaton of a scalar without some values, each with its `jsonKey`. */
  without(dfa: Dfa, values: ReadonlyMap<string, JsonValue>): Dfa {
    return this.#fleet(dfa, this.#terminals.without(dfa, values))
  }

  /** The same, made anew: for a terminal that nothing was taken out of. */
  exclude(dfa: Dfa, taken: Taken): Dfa {
    return this.#fleet(dfa, this.#terminals.exclude(dfa, taken))
  }

  #fleet(dfa: Dfa, left: Dfa): Dfa {
    if (left !== dfa) this.#fleeting.add(left)
    return left
  }

  /** Whether an automaton was made for one place of one text, and is to go with it. */
  isFleeting(dfa: Dfa): boolean {
    return this.#fleeting.has(dfa)
  }

  /** The separator or opening of the container that stands in `context`, with these ways to leave it. */
  bracket(start: Start, canClose: boolean, canEnter: boolean): Dfa {
    const { context } = start
    const node = this.nodes[this.contexts.node[context]!]!
    if (node.kind !== 'object-place' && node.kind !== 'array-place')
      throw new RangeError(`no bracket stands in ${node.kind}`)
    const bracket = node.kind === 'object-place' ? '{' : '['
    const nesting = this.#indentation(context)
    return node.place === 'opening'
      ? this.#brackets.open(bracket, canClose, canEnter, nesting)
      : this.#brackets.separator(bracket, canClose, canEnter, nesting)
  }

  /** The keys of the object in whose key `context` stands, without some names. */
  keysWithout({ context }: Start, gone: ReadonlySet<string>): Dfa {
    const node = this.nodes[this.contexts.node[context]!]!
    if (node.kind !== 'object-place') throw new RangeError(`no key stands in ${node.kind}`)
    const left = node.part.keysWithout(this.contexts.count[context]!, gone)
    this.#fleeting.add(left)
    return left
  }

  /** A place in some container, for `standing`. */
  get #anyContainer(): number {
    if (this.#container < 0) {
      const part = new ArrayPart({ prefix: [], rest: -1, min: 0, max: 0, counts: null, unique: false })
      this.#container = this.#graph.places((place, all) => ({
        kind: 'array-place',
        place,
        part,
        places: all,
      })).after
    }
    return this.#container
  }

  /** The context of a node by itself, in `depth` containers. */
  standing(node: number, depth: number): number {
    let parent = END_CONTEXT
    for (let i = 0; i < depth; i++) parent = this.#resume(this.#anyContainer, parent)
    return this.#resume(node, parent)
  }

  /** How many containers are open in `context`. */
  nesting(context: number): number {
    const { node, parent } = this.contexts
    let depth = 0
    for (let at = context; ; at = parent[at]!) {
      // Those of a union are alike in this.
      const [member = at] = this.contexts.membersOf(at)
      if (member === END_CONTEXT) return depth
      const { kind } = this.nodes[node[member]!]!
      if (kind === 'object-place' || kind === 'array-place') depth++
      at = member
    }
  }

  /** The context behind the terminal that runs in `context`, left with `tag`. */
  exit(context: number, tag: number): number {
    const node = this.nodes[this.contexts.node[context]!]!
    if (node.kind === 'free-text-exits')
      return this.#resume(node.nexts[tag - 1]!, this.contexts.parent[context]!)
    if (context === END_CONTEXT || (node.kind !== 'object-place' && node.kind !== 'array-place'))
      return node.kind === 'union' ? this.#exitUnion(context, tag) : context
    // Behind a value stands the place `after`: the value's own context is already what follows.
    if (node.place === 'after') return context
    const { parent, count } = this.contexts
    const outer = parent[context]!
    if (node.kind === 'array-place') return this.#exitArray(node, count[context]!, outer, tag)
    if (node.place !== 'key') return this.#exitObject(node, count[context]!, outer, tag)
    const key = context * 0x40000 + tag
    let target = this.#exits.get(key)
    if (target === undefined) {
      target = this.#exitObject(node, count[context]!, outer, tag)
      if (this.#exits.size >= this.#maxClosures) this.#exits.clear()
      this.#exits.set(key, target)
    }
    return target
  }

  /** What follows in one of several contexts; all of one depth, as their terminal is one. */
  #exitUnion(context: number, tag: number): number {
    const key = context * 0x40000 + tag
    let target = this.#exits.get(key)
    if (target === undefined) {
      const keys = this.#keyUnions.get(context)
      const exits =
        keys === undefined
          ? this.contexts.membersOf(context).map((member) => this.exit(member, tag))
          : [...keys.with(tag)].map((member) => this.exit(member.context, member.tag))
      target = this.union(exits)
      if (this.#exits.size >= this.#maxClosures) this.#exits.clear()
      this.#exits.set(key, target)
    }
    return target
  }

  #exitObject(
    node: Extract<Node, { kind: 'object-place' }>,
    count: number,
    outer: number,
    tag: number,
  ): number {
    const { part, places, place } = node
    if (place === 'key') {
      const property = isFree(tag) ? -1 : tag - DECLARED
      const { entry } = property < 0 ? part.free!.entries[tag - 1]! : part.properties[property]!
      return this.#resume(entry, this.#resume(places.after, outer, part.after(count, property)))
    }
    return tag === CLOSE ? outer : this.#resume(places['before-key'], outer, count)
  }

  #exitArray(
    node: Extract<Node, { kind: 'array-place' }>,
    count: number,
    outer: number,
    tag: number,
  ): number {
    if (tag === CLOSE) return outer
    const { part, places } = node
    if (part.isCounted) return this.#resume(places['before-item'], outer, count)
    const { node: item, after } = part.step(count)
    return this.#resume(item, this.#resume(places.after, outer, after))
  }
}

/** Whether two of the terminals may be equal, or the keys of two objects. */
function mayBeMerged(starts: readonly Start[]): boolean {
  if (starts.length > FEW_STARTS) return true
  for (let i = 1; i < starts.length; i++) {
    const { dfa } = starts[i]!
    for (let j = 0; j < i; j++) {
      const other = starts[j]!.dfa
      if (other === dfa || (other instanceof KeyDfa && dfa instanceof KeyDfa)) return true
    }
  }
  return false
}

/** Positions up to this many are looked through one by one. */
const FEW_POSITIONS = 8

/** The triples (node, counter, parent) that were met. */
class Positions {
  readonly #met: number[] = []
  #many: Set<string> | null = null

  get size(): number {
    return this.#met.length / 3
  }

  /** Whether the position is new. */
  add(node: number, count: number, parent: number): boolean {
    const met = this.#met
    if (this.#many !== null) {
      const key = `${node},${count},${parent}`
      if (this.#many.has(key)) return false
      this.#many.add(key)
    } else {
      for (let i = 0; i < met.length; i += 3)
        if (met[i] === node && met[i + 2] === parent && met[i + 1] === count) return false
    }
    met.push(node, count, parent)
    if (this.#many === null && this.size > FEW_POSITIONS) {
      this.#many = new Set()
      for (let i = 0; i < met.length; i += 3) this.#many.add(`${met[i]},${met[i + 1]},${met[i + 2]}`)
    }
    return true
  }
}
