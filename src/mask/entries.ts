/**
 * The least entries that an object still owes: its required properties, and as many more as `minProperties` asks for, each
 * the cheapest there is; where demands are to be met, the cheapest that meet them (`covering.ts`). Which free keys are
 * left depends on those the object already holds.
 */
import { latin1 } from '../automaton/latin1.ts'
import type { Entry, ObjectPart } from '../automaton/parts.ts'
import { type Candidate, coveringEntries, inOrder, leastOf } from './covering.ts'
import { isBetter, joined, type Least } from './least.ts'

/** The bytes of the empty key. */
const SHORTEST_KEY = 2

/** What the entries are made of. */
export interface Pieces {
  /** A text as a piece of its own. */
  piece(text: string): Least
  /** The least from the colon to the end of the value; `null` where there is none. */
  value(entry: number): Least | null
  /** Bytes of `value` at least, where it costs to ask: it may lead back to the object itself, deeper. */
  readonly lower: ((entry: number) => number) | null
  /** Bytes between two entries. */
  readonly separator: number
  /** The prices of entries, where they stay as they are. */
  readonly prices: Prices | null
}

/** What is kept of the entries of objects at one depth. */
export class Prices {
  /** By the node of the colon and the key: a free key's node has many. */
  readonly ways = new Map<number, Map<string, Ways>>()
  /** The names of an object in their shortest way, the least first. */
  readonly sorted = new Map<ObjectPart, readonly Candidate[]>()
}

/** The spellings of one object's free keys. */
export type TakenKeys = readonly string[]

/** One entry: the ways to write it, never none. */
type Ways = readonly Candidate[]

/**
 * The entries in the order in which they make the least text; `null` where they cannot be written.
 *
 * @param extra entries beyond the required ones
 */
export function owedEntries(
  part: ObjectPart,
  count: number,
  extra: number,
  taken: TakenKeys,
  pieces: Pieces,
): Least[] | null {
  const owed: Ways[] = []
  for (const property of part.owed(count)) {
    const ways = declared(part, property, pieces)
    if (ways.length === 0) return null
    owed.push(ways)
  }
  const unmet = part.unmet(count)
  if (unmet !== 0) {
    const demanded = unmet.toString(2).replaceAll('0', '').length
    const most = Math.min(Math.max(extra, demanded), part.room(count))
    const more = most === 0 ? [] : [...optional(part, count, pieces), ...free(part, most, taken, pieces)]
    const { separator } = pieces
    return coveringEntries({ unmet, owed, more, extra, most, separator, anyOrder: part.anyOrder })
  }
  const entries = owed.map(best)
  if (extra > 0 && part.tied) return tiedEntries(part, count, entries, taken, pieces)
  if (extra > 0) {
    const more =
      pieces.lower !== null
        ? leastByBounds(part, count, extra, taken, pieces, pieces.lower)
        : [...leastOptional(part, count, extra, pieces), ...free(part, extra, taken, pieces).map(best)]
    if (more.length < extra) return null
    more.sort(byLeast)
    entries.push(...more.slice(0, extra))
  }
  return entries.sort(inOrder(part.anyOrder)).map(({ least }) => least)
}

/**
 * The entries owed and one more with those that it brings: names that are tied are at most asked for one. `null` where none may
 * come. What is too long whatever its value is not written, so that recursion ends.
 */
function tiedEntries(
  part: ObjectPart,
  count: number,
  owed: readonly Candidate[],
  taken: TakenKeys,
  pieces: Pieces,
): Least[] | null {
  const { lower, separator } = pieces
  const sources: { readonly bound: number; make(): readonly Ways[] }[] = part
    .optional(count)
    .filter((property) => part.isAllowed(count, property))
    .map((property) => {
      const brought = part.brought(count, property)
      return {
        bound: brought.reduce((sum, each) => sum + separator + leastLength(part, each, lower), 0),
        make: () => brought.map((each) => declared(part, each, pieces)),
      }
    })
  const languages = part.room(count) > 0 ? (part.free?.entries ?? []) : []
  for (const [index, entry] of languages.entries())
    sources.push({
      bound: separator + SHORTEST_KEY + lowerOf(entry, lower),
      make: () => freeOf(part, index + 1, 1, taken, pieces).slice(0, 1),
    })
  sources.sort((a, b) => a.bound - b.bound)
  const choices: Candidate[][] = []
  let shortest = Number.POSITIVE_INFINITY
  for (const { bound, make } of sources) {
    if (bound > shortest) break
    const ways = make()
    if (ways.length === 0 || ways.some((each) => each.length === 0)) continue
    const choice = ways.map(best)
    choices.push(choice)
    shortest = Math.min(
      shortest,
      choice.reduce((sum, { least }) => sum + separator + least.text.length, 0),
    )
  }
  return leastOf(
    choices.map((choice) => [...owed, ...choice]),
    part.anyOrder,
    separator,
  )
}

