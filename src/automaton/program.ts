/**
 * The pushdown automaton: the grammar as a graph of nodes, and contexts over it.
 *
 * An expression becomes nodes that end in the node of what follows; a rule, a repeated item, a property and an item are
 * *parts* that end in `return`. A context (node, counter, parent) is a position in that graph together with everything
 * that is still to come, see `contexts.ts`. The two questions asked of a context are
 *
 * - `closure(c)`: which terminals may begin at c, and may the text end there;
 * - `exit(c, tag)`: which context follows when the terminal that runs in c was left with `tag`.
 *
 * Both are memoised, so that the graph is walked once a context. The graph is linear in the grammar; terminals are built
 * when first reached.
 */
import { LimitError } from '../errors.ts'
import type { Alternative, Expr, FrameKind, Grammar, Layout, Property, Terminal } from '../grammar/grammar.ts'
import type { JsonValue } from '../json/value.ts'
import { ContextTable, END_CONTEXT, UNION } from './contexts.ts'
import type { Dfa } from './dfa.ts'
import type { DfaPool } from './dfa-pool.ts'
import { type FreeText, FreeTextDfa, WITHOUT_STOP } from './free-text.ts'
import { type CountedItems, ItemCounts } from './item-counts.ts'
import { DECLARED, isFree, KeyDfa, MAX_EITHER } from './key-dfa.ts'
import { KeyNamesTable } from './key-names.ts'
import { KeyUnion } from './key-union.ts'
import { type Bracket, CLOSE, colonDfa, openDfa, separatorDfa } from './layout.ts'
import {
  ArrayPart,
  type Entry,
  type FreeKeys,
  type ItemAlternative,
  ObjectPart,
  type ObjectProperty,
} from './parts.ts'
import type { StringDfa } from './string-dfa.ts'
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

export type Node =
  | { readonly kind: 'end' }
  | { readonly kind: 'return' }
  /** The node of unions of contexts. */
  | { readonly kind: 'union' }
  | {
      readonly kind: 'terminal'
      readonly dfa: () => Dfa
      /** What it was made of; `null` for punctuation. */
      readonly terminal: Terminal | null
      readonly frame: FrameKind | null
      readonly next: number
    }
  /** Before free text; it runs in a context of `exits`. */
  | { readonly kind: 'free-text'; readonly text: FreeText; readonly exits: number }
  /** In free text: what follows it, by its tags less 1; -1 for none. */
  | { readonly kind: 'free-text-exits'; readonly nexts: readonly number[] }
  | { readonly kind: 'token'; readonly ids: readonly number[]; readonly next: number }
  | { readonly kind: 'call'; readonly rule: number; readonly next: number }
  | { readonly kind: 'split'; readonly options: readonly number[] }
  | {
      readonly kind: 'repeat'
      readonly item: number
      readonly min: number
      readonly max: number
      readonly next: number
    }
  /** Before a frame, and the context that marks it as open. */
  | {
      readonly kind: 'frame'
      readonly frame: FrameKind
      readonly body: number
      readonly open: number
      readonly next: number
    }
  | { readonly kind: 'frame-open'; readonly frame: FrameKind }
  /** Before a value whose way of being written decides which demands the entry meets: the place behind it counts them. */
  | {
      readonly kind: 'marked'
      readonly options: readonly { readonly marks: number; readonly value: number }[]
    }
  /** Before the brace; the others stand for the places within. */
  | { readonly kind: 'object'; readonly part: ObjectPart; readonly places: Places; readonly next: number }
  | {
      readonly kind: 'object-place'
      readonly place: Place
      readonly part: ObjectPart
      readonly places: Places
    }
  | { readonly kind: 'array'; readonly part: ArrayPart; readonly places: Places; readonly next: number }
  | { readonly kind: 'array-place'; readonly place: Place; readonly part: ArrayPart; readonly places: Places }

/**
 * Where in a container: in its opening, before a key, in one, before an item where there is a choice of them, behind an
 * entry, in the separator after it.
 */
export type Place = 'opening' | 'before-key' | 'key' | 'before-item' | 'after' | 'separator'
const PLACES: readonly Place[] = ['opening', 'before-key', 'key', 'before-item', 'after', 'separator']
/** The nodes of the places of one container. */
export type Places = Readonly<Record<Place, number>>

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

