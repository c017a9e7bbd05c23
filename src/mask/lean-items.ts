/**
 * Arrays whose items must differ, as lean threads carry them: the items that are there, as values, and where the one begun
 * last stands in the text.
 *
 * What they forbid is told here as far as that is simple: an item that ends as one that is there, a choice of texts of which
 * none is left. Where not very many values can still come otherwise, `UNDECIDED`: then threads with all their history
 * tell (`unique-items.ts`). Items are compared only once one ends, or where a position without room asks.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import { CLOSE, ENTER } from '../automaton/layout.ts'
import type { Node } from '../automaton/nodes.ts'
import type { Program, Start } from '../automaton/program.ts'
import { TextsDfa } from '../automaton/texts-dfa.ts'
import { readPartial } from '../json/partial.ts'
import type { JsonValue } from '../json/value.ts'
import { type Cell, itemOf, within } from './history.ts'
import { type Item, isNew, scalarsOf, valuesOf, withScalars } from './item-index.ts'
import type { Room } from './room.ts'
import { ScalarValues } from './scalar-values.ts'
import { mayBecome } from './unique-items.ts'

/** One open array. */
export interface OpenItems {
  /** The depth of its context. */
  readonly depth: number
  /** Offset of the item that was begun last. */
  readonly start: number
  /** The items before that one. */
  readonly items: Item | null
  /** Those of them that it may still become, as far as somebody looked; `null` for all. Behind the item there are none. */
  readonly alike: readonly JsonValue[] | null
  /** The item that was begun last, if it has ended and was read. */
  readonly ended: Item | null
  readonly outer: OpenItems | null
}

/** What the rules say where lean threads do not do. */
export const UNDECIDED = Symbol('undecided')
/** What they say where an item would be one that is there. */
export const REFUSED = Symbol('refused')

export type Ruling = OpenItems | null | typeof UNDECIDED | typeof REFUSED

const NOTHING: readonly JsonValue[] = []
/** Items that are alike up to here are told from others where scalars are compared. */
const MAX_ALIKE = 32

export class LeanItems {
  readonly room: Room
  readonly scalars: ScalarValues
  readonly #program: Program
  readonly #within = new WeakMap<readonly JsonValue[], Item | null>()

  constructor(program: Program, room: Room) {
    this.#program = program
    this.room = room
    this.scalars = new ScalarValues(program)
  }

  /** What a thread's history says of the arrays around it; `UNDECIDED` where the choice of one item decides about others. */
  ofHistory(context: number, running: Dfa | null, history: Cell | null): OpenItems | null | typeof UNDECIDED {
    const { watched, parent, depth } = this.#program.contexts
    const open: OpenItems[] = []
    for (let at = context; watched[at] === 1; at = parent[at]!) {
      const node = this.#nodeOf(at)
      if (node.kind !== 'array-place' || !node.part.isUnique) continue
      if (this.room.isTight(node.part)) return UNDECIDED
      const cell = within(history, depth[at]!)!
      const isBehind =
        at === context && (node.place === 'separator' || (node.place === 'after' && running === null))
      // What is left for the next item is seen when one ends.
      if (isBehind && !this.room.isPlentiful(at)) return UNDECIDED
      const alike = isBehind || node.place === 'opening' ? NOTHING : null
      open.push({
        depth: depth[at]!,
        start: cell.itemStart,
        items: cell.items,
        alike,
        ended: null,
        outer: null,
      })
    }
    return open.reduceRight<OpenItems | null>((outer, own) => ({ ...own, outer }), null)
  }

  /** Whether items that are there can still rule anything out at a context. */
  matter(open: OpenItems | null, context: number): boolean {
    for (let at = this.around(open, context); at !== null; at = at.outer)
      if (at.items !== null && at.alike?.length !== 0) return true
    return false
  }

  /** The arrays around a context. */
  around(open: OpenItems | null, context: number): OpenItems | null {
    const depth = this.#program.contexts.depth[context]!
    let at = open
    while (at !== null && at.depth > depth) at = at.outer
    return at
  }

  /** Whether the terminal that begins is an array's opening bracket. */
  opened(open: OpenItems | null, { context, opens }: Start): Ruling {
    const { depth } = this.#program.contexts
    const node = this.#nodeOf(context)
    const own = depth[context]!
    let outer = open
    while (outer !== null && outer.depth > own - opens) outer = outer.outer
    if (node.kind !== 'array-place' || !node.part.isUnique) return outer
    if (this.room.isTight(node.part)) return UNDECIDED
    return { depth: own, start: -1, items: null, alike: NOTHING, ended: null, outer }
  }

