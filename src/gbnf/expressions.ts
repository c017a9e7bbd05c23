/**
 * Expressions in a normal form: sequences within sequences and choices within choices are one, neighbouring literals are one
 * text, literals to choose from one terminal, and repetitions of repetitions one where their counts have no gap.
 *
 * The form is for size, not for meaning: every function gives the language that it was asked for.
 */
import type { Expr, FrameKind, Terminal } from '../grammar/grammar.ts'
import { NOTHING } from '../grammar/parts.ts'
import type { Regex } from '../regex/regex.ts'

/** What no text is. */
export const NEVER: Expr = { type: 'choice', options: [] }

function terminal(of: Terminal, frame: FrameKind): Expr {
  return { type: 'terminal', terminal: of, frame }
}

/** One of these texts. */
export function texts(values: readonly string[]): Expr {
  return terminal({ kind: 'texts', texts: values }, 'literal')
}

/** Any text of the language. */
export function language(regex: Regex): Expr {
  if (regex.kind === 'none') return NEVER
  return regex.kind === 'epsilon' ? NOTHING : terminal({ kind: 'text', language: regex }, 'text')
}

/** The texts of a terminal that is a list of them. */
export function textsOf(expr: Expr): readonly string[] | null {
  return expr.type === 'terminal' && expr.terminal.kind === 'texts' ? expr.terminal.texts : null
}

/** Whether it is the empty text alone. */
export function isNothing(expr: Expr): boolean {
  return expr.type === 'sequence' && expr.items.length === 0
}

/** Whether it is surely no text at all. */
function isNever(expr: Expr): boolean {
  return expr.type === 'choice' && expr.options.length === 0
}

/** The list of what each becomes; the list itself where none changes, so that passes over a large grammar make little anew. */
export function mapped(exprs: readonly Expr[], change: (expr: Expr) => Expr): readonly Expr[] {
  let changed: Expr[] | null = null
  for (let i = 0; i < exprs.length; i++) {
    const expr = exprs[i]!
    const other = change(expr)
    if (changed !== null) changed.push(other)
    else if (other !== expr) {
      changed = exprs.slice(0, i)
      changed.push(other)
    }
  }
  return changed ?? exprs
}

/** The expression of what each of its parts becomes; itself where none changes. */
export function withParts(expr: Expr, change: (part: Expr) => Expr): Expr {
  switch (expr.type) {
    case 'sequence': {
      const items = mapped(expr.items, change)
      return items === expr.items ? expr : sequenceOf(items)
    }
    case 'choice': {
      const options = mapped(expr.options, change)
      return options === expr.options ? expr : choiceOf(options)
    }
    case 'repeat': {
      const item = change(expr.item)
      return item === expr.item ? expr : repeatOf(item, expr.min, expr.max)
    }
    default:
      return expr
  }
}

/** The expression with each rule as what is meant by it; one below 0 has no text. */
export function withRules(expr: Expr, meant: readonly number[]): Expr {
  if (expr.type !== 'call') return withParts(expr, (part) => withRules(part, meant))
  const rule = meant[expr.rule]!
  return rule < 0 ? NEVER : rule === expr.rule ? expr : { type: 'call', rule }
}

/** One after the other. */
export function sequenceOf(items: readonly Expr[]): Expr {
  const flat: Expr[] = []
  for (const item of items) {
    if (isNever(item)) return NEVER
    if (item.type !== 'sequence') addItem(flat, item)
    else for (const inner of item.items) addItem(flat, inner)
  }
  return flat.length === 0 ? NOTHING : flat.length === 1 ? flat[0]! : { type: 'sequence', items: flat }
}

function addItem(flat: Expr[], item: Expr): void {
  const last = flat[flat.length - 1]
  const before = last === undefined ? null : textsOf(last)
  const after = textsOf(item)
  if (before?.length === 1 && after?.length === 1) flat[flat.length - 1] = texts([before[0]! + after[0]!])
  else flat.push(item)
}

/** One of them. */
export function choiceOf(options: readonly Expr[]): Expr {
  const others: Expr[] = []
  const literals = new Set<string>()
  let hasNothing = false
  // Literals stand where the first of them does.
  let at = -1
  const add = (option: Expr): void => {
    const values = textsOf(option)
    if (isNothing(option)) hasNothing = true
    else if (values === null) others.push(option)
    else {
      if (at < 0) at = others.push(NEVER) - 1
      for (const value of values) literals.add(value)
    }
  }
  for (const option of options) {
    if (option.type !== 'choice') add(option)
    else for (const inner of option.options) add(inner)
  }
  if (at >= 0) others[at] = texts([...literals])
  if (hasNothing) others.push(NOTHING)
  return others.length === 1 ? others[0]! : { type: 'choice', options: others }
}

