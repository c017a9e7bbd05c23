/**
 * What the keys stand for that an object does not declare: a map from keys to nodes, made of parts with disjoint
 * languages. Keys of no part are not allowed. Maps are interned (`keys.ts`), so `===` compares.
 */
import type { Regex } from '../regex/regex.ts'
import type { Node } from './node.ts'

export interface KeyPart {
  readonly keys: Regex
  readonly value: Node
}

export class KeyMap {
  readonly id: number
  readonly parts: readonly KeyPart[]
  readonly #none: Node
  readonly #matches: (keys: Regex, name: string) => boolean

  constructor(
    id: number,
    parts: readonly KeyPart[],
    none: Node,
    matches: (keys: Regex, name: string) => boolean,
  ) {
    this.id = id
    this.parts = parts
    this.#none = none
    this.#matches = matches
  }

  /** The node of a key; that of nothing where the key is not allowed. */
  at(name: string): Node {
    for (const { keys, value } of this.parts) if (this.#matches(keys, name)) return value
    return this.#none
  }
}
