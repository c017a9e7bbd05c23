/**
 * Masks with a budget: less the tokens after which the fewest tokens that complete the text are more than are left.
 *
 * A *profile* tells of one place, a thread or several, what its tokens cost: groups of tokens (`token-groups.ts`), each with the
 * least completion behind it. It is put together as a mask is, from the groups of the terminal that runs and from fragments, what
 * contexts make of the rests of tokens; both are kept. The mask with a budget is that of the place less the groups that cost too
 * much: one for each set of such groups, kept with the profile. What a group costs may hang on history (keys that an object
 * holds and still owes, items that must differ): then nothing is said here, and the matcher tries the tokens one by one.
 *
 * Of a token that can be read in several ways the least completion counts, as it does once the token is written.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import type { Program } from '../automaton/program.ts'
import { bitCount, clearBits, emptyBits, hasBit, lowestBit, setBits } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Completions } from './completion.ts'
import type { Entry } from './entry.ts'
import { NO_IDS } from './id-lists.ts'
import { isBetter, joined, type Least, NOTHING } from './least.ts'
import { writeEntry } from './mask-buffers.ts'
import type { Masks } from './masks.ts'
import type { Partitions } from './partition.ts'
import { type Partition, SPARSE } from './partition-parts.ts'
import type { Rest } from './rest.ts'
import { type End, type TokenGroup, TokenGroups } from './token-groups.ts'
import type { Walker } from './walker.ts'

/** Tokens with one least completion behind them, or one that only history tells. */
interface CostGroup {
  readonly ids: Int32Array
  readonly bits: Uint32Array | null
  readonly least: Least | null
  /** Whether they end within a key that began in the token and is not declared: one of any text, or of a language of its own. */
  readonly key: 'none' | 'any' | 'narrow'
}

/** What one terminal makes of the tokens: `cut` is taken out of the groups before `after` is added. */
interface Unit {
  readonly groups: readonly CostGroup[]
  readonly cut: Int32Array
  readonly after: readonly CostGroup[]
}

/** A mask with a budget, and what it leaves to the matcher. */
export interface Budgeted {
  readonly entry: Entry
  /** Ids whose cost hangs on history: in the entry if they are in the mask without a budget. */
  readonly asked: readonly Int32Array[]
  readonly profile: Profile
}

/** Tokens that end within a key which began in them, by the part of that key. */
export type BegunKeys = ReadonlyMap<string, readonly number[]>

/** Profiles that are kept. */
const MAX_PROFILES = 1 << 12
/** Fragments, by context, and bytes of masks that are made of profiles: together with them all is forgotten. */
const MAX_FRAGMENTS = 1 << 14
const MAX_ENTRY_BYTES = 4 << 20
const QUOTE = 0x22
const BEGUN = { isBegun: true }

export class Profile {
  /** From the worst least completion to the best. */
  readonly #unit: Unit
  readonly asked: readonly Int32Array[]
  /** The costs behind tokens, end token included, each once, the highest first. */
  readonly costs: readonly number[]
  /** Whether a key begins in some token whose language is not that of any text. */
  readonly hasNarrowKeys: boolean
  readonly #entries: (Entry | undefined)[] = []
  #begun: BegunKeys | null = null

  constructor(units: readonly Unit[]) {
    // A token that several of them read is the better one's: they are put in one order.
    const all = units.flatMap(({ groups, after }) => [...groups, ...after])
    const one = units.length === 1 ? units[0]! : { groups: all, cut: NO_IDS, after: [] }
    this.#unit = { groups: ordered(one.groups), cut: one.cut, after: ordered(one.after) }
    this.hasNarrowKeys = all.some(({ key }) => key === 'narrow')
    this.asked = all.filter(({ least }) => least === null).map(({ ids }) => ids)
    const costs = new Set(all.filter(({ least }) => least !== null).map(({ least }) => least!.tokens + 1))
    this.costs = [...costs].sort((a, b) => b - a)
  }

