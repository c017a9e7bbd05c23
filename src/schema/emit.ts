/**
 * Shapes to grammar rules. A node with containers becomes a rule, so recursion is a call and the grammar is as large as
 * the schema; scalars stand where they are used. Only what some value satisfies is emitted: a property that cannot be
 * satisfied is forbidden, an array ends where no item can stand.
 */

import type { Expr, GrammarBuilder, Property, Terminal } from '../grammar/grammar.ts'
import { formatDecimal } from '../json/decimal.ts'
import { quote } from '../json/print.ts'
import type { Expander } from './expand.ts'
import { EXACT_MODE, type Node } from './node.ts'
import { isUnit, point, pointOf, valuesOf } from './numbers.ts'
import type { ResolvedOptions } from './options.ts'
import {
  type ArrayRecord,
  type Blocked,
  type NumberRecord,
  type ObjectRecord,
  propertyAt,
  type Shape,
} from './shape.ts'

/** Multiples written out one by one. */
const MAX_VALUES = 1_000

export class Emitter {
  readonly #builder: GrammarBuilder
  readonly #expander: Expander
  readonly #options: ResolvedOptions
  readonly #rules = new Map<Node, number>()
  readonly #waiting: Node[] = []
  readonly #prefix: string

  constructor(builder: GrammarBuilder, expander: Expander, options: ResolvedOptions, prefix: string) {
    this.#builder = builder
    this.#expander = expander
    this.#options = options
    this.#prefix = prefix
  }

  /** The rule of the node and of all it leads to. The node is productive. */
  emit(root: Node): Extract<Expr, { type: 'call' }> {
    const rule = this.#declare(root, this.#prefix === '' ? 'root' : this.#prefix)
    for (let node = this.#waiting.pop(); node !== undefined; node = this.#waiting.pop()) {
      this.#builder.define(this.#rules.get(node) as number, this.#body(this.#expander.shape(node)))
    }
    return { type: 'call', rule }
  }

