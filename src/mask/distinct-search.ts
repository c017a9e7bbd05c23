/**
 * Texts that complete a thread up to a goal while the items of arrays that must differ do differ: the shortest first, the
 * lowest bytes among those, each another value.
 *
 * A search over the places between terminals (A*): what is written so far, plus the least that must follow. Each terminal
 * is tried with its values from the least one on, each once, however many spellings it has; names that an object may have
 * in any order are tried in one order only. So the number of results that a caller must throw away is at most the number of
 * values it knows.
 */

import { stateAfter, tagOf } from '../automaton/dfa.ts'
import { Frontier, type Ranked } from '../automaton/frontier.ts'
import { DECLARED, isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { bytesOf, latin1 } from '../automaton/latin1.ts'
import type { Program } from '../automaton/program.ts'
import { LimitError } from '../errors.ts'
import { jsonKey } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { itemOf, keysOf, within } from './history.ts'
import { type Item, isNew } from './item-index.ts'
import type { Least } from './least.ts'
import { begun, leave, type Text, type Thread } from './threads.ts'

/** A step is a place, and for a value each one that comes before it. */
const MAX_STEPS = 500_000
const STEPS_A_PLACE = 20
/** Values, or keys, of one terminal that are put in order. */
const MANY = 32
/** Above every byte: what comes behind all that begin with a text. */
const BEHIND = '\uffff'

/** What the search needs to know of the grammar. */
export interface Estimates {
  /** A text as a piece of its own. */
  piece(text: string): Least
  /** Whether the least texts of rules are known. */
  readonly isSettled: boolean
  /** The least values of a node of scalars that are none of the items, as texts; `null` where it has others. */
  distinct(node: number, count: number, items: Item | null): readonly string[] | null
  /** All values of a node where they are scalars and at most `most`, else none. */
  fewValues(node: number, most: number): readonly JsonValue[]
  /** The least bytes that must follow a thread between two terminals, if `current` is the item just ended; `Infinity` if none can. */
  remaining(thread: Thread, current: string | null): number
}

interface Entry extends Ranked {
  /** What was written, one byte a unit. */
  readonly text: string
  readonly tokens: number
  readonly thread: Thread
  /** For a terminal that is to be tried with its next value: how. */
  readonly series: Series | null
}

type Series =
  /** `first` are taken before all others, `gone` are taken already. */
  | {
      readonly kind: 'values'
      readonly first: readonly string[]
      readonly gone: ReadonlyMap<string, JsonValue>
    }
  | { readonly kind: 'keys'; readonly tag: number; readonly gone: readonly string[] }

function sizeOf({ gone }: Series): number {
  return 1 + (Array.isArray(gone) ? gone.length : (gone as ReadonlyMap<string, JsonValue>).size)
}

export interface Found extends Least {
  readonly thread: Thread
}

export class DistinctSearch {
  readonly #program: Program
  readonly #estimates: Estimates
  readonly #isGoal: (thread: Thread) => boolean
  readonly #written: number
  readonly #inOrder: boolean
  #bytes: Uint8Array
  readonly #frontier = new Frontier<Entry>()
  #steps = 0

  constructor(
    program: Program,
    estimates: Estimates,
    from: Thread,
    { bytes, length }: Text,
    isGoal: (thread: Thread) => boolean,
    inOrder = true,
  ) {
    this.#inOrder = inOrder
    this.#program = program
    this.#estimates = estimates
    this.#isGoal = isGoal
    this.#written = length
    this.#bytes = new Uint8Array(length + 256)
    this.#bytes.set(bytes.subarray(0, length))
    if (from.dfa === null) this.#offer(from, '', 0)
    else this.#try({ text: '', tokens: 0 }, from)
  }

  /** The next text, or `null` when there are no more. */
  next(): Found | null {
    for (let entry = this.#frontier.pop(); entry !== undefined; entry = this.#frontier.pop()) {
      this.#steps += entry.series === null ? STEPS_A_PLACE : sizeOf(entry.series)
      if (this.#steps > MAX_STEPS)
        throw new LimitError(
          'steps to complete items that must differ',
          MAX_STEPS,
          this.#steps,
          'lower minItems, or give the positions values of their own',
        )
      if (entry.series !== null) this.#continue(entry, entry.series)
      else if (this.#isGoal(entry.thread))
        return { text: entry.text, tokens: entry.tokens, thread: entry.thread }
      else this.#expand(entry)
    }
    return null
  }

  /** The bytes of the text with `appended` behind it. */
  #withText(appended: string): Text {
    const length = this.#written + appended.length
    if (length > this.#bytes.length) {
      const longer = new Uint8Array(length * 2)
      longer.set(this.#bytes.subarray(0, this.#written))
      this.#bytes = longer
    }
    for (let i = 0; i < appended.length; i++) this.#bytes[this.#written + i] = appended.charCodeAt(i)
    return { bytes: this.#bytes, length }
  }

  /** Keeps a thread between two terminals, unless an item that just ended is not new; the estimate of its texts. */
  #offer(thread: Thread, text: string, tokens: number): number | null {
    const { contexts, nodes } = this.#program
    const node = nodes[contexts.node[thread.context]!]!
    let current: string | null = null
    if (node.kind === 'array-place' && node.place === 'after' && node.part.isUnique) {
      const cell = within(thread.history, contexts.depth[thread.context]!)
      if (cell !== null && cell.depth === contexts.depth[thread.context]) {
        const { bytes, length } = this.#withText(text)
        current = itemOf(bytes, cell.itemStart, length, null).key
        if (!isNew(current, cell.items)) return null
      }
    }
    const estimate = text.length + this.#estimates.remaining(thread, current)
    if (estimate === Number.POSITIVE_INFINITY) return null
    this.#frontier.push({ estimate, order: text, text, tokens, thread, series: null })
    return estimate
  }

  #expand({ text, tokens, thread }: Entry): void {
    const at = this.#written + text.length
    for (const start of this.#program.closure(thread.context).starts)
      this.#try({ text, tokens }, begun(this.#program, start, thread.history, at))
  }

  /** All ways to end the terminal that runs. */
  #try(so: Least, thread: Thread): void {
    const dfa = thread.dfa!
    this.#withText(so.text)
    if (dfa instanceof KeyDfa) {
      const last = this.#lastKey(thread)
      for (const tag of dfa.tagsFrom(thread.state)) {
        if (isFree(tag)) {
          this.#continue(this.#series(so, thread), { kind: 'keys', tag, gone: [] })
          continue
        }
        const spelling = dfa.names.spellings[tag - DECLARED]!
        // In any order: names that this search writes come in one.
        if (last !== null && latin1(spelling, 0, spelling.length) <= last) continue
        this.#end(so, thread, latin1(spelling, dfa.typed(thread.state), spelling.length), tag)
      }
    } else if (this.#program.isScalar(dfa)) {
      const first = this.#ascending(thread, so.text.length)
      this.#continue(this.#series(so, thread), { kind: 'values', first, gone: new Map() })
    } else {
      for (const tag of dfa.tagsFrom(thread.state)) {
        const rest = dfa.shortest(thread.state, tag)
        if (rest !== null) this.#end(so, thread, latin1(rest, 0, rest.length), tag)
      }
    }
  }

  #series({ text, tokens }: Least, thread: Thread): Entry {
    return { estimate: 0, order: text, text, tokens, thread, series: null }
  }

  /** The last key of the object, if it has its names in any order and this search wrote it. */
  #lastKey({ context, history }: Thread): string | null {
    const { contexts, nodes } = this.#program
    const node = nodes[contexts.node[context]!]!
    if (node.kind !== 'object-place' || !node.part.anyOrder) return null
    const cell = within(history, contexts.depth[context]!)!
    if (cell.keyStart < this.#written || cell.keyEnd === 0) return null
    return latin1(this.#bytes, cell.keyStart, cell.keyEnd)
  }

  /** The terminal with its next value, and a place for those behind it. */
  #continue(entry: Entry, series: Series): void {
    const { text, thread } = entry
    const typed = latin1(this.#withText(text).bytes, thread.start, this.#written + text.length)
    const found =
      series.kind === 'values' ? this.#value(thread, typed, series) : this.#key(thread, typed, series)
    if (found === null) return
    const child = this.#end(entry, thread, found.rest, series.kind === 'values' ? 1 : series.tag)
    // Values and keys behind this one are no shorter. Such as make the whole no longer may still be lower in bytes: they are looked at
    // before it goes on, unless one result is as good as another, or they are very many.
    const order =
      this.#inOrder && sizeOf(series) <= MANY && (series.kind === 'keys' || series.first.length === 0)
        ? text
        : text + found.rest + BEHIND
    const estimate = child ?? Math.max(entry.estimate, text.length + found.rest.length)
    this.#frontier.push({ ...entry, estimate, order, series: found.series })
  }

  #value(
    thread: Thread,
    typed: string,
    { first, gone }: Extract<Series, { kind: 'values' }>,
  ): { rest: string; series: Series } | null {
    const rest = first[0] ?? this.#least(thread, typed, gone)
    if (rest === null) return null
    const value = readJson(decoder.decode(bytesOf(typed + rest)))
    return {
      rest,
      series: { kind: 'values', first: first.slice(1), gone: new Map(gone).set(jsonKey(value), value) },
    }
  }

  #least(thread: Thread, typed: string, gone: ReadonlyMap<string, JsonValue>): string | null {
    const dfa = this.#program.without(thread.dfa!, gone)
    const state = stateAfter(dfa, typed)
    const ending = state === 0 ? null : dfa.shortest(state, 1)
    return ending === null ? null : latin1(ending, 0, ending.length)
  }

  /**
   * For an item of an array that still owes several: the ends of the least values for them, as far as they are this terminal's.
   * Whichever comes first, the whole is as long; the lowest bytes come of the lowest.
   */
  #ascending({ dfa, context, history, start }: Thread, appended: number): string[] {
    const { contexts, nodes } = this.#program
    const node = nodes[contexts.node[context]!]!
    if (node.kind !== 'array-place' || !node.part.isUnique) return []
    const count = contexts.count[context]!
    const owed = node.part.owed(count)
    // What is still owed and this item are alike.
    if (owed === 0 || !node.part.isUniform(count - 1)) return []
    const items = within(history, contexts.depth[context]!)?.items ?? null
    const values = this.#estimates.distinct(node.part.step(count).node, owed + 1, items) ?? []
    const typed = latin1(this.#bytes, start, this.#written + appended)
    return values
      .filter((text) => text.startsWith(typed) && tagOf(dfa!, text) !== 0)
      .map((text) => text.slice(typed.length))
      .sort()
  }

  #key(
    thread: Thread,
    typed: string,
    { tag, gone }: Extract<Series, { kind: 'keys' }>,
  ): { rest: string; series: Series } | null {
    const dfa = thread.dfa as KeyDfa
    const last = this.#lastKey(thread)
    const cell = within(thread.history, this.#program.contexts.depth[thread.context]!)!
    const taken = [...keysOf(cell.used), ...gone]
    for (;;) {
      const ending = dfa.shortestFree(thread.state, tag, typed, taken)
      if (ending === null) return null
      const rest = latin1(ending, 0, ending.length)
      taken.push(typed + rest)
      if (last !== null && typed + rest <= last) continue
      return { rest, series: { kind: 'keys', tag, gone: [...gone, typed + rest] } }
    }
  }

  /** Keeps the thread behind its terminal. */
  #end(so: Least, thread: Thread, rest: string, tag: number): number | null {
    const text = so.text + rest
    const whole = this.#withText(text)
    const behind = leave(this.#program, thread, tag, whole, whole.length)
    if (behind === null) return null
    // What is only asked whether it exists costs nothing.
    return this.#offer(behind, text, this.#inOrder ? so.tokens + this.#estimates.piece(rest).tokens : 0)
  }
}

const decoder = new TextDecoder()
