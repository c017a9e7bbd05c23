/**
 * Bytes of a value that is none of many, at most: where there is another value at all, there is one that is no longer. What items
 * that must differ may cost. `Infinity` where that is not seen.
 */

import type { Node } from '../automaton/nodes.ts'
import type { ArrayPart, ObjectPart } from '../automaton/parts.ts'
import type { Program } from '../automaton/program.ts'
import type { Completions } from './completion.ts'
import { freeKeyRest, MANY, PUNCTUATION, spelledBytes, terminalRest } from './terminal-rest.ts'

const INFINITE = Number.POSITIVE_INFINITY

export class OtherValues {
  readonly #program: Program
  readonly #completions: Completions
  readonly #known = new Map<number, number>()

  constructor(program: Program, completions: Completions) {
    this.#program = program
    this.#completions = completions
  }

  /** Bytes that the items of an array take, the one that is written among them, so as to differ from any that are there. */
  ofItems(part: ArrayPart, count: number): number {
    let most = 0
    for (const node of part.nodes) most = Math.max(most, this.at(node))
    return (part.owed(count) + 2) * (most + PUNCTUATION)
  }

  /**
   * From a node to the end of its part. Arrays may have to be as long as the others are many. Depth of recursion: that of values
   * without arrays.
   */
  at(node: number): number {
    let other = this.#known.get(node)
    if (other === undefined) {
      // What leads back to itself has values of any length.
      this.#known.set(node, INFINITE)
      other = this.#find(this.#program.nodes[node]!, node)
      this.#known.set(node, other)
    }
    return other
  }

  #find(node: Node, at: number): number {
    switch (node.kind) {
      case 'return':
        return 0
      case 'split':
        return Math.max(...node.options.map((option) => this.at(option)))
      case 'call':
        return this.at(this.#program.rules[node.rule]!) + this.at(node.next)
      case 'terminal': {
        const { terminal, dfa, next } = node
        return this.at(next) + (terminal === null ? PUNCTUATION : terminalRest(terminal, dfa, MANY))
      }
      case 'object': {
        const { part } = node
        const least = isEndless(part) ? this.#completions.leastAt(at)?.text.length : undefined
        const own = least === undefined ? this.ofObject(part) : least + this.freeEntries(part, 0)
        return own + this.at(node.next)
      }
      default:
        return INFINITE
    }
  }

  /** With all of its properties, and as many free keys as it may need. */
  ofObject(part: ObjectPart): number {
    let bytes = PUNCTUATION
    for (const { name, entry } of part.properties) bytes += spelledBytes(name) + PUNCTUATION + this.at(entry)
    return bytes + (part.free === null ? 0 : this.freeEntries(part, 0))
  }

  /** Bytes of as many entries of free keys as an object owes, and one. */
  freeEntries(part: ObjectPart, count: number): number {
    const key = freeKeyRest(part.free!.dfa(null))
    let value = 0
    for (const { entry } of part.free!.entries) {
      const least = this.#completions.leastAt(entry)?.text.length ?? 0
      value = Math.max(value, isEndless(part) ? least : this.at(entry))
    }
    return (part.extra(count) + 1) * (key + value + PUNCTUATION)
  }
}

/** Whether an object can always have one more key of very many. */
export function isEndless(part: ObjectPart): boolean {
  return part.hasManyFreeKeys && part.max === INFINITE
}
