/**
 * Constraint nodes: what a value must satisfy, as a set of atoms of which all apply. Nodes are interned, so a recursive
 * schema has finitely many, and the same conjunction is expanded and emitted once.
 *
 * An atom is a place in the schema document, one JSON value (`const`, a member of `enum`), or the complement of a node.
 */
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { DynamicScope, Resource } from './resource.ts'

export interface SchemaAtom {
  readonly kind: 'schema'
  readonly id: number
  readonly schema: JsonObject
  /** As a URI fragment, `#/properties/a`. */
  readonly pointer: string
  /** A short name for rules: the last steps of the pointer. */
  readonly label: string
  readonly resource: Resource
  readonly scope: DynamicScope
}

/** Exactly this value. */
export interface ValueAtom {
  readonly kind: 'value'
  readonly id: number
  readonly value: JsonValue
  readonly pointer: string
  readonly label: string
}

/** Everything but the node. */
export interface NotAtom {
  readonly kind: 'not'
  readonly id: number
  readonly node: Node
  readonly pointer: string
  readonly label: string
}

export type Atom = SchemaAtom | ValueAtom | NotAtom

/**
 * How precisely a node is expanded. `EXACT_MODE` is what is emitted. `LOOSE_MODE` takes the branches of `oneOf` as those
 * of `anyOf` and marks them as not exact; it needs no decision about emptiness, so the exact one can stand on it.
 */
export const EXACT_MODE = 0
export const LOOSE_MODE = 1
export type Mode = typeof EXACT_MODE | typeof LOOSE_MODE

export type Status = 'unknown' | 'productive' | 'empty'

export class Node {
  /** Whether some value satisfies it, as far as it has been decided. */
  readonly status: [exact: Status, loose: Status] = ['unknown', 'unknown']
  /** The atoms that take away. */
  readonly complements: readonly NotAtom[]

  constructor(
    readonly id: number,
    readonly atoms: readonly Atom[],
  ) {
    this.complements = atoms.filter((atom) => atom.kind === 'not')
  }

  get pointer(): string {
    return this.atoms[0]?.pointer ?? '#'
  }

  get label(): string {
    return this.atoms[0]?.label ?? ''
  }
}

/** Makes and keeps all nodes of one compile. */
export class NodeTable {
  /** No constraint at all. */
  readonly any = new Node(0, [])
  /** Nothing satisfies it. */
  readonly none = new Node(1, [])
  readonly #nodes: Node[] = [this.any, this.none]
  readonly #byAtoms = new Map<string, Node>()
  readonly #meets = new Map<number, Node>()
  readonly #complements = new Map<Node, Node>()
  readonly #ordered: boolean
  #atoms = 0

  /** `ordered`: the order of atoms is kept, since it decides the order of properties. */
  constructor(ordered: boolean) {
    this.#ordered = ordered
    this.any.status.fill('productive')
    this.none.status.fill('empty')
  }

  /** An id for a new atom. */
  nextAtom(): number {
    return this.#atoms++
  }

  of(atom: Atom): Node {
    return this.#intern([atom])
  }

  /** What satisfies both. */
  meet(a: Node, b: Node): Node {
    if (a === b || b === this.any) return a
    if (a === this.any) return b
    if (a === this.none || b === this.none) return this.none
    const key = a.id * 0x4000000 + b.id
    let node = this.#meets.get(key)
    if (node === undefined) {
      node = this.#intern([...a.atoms, ...b.atoms.filter((atom) => !a.atoms.includes(atom))])
      this.#meets.set(key, node)
    }
    return node
  }

  /** The node without its complements. */
  positive(node: Node): Node {
    if (node.complements.length === 0) return node
    const atoms = node.atoms.filter(({ kind }) => kind !== 'not')
    return atoms.length === 0 ? this.any : this.#intern(atoms)
  }

  /** What does not satisfy it. */
  complement(node: Node): Node {
    if (node === this.any) return this.none
    if (node === this.none) return this.any
    const only = node.atoms.length === 1 ? node.atoms[0] : undefined
    if (only !== undefined && only.kind === 'not') return only.node
    let result = this.#complements.get(node)
    if (result === undefined) {
      result = this.of({ kind: 'not', id: this.nextAtom(), node, pointer: node.pointer, label: node.label })
      this.#complements.set(node, result)
    }
    return result
  }

  get size(): number {
    return this.#nodes.length
  }

  #intern(written: Atom[]): Node {
    let atoms = written
    const value = atoms.find((atom) => atom.kind === 'value')
    if (value !== undefined) {
      // Value atoms are interned by value: two of them are two different values, and one is none of the others.
      if (atoms.some((atom) => atom.kind === 'value' && atom !== value)) return this.none
      atoms = atoms.filter((atom) => atom.kind !== 'not' || !isOtherValue(atom.node, value))
    }
    if (!this.#ordered) atoms.sort((a, b) => a.id - b.id)
    let key = ''
    for (const atom of atoms) {
      key += `${atom.id},`
      // A conjunction with the complement of a part of itself.
      if (atom.kind === 'not' && atom.node.atoms.every((inner) => atoms.includes(inner))) return this.none
    }
    let node = this.#byAtoms.get(key)
    if (node === undefined) {
      node = new Node(this.#nodes.length, atoms)
      this.#nodes.push(node)
      this.#byAtoms.set(key, node)
    }
    return node
  }
}

function isOtherValue({ atoms }: Node, value: ValueAtom): boolean {
  const only = atoms[0]
  return atoms.length === 1 && only !== undefined && only.kind === 'value' && only !== value
}