const RETURN = 1
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
  readonly nodes: Node[] = [{ kind: 'end' }, { kind: 'return' }, { kind: 'union' }]
  readonly contexts = new ContextTable()
  /** The context before the first byte. */
  readonly start: number
  readonly layout: Layout
  readonly pool: DfaPool
  /** The first node of each rule. */
  readonly rules: readonly number[]
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
  /** Openings and separators, where they do not depend on the depth. */
  readonly #brackets: (Dfa | undefined)[] = []
  #container = -1
  #isJson: boolean | null = null

  constructor(grammar: Grammar, pool: DfaPool, limits: ProgramLimits) {
    this.layout = grammar.layout
    this.pool = pool
    this.#names = new KeyNamesTable(pool.alphabet)
    this.#terminals = new Terminals(grammar, pool, { maxStates: limits.maxStates })
    this.#limits = limits
    this.#maxClosures = Math.min(MAX_CLOSURES, Math.ceil(limits.maxContexts / 4))
    this.rules = grammar.rules.map((rule) => this.#compile(rule.body, RETURN))
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

  #add(node: Node): number {
    return this.nodes.push(node) - 1
  }

  /** The node at which `expr`, followed by node `next`, begins. Depth of recursion: that of one rule's expression. */
  #compile(expr: Expr, next: number): number {
    switch (expr.type) {
      case 'terminal':
        return this.#add({
          kind: 'terminal',
          dfa: this.#terminals.lazy(expr.terminal),
          terminal: expr.terminal,
          frame: expr.frame,
          next,
        })
      case 'token':
        return this.#add({ kind: 'token', ids: expr.ids, next })
      case 'free-text': {
        const behind = expr.stops.map(({ leadsTo }) => (leadsTo === null ? -1 : this.#compile(leadsTo, next)))
        const nexts = [expr.ends ? next : -1, ...behind]
        const exits = this.#add({ kind: 'free-text-exits', nexts })
        return this.#add({ kind: 'free-text', text: expr, exits })
      }
      case 'sequence':
        return expr.items.reduceRight((after, item) => this.#compile(item, after), next)
      case 'choice':
        return this.#add({
          kind: 'split',
          options: expr.options.map((option) => this.#compile(option, next)),
        })
      case 'repeat':
        return this.#add({
          kind: 'repeat',
          item: this.#compile(expr.item, RETURN),
          min: expr.min,
          max: expr.max,
          next,
        })
      case 'call':
        return this.#add({ kind: 'call', rule: expr.rule, next })
      case 'frame': {
        const open = this.#add({ kind: 'frame-open', frame: expr.kind })
        return this.#add({
          kind: 'frame',
          frame: expr.kind,
          body: this.#compile(expr.body, RETURN),
          open,
          next,
        })
      }
      case 'object': {
        const part = new ObjectPart(
          {
            properties: expr.properties.map((property) => this.#property(property)),
            forbidden: expr.forbidden ?? [],
            free: this.#freeKeys(expr),
            anyOrder: expr.order === 'any',
            min: expr.minProperties ?? 0,
            max: expr.maxProperties ?? Number.POSITIVE_INFINITY,
            demands: expr.demands ?? 0,
          },
          this.pool.alphabet,
          this.#names,
          this.#learned,
        )
        const places = this.#places((place, all) => ({ kind: 'object-place', place, part, places: all }))
        return this.#add({ kind: 'object', part, places, next })
      }
      case 'marked':
        throw new RangeError('a value that meets demands is no entry of an object')
      case 'array': {
        const item = (value: Expr): number => this.#compile(value, RETURN)
        const alternative = ({ value, marks }: Alternative): ItemAlternative => ({ node: item(value), marks })
        const { min, max, counted } = expr
        const part = new ArrayPart({
          prefix: expr.prefix.map(item),
          rest: expr.rest === null ? -1 : item(expr.rest),
          min,
          max,
          unique: expr.unique ?? false,
          counts:
            counted === undefined
              ? null
              : countsOf({
                  tallies: counted.tallies,
                  prefix: counted.prefix.map((alternatives) => alternatives.map(alternative)),
                  rest: counted.rest.map(alternative),
                  min,
                  max,
                }),
        })
        const places = this.#places((place, all) => ({ kind: 'array-place', place, part, places: all }))
        return this.#add({ kind: 'array', part, places, next })
      }
    }
  }

  #places(make: (place: Place, all: Places) => Node): Places {
    const all: Record<Place, number> = {
      opening: 0,
      'before-key': 0,
      key: 0,
      'before-item': 0,
      after: 0,
      separator: 0,
    }
    for (const place of PLACES) all[place] = this.#add(make(place, all))
    return all
  }

  readonly #colon = (): Dfa =>
    this.pool.get(`colon ${this.#layoutKey}`, () => colonDfa(this.layout, this.pool.alphabet))
  /** The entry with this value, from the colon on. */
  #entry(value: Expr): Entry {
    const colon = (next: number): number =>
      this.#add({ kind: 'terminal', dfa: this.#colon, terminal: null, frame: null, next })
    if (value.type !== 'marked') {
      const entry = colon(this.#compile(value, RETURN))
      return { entry, ways: [{ marks: 0, entry }] }
    }
    const options = value.options.map((option) => ({
      marks: option.marks,
      value: this.#compile(option.value, RETURN),
    }))
    const ways = options.map(({ marks, value: node }) => ({ marks, entry: colon(node) }))
    return { entry: colon(this.#add({ kind: 'marked', options })), ways }
  }

  /** Field by field: a schema has many, and rest and spread are dear. */
  #property({ name, required, value, implies, excludes }: Property): ObjectProperty {
    const { entry, ways } = this.#entry(value)
    return { name, required, entry, ways, implies, excludes }
  }

  /** The keys of an object that are not declared: any, or those of its classes. */
  #freeKeys(expr: Extract<Expr, { type: 'object' }>): FreeKeys | null {
    const classes = expr.classes ?? []
    if (expr.additional === null && classes.length === 0) return null
    const values = expr.additional === null ? classes.map(({ value }) => value) : [expr.additional]
    const dfas = new Map<string, StringDfa>()
    return {
      dfa: (kept) => {
        const isKept = (index: number): boolean => kept === null || kept.includes(index)
        const key = classes.map((_, index) => (isKept(index) ? '1' : '0')).join('')
        let dfa = dfas.get(key)
        if (dfa === undefined) {
          dfa = this.#terminals.keys(classes.map(({ keys }, index) => (isKept(index) ? keys : null)))
          dfas.set(key, dfa)
        }
        return dfa
      },
      entries: values.map((value) => this.#entry(value)),
    }
  }

  get #layoutKey(): string {
    return `${this.layout.whitespace} ${this.layout.indent} ${this.layout.maxWhitespace}`
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
      const nesting = isPlace && this.layout.whitespace === 'pretty' ? this.nesting(member) : 0
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
    return this.#bracketDfa('open', bracket, part.canClose(0), part.canEnter(0), inside)
  }
  #separator(bracket: Bracket, part: ObjectPart | ArrayPart, count: number, inside: number): Dfa {
    return this.#bracketDfa('separator', bracket, part.canClose(count), part.canEnter(count), inside)
  }
  #bracketDfa(
    role: 'open' | 'separator',
    bracket: Bracket,
    canClose: boolean,
    canEnter: boolean,
    inside: number,
  ): Dfa {
    const make = (depth: number): Dfa => {
      const key = `${role} ${bracket} ${canClose} ${canEnter} ${depth} ${this.#layoutKey}`
      const build = role === 'open' ? openDfa : separatorDfa
      return this.pool.get(key, () =>
        build({ bracket, canClose, canEnter, depth }, this.layout, this.pool.alphabet),
      )
    }
    if (this.layout.whitespace === 'pretty') return make(this.nesting(inside))
    const index =
      (role === 'open' ? 8 : 0) + (bracket === '{' ? 4 : 0) + (canClose ? 2 : 0) + (canEnter ? 1 : 0)
    let dfa = this.#brackets[index]
    if (dfa === undefined) {
      dfa = make(0)
      this.#brackets[index] = dfa
    }
    return dfa
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
    return this.#bracketDfa(
      node.place === 'opening' ? 'open' : 'separator',
      bracket,
      canClose,
      canEnter,
      context,
    )
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
      this.#container = this.#places((place, all) => ({
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

/** The counters of items that are counted; whether they are too many is known at once. */
function countsOf(items: CountedItems<ItemAlternative>): ItemCounts<ItemAlternative> {
  const counts = new ItemCounts(items)
  counts.fewest(0)
  return counts
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
