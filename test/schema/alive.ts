/** Whether a grammar promises only what can be kept: every expression in it has a value. */
import {
  alternativesOf,
  type Expr,
  type Grammar,
  type TalliedItems,
  type Terminal,
} from '../../src/grammar/grammar.ts'
import { type Decimal, hasInteger } from '../../src/json/decimal.ts'
import { CharDfa, isEmpty } from '../../src/regex/chardfa.ts'
import type { Regex, RegexBuilder } from '../../src/regex/regex.ts'
import { MAX_NAMES } from '../../src/schema/keys.ts'
import { countTexts } from '../../src/schema/languages.ts'
import { Budget } from '../../src/schema/options.ts'
import { hasMultiple, hasOtherMultiple } from '../../src/schema/steps.ts'

/** Finer than any bound in the tests. */
const FINE: Decimal = { mantissa: 1n, exponent: -60 }

/** The expressions without a value, as text; a grammar without dead ends has none. */
export function deadEnds(grammar: Grammar, regexes: RegexBuilder): string[] {
  const alive = new Set<number>()
  for (let before = -1; before < alive.size; ) {
    before = alive.size
    grammar.rules.forEach(({ body }, index) => {
      if (hasValue(body, alive, regexes)) alive.add(index)
    })
  }
  const dead: string[] = []
  for (const { name, body } of grammar.rules) {
    for (const part of parts(body)) {
      if (!hasValue(part, alive, regexes)) dead.push(`${name}: ${part.type}`)
    }
  }
  return dead
}

function parts(expr: Expr): Expr[] {
  if (expr.type === 'choice') return [expr, ...expr.options.flatMap(parts)]
  if (expr.type === 'array')
    return [
      expr,
      ...expr.prefix.flatMap(parts),
      ...(expr.rest === null ? [] : parts(expr.rest)),
      ...alternativesOf(expr.counted).flatMap(({ value }) => parts(value)),
    ]
  if (expr.type === 'marked') return expr.options.flatMap(({ value }) => parts(value))
  if (expr.type === 'object') {
    const values = [...expr.properties, ...(expr.classes ?? [])].flatMap(({ value }) => parts(value))
    return [expr, ...values, ...(expr.additional === null ? [] : parts(expr.additional))]
  }
  return [expr]
}

function hasValue(expr: Expr, alive: ReadonlySet<number>, regexes: RegexBuilder): boolean {
  switch (expr.type) {
    case 'terminal':
      return hasText(expr.terminal, regexes)
    case 'call':
      return alive.has(expr.rule)
    case 'choice':
      return expr.options.some((option) => hasValue(option, alive, regexes))
    case 'object': {
      const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY, classes = [] } = expr
      const required = expr.properties.filter(({ required }) => required)
      // Keys of the languages and additional ones do not run out.
      const open = expr.additional !== null || classes.length > 0
      if (Math.max(minProperties, required.length) > maxProperties) return false
      if (!open && minProperties > expr.properties.length) return false
      if (!classes.every(({ keys }) => hasManyTexts(keys, regexes))) return false
      const values = [...expr.properties, ...classes].map(({ value }) => value)
      if (expr.additional !== null) values.push(expr.additional)
      return (
        required.every(({ value }) => hasValue(value, alive, regexes)) &&
        canMeetDemands(expr, values, (value) => hasValue(value, alive, regexes))
      )
    }
    case 'marked':
      return expr.options.some(({ value }) => hasValue(value, alive, regexes))
    case 'array': {
      if (expr.min > expr.max) return false
      if (expr.counted !== undefined) return hasCounts(expr, expr.counted, alive, regexes)
      const needed = expr.prefix.slice(0, expr.min)
      if (expr.min > expr.prefix.length) {
        if (expr.rest === null) return false
        needed.push(expr.rest)
      }
      return needed.every((item) => hasValue(item, alive, regexes))
    }
    default:
      throw new Error(`${expr.type} in the grammar of a schema`)
  }
}

/** Whether some items reach all counts: by lengths, with all counts that can be had. */
function hasCounts(
  { min, max }: Extract<Expr, { type: 'array' }>,
  { tallies, prefix, rest }: TalliedItems,
  alive: ReadonlySet<number>,
  regexes: RegexBuilder,
): boolean {
  const cap = tallies.map((tally) => (Number.isFinite(tally.max) ? tally.max + 1 : tally.min))
  let reached = new Map<string, readonly number[]>([['', tallies.map(() => 0)]])
  const longest = Math.min(max, Math.max(min, prefix.length + cap.reduce((sum, count) => sum + count, 0)))
  for (let length = 0; ; length++) {
    const isMet = (counts: readonly number[]): boolean =>
      tallies.every((tally, i) => counts[i]! >= tally.min && counts[i]! <= tally.max)
    if (length >= min && [...reached.values()].some(isMet)) return true
    if (length >= longest) return false
    const next = new Map<string, readonly number[]>()
    for (const { value, marks } of prefix[length] ?? rest) {
      if (!hasValue(value, alive, regexes)) continue
      for (const counts of reached.values()) {
        const behind = counts.map((count, i) => Math.min(cap[i]!, count + ((marks >> i) % 2)))
        next.set(behind.join(), behind)
      }
    }
    reached = next
  }
}

/** Whether each demand is met by the value of some entry, however many entries that takes. */
function canMeetDemands(
  { demands = 0 }: Extract<Expr, { type: 'object' }>,
  values: readonly Expr[],
  isAlive: (value: Expr) => boolean,
): boolean {
  let met = 0
  for (const value of values)
    if (value.type === 'marked')
      for (const option of value.options) if (isAlive(option.value)) met |= option.marks
  return met === 2 ** demands - 1
}

/** More texts than are ever declared one by one. */
function hasManyTexts(language: Regex, regexes: RegexBuilder): boolean {
  return countTexts(new CharDfa(regexes, language), language, new Budget(1_000_000)) > MAX_NAMES
}

function hasText(terminal: Terminal, regexes: RegexBuilder): boolean {
  if (terminal.kind === 'texts') return terminal.texts.length > 0
  if (terminal.kind === 'number') {
    if (terminal.intervals.length === 0) return false
    const { multipleOf: step, notMultiplesOf } = terminal
    if (notMultiplesOf !== undefined)
      return terminal.intervals.every((interval) => hasOtherMultiple(interval, step ?? FINE, notMultiplesOf))
    if (step !== undefined) return terminal.intervals.every((interval) => hasMultiple(interval, step))
    return !terminal.integer || terminal.intervals.every(hasInteger)
  }
  if (terminal.kind !== 'string') throw new Error(`${terminal.kind} in the grammar of a schema`)
  const { language, minLength, maxLength } = terminal
  if (minLength > maxLength) return false
  const length = regexes.repeat(regexes.any, minLength, maxLength)
  return !isEmpty(regexes, language === null ? length : regexes.and(language, length))
}
