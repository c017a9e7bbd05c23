/**
 * The last step of what makes rules here: those that are needed go to a builder, under indices of its own.
 *
 * Callers come before those that they call, as far as these do not lead back: later stages go through rules backwards, round
 * after round until nothing changes, and so most of them settle in the first. Linear in the rules.
 */

import { callsOf } from '../grammar/analysis.ts'
import type { Expr, GrammarBuilder } from '../grammar/grammar.ts'
import { mapped, textsOf } from './expressions.ts'

/** Where rules are added: a builder, or a list that is to become one. */
export type RuleList = Pick<GrammarBuilder, 'regexes' | 'declare' | 'define'>

/**
 * Adds what the root needs to the builder.
 *
 * @param bodies whose calls are indices into them
 * @param foreign what stands for an expression with calls of the builder's own rules
 * @returns the call of the root
 */
export function addRules(
  bodies: readonly Expr[],
  root: number,
  names: readonly string[],
  builder: RuleList,
  foreign: ReadonlyMap<Expr, Expr> = new Map(),
): Extract<Expr, { type: 'call' }> {
  const order = callersFirst(bodies, root)
  const declared = new Map(order.map((rule) => [rule, builder.declare(names[rule]!)]))
  // Equal terminals are one, so that a text that may be read by several has one way to be.
  const terminals = new Map<string, Expr>()
  const placed = (expr: Expr): Expr => {
    switch (expr.type) {
      case 'terminal': {
        const { terminal } = expr
        const key = terminal.kind === 'text' ? `${terminal.language.id}` : keyOf(textsOf(expr)!)
        const known = terminals.get(key) ?? expr
        terminals.set(key, known)
        return known
      }
      case 'call':
        return { type: 'call', rule: declared.get(expr.rule)! }
      case 'sequence':
        return { type: 'sequence', items: mapped(expr.items, placed) }
      case 'choice':
        return { type: 'choice', options: mapped(expr.options, placed) }
      case 'repeat':
        return { ...expr, item: placed(expr.item) }
      default:
        return foreign.get(expr) ?? expr
    }
  }
  for (const rule of order) builder.define(declared.get(rule)!, placed(bodies[rule]!))
  return { type: 'call', rule: declared.get(root)! }
}

/** The rules that can be reached from one, each behind those that call it, but for those that it leads back to. */
function callersFirst(bodies: readonly Expr[], root: number): number[] {
  const met = new Set<number>()
  const order: number[] = []
  const path: { readonly rule: number; readonly calls: number[] }[] = []
  const enter = (rule: number): void => {
    met.add(rule)
    path.push({ rule, calls: callsOf(bodies[rule]!) })
  }
  enter(root)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.calls.pop()
    if (next !== undefined) {
      if (!met.has(next)) enter(next)
      continue
    }
    order.push(top.rule)
    path.pop()
  }
  return order.reverse()
}

function keyOf(texts: readonly string[]): string {
  return texts.length === 1 ? `"${texts[0]!}` : JSON.stringify(texts)
}
