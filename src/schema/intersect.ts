/**
 * Conjunction and union of shapes, record by record. The conjunction of two unions is the union of all pairs, so its
 * cost is the product of their sizes; every pair is counted. Records that are empty by themselves are dropped at once;
 * emptiness that hangs on other nodes is decided in `satisfy.ts`.
 */
import { KeyMaps, MAX_NAMES } from './keys.ts'
import type { Node, NodeTable } from './node.ts'
import { meetNumbers, uniteNumbers } from './numbers.ts'
import type { Budget } from './options.ts'
import {
  ANY_NUMBER,
  ANY_STRING,
  type ArrayRecord,
  type Blocked,
  type Demand,
  EXACT,
  itemAt,
  joinBlocked,
  type ObjectRecord,
  propertyAt,
  type Shape,
  type Tally,
} from './shape.ts'
import type { Strings } from './strings.ts'

export class Shapes {
  readonly nodes: NodeTable
  readonly strings: Strings
  readonly keys: KeyMaps
  readonly budget: Budget
  readonly anyArray: ArrayRecord
  readonly anyObject: ObjectRecord
  readonly any: Shape

  constructor(nodes: NodeTable, strings: Strings, budget: Budget) {
    this.nodes = nodes
    this.strings = strings
    this.keys = new KeyMaps(nodes, strings, budget)
    this.budget = budget
    this.anyArray = {
      prefix: [],
      rest: nodes.any,
      min: 0,
      max: Number.POSITIVE_INFINITY,
      tallies: [],
      unique: null,
      blocked: EXACT,
    }
    this.anyObject = {
      properties: new Map(),
      others: this.keys.any,
      required: new Set(),
      min: 0,
      max: Number.POSITIVE_INFINITY,
      demands: [],
      blocked: EXACT,
    }
    this.any = {
      nulls: EXACT,
      trues: EXACT,
      falses: EXACT,
      numbers: [ANY_NUMBER],
      strings: [ANY_STRING],
      arrays: [this.anyArray],
      objects: [this.anyObject],
    }
  }

