/**
 * Tallies: how many items of an array satisfy a node. `contains` is one, and so is what breaks `items`: an item that does
 * not satisfy them.
 *
 * An item is one of a few choices, each a node and the tallies that it counts for. Whether some array has all tallies
 * within bounds is decided by walking lengths with the set of counts that can be reached; counts beyond which nothing
 * changes are one. A tally without an upper bound may leave items uncounted, so it needs no complement.
 */
import { LimitError } from '../errors.ts'
import type { Node, NodeTable } from './node.ts'
import type { Budget } from './options.ts'
import { type ArrayRecord, itemAt, type Tally } from './shape.ts'

/** Tallies of one array: choices double with each. */
const MAX_TALLIES = 6
/** Combinations of counts that are told apart. */
const MAX_COUNTS = 1_000_000

/** A way an item can be. */
export interface Choice {
  readonly node: Node
  /** The tallies it counts for, as bits. */
  readonly marks: number
}

export interface Choices {
  readonly prefix: readonly (readonly Choice[])[]
  readonly rest: readonly Choice[]
}

/** The choices of each position of the prefix, and of the rest. Positions at which tallies begin are in the prefix. */
export function choicesOf(record: ArrayRecord, nodes: NodeTable): Choices {
  const { tallies } = record
  if (tallies.length > MAX_TALLIES)
    throw new LimitError(
      'conditions on the items of one array',
      MAX_TALLIES,
      tallies.length,
      'use fewer contains',
    )
  const length = tallies.reduce((longest, { from }) => Math.max(longest, from), record.prefix.length)
  const prefix: Choice[][] = []
  for (let index = 0; index < Math.min(length, record.max); index++)
    prefix.push(choicesAt(itemAt(record, index), index, tallies, nodes))
  return { prefix, rest: choicesAt(record.rest, length, tallies, nodes) }
}

function choicesAt(item: Node, index: number, tallies: readonly Tally[], nodes: NodeTable): Choice[] {
  let choices: Choice[] = [{ node: item, marks: 0 }]
  tallies.forEach(({ node, from, max }, bit) => {
    if (index < from) return
    const split: Choice[] = []
    for (const choice of choices) {
      const counted = nodes.meet(choice.node, node)
      const other =
        max === Number.POSITIVE_INFINITY ? choice.node : nodes.meet(choice.node, nodes.complement(node))
      if (counted !== nodes.none) split.push({ node: counted, marks: choice.marks | (1 << bit) })
      // What counts anyway need not be left uncounted.
      if (other !== nodes.none && other !== counted) split.push({ node: other, marks: choice.marks })
    }
    choices = split
  })
  return choices
}

/** Whether some array of productive items has its length and all tallies within bounds. */
export function isFeasible(
  { min, max, tallies }: ArrayRecord,
  { prefix, rest }: Choices,
  isProductive: (node: Node) => boolean,
  budget: Budget,
): boolean {
  // A count is kept up to where it decides nothing more.
  const tops = tallies.map((tally) => (tally.max === Number.POSITIVE_INFINITY ? tally.min : tally.max + 1))
  const size = tops.reduce((product, top) => product * (top + 1), 1)
  if (size > MAX_COUNTS)
    throw new LimitError('counts of items told apart', MAX_COUNTS, size, 'lower minContains or maxContains')
  const isWithin = (state: number): boolean => {
    let counts = state
    return tallies.every((tally, bit) => {
      const top = tops[bit] as number
      const count = counts % (top + 1)
      counts = Math.floor(counts / (top + 1))
      return count >= tally.min && count <= tally.max
    })
  }
  const after = (state: number, marks: number): number => {
    let place = 1
    let moved = state
    tops.forEach((top, bit) => {
      const count = Math.floor(state / place) % (top + 1)
      if ((marks >> bit) % 2 === 1 && count < top) moved += place
      place *= top + 1
    })
    return moved
  }
  const walk = (states: ReadonlySet<number>, marks: ReadonlySet<number>): Set<number> => {
    const next = new Set<number>()
    budget.spend(states.size * marks.size)
    for (const state of states) for (const mark of marks) next.add(after(state, mark))
    return next
  }
  const marksOf = (choices: readonly Choice[]): Set<number> =>
    new Set(choices.filter(({ node }) => isProductive(node)).map(({ marks }) => marks))

  let states = new Set([0])
  // Of a longest array without a superfluous item, each further one is needed for its length or for a tally.
  const needed = tallies.reduce((sum, tally) => sum + tally.min, 0)
  const longest = Math.min(max, Math.max(min, prefix.length + needed))
  const restMarks = marksOf(rest)
  for (let length = 0; ; length++) {
    if (length >= min && [...states].some(isWithin)) return true
    if (length >= longest) return false
    const choices = prefix[length]
    const next = walk(states, choices === undefined ? restMarks : marksOf(choices))
    if (next.size === 0) return false
    if (length >= Math.max(min, prefix.length) && equal(next, states)) return false
    states = next
  }
}

function equal(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  if (a.size !== b.size) return false
  for (const item of a) if (!b.has(item)) return false
  return true
}
