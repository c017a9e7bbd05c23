/**
 * Rules that lead to each other with nothing beside: `a ::= b | "x"`, `b ::= a | "y"`, and `a ::= b? c?`, `b ::= a?` as well, since
 * what may be empty may be left out. Each has the texts of the other, so that all rules of such a cycle are one.
 *
 * Left to themselves they would be left-recursive with each other, which costs rules by the square of their number, and
 * every place would have endlessly many ways to be read. Linear in the grammar.
 */

import { componentsOf, hasNothing, holdsOf, leastHolding } from '../grammar/analysis.ts'
import type { Expr } from '../grammar/grammar.ts'
import { choiceOf, NEVER, withRules } from './expressions.ts'

/** The same rules, those of a cycle as one of them, `root` if it is in it; the others have no body. */
export function withoutUnitCycles(bodies: readonly Expr[], root: number): readonly Expr[] {
  const nullable = leastHolding(bodies, hasNothing)
  const cycles = componentsOf(bodies.map((body) => unitsOf(body, nullable))).filter(
    ({ length }) => length > 1,
  )
  if (cycles.length === 0) return bodies
  const meant = bodies.map((_, rule) => rule)
  const merged = [...bodies]
  for (const cycle of cycles) {
    const one = cycle.includes(root) ? root : cycle.reduce((least, rule) => Math.min(least, rule))
    const options = cycle.map((rule) => bodies[rule]!)
    for (const rule of cycle) {
      meant[rule] = one
      merged[rule] = NEVER
    }
    merged[one] = choiceOf(options)
  }
  return merged.map((body, rule) => withoutItself(withRules(body, meant), rule))
}

/** The rules that a text of the expression may be one of, as a whole. */
function unitsOf(expr: Expr, nullable: readonly boolean[]): number[] {
  const found: number[] = []
  const pending = [expr]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.type === 'call') found.push(at.rule)
    else if (at.type === 'choice') for (const option of at.options) pending.push(option)
    else if (at.type === 'repeat') {
      if (at.min <= 1 || holdsOf(at.item, nullable, hasNothing)) pending.push(at.item)
    } else if (at.type === 'sequence') {
      const needed = at.items.filter((item) => !holdsOf(item, nullable, hasNothing))
      if (needed.length === 0) for (const item of at.items) pending.push(item)
      else if (needed.length === 1) pending.push(needed[0]!)
    }
  }
  return found
}

/** A rule without the option that it is itself. */
function withoutItself(body: Expr, rule: number): Expr {
  const isItself = (option: Expr): boolean => option.type === 'call' && option.rule === rule
  if (body.type !== 'choice' || !body.options.some(isItself)) return body
  return choiceOf(body.options.filter((option) => !isItself(option)))
}
