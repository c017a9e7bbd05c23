/**
 * Judges values by the records of a schema's shapes, before anything is emitted: what the grammar cannot say yet (tallies,
 * demands, numbers that are no multiples) is judged too.
 */
import { containsDecimal, parseDecimal } from '../../src/json/decimal.ts'
import { readJson } from '../../src/json/read.ts'
import { JsonNumber, type JsonValue } from '../../src/json/value.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'
import { Expander } from '../../src/schema/expand.ts'
import type { Node } from '../../src/schema/node.ts'
import { resolveOptions } from '../../src/schema/options.ts'
import { Report } from '../../src/schema/report.ts'
import {
  type ArrayRecord,
  type Blocked,
  itemAt,
  type NumberRecord,
  type ObjectRecord,
  propertyAt,
} from '../../src/schema/shape.ts'
import { isMultiple } from '../../src/schema/steps.ts'

class BlockedRecord extends Error {
  override readonly name = 'BlockedRecord'
}

export class ShapeJudge {
  readonly #expander: Expander
  readonly #root: Node
  /** Whether the schema is decided to have a value. */
  readonly isSatisfiable: boolean

  constructor(schema: string) {
    const options = resolveOptions({ propertyOrder: 'any' })
    this.#expander = new Expander(readJson(schema), new RegexBuilder(), options, new Report(false))
    this.#root = this.#expander.document.rootNode()
    this.isSatisfiable = this.#expander.isProductive(this.#root)
  }

  /** As `accepts`; `undefined` where a record is blocked. */
  verdict(text: string): boolean | undefined {
    try {
      return this.accepts(text)
    } catch (error) {
      if (error instanceof BlockedRecord) return undefined
      throw error
    }
  }

  accepts(text: string): boolean {
    return this.#node(this.#root, readJson(text))
  }

  #node(node: Node, value: JsonValue): boolean {
    const shape = this.#expander.shape(node)
    const { strings } = this.#expander.shapes
    const any = <R extends { readonly blocked: Blocked }>(
      records: readonly R[],
      test: (record: R) => boolean,
    ): boolean =>
      records.some((record) => {
        if (record.blocked.length > 0) throw new BlockedRecord('a record is blocked')
        return test(record)
      })
    if (value === null) return shape.nulls !== null
    if (value === true) return shape.trues !== null
    if (value === false) return shape.falses !== null
    if (typeof value === 'string') return any(shape.strings, (record) => strings.accepts(record, value))
    if (value instanceof JsonNumber) return any(shape.numbers, (record) => hasNumber(record, value))
    if (value instanceof Map) return any(shape.objects, (record) => this.#object(record, value))
    return any(shape.arrays, (record) => this.#array(record, value))
  }

  #array({ tallies, ...record }: ArrayRecord, items: readonly JsonValue[]): boolean {
    if (items.length < record.min || items.length > record.max) return false
    if (!items.every((item, index) => this.#node(itemAt({ tallies, ...record }, index), item))) return false
    return tallies.every(({ node, from, min, max }) => {
      const count = items.filter((item, index) => index >= from && this.#node(node, item)).length
      return count >= min && count <= max
    })
  }

  #object(record: ObjectRecord, entries: ReadonlyMap<string, JsonValue>): boolean {
    const { strings } = this.#expander.shapes
    if (entries.size < record.min || entries.size > record.max) return false
    for (const name of record.required) if (!entries.has(name)) return false
    for (const [name, item] of entries) if (!this.#node(propertyAt(record, name), item)) return false
    const { implies, excludes } = record.ties
    for (const name of entries.keys()) {
      for (const other of implies.get(name) ?? []) if (!entries.has(other)) return false
      for (const other of excludes.get(name) ?? []) if (entries.has(other)) return false
    }
    return record.demands.every(({ keys, value }) =>
      [...entries].some(([name, item]) => strings.matches(keys, name) && this.#node(value, item)),
    )
  }
}

function hasNumber({ intervals, step, excluded }: NumberRecord, { text }: JsonNumber): boolean {
  const value = parseDecimal(text)
  if (!intervals.some((interval) => containsDecimal(interval, value))) return false
  return (step === null || isMultiple(value, step)) && !excluded.some((other) => isMultiple(value, other))
}