  /** The arrays once the terminal in `context`, which began at `start`, was left at `end` with `tag`. */
  passed(
    open: OpenItems | null,
    context: number,
    behind: number,
    tag: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Ruling {
    const { watched } = this.#program.contexts
    const node = this.#nodeOf(context)
    if (node.kind === 'array-place' && node.part.isUnique && behind !== context && tag !== CLOSE) {
      const own = this.around(open, context)!
      const items =
        node.place === 'separator' ? (own.ended ?? itemOf(bytes, own.start, start, own.items)) : own.items
      const begun = { ...own, start: end, items, alike: null, ended: null }
      // That something is left for the item was seen when the last one ended.
      return this.room.within(behind) || !this.matter(own.outer, behind) ? begun : UNDECIDED
    }
    if (watched[behind] !== 1) return open
    if (this.room.isEndOfItem(behind)) return this.#ended(open, behind, bytes, end)
    if (this.room.within(behind) || !this.matter(open, behind)) return open
    return this.#settled(open, behind, bytes, end, true)
  }

  /** Whether a terminal that began at `start` may go on in a state. */
  running(
    open: OpenItems | null,
    dfa: Dfa,
    state: number,
    context: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Ruling {
    if (this.room.of(dfa, state, context)) return open
    if (!this.#program.isScalar(dfa)) return this.#settled(open, context, bytes, end, false)
    const typed = latin1(bytes, start, end)
    if (this.isItem(context)) {
      const own = this.around(open, context)!
      if (this.matter(own.outer, context)) return UNDECIDED
      const can = this.scalars.canDiffer(dfa, state, typed, own.items)
      return can === null ? UNDECIDED : can ? open : REFUSED
    }
    const looked = this.looked(this.around(open, context), bytes, end, false)
    if (!this.matter(looked, context)) return looked
    return this.scalars.canDiffer(dfa, state, typed, this.scalarsAlike(looked)) === true ? looked : UNDECIDED
  }

  /** The arrays without the items that what is written cannot become any more; `UNDECIDED` where some are left. */
  #settled(
    open: OpenItems | null,
    context: number,
    bytes: Uint8Array,
    end: number,
    isWhole: boolean,
  ): OpenItems | null | typeof UNDECIDED {
    const looked = this.looked(this.around(open, context), bytes, end, isWhole)
    return this.matter(looked, context) ? UNDECIDED : looked
  }

  /**
   * The arrays with what each item begun last may still become.
   *
   * @param isWhole whether what is written ends with its last terminal: a number might go on else
   */
  looked(open: OpenItems | null, bytes: Uint8Array, end: number, isWhole: boolean): OpenItems | null {
    if (open === null) return null
    const outer = this.looked(open.outer, bytes, end, isWhole)
    if (open.items === null || open.alike?.length === 0)
      return outer === open.outer ? open : { ...open, outer }
    const text = decoder.decode(bytes.subarray(open.start, end))
    const partial = readPartial(isWhole ? `${text} ` : text)
    const before = open.alike ?? (partial === undefined ? null : valuesOf(open.items))
    const alike = partial === undefined ? before : before!.filter((value) => mayBecome(partial, value))
    if (outer === open.outer && alike?.length === open.alike?.length) return open
    return { ...open, alike, outer }
  }

  /** The scalars that items which were alike so far hold, and perhaps those of others. */
  scalarsAlike(open: OpenItems | null): Item | null {
    let found: Item | null = null
    for (let at = open; at !== null; at = at.outer) {
      if (at.items === null || at.alike?.length === 0) continue
      const own =
        at.alike !== null && at.alike.length <= MAX_ALIKE ? this.#scalarsOf(at.alike) : scalarsOf(at.items)
      found = found === null ? own : withScalars([...valuesOf(own), ...valuesOf(found)], null)
    }
    return found
  }

  #scalarsOf(values: readonly JsonValue[]): Item | null {
    let scalars = this.#within.get(values)
    if (scalars === undefined) {
      scalars = withScalars(values as JsonValue[], null)
      this.#within.set(values, scalars)
    }
    return scalars
  }

  /** Whether the item of the innermost array may end with `rest` behind what is written, and the array go on whatever comes. */
  mayEnd(open: OpenItems | null, after: number, bytes: Uint8Array, end: number, rest: Uint8Array): boolean {
    const own = this.around(open, after)!
    const text = new Uint8Array(end - own.start + rest.length)
    text.set(bytes.subarray(own.start, end))
    text.set(rest, end - own.start)
    return (
      this.room.isPlentiful(after) &&
      (this.room.afterItem(after) || !this.matter(own.outer, after)) &&
      isNew(itemOf(text, 0, text.length, null).key, own.items)
    )
  }

  /** Whether a scalar that runs in the context is an item itself. */
  isItem(context: number): boolean {
    return this.room.isEndOfItem(context)
  }

  /** An item has ended at `end`: whether it may, and whether what follows needs no closer look. */
  #ended(open: OpenItems | null, after: number, bytes: Uint8Array, end: number): Ruling {
    const own = this.around(open, after)!
    let ended: Item | null = null
    if (own.items !== null && own.alike?.length !== 0) {
      ended = itemOf(bytes, own.start, end, own.items)
      if (!isNew(ended.key, own.items)) return REFUSED
    }
    if (!this.room.isPlentiful(after)) {
      ended ??= itemOf(bytes, own.start, end, own.items)
      if (!this.#isAnyLeft(after, ended)) return UNDECIDED
    }
    if (this.room.afterItem(after)) return { ...own, alike: NOTHING, ended }
    const outer = this.looked(own.outer, bytes, end, true)
    return this.matter(outer, after) ? UNDECIDED : { ...own, alike: NOTHING, ended, outer }
  }

  /** Whether some choice of texts has one left for the next item, or very many values can come. */
  #isAnyLeft(after: number, items: Item): boolean {
    if (this.room.valuesBehind(after) > items.size) return true
    const { starts } = this.#program.closure(after)
    const separator = starts[0]
    if (starts.length !== 1 || separator === undefined) return false
    const next = this.#program.exit(separator.context, ENTER)
    return this.#program.closure(next).starts.some(({ dfa, context }) => {
      if (this.room.of(dfa, dfa.start, context)) return true
      return dfa instanceof TextsDfa && this.isItem(context) && this.scalars.hasTextLeft(dfa, '', items)
    })
  }

  #nodeOf(context: number): Node {
    return this.#program.nodes[this.#program.contexts.node[context]!]!
  }
}

const decoder = new TextDecoder()
