/**
 * Whether so many values can be written at a node that an array never runs out of items that differ: more than `PLENTY`.
 *
 * Seen from the terminals and the containers alone; `false` also where it cannot be seen. Linear in the rules reached.
 */
import type { Terminal } from '../grammar/grammar.ts'
import { compareDecimals, type Interval } from '../json/decimal.ts'
import type { ArrayPart, ObjectPart } from './parts.ts'
import type { Program } from './program.ts'

/** More items than one array ever has. */
const PLENTY = 100_000
const MAX_SHIFT = 1_000

export class Plenty {
  readonly #program: Program
  readonly #known = new Map<number, boolean>()

  constructor(program: Program) {
    this.#program = program
  }

  /** Depth of recursion: that of the grammar's expressions and calls. */
  at(node: number): boolean {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    // What leads back to itself is seen elsewhere, or not at all.
    this.#known.set(node, false)
    const plenty = this.#decide(node)
    this.#known.set(node, plenty)
    return plenty
  }

  #decide(at: number): boolean {
    const node = this.#program.nodes[at]!
    switch (node.kind) {
      case 'terminal':
        return (node.terminal !== null && hasPlenty(node.terminal)) || this.at(node.next)
      case 'call':
        return this.at(this.#program.rules[node.rule]!) || this.at(node.next)
      case 'split':
        return node.options.some((option) => this.at(option))
      case 'object':
        return this.#object(node.part)
      case 'array':
        return this.#array(node.part)
      case 'marked':
        return node.options.some(({ value }) => this.at(value))
      default:
        return false
    }
  }

  #object(part: ObjectPart): boolean {
    const owed = part.owed(0)
    if (part.free !== null && part.max > owed.length) return true
    return owed.some((property) => this.at(part.properties[property]!.entry))
  }

  #array(part: ArrayPart): boolean {
    const steps = part.steps(0)
    if (!part.isUnique && part.max === Number.POSITIVE_INFINITY && steps.length > 0) return true
    return steps.some(({ node }) => this.at(node))
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
      return terminal.intervals.some((interval) => isWide(interval, terminal))
    case 'text':
      return false
  }
}

/** Whether there are so many multiples in the interval, or any numbers between its ends. */
function isWide(
  { min, max }: Interval,
  { integer, multipleOf, notMultiplesOf }: Extract<Terminal, { kind: 'number' }>,
): boolean {
  if (min === null || max === null) return true
  if (notMultiplesOf !== undefined) return false
  if (!integer && multipleOf === undefined) return compareDecimals(min, max) < 0
  const step = multipleOf ?? { mantissa: 1n, exponent: 0 }
  const exponents = [min.exponent, max.exponent, step.exponent]
  const least = Math.min(...exponents)
  // Ends this far apart are beyond what a number is written with.
  if (Math.max(...exponents) - least > MAX_SHIFT) return false
  const [low, high, unit] = [min, max, step].map(
    ({ mantissa, exponent }) => mantissa * 10n ** BigInt(exponent - least),
  ) as [bigint, bigint, bigint]
  return (high - low) / unit > BigInt(PLENTY)
}
