/**
 * What holds of rules: least fixed points and strongly connected components, both linear in the grammar and without
 * recursion over rules, so that neither many rules nor long chains of them cost more than they are long.
 */
import { childrenOf, type Expr, type Terminal } from './grammar.ts'

/** Calls up to this many are compared one by one. */
const FEW_CALLS = 8

/** The rules that an expression calls, each once. */
export function callsOf(expr: Expr): number[] {
  const calls: number[] = []
  let met: Set<number> | null = null
  const pending: Expr[] = [expr]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.type !== 'call') {
      for (const child of childrenOf(at)) pending.push(child)
      continue
    }
    if (met === null ? calls.includes(at.rule) : met.has(at.rule)) continue
    calls.push(at.rule)
    met?.add(at.rule)
    if (calls.length === FEW_CALLS) met = new Set(calls)
  }
  return calls
}

/** By rule: how many calls of it the bodies have. */
export function callCounts(bodies: readonly Expr[]): number[] {
  const counts = bodies.map(() => 0)
  const pending = [...bodies]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.type === 'call') counts[at.rule]!++
    else for (const child of childrenOf(at)) pending.push(child)
  }
  return counts
}

/**
 * Of which rules a property holds that a sequence has if all of its items have it, a choice if one of its options has, and a
 * repetition if it may be of no items or they have it. The least such: a rule that needs itself has it not.
 *
 * @param leaf whether an expression has it that is none of these and no call: a terminal, a container
 */
export function leastHolding(bodies: readonly Expr[], leaf: (expr: Expr) => boolean): boolean[] {
  const holds = bodies.map(() => false)
  /** By node: what it is part of, -1 - rule for a body; and how many of its parts must still be shown to have it. */
  const parents: number[] = []
  const needs: number[] = []
  const callers: (number[] | undefined)[] = bodies.map(() => undefined)
  const shown: number[] = []
  const pending: Expr[] = []
  const pendingParents: number[] = []
  bodies.forEach((body, rule) => {
    pending.push(body)
    pendingParents.push(-1 - rule)
    for (let expr = pending.pop(); expr !== undefined; expr = pending.pop()) {
      const node = parents.push(pendingParents.pop()!) - 1
      const need = needOf(expr, leaf)
      needs.push(need)
      if (need === 0) shown.push(node)
      else if (expr.type === 'call') {
        const list = callers[expr.rule]
        if (list === undefined) callers[expr.rule] = [node]
        else list.push(node)
      } else if (isMadeOfParts(expr))
        for (const child of childrenOf(expr)) {
          pending.push(child)
          pendingParents.push(node)
        }
    }
  })
  for (let node = shown.pop(); node !== undefined; node = shown.pop()) {
    const parent = parents[node]!
    if (parent >= 0) {
      if (--needs[parent]! === 0) shown.push(parent)
      continue
    }
    const rule = -1 - parent
    if (holds[rule]) continue
    holds[rule] = true
    for (const call of callers[rule] ?? []) if (--needs[call]! === 0) shown.push(call)
  }
  return holds
}

/** Whether what holds of an expression is told from its parts. */
function isMadeOfParts({ type }: Expr): boolean {
  return type === 'sequence' || type === 'choice' || type === 'repeat' || type === 'frame'
}

function needOf(expr: Expr, leaf: (expr: Expr) => boolean): number {
  switch (expr.type) {
    case 'sequence':
      return expr.items.length
    case 'choice':
    case 'call':
    case 'frame':
      return 1
    case 'repeat':
      return expr.min === 0 ? 0 : 1
    default:
      return leaf(expr) ? 0 : 1
  }
}

/** Whether such a property holds of an expression, given of which rules it does. Recursion is as deep as the expression. */
export function holdsOf(expr: Expr, rules: readonly boolean[], leaf: (expr: Expr) => boolean): boolean {
  switch (expr.type) {
    case 'call':
      return rules[expr.rule] ?? false
    case 'sequence':
      return expr.items.every((item) => holdsOf(item, rules, leaf))
    case 'choice':
      return expr.options.some((option) => holdsOf(option, rules, leaf))
    case 'repeat':
      return expr.min === 0 || holdsOf(expr.item, rules, leaf)
    case 'frame':
      return holdsOf(expr.body, rules, leaf)
    default:
      return leaf(expr)
  }
}

/** Whether the empty text is one of an expression that calls no rule and is made of no parts. */
export function hasNothing(expr: Expr): boolean {
  return expr.type === 'free-text' ? expr.ends : expr.type === 'terminal' && isNullable(expr.terminal)
}

/** Whether the empty text is one of a terminal. */
export function isNullable(terminal: Terminal): boolean {
  if (terminal.kind === 'texts') return terminal.texts.includes('')
  return terminal.kind === 'text' && terminal.language.nullable
}

/** The nodes that can be reached from one, itself first: each before those that only it leads to. */
export function reachableFrom(start: number, successors: (node: number) => readonly number[]): number[] {
  const met = new Set([start])
  const order: number[] = []
  const pending = [start]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    order.push(node)
    const next = successors(node)
    for (let i = next.length - 1; i >= 0; i--) {
      if (met.has(next[i]!)) continue
      met.add(next[i]!)
      pending.push(next[i]!)
    }
  }
  return order
}

/**
 * The strongly connected components of a graph, those that are led to before those that lead to them (Tarjan, 1972).
 *
 * @param successors of each node
 */
export function componentsOf(successors: readonly (readonly number[])[]): number[][] {
  const count = successors.length
  const index = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const components: number[][] = []
  /** Nodes on the path, and how many of their successors were gone through. */
  const path: number[] = []
  const progress: number[] = []
  let next = 0
  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue
    path.push(root)
    progress.push(0)
    while (path.length > 0) {
      const node = path[path.length - 1]!
      const done = progress[progress.length - 1]!
      if (done === 0) {
        index[node] = next
        low[node] = next++
        open.push(node)
        isOpen[node] = 1
      }
      const successor = successors[node]![done]
      if (successor !== undefined) {
        progress[progress.length - 1] = done + 1
        if (index[successor] === -1) {
          path.push(successor)
          progress.push(0)
        } else if (isOpen[successor] === 1) low[node] = Math.min(low[node]!, index[successor]!)
        continue
      }
      path.pop()
      progress.pop()
      const parent = path[path.length - 1]
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!)
      if (low[node] !== index[node]) continue
      const component: number[] = []
      for (let member = -1; member !== node; ) {
        member = open.pop()!
        isOpen[member] = 0
        component.push(member)
      }
      components.push(component)
    }
  }
  return components
}

/** Those components whose nodes lead back to themselves. */
export function cyclesOf(successors: readonly (readonly number[])[]): number[][] {
  return componentsOf(successors).filter(
    ([node, ...others]) => others.length > 0 || successors[node!]!.includes(node!),
  )
}
