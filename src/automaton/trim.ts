/**
 * Takes out of a grammar what cannot be written.
 *
 * A schema's own contradictions are found before; what is left here is a text with bytes that are no token, and a number
 * beyond the caps on digits and exponents. An option, a property or an item that cannot be finished must not be offered, so
 * it is removed, and a grammar of which nothing is left is refused. Productive rules are a least fixed point;
 * O(rules * size) at worst, one or two rounds in practice.
 */

import {
  type Alternative,
  childrenOf,
  type Expr,
  type Grammar,
  type Property,
  type TalliedItems,
  type Terminal,
} from '../grammar/grammar.ts'
import type { Decimal } from '../json/decimal.ts'
import { quote } from '../json/print.ts'
import type { Regex } from '../regex/regex.ts'
import { leastCover } from './cover.ts'
import { ItemCounts } from './item-counts.ts'
import { latin1Of } from './latin1.ts'
import { tiedNames } from './parts.ts'
import { closuresOf } from './ties.ts'

/** Whether a vocabulary with these single bytes can spell every text in UTF-8 but for control characters, which JSON escapes. */
export function spellsEverything(alphabet: Uint8Array): boolean {
  for (let byte = 0x20; byte <= 0xf4; byte++) {
    if (byte !== 0x7f && byte !== 0xc0 && byte !== 0xc1 && alphabet[byte] !== 1) return false
  }
  return alphabet[0x0a] === 1
}

/**
 * Whether some terminal may have no text: a string whose language is empty, or a number with a bound so large or small that
 * no text within the caps on digits and exponents reaches it. The schema's own algebra knows no caps.
 */
export function mayHaveDeadEnds({ rules, regexes }: Grammar): boolean {
  const pending: Expr[] = rules.map(({ body }) => body)
  for (let expr = pending.pop(); expr !== undefined; expr = pending.pop()) {
    if (expr.type === 'terminal') {
      if (expr.terminal.kind === 'number' && isExtremeNumber(expr.terminal)) return true
      if (expr.terminal.kind === 'string' && expr.terminal.language === regexes.none) return true
    } else for (const child of childrenOf(expr)) pending.push(child)
  }
  return false
}

function isExtremeNumber({ intervals, multipleOf }: Extract<Terminal, { kind: 'number' }>): boolean {
  return isExtreme(multipleOf ?? null) || intervals.some(({ min, max }) => isExtreme(min) || isExtreme(max))
}

/** 40 digits either way are within the caps whatever the notation. */
function isExtreme(bound: Decimal | null): boolean {
  return bound !== null && (Math.abs(bound.exponent) > 40 || bound.mantissa.toString().length > 40)
}

/**
 * The grammar without what cannot be finished.
 *
 * @param alphabet 256 entries, 1 for each byte that can be written
 * @param canSpell whether any text of a terminal can be written
 * @param canSpellKey whether any key of a language can, in the one spelling that keys have
 * @returns `null` where nothing of the root can be finished
 */
export function trimGrammar(
  grammar: Grammar,
  alphabet: Uint8Array,
  canSpell: (terminal: Terminal) => boolean,
  canSpellKey: (keys: Regex) => boolean,
): Grammar | null {
  const trimmer = new Trimmer(grammar, alphabet, canSpell, canSpellKey)
  return trimmer.isProductive(grammar.root) ? trimmer.result() : null
}

/** The sets of demands that an entry with this value may meet. */
function marksOf(value: Expr): readonly number[] {
  return value.type === 'marked' ? value.options.map(({ marks }) => marks) : [0]
}

/** Only the properties that bring none that is lost. */
function withoutLost(properties: readonly Property[]): readonly Property[] {
  const names = new Set(properties.map(({ name }) => name))
  for (let size = -1; size !== names.size; ) {
    size = names.size
    for (const { name, implies } of properties)
      if (implies?.every((other) => names.has(other)) === false) names.delete(name)
  }
  return properties.filter(({ name }) => names.has(name))
}

function sizeOf(bits: bigint): number {
  return bits.toString(2).replaceAll('0', '').length
}

/** Whether nothing was taken out: an expression that is whole is not made anew, since most are. */
function isSame(left: readonly Expr[], all: readonly Expr[]): boolean {
  return left.length === all.length && left.every((expr, i) => expr === all[i])
}

