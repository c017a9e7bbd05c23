/**
 * Options that differ in how they begin only, or in how they end only, as one: `"a" x | "b" x` is `("a" | "b") x`. Where many
 * alternatives lead on alike that is one terminal in place of many, and one way to read on.
 *
 * Linear in the options.
 */
import type { Expr } from '../grammar/grammar.ts'
import { choiceOf, distinct, isNothing, keyOf, sequenceOf } from './expressions.ts'

/** The same options, fewer where some are alike. What they differ in is one choice, in the place of the first. */
export function factored(options: readonly Expr[]): readonly Expr[] {
  return options.length < 2 ? options : factoredAt(factoredAt(options, true), false)
}

/** @param first whether the options may differ in their first item, else in the last one */
function factoredAt(options: readonly Expr[], first: boolean): readonly Expr[] {
  /** By what options have in common: what they differ in; in the order of the first of each. */
  const groups = new Map<
    string,
    { readonly option: Expr; readonly ends: Expr[]; readonly common: readonly Expr[] }
  >()
  for (const option of options) {
    const items = option.type === 'sequence' ? option.items : []
    const end = first ? items[0] : items[items.length - 1]
    if (end?.type !== 'terminal') {
      groups.set(`alone ${groups.size}`, { option, ends: [], common: [] })
      continue
    }
    const common = first ? items.slice(1) : items.slice(0, -1)
    const key = common.map(keyOf).join(' ')
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { option, ends: [end], common })
    else known.ends.push(end)
  }
  if (groups.size === options.length) return options
  return [...groups.values()].map(({ option, ends, common }) => {
    if (ends.length < 2) return option
    const one = choiceOf(distinct(ends))
    return sequenceOf(first ? [one, ...common] : [...common, one])
  })
}

/** Whether a rule that is called once may stand in place of its call as an option: a sequence of little depth. */
export function isFlat(body: Expr): boolean {
  return body.type === 'sequence' && body.items.length > 0 && body.items.every(isShallow)
}

function isShallow(expr: Expr): boolean {
  if (expr.type === 'choice') return expr.options.every(isLeaf)
  return expr.type === 'repeat' ? isLeaf(expr.item) : isLeaf(expr)
}

function isLeaf(expr: Expr): boolean {
  return expr.type === 'terminal' || expr.type === 'token' || expr.type === 'call' || isNothing(expr)
}
