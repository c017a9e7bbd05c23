/**
 * Shapes to grammar rules. A node with containers becomes a rule, so recursion is a call and the grammar is as large as
 * the schema; scalars stand where they are used. Only what some value satisfies is emitted: a property that cannot be
 * satisfied is forbidden, an array ends where no item can stand.
 */

import { LimitError } from '../errors.ts'
import {
  type Alternative,
  type Expr,
  type GrammarBuilder,
  type KeyClass,
  MAX_DEMANDS,
  type Property,
  type Terminal,
} from '../grammar/grammar.ts'
import { containsDecimal, type Decimal, formatDecimal, parseDecimal } from '../json/decimal.ts'
import { point, pointOf } from '../json/intervals.ts'
import { quote } from '../json/print.ts'
import { MAX_EXPONENT } from './constants.ts'
import type { Expander } from './expand.ts'
import { markedNodes, type Piece, piecesOf } from './marks.ts'
import { EXACT_MODE, type Node } from './node.ts'
import { valuesOf, writeOut } from './numbers.ts'
import type { ResolvedOptions } from './options.ts'
import {
  type ArrayRecord,
  type Blocked,
  type Demand,
  INTEGER_STEP,
  type NumberRecord,
  type ObjectRecord,
  propertyAt,
  type Shape,
  type Ties,
} from './shape.ts'
import { spellOut } from './spelled.ts'
import { isUnit } from './steps.ts'
import { type Choice, choicesOf } from './tally.ts'