/** From `min` to `max` times; `max` may be `Infinity`. */
export function repeatOf(item: Expr, min: number, max: number): Expr {
  if (max === 0 || isNothing(item)) return NOTHING
  if (isNever(item)) return min === 0 ? NOTHING : NEVER
  if (min === 1 && max === 1) return item
  if (min === 0 && max === 1) return choiceOf([item, NOTHING])
  if (max === Infinity && min <= 1) {
    const simple = withoutCovered(item, min)
    if (simple !== item) return repeatOf(simple, min, max)
  }
  if (item.type === 'repeat') {
    // The totals of k rounds run from low * k to high * k: without a gap between rounds they are one interval.
    const { min: low, max: high } = item
    const isGapless = min === 0 ? low <= 1 : min === max || low * (min + 1) <= high * min + 1
    const most = high * max
    if (isGapless && Number.isSafeInteger(low * min) && (most === Infinity || Number.isSafeInteger(most)))
      return repeatOf(item.item, low * min, most)
  }
  return { type: 'repeat', item, min, max }
}

/**
 * What is repeated any number of times without what some rounds of the rest are: `(s s | s)*` is `s*`, which has one way to
 * read a text for each that it had many.
 */
function withoutCovered(item: Expr, min: number): Expr {
  if (item.type !== 'choice') return item
  const options: Expr[] = []
  for (const option of item.options) {
    const isRound = option.type === 'repeat' && option.min <= 1 && (option.min === 1 || min === 0)
    options.push(isRound ? option.item : min === 0 && isNothing(option) ? NEVER : option)
  }
  const kept = options.filter((option, i) => !isCovered(option, i, options))
  const isChanged =
    kept.length < item.options.length || options.some((option, i) => option !== item.options[i])
  return isChanged ? choiceOf(kept) : item
}

/** Whether an option is rounds of others; of several equal ones the first is kept. */
function isCovered(option: Expr, index: number, options: readonly Expr[]): boolean {
  if (isNever(option)) return true
  if (options.findIndex((each) => isSame(each, option)) < index) return true
  const isOther = (expr: Expr): boolean => options.some((each) => !isSame(each, option) && isSame(each, expr))
  const parts = option.type === 'sequence' ? option.items : option.type === 'repeat' ? [option] : []
  return (
    parts.length > 0 &&
    parts.every((part) => isOther(part) || (part.type === 'repeat' && part.min > 0 && isOther(part.item)))
  )
}

/** Expressions without those that are there already. */
export function distinct(exprs: readonly Expr[]): readonly Expr[] {
  if (exprs.length < 2) return exprs
  return [...new Map(exprs.map((expr) => [keyOf(expr), expr])).values()]
}

/** Equal for expressions that are written the same way, long lists of texts and of tokens aside, and for no others. */
export function keyOf(expr: Expr): string {
  switch (expr.type) {
    case 'call':
      return `${expr.rule}`
    case 'sequence':
      return `(${expr.items.map(keyOf).join(' ')})`
    case 'choice':
      return `[${expr.options.map(keyOf).join('|')}]`
    case 'repeat':
      return `(${keyOf(expr.item)}){${expr.min},${expr.max}}`
    case 'terminal': {
      if (expr.terminal.kind === 'text') return `/${expr.terminal.language.id}/`
      const [text, ...others] = textsOf(expr) ?? []
      return text !== undefined && others.length === 0 ? JSON.stringify(text) : numberOf(expr.terminal)
    }
    case 'token':
      return expr.ids.length === 1 ? `<${expr.ids[0]!}>` : numberOf(expr.ids)
    default:
      return numberOf(expr)
  }
}

const numbers = new WeakMap<object, string>()
let numbered = 0

/** What is too large to be written out is equal to itself alone. */
function numberOf(object: object): string {
  let number = numbers.get(object)
  if (number === undefined) {
    number = `#${++numbered}`
    numbers.set(object, number)
  }
  return number
}

/** Whether two expressions are surely the same. */
function isSame(a: Expr, b: Expr): boolean {
  if (a === b) return true
  if (a.type === 'call') return b.type === 'call' && a.rule === b.rule
  if (a.type !== 'terminal' || b.type !== 'terminal') return false
  if (a.terminal.kind === 'text')
    return b.terminal.kind === 'text' && a.terminal.language === b.terminal.language
  const [texts, others] = [textsOf(a), textsOf(b)]
  return (
    texts !== null &&
    others !== null &&
    texts.length === others.length &&
    texts.every((t, i) => t === others[i])
  )
}