/** The body of a rule that nobody calls any more. */
const NOTHING: Expr = { type: 'choice', options: [] }

type ObjectExpr = Extract<Expr, { type: 'object' }>
type FreeTextExpr = Extract<Expr, { type: 'free-text' }>
type ArrayExpr = Extract<Expr, { type: 'array' }>

class Trimmer {
  readonly #grammar: Grammar
  readonly #alphabet: Uint8Array
  readonly #canSpell: (terminal: Terminal) => boolean
  readonly #canSpellKey: (keys: Regex) => boolean
  readonly #spelled = new Map<Terminal, boolean>()
  readonly #productive: boolean[]
  /** Entries that a container can have for want of a comma, or of the line breaks of its layout. */
  readonly #maxEntries: number

  constructor(
    grammar: Grammar,
    alphabet: Uint8Array,
    canSpell: (terminal: Terminal) => boolean,
    canSpellKey: (keys: Regex) => boolean,
  ) {
    this.#canSpellKey = canSpellKey
    this.#grammar = grammar
    this.#alphabet = alphabet
    this.#canSpell = canSpell
    this.#productive = grammar.rules.map(() => false)
    const breaks = grammar.layout.whitespace !== 'pretty' || this.#has('\n ')
    this.#maxEntries = !breaks ? 0 : this.#has(',') ? Number.POSITIVE_INFINITY : 1
    // Rules tend to call later ones, so going backwards settles most of them in the first round.
    for (let changed = true; changed; ) {
      changed = false
      for (let rule = grammar.rules.length - 1; rule >= 0; rule--) {
        if (this.#productive[rule] || this.#trim(grammar.rules[rule]!.body) === null) continue
        this.#productive[rule] = true
        changed = true
      }
    }
  }

  isProductive(rule: number): boolean {
    return this.#productive[rule]!
  }

  result(): Grammar {
    const rules = this.#grammar.rules.map(({ name, body }) => ({ name, body: this.#trim(body) ?? NOTHING }))
    return { ...this.#grammar, rules }
  }

  #has(characters: string): boolean {
    return [...characters].every((c) => this.#alphabet[c.charCodeAt(0)] === 1)
  }

  #spells(terminal: Terminal): boolean {
    let can = this.#spelled.get(terminal)
    if (can === undefined) {
      can = this.#canSpell(terminal)
      this.#spelled.set(terminal, can)
    }
    return can
  }

  /** The expression without its parts that cannot be finished; `null` where it cannot itself. */
  #trim(expr: Expr): Expr | null {
    switch (expr.type) {
      case 'terminal':
        return this.#spells(expr.terminal) ? expr : null
      case 'token':
        return expr
      case 'call':
        return this.#productive[expr.rule] ? expr : null
      case 'sequence': {
        const items: Expr[] = []
        for (const item of expr.items) {
          const trimmed = this.#trim(item)
          if (trimmed === null) return null
          items.push(trimmed)
        }
        return isSame(items, expr.items) ? expr : { ...expr, items }
      }
      case 'choice': {
        const options: Expr[] = []
        for (const option of expr.options) {
          const trimmed = this.#trim(option)
          if (trimmed !== null) options.push(trimmed)
        }
        if (options.length === 0) return null
        return isSame(options, expr.options) ? expr : { ...expr, options }
      }
      case 'marked': {
        const options = expr.options.flatMap(({ value, marks }) => {
          const trimmed = this.#trim(value)
          return trimmed === null ? [] : [{ value: trimmed, marks }]
        })
        return options.length === 0 ? null : { ...expr, options }
      }
      case 'repeat': {
        const item = this.#trim(expr.item)
        if (item !== null) return item === expr.item ? expr : { ...expr, item }
        return expr.min > 0 ? null : { type: 'sequence', items: [] }
      }
      case 'free-text':
        return this.#trimFreeText(expr)
      case 'frame': {
        const body = this.#trim(expr.body)
        return body === null ? null : { ...expr, body }
      }
      case 'object':
        return this.#has('{}') ? this.#trimObject(expr) : null
      case 'array':
        return this.#has('[]') ? this.#trimArray(expr) : null
    }
  }

