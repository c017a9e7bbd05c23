/**
 * Places of names that bring or exclude others.
 *
 * Sets of names are bits. To each name belongs all that it brings, directly or not, and all that any of these excludes.
 * What is written and owed never excludes itself and can always be written to its end; a name comes only if that stays
 * so. In schema order a name that is passed over is gone: it cannot be brought any more.
 */
import type { NamePlaces, TiedName } from './places.ts'

interface Spot {
  /** Index of the next name in schema order. */
  readonly index: number
  /** The names written; in schema order those that what is behind them still asks about. */
  readonly held: bigint
  readonly owed: bigint
}

export class TiedPlaces implements NamePlaces {
  readonly #anyOrder: boolean
  readonly #count: number
  /** To each name itself and what it brings. */
  readonly #closures: readonly bigint[]
  /** To each name what its closure excludes. */
  readonly #excluded: readonly bigint[]
  /** To each index the names that those from it on bring or exclude. */
  readonly #asked: readonly bigint[]
  readonly #spots: Spot[] = []
  readonly #ids = new Map<string, number>()

  constructor(names: readonly TiedName[], anyOrder: boolean) {
    this.#anyOrder = anyOrder
    this.#count = names.length
    this.#closures = closuresOf(names.map(({ implies }) => implies))
    const excludes = mirrored(names.map(({ excludes: others }) => others))
    this.#excluded = this.#closures.map((closure) => unionOf(closure, excludes))
    const asked: bigint[] = [0n]
    for (let i = names.length - 1; i >= 0; i--)
      asked.unshift(asked[0]! | this.#closures[i]! | this.#excluded[i]!)
    this.#asked = asked
    let owed = 0n
    names.forEach(({ required }, i) => {
      if (required) owed |= this.#closures[i]!
    })
    this.#place({ index: 0, held: 0n, owed })
  }

  #place({ index, held, owed }: Spot): number {
    const spot = this.#anyOrder ? { index: 0, held, owed } : { index, held: held & this.#asked[index]!, owed }
    const key = `${spot.index},${spot.held.toString(36)},${owed.toString(36)}`
    let place = this.#ids.get(key)
    if (place === undefined) {
      place = this.#spots.push(spot) - 1
      this.#ids.set(key, place)
    }
    return place
  }

  owed(place: number): readonly number[] {
    return membersOf(this.#spots[place]!.owed)
  }

  isDone(place: number): boolean {
    return this.#spots[place]!.owed === 0n
  }

  from(place: number): number {
    return this.#spots[place]!.index
  }

  to(_place: number): number {
    return this.#count
  }

  optional(place: number): readonly number[] {
    const { index, held, owed } = this.#spots[place]!
    const names: number[] = []
    for (let name = index; name < this.#count; name++)
      if (!has(held | owed, name) && this.#fits(place, name, index)) names.push(name)
    return names
  }

  canCome(place: number, name: number): boolean {
    const { index, held, owed } = this.#spots[place]!
    if (name < index || has(held, name)) return false
    if (!this.#anyOrder && (owed & below(name)) !== 0n) return false
    return has(owed, name) || this.#fits(place, name, name)
  }

  /** Whether what the name brings is there or comes behind an index, and stands beside what is there. */
  #fits(place: number, name: number, index: number): boolean {
    const { held, owed } = this.#spots[place]!
    const closure = this.#closures[name]!
    if (!this.#anyOrder && (closure & ~held & below(index)) !== 0n) return false
    return (this.#excluded[name]! & (held | owed | closure)) === 0n
  }

  brought(place: number, name: number): readonly number[] {
    const { held, owed } = this.#spots[place]!
    return membersOf(this.#closures[name]! & ~held & ~owed)
  }

  after(place: number, name: number): number {
    const spot = this.#spots[place]!
    if (name < 0) return this.#anyOrder ? place : this.#place({ ...spot, index: this.#count })
    const held = spot.held | (1n << BigInt(name))
    const owed = (spot.owed | this.#closures[name]!) & ~held
    return this.#place({ index: name + 1, held, owed })
  }
}

/** To each name itself and all that it brings, directly or not. */
export function closuresOf(implies: readonly (readonly number[])[]): bigint[] {
  return implies.map((_, name) => {
    const closure = new Set([name])
    // What is added while it is gone through is gone through, too.
    for (const member of closure) for (const target of implies[member]!) closure.add(target)
    return bitsOf(closure)
  })
}

/** To each name those that it excludes and those that exclude it. */
function mirrored(excludes: readonly (readonly number[])[]): bigint[] {
  const both = excludes.map(bitsOf)
  excludes.forEach((others, name) => {
    for (const other of others) both[other]! |= 1n << BigInt(name)
  })
  return both
}

function unionOf(names: bigint, sets: readonly bigint[]): bigint {
  return membersOf(names).reduce((union, name) => union | sets[name]!, 0n)
}

function bitsOf(names: Iterable<number>): bigint {
  let bits = 0n
  for (const name of names) bits |= 1n << BigInt(name)
  return bits
}

function membersOf(bits: bigint): number[] {
  const members: number[] = []
  for (let rest = bits, name = 0; rest !== 0n; rest >>= 1n, name++) if ((rest & 1n) === 1n) members.push(name)
  return members
}

function has(bits: bigint, name: number): boolean {
  return ((bits >> BigInt(name)) & 1n) === 1n
}

/** The names of lower index. */
function below(index: number): bigint {
  return (1n << BigInt(index)) - 1n
}
