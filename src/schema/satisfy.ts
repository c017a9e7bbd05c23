/**
 * Satisfiability: which nodes some value satisfies, as a least fixpoint over the nodes that a value *needs*: required
 * properties and items up to the minimum. Optional parts decide nothing but where a least number of properties asks for
 * some of them, so only the needed graph is expanded.
 *
 * A node is productive if one of its records is; a record if all nodes it needs are, and enough of those it may choose
 * from. What a search leaves undecided can only be satisfied by a value without end, so it is empty. Linear in the needed
 * graph, iterative.
 */
import { type Slot, waysOf } from './demand.ts'
import type { Shapes } from './intersect.ts'
import type { Limited } from './limited.ts'
import type { Mode, Node, NodeTable, Status } from './node.ts'
import type { Budget } from './options.ts'
import {
  type ArrayRecord,
  hasScalar,
  isEmptyShape,
  type ObjectRecord,
  propertyAt,
  type Shape,
} from './shape.ts'
import { spellOut } from './spelled.ts'
import { type Choices, choicesOf, isFeasible } from './tally.ts'
import { closureOf, isTorn, NO_TIES } from './ties.ts'
import { Distinctness } from './unique.ts'

/** What a value of a record cannot do without. */
interface Needs {
  readonly all: readonly Node[]
  /** So many of the choices, where a node counts as often as it can be chosen. */
  readonly some: number
  readonly choices: ReadonlyMap<Node, number>
}

/** A record whose needs are not known to be met. */
interface Pending {
  readonly owner: Node
  readonly needed: ReadonlySet<Node>
  missing: number
  some: number
  readonly choices: ReadonlyMap<Node, number>
}

/** A record whose items are counted: its owner is productive once the counts can be reached. */
interface Counted {
  readonly owner: Node
  readonly record: ArrayRecord
  readonly choices: Choices
}

/** Lets a record wait for a node. */
type Wait = (child: Node, record: Pending | Counted) => void

const NO_CHOICES: ReadonlyMap<Node, number> = new Map()

export class Satisfiability {
  readonly #expand: (node: Node, mode: Mode) => Shape
  readonly #shapes: Shapes
  readonly #limited: Limited
  readonly #nodes: NodeTable
  readonly #budget: Budget

  constructor(expand: (node: Node, mode: Mode) => Shape, shapes: Shapes, limited: Limited) {
    this.#expand = expand
    this.#limited = limited
    this.#shapes = shapes
    this.#nodes = shapes.nodes
    this.#budget = shapes.budget
  }

  isProductive(node: Node, mode: Mode): boolean {
    if (node.status[mode] === 'unknown') this.#decide(node, mode)
    return node.status[mode] === 'productive'
  }

  /** Whether the nodes that the record needs are productive. */
  isRecordProductive(record: ArrayRecord | ObjectRecord, mode: Mode): boolean {
    if ('unique' in record && this.#isTooShort(record, mode)) return false
    if ('tallies' in record && record.tallies.length > 0) {
      const choices = choicesOf(record, this.#nodes)
      return isFeasible(record, choices, (node) => this.isProductive(node, mode), this.#budget)
    }
    return this.#needsOf(record).some(({ all, some, choices }) => {
      this.#budget.spend(all.length + choices.size)
      if (!all.every((node) => this.isProductive(node, mode))) return false
      let missing = some
      for (const [node, times] of choices) {
        if (missing <= 0) break
        if (this.isProductive(node, mode)) missing -= times
      }
      return missing <= 0
    })
  }

  /** Whether items that must differ are known to run out of values. */
  #isTooShort(record: ArrayRecord, mode: Mode): boolean {
    return this.unique(mode).decide(record) === 'too short'
  }

