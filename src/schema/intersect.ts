/**
 * Conjunction and union of shapes, record by record. The conjunction of two unions is the union of all pairs, so its
 * cost is the product of their sizes; every pair is counted. Records that are empty by themselves are dropped at once;
 * emptiness that hangs on other nodes is decided in `satisfy.ts`.
 */
import { KeyMaps } from './keys.ts'
import type { Node, NodeTable } from './node.ts'
import { meetNumbers, uniteNumbers } from './numbers.ts'
import type { Budget } from './options.ts'
import { Settler, uniteSets } from './settle.ts'
import {
  ANY_NUMBER,
  ANY_STRING,
  type ArrayRecord,
  type Blocked,
  EXACT,
  itemAt,
  joinBlocked,
  type ObjectRecord,
  propertyAt,
  type Shape,
} from './shape.ts'
import type { Strings } from './strings.ts'
import { NO_TIES, tiesKey, uniteTies } from './ties.ts'

export class Shapes {
  readonly nodes: NodeTable
  readonly strings: Strings
  readonly keys: KeyMaps
  readonly budget: Budget
  readonly anyArray: ArrayRecord
  readonly anyObject: ObjectRecord
  readonly any: Shape
  readonly #settler: Settler

  constructor(nodes: NodeTable, strings: Strings, budget: Budget) {
    this.nodes = nodes
    this.strings = strings
    this.keys = new KeyMaps(nodes, strings, budget)
    this.#settler = new Settler(nodes, this.keys, strings, budget)
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
      ties: NO_TIES,
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
      ties: uniteTies(a.ties, b.ties),
      blocked: joinBlocked(a.blocked, b.blocked),
    })
  }

  /** Whether the shape allows everything that is no object. */
  isAnyBesideObjects({ nulls, trues, falses, numbers, strings, arrays }: Shape): boolean {
    const isExact = (blocked: Blocked | null): boolean => blocked !== null && blocked.length === 0
    return (
      isExact(nulls) &&
      isExact(trues) &&
      isExact(falses) &&
      numbers[0] === ANY_NUMBER &&
      strings[0] === ANY_STRING &&
      arrays[0] === this.anyArray
    )
  }

  settleArray(record: ArrayRecord): ArrayRecord | null {
    return this.#settler.array(record)
  }

  settleObject(record: ObjectRecord): ObjectRecord | null {
    return this.#settler.object(record)
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
    if (record.demands.length > 0 || record.ties !== NO_TIES) return false
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

function objectKey(record: ObjectRecord): string {
  const { properties, others, required, min, max, demands, ties, blocked } = record
  const demanded = demands.map(({ keys, value }) => `${keys.id} ${value.id}`).join()
  const named: string[] = []
  for (const [name, node] of properties) named.push(JSON.stringify(name), String(node.id))
  const needed = JSON.stringify([...required].sort())
  return `${named.join()}/${needed}/${others.id}/${demanded}/${tiesKey(ties)}/${min}/${max}/${blockedKey(blocked)}`
}
