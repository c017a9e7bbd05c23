/**
 * What arrays whose items must differ leave of the terminals that may begin at a place: a scalar without the values that
 * would make its item one that is there already, a name, a bracket only if some other item can still come of it.
 *
 * Nothing is forbidden unless every way to end the item that goes on so is an item that is there; where later items must
 * come and could run out of values, unless every way to end the array is. Both are decided by a search for one that is not
 * (`distinct-search.ts`), and asked only where what was written of the item so far is the beginning of one that is there.
 */
import { type Dfa, tagOf } from '../automaton/dfa.ts'
import { DECLARED, isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { latin1, latin1Of } from '../automaton/latin1.ts'
import { CLOSE } from '../automaton/layout.ts'
import type { ArrayPart } from '../automaton/parts.ts'
import { Plenty } from '../automaton/plenty.ts'
import type { Program, Start } from '../automaton/program.ts'
import { readPartial } from '../json/partial.ts'
import { equalJson, jsonKey, printJson, quote } from '../json/print.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import { DistinctSearch, type Estimates } from './distinct-search.ts'
import { type Cell, within } from './history.ts'
import { countNumbersFrom, type Item, isNew, valuesOf } from './item-index.ts'
import { Room } from './room.ts'
import { begun, leave, type Text, type Thread, type UniqueItems } from './threads.ts'

/** Values of an item that counts that are looked for one by one. */
const MAX_FEW = 100

/** An open array whose items must differ, at some place of a text. */
class OpenArray {
  readonly context: number
  readonly depth: number
  readonly part: ArrayPart
  readonly cell: Cell
  readonly #text: Text
  #alike: readonly JsonValue[] | null = null

  constructor(context: number, depth: number, part: ArrayPart, cell: Cell, text: Text) {
    this.context = context
    this.depth = depth
    this.part = part
    this.cell = cell
    this.#text = text
  }

  /** The items that what is written of the next one so far may become. Reads what is written, once. */
  get alike(): readonly JsonValue[] {
    if (this.#alike === null) {
      const { items, itemStart } = this.cell
      const partial = readPartial(decoder.decode(this.#text.bytes.subarray(itemStart, this.#text.length)))
      const alike: JsonValue[] = []
      for (let item = items; item !== null; item = item.next)
        if (partial === undefined || mayBecome(partial, item.value)) alike.push(item.value)
      this.#alike = alike
    }
    return this.#alike
  }
}

export class UniqueItemsGuard implements UniqueItems {
  readonly #program: Program
  readonly #estimates: Estimates
  readonly #plenty: Plenty
  #anyTight: boolean | null = null
  readonly #tight = new Map<ArrayPart, boolean>()
  readonly #few = new Map<ArrayPart, ReadonlyMap<string, JsonValue>>()
  /** What was found last: a mask and the token that is taken of it ask for the same place. */
  #last: { readonly cell: Cell; readonly key: string; readonly found: readonly Start[] } | null = null
  /** Scalars without the items that are there, by the last of these. */
  readonly #excluded = new WeakMap<Item, Map<Dfa, Dfa>>()

  /** Where none of this matters. */
  readonly room: Room

  constructor(program: Program, estimates: Estimates) {
    this.#program = program
    this.#estimates = estimates
    this.#plenty = new Plenty(program)
    this.room = new Room(program, this.#plenty, (part) => this.#isTight(part))
  }

  starts(context: number, history: Cell | null, text: Text): readonly Start[] {
    const { starts } = this.#program.closure(context)
    if (this.room.isCalm(context)) return starts
    const guards = this.#guards(context, history, text)
    const outermost = guards[guards.length - 1]
    if (outermost === undefined || !this.#mayMatter(guards, context)) return starts
    const { cell } = outermost
    const key = `${context} ${latin1(text.bytes, cell.itemStart, text.length)}`
    if (this.#last === null || this.#last.cell !== cell || this.#last.key !== key) {
      const goal = this.#goal(outermost)
      const found = starts.flatMap((start) => this.#start(start, guards, history, text, goal))
      this.#last = { cell, key, found }
    }
    return this.#last.found
  }

  /** Whether the start is a bracket or a separator, whose context is the place in the container. */
  #isBracket({ context, frame }: Start): boolean {
    const { kind } = this.#program.nodes[this.#program.contexts.node[context]!]!
    return frame === null && (kind === 'object-place' || kind === 'array-place')
  }

  /** The arrays around a context, from the inside out. */
  #guards(context: number, history: Cell | null, text: Text): OpenArray[] {
    const { nodes, contexts } = this.#program
    const { watched, parent, depth, node } = contexts
    const guards: OpenArray[] = []
    for (let at = context; watched[at] === 1; at = parent[at]!) {
      const own = nodes[node[at]!]!
      if (own.kind !== 'array-place' || !own.part.isUnique) continue
      const cell = within(history, depth[at]!)
      if (cell !== null && cell.depth === depth[at])
        guards.push(new OpenArray(at, depth[at]!, own.part, cell, text))
    }
    return guards
  }

  /**
   * Whether one step of a token on from here may be ruled out: by items that are there, or by the one that is being written,
   * if the token ends it and begins the next.
   */
  mayForbid(thread: Thread, text: Text): boolean {
    const guards = this.#guards(thread.context, thread.history, text)
    if (guards.length === 0) return this.mayForbidOutside()
    const { parent, count } = this.#program.contexts
    const { dfa, context } = thread
    return (
      guards.some(
        (guard) =>
          guard.context === context ||
          (dfa === null && parent[context] === guard.context) ||
          !this.#hasPlenty(guard.part, count[guard.context]!),
      ) || this.#mayMatter(guards, context)
    )
  }

  /** Whether there is an array whose first item already decides about others. */
  mayForbidOutside(): boolean {
    this.#anyTight ??= this.#program.nodes.some(
      (node) => node.kind === 'array' && node.part.isUnique && this.#isTight(node.part),
    )
    return this.#anyTight
  }

  /** Whether items that are there can rule anything out here. */
  #mayMatter(guards: readonly OpenArray[], context: number): boolean {
    return guards.some((guard) => {
      if (this.#isTight(guard.part)) return true
      if (guard.context === context && this.#isBehindItem(context))
        return !this.#hasPlenty(guard.part, this.#program.contexts.count[context]!)
      return guard.cell.items !== null && guard.alike.length > 0
    })
  }

  /** Whether what ends in a context is an item of the array: where items are counted, each way has a context of its own. */
  #isItemOf({ part, depth }: OpenArray, context: number): boolean {
    const { nodes, contexts } = this.#program
    const node = nodes[contexts.node[context]!]!
    return contexts.depth[context] === depth && node.kind === 'array-place' && node.part === part
  }

  /** Whether an array stands behind an item of its own. */
  #isBehindItem(context: number): boolean {
    const node = this.#program.nodes[this.#program.contexts.node[context]!]!
    return node.kind === 'array-place' && node.place === 'after'
  }

  #hasPlenty(part: ArrayPart, count: number): boolean {
    return part.steps(count).every(({ node }) => this.#plenty.at(node))
  }

  /** Whether a position never runs out of values: it has as many as there are items that must come. */
  #hasEnough(node: number, items: number): boolean {
    return this.#plenty.at(node) || (this.#estimates.distinct(node, items, null)?.length ?? 0) >= items
  }

  /** Whether items that must still come could run out of values, so that the choice of one decides about others. */
  #isTight(part: ArrayPart): boolean {
    let tight = this.#tight.get(part)
    if (tight === undefined) {
      const owed = part.owed(0)
      // Where all positions are alike, the schema has counted their values; what must count can be a single value.
      const alike = !part.isCounted && part.isUniform(0)
      tight =
        part.unmet(0).some(({ nodes }) => nodes.some((node) => !this.#plenty.at(node))) ||
        (!alike && owed > 1 && part.nodes.some((node) => !this.#hasEnough(node, owed)))
      this.#tight.set(part, tight)
    }
    return tight
  }

  /** The end of the item of the outermost array, or of the whole array. */
  #goal({ depth, part }: OpenArray): (thread: Thread) => boolean {
    const { nodes, contexts } = this.#program
    const tight = this.#isTight(part)
    return ({ context }) => {
      const own = contexts.depth[context]!
      if (own < depth) return true
      const node = nodes[contexts.node[context]!]!
      return !tight && own === depth && node.kind === 'array-place' && node.place === 'after'
    }
  }

  /** The terminal as it may begin; none where no text of it can lead to the goal. */
  #start(
    start: Start,
    guards: readonly OpenArray[],
    outer: Cell | null,
    text: Text,
    goal: (thread: Thread) => boolean,
  ): readonly Start[] {
    const thread = begun(this.#program, start, outer, text.length)
    const { dfa, context } = start
    const { history } = thread
    if (this.room.isCalmStart(start)) return [start]
    // Where there is plenty still to come within the item, it can be made to differ.
    const leads = (rest: string, tag: number): boolean =>
      this.room.behind(context, tag) || this.#leads(thread, text, rest, tag, goal)
    if (dfa instanceof KeyDfa) return this.#keys(start, dfa, guards, history, text, leads)
    if (this.#program.isScalar(dfa)) {
      const only = guards.length === 1 ? guards[0]! : null
      if (only !== null && this.#isItemOf(only, context) && !this.#isTight(only.part)) {
        const left = this.#without(dfa, only.cell.items)
        return left.start === 0 ? [] : [{ ...start, dfa: left }]
      }
      const values = new Map<string, JsonValue>()
      for (const value of this.#candidates(guards, context, history, text)) {
        const key = jsonKey(value)
        const spelled = latin1Of(printJson(value))
        // A number may be written in another way than it is here.
        const isOne = value instanceof JsonNumber || tagOf(dfa, spelled) !== 0
        if (isOne && !values.has(key) && !leads(spelled, 1)) values.set(key, value)
      }
      const left = this.#program.without(dfa, values)
      return left.start === 0 ? [] : left === dfa ? [start] : [{ ...start, dfa: left }]
    }
    if (!this.#isBracket(start)) return [start]
    const tags = [...dfa.tagsFrom(dfa.start)]
    const left = tags.filter((tag) => {
      const rest = dfa.shortest(dfa.start, tag)
      return rest !== null && leads(latin1(rest, 0, rest.length), tag)
    })
    if (left.length === tags.length) return [start]
    if (left.length === 0) return []
    const canClose = left.includes(CLOSE)
    return [{ ...start, dfa: this.#program.bracket(start, canClose, left.length > (canClose ? 1 : 0)) }]
  }

  /** A scalar that is an item itself, without those that are there. */
  #without(dfa: Dfa, items: Item | null): Dfa {
    if (items === null) return dfa
    let known = this.#excluded.get(items)
    if (known === undefined) {
      known = new Map()
      this.#excluded.set(items, known)
    }
    let left = known.get(dfa)
    if (left === undefined) {
      left = this.#program.exclude(dfa, {
        values: () => valuesOf(items),
        has: (key) => !isNew(key, items),
        hasNumbers: () => countNumbersFrom('', items) > 0,
      })
      known.set(dfa, left)
    }
    return left
  }

  /** Whether the goal can be reached behind a terminal that ended with `rest`. */
  #leads(
    thread: Thread,
    { bytes, length }: Text,
    rest: string,
    tag: number,
    goal: (thread: Thread) => boolean,
  ): boolean {
    const whole = new Uint8Array(length + rest.length)
    whole.set(bytes.subarray(0, length))
    for (let i = 0; i < rest.length; i++) whole[length + i] = rest.charCodeAt(i)
    const text = { bytes: whole, length: whole.length }
    const behind = leave(this.#program, thread, tag, text, whole.length)
    return (
      behind !== null &&
      new DistinctSearch(this.#program, this.#estimates, behind, text, goal, false).next() !== null
    )
  }

  /** The scalars that the value at this place would have in an item that is there, or that later items may need. */
  *#candidates(
    guards: readonly OpenArray[],
    context: number,
    history: Cell | null,
    text: Text,
  ): Generator<JsonValue> {
    for (const { depth, alike, part } of guards) {
      const path = this.#path(context, depth, history, text)
      for (const item of alike) {
        const value = valueAt(item, path)
        if (
          value !== undefined &&
          (value === null || typeof value !== 'object' || value instanceof JsonNumber)
        )
          yield value
      }
      if (this.#isTight(part)) yield* this.#fewOf(part).values()
    }
  }

  /** The steps from an item of the array of depth `outer` to the value behind which `context` stands. */
  #path(context: number, outer: number, history: Cell | null, { bytes }: Text): (string | number)[] {
    const { nodes, contexts } = this.#program
    const path: (string | number)[] = []
    for (let at = context; contexts.depth[at]! > outer; at = contexts.parent[at]!) {
      const node = nodes[contexts.node[at]!]!
      const cell = within(history, contexts.depth[at]!)!
      if (node.kind === 'array-place') path.push(cell.index)
      else if (node.kind === 'object-place')
        path.push(JSON.parse(decoder.decode(bytes.subarray(cell.keyStart, cell.keyEnd))) as string)
    }
    return path.reverse()
  }

  /** The scalars of the positions that have few values: fewer than items that must come. */
  #fewOf(part: ArrayPart): ReadonlyMap<string, JsonValue> {
    let few = this.#few.get(part)
    if (few === undefined) {
      const values = new Map<string, JsonValue>()
      const most = part.isCounted ? MAX_FEW : part.owed(0)
      for (const node of part.nodes) {
        if (this.#plenty.at(node)) continue
        for (const value of this.#estimates.fewValues(node, most)) values.set(jsonKey(value), value)
      }
      few = values
      this.#few.set(part, few)
    }
    return few
  }

  /** The names that may come: of those that an item that is there has, only the ones behind which another can come. */
  #keys(
    start: Start,
    dfa: KeyDfa,
    guards: readonly OpenArray[],
    history: Cell | null,
    text: Text,
    leads: (rest: string, tag: number) => boolean,
  ): readonly Start[] {
    const tight = guards.some(({ part }) => this.#isTight(part))
    const names = new Set<string>()
    for (const { depth, alike } of guards) {
      const path = this.#path(this.#program.contexts.parent[start.context]!, depth, history, text)
      for (const item of alike) {
        const value = valueAt(item, path)
        if (value instanceof Map) for (const name of value.keys()) names.add(name)
      }
    }
    if (tight) {
      for (const tag of dfa.tagsFrom(dfa.start))
        if (!isFree(tag))
          names.add(JSON.parse(decoder.decode(dfa.names.spellings[tag - DECLARED]!)) as string)
    }
    const gone = new Set<string>()
    for (const name of names) {
      const spelling = latin1Of(quote(name))
      const tag = tagOf(dfa, spelling)
      if (tag !== 0 && !leads(spelling, tag)) gone.add(name)
    }
    if (gone.size === 0) return [start]
    const left = this.#program.keysWithout(start, gone)
    return left.start === 0 ? [] : [{ ...start, dfa: left }]
  }
}

/** Whether a value of which these containers and scalars are known may be the other one in the end. Recursion is as deep as an item is nested. */
export function mayBecome(partial: JsonValue, value: JsonValue): boolean {
  if (Array.isArray(partial))
    return (
      Array.isArray(value) &&
      partial.length <= value.length &&
      partial.every((item, i) => mayBecome(item, value[i] as JsonValue))
    )
  if (partial instanceof Map) {
    if (!(value instanceof Map)) return false
    for (const [name, item] of partial) {
      const other = value.get(name)
      if (other === undefined || !mayBecome(item, other)) return false
    }
    return true
  }
  return equalJson(partial, value)
}

function valueAt(value: JsonValue, path: readonly (string | number)[]): JsonValue | undefined {
  let at: JsonValue | undefined = value
  for (const step of path) {
    if (at instanceof Map) at = at.get(String(step))
    else if (Array.isArray(at)) at = at[Number(step)]
    else return undefined
  }
  return at
}

const decoder = new TextDecoder()
