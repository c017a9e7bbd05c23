/**
 * The grammar IR: what may be said, before any automaton.
 *
 * A grammar is a list of rules; a rule's body is an expression over terminals (regular languages over bytes), literals,
 * token ids, and the two JSON containers. Containers are expressions of their own, not sequences, since what they
 * forbid (a key twice, more items than allowed) is counted and remembered, never unrolled.
 *
 * Everything here is immutable once built. Sizes are linear in what was written: a count is a number.
 */
import type { Decimal, Interval } from '../json/decimal.ts'
import { type Regex, RegexBuilder } from '../regex/regex.ts'

/** How space between JSON tokens is written. Never before or after the root. */
export interface Layout {
  /**
   * `model`: one optional space after `:` and `,`. `compact`: none. `pretty`: a line an entry, indented.
   * `any`: runs of space, tab, CR, LF of at most `maxWhitespace` at every place RFC 8259 has them.
   */
  readonly whitespace: 'model' | 'compact' | 'pretty' | 'any'
  /** Spaces a level, for `pretty`. */
  readonly indent: number
  /** Longest run, for `any`. */
  readonly maxWhitespace: number
}

/** A regular language over bytes, described; the automaton builds it lazily. */
export type Terminal =
  /** One of these texts, byte for byte: `true`, `"red"`, `12`. Never empty, no duplicates. */
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  /**
   * A JSON string, quotes included, every escape of RFC 8259 but lone surrogates allowed. `language` speaks of the
   * decoded string (`null`: any), lengths are in code points, both inclusive; `maxLength` may be `Infinity`.
   */
  | {
      readonly kind: 'string'
      readonly language: Regex | null
      readonly minLength: number
      readonly maxLength: number
    }
  /** A JSON number whose exact value lies in one of the intervals (sorted, disjoint). */
  | {
      readonly kind: 'number'
      /** Only integers. */
      readonly integer: boolean
      readonly intervals: readonly Interval[]
      /** `plain`: shortest digits. `any`: also `1.0`, `1e2`, `-0`. */
      readonly notation: 'plain' | 'any'
      /** Only multiples of this positive number. */
      readonly multipleOf?: Decimal
      /** No multiples of these positive numbers. */
      readonly notMultiplesOf?: readonly Decimal[]
    }
  /** Raw UTF-8 text in the language. */
  | { readonly kind: 'text'; readonly language: Regex }

export type FrameKind = 'tag' | 'text' | 'object' | 'array' | 'key' | 'string' | 'number' | 'literal'

export interface Property {
  readonly name: string
  readonly required: boolean
  readonly value: Expr
  /** Names of properties that must be there if this one is. */
  readonly implies?: readonly string[]
  /** Names of properties that must not be there if this one is. To say it of one of two is enough. */
  readonly excludes?: readonly string[]
}

export interface KeyClass {
  readonly keys: Regex
  readonly value: Expr
}

/** One of the ways to write an item or an entry, and what it counts for, as bits: tallies of the array, demands of the object. */
export interface Alternative {
  readonly value: Expr
  readonly marks: number
}

/** Bounds on how many items count, both inclusive. */
export interface TallyBounds {
  readonly min: number
  /** May be `Infinity`; then an item that could count need not be told from one that does not. */
  readonly max: number
}

/** Items that are counted: each tally is the number of alternatives written that have its bit. */
export interface TalliedItems {
  readonly tallies: readonly TallyBounds[]
  readonly prefix: readonly (readonly Alternative[])[]
  readonly rest: readonly Alternative[]
}

/** A text that ends free text where it occurs. */
export interface Stop {
  readonly text: string
  /** Only where the free text begins with it. */
  readonly atStart: boolean
  /** What follows it; `null` where it must not occur. */
  readonly leadsTo: Expr | null
}