  #declare(node: Node, name: string): number {
    const rule = this.#builder.declare(name)
    this.#rules.set(node, rule)
    this.#waiting.push(node)
    return rule
  }

  /** A call of the node's rule, or what the node is, in place. */
  #use(node: Node): Expr {
    const known = this.#rules.get(node)
    if (known !== undefined) return { type: 'call', rule: known }
    const shape = this.#expander.shape(node)
    if (shape.arrays.length === 0 && shape.objects.length === 0) return this.#body(shape)
    return { type: 'call', rule: this.#declare(node, this.#nameOf(node)) }
  }

  #nameOf(node: Node): string {
    const name =
      node === this.#expander.nodes.any
        ? 'value'
        : node.label.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
    return [this.#prefix, name === '' ? 'rule' : name].filter((part) => part !== '').join('-')
  }

  #body(shape: Shape): Expr {
    const options: Expr[] = []
    const texts: string[] = []
    this.#scalars(shape, texts, options)
    for (const record of shape.arrays) {
      if (!this.#expander.satisfiability.isRecordProductive(record, EXACT_MODE)) continue
      options.push(this.#array(record))
    }
    for (const record of shape.objects) {
      if (!this.#expander.satisfiability.isRecordProductive(record, EXACT_MODE)) continue
      options.push(this.#object(record))
    }
    if (texts.length > 0) options.unshift(terminal({ kind: 'texts', texts }, 'literal'))
    const only = options[0]
    return options.length === 1 && only !== undefined ? only : { type: 'choice', options }
  }

  #scalars(shape: Shape, texts: string[], options: Expr[]): void {
    const { report } = this.#expander
    const { nulls, trues, falses } = shape
    for (const [blocked, text] of [
      [nulls, 'null'],
      [trues, 'true'],
      [falses, 'false'],
    ] as const) {
      if (blocked === null) continue
      this.#refuse(blocked)
      texts.push(text)
    }
    for (const { values, language, min, max, blocked } of shape.strings) {
      this.#refuse(blocked)
      if (values === null) {
        options.push(terminal({ kind: 'string', language, minLength: min, maxLength: max }, 'string'))
      } else {
        report.generalNarrowing('strings of enum and const, and keys, have one spelling')
        for (const value of values) texts.push(quote(value))
      }
    }
    for (const record of shape.numbers) {
      this.#refuse(record.blocked)
      this.#number(record, texts, options)
    }
  }

  #number(record: NumberRecord, texts: string[], options: Expr[]): void {
    let { intervals } = record
    // A step of whole numbers means integers, also where it cannot be kept.
    const integer = record.step !== null && record.step.exponent >= 0
    if (record.step !== null && !isUnit(record.step)) {
      const values = valuesOf(record, MAX_VALUES)
      if (values !== null) intervals = values.map(point)
      else if (record.stepProblem !== null) this.#refuse([record.stepProblem])
    }
    if (this.#options.numbers === 'plain') {
      this.#expander.report.generalNarrowing(
        'numbers have one spelling, without exponent or a fraction of zero',
      )
      // Single values are texts, whatever stands beside them.
      for (const interval of intervals) {
        const value = pointOf(interval)
        if (value !== null && fits(value.exponent)) texts.push(formatDecimal(value))
      }
      intervals = intervals.filter((interval) => {
        const value = pointOf(interval)
        return value === null || !fits(value.exponent)
      })
    }
    if (intervals.length === 0) return
    const notation = record.digitsOnly ? 'plain' : this.#options.numbers
    options.push(terminal({ kind: 'number', integer, intervals, notation }, 'number'))
  }

  #array(record: ArrayRecord): Expr {
    const isProductive = (node: Node): boolean => this.#expander.isProductive(node)
    let max = record.max
    const prefix: Expr[] = []
    for (const node of record.prefix) {
      if (!isProductive(node)) {
        max = Math.min(max, prefix.length)
        break
      }
      prefix.push(this.#use(node))
    }
    const rest = max > prefix.length && isProductive(record.rest) ? this.#use(record.rest) : null
    if (rest === null) max = Math.min(max, prefix.length)
    this.#refuse(record.blocked)
    if (record.unique !== null && max > 1) this.#refuse([record.unique])
    return { type: 'array', prefix, rest, min: record.min, max }
  }

  #object(written: ObjectRecord): Expr {
    const { nodes, shapes, report } = this.#expander
    const isProductive = (node: Node): boolean => this.#expander.isProductive(node)
    const pruned = new Map<string, Node>()
    for (const [name, node] of written.properties) pruned.set(name, isProductive(node) ? node : nodes.none)
    for (const name of written.required) if (!pruned.has(name)) pruned.set(name, written.additional)
    const candidate = {
      ...written,
      properties: pruned,
      additional: isProductive(written.additional) ? written.additional : nodes.none,
    }
    const settled = shapes.settleObject(candidate)
    if (settled === null && written.minProblem !== null) this.#refuse([written.minProblem])
    const record = settled ?? candidate
    this.#refuse(record.blocked)

    const properties: Property[] = []
    const forbidden: string[] = []
    for (const name of record.properties.keys()) {
      const node = propertyAt(record, name)
      if (node === nodes.none) forbidden.push(name)
      else properties.push({ name, required: record.required.has(name), value: this.#use(node) })
    }
    const open = record.additional !== nodes.none
    if (record.min > record.required.size && record.minProblem !== null) this.#refuse([record.minProblem])
    if (
      (open || properties.length > record.max) &&
      record.max !== Number.POSITIVE_INFINITY &&
      record.maxProblem !== null
    ) {
      this.#refuse([record.maxProblem])
    }
    if (properties.length > 0) {
      report.generalNarrowing('strings of enum and const, and keys, have one spelling')
      if (this.#options.propertyOrder === 'schema' && (open || properties.length > 1)) {
        report.generalNarrowing('properties come in the order of the schema, then additional ones')
      }
    }
    return {
      type: 'object',
      properties,
      additional: open ? this.#use(record.additional) : null,
      order: this.#options.propertyOrder,
      ...(open && forbidden.length > 0 ? { forbidden } : {}),
    }
  }

  #refuse(blocked: Blocked): void {
    for (const problem of blocked) this.#expander.report.unenforceable(problem)
  }
}

/** Whether plain digits are a reasonable spelling. */
function fits(exponent: number): boolean {
  return Math.abs(exponent) <= 400
}

function terminal(description: Terminal, frame: 'literal' | 'string' | 'number'): Expr {
  return { type: 'terminal', terminal: description, frame }
}
