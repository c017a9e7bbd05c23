/**
 * What the tokens of one place cost: groups of tokens, each with the least completion behind it.
 *
 * Of a token that can be read in several ways the least completion counts, as it does once the token is written: the shortest
 * text, not the fewest tokens. So groups are gone through from the worst completion to the best, and a better one takes a
 * token back from a worse one.
 */
import { latin1 } from '../automaton/latin1.ts'
import { addBits, clearBits, emptyBits, hasBit, setBit, setBits } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Entry } from './entry.ts'
import { NO_IDS } from './id-lists.ts'
import { isBetter, type Least } from './least.ts'

const QUOTE = 0x22

/** Tokens with one least completion behind them. */
export interface CostGroup {
  readonly ids: Int32Array
  readonly bits: Uint32Array | null
  /** `null` where only history tells. */
  readonly least: Least | null
  /** Tokens by which it may be too few, for what history holds. */
  readonly slack: number
  /** Whether they end within a key that began in the token and is not declared: one of any text, or of a language of its own. */
  readonly key: 'none' | 'any' | 'narrow'
  /** How the JSON string ends in which all of them end, where that is so. */
  readonly inString: string | null
  /** Whether that string was begun before. */
  readonly isOwn: boolean
  /** Whether they end within a key: which one it becomes is then of moment for those behind it. */
  readonly inKey: boolean
}

/** What one terminal makes of the tokens: `cut` is taken out of the groups before `after` is added. */
export interface Unit {
  readonly groups: readonly CostGroup[]
  readonly cut: Int32Array
  readonly after: readonly CostGroup[]
}

/** Tokens that end within a key which began in them, by the part of that key. */
type BegunKeys = ReadonlyMap<string, readonly number[]>

/** What the tokens of a thread, or of several, cost. */
export class Profile {
  readonly #units: readonly Unit[]
  /** The most that a token may cost, end token included. */
  readonly worst: number
  /** The most that one may cost of which only history tells. */
  readonly #worstAsked: number
  /** Whether a key begins in some token whose language is not that of any text. */
  readonly hasNarrowKeys: boolean
  #ordered: Unit | null = null
  #costs: readonly number[] | null = null
  readonly #entries: (Entry | undefined)[] = []
  #begun: BegunKeys | null = null
  #doubled: Uint32Array | null = null

  constructor(units: readonly Unit[]) {
    this.#units = units
    let worst = 0
    let worstAsked = 0
    let hasNarrowKeys = false
    for (const { groups, after } of units) {
      for (const list of [groups, after]) {
        for (let i = 0; i < list.length; i++) {
          const { least, slack, key } = list[i]!
          const cost = least === null ? Number.POSITIVE_INFINITY : least.tokens + 1 + slack
          if (cost > worst) worst = cost
          if (slack > 0 && cost > worstAsked) worstAsked = cost
          if (key === 'narrow') hasNarrowKeys = true
        }
      }
    }
    this.worst = worst
    this.#worstAsked = worstAsked
    this.hasNarrowKeys = hasNarrowKeys
  }