export type Expr =
  /** `frame` says what a report calls an unfinished one. */
  | { readonly type: 'terminal'; readonly terminal: Terminal; readonly frame: FrameKind }
  /** One of these token ids, whatever their bytes: how control tokens enter a text. */
  | { readonly type: 'token'; readonly ids: readonly number[]; readonly frame: FrameKind }
  | { readonly type: 'sequence'; readonly items: readonly Expr[] }
  | { readonly type: 'choice'; readonly options: readonly Expr[] }
  /** `item` from `min` to `max` times (`max` may be `Infinity`), nothing between. */
  | { readonly type: 'repeat'; readonly item: Expr; readonly min: number; readonly max: number }
  /**
   * Any UTF-8 text in which no stop occurs, which may end there if `ends`; or such a text up to the first stop, that
   * itself, and what it leads to. No stop may hold another.
   */
  | {
      readonly type: 'free-text'
      readonly stops: readonly Stop[]
      readonly ends: boolean
    }
  /** `body`, reported as one frame of its own: a framing such as `<tool_call>…</tool_call>`. */
  | { readonly type: 'frame'; readonly kind: FrameKind; readonly body: Expr }
  /** The rule with this index. */
  | { readonly type: 'call'; readonly rule: number }
  | {
      readonly type: 'object'
      /** Declared names, each once; their order is the order of the text under `propertyOrder: 'schema'`. */
      readonly properties: readonly Property[]
      /** Names that no value satisfies: neither offered nor allowed as additional keys. */
      readonly forbidden?: readonly string[]
      /** The value of a key that is not declared; `null` where no such key is allowed. */
      readonly additional: Expr | null
      /**
       * Further keys by language over the decoded key, in place of `additional`, which is `null` then: infinite languages, no
       * two with a key in common. A declared or forbidden name is in none of them, whatever the languages say.
       */
      readonly classes?: readonly KeyClass[]
      /**
       * Bounds on the number of entries, both inclusive; 0 and `Infinity` if absent. Where properties imply or exclude
       * others, `minProperties` is at most 1 and there are no demands.
       */
      readonly minProperties?: number
      readonly maxProperties?: number
      /** How many demands there are, at most `MAX_DEMANDS`: each must be met by the value of some entry, see `marked`. */
      readonly demands?: number
      readonly order: 'schema' | 'any'
    }
  /**
   * The value of an entry that may meet demands: one of these, which says what the entry meets. Stands nowhere but as the
   * value of a property, of a class or of additional keys. The values may have texts in common.
   */
  | { readonly type: 'marked'; readonly options: readonly Alternative[] }
  | {
      readonly type: 'array'
      /** The first items, by position; the value stands at every position below `prefix.length`. */
      readonly prefix: readonly Expr[]
      /** Every further item; `null` where none is allowed. */
      readonly rest: Expr | null
      readonly min: number
      readonly max: number
      /** In place of `prefix` and `rest`, which are empty and `null` then. */
      readonly counted?: TalliedItems
      /** Whether no two items may be equal: as JSON values, however they are written. */
      readonly unique?: boolean
    }

/** All alternatives of counted items. */
export function alternativesOf(counted: TalliedItems | undefined): readonly Alternative[] {
  return counted === undefined ? [] : [...counted.prefix.flat(), ...counted.rest]
}

/** The expressions that an expression is made of. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.type) {
    case 'sequence':
      return expr.items
    case 'choice':
      return expr.options
    case 'marked':
      return expr.options.map(({ value }) => value)
    case 'repeat':
      return [expr.item]
    case 'frame':
      return [expr.body]
    case 'free-text':
      return expr.stops.flatMap(({ leadsTo }) => leadsTo ?? [])
    case 'object':
      return [
        ...expr.properties.map(({ value }) => value),
        ...(expr.classes ?? []).map(({ value }) => value),
        ...(expr.additional === null ? [] : [expr.additional]),
      ]
    case 'array':
      return [
        ...expr.prefix,
        ...(expr.rest === null ? [] : [expr.rest]),
        ...alternativesOf(expr.counted).map(({ value }) => value),
      ]
    default:
      return []
  }
}

/** Demands of one object: sets of them are told apart. */
export const MAX_DEMANDS = 4

export interface Rule {
  /** A name for printing; unique within the grammar. */
  readonly name: string
  readonly body: Expr
}

/** A whole grammar. The text of rule `root` is the language. */
export interface Grammar {
  readonly rules: readonly Rule[]
  readonly root: number
  readonly layout: Layout
  /** The builder that the languages of the terminals come from. */
  readonly regexes: RegexBuilder
}

/** Collects rules, so that one grammar can hold several schemas (one for each tool). */
export class GrammarBuilder {
  /** Where the languages of this grammar's terminals are made. */
  readonly regexes = new RegexBuilder()
  readonly #rules: { name: string; body: Expr | null }[] = []
  readonly #names = new Map<string, number>()

  /** Reserves a rule, so that recursive bodies can call it; `define` gives its body. A name that is taken gets a number. */
  declare(name: string): number {
    let unique = name
    for (let n = this.#names.get(name) ?? 1; this.#names.has(unique); ) {
      unique = `${name}-${++n}`
      this.#names.set(name, n)
    }
    this.#names.set(unique, 1)
    this.#rules.push({ name: unique, body: null })
    return this.#rules.length - 1
  }

  define(rule: number, body: Expr): void {
    const entry = this.#rules[rule]
    if (entry === undefined || entry.body !== null)
      throw new RangeError(`rule ${rule} is not open for definition`)
    entry.body = body
  }

  build(root: number, layout: Layout): Grammar {
    const rules = this.#rules.map(({ name, body }) => {
      if (body === null) throw new RangeError(`rule ${name} was declared and never defined`)
      return { name, body }
    })
    return { rules, root, layout, regexes: this.regexes }
  }
}
