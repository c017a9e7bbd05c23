/**
 * Whether an array whose items must differ can be long enough: each position that must be there needs a value of its own.
 *
 * A position with as many values as there are positions never runs out; the values of the others are listed and matched to
 * positions (augmenting paths, O(positions^2 * values) at worst, counted in steps). Only scalars are listed: objects and arrays are known to be plenty,
 * or not known.
 */
import { formatDecimal } from '../json/decimal.ts'
import { jsonKey } from '../json/print.ts'
import { JsonNumber } from '../json/value.ts'
import type { Shapes } from './intersect.ts'
import type { Node, NodeTable } from './node.ts'
import { valuesOf } from './numbers.ts'
import type { Budget } from './options.ts'
import { type ArrayRecord, itemAt, propertyAt, type Shape, type StringRecord } from './shape.ts'
import type { Strings } from './strings.ts'
import { choicesOf } from './tally.ts'
import { NO_TIES } from './ties.ts'

/** Items that must differ, where their values have to be listed. */
const MAX_ITEMS = 1_000

/** `unknown`: it hangs on how many objects or arrays there are, or on very many values. */
export type Verdict = 'long enough' | 'too short' | 'unknown'

export class Distinctness {
  readonly #shapeOf: (node: Node) => Shape
  readonly #nodes: NodeTable
  readonly #strings: Strings
  readonly #budget: Budget

  constructor(shapeOf: (node: Node) => Shape, { nodes, strings }: Shapes, budget: Budget) {
    this.#shapeOf = shapeOf
    this.#nodes = nodes
    this.#strings = strings
    this.#budget = budget
  }

  decide(record: ArrayRecord): Verdict {
    if (record.unique === null) return 'long enough'
    if (record.tallies.length > 0) return this.#decideCounted(record)
    if (record.min < 2) return 'long enough'
    const few: (readonly string[])[] = []
    for (let index = 0; index < record.min; index++) {
      const node = itemAt(record, index)
      this.#budget.spend(1)
      if (this.#isPlenty(node)) {
        if (index >= record.prefix.length) break
        continue
      }
      if (record.min > MAX_ITEMS) return 'unknown'
      const values = this.#values(this.#shapeOf(node), record.min)
      if (values === null) return 'unknown'
      if (values.length < record.min) few.push(values)
      else if (index >= record.prefix.length) break
    }
    return this.#match(few) ? 'long enough' : 'too short'
  }

  /**
   * Which items count for what is not matched with what differs: each way to write an item has plenty of values, or is one of
   * scalars where only one item must come.
   */
  #decideCounted(record: ArrayRecord): Verdict {
    const { prefix, rest } = choicesOf(record, this.#nodes)
    const isKnown = (node: Node): boolean => {
      if (this.#isPlenty(node)) return true
      const { arrays, objects } = this.#shapeOf(node)
      return record.min < 2 && arrays.length === 0 && objects.length === 0
    }
    return [...prefix.flat(), ...rest].every(({ node }) => isKnown(node)) ? 'long enough' : 'unknown'
  }

  /** The scalars of a shape, as far as `most`; `null` where there are objects or arrays beside fewer. */
  #values(shape: Shape, most: number): readonly string[] | null {
    const keys = new Set<string>()
    if (shape.nulls !== null) keys.add('null')
    if (shape.trues !== null) keys.add('true')
    if (shape.falses !== null) keys.add('false')
    for (const record of shape.numbers) {
      // Of 2^n neighbours one at least is left by n steps that are excluded.
      const values = valuesOf(record, most * 2 ** record.excluded.length)
      if (values === null) return this.#placeholders(most)
      for (const value of values) keys.add(jsonKey(new JsonNumber(formatDecimal(value))))
    }
    for (const record of shape.strings) {
      const language = this.#strings.languageOf(record)
      if (this.#strings.countOf(language) >= most) return this.#placeholders(most)
      for (const text of record.values ?? this.#strings.listOf(language)) keys.add(jsonKey(text))
    }
    if (keys.size < most && (shape.arrays.length > 0 || shape.objects.length > 0)) return null
    return [...keys]
  }

  /** As many values as are asked for, whatever they are: the position never runs out. */
  #placeholders(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => String(index))
  }

  /** Whether a node has values without end, as far as can be seen from it and what it needs. */
  #isPlenty(start: Node): boolean {
    const seen = new Set([start])
    for (const node of seen) {
      const { numbers, strings, arrays, objects } = this.#shapeOf(node)
      this.#budget.spend(1)
      if (numbers.some(({ intervals }) => intervals.some(({ min, max }) => min === null || max === null)))
        return true
      if (strings.some(isEndless)) return true
      for (const { prefix, rest, min, max, unique, tallies } of arrays) {
        if (tallies.length > 0) continue
        if (unique === null && max === Number.POSITIVE_INFINITY) return true
        for (const item of [...prefix, rest].slice(0, min)) seen.add(item)
      }
      for (const record of objects) {
        if (record.demands.length > 0) continue
        if (record.others.parts.length > 0 && record.max > record.required.size) return true
        for (const name of record.required) seen.add(propertyAt(record, name))
        // Of names that are tied to others it is not seen whether they can come.
        if (record.max > record.required.size && record.ties === NO_TIES)
          for (const node of record.properties.values()) seen.add(node)
      }
    }
    return false
  }

  /** Whether each position can have a value that no other has. */
  #match(positions: readonly (readonly string[])[]): boolean {
    if (new Set(positions.flat()).size < positions.length) return false
    const takenBy = new Map<string, number>()
    const place = (position: number, tried: Set<string>): boolean => {
      const values = positions[position] as readonly string[]
      this.#budget.spend(values.length)
      const free = values.find((value) => !takenBy.has(value))
      if (free !== undefined) {
        takenBy.set(free, position)
        return true
      }
      for (const value of values) {
        if (tried.has(value)) continue
        tried.add(value)
        // Recursion is at most as deep as there are positions with few values.
        if (!place(takenBy.get(value) as number, tried)) continue
        takenBy.set(value, position)
        return true
      }
      return false
    }
    return positions.every((_, position) => place(position, new Set()))
  }
}

function isEndless({ values, language, max }: StringRecord): boolean {
  return values === null && max === Number.POSITIVE_INFINITY && (language === null || language.infinite)
}
