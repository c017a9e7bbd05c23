/**
 * Settling: what the fields of one array or object record say of each other. An item that cannot be ends the array, the
 * names of finite languages are declared, counts that decide something by themselves are applied, and a record that is
 * seen to be empty is none. What hangs on other nodes being empty is left to `satisfy.ts`.
 */
import { type KeyMaps, MAX_NAMES } from './keys.ts'
import type { Node, NodeTable } from './node.ts'
import type { Budget } from './options.ts'
import type { ArrayRecord, Demand, ObjectRecord, Tally, Ties } from './shape.ts'
import type { Strings } from './strings.ts'
import { closureOf, isTorn, NO_TIES } from './ties.ts'

export class Settler {
  readonly #nodes: NodeTable
  readonly #keys: KeyMaps
  readonly #strings: Strings
  readonly #budget: Budget

  constructor(nodes: NodeTable, keys: KeyMaps, strings: Strings, budget: Budget) {
    this.#nodes = nodes
    this.#keys = keys
    this.#strings = strings
    this.#budget = budget
  }

  /** Cuts the array where no item can stand; `null` if it cannot be long enough. */
  array(written: ArrayRecord): ArrayRecord | null {
    const record = written.tallies.length === 0 ? written : this.#settleTallies(written)
    if (record === null) return null
    const { none } = this.#nodes
    let { prefix, rest, max } = record
    const hole = prefix.indexOf(none)
    if (hole >= 0) max = Math.min(max, hole)
    if (rest === none) max = Math.min(max, prefix.length)
    if (record.min > max) return null
    if (prefix.length > max) prefix = prefix.slice(0, max)
    if (prefix.length >= max) rest = none
    return { ...record, prefix, rest, max }
  }

