/**
 * Rules at whose beginning more nodes of the automaton come together than may be looked at between two tokens of a text.
 *
 * Every text that comes to such a rule ends there at the limit, so that a grammar with one is refused when it is compiled. What
 * is counted are the nodes that can be reached without reading a byte, which is the least there is to look at; contexts may
 * make it more. Only grammars of more nodes than the limit are looked at, for a bounded number of steps: those that are not
 * found out by then meet the limit later.
 */
import { isNullable } from '../grammar/analysis.ts'
import type { Node } from './nodes.ts'

/** Nodes that are looked at in all, as multiples of the limit. */
const MAX_LOOKS = 50

/**
 * A rule whose beginning takes more than `limit` steps; -1 if none is found.
 *
 * @param rules the first node of each
 */
export function tooWideRule(nodes: readonly Node[], rules: readonly number[], limit: number): number {
  if (nodes.length <= limit) return -1
  const mayBeEmpty = emptyNodes(nodes, rules)
  /** Rules that another one was seen to begin with, which takes at least as many steps. */
  const covered = new Uint8Array(rules.length)
  const ruleAt = new Map(rules.map((node, rule) => [node, rule]))
  const marks = new Int32Array(nodes.length).fill(-1)
  let looks = 0
  for (const [rule, start] of rules.entries()) {
    if (covered[rule] === 1) continue
    const pending = [start]
    marks[start] = rule
    let steps = 0
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const begun = ruleAt.get(at)
      if (begun !== undefined) covered[begun] = 1
      if (++steps > limit) return rule
      for (const next of withoutReading(nodes[at]!, rules, mayBeEmpty)) {
        if (marks[next] === rule) continue
        marks[next] = rule
        pending.push(next)
      }
    }
    looks += steps
    if (looks > limit * MAX_LOOKS) return -1
  }
  return -1
}

/** The nodes that a closure goes on to from one; those of containers are entered by a byte. */
function withoutReading(node: Node, rules: readonly number[], mayBeEmpty: Uint8Array): readonly number[] {
  switch (node.kind) {
    case 'split':
      return node.options
    case 'call': {
      const rule = rules[node.rule]!
      return mayBeEmpty[rule] === 1 ? [rule, node.next] : [rule]
    }
    case 'repeat':
      return node.min === 0 || mayBeEmpty[node.item] === 1 ? [node.item, node.next] : [node.item]
    case 'frame':
      return mayBeEmpty[node.body] === 1 ? [node.body, node.next] : [node.body]
    case 'terminal':
      return isEmptyTerminal(node) ? [node.next] : []
    default:
      return []
  }
}

function isEmptyTerminal({ terminal }: Extract<Node, { kind: 'terminal' }>): boolean {
  return terminal !== null && isNullable(terminal)
}

/** Whether the end of the part that a node is in can be reached from it without reading: a least fixed point. */
function emptyNodes(nodes: readonly Node[], rules: readonly number[]): Uint8Array {
  const isEmpty = new Uint8Array(nodes.length)
  /** By node: the last edge to it, and by edge the one before and where it comes from. */
  const last = new Int32Array(nodes.length).fill(-1)
  const before: number[] = []
  const from: number[] = []
  const pending: number[] = []
  for (const [at, node] of nodes.entries()) {
    if (node.kind === 'return') pending.push(at)
    for (const asked of askedBy(node, rules)) {
      from.push(at)
      last[asked] = before.push(last[asked]!) - 1
    }
  }
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (isEmpty[at] === 1) continue
    isEmpty[at] = 1
    for (let edge = last[at]!; edge >= 0; edge = before[edge]!) {
      const asker = from[edge]!
      if (isEmpty[asker] === 0 && isPassed(nodes[asker]!, rules, isEmpty)) pending.push(asker)
    }
  }
  return isEmpty
}

/** The nodes that decide whether a node can be passed. */
function askedBy(node: Node, rules: readonly number[]): readonly number[] {
  switch (node.kind) {
    case 'split':
      return node.options
    case 'call':
      return [rules[node.rule]!, node.next]
    case 'repeat':
      return [node.item, node.next]
    case 'frame':
      return [node.body, node.next]
    case 'terminal':
      return isEmptyTerminal(node) ? [node.next] : []
    default:
      return []
  }
}

/** Whether a node that asked for others can be passed, by what is known of these. */
function isPassed(node: Node, rules: readonly number[], isEmpty: Uint8Array): boolean {
  switch (node.kind) {
    case 'call':
      return isEmpty[rules[node.rule]!] === 1 && isEmpty[node.next] === 1
    case 'repeat':
      return isEmpty[node.next] === 1 && (node.min === 0 || isEmpty[node.item] === 1)
    case 'frame':
      return isEmpty[node.body] === 1 && isEmpty[node.next] === 1
    default:
      return true
  }
}
