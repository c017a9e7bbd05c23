/**
 * Which names of an object may still come: the part of its counter that is about names.
 *
 * A *place* is a number, 0 where nothing is written. In schema order it is the index of the next name; in any order an interned set of the names
 * already written. Where names bring or exclude others it is interned, too: in schema order what is owed, and which of
 * the names passed over matter to later ones.
 */
import { hasBit, setBit, wordCount } from '../bits.ts'
import { latin1 } from './latin1.ts'

export interface NamePlaces {
  /** The names that must still come, in the order in which they will. */
  owed(place: number): readonly number[]
  /** Whether none must. */
  isDone(place: number): boolean
  /** No name of lower index may come any more. */
  from(place: number): number
  /** No name of higher index may come next. */
  to(place: number): number
  /** The other names that may still come, room aside. */
  optional(place: number): readonly number[]
  /** Whether the name may come next, room aside. */
  canCome(place: number, name: number): boolean
  /** The names that must come if this one comes, beyond those owed: itself among them, unless it is owed. */
  brought(place: number, name: number): readonly number[]
  /** Behind the name, or behind a key that is none of the names (-1). */
  after(place: number, name: number): number
}

/** What is said of a name. */
export interface TiedName {
  readonly required: boolean
  /** Indices of the names that it brings. */
  readonly implies: readonly number[]
  /** Indices of the names that it excludes. */
  readonly excludes: readonly number[]
}

export class OrderedPlaces implements NamePlaces {
  readonly #names: readonly TiedName[]
  readonly #required: readonly number[]
  /** For each index the first required name at or behind it. */
  readonly #nextRequired: Int32Array

  constructor(names: readonly TiedName[]) {
    this.#names = names
    this.#required = requiredOf(names)
    this.#nextRequired = new Int32Array(names.length + 1).fill(names.length)
    for (let i = names.length - 1; i >= 0; i--)
      this.#nextRequired[i] = names[i]!.required ? i : this.#nextRequired[i + 1]!
  }

  owed(place: number): readonly number[] {
    return this.#required.filter((i) => i >= place)
  }
  isDone(place: number): boolean {
    return this.#nextRequired[place] === this.#names.length
  }
  from(place: number): number {
    return place
  }
  to(place: number): number {
    return this.#nextRequired[place]!
  }
  optional(place: number): readonly number[] {
    return this.#names.flatMap(({ required }, i) => (!required && i >= place ? [i] : []))
  }
  canCome(place: number, name: number): boolean {
    return name >= place && name <= this.#nextRequired[place]!
  }
  brought(_place: number, name: number): readonly number[] {
    return this.#names[name]!.required ? [] : [name]
  }
  after(_place: number, name: number): number {
    return name < 0 ? this.#names.length : name + 1
  }
}

export class AnyPlaces implements NamePlaces {
  readonly #names: readonly TiedName[]
  readonly #required: readonly number[]
  readonly #sets = new NameSets()

  constructor(names: readonly TiedName[]) {
    this.#names = names
    this.#required = requiredOf(names)
  }

  owed(place: number): readonly number[] {
    return this.#required.filter((i) => !this.#sets.has(place, i))
  }
  isDone(place: number): boolean {
    return this.#required.every((i) => this.#sets.has(place, i))
  }
  from(_place: number): number {
    return 0
  }
  to(_place: number): number {
    return this.#names.length
  }
  optional(place: number): readonly number[] {
    const names: number[] = []
    this.#names.forEach(({ required }, i) => {
      if (!required && !this.#sets.has(place, i)) names.push(i)
    })
    return names
  }
  canCome(place: number, name: number): boolean {
    return !this.#sets.has(place, name)
  }
  brought(_place: number, name: number): readonly number[] {
    return this.#names[name]!.required ? [] : [name]
  }
  after(place: number, name: number): number {
    return name < 0 ? place : this.#sets.with(place, name)
  }
}

function requiredOf(names: readonly TiedName[]): readonly number[] {
  return names.flatMap(({ required }, i) => (required ? [i] : []))
}

/** Sets of small integers, interned: the set with number 0 is empty. */
class NameSets {
  /** Without words of zeros at the end. */
  readonly #members: Uint32Array[] = [new Uint32Array(0)]
  readonly #ids = new Map<string, number>([['', 0]])
  /** For each set the sets with one member more, by member. */
  readonly #with: (Map<number, number> | undefined)[] = []

  has(set: number, member: number): boolean {
    const members = this.#members[set]!
    return wordCount(member + 1) <= members.length && hasBit(members, member)
  }

  with(set: number, member: number): number {
    let more = this.#with[set]
    if (more === undefined) {
      more = new Map()
      this.#with[set] = more
    }
    let id = more.get(member)
    if (id === undefined) {
      id = this.#intern(this.#members[set]!, member)
      more.set(member, id)
    }
    return id
  }

  #intern(set: Uint32Array, member: number): number {
    const members = new Uint32Array(Math.max(set.length, wordCount(member + 1)))
    members.set(set)
    setBit(members, member)
    const bytes = new Uint8Array(members.buffer)
    const key = latin1(bytes, 0, bytes.length)
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#members.push(members) - 1
      this.#ids.set(key, id)
    }
    return id
  }
}
