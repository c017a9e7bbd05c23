/**
 * Satisfiability: which nodes some value satisfies, as a least fixpoint over the nodes that a value *needs*: required
 * properties and items up to the minimum. Optional parts decide nothing, so only the needed graph is expanded.
 *
 * A node is productive if one of its records is; a record if all nodes it needs are. What a search leaves undecided can
 * only be satisfied by a value without end, so it is empty. Linear in the needed graph, iterative.
 */
import type { Mode, Node } from './node.ts'
import type { Budget } from './options.ts'
import {
  type ArrayRecord,
  hasScalar,
  isEmptyShape,
  type ObjectRecord,
  propertyAt,
  type Shape,
} from './shape.ts'

/** A record whose needed nodes are not all known. */
interface Pending {
  readonly owner: Node
  missing: number
}

export class Satisfiability {
  readonly #expand: (node: Node, mode: Mode) => Shape
  readonly #budget: Budget

  constructor(expand: (node: Node, mode: Mode) => Shape, budget: Budget) {
    this.#expand = expand
    this.#budget = budget
  }

  isProductive(node: Node, mode: Mode): boolean {
    if (node.status[mode] === 'unknown') this.#decide(node, mode)
    return node.status[mode] === 'productive'
  }

  /** Whether every node that the record needs is productive. */
  isRecordProductive(record: ArrayRecord | ObjectRecord, mode: Mode): boolean {
    const needed = neededBy(record)
    this.#budget.spend(needed.length)
    return needed.every((node) => this.isProductive(node, mode))
  }

  #decide(start: Node, mode: Mode): void {
    const found: Node[] = []
    const seen = new Set<Node>([start])
    const waiting = new Map<Node, Pending[]>()
    const ready: Node[] = []
    const stack = [start]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      found.push(node)
      const shape = this.#expand(node, mode)
      this.#budget.spend(1)
      if (hasScalar(shape)) {
        ready.push(node)
        continue
      }
      for (const record of [...shape.objects, ...shape.arrays]) {
        const missing = this.#missing(record, mode)
        if (missing === null) continue
        if (missing.length === 0) {
          ready.push(node)
          break
        }
        const pending: Pending = { owner: node, missing: missing.length }
        for (const child of missing) {
          const list = waiting.get(child)
          if (list === undefined) waiting.set(child, [pending])
          else list.push(pending)
          if (!seen.has(child)) {
            seen.add(child)
            stack.push(child)
          }
        }
      }
    }
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      if (node.status[mode] !== 'unknown') continue
      node.status[mode] = 'productive'
      for (const pending of waiting.get(node) ?? []) {
        if (--pending.missing === 0) ready.push(pending.owner)
      }
    }
    for (const node of found) if (node.status[mode] === 'unknown') node.status[mode] = 'empty'
  }

  /** The needed nodes that are not known to be productive; `null` if one is empty. */
  #missing(record: ArrayRecord | ObjectRecord, mode: Mode): Node[] | null {
    const missing: Node[] = []
    for (const node of neededBy(record)) {
      const status = node.status[mode]
      if (status === 'empty') return null
      if (status === 'unknown' && !missing.includes(node)) {
        // The cheapest way to be empty, and how branches are told apart.
        if (isEmptyShape(this.#expand(node, mode))) {
          node.status[mode] = 'empty'
          return null
        }
        missing.push(node)
      }
    }
    return missing
  }
}

/** The nodes that a value of the record cannot do without. */
function neededBy(record: ArrayRecord | ObjectRecord): readonly Node[] {
  if ('required' in record) {
    const nodes: Node[] = []
    for (const name of record.required) nodes.push(propertyAt(record, name))
    return nodes
  }
  const nodes = record.prefix.slice(0, record.min)
  if (record.min > record.prefix.length) nodes.push(record.rest)
  return nodes
}