  /** How many of the costs are more than may be left. */
  above(most: number): number {
    const { costs } = this
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

/** Those that history tells come last. */
function ordered(groups: readonly CostGroup[]): CostGroup[] {
  return [...groups].sort((a, b) => {
    if (a.least === null || b.least === null) return (a.least === null ? 1 : 0) - (b.least === null ? 1 : 0)
    return isBetter(a.least, b.least) ? 1 : isBetter(b.least, a.least) ? -1 : 0
  })
}

/** Masks with budgets of one grammar. */
export class BudgetMasks {
  readonly #program: Program
  readonly #walker: Walker
  readonly #masks: Masks
  readonly #partitions: Partitions
  readonly #groups: TokenGroups
  readonly #completions: Completions
  readonly #profiles = new Map<number | string, Profile>()
  /** By context and rest. */
  #fragments: (Map<Rest, readonly CostGroup[]> | undefined)[] = []
  #fragmentCount = 0
  #entryBytes = 0
  readonly #refused: Uint32Array
  readonly #plain: Uint32Array

  constructor(
    program: Program,
    walker: Walker,
    masks: Masks,
    { partitions, groups }: { readonly partitions: Partitions; readonly groups: TokenGroups },
    completions: Completions,
    vocabulary: Vocabulary,
  ) {
    this.#program = program
    this.#walker = walker
    this.#masks = masks
    this.#partitions = partitions
    this.#groups = groups
    this.#completions = completions
    this.#refused = emptyBits(vocabulary.size)
    this.#plain = emptyBits(vocabulary.size)
  }

  /** The mask of threads of the walker's table less what leads to a cost of more than `most`. */
  of(threads: readonly number[], most: number): Budgeted {
    const profile = this.profile(threads)
    const plain = this.#masks.ofSet(threads)
    const above = profile.above(most)
    const { asked } = profile
    if (above === 0) return { entry: plain, asked, profile }
    const entry = profile.entry(above, () => this.#reduced(profile, plain, most))
    return { entry, asked, profile }
  }

  /** What the tokens of a place cost. */
  profile(threads: readonly number[]): Profile {
    const key = threads.length === 1 ? threads[0]! : threads.join()
    let profile = this.#profiles.get(key)
    if (profile === undefined) {
      const { dfa, state, context } = this.#walker.threads
      const units = threads.flatMap((thread) =>
        this.#unitsOf(dfa[thread]!, state[thread]!, context[thread]!, threads.length === 1),
      )
      profile = new Profile(units)
      const isFull = this.#profiles.size >= MAX_PROFILES || this.#entryBytes > MAX_ENTRY_BYTES
      if (isFull || this.#fragmentCount > MAX_FRAGMENTS) this.#forget()
      this.#profiles.set(key, profile)
    }
    return profile
  }

  #forget(): void {
    this.#profiles.clear()
    this.#fragments = []
    this.#fragmentCount = 0
    this.#entryBytes = 0
  }

  #reduced(profile: Profile, plain: Entry, most: number): Entry {
    const refused = this.#refused.fill(0)
    const bits = this.#plain
    profile.refuse(most, refused)
    writeEntry(plain, bits)
    let removed = 0
    let left = 0
    for (let word = 0; word < bits.length; word++) {
      const own = bits[word]!
      const gone = own & refused[word]!
      removed += bitCount(gone)
      left += bitCount(own & ~gone)
    }
    if (removed === 0) return plain
    const isKept = (id: number): boolean => !hasBit(refused, id)
    const once = plain.once.filter(isKept)
    const often = plain.often.filter(isKept)
    const common = { once, often, keys: plain.keys, ends: plain.ends }
    if (removed <= SPARSE && plain.removed.length + plain.added.length === 0) {
      const gone = idsIn(bits, refused, removed)
      const idCount = plain.idCount + removed
      return this.#counted({ ...plain, ...common, removed: gone, idCount, byteLength: 4 * removed })
    }
    for (let word = 0; word < bits.length; word++) bits[word]! &= ~refused[word]!
    const none = { removed: NO_IDS, added: [] }
    if (left <= SPARSE) {
      const lists = [idsIn(bits, bits, left)]
      return this.#counted({ base: null, lists, ...none, ...common, idCount: left, byteLength: 4 * left })
    }
    const base = bits.slice()
    const idCount = once.length + often.length
    return this.#counted({ base, lists: [], ...none, ...common, idCount, byteLength: base.byteLength })
  }

  #counted(entry: Entry): Entry {
    this.#entryBytes += entry.byteLength
    return entry
  }

  #unitsOf(dfa: Dfa | null, state: number, context: number, isOnly: boolean): Unit[] {
    if (dfa === null) return [this.#ofContext(context)]
    const tag = dfa.tag(state)
    if (tag === 0 && isOnly) return [this.#terminal(dfa, state, context, null)]
    const own = whole(this.#terminal(dfa, state, context, null, { isExact: true }))
    return tag === 0 ? [own] : [own, this.#ofContext(this.#program.exit(context, tag))]
  }

  /** All that may begin at a context; the end of the text costs nothing more. */
  #ofContext(context: number): Unit {
    const { starts, tokens } = this.#program.closure(context)
    const groups = starts.flatMap(
      ({ dfa, context: inside }) => whole(this.#terminal(dfa, dfa.start, inside, null, BEGUN)).groups,
    )
    for (const { ids, context: behind } of tokens) {
      const least = this.#completions.ofContext(behind)
      if (least !== null) groups.push(costGroup(Int32Array.from(ids), least))
    }
    return { groups, cut: NO_IDS, after: [] }
  }

  /**
   * @param isBegun whether the terminal begins in the token
   * @param isExact whether tokens that are too long for a string may not be among its own, as others may read them
   */
  #terminal(
    dfa: Dfa,
    state: number,
    context: number,
    rest: Rest | null,
    { isBegun = false, isExact = false } = {},
  ): Unit {
    const partition = this.#partitions.of(dfa, state, rest, this.#masks.parts)
    const groups: CostGroup[] = []
    for (const { tag, rest: behind } of partition.exits)
      groups.push(...this.#fragment(this.#program.exit(context, tag), behind))
    const staying = (own: Dfa, at: number): readonly TokenGroup[] => {
      const all = this.#groups.of(own, at, rest)
      return isExact && TokenGroups.mayBeTooLong(own, at) ? this.#within(all, partition) : all
    }
    if (!(dfa instanceof KeyDfa)) {
      this.#add(staying(dfa, state), context, 'none', groups)
      return { groups, cut: NO_IDS, after: [] }
    }
    const free = dfa.free(state)
    const hasFree = free !== 0
    const key = !hasFree || !isBegun ? 'none' : dfa.freeKeys!.isAny ? 'any' : 'narrow'
    if (hasFree) this.#add(staying(dfa.freeKeys!, free), context, key, groups)
    const names = this.#partitions.alongNames(dfa, state, rest)
    const after: CostGroup[] = []
    const named = names.parts.map(({ ids, state: end }) => ({ ids, ends: this.#groups.endsOf(dfa, end) }))
    this.#add(this.#groups.grouped(named), context, key, after)
    for (const { tag, rest: behind } of partition.amendment?.exits ?? [])
      after.push(...this.#fragment(this.#program.exit(context, tag), behind))
    return hasFree
      ? { groups, cut: Int32Array.from(names.cut), after }
      : { groups: [...groups, ...after], cut: NO_IDS, after: [] }
  }

  /** What of the groups a partition has. */
  #within(groups: readonly TokenGroup[], { dense, ids: listed }: Partition): TokenGroup[] {
    const bits = this.#plain.fill(0)
    if (dense !== null) bits.set(dense)
    setBits(bits, listed)
    return groups.map(({ ids, ends }) => ({ ids: ids.filter((id) => hasBit(bits, id)), ends, bits: null }))
  }

  #add(groups: readonly TokenGroup[], context: number, key: CostGroup['key'], out: CostGroup[]): void {
    for (const { ids, bits, ends } of groups) {
      const least = this.#leastOf(ends, context)
      // What nothing completes is in no mask.
      if (least === null) continue
      const isOpen = ends.some((end) => end.least !== NOTHING)
      out.push({ ids, bits, least: least ?? null, key: isOpen ? key : 'none' })
    }
  }

  #leastOf(ends: readonly End[], context: number): Least | null | undefined {
    if (this.#program.contexts.watched[context] === 1) return undefined
    let best: Least | null = null
    for (const { tag, least } of ends) {
      const behind = this.#completions.ofContext(this.#program.exit(context, tag))
      if (behind === undefined) return undefined
      const all = joined(least, behind)
      if (all !== null && (best === null || isBetter(all, best))) best = all
    }
    return best
  }

  /** The tokens of a rest that a context can read. Each exit has read a byte, so recursion is as deep as the longest token. */
  #fragment(context: number, rest: Rest): readonly CostGroup[] {
    let known = this.#fragments[context]
    const found = known?.get(rest)
    if (found !== undefined) return found
    const groups: CostGroup[] = []
    for (const { dfa, context: inside } of this.#program.closure(context).starts)
      groups.push(...whole(this.#terminal(dfa, dfa.start, inside, rest, BEGUN)).groups)
    known = this.#fragments[context]
    if (known === undefined) {
      known = new Map()
      this.#fragments[context] = known
    }
    known.set(rest, groups)
    this.#fragmentCount++
    return groups
  }
}

function costGroup(ids: Int32Array, least: Least | undefined): CostGroup {
  return { ids, bits: null, least: least ?? null, key: 'none' }
}

/** The same with nothing to cut. */
function whole({ groups, cut, after }: Unit): Unit {
  if (cut.length === 0) return { groups: after.length === 0 ? groups : [...groups, ...after], cut, after: [] }
  const gone = new Set(cut)
  const left = groups.map((group) => {
    const ids = group.ids.some((id) => gone.has(id)) ? group.ids.filter((id) => !gone.has(id)) : group.ids
    return ids === group.ids ? group : { ...group, ids, bits: null }
  })
  return { groups: [...left, ...after], cut: NO_IDS, after: [] }
}

function isTooMuch({ least }: CostGroup, most: number): boolean {
  return least !== null && least.tokens + 1 > most
}

function addGroup({ ids, bits }: CostGroup, out: Uint32Array): void {
  if (bits === null) setBits(out, ids)
  else for (let i = 0; i < bits.length; i++) out[i]! |= bits[i]!
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

/** The ids that are in both sets, `count` of them. */
function idsIn(a: Uint32Array, b: Uint32Array, count: number): Int32Array {
  const ids = new Int32Array(count)
  let at = 0
  for (let word = 0; word < a.length; word++)
    for (let bits = a[word]! & b[word]!; bits !== 0; bits &= bits - 1) ids[at++] = word * 32 + lowestBit(bits)
  return ids
}
