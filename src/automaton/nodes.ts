/**
 * The grammar as a graph of nodes: what the contexts of the pushdown automaton are positions in.
 *
 * An expression becomes nodes that end in the node of what follows; a rule, a repeated item, a property and an item are
 * *parts* that end in `return`. The graph is linear in the grammar; terminals are built when first reached.
 */
import type { Alternative, Expr, FrameKind, Grammar, Property, Terminal } from '../grammar/grammar.ts'
import type { Brackets } from './brackets.ts'
import type { Dfa } from './dfa.ts'
import type { DfaPool } from './dfa-pool.ts'
import type { FreeText } from './free-text.ts'
import { type CountedItems, ItemCounts } from './item-counts.ts'
import type { KeyNamesTable } from './key-names.ts'
import {
  ArrayPart,
  type Entry,
  type FreeKeys,
  type ItemAlternative,
  ObjectPart,
  type ObjectProperty,
} from './parts.ts'
import type { StringDfa } from './string-dfa.ts'
import type { Terminals } from './terminals.ts'

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

/** The node in which every part ends. */
export const RETURN = 1

export class NodeGraph {
  readonly #nodes: Node[] = [{ kind: 'end' }, { kind: 'return' }, { kind: 'union' }]
  /** The first node of each rule. */
  readonly rules: readonly number[]
  readonly #alphabet: Uint8Array
  readonly #terminals: Terminals
  readonly #names: KeyNamesTable
  readonly #brackets: Brackets
  readonly #learned: { bytes: number }

  /** @param learned counts the bytes of what texts make of the objects */
  constructor(
    grammar: Grammar,
    pool: DfaPool,
    terminals: Terminals,
    names: KeyNamesTable,
    brackets: Brackets,
    learned: { bytes: number },
  ) {
    this.#alphabet = pool.alphabet
    this.#terminals = terminals
    this.#names = names
    this.#brackets = brackets
    this.#learned = learned
    this.rules = grammar.rules.map((rule) => this.#compile(rule.body, RETURN))
  }

  get nodes(): readonly Node[] {
    return this.#nodes
  }

  #add(node: Node): number {
    return this.#nodes.push(node) - 1
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
          this.#alphabet,
          this.#names,
          this.#learned,
        )
        const places = this.places((place, all) => ({ kind: 'object-place', place, part, places: all }))
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
        const places = this.places((place, all) => ({ kind: 'array-place', place, part, places: all }))
        return this.#add({ kind: 'array', part, places, next })
      }
    }
  }

  /** The nodes of the places of one container. */
  places(make: (place: Place, all: Places) => Node): Places {
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

  /** The entry with this value, from the colon on. */
  #entry(value: Expr): Entry {
    const colon = (next: number): number =>
      this.#add({ kind: 'terminal', dfa: this.#brackets.colon, terminal: null, frame: null, next })
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
}

/** The counters of items that are counted; whether they are too many is known at once. */
function countsOf(items: CountedItems<ItemAlternative>): ItemCounts<ItemAlternative> {
  const counts = new ItemCounts(items)
  counts.fewest(0)
  return counts
}