/** Digits of a step whose remainders the automaton of numbers can keep. */
const MAX_STEP_DIGITS = 14
const ZERO = parseDecimal('0')
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
      this.#builder.define(this.#rules.get(node) as number, this.#body(node))
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
    if (shape.arrays.length === 0 && shape.objects.length === 0) return this.#body(node)
    return { type: 'call', rule: this.#declare(node, this.#nameOf(node)) }
  }

  #nameOf(node: Node): string {
    const name =
      node === this.#expander.nodes.any
        ? 'value'
        : node.label.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
    return [this.#prefix, name === '' ? 'rule' : name].filter((part) => part !== '').join('-')
  }

  #body(node: Node): Expr {
    const { satisfiability, shapes } = this.#expander
    const shape = this.#expander.shape(node)
    const options: Expr[] = []
    const texts: string[] = []
    this.#scalars(shape, node, texts, options)
    for (const record of shape.arrays) {
      const emit = (): Expr[] =>
        satisfiability.isRecordProductive(record, EXACT_MODE) ? [this.#array(record)] : []
      options.push(...this.#within(node, emit, () => [this.#array(shapes.anyArray)]))
    }
    for (const written of shape.objects) {
      const emit = (): Expr[] =>
        spellOut(written, shapes)
          .filter((record) => satisfiability.isRecordProductive(record, EXACT_MODE))
          .map((record) => this.#object(record))
      options.push(...this.#within(node, emit, () => [this.#object(shapes.anyObject)]))
    }
    if (texts.length > 0) options.unshift(terminal({ kind: 'texts', texts }, 'literal'))
    const only = options[0]
    return options.length === 1 && only !== undefined ? only : { type: 'choice', options }
  }

  /** What is emitted of a record; `otherwise` stands for it where a limit is met, which is reported. */
  #within<T>(node: Node, emit: () => T, otherwise: () => T): T {
    try {
      return emit()
    } catch (error) {
      this.#expander.report.unenforceable(this.#expander.limited.problem(error, node.pointer))
      return otherwise()
    }
  }

  #scalars(shape: Shape, node: Node, texts: string[], options: Expr[]): void {
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
        report.generalNarrowing('surrogates')
        options.push(terminal({ kind: 'string', language, minLength: min, maxLength: max }, 'string'))
      } else {
        report.generalNarrowing('spelling')
        for (const value of values) texts.push(quote(value))
      }
    }
    for (const record of shape.numbers) {
      this.#refuse(record.blocked)
      const written = texts.length
      this.#within(
        node,
        () => this.#number(writeOut(record, MAX_VALUES) ?? record, texts, options),
        () => {
          texts.length = written
          const integer = record.step !== null && record.step.exponent >= 0
          this.#number({ ...record, step: integer ? INTEGER_STEP : null, excluded: [] }, texts, options)
        },
      )
    }
  }

  #number(record: NumberRecord, texts: string[], options: Expr[]): void {
    let { intervals } = record
    let multipleOf: Decimal | null = null
    if (record.partial) {
      this.#expander.report.generalNarrowing('fractions')
    }
    const integer = record.step !== null && record.step.exponent >= 0
    if (record.step !== null && !isUnit(record.step)) {
      const values = valuesOf(record, MAX_VALUES)
      if (values !== null) intervals = values.map(point)
      else multipleOf = record.step
    }
    if (this.#options.numbers === 'plain') {
      this.#expander.report.generalNarrowing('notation')
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
    for (const { mantissa } of [...(multipleOf === null ? [] : [multipleOf]), ...record.excluded]) {
      const digits = mantissa.toString().length
      if (digits > MAX_STEP_DIGITS)
        throw new LimitError('digits of multipleOf', MAX_STEP_DIGITS, digits, 'round multipleOf')
    }
    if (
      this.#options.numbers === 'any' ||
      !integer ||
      intervals.some(({ min, max }) => min === null || max === null)
    )
      this.#expander.report.generalNarrowing('size')
    const notation = record.digitsOnly ? 'plain' : this.#options.numbers
    // Digits only, as draft 4 has it, and yet not the plain spelling.
    if (
      record.digitsOnly &&
      // Zero is a multiple of every step.
      record.excluded.length === 0 &&
      this.#options.numbers === 'any' &&
      intervals.some((interval) => containsDecimal(interval, ZERO))
    )
      texts.push('-0')
    options.push(
      terminal(
        {
          kind: 'number',
          integer,
          intervals,
          notation,
          ...(multipleOf === null ? {} : { multipleOf }),
          ...(record.excluded.length === 0 ? {} : { notMultiplesOf: record.excluded }),
        },
        'number',
      ),
    )
  }

  #array(record: ArrayRecord): Expr {
    this.#noteSpace()
    this.#refuse(record.blocked)
    const undecided =
      record.unique !== null && this.#expander.satisfiability.unique(EXACT_MODE).decide(record) === 'unknown'
    if (undecided) this.#refuse([record.unique!])
    // What is not enforced must not be offered either: it could leave no end.
    const unique = record.unique !== null && !undecided && record.max > 1 ? { unique: true } : {}
    if (record.tallies.length > 0) return { ...this.#counted(record), ...unique }
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
    return { type: 'array', prefix, rest, min: record.min, max, ...unique }
  }

  /** Items that count for something and items that do not are told apart at each position. */
  #counted(record: ArrayRecord): Extract<Expr, { type: 'array' }> {
    const { prefix, rest } = choicesOf(record, this.#expander.nodes)
    const alternatives = (choices: readonly Choice[]): Alternative[] =>
      choices
        .filter(({ node }) => this.#expander.isProductive(node))
        .map(({ node, marks }) => ({ value: this.#use(node), marks }))
    const counted = {
      tallies: record.tallies.map(({ min, max }) => ({ min, max })),
      prefix: prefix.map(alternatives),
      rest: alternatives(rest),
    }
    return { type: 'array', prefix: [], rest: null, min: record.min, max: record.max, counted }
  }

  #object(written: ObjectRecord): Expr {
    const { nodes, shapes, report } = this.#expander
    this.#noteSpace()
    const isProductive = (node: Node): boolean => this.#expander.isProductive(node)
    const pruned = new Map<string, Node>()
    for (const [name, node] of written.properties) pruned.set(name, isProductive(node) ? node : nodes.none)
    for (const name of written.required) if (!pruned.has(name)) pruned.set(name, written.others.at(name))
    // Productive records stay so: what they need is left.
    const record = shapes.settleObject({
      ...written,
      properties: pruned,
      others: shapes.keys.filter(written.others, isProductive),
    }) as ObjectRecord
    this.#refuse(record.blocked)
    let { demands } = record
    if (demands.length > MAX_DEMANDS) {
      this.#refuse(demands.map(({ problem }) => problem))
      demands = []
    }

    const { pieces, names } = piecesOf({ ...record, demands }, shapes)
    const properties: Property[] = []
    const forbidden: string[] = []
    const tied = [...record.ties.implies, ...record.ties.excludes].flatMap(([name, others]) => [
      name,
      ...others,
    ])
    const declared = [...record.properties.keys(), ...record.required, ...names.keys(), ...tied]
    for (const name of new Set(declared)) {
      const node = propertyAt(record, name)
      if (node !== nodes.none) {
        const spoken = demands.filter(({ keys }) => shapes.strings.matches(keys, name))
        const value = this.#entry(node, spoken, demands)
        properties.push({ name, required: record.required.has(name), value, ...tiesOf(name, record.ties) })
      } else if (record.others.at(name) !== nodes.none) forbidden.push(name)
    }
    const { additional, classes } = this.#further(pieces, demands)
    const open = additional !== null || classes.length > 0
    if (properties.length > 0 || classes.length > 0) {
      report.generalNarrowing('spelling')
      if (this.#options.propertyOrder === 'schema' && (open || properties.length > 1)) {
        report.generalNarrowing('order')
      }
    }
    const max = Math.min(record.max, this.#supply(record, pieces))
    if (record.min > max)
      throw new LimitError(
        'minProperties of an object with few names',
        max,
        record.min,
        'lower minProperties',
      )
    return {
      type: 'object',
      properties,
      additional,
      order: this.#options.propertyOrder,
      ...(forbidden.length > 0 ? { forbidden } : {}),
      ...(classes.length > 0 ? { classes } : {}),
      ...(record.min > 0 ? { minProperties: record.min } : {}),
      ...(max !== Number.POSITIVE_INFINITY ? { maxProperties: max } : {}),
      ...(demands.length > 0 ? { demands: demands.length } : {}),
    }
  }

  /** The value of an entry of whose key some demands speak. */
  #entry(value: Node, spoken: readonly Demand[], demands: readonly Demand[]): Expr {
    if (spoken.length === 0) return this.#use(value)
    const { shapes } = this.#expander
    const ways = markedNodes(value, spoken, demands, shapes, (node) => this.#expander.isProductive(node))
    if (ways.every(({ marks }) => marks === 0)) return this.#use(value)
    return { type: 'marked', options: ways.map(({ node, marks }) => ({ value: this.#use(node), marks })) }
  }

  /** What further keys there are: any, or those of some languages. */
  #further(
    pieces: readonly Piece[],
    demands: readonly Demand[],
  ): { additional: Expr | null; classes: KeyClass[] } {
    const entryOf = (piece: Piece): Expr => this.#entry(piece.value, piece.demands, demands)
    const first = pieces[0]
    if (first !== undefined && first.keys.kind === 'all') return { additional: entryOf(first), classes: [] }
    return { additional: null, classes: pieces.map((piece) => ({ keys: piece.keys, value: entryOf(piece) })) }
  }

  /**
   * How many properties there can be before the keys of some language run out: those that are finite and too many to be
   * declared. `Infinity` where none does.
   */
  #supply({ properties, required }: ObjectRecord, pieces: readonly Piece[]): number {
    const { strings } = this.#expander.shapes
    let least = Number.POSITIVE_INFINITY
    for (const { keys } of pieces) {
      let count = strings.countOf(keys)
      if (count === Number.POSITIVE_INFINITY) continue
      for (const name of new Set([...properties.keys(), ...required]))
        if (strings.matches(keys, name)) count--
      least = Math.min(least, count)
    }
    if (least !== Number.POSITIVE_INFINITY) {
      this.#expander.report.generalNarrowing('names')
    }
    return least
  }

  #noteSpace(): void {
    if (this.#options.layout.whitespace !== 'any') this.#expander.report.generalNarrowing('space')
  }

  #refuse(blocked: Blocked): void {
    for (const problem of blocked) this.#expander.report.unenforceable(problem)
  }
}

/** What the name brings and excludes, where it does. */
function tiesOf(name: string, { implies, excludes }: Ties): Pick<Property, 'implies' | 'excludes'> {
  const [brought, excluded] = [implies.get(name), excludes.get(name)]
  return {
    ...(brought === undefined ? {} : { implies: [...brought] }),
    ...(excluded === undefined ? {} : { excludes: [...excluded] }),
  }
}

/** Whether plain digits are a reasonable spelling. */
function fits(exponent: number): boolean {
  return Math.abs(exponent) <= MAX_EXPONENT
}

function terminal(description: Terminal, frame: 'literal' | 'string' | 'number'): Expr {
  return { type: 'terminal', terminal: description, frame }
}