  /** One tally for each node and place; those that say something of every item, or of none, are no tallies. */
  #settleTallies(record: ArrayRecord): ArrayRecord | null {
    const nodes = this.#nodes
    const tallies: Tally[] = []
    let { prefix, rest, min, max } = record
    for (const written of record.tallies) {
      const at = tallies.findIndex(({ node, from }) => node === written.node && from === written.from)
      const same = tallies[at]
      const tally =
        same === undefined
          ? written
          : { ...same, min: Math.max(same.min, written.min), max: Math.min(same.max, written.max) }
      if (same === undefined) tallies.push(tally)
      else tallies[at] = tally
    }
    const kept: Tally[] = []
    for (const tally of tallies) {
      const { node, from } = tally
      if (tally.min > tally.max || (node === nodes.none && tally.min > 0)) return null
      if (tally.min > 0) min = Math.max(min, from + tally.min)
      if (node === nodes.none || (tally.min === 0 && tally.max === Number.POSITIVE_INFINITY)) continue
      if (node === nodes.any) max = Math.min(max, from + tally.max)
      else if (tally.max === 0) {
        const outside = nodes.complement(node)
        const items: Node[] = []
        this.#budget.spend(Math.max(prefix.length, from))
        for (let index = 0; index < Math.max(prefix.length, from); index++) {
          const item = prefix[index] ?? rest
          items.push(index < from ? item : nodes.meet(item, outside))
        }
        prefix = items
        rest = nodes.meet(rest, outside)
      } else kept.push(tally)
    }
    return { ...record, prefix, rest, min, max, tallies: kept }
  }

  /**
   * Declares the names of finite languages, and applies the counts that decide something by themselves; `null` if no
   * object fits.
   */
  object(written: ObjectRecord): ObjectRecord | null {
    const { none } = this.#nodes
    const declared = this.#declareFinite(written)
    const demanding = declared.demands.length === 0 ? declared : this.#settleDemands(declared)
    if (demanding === null) return null
    const settled = demanding.ties === NO_TIES ? demanding : this.#settleTies(demanding)
    if (settled === null) return null
    let { properties, others, required, min, max } = settled
    const nodeOf = (name: string): Node => properties.get(name) ?? others.at(name)
    for (const name of required) if (nodeOf(name) === none) return null
    if (max < Math.max(required.size, min)) return null
    const isOpen = ([name, node]: [string, Node]): boolean => node !== none && !required.has(name)
    if (required.size === max && (others !== this.#keys.none || [...properties].some(isOpen))) {
      // No room for anything else.
      const needed = new Map<string, Node>()
      for (const [name, node] of properties) needed.set(name, required.has(name) ? node : none)
      for (const name of required) if (!needed.has(name)) needed.set(name, others.at(name))
      properties = needed
      others = this.#keys.none
    }
    if (min <= required.size) min = 0
    if (others === this.#keys.none && (min > 0 || max !== Number.POSITIVE_INFINITY)) {
      const possible: string[] = []
      for (const [name, node] of properties) if (node !== none) possible.push(name)
      if (possible.length < min) return null
      if (possible.length === min) {
        required = uniteSets(required, new Set(possible))
        min = 0
      }
      if (max >= possible.length) max = Number.POSITIVE_INFINITY
    }
    const changed = properties !== settled.properties || required !== settled.required
    if (!changed && others === settled.others && min === settled.min && max === settled.max) return settled
    const counted = { ...settled, properties, others, required, min, max }
    // Names that counts decide decide others.
    return changed && settled.ties !== NO_TIES ? this.object(counted) : counted
  }

  /**
   * Requires what required names bring, takes away what cannot stand beside the others, and drops the ties that say nothing
   * more; `null` if required names exclude each other.
   */
  #settleTies(record: ObjectRecord): ObjectRecord | null {
    const { none } = this.#nodes
    const { ties, others, max } = record
    const properties = new Map(record.properties)
    const isPossible = (name: string): boolean => (properties.get(name) ?? others.at(name)) !== none
    const required = closureOf(ties, record.required)
    if (isTorn(ties, required)) return null
    for (const name of required)
      for (const other of ties.excludes.get(name) ?? []) properties.set(other, none)
    for (let changed = true; changed; ) {
      changed = false
      for (const [name, targets] of ties.implies) {
        this.#budget.spend(1 + targets.size)
        if (!isPossible(name) || [...targets].every(isPossible)) continue
        properties.set(name, none)
        changed = true
      }
    }
    const isOpen = (name: string): boolean => isPossible(name) && !required.has(name)
    for (const name of new Set([...ties.implies.keys(), ...ties.excludes.keys()])) {
      if (!isOpen(name)) continue
      const closure = closureOf(ties, [name, ...required])
      this.#budget.spend(closure.size)
      if (closure.size > max || isTorn(ties, closure)) properties.set(name, none)
    }
    const left = { implies: keepOpen(ties.implies, isOpen), excludes: keepOpen(ties.excludes, isOpen) }
    const isTied = left.implies.size > 0 || left.excludes.size > 0
    return { ...record, properties, required, ties: isTied ? left : NO_TIES }
  }

  /** Declares the few names that a demand speaks of, and requires one that alone can meet it. */
  #settleDemands(record: ObjectRecord): ObjectRecord | null {
    const nodes = this.#nodes
    const strings = this.#strings
    const properties = new Map(record.properties)
    const required = new Set(record.required)
    const nodeOf = (name: string): Node => properties.get(name) ?? record.others.at(name)
    const demands: Demand[] = []
    for (const demand of record.demands) {
      const { keys, value } = demand
      if (demands.some((other) => other.keys === keys && other.value === value)) continue
      this.#budget.spend(1 + properties.size)
      let further = false
      for (const part of record.others.parts) {
        const both = strings.both(part.keys, keys)
        if (both === null || nodes.meet(part.value, value) === nodes.none) continue
        if (strings.countOf(both) > MAX_NAMES) further = true
        else
          for (const name of strings.listOf(both)) if (!properties.has(name)) properties.set(name, part.value)
      }
      const names = [...new Set([...properties.keys(), ...required])].filter(
        (name) => strings.matches(keys, name) && nodes.meet(nodeOf(name), value) !== nodes.none,
      )
      if (names.some((name) => required.has(name) && nodes.meet(nodeOf(name), value) === nodeOf(name)))
        continue
      const [first, second] = names
      if (further || second !== undefined) demands.push(demand)
      else if (first === undefined) return null
      else {
        properties.set(first, nodes.meet(nodeOf(first), value))
        required.add(first)
      }
    }
    return { ...record, properties, required, demands }
  }

  #declareFinite(record: ObjectRecord): ObjectRecord {
    const { names, rest } = this.#keys.unfold(record.others)
    if (names.size === 0) return record
    this.#budget.spend(record.properties.size + names.size)
    const properties = new Map(record.properties)
    for (const [name, node] of names) if (!properties.has(name)) properties.set(name, node)
    return { ...record, properties, others: rest }
  }
}

/** The sets of names, reduced to those that are neither required nor impossible. */
function keepOpen(sets: Ties['implies'], isOpen: (name: string) => boolean): Ties['implies'] {
  const open = new Map<string, ReadonlySet<string>>()
  for (const [name, names] of sets) {
    const kept = isOpen(name) ? [...names].filter(isOpen) : []
    if (kept.length > 0) open.set(name, kept.length === names.size ? names : new Set(kept))
  }
  return open
}

export function uniteSets(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a.size === 0) return b
  for (const name of b) if (!a.has(name)) return new Set([...a, ...b])
  return a
}