  /** What both shapes allow. */
  meet(a: Shape, b: Shape): Shape {
    if (a === this.any) return b
    if (b === this.any || a === b) return a
    return {
      nulls: meetScalar(a.nulls, b.nulls),
      trues: meetScalar(a.trues, b.trues),
      falses: meetScalar(a.falses, b.falses),
      numbers: uniteNumbers(this.#pairs(a.numbers, b.numbers, ANY_NUMBER, (x, y) => meetNumbers(x, y))),
      strings: this.strings.unite(
        this.#pairs(a.strings, b.strings, ANY_STRING, (x, y) => this.strings.meet(x, y)),
      ),
      arrays: this.#uniteArrays(
        this.#pairs(a.arrays, b.arrays, this.anyArray, (x, y) => this.meetArrays(x, y)),
      ),
      objects: this.#uniteObjects(
        this.#pairs(a.objects, b.objects, this.anyObject, (x, y) => this.meetObjects(x, y)),
      ),
    }
  }

  /** What any of the shapes allows. */
  unite(shapes: readonly Shape[]): Shape {
    const only = shapes[0]
    if (shapes.length === 1 && only !== undefined) return only
    if (shapes.includes(this.any)) return this.any
    this.budget.spend(shapes.length)
    return {
      nulls: uniteScalars(shapes.map((shape) => shape.nulls)),
      trues: uniteScalars(shapes.map((shape) => shape.trues)),
      falses: uniteScalars(shapes.map((shape) => shape.falses)),
      numbers: uniteNumbers(shapes.flatMap((shape) => [...shape.numbers])),
      strings: this.strings.unite(shapes.flatMap((shape) => [...shape.strings])),
      arrays: this.#uniteArrays(shapes.flatMap((shape) => [...shape.arrays])),
      objects: this.#uniteObjects(shapes.flatMap((shape) => [...shape.objects])),
    }
  }

  meetArrays(a: ArrayRecord, b: ArrayRecord): ArrayRecord | null {
    if (a === this.anyArray) return b
    if (b === this.anyArray || a === b) return a
    const length = Math.max(a.prefix.length, b.prefix.length)
    this.budget.spend(length)
    const prefix: Node[] = []
    for (let index = 0; index < length; index++)
      prefix.push(this.nodes.meet(itemAt(a, index), itemAt(b, index)))
    return this.settleArray({
      prefix,
      rest: this.nodes.meet(a.rest, b.rest),
      min: Math.max(a.min, b.min),
      max: Math.min(a.max, b.max),
      tallies: [...a.tallies, ...b.tallies],
      unique: a.unique ?? b.unique,
      blocked: joinBlocked(a.blocked, b.blocked),
    })
  }

  meetObjects(a: ObjectRecord, b: ObjectRecord): ObjectRecord | null {
    if (a === this.anyObject) return b
    if (b === this.anyObject || a === b) return a
    const { nodes } = this
    let { properties } = a
    this.budget.spend(a.required.size + b.required.size)
    if (b.properties.size > 0 || b.others !== this.keys.any) {
      this.budget.spend(a.properties.size + b.properties.size)
      const met = new Map<string, Node>()
      for (const [name, node] of a.properties) met.set(name, nodes.meet(node, propertyAt(b, name)))
      for (const [name, node] of b.properties) {
        if (!met.has(name)) met.set(name, nodes.meet(a.others.at(name), node))
      }
      properties = met
    }
    return this.settleObject({
      properties,
      others: this.keys.meet(a.others, b.others),
      required: uniteSets(a.required, b.required),
      min: Math.max(a.min, b.min),
      max: Math.min(a.max, b.max),
      demands: [...a.demands, ...b.demands],
      blocked: joinBlocked(a.blocked, b.blocked),
    })
  }

  /** Cuts the array where no item can stand; `null` if it cannot be long enough. */
  settleArray(written: ArrayRecord): ArrayRecord | null {
    const record = written.tallies.length === 0 ? written : this.#settleTallies(written)
    if (record === null) return null
    const { none } = this.nodes
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
    const { nodes } = this
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
        this.budget.spend(Math.max(prefix.length, from))
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
  settleObject(written: ObjectRecord): ObjectRecord | null {
    const { none } = this.nodes
    const declared = this.#declareFinite(written)
    const settled = declared.demands.length === 0 ? declared : this.#settleDemands(declared)
    if (settled === null) return null
    let { properties, others, required, min, max } = settled
    const nodeOf = (name: string): Node => properties.get(name) ?? others.at(name)
    for (const name of required) if (nodeOf(name) === none) return null
    if (max < Math.max(required.size, min)) return null
    if (required.size === max && (others !== this.keys.none || properties.size > required.size)) {
      // No room for anything else.
      const needed = new Map<string, Node>()
      for (const [name, node] of properties) needed.set(name, required.has(name) ? node : none)
      for (const name of required) if (!needed.has(name)) needed.set(name, others.at(name))
      properties = needed
      others = this.keys.none
    }
    if (min <= required.size) min = 0
    if (others === this.keys.none && (min > 0 || max !== Number.POSITIVE_INFINITY)) {
      const possible: string[] = []
      for (const [name, node] of properties) if (node !== none) possible.push(name)
      if (possible.length < min) return null
      if (possible.length === min) {
        required = uniteSets(required, new Set(possible))
        min = 0
      }
      if (max >= possible.length) max = Number.POSITIVE_INFINITY
    }
    return { ...settled, properties, others, required, min, max }
  }

  /** Declares the few names that a demand speaks of, and requires one that alone can meet it. */
  #settleDemands(record: ObjectRecord): ObjectRecord | null {
    const { nodes, strings } = this
    const properties = new Map(record.properties)
    const required = new Set(record.required)
    const nodeOf = (name: string): Node => properties.get(name) ?? record.others.at(name)
    const demands: Demand[] = []
    for (const demand of record.demands) {
      const { keys, value } = demand
      if (demands.some((other) => other.keys === keys && other.value === value)) continue
      this.budget.spend(1 + properties.size)
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
    const { names, rest } = this.keys.unfold(record.others)
    if (names.size === 0) return record
    this.budget.spend(record.properties.size + names.size)
    const properties = new Map(record.properties)
    for (const [name, node] of names) if (!properties.has(name)) properties.set(name, node)
    return { ...record, properties, others: rest }
  }

  #pairs<R>(as: readonly R[], bs: readonly R[], any: R, meet: (a: R, b: R) => R | null): readonly R[] {
    if (as.length === 0 || bs.length === 0) return []
    if (as.length === 1 && as[0] === any) return bs
    if (bs.length === 1 && bs[0] === any) return as
    const met: R[] = []
    this.budget.spend(as.length * bs.length)
    for (const a of as) {
      for (const b of bs) {
        const record = meet(a, b)
        if (record !== null) met.push(record)
      }
    }
    return met
  }

  #uniteArrays(records: readonly ArrayRecord[]): readonly ArrayRecord[] {
    if (records.length < 2) return records
    const any = records.find((record) => this.#isAnyArray(record))
    if (any !== undefined) return [this.anyArray]
    this.budget.spend(records.reduce((size, { prefix }) => size + prefix.length, 0))
    return distinct(records, arrayKey)
  }

  #uniteObjects(records: readonly ObjectRecord[]): readonly ObjectRecord[] {
    if (records.length < 2) return records
    const any = records.find((record) => this.#isAnyObject(record))
    if (any !== undefined) return [this.anyObject]
    let size = 0
    for (const { properties, required } of records) size += properties.size + required.size
    this.budget.spend(size)
    return distinct(records, objectKey)
  }

  #isAnyArray(record: ArrayRecord): boolean {
    return (
      record.blocked.length === 0 &&
      record.min === 0 &&
      record.max === Number.POSITIVE_INFINITY &&
      record.unique === null &&
      record.tallies.length === 0 &&
      record.rest === this.nodes.any &&
      record.prefix.every((node) => node === this.nodes.any)
    )
  }

  #isAnyObject(record: ObjectRecord): boolean {
    if (record.demands.length > 0) return false
    if (record.blocked.length > 0 || record.min > 0 || record.max !== Number.POSITIVE_INFINITY) return false
    if (record.required.size > 0 || record.others !== this.keys.any) return false
    for (const node of record.properties.values()) if (node !== this.nodes.any) return false
    return true
  }
}

