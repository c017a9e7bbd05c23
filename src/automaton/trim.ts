/**
 * Takes out of a grammar what cannot be written.
 *
 * A schema's own contradictions are found before; what is left here is a text with bytes that are no token, and a number
 * beyond the caps on digits and exponents. An option, a
 * property or an item that cannot be finished must not be offered, so it is removed, and a grammar of which nothing is
 * left is refused. Productive rules are a least fixed point; O(rules * size) at worst, one or two rounds in practice.
 */

import type { Expr, Grammar, Property, Terminal } from '../grammar/grammar.ts'
import type { Decimal } from '../json/decimal.ts'

/** Whether a vocabulary with these single bytes can spell every text in UTF-8 but for control characters, which JSON escapes. */
export function spellsEverything(alphabet: Uint8Array): boolean {
  for (let byte = 0x20; byte <= 0xf4; byte++) {
    if (byte !== 0x7f && byte !== 0xc0 && byte !== 0xc1 && alphabet[byte] !== 1) return false
  }
  return alphabet[0x0a] === 1
}

/**
 * Whether some number of the grammar has a bound so large or small that no text within the caps on digits and exponents may
 * reach it. The schema's own algebra knows no caps.
 */
export function hasExtremeNumber({ rules }: Grammar): boolean {
  const pending: Expr[] = rules.map(({ body }) => body)
  for (let expr = pending.pop(); expr !== undefined; expr = pending.pop()) {
    if (expr.type === 'terminal') {
      const { terminal } = expr
      if (
        terminal.kind === 'number' &&
        terminal.intervals.some(({ min, max }) => isExtreme(min) || isExtreme(max))
      )
        return true
    } else pending.push(...children(expr))
  }
  return false
}

/** 40 digits either way are within the caps whatever the notation. */
function isExtreme(bound: Decimal | null): boolean {
  return bound !== null && (Math.abs(bound.exponent) > 40 || bound.mantissa.toString().length > 40)
}

function children(expr: Expr): readonly Expr[] {
  switch (expr.type) {
    case 'sequence':
      return expr.items
    case 'choice':
      return expr.options
    case 'repeat':
      return [expr.item]
    case 'frame':
      return [expr.body]
    case 'object':
      return [
        ...expr.properties.map(({ value }) => value),
        ...(expr.classes ?? []).map(({ value }) => value),
        ...(expr.additional === null ? [] : [expr.additional]),
      ]
    case 'array':
      return [...expr.prefix, ...(expr.rest === null ? [] : [expr.rest])]
    default:
      return []
  }
}

/**
 * The grammar without what cannot be finished.
 *
 * @param canSpell whether any text of a terminal can be written
 * @returns `null` where nothing of the root can be finished
 */
export function trimGrammar(grammar: Grammar, canSpell: (terminal: Terminal) => boolean): Grammar | null {
  const productive = grammar.rules.map(() => false)
  const known = new Map<Terminal, boolean>()
  const spells = (terminal: Terminal): boolean => {
    let can = known.get(terminal)
    if (can === undefined) {
      can = canSpell(terminal)
      known.set(terminal, can)
    }
    return can
  }
  // Rules tend to call later ones, so going backwards settles most of them in the first round.
  for (let changed = true; changed; ) {
    changed = false
    for (let rule = productive.length - 1; rule >= 0; rule--) {
      if (productive[rule] || trim(grammar.rules[rule]!.body, productive, spells) === null) continue
      productive[rule] = true
      changed = true
    }
  }
  if (!productive[grammar.root]) return null
  const rules = grammar.rules.map(({ name, body }) => ({
    name,
    body: trim(body, productive, spells) ?? NOTHING,
  }))
  return { ...grammar, rules }
}

/** The body of a rule that nobody calls any more. */
const NOTHING: Expr = { type: 'choice', options: [] }

type Spells = (terminal: Terminal) => boolean

/** The expression without its parts that cannot be finished; `null` where it cannot itself. */
function trim(expr: Expr, productive: readonly boolean[], spells: Spells): Expr | null {
  switch (expr.type) {
    case 'terminal':
      return spells(expr.terminal) ? expr : null
    case 'token':
      return expr
    case 'call':
      return productive[expr.rule] ? expr : null
    case 'sequence': {
      const items = expr.items.map((item) => trim(item, productive, spells))
      return items.includes(null) ? null : { ...expr, items: items as Expr[] }
    }
    case 'choice': {
      const options = expr.options
        .map((option) => trim(option, productive, spells))
        .filter((option) => option !== null)
      return options.length === 0 ? null : { ...expr, options }
    }
    case 'repeat': {
      const item = trim(expr.item, productive, spells)
      if (item !== null) return { ...expr, item }
      return expr.min > 0 ? null : { type: 'sequence', items: [] }
    }
    case 'frame': {
      const body = trim(expr.body, productive, spells)
      return body === null ? null : { ...expr, body }
    }
    case 'object':
      return trimObject(expr, productive, spells)
    case 'array':
      return trimArray(expr, productive, spells)
  }
}

type ObjectExpr = Extract<Expr, { type: 'object' }>
type ArrayExpr = Extract<Expr, { type: 'array' }>

function trimObject(expr: ObjectExpr, productive: readonly boolean[], spells: Spells): Expr | null {
  const properties: Property[] = []
  const forbidden = [...(expr.forbidden ?? [])]
  for (const property of expr.properties) {
    const key: Terminal = { kind: 'texts', texts: [JSON.stringify(property.name)] }
    const value = spells(key) ? trim(property.value, productive, spells) : null
    if (value !== null) properties.push({ ...property, value })
    else if (property.required) return null
    else forbidden.push(property.name)
  }
  const additional = expr.additional === null ? null : trim(expr.additional, productive, spells)
  const classes = expr.classes?.flatMap(({ keys, value }) => {
    const trimmed = trim(value, productive, spells)
    return trimmed === null ? [] : [{ keys, value: trimmed }]
  })
  const open = additional !== null || (classes !== undefined && classes.length > 0)
  if (!open && properties.length < (expr.minProperties ?? 0)) return null
  return { ...expr, properties, forbidden, additional, ...(classes === undefined ? {} : { classes }) }
}

/** Items behind the first that cannot be written cannot come either. */
function trimArray(expr: ArrayExpr, productive: readonly boolean[], spells: Spells): Expr | null {
  const items = expr.prefix.map((item) => trim(item, productive, spells))
  const stop = items.indexOf(null)
  const prefix = (stop < 0 ? items : items.slice(0, stop)) as Expr[]
  const rest = stop >= 0 || expr.rest === null ? null : trim(expr.rest, productive, spells)
  const max = rest === null ? Math.min(expr.max, prefix.length) : expr.max
  return expr.min > max ? null : { ...expr, prefix, rest, max }
}
