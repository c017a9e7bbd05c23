/**
 * Whether so many values can be written at a node that an array never runs out of items that differ: more than `PLENTY`.
 *
 * Seen from the terminals and the containers alone; `false` also where it cannot be seen. Linear in the rules reached.
 */
import type { Terminal } from '../grammar/grammar.ts'
import { compareDecimals, type Interval } from '../json/decimal.ts'
import type { Program } from './program.ts'

/** Arrays are taken to be shorter. */
const PLENTY = 100_000
const MAX_SHIFT = 1_000

export class Plenty {
  readonly #program: Program
  readonly #known = new Map<number, boolean>()

  constructor(program: Program) {
    this.#program = program
  }

  at(start: number): boolean {
    let plenty = this.#known.get(start)
    if (plenty === undefined) {
      const seen = new Set([start])
      plenty = false
      for (const node of seen) {
        plenty = this.#known.get(node) === true || this.#decide(node, seen)
        if (plenty) break
      }
      this.#known.set(start, plenty)
    }
    return plenty
  }

  /** How many values there are at a node, at least: those of numbers between two ends are counted. */
  atLeast(start: number): number {
    if (this.at(start)) return Number.POSITIVE_INFINITY
    const { nodes } = this.#program
    const node = nodes[start]!
    if (node.kind === 'split') return Math.max(...node.options.map((option) => this.atLeast(option)))
    if (node.kind !== 'terminal' || node.terminal?.kind !== 'number') return 0
    const { terminal } = node
    return Math.max(...terminal.intervals.map((interval) => widthOf(interval, terminal)))
  }

  /** Whether a node has plenty of values by itself; else those that it may have them from are added to `from`. */
  #decide(at: number, from: Set<number>): boolean {
    const { nodes, rules } = this.#program
    const node = nodes[at]!
    switch (node.kind) {
      case 'terminal':
        from.add(node.next)
        return node.terminal !== null && hasPlenty(node.terminal)
      case 'call':
        from.add(rules[node.rule]!)
        from.add(node.next)
        return false
      case 'split':
        for (const option of node.options) from.add(option)
        return false
      case 'marked':
        for (const { value } of node.options) from.add(value)
        return false
      case 'object': {
        const { part } = node
        const owed = part.owed(0)
        // Of names that are tied to others it is not seen whether they can come.
        const more = !part.tied && part.max > owed.length ? part.optional(0) : []
        for (const property of [...owed, ...more]) from.add(part.properties[property]!.entry)
        return part.hasManyFreeKeys && part.max > owed.length
      }
      case 'array': {
        const { part } = node
        const steps = part.steps(0)
        for (const step of steps) from.add(step.node)
        return !part.isUnique && part.max === Number.POSITIVE_INFINITY && steps.length > 0
      }
      default:
        return false
    }
  }
}

function hasPlenty(terminal: Terminal): boolean {
  switch (terminal.kind) {
    case 'texts':
      return false
    case 'string': {
      const { language, minLength, maxLength } = terminal
      // One character of any kind makes a million texts.
      if (language === null) return maxLength > 0
      return maxLength === Number.POSITIVE_INFINITY && language.infinite && minLength === 0
    }
    case 'number':
      return terminal.intervals.some((interval) => widthOf(interval, terminal) > PLENTY)
    case 'text':
      return false
  }
}

/** How many multiples there are in the interval, or numbers between its ends; fewer where that cannot be seen. */
function widthOf(
  { min, max, minExclusive, maxExclusive }: Interval,
  { integer, multipleOf, notMultiplesOf }: Extract<Terminal, { kind: 'number' }>,
): number {
  if (min === null || max === null) return Number.POSITIVE_INFINITY
  if (notMultiplesOf !== undefined) return 0
  if (!integer && multipleOf === undefined)
    return compareDecimals(min, max) < 0 ? Number.POSITIVE_INFINITY : 0
  const step = multipleOf ?? { mantissa: 1n, exponent: 0 }
  const exponents = [min.exponent, max.exponent, step.exponent]
  const least = Math.min(...exponents)
  // Ends this far apart are beyond what a number is written with.
  if (Math.max(...exponents) - least > MAX_SHIFT) return 0
  const [low, high, unit] = [min, max, step].map(
    ({ mantissa, exponent }) => mantissa * 10n ** BigInt(exponent - least),
  ) as [bigint, bigint, bigint]
  // Of ends that are multiples themselves there is one more.
  const ends = (minExclusive ? 1 : 0) + (maxExclusive ? 1 : 0)
  return Math.max(0, Number((high - low) / unit) - ends)
}
