/**
 * The options of a schema compile, checked once: an unknown name or value is a `TypeError` that says what is known.
 * Also the budget: work is counted in steps that depend on the input alone, so a limit is hit at the same place on
 * every machine.
 */
import { effort } from '../effort.ts'
import { LimitError } from '../errors.ts'
import type { Layout } from '../grammar/grammar.ts'

/** What a compile may cost. */
export interface Limits {
  /** Steps of the schema algebra: records combined, properties merged, nodes decided. Default 1,000,000, about a second. */
  readonly maxSteps: number
  /** States of the automaton of one pattern, made as texts reach them. Default 100,000. */
  readonly maxStates: number
}

export interface SchemaOptions {
  /** Space between JSON tokens; default `model`: one optional space after `:` and `,`. */
  readonly whitespace?: Layout['whitespace']
  /** Spaces a level under `whitespace: 'pretty'`; default 2. */
  readonly indent?: number
  /** Longest run of space under `whitespace: 'any'`; default 64. */
  readonly maxWhitespace?: number
  /** `schema` (default): properties in the order of the schema. `any`: in every order. */
  readonly propertyOrder?: 'schema' | 'any'
  /** `plain` (default): shortest digits. `any`: also `1.0`, `1e2`, `-0`. */
  readonly numbers?: 'plain' | 'any'
  /** Whether `format` is enforced (default) or only an annotation. */
  readonly formats?: 'assert' | 'annotate'
  /** Compile although a keyword cannot be enforced, and list it in the report. Default false. */
  readonly lenient?: boolean
  /** Other documents that `$ref` may name, by URI, each as JSON text or value. Nothing is fetched. Default none. */
  readonly references?: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>
  readonly limits?: Partial<Limits>
}

export interface ResolvedOptions {
  readonly layout: Layout
  readonly propertyOrder: 'schema' | 'any'
  readonly numbers: 'plain' | 'any'
  readonly formats: 'assert' | 'annotate'
  readonly lenient: boolean
  readonly references: ReadonlyMap<string, unknown>
  readonly limits: Limits
}

const DEFAULT_LIMITS: Limits = { maxSteps: 1_000_000, maxStates: 100_000 }

export const SCHEMA_LIMITS: readonly string[] = Object.keys(DEFAULT_LIMITS)
export const SCHEMA_OPTIONS: readonly string[] = [
  ...['whitespace', 'indent', 'maxWhitespace', 'propertyOrder', 'numbers'],
  ...['formats', 'lenient', 'references', 'limits'],
]

/**
 * Fills in the defaults.
 *
 * Throws `TypeError` for an option or a value that is not known, `RangeError` for a number out of range.
 */
export function resolveOptions(options: SchemaOptions = {}): ResolvedOptions {
  const given = entriesOf(options, 'the options of a schema')
  const take = (name: string): unknown => {
    const value = given.get(name)
    given.delete(name)
    return value
  }
  const resolved: ResolvedOptions = {
    layout: {
      whitespace: oneOf('whitespace', take('whitespace'), ['model', 'compact', 'pretty', 'any']),
      indent: count('indent', take('indent'), 2, 0, 64),
      maxWhitespace: count('maxWhitespace', take('maxWhitespace'), 64, 1, 100_000),
    },
    propertyOrder: oneOf('propertyOrder', take('propertyOrder'), ['schema', 'any']),
    numbers: oneOf('numbers', take('numbers'), ['plain', 'any']),
    formats: oneOf('formats', take('formats'), ['assert', 'annotate']),
    lenient: oneOf('lenient', take('lenient'), [false, true]),
    references: resolveReferences(take('references')),
    limits: resolveLimits(take('limits')),
  }
  for (const name of given.keys()) {
    throw new TypeError(`unknown option ${JSON.stringify(name)}; known are ${SCHEMA_OPTIONS.join(', ')}`)
  }
  return resolved
}

function resolveReferences(value: unknown): ReadonlyMap<string, unknown> {
  if (value === undefined) return new Map()
  return value instanceof Map ? value : entriesOf(value, 'option references')
}

function resolveLimits(value: unknown): Limits {
  if (value === undefined) return DEFAULT_LIMITS
  const given = entriesOf(value, 'option limits')
  const limits = { ...DEFAULT_LIMITS }
  for (const [name, limit] of given) {
    if (name !== 'maxSteps' && name !== 'maxStates') {
      throw new TypeError(`unknown limit ${JSON.stringify(name)}; known are ${SCHEMA_LIMITS.join(', ')}`)
    }
    limits[name] = count(`limits.${name}`, limit, DEFAULT_LIMITS[name], 1, Number.MAX_SAFE_INTEGER)
  }
  return limits
}

function entriesOf(value: unknown, what: string): Map<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`${what} must be an object, not ${value === null ? 'null' : typeof value}`)
  }
  return new Map(Object.entries(value))
}

function oneOf<const T extends string | boolean>(
  name: string,
  value: unknown,
  known: readonly [T, ...T[]],
): T {
  if (value === undefined) return known[0]
  const found = known.find((candidate) => candidate === value)
  if (found === undefined) {
    throw new TypeError(`option ${name} is one of ${known.join(', ')}, not ${show(value)}`)
  }
  return found
}

function count(name: string, value: unknown, fallback: number, least: number, most: number): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number') throw new TypeError(`option ${name} is a number, not ${show(value)}`)
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`option ${name} is an integer from ${least} to ${most}, not ${value}`)
  }
  return value
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** How often work goes on beyond the limit, each time for that part of it. */
const EXTENSIONS = 16

/** Counts steps and stops the work at the limit. */
export class Budget {
  #used = 0
  readonly #limit: number
  /** The limit with what it was extended by, and how often it may still be. */
  #end: number
  #extensions = EXTENSIONS

  constructor(limit: number) {
    this.#limit = limit
    this.#end = limit
  }

  /** Makes room to go on without what has met a limit; whether there was any left. In all, at most the limit again. */
  extend(): boolean {
    if (this.#extensions === 0) return false
    this.#extensions--
    this.#end = Math.max(this.#end, this.#used + Math.ceil(this.#limit / EXTENSIONS))
    return true
  }

  /** Throws `LimitError` once more than the limit is used. */
  spend(steps: number): void {
    this.#used += steps
    effort.steps += steps
    if (this.#used > this.#end) {
      throw new LimitError(
        'steps of the schema algebra',
        this.#limit,
        this.#used,
        'raise limits.maxSteps, combine fewer alternatives (anyOf, oneOf, not) on one value, or list fewer values (enum)',
      )
    }
  }

  get used(): number {
    return this.#used
  }
}