/** Bytes that an entry's value has at least; 0 where it costs nothing to ask for the value itself. */
function lowerOf({ ways }: Entry, lower: Pieces['lower']): number {
  return lower === null ? 0 : Math.min(...ways.map(({ entry }) => lower(entry)))
}

/** The same of a property with its name. */
function leastLength(part: ObjectPart, property: number, lower: Pieces['lower']): number {
  return part.names.spellings[property]!.length + lowerOf(part.properties[property]!, lower)
}

function best(ways: Ways): Candidate {
  return ways.reduce((one, other) => (isBetter(other.least, one.least) ? other : one))
}

function declared(part: ObjectPart, property: number, pieces: Pieces): Ways {
  const key = part.names.spellings[property]!
  return waysOf(part.properties[property]!, latin1(key, 0, key.length), property, pieces)
}

function optional(part: ObjectPart, count: number, pieces: Pieces): Ways[] {
  return part
    .optional(count)
    .map((property) => declared(part, property, pieces))
    .filter((ways) => ways.length > 0)
}

/** The least of the optional names, as many as are asked for. */
function leastOptional(part: ObjectPart, count: number, most: number, pieces: Pieces): Candidate[] {
  let sorted = pieces.prices?.sorted.get(part)
  if (sorted === undefined) {
    sorted = part.properties
      .map((_, property) => declared(part, property, pieces))
      .filter((ways) => ways.length > 0)
      .map(best)
      .sort(byLeast)
    pieces.prices?.sorted.set(part, sorted)
  }
  const open = new Set(part.optional(count))
  const least: Candidate[] = []
  for (const candidate of sorted) {
    if (least.length === most) break
    if (open.has(candidate.property)) least.push(candidate)
  }
  return least
}

/**
 * The least of the optional names and the free keys by what they cost at least: what is too long whatever its value is not
 * written, so that recursion ends.
 */
function leastByBounds(
  part: ObjectPart,
  count: number,
  most: number,
  taken: TakenKeys,
  pieces: Pieces,
  lower: NonNullable<Pieces['lower']>,
): Candidate[] {
  const sources = part.optional(count).map((property) => ({
    bound: leastLength(part, property, lower),
    make: (): Ways[] => [declared(part, property, pieces)],
  }))
  for (const [index, entry] of (part.free?.entries ?? []).entries())
    sources.push({
      bound: SHORTEST_KEY + lowerOf(entry, lower),
      make: () => freeOf(part, index + 1, most, taken, pieces),
    })
  sources.sort((a, b) => a.bound - b.bound)
  const least: Candidate[] = []
  for (const { bound, make } of sources) {
    const last = least[most - 1]
    if (bound === Number.POSITIVE_INFINITY || (last !== undefined && bound > last.least.text.length)) break
    for (const ways of make()) if (ways.length > 0) least.push(best(ways))
    least.sort(byLeast)
    least.length = Math.min(least.length, most)
  }
  return least
}

function byLeast(a: Candidate, b: Candidate): number {
  return isBetter(a.least, b.least) ? -1 : 1
}

function waysOf(entry: Entry, key: string, property: number, pieces: Pieces): Ways {
  const { prices, piece, value } = pieces
  let known = prices?.ways.get(entry.entry)
  if (prices !== null && known === undefined) {
    known = new Map()
    prices.ways.set(entry.entry, known)
  }
  let ways = known?.get(key)
  if (ways === undefined) {
    ways = entry.ways.flatMap((way) => {
      const least = joined(piece(key), value(way.entry))
      return least === null ? [] : [{ property, marks: way.marks, least }]
    })
    known?.set(key, ways)
  }
  return ways
}

/** For each language of free keys its `most` least keys that are not taken, with their values. */
function free(part: ObjectPart, most: number, taken: TakenKeys, pieces: Pieces): Ways[] {
  return (part.free?.entries ?? []).flatMap((_, index) => freeOf(part, index + 1, most, taken, pieces))
}

function freeOf(part: ObjectPart, tag: number, most: number, taken: TakenKeys, pieces: Pieces): Ways[] {
  const entry = part.free!.entries[tag - 1]!
  if (entry.ways.every((way) => pieces.value(way.entry) === null)) return []
  return part.freeKeys
    .leastFree(tag, most, taken)
    .map((key) => waysOf(entry, key, part.properties.length, pieces))
}
