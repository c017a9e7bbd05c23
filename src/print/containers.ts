/**
 * Objects and arrays as GBNF: sequences of entries with what stands between them, which is the layout's.
 *
 * Where one entry has nothing to say of another but for their order, the print is exact. What is remembered from one to
 * another (keys that are there already, in any order those that are still needed, counts of entries and items of some kind,
 * items that must differ) no context-free grammar of reasonable size has: it is left out, and said to be.
 */
import type { Expr, Property } from '../grammar/grammar.ts'
import { quote } from '../json/print.ts'
import { ANY } from '../regex/charset.ts'
import type { Regex } from '../regex/regex.ts'
import type { Gaps } from './layout.ts'
import { choiceOf, EMPTY, literalOf, type Piece, repeatOf, sequenceOf } from './notation.ts'
import type { Languages } from './regular.ts'
import type { Rules } from './rules.ts'
import type { Characters } from './spelling.ts'

export type ObjectExpr = Extract<Expr, { type: 'object' }>
export type ArrayExpr = Extract<Expr, { type: 'array' }>

/** Entries, of which the first may come first, that stand in one line; further ones are rules. */
const MAX_IN_LINE = 4
/** Optional items within one another. */
const MAX_NESTING = 6
/** Beyond this what stands twice is a rule. */
const MAX_TWICE = 30

const LEFT_OUT = {
  twice: 'that no key comes twice, and that further keys are none of the declared ones',
  order: 'of objects with keys in any order, that no key comes twice and that required ones come',
  entries: 'how many entries some objects have',
  ties: 'which keys bring or exclude others',
  demands: 'what some entry of an object must hold',
  tallies: 'how many items of an array are of some kind',
  differ: 'that items of an array differ',
} as const

/** What prints values within a container. */
export interface ValuePrinter {
  readonly rules: Rules
  readonly characters: Characters
  readonly languages: Languages
  value(expr: Expr): Piece
}

export class ContainerPrinter {
  readonly #printer: ValuePrinter
  readonly #gaps: Gaps
  /** Of the rule in which the container stands. */
  readonly #name: string

  constructor(printer: ValuePrinter, gaps: Gaps, name: string) {
    this.#printer = printer
    this.#gaps = gaps
    this.#name = name
  }

  object(expr: ObjectExpr): Piece {
    const { rules } = this.#printer
    const { properties, additional, order, demands = 0 } = expr
    const classes = expr.classes ?? []
    const further = additional !== null || classes.length > 0 ? this.#further(expr) : null
    if (further !== null) rules.leaveOut(LEFT_OUT.twice)
    if (demands > 0) rules.leaveOut(LEFT_OUT.demands)
    if (properties.some(({ implies, excludes }) => implies !== undefined || excludes !== undefined))
      rules.leaveOut(LEFT_OUT.ties)
    const entries = properties.map((property) => this.#entry(property))
    const isOrdered =
      order === 'schema' || properties.length === 0 || (properties.length === 1 && further === null)
    return isOrdered ? this.#ordered(expr, entries, further) : this.#unordered(expr, entries, further)
  }

