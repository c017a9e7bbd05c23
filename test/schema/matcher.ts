/**
 * A plain judge over the grammar IR, for tests: does a JSON value match an expression? Works on values, not on bytes,
 * and shares nothing with the automaton.
 */
import type { Expr, Grammar, TalliedItems, Terminal } from '../../src/grammar/grammar.ts'
import { containsDecimal, type Decimal, isInteger, parseDecimal } from '../../src/json/decimal.ts'
import { equalJson, quote } from '../../src/json/print.ts'
import { readJson } from '../../src/json/read.ts'
import { JsonNumber, type JsonValue } from '../../src/json/value.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import type { Regex, RegexBuilder } from '../../src/regex/regex.ts'

type ObjectExpr = Extract<Expr, { type: 'object' }>

export class IrMatcher {
  readonly #grammar: Grammar
  readonly #regexes: RegexBuilder
  readonly #dfas = new Map<Regex, CharDfa>()

  constructor(grammar: Grammar, regexes: RegexBuilder) {
    this.#grammar = grammar
    this.#regexes = regexes
  }

  accepts(value: JsonValue): boolean {
    const root = this.#grammar.rules[this.#grammar.root]
    return root !== undefined && this.#matches(root.body, value)
  }

  #matches(expr: Expr, value: JsonValue): boolean {
    switch (expr.type) {
      case 'terminal':
        return this.#terminal(expr.terminal, value)
      case 'call': {
        const rule = this.#grammar.rules[expr.rule]
        return rule !== undefined && this.#matches(rule.body, value)
      }
      case 'choice':
        return expr.options.some((option) => this.#matches(option, value))
      case 'object': {
        if (!(value instanceof Map)) return false
        const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = expr
        if (value.size < minProperties || value.size > maxProperties) return false
        const names = expr.properties.map(({ name }) => name)
        let position = 0
        let met = 0
        const matchesEntry = (wanted: Expr, item: JsonValue): boolean => {
          if (wanted.type !== 'marked') return this.#matches(wanted, item)
          // A schema's value that meets two demands has an option that says so.
          const fitting = wanted.options.filter((option) => this.#matches(option.value, item))
          for (const { marks } of fitting) met |= marks
          return fitting.length > 0
        }
        for (const [key, item] of value) {
          const at = names.indexOf(key)
          if (at >= 0) {
            if (expr.order === 'schema' && at < position) return false
            position = at + 1
            if (!matchesEntry(expr.properties[at]?.value as Expr, item)) return false
          } else {
            if (expr.forbidden?.includes(key)) return false
            position = names.length
            const additional = this.#further(expr, key)
            if (additional === null || !matchesEntry(additional, item)) return false
          }
        }
        if (met !== 2 ** (expr.demands ?? 0) - 1) return false
        return expr.properties.every(({ name, required, implies = [], excludes = [] }) => {
          if (!value.has(name)) return !required
          return implies.every((other) => value.has(other)) && !excludes.some((other) => value.has(other))
        })
      }
      case 'array': {
        if (!Array.isArray(value) || value.length < expr.min || value.length > expr.max) return false
        const isTwice = (item: JsonValue, index: number): boolean =>
          value.slice(0, index).some((other: JsonValue) => equalJson(item, other))
        if (expr.unique === true && value.some(isTwice)) return false
        if (expr.counted !== undefined) return this.#counts(expr.counted, value)
        return value.every((item: JsonValue, index) => {
          const at = expr.prefix[index] ?? expr.rest
          return at !== null && this.#matches(at, item)
        })
      }
      default:
        throw new Error(`${expr.type} in the grammar of a schema`)
    }
  }

  /** Whether the items can be counted so that all bounds are met. */
  #counts({ tallies, prefix, rest }: TalliedItems, items: readonly JsonValue[]): boolean {
    let reached = new Map([['', tallies.map(() => 0)]])
    items.forEach((item, index) => {
      const next = new Map<string, number[]>()
      for (const { value, marks } of prefix[index] ?? rest) {
        if (!this.#matches(value, item)) continue
        for (const counts of reached.values()) {
          const behind = counts.map((count, i) => count + ((marks >> i) % 2))
          next.set(behind.join(), behind)
        }
      }
      reached = next
    })
    return [...reached.values()].some((counts) =>
      tallies.every(({ min, max }, i) => (counts[i] as number) >= min && (counts[i] as number) <= max),
    )
  }

  /** The one expression for an undeclared key. */
  #further({ additional, classes = [] }: ObjectExpr, key: string): Expr | null {
    const fitting = classes.filter(({ keys }) => this.#dfa(keys).accepts(key))
    if (fitting.length > 1 || (additional !== null && classes.length > 0))
      throw new Error(`classes that share the key ${JSON.stringify(key)}`)
    return fitting[0]?.value ?? additional
  }

  #terminal(terminal: Terminal, value: JsonValue): boolean {
    switch (terminal.kind) {
      case 'texts':
        return terminal.texts.some((text) => {
          if (typeof value === 'string') return text === quote(value)
          return equalJson(readJson(text), value)
        })
      case 'string': {
        if (typeof value !== 'string') return false
        const length = [...value].length
        if (length < terminal.minLength || length > terminal.maxLength) return false
        return terminal.language === null || this.#dfa(terminal.language).accepts(value)
      }
      case 'number': {
        if (!(value instanceof JsonNumber)) return false
        const decimal = parseDecimal(value.text)
        if (
          terminal.integer &&
          (!isInteger(decimal) || (terminal.notation === 'plain' && /[.eE]/.test(value.text)))
        )
          return false
        if (terminal.multipleOf !== undefined && !isMultiple(decimal, terminal.multipleOf)) return false
        if (terminal.notMultiplesOf?.some((step) => isMultiple(decimal, step))) return false
        return terminal.intervals.some((interval) => containsDecimal(interval, decimal))
      }
      default:
        throw new Error(`${terminal.kind} in the grammar of a schema`)
    }
  }

  #dfa(language: Regex): CharDfa {
    let dfa = this.#dfas.get(language)
    if (dfa === undefined) {
      dfa = new CharDfa(this.#regexes, language)
      this.#dfas.set(language, dfa)
    }
    return dfa
  }
}

function isMultiple(value: Decimal, step: Decimal): boolean {
  const exponent = Math.min(value.exponent, step.exponent)
  const scaled = (decimal: Decimal): bigint => decimal.mantissa * 10n ** BigInt(decimal.exponent - exponent)
  return scaled(value) % scaled(step) === 0n
}
