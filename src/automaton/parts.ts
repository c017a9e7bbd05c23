/**
 * The two containers of the program, with what they count.
 *
 * An object's counter says which names may still come: in schema order the index of the next one, in any order the set of
 * names already written, as an interned number. An array's counter is the number of items begun, saturated where it
 * cannot matter any more, so that a list without an end has finitely many contexts.
 */
import { KeyDfa, KeyNames } from './key-dfa.ts'
import type { StringDfa } from './string-dfa.ts'

export interface ObjectProperty {
  readonly name: string
  readonly required: boolean
  /** Node of the colon before the value. */
  readonly entry: number
}

/** What every node of an object refers to. */
export class ObjectPart {
  readonly properties: readonly ObjectProperty[]
  /** Node of the colon before an additional value, or -1. */
  readonly additional: number
  /** Whether keys may come in any order; else in that of `properties`. */
  readonly anyOrder: boolean
  readonly #names: () => KeyNames
  #lazyNames: KeyNames | null = null
  readonly #freeKeys: () => StringDfa
  readonly #alphabet: Uint8Array
  readonly #keys = new Map<number, KeyDfa>()
  readonly #sets = new NameSets()
  /** For each index the first required property at or behind it. */
  readonly #nextRequired: Int32Array
  readonly #required: readonly number[]

  constructor(
    properties: readonly ObjectProperty[],
    forbidden: readonly string[],
    additional: number,
    anyOrder: boolean,
    freeKeys: () => StringDfa,
    alphabet: Uint8Array,
  ) {
    this.properties = properties
    this.additional = additional
    this.anyOrder = anyOrder
    this.#freeKeys = freeKeys
    this.#alphabet = alphabet
    this.#names = () => new KeyNames([...properties.map((p) => p.name), ...forbidden], alphabet)
    this.#nextRequired = new Int32Array(properties.length + 1).fill(properties.length)
    for (let i = properties.length - 1; i >= 0; i--) {
      this.#nextRequired[i] = properties[i]!.required ? i : this.#nextRequired[i + 1]!
    }
    this.#required = properties.flatMap((p, i) => (p.required ? [i] : []))
  }

  get names(): KeyNames {
    this.#lazyNames ??= this.#names()
    return this.#lazyNames
  }

  /** The properties that must still be written, in the order in which they will be. */
  owed(count: number): readonly number[] {
    if (this.anyOrder) return this.#required.filter((i) => !this.#sets.has(count, i))
    return this.#required.filter((i) => i >= count)
  }
  canClose(count: number): boolean {
    if (!this.anyOrder) return this.#nextRequired[count] === this.properties.length
    return this.#required.every((i) => this.#sets.has(count, i))
  }
  /** Whether any key may come. */
  canEnter(count: number): boolean {
    if (this.additionalAllowed(count)) return true
    if (!this.anyOrder) return count < this.properties.length
    return this.properties.some((_, i) => !this.#sets.has(count, i))
  }
  isAllowed(count: number, property: number): boolean {
    if (property >= this.properties.length) return false
    if (this.anyOrder) return !this.#sets.has(count, property)
    return property >= count && property <= this.#nextRequired[count]!
  }
  additionalAllowed(count: number): boolean {
    return this.additional >= 0 && (this.anyOrder || this.canClose(count))
  }
  /** The counter behind a declared property, or behind an additional one (-1). */
  after(count: number, property: number): number {
    if (this.anyOrder) return property < 0 ? count : this.#sets.with(count, property)
    return property < 0 ? this.properties.length : property + 1
  }

  /** The automaton of the keys that may come at `count`. */
  keys(count: number): KeyDfa {
    let dfa = this.#keys.get(count)
    if (dfa === undefined) {
      const additional = this.additionalAllowed(count) ? this.#freeKeys() : null
      dfa = new KeyDfa(this.names, (name) => this.isAllowed(count, name), additional, this.#alphabet)
      this.#keys.set(count, dfa)
    }
    return dfa
  }
}

export class ArrayPart {
  constructor(
    /** Nodes of the first items. */
    readonly prefix: readonly number[],
    /** Node of every further item, or -1. */
    readonly rest: number,
    readonly min: number,
    readonly max: number,
  ) {}

  canClose(count: number): boolean {
    return count >= this.min
  }
  canEnter(count: number): boolean {
    return count < this.max && this.item(count) >= 0
  }
  item(count: number): number {
    return this.prefix[count] ?? this.rest
  }
  /** One item more; counts that nothing distinguishes are one. */
  after(count: number): number {
    const last = Math.max(this.prefix.length, this.min)
    return this.max === Number.POSITIVE_INFINITY ? Math.min(count + 1, last) : count + 1
  }
}

/** Sets of small integers, interned: the set with number 0 is empty. */
class NameSets {
  readonly #members: bigint[] = [0n]
  readonly #ids = new Map<bigint, number>([[0n, 0]])

  has(set: number, member: number): boolean {
    return ((this.#members[set]! >> BigInt(member)) & 1n) === 1n
  }
  with(set: number, member: number): number {
    const members = this.#members[set]! | (1n << BigInt(member))
    let id = this.#ids.get(members)
    if (id === undefined) {
      id = this.#members.push(members) - 1
      this.#ids.set(members, id)
    }
    return id
  }
}