  /** An entry whose key is not declared. */
  #further({ additional, classes = [] }: ObjectExpr): Piece {
    const { languages, characters, rules } = this.#printer
    const quoted = (content: Piece): Piece => sequenceOf([literalOf('"'), content, literalOf('"')])
    const entry = (key: Piece, value: Expr): Piece =>
      sequenceOf([key, this.#gaps.colon, this.#printer.value(value)])
    if (additional !== null) {
      const any = repeatOf(characters.of(ANY, 'key'), 0, Number.POSITIVE_INFINITY)
      return this.#once(entry(rules.shared('key', quoted(any)), additional), 'entry')
    }
    const key = (keys: Regex): Piece => quoted(languages.of(keys, 'key', `${this.#name}-key`))
    return this.#once(choiceOf(classes.map(({ keys, value }) => entry(key(keys), value))), 'entry')
  }

  #entry({ name, value }: Property): Piece {
    const { colon } = this.#gaps
    const key = quote(name)
    // The colon is part of the literal where it follows at once.
    const [text, behind] = colon.text.startsWith('":') ? [`${key}:`, this.#gaps.afterColon] : [key, colon]
    return sequenceOf([literalOf(text), behind, this.#printer.value(value)])
  }

  /** A piece that will stand in several places, as a rule if it is long. */
  #once(piece: Piece, what: string): Piece {
    return piece.text.length > MAX_TWICE ? this.#printer.rules.add(`${this.#name}-${what}`, piece) : piece
  }

  #ordered(expr: ObjectExpr, entries: readonly Piece[], further: Piece | null): Piece {
    const { properties, minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = expr
    const { comma } = this.#gaps
    if (maxProperties === 0) return this.#gaps.container('{', null, true)
    if (entries.length === 0) {
      if (further === null) return this.#gaps.container('{', null, true)
      return this.#gaps.container(
        '{',
        this.#list(further, Math.max(1, minProperties), maxProperties),
        minProperties === 0,
      )
    }
    const required = properties.filter((property) => property.required).length
    const most = further === null ? entries.length : Number.POSITIVE_INFINITY
    if (maxProperties < most || (minProperties > required && minProperties > 1))
      this.#printer.rules.leaveOut(LEFT_OUT.entries)
    const rest =
      further === null ? EMPTY : repeatOf(sequenceOf([comma, further]), 0, Number.POSITIVE_INFINITY)
    const first = properties.findIndex((property) => property.required)
    if (first >= 0) {
      const before = entries.slice(0, first).map((entry) => repeatOf(sequenceOf([entry, comma]), 0, 1))
      const behind = entries.slice(first + 1).map((entry, i) => {
        const next = sequenceOf([comma, entry])
        return properties[first + 1 + i]!.required ? next : repeatOf(next, 0, 1)
      })
      return this.#gaps.container('{', sequenceOf([...before, entries[first]!, ...behind, rest]), false)
    }
    // Any may be the first: what may follow each is the end of one list.
    const shared = entries.map((entry, i) => this.#once(entry, properties[i]!.name))
    const options: Piece[] = further === null ? [] : [sequenceOf([further, rest])]
    let behind = rest
    for (let i = shared.length - 1; i >= 0; i--) {
      options.unshift(sequenceOf([shared[i]!, behind]))
      if (i === 0) break
      behind = sequenceOf([repeatOf(sequenceOf([comma, shared[i]!]), 0, 1), behind])
      if ((shared.length - i) % MAX_IN_LINE === 0)
        behind = this.#printer.rules.add(`${this.#name}-from-${properties[i]!.name}`, behind)
    }
    return this.#gaps.container('{', choiceOf(options), minProperties === 0)
  }

  #unordered(expr: ObjectExpr, entries: readonly Piece[], further: Piece | null): Piece {
    const { properties, minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = expr
    this.#printer.rules.leaveOut(LEFT_OUT.order)
    const required = properties.filter((property) => property.required).length
    const min = Math.max(minProperties, required)
    const max = Math.min(maxProperties, further === null ? entries.length : Number.POSITIVE_INFINITY)
    const entry = choiceOf(further === null ? entries : [...entries, further])
    if (max === 0) return this.#gaps.container('{', null, true)
    return this.#gaps.container('{', this.#list(this.#once(entry, 'entry'), Math.max(1, min), max), min === 0)
  }

  /** A piece `min` to `max` times, at least once, with commas. */
  #list(piece: Piece, min: number, max: number): Piece {
    const { comma } = this.#gaps
    return sequenceOf([piece, repeatOf(sequenceOf([comma, piece]), min - 1, max - 1)])
  }

  array(expr: ArrayExpr): Piece {
    const { rules } = this.#printer
    const { counted, unique = false, min, max } = expr
    if (unique && max > 1) rules.leaveOut(LEFT_OUT.differ)
    if (counted !== undefined && counted.tallies.length > 0) rules.leaveOut(LEFT_OUT.tallies)
    const one = (alternatives: readonly { readonly value: Expr }[]): Piece =>
      choiceOf(alternatives.map(({ value }) => this.#printer.value(value)))
    const prefix =
      counted === undefined
        ? expr.prefix.map((item) => this.#printer.value(item))
        : counted.prefix.filter((alternatives) => alternatives.length > 0).map(one)
    const last =
      counted === undefined
        ? expr.rest === null
          ? null
          : this.#printer.value(expr.rest)
        : counted.rest.length === 0
          ? null
          : one(counted.rest)
    const rest = last === null || max <= prefix.length ? null : this.#once(last, 'item')
    const most = rest === null ? Math.min(prefix.length, max) : max
    if (most === 0) return this.#gaps.container('[', null, true)
    return this.#gaps.container('[', this.#items(prefix.slice(0, most), rest, min, most), min === 0)
  }

  /** At least one item. */
  #items(prefix: readonly Piece[], rest: Piece | null, min: number, max: number): Piece {
    const { comma } = this.#gaps
    const least = Math.max(1, min)
    if (prefix.length === 0) return this.#list(rest!, least, max)
    const further = (from: number): Piece =>
      rest === null
        ? EMPTY
        : repeatOf(sequenceOf([comma, rest]), Math.max(0, from - prefix.length), max - prefix.length)
    if (least >= prefix.length) {
      const items = prefix.flatMap((item, i) => (i === 0 ? [item] : [comma, item]))
      return sequenceOf([...items, further(least)])
    }
    // From the last one on: each that is optional holds those behind it.
    let behind = further(0)
    for (let i = prefix.length - 1; i >= least; i--) {
      behind = repeatOf(sequenceOf([comma, prefix[i]!, behind]), 0, 1)
      if ((prefix.length - i) % MAX_NESTING === 0)
        behind = this.#printer.rules.add(`${this.#name}-from-${i}`, behind)
    }
    const items = prefix.slice(0, least).flatMap((item, i) => (i === 0 ? [item] : [comma, item]))
    return sequenceOf([...items, behind])
  }
}