  #trimObject(expr: ObjectExpr): Expr | null {
    const most = this.#has(':"') ? this.#maxEntries : 0
    const spelled: Property[] = []
    for (const property of expr.properties) {
      const value = this.#spellsName(property.name) ? this.#trim(property.value) : null
      if (value !== null) spelled.push({ ...property, value })
    }
    const properties = withoutLost(spelled)
    const kept = new Set(properties.map(({ name }) => name))
    const lost = expr.properties.filter(({ name }) => !kept.has(name))
    if (lost.some(({ required }) => required)) return null
    const forbidden = [...(expr.forbidden ?? []), ...lost.map(({ name }) => name)]
    const additional = expr.additional === null ? null : this.#trim(expr.additional)
    const classes = expr.classes?.flatMap(({ keys, value }) => {
      const trimmed = this.#canSpellKey(keys) ? this.#trim(value) : null
      return trimmed === null ? [] : [{ keys, value: trimmed }]
    })
    const isOpen = additional !== null || (classes !== undefined && classes.length > 0)
    const maxProperties = Math.min(expr.maxProperties ?? Number.POSITIVE_INFINITY, most)
    const owed = properties.filter(({ required }) => required)
    const cover = leastCover(2 ** (expr.demands ?? 0) - 1, {
      owed: owed.map(({ value }) => marksOf(value)),
      optional: properties.filter(({ required }) => !required).map(({ value }) => marksOf(value)),
      free: [...(classes ?? []).map(({ value }) => value), ...(additional === null ? [] : [additional])].map(
        marksOf,
      ),
    })
    const closures = closuresOf(tiedNames(properties).map(({ implies }) => implies))
    const required = properties.reduce(
      (all, property, i) => (property.required ? all | closures[i]! : all),
      0n,
    )
    // One entry is asked for where names are tied, and that one brings others.
    const first =
      required !== 0n || isOpen || (expr.minProperties ?? 0) === 0 ? 0 : Math.min(...closures.map(sizeOf))
    const least = Math.max(expr.minProperties ?? 0, sizeOf(required) + cover, first)
    if (cover === Number.POSITIVE_INFINITY || least > maxProperties || (!isOpen && properties.length < least))
      return null
    return {
      ...expr,
      properties,
      forbidden,
      additional,
      maxProperties,
      ...(classes === undefined ? {} : { classes }),
    }
  }

  /** A stop that leads nowhere does not occur. */
  #trimFreeText(expr: FreeTextExpr): Expr | null {
    const stops = expr.stops.map((stop) => {
      const isSpelled = stop.leadsTo !== null && this.#has(latin1Of(stop.text))
      return { ...stop, leadsTo: isSpelled ? this.#trim(stop.leadsTo!) : null }
    })
    return expr.ends || stops.some(({ leadsTo }) => leadsTo !== null) ? { ...expr, stops } : null
  }

  #spellsName(name: string): boolean {
    return new TextEncoder().encode(quote(name)).every((byte) => this.#alphabet[byte] === 1)
  }

  /** Items behind the first that cannot be written cannot come either. */
  #trimArray(expr: ArrayExpr): Expr | null {
    if (expr.counted !== undefined) return this.#trimCounted(expr, expr.counted)
    const items = expr.prefix.map((item) => this.#trim(item))
    const stop = items.indexOf(null)
    const prefix = (stop < 0 ? items : items.slice(0, stop)) as Expr[]
    const rest = stop >= 0 || expr.rest === null ? null : this.#trim(expr.rest)
    const max = Math.min(expr.max, this.#maxEntries, rest === null ? prefix.length : Number.POSITIVE_INFINITY)
    return expr.min > max ? null : { ...expr, prefix, rest, max }
  }

  #trimCounted(expr: ArrayExpr, counted: TalliedItems): Expr | null {
    const trim = (alternatives: readonly Alternative[]): Alternative[] =>
      alternatives.flatMap(({ value, marks }) => {
        const trimmed = this.#trim(value)
        return trimmed === null ? [] : [{ value: trimmed, marks }]
      })
    const max = Math.min(expr.max, this.#maxEntries)
    const left = { tallies: counted.tallies, prefix: counted.prefix.map(trim), rest: trim(counted.rest) }
    const counts = new ItemCounts({ ...left, min: expr.min, max })
    return counts.fewest(0) === Number.POSITIVE_INFINITY ? null : { ...expr, max, counted: left }
  }
}
