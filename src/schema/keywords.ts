/**
 * Reads the keywords of one schema object, each checked for the form it must have. A value that no dialect allows is
 * reported as invalid, which refuses the schema, and the keyword is then taken as absent.
 */
import type { PatternError } from '../errors.ts'
import { canonicalNumber, type Decimal, parseDecimal } from '../json/decimal.ts'
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.ts'
import type { Regex } from '../regex/regex.ts'
import { sizeOf, sizeProblem, unwritable } from './constants.ts'
import type { Shapes } from './intersect.ts'
import type { Mode, Node, SchemaAtom } from './node.ts'
import { childPointer } from './pointer.ts'
import type { SchemaDocument } from './references.ts'
import type { Refusal, Report } from './report.ts'
import { kindOf } from './resource.ts'
import type { Blocked } from './shape.ts'

/** Counts above cannot be kept in a grammar; no document reaches them. */
const MAX_COUNT = 0x7fffffff

/** Length of the names that rules are made of. */
const MAX_LABEL = 40

/** What the readers of keywords share. */
export interface KeywordContext {
  readonly document: SchemaDocument
  readonly report: Report
  readonly shapes: Shapes
  readonly formats: 'assert' | 'annotate'
  readonly patterns: Map<string, Regex | PatternError>
  /** The names that the schema of `propertyNames` allows. */
  namesOf(node: Node, mode: Mode): Names
}

/** What a value of `enum` costs from the text to the grammar, in steps of the budget, beside what is spent on each meet. */
const STEPS_A_VALUE = 3

/** A set of names, or an upper bound of one where something is blocked. */
export interface Names {
  has(name: string): boolean
  /** All of them, where they are written out in the schema. */
  readonly list: ReadonlySet<string> | null
  language(): Regex
  readonly blocked: Blocked
}

/** The keywords of one schema object that its dialect has. */
export class Keywords {
  readonly atom: SchemaAtom
  readonly context: KeywordContext
  readonly mode: Mode
  /** The keyword that is being read, the last of those that were asked for: to blame where a limit is met. */
  at = ''
  readonly #only: ReadonlySet<string> | null

  /** With `only`, the others are as if they were not there. */
  constructor(atom: SchemaAtom, context: KeywordContext, mode: Mode, only: ReadonlySet<string> | null) {
    this.atom = atom
    this.context = context
    this.mode = mode
    this.#only = only
  }

  get(keyword: string): JsonValue | undefined {
    if (this.#only !== null && !this.#only.has(keyword)) return undefined
    const value = this.atom.schema.get(keyword)
    if (value === undefined) return undefined
    if (kindOf(keyword, this.atom.resource) !== 'assertion') return undefined
    this.at = keyword
    return value
  }

  pointerTo(keyword: string, ...steps: readonly string[]): string {
    return steps.reduce(childPointer, childPointer(this.atom.pointer, keyword))
  }

  /** The node of a subschema. */
  node(value: JsonValue, keyword: string, ...steps: readonly string[]): Node {
    const { document } = this.context
    const label = steps.at(-1) ?? `${this.atom.label}-${keyword}`
    return document.nodeAt(value, this.pointerTo(keyword, ...steps), label.slice(-MAX_LABEL), this.atom)
  }

  invalid(keyword: string, message: string): undefined {
    this.context.report.invalid(this.pointerTo(keyword), keyword, `${keyword} ${message}`)
    return undefined
  }

  problem(keyword: string, message: string, help: string): Refusal {
    return {
      pointer: this.pointerTo(keyword),
      message,
      keyword,
      help: `${help}, or compile with lenient: true`,
    }
  }

  unsupported(keyword: string): Refusal {
    return this.problem(keyword, `${keyword} cannot be enforced yet`, 'remove it')
  }

  /** A number that is an integer of at least 0, `2.0` too; `Infinity` beyond the doubles. */
  count(keyword: string): number | undefined {
    const value = this.get(keyword)
    if (value === undefined) return undefined
    if (!(value instanceof JsonNumber)) return this.invalid(keyword, 'must be a number')
    const canonical = canonicalNumber(value.text)
    if (canonical.includes('-')) return this.invalid(keyword, 'must be an integer of at least 0')
    return Number(canonical)
  }

  /** A least count: one that no document reaches is refused. */
  atLeast(keyword: string): number {
    const value = this.count(keyword) ?? 0
    if (value <= MAX_COUNT) return value
    this.invalid(keyword, `is more than any document reaches; choose at most ${MAX_COUNT}`)
    return 0
  }

  /** A greatest count; `Infinity` if there is none that matters. */
  atMost(keyword: string): number {
    const value = this.count(keyword) ?? Number.POSITIVE_INFINITY
    return value > MAX_COUNT ? Number.POSITIVE_INFINITY : value
  }

  /** A number that can be written; one that lies beyond is refused. */
  number(keyword: string): Decimal | undefined {
    return this.#decimal(keyword, 0)
  }

  /** A least number; one below all that are written bounds nothing. */
  lowerBound(keyword: string): Decimal | undefined {
    return this.#decimal(keyword, -1)
  }

  /** A greatest number; one above all that are written bounds nothing. */
  upperBound(keyword: string): Decimal | undefined {
    return this.#decimal(keyword, 1)
  }

  /** `free` is the sign of the numbers too large to be written that are as good as absent. */
  #decimal(keyword: string, free: -1 | 0 | 1): Decimal | undefined {
    const value = this.get(keyword)
    if (value === undefined) return undefined
    if (!(value instanceof JsonNumber)) return this.invalid(keyword, 'must be a number')
    const size = sizeOf(value.text)
    if (size === 'written') return parseDecimal(value.text)
    if (size === 'large' && free === (value.text.startsWith('-') ? -1 : 1)) return undefined
    return this.invalid(keyword, sizeProblem(value.text, size))
  }

  /** The values that `const` or `enum` allow, none of which holds a number that is never written. */
  values(keyword: 'const' | 'enum'): readonly JsonValue[] | undefined {
    const written = keyword === 'const' ? this.get(keyword) : this.array(keyword)
    if (written === undefined) return undefined
    // Before any of them is looked at.
    if (keyword === 'enum')
      this.context.shapes.budget.spend((written as readonly JsonValue[]).length * STEPS_A_VALUE)
    const pointer = this.pointerTo(keyword)
    const found = unwritable(written, pointer)
    if (found === null) return keyword === 'const' ? [written] : (written as readonly JsonValue[])
    this.context.report.invalid(found.pointer, keyword, `${keyword} ${found.problem}`)
    return undefined
  }

  object(keyword: string): JsonObject | undefined {
    const value = this.get(keyword)
    if (value === undefined || value instanceof Map) return value
    return this.invalid(keyword, 'must be an object')
  }

  array(keyword: string): readonly JsonValue[] | undefined {
    const value = this.get(keyword)
    if (value === undefined || Array.isArray(value)) return value
    return this.invalid(keyword, 'must be an array')
  }

  string(keyword: string): string | undefined {
    const value = this.get(keyword)
    if (value === undefined || typeof value === 'string') return value
    return this.invalid(keyword, 'must be a string')
  }

  /** A list of schemas, each as a node. */
  nodes(keyword: string): Node[] | undefined {
    const list = this.array(keyword)
    if (list === undefined) return undefined
    if (list.length === 0) return this.invalid(keyword, 'must have at least one schema')
    return list.map((value, index) => this.node(value, keyword, String(index)))
  }
}