function meetScalar(a: Blocked | null, b: Blocked | null): Blocked | null {
  return a === null || b === null ? null : joinBlocked(a, b)
}

function uniteScalars(all: readonly (Blocked | null)[]): Blocked | null {
  let united: Blocked | null = null
  for (const blocked of all) {
    if (blocked === null) continue
    if (blocked.length === 0) return blocked
    united = united === null ? blocked : joinBlocked(united, blocked)
  }
  return united
}

function uniteSets(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a.size === 0) return b
  for (const name of b) if (!a.has(name)) return new Set([...a, ...b])
  return a
}

function distinct<R>(records: readonly R[], key: (record: R) => string): readonly R[] {
  const seen = new Map<string, R>()
  for (const record of records) {
    const id = key(record)
    if (!seen.has(id)) seen.set(id, record)
  }
  return seen.size === records.length ? records : [...seen.values()]
}

function blockedKey(blocked: Blocked): string {
  return blocked.map(({ pointer, keyword }) => `${pointer} ${keyword}`).join()
}

function arrayKey({ prefix, rest, min, max, tallies, unique, blocked }: ArrayRecord): string {
  const counted = tallies.map((tally) => `${tally.node.id} ${tally.from} ${tally.min} ${tally.max}`).join()
  return `${counted}/${prefix.map(({ id }) => id).join()}/${rest.id}/${min}/${max}/${unique === null}/${blockedKey(blocked)}`
}

function objectKey({ properties, others, required, min, max, demands, blocked }: ObjectRecord): string {
  const demanded = demands.map(({ keys, value }) => `${keys.id} ${value.id}`).join()
  const named: string[] = []
  for (const [name, node] of properties) named.push(JSON.stringify(name), String(node.id))
  const needed = JSON.stringify([...required].sort())
  return `${named.join()}/${needed}/${others.id}/${demanded}/${min}/${max}/${blockedKey(blocked)}`
}