  /** From the worst least completion to the best. Of several units a token that more than one reads is the better one's. */
  get #unit(): Unit {
    if (this.#ordered === null) {
      const units = this.#units
      const one =
        units.length === 1 ? units[0]! : { groups: units.flatMap(allOf), cut: NO_IDS, after: NO_GROUPS }
      this.#ordered = { groups: ordered(one.groups), cut: one.cut, after: ordered(one.after) }
    }
    return this.#ordered
  }

  /** The groups of which history tells whether they cost more than `most`. */
  asked(most: number): readonly CostGroup[] {
    if (this.#worstAsked <= most) return NO_GROUPS
    const isOpen = ({ least, slack }: CostGroup): boolean =>
      slack > 0 && (least === null || least.tokens + 1 + slack > most)
    const { groups, cut, after } = this.#unit
    return allOf(whole({ groups: groups.filter(isOpen), cut, after: after.filter(isOpen) }))
  }

  /** All that there is, with nothing cut. */
  get groups(): readonly CostGroup[] {
    return allOf(whole(this.#unit))
  }

  /** The tokens that several groups have, as a mask of this size: they can be read in several ways. */
  doubled(size: number): Uint32Array {
    if (this.#doubled === null) {
      const seen = emptyBits(size)
      const doubled = emptyBits(size)
      const { groups, cut, after } = this.#unit
      for (const group of groups) addTwice(group, seen, doubled)
      clearBits(seen, cut)
      clearBits(doubled, cut)
      for (const group of after) addTwice(group, seen, doubled)
      this.#doubled = doubled
    }
    return this.#doubled
  }

  /** How many of the costs are more than may be left. */
  above(most: number): number {
    if (this.worst <= most) return 0
    this.#costs ??= costsOf(allOf(this.#unit))
    const costs = this.#costs
    let above = 0
    while (above < costs.length && costs[above]! > most) above++
    return above
  }

  /** The mask without what costs more than the first `above` costs. */
  entry(above: number, make: () => Entry): Entry {
    let entry = this.#entries[above]
    if (entry === undefined) {
      entry = make()
      this.#entries[above] = entry
    }
    return entry
  }

  begun(vocabulary: Vocabulary): BegunKeys {
    this.#begun ??= this.#findBegun(vocabulary)
    return this.#begun
  }

  #findBegun(vocabulary: Vocabulary): BegunKeys {
    const begun = new Map<string, number[]>()
    const { groups, after } = this.#unit
    for (const { ids, key } of [...groups, ...after]) {
      if (key === 'none') continue
      for (const id of ids) {
        const bytes = vocabulary.bytes(id)!
        // From any quote on: one that is escaped begins nothing.
        for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
          const part = latin1(bytes, at, bytes.length)
          const known = begun.get(part)
          if (known === undefined) begun.set(part, [id])
          else known.push(id)
        }
      }
    }
    return begun
  }

  /** Adds to `out` the tokens whose cost is more than `most`; what history tells is left out. */
  refuse(most: number, out: Uint32Array): void {
    const { groups, cut, after } = this.#unit
    refuseGroups(groups, most, out)
    clearBits(out, cut)
    refuseGroups(after, most, out)
  }

  /** Adds to `out` the tokens that cost no more in some way to read them, or that history tells. */
  allow(most: number, out: Uint32Array): void {
    const { groups, after } = this.#unit
    for (const group of [...groups, ...after]) if (!isTooMuch(group, most)) addGroup(group, out)
  }
}

/** The costs of groups that are known, each once, the highest first. */
function costsOf(groups: readonly CostGroup[]): number[] {
  const costs = new Set<number>()
  for (const group of groups) if (!isAsked(group)) costs.add(group.least!.tokens + 1)
  return [...costs].sort((a, b) => b - a)
}

const NO_GROUPS: readonly CostGroup[] = []

function isAsked({ least, slack }: CostGroup): boolean {
  return least === null || slack > 0
}

function allOf({ groups, after }: Unit): readonly CostGroup[] {
  return after.length === 0 ? groups : [...groups, ...after]
}

/** Those that history tells come last. */
function ordered(groups: readonly CostGroup[]): CostGroup[] {
  return [...groups].sort((a, b) => {
    if (isAsked(a) || isAsked(b)) return (isAsked(a) ? 1 : 0) - (isAsked(b) ? 1 : 0)
    return isBetter(a.least!, b.least!) ? 1 : isBetter(b.least!, a.least!) ? -1 : 0
  })
}

/** The same with nothing to cut. */
export function whole({ groups, cut, after }: Unit): Unit {
  if (cut.length === 0) return { groups: after.length === 0 ? groups : [...groups, ...after], cut, after: [] }
  const gone = new Set(cut)
  const left = groups.map((group) => {
    const ids = group.ids.some((id) => gone.has(id)) ? group.ids.filter((id) => !gone.has(id)) : group.ids
    return ids === group.ids ? group : { ...group, ids, bits: null }
  })
  return { groups: [...left, ...after], cut: NO_IDS, after: [] }
}

function isTooMuch({ least, slack }: CostGroup, most: number): boolean {
  return least !== null && slack === 0 && least.tokens + 1 > most
}

function addGroup({ ids, bits }: CostGroup, out: Uint32Array): void {
  if (bits === null) setBits(out, ids)
  else addBits(out, bits)
}

/** Adds a group to the tokens seen, and to `doubled` those that were seen before. */
function addTwice({ ids, bits }: CostGroup, seen: Uint32Array, doubled: Uint32Array): void {
  if (bits === null) {
    for (const id of ids) if (hasBit(seen, id)) setBit(doubled, id)
    setBits(seen, ids)
    return
  }
  for (let word = 0; word < bits.length; word++) {
    doubled[word]! |= seen[word]! & bits[word]!
    seen[word]! |= bits[word]!
  }
}

/** The groups come in the order in which a better one takes a token back from a worse one. */
function refuseGroups(groups: readonly CostGroup[], most: number, out: Uint32Array): void {
  let any = false
  for (const group of groups) {
    if (isTooMuch(group, most)) {
      addGroup(group, out)
      any = true
    } else if (any) {
      const { ids, bits } = group
      if (bits === null) clearBits(out, ids)
      else for (let i = 0; i < bits.length; i++) out[i]! &= ~bits[i]!
    }
  }
}
