/**
 * The two containers of the program, with what they count.
 *
 * An object's counter says which names may still come (`places.ts`), and beside it the number of entries and the demands
 * met, where these count. An array's counter is the number of items begun, saturated where it cannot matter any more, so
 * that a list without an end has finitely many contexts.
 */

import { leastCover } from './cover.ts'
import type { ItemCounts } from './item-counts.ts'
import { KeyDfa } from './key-dfa.ts'
import { type AllowedNames, KeyNames, type KeyNamesTable } from './key-names.ts'
import { AnyPlaces, type NamePlaces, OrderedPlaces, type TiedName } from './places.ts'
import type { StringDfa } from './string-dfa.ts'
import { TiedPlaces } from './ties.ts'

/** A way to write the value of an entry. */
export interface Way {
  /** The demands that it meets, as bits. */
  readonly marks: number
  /** Node of the colon before this value. */
  readonly entry: number
}

export interface Entry {
  /** Node of the colon before the value, in whichever way. */
  readonly entry: number
  readonly ways: readonly Way[]
}

export interface ObjectProperty extends Entry {
  readonly name: string
  readonly required: boolean
  /** Names that it brings. */
  readonly implies?: readonly string[] | undefined
  /** Names that it excludes. */
  readonly excludes?: readonly string[] | undefined
}

/** The keys beside the declared ones: their automaton, and what follows each tag (less one). */
export interface FreeKeys {
  /** With the keys of these indices only, or all of them. */
  readonly dfa: (kept: readonly number[] | null) => StringDfa
  readonly entries: readonly Entry[]
}

export interface ObjectShape {
  readonly properties: readonly ObjectProperty[]
  readonly forbidden: readonly string[]
  readonly free: FreeKeys | null
  readonly anyOrder: boolean
  readonly min: number
  readonly max: number
  /** How many demands there are. */
  readonly demands: number
}

/** What texts have made of a grammar beyond its contexts, estimated. */
export interface Learned {
  bytes: number
}

/** Bytes of an automaton of keys and its first states; beside it stand the names written, as bits and as a text. */
const KEYS_BYTES = 2_000

/** What every node of an object refers to. */
export class ObjectPart {
  readonly properties: readonly ObjectProperty[]
  readonly free: FreeKeys | null
  /** Whether keys may come in any order; else in that of `properties`. */
  readonly anyOrder: boolean
  readonly min: number
  readonly max: number
  /** Whether names bring or exclude others. */
  readonly tied: boolean
  readonly #forbidden: readonly string[]
  readonly #tries: KeyNamesTable
  readonly #learned: Learned
  #names: KeyNames | null = null
  #declared: readonly string[] | null = null
  #indices: Map<string, number> | null = null
  readonly #alphabet: Uint8Array
  readonly #keys = new Map<number, KeyDfa>()
  #freeKeys: KeyDfa | null = null
  /** Made when first asked for: most objects of a large grammar are never met. */
  #namePlaces: NamePlaces | null = null
  /** All demands, as bits. */
  readonly #demands: number
  /** Counters, where more is counted than names: the triple (place, entries, demands met). */
  readonly #counted: { place: number; entries: number; met: number }[] | null
  readonly #triples = new Map<string, number>()
  readonly #covers = new Map<string, number>()
  readonly #rooms: (number | undefined)[] = []

  constructor(
    { properties, forbidden, free, anyOrder, min, max, demands }: ObjectShape,
    alphabet: Uint8Array,
    tries: KeyNamesTable,
    learned: Learned,
  ) {
    this.properties = properties
    this.free = free
    this.anyOrder = anyOrder
    this.min = min
    this.max = max
    this.#forbidden = forbidden
    this.#alphabet = alphabet
    this.#tries = tries
    this.#learned = learned
    this.tied = properties.some(({ implies, excludes }) => implies !== undefined || excludes !== undefined)
    this.#demands = 2 ** demands - 1
    const counts = min > 0 || max < Number.POSITIVE_INFINITY || demands > 0
    this.#counted = counts ? [] : null
    // Counter 0 is that before the first entry.
    this.#counter(0, 0, 0)
  }