  /** What is known of items that must differ. */
  unique(mode: Mode): Distinctness {
    return new Distinctness((node) => this.#expand(node, mode), this.#shapes, this.#budget)
  }

  #decide(start: Node, mode: Mode): void {
    const found: Node[] = []
    const seen = new Set<Node>([start])
    const waiting = new Map<Node, (Pending | Counted)[]>()
    const wait: Wait = (child, record) => {
      const list = waiting.get(child)
      if (list === undefined) waiting.set(child, [record])
      else list.push(record)
      if (seen.has(child)) return
      seen.add(child)
      stack.push(child)
    }
    const ready: Node[] = []
    const stack = [start]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      found.push(node)
      const shape = this.#expand(node, mode)
      this.#budget.spend(1)
      if (hasScalar(shape)) {
        ready.push(node)
        continue
      }
      for (const record of [...shape.objects, ...shape.arrays]) {
        if (!this.#isKnownToHold(record, node, mode, wait)) continue
        ready.push(node)
        break
      }
    }
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      if (node.status[mode] !== 'unknown') continue
      node.status[mode] = 'productive'
      for (const pending of waiting.get(node) ?? []) {
        if ('record' in pending) {
          if (
            pending.owner.status[mode] === 'unknown' &&
            this.#isReachable(pending, (child) => child.status[mode] === 'productive')
          )
            ready.push(pending.owner)
          continue
        }
        if (pending.needed.has(node)) pending.missing--
        pending.some -= pending.choices.get(node) ?? 0
        if (pending.missing === 0 && pending.some <= 0) ready.push(pending.owner)
      }
    }
    for (const node of found) if (node.status[mode] === 'unknown') node.status[mode] = 'empty'
  }

  /** Whether nothing that the record needs is left to be decided; what is, waits. */
  #isKnownToHold(record: ArrayRecord | ObjectRecord, owner: Node, mode: Mode, wait: Wait): boolean {
    try {
      if ('unique' in record && this.#isTooShort(record, mode)) return false
      if ('tallies' in record && record.tallies.length > 0) return this.#isCounted(record, owner, mode, wait)
      for (const needs of this.#needsOf(record)) {
        const unmet = this.#unmet(needs, mode)
        if (unmet === null) continue
        const { all, some, choices } = unmet
        if (all.length === 0 && some <= 0) return true
        const needed = new Set(all)
        const pending: Pending = { owner, needed, missing: all.length, some, choices }
        for (const child of some > 0 ? new Set([...all, ...choices.keys()]) : needed) wait(child, pending)
      }
      return false
    } catch (error) {
      // What cannot be decided is left out where the record is emitted.
      this.#limited.problem(error, owner.pointer)
      return true
    }
  }

  #isCounted(record: ArrayRecord, owner: Node, mode: Mode, wait: Wait): boolean {
    const choices = choicesOf(record, this.#nodes)
    const counted: Counted = { owner, record, choices }
    if (!this.#isReachable(counted, (child) => this.#status(child, mode) !== 'empty')) return false
    if (this.#isReachable(counted, (child) => child.status[mode] === 'productive')) return true
    for (const child of new Set([...choices.prefix, choices.rest].flat().map((choice) => choice.node)))
      if (child.status[mode] === 'unknown') wait(child, counted)
    return false
  }

  /** One for each way to meet what the record demands. */
  #needsOf(record: ArrayRecord | ObjectRecord): readonly Needs[] {
    if (!('required' in record)) return [needsOfArray(record)]
    return spellOut(record, this.#shapes).flatMap((spelled) => {
      if (spelled.demands.length > 0)
        return waysOf(spelled, this.#shapes).map((way) => needsOfObject(way.record, way.slots))
      return spelled.ties === NO_TIES || spelled.min <= spelled.required.size
        ? [needsOfObject(spelled, [])]
        : this.#needsOfOne(spelled)
    })
  }

  /** One entry, whichever: with it come the names that it brings. */
  #needsOfOne(record: ObjectRecord): Needs[] {
    const { properties, others, ties, max } = record
    const { none } = this.#nodes
    const ways: Needs[] = others.parts.map(({ value }) => ({ all: [value], some: 0, choices: NO_CHOICES }))
    for (const [name, node] of properties) {
      if (node === none) continue
      const names = closureOf(ties, [name])
      this.#budget.spend(names.size)
      if (names.size > max || isTorn(ties, names)) continue
      const all = Array.from(names, (brought) => propertyAt(record, brought))
      ways.push({ all, some: 0, choices: NO_CHOICES })
    }
    return ways
  }

  #isReachable({ record, choices }: Counted, isProductive: (node: Node) => boolean): boolean {
    return isFeasible(record, choices, isProductive, this.#budget)
  }

  /** The needs that are not known to be met; `null` if one cannot be. */
  #unmet(needs: Needs, mode: Mode): Needs | null {
    const all: Node[] = []
    for (const node of needs.all) {
      const status = this.#status(node, mode)
      if (status === 'empty') return null
      if (status === 'unknown' && !all.includes(node)) all.push(node)
    }
    let { some } = needs
    if (some <= 0) return { all, some, choices: NO_CHOICES }
    const choices = new Map<Node, number>()
    let possible = 0
    for (const [node, times] of needs.choices) {
      const status = this.#status(node, mode)
      if (status === 'productive') some -= times
      else if (status === 'unknown') {
        choices.set(node, times)
        possible += times
      }
    }
    return possible < some ? null : { all, some, choices }
  }

  #status(node: Node, mode: Mode): Status {
    // The cheapest way to be empty, and how branches are told apart.
    if (node.status[mode] === 'unknown' && isEmptyShape(this.#expand(node, mode))) node.status[mode] = 'empty'
    return node.status[mode]
  }
}

function needsOfObject(record: ObjectRecord, slots: readonly Slot[]): Needs {
  const all: Node[] = slots.map(({ value }) => value)
  for (const name of record.required) all.push(propertyAt(record, name))
  const some = record.min - all.length
  if (some <= 0) return { all, some, choices: NO_CHOICES }
  const choices = new Map<Node, number>()
  for (const [name, node] of record.properties)
    if (!record.required.has(name)) choices.set(node, (choices.get(node) ?? 0) + 1)
  // Keys of a language that is not written out never run out.
  for (const { value } of record.others.parts) choices.set(value, Number.POSITIVE_INFINITY)
  return { all, some, choices }
}

function needsOfArray(record: ArrayRecord): Needs {
  const all = record.prefix.slice(0, record.min)
  if (record.min > record.prefix.length) all.push(record.rest)
  return { all, some: 0, choices: NO_CHOICES }
}