  get #places(): NamePlaces {
    this.#namePlaces ??= this.#makePlaces()
    return this.#namePlaces
  }

  #makePlaces(): NamePlaces {
    const names = tiedNames(this.properties)
    if (this.tied) return new TiedPlaces(names, this.anyOrder)
    return this.anyOrder ? new AnyPlaces(names) : new OrderedPlaces(names)
  }

  get names(): KeyNames {
    this.#names ??= this.#tries.of(this.declared)
    return this.#names
  }

  /** The names by index: those of the properties, then those that no key may be. */
  get declared(): readonly string[] {
    this.#declared ??= [...this.properties.map(({ name }) => name), ...this.#forbidden]
    return this.#declared
  }
  /** The index of a name, or -1. */
  indexOf(name: string): number {
    this.#indices ??= new Map(this.declared.map((declared, index) => [declared, index]))
    return this.#indices.get(name) ?? -1
  }

  /** Entries are counted only up to where no bound can tell the difference. */
  #counter(place: number, entries: number, met: number): number {
    if (this.#counted === null) return place
    const last = this.max < Number.POSITIVE_INFINITY ? this.max : this.min
    const key = `${place},${Math.min(entries, last)},${met}`
    let counter = this.#triples.get(key)
    if (counter === undefined) {
      counter = this.#counted.push({ place, entries: Math.min(entries, last), met }) - 1
      this.#triples.set(key, counter)
    }
    return counter
  }
  #place(count: number): number {
    return this.#counted === null ? count : this.#counted[count]!.place
  }
  #entries(count: number): number {
    return this.#counted === null ? 0 : this.#counted[count]!.entries
  }
  /** The demands that no entry meets yet, as bits. */
  unmet(count: number): number {
    return this.#demands === 0 ? 0 : this.#demands & ~this.#counted![count]!.met
  }

  /** The properties that must still be written, in the order in which they will be. */
  owed(count: number): readonly number[] {
    return this.#places.owed(this.#place(count))
  }
  /** Whether the demands that are not met can be, within the bound on entries. */
  #canMeet(place: number, entries: number, met: number): boolean {
    const cover = this.#cover(place, this.#demands & ~met)
    return cover < Number.POSITIVE_INFINITY && entries + this.#places.owed(place).length + cover <= this.max
  }
  /** The fewest entries beyond the required ones with which all of `unmet` is met; `Infinity` where nothing can. */
  #cover(place: number, unmet: number): number {
    if (unmet === 0) return 0
    const key = `${place},${unmet}`
    let cover = this.#covers.get(key)
    if (cover === undefined) {
      const marksOf = ({ ways }: Entry): number[] => ways.map(({ marks }) => marks)
      cover = leastCover(unmet, {
        owed: this.#places.owed(place).map((i) => marksOf(this.properties[i]!)),
        optional: this.#places.optional(place).map((i) => marksOf(this.properties[i]!)),
        free: (this.free?.entries ?? []).map(marksOf),
      })
      this.#covers.set(key, cover)
    }
    return cover
  }

  /** How many entries `minProperties` and the demands ask for beyond the required ones. */
  extra(count: number): number {
    if (this.#counted === null) return 0
    const counted = this.min - this.#entries(count) - this.owed(count).length
    return Math.max(0, counted, this.#cover(this.#place(count), this.unmet(count)))
  }
  /** How many entries there may be beyond the required ones. */
  room(count: number): number {
    if (this.#counted === null) return Number.POSITIVE_INFINITY
    let room = this.#rooms[count]
    if (room === undefined) {
      room = this.max - this.#entries(count) - this.owed(count).length
      this.#rooms[count] = room
    }
    return room
  }

  /** The properties that are not owed and may still come. */
  optional(count: number): readonly number[] {
    return this.#places.optional(this.#place(count))
  }
  /** A property and what it brings with it beyond what is owed. */
  brought(count: number, property: number): readonly number[] {
    return this.#places.brought(this.#place(count), property)
  }

  /** Whether there are infinitely many free keys, as far as can be seen. */
  get hasManyFreeKeys(): boolean {
    if (this.free === null) return false
    const keys = this.free.dfa(null)
    return keys.start !== 0 && keys.infinite(keys.start)
  }

  /** The automaton of the free keys alone. */
  get freeKeys(): KeyDfa {
    this.#freeKeys ??= new KeyDfa(this.names, NO_NAMES, this.free!.dfa(null), this.#alphabet)
    return this.#freeKeys
  }

  canClose(count: number): boolean {
    if (!this.#places.isDone(this.#place(count)) || this.unmet(count) !== 0) return false
    return this.#counted === null || this.#entries(count) >= this.min
  }
  /** Whether any key may come. */
  canEnter(count: number): boolean {
    if (this.freeAllowed(count)) return true
    const first = this.#places.from(this.#place(count))
    for (let i = first; i < this.properties.length; i++) if (this.isAllowed(count, i)) return true
    return false
  }
  isAllowed(count: number, property: number): boolean {
    if (property >= this.properties.length) return false
    if (!this.#places.canCome(this.#place(count), property)) return false
    if (this.#counted === null) return true
    if (this.brought(count, property).length > this.room(count)) return false
    if (this.unmet(count) !== 0 && !this.#leads(count, property, this.properties[property]!)) return false
    // In schema order names are passed over for good: enough must be left for the least number of entries.
    if (this.anyOrder || this.free !== null || this.tied) return true
    return this.#entries(count) + this.properties.length - property >= this.min
  }
  /** Whether a key may come that is not declared; in schema order those are the last. */
  freeAllowed(count: number): boolean {
    if (this.free === null || this.room(count) < 1) return false
    if (!this.anyOrder && !this.#places.isDone(this.#place(count))) return false
    return this.unmet(count) === 0 || this.#freeKept(count).length > 0
  }
  /** The free keys, by index, with which all demands can still be met. */
  #freeKept(count: number): number[] {
    return this.free!.entries.flatMap((entry, index) => (this.#leads(count, -1, entry) ? [index] : []))
  }
  /** Whether all demands can still be met behind an entry. */
  #leads(count: number, property: number, { ways }: Entry): boolean {
    const { place, entries, met } = this.#counted![count]!
    const behind = this.#places.after(place, property)
    return ways.some(({ marks }) => this.#canMeet(behind, entries + 1, met | marks))
  }
  /** The counter behind a declared property, or behind a free key (-1), whatever its value meets. */
  after(count: number, property: number): number {
    return this.#counter(
      this.#places.after(this.#place(count), property),
      this.#entries(count) + 1,
      this.#counted === null ? 0 : this.#counted[count]!.met,
    )
  }
  /** The counter once the entry just begun meets demands; -1 where the others could not be met any more. */
  marked(count: number, marks: number): number {
    const { place, entries, met } = this.#counted![count]!
    return this.#canMeet(place, entries, met | marks) ? this.#counter(place, entries, met | marks) : -1
  }

  /** The automaton of the keys that may come at `count`. */
  keys(count: number): KeyDfa {
    let dfa = this.#keys.get(count)
    if (dfa === undefined) {
      const allowed = this.#allowed(count, (name) => this.isAllowed(count, name))
      this.#learned.bytes += KEYS_BYTES + this.properties.length / 4
      dfa = new KeyDfa(this.names, allowed, this.#freeAt(count), this.#alphabet)
      this.#keys.set(count, dfa)
    }
    return dfa
  }

  #freeAt(count: number): StringDfa | null {
    if (!this.freeAllowed(count)) return null
    return this.free!.dfa(this.unmet(count) === 0 ? null : this.#freeKept(count))
  }

  /** The same without some names. */
  keysWithout(count: number, gone: ReadonlySet<string>): KeyDfa {
    const { declared } = this
    const names = new KeyNames([...new Set([...declared, ...gone])], this.#alphabet)
    const allowed = this.#allowed(
      count,
      (name) => name < this.properties.length && !gone.has(declared[name]!) && this.isAllowed(count, name),
    )
    return new KeyDfa(names, allowed, this.#freeAt(count), this.#alphabet)
  }

  #allowed(count: number, has: (name: number) => boolean): AllowedNames {
    const place = this.#place(count)
    const to = Math.min(this.#places.to(place), this.properties.length - 1)
    return { from: this.#places.from(place), to, has }
  }
}

const NO_NAMES: AllowedNames = { from: 0, to: -1, has: () => false }

/** A way the next item can be written: its node, and the counter behind it. */
export interface ItemStep {
  readonly node: number
  readonly after: number
}

/** One of the alternatives of a position. */
export interface ItemAlternative {
  readonly node: number
  readonly marks: number
}

export interface ArrayShape {
  /** Nodes of the first items. */
  readonly prefix: readonly number[]
  /** Node of every further item, or -1. */
  readonly rest: number
  readonly min: number
  readonly max: number
  /** In place of `prefix` and `rest`. */
  readonly counts: ItemCounts<ItemAlternative> | null
  /** Whether no two items may be equal. */
  readonly unique: boolean
}

/** What is said of the names, by index. */
export function tiedNames(
  properties: readonly Pick<ObjectProperty, 'name' | 'required' | 'implies' | 'excludes'>[],
): TiedName[] {
  const isTied = properties.some(({ implies, excludes }) => implies !== undefined || excludes !== undefined)
  if (!isTied)
    return properties.map(({ required }) => ({ required, implies: NO_INDICES, excludes: NO_INDICES }))
  const indices = new Map(properties.map(({ name }, index) => [name, index]))
  const indicesOf = (names: readonly string[] = []): number[] =>
    names.flatMap((name) => indices.get(name) ?? [])
  return properties.map(({ required, implies, excludes }) => ({
    required,
    implies: indicesOf(implies),
    excludes: indicesOf(excludes),
  }))
}

const NO_INDICES: readonly number[] = []

export class ArrayPart {
  readonly #shape: ArrayShape

  constructor(shape: ArrayShape) {
    this.#shape = shape
  }

  /** Whether items are told apart by what they count for, so that a position can have several ways on. */
  get isCounted(): boolean {
    return this.#shape.counts !== null
  }

  get isUnique(): boolean {
    return this.#shape.unique
  }
  get max(): number {
    return this.#shape.max
  }

  canClose(count: number): boolean {
    const { counts, min } = this.#shape
    return counts === null ? count >= min : counts.canClose(count)
  }
  canEnter(count: number): boolean {
    const { counts, max } = this.#shape
    return counts === null ? count < max && this.#item(count) >= 0 : counts.steps(count).length > 0
  }
  /** The fewest items that must still come. */
  owed(count: number): number {
    const { counts, min } = this.#shape
    return counts === null ? Math.max(0, min - count) : counts.fewest(count)
  }
  #item(count: number): number {
    return this.#shape.prefix[count] ?? this.#shape.rest
  }
  /** Where items are counted: for each tally that is not met, how many items more must count, and the nodes of those that do. */
  unmet(count: number): { readonly missing: number; readonly nodes: readonly number[] }[] {
    const { counts } = this.#shape
    if (counts === null) return []
    return counts
      .unmet(count)
      .map(({ missing, alternatives }) => ({ missing, nodes: alternatives.map(({ node }) => node) }))
  }

  /** The nodes of all items there can be. */
  get nodes(): readonly number[] {
    const { counts, prefix, rest } = this.#shape
    if (counts !== null) return counts.alternatives.map(({ node }) => node)
    return rest < 0 ? prefix : [...prefix, rest]
  }
  /** Whether all items from here on are alike. */
  isUniform(count: number): boolean {
    return this.#shape.counts === null && count >= this.#shape.prefix.length
  }

  /** The ways to write the next item; one, but where items are counted. */
  steps(count: number): readonly ItemStep[] {
    const { counts } = this.#shape
    if (counts === null) return this.canEnter(count) ? [this.step(count)] : []
    return counts.steps(count).map(({ alternative, after }) => ({ node: alternative.node, after }))
  }
  /** The only way to write the next item. */
  step(count: number): ItemStep {
    const { prefix, min, max } = this.#shape
    // Counts that nothing distinguishes are one.
    const last = Math.max(prefix.length, min)
    const after = max === Number.POSITIVE_INFINITY ? Math.min(count + 1, last) : count + 1
    return { node: this.#item(count), after }
  }
}
