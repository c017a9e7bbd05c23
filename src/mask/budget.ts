/**
 * Masks with a budget: less the tokens after which the fewest tokens that complete the text are more than are left.
 *
 * A *profile* tells of one place, a thread or several, what its tokens cost: groups of tokens (`token-groups.ts`), each with the
 * least completion behind it. It is put together as a mask is, from the groups of the terminal that runs and from fragments, what
 * contexts make of the rests of tokens; both are kept. The mask with a budget is that of the place less the groups that cost too
 * much: one for each set of such groups, kept with the profile. What a group costs may hang on history (keys that an object
 * holds and still owes, items that must differ): then nothing is said here, and the matcher tries the tokens one by one.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import type { Program } from '../automaton/program.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import { bitCount, emptyBits, hasBit, lowestBit, setBits } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { type Completions, LONGER_KEY } from './completion.ts'
import type { Entry } from './entry.ts'
import { NO_IDS } from './id-lists.ts'
import { isBetter, join, joined, type Least, NOTHING } from './least.ts'
import { writeEntry } from './mask-buffers.ts'
import type { Masks } from './masks.ts'
import type { Partitions } from './partition.ts'
import { type Partition, SPARSE } from './partition-parts.ts'
import { type CostGroup, Profile, type Unit, whole } from './profile.ts'
import type { Rest } from './rest.ts'
import { type End, type TokenGroup, TokenGroups } from './token-groups.ts'
import { beginsObject, hasFewerQuotes, quotesOfKey } from './token-quotes.ts'
import type { Walker } from './walker.ts'

/** Profiles that are kept. */
const MAX_PROFILES = 1 << 12
/** Fragments, by context, and bytes of masks that are made of profiles: together with them all is forgotten. */
const MAX_FRAGMENTS = 1 << 14
const MAX_ENTRY_BYTES = 4 << 20
const QUOTE = 0x22
const BEGUN = { isBegun: true }

/** What the tokens are in that end in a terminal. */
interface Staying extends Pick<CostGroup, 'key'> {
  readonly isString: boolean
  readonly isKey: boolean
  readonly isBegun: boolean
}

/** Masks with budgets of one grammar. */
export class BudgetMasks {
  readonly #program: Program
  readonly #walker: Walker
  readonly #masks: Masks
  readonly #partitions: Partitions
  readonly #groups: TokenGroups
  readonly #completions: Completions
  /** By thread, and by threads. */
  #profiles: (Profile | undefined)[] = []
  #fresh: (Profile | undefined)[] = []
  readonly #sets = new Map<string, Profile>()
  #profileCount = 0
  /** By context and rest. */
  #fragments: (Map<Rest, readonly CostGroup[]> | undefined)[] = []
  #fragmentCount = 0
  #entryBytes = 0
  /** Whether items are let be equal: least completions are then no longer than any other. */
  readonly #ignoresItems: boolean
  #loose: BudgetMasks | null = null
  readonly #makeLoose: () => BudgetMasks
  readonly #vocabulary: Vocabulary
  readonly #refused: Uint32Array
  readonly #plain: Uint32Array

  constructor(
    program: Program,
    walker: Walker,
    masks: Masks,
    { partitions, groups }: { readonly partitions: Partitions; readonly groups: TokenGroups },
    completions: Completions,
    vocabulary: Vocabulary,
    ignoresItems = false,
  ) {
    const engine = { partitions, groups }
    this.#ignoresItems = ignoresItems
    this.#makeLoose = () => new BudgetMasks(program, walker, masks, engine, completions, vocabulary, true)
    this.#program = program
    this.#walker = walker
    this.#masks = masks
    this.#partitions = partitions
    this.#groups = groups
    this.#completions = completions
    this.#vocabulary = vocabulary
    this.#refused = emptyBits(vocabulary.size)
    this.#plain = emptyBits(vocabulary.size)
  }

  /** The mask of a thread of the walker's table less what leads to a cost of more than `most`. */
  entry(thread: number, profile: Profile, most: number): Entry {
    const above = profile.above(most)
    if (above === 0) return this.#masks.of(thread)
    return profile.entry(above, () => this.#reduced(profile, this.#masks.of(thread), most))
  }

  /** What the tokens of a thread cost at least: that is what they do if items may be equal. */
  unwatched(thread: number): Profile {
    this.#loose ??= this.#makeLoose()
    return this.#loose.of(thread)
  }

  /** What the tokens of a thread cost; `isFresh`: where no object around holds a free key. */
  of(thread: number, isFresh = false): Profile {
    const profiles = isFresh ? this.#fresh : this.#profiles
    return profiles[thread] ?? this.#make(thread, isFresh)
  }

  #make(thread: number, isFresh: boolean): Profile {
    const units = this.#unitsOfThread(thread, true)
    const dfa = this.#walker.threads.dfa[thread]!
    const profile = new Profile(isFresh ? units.map((unit) => this.#settled(unit, dfa)) : units)
    this.#makeRoom()
    const profiles = isFresh ? this.#fresh : this.#profiles
    profiles[thread] = profile
    return profile
  }

  /** The same where no free keys are held: history then tells nothing of tokens that end no key. */
  #settled({ groups, cut, after }: Unit, dfa: Dfa | null): Unit {
    const quotes = quotesOfKey(dfa)
    const settle = (group: CostGroup): readonly CostGroup[] => {
      const { ids, slack, least, inKey } = group
      if (slack === 0 || least === null || inKey) return [group]
      const isSettled = (id: number): boolean => hasFewerQuotes(this.#vocabulary, id, quotes)
      const known = ids.filter(isSettled)
      if (known.length === 0) return [group]
      const open = ids.filter((id) => !isSettled(id))
      const rest = open.length === 0 ? [] : [{ ...group, ids: open, bits: null }]
      return [{ ...group, ids: known, bits: null, slack: 0 }, ...rest]
    }
    return { groups: groups.flatMap(settle), cut, after: after.flatMap(settle) }
  }

  /** What the tokens of several threads cost. */
  ofSet(threads: readonly number[]): Profile {
    const key = threads.join()
    let profile = this.#sets.get(key)
    if (profile === undefined) {
      profile = new Profile(threads.flatMap((thread) => this.#unitsOfThread(thread, false)))
      this.#makeRoom()
      this.#sets.set(key, profile)
    }
    return profile
  }

  #unitsOfThread(thread: number, isOnly: boolean): Unit[] {
    const { dfa, state, context } = this.#walker.threads
    const units = this.#unitsOf(dfa[thread]!, state[thread]!, context[thread]!, isOnly)
    return this.#ignoresItems ? units : units.map((unit) => this.#doubted(unit, dfa[thread]!))
  }

  /** The same where a token may end the very key that one which begins in it would become: then that one takes longer to end. */
  #doubted({ groups, cut, after }: Unit, dfa: Dfa | null): Unit {
    const quotes = quotesOfKey(dfa) + 1
    const doubt = (group: CostGroup): readonly CostGroup[] => {
      const { ids, key, slack } = group
      if (key === 'none') return [group]
      const isSure = (id: number): boolean =>
        hasFewerQuotes(this.#vocabulary, id, quotes) || beginsObject(this.#vocabulary, id)
      const sure = ids.filter(isSure)
      if (sure.length === ids.length) return [group]
      const open = ids.filter((id) => !isSure(id))
      const more = key === 'any' ? LONGER_KEY : Number.POSITIVE_INFINITY
      const rest = { ...group, ids: open, bits: null, slack: slack + more }
      return sure.length === 0 ? [rest] : [{ ...group, ids: sure, bits: null }, rest]
    }
    return { groups: groups.flatMap(doubt), cut, after: after.flatMap(doubt) }
  }

  /** Counts a profile in. */
  #makeRoom(): void {
    const isFull = this.#profileCount >= MAX_PROFILES || this.#fragmentCount > MAX_FRAGMENTS
    if (isFull || this.#entryBytes > MAX_ENTRY_BYTES) this.#forget()
    this.#profileCount++
  }

  #forget(): void {
    this.#profiles = []
    this.#fresh = []
    this.#sets.clear()
    this.#profileCount = 0
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
    if (dfa === null) return [isOnly ? this.#ofContext(context) : whole(this.#ofContext(context))]
    const tag = dfa.tag(state)
    if (tag === 0 && isOnly) return [this.#terminal(dfa, state, context, null)]
    const own = this.#terminal(dfa, state, context, null, { isExact: true })
    if (tag === 0) return [whole(own)]
    const behind = this.#ofContext(this.#program.exit(context, tag))
    return isOnly && !readsQuote(dfa, state) ? [beside([own], behind)] : [whole(own), whole(behind)]
  }

  /** All that may begin at a context; the end of the text costs nothing more. */
  #ofContext(context: number): Unit {
    const { starts, tokens } = this.#program.closure(context)
    const units = starts.map(({ dfa, context: inside }) =>
      this.#terminal(dfa, dfa.start, inside, null, BEGUN),
    )
    const key = starts.findIndex(({ dfa }) => dfa instanceof KeyDfa)
    const isAlone = !starts.some(({ dfa }, i) => i !== key && readsQuote(dfa, dfa.start))
    const own = key >= 0 && isAlone ? units.splice(key, 1)[0]! : NO_UNIT
    const groups: CostGroup[] = []
    for (const { ids, context: behind } of tokens) {
      const least = this.#completions.ofContext(behind, this.#ignoresItems)
      if (least !== null)
        groups.push(costGroup(Int32Array.from(ids), least, this.#completions.slackOf(behind)))
    }
    return beside([...units, { groups, cut: NO_IDS, after: [] }], own)
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
      const isString = dfa instanceof StringDfa && dfa.spelling !== 'raw'
      this.#add(staying(dfa, state), context, { isString, isKey: false, isBegun, key: 'none' }, groups)
      return { groups, cut: NO_IDS, after: [] }
    }
    const free = dfa.free(state)
    const hasFree = free !== 0
    const key = !hasFree || !isBegun ? 'none' : dfa.freeKeys!.isAny ? 'any' : 'narrow'
    const kind = { isString: true, isKey: true, isBegun, key } as const
    if (hasFree) this.#add(staying(dfa.freeKeys!, free), context, kind, groups)
    const names = this.#partitions.alongNames(dfa, state, rest)
    const after: CostGroup[] = []
    this.#add(this.#groups.along(dfa, state, rest, this.#partitions), context, kind, after)
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

  #add(
    groups: readonly TokenGroup[],
    context: number,
    { isString, isKey, isBegun, key }: Staying,
    out: CostGroup[],
  ): void {
    for (const { ids, bits, ends } of groups) {
      const least = this.#leastOf(ends, context)
      // What nothing completes is in no mask.
      if (least === null) continue
      const isOpen = ends.some((end) => end.least !== NOTHING)
      const inString = isString && isOpen && ends.length === 1 ? ends[0]!.least.text : null
      const slack = least === undefined ? Number.POSITIVE_INFINITY : this.#slackOf(ends, context, least)
      const inKey = isKey && isOpen
      const common = { ids, bits, least: least ?? null, slack, inString, isOwn: !isBegun, inKey }
      out.push({ ...common, key: isOpen ? key : 'none' })
    }
  }

  #leastOf(ends: readonly End[], context: number): Least | null | undefined {
    if (!this.#ignoresItems && this.#program.contexts.watched[context] === 1) return undefined
    let best: Least | null = null
    for (const { tag, least } of ends) {
      const behind = this.#completions.ofContext(this.#program.exit(context, tag), this.#ignoresItems)
      if (behind === undefined) return undefined
      const all = joined(least, behind)
      if (all !== null && (best === null || isBetter(all, best))) best = all
    }
    return best
  }

  /**
   * Tokens by which the least of several ends may be too few. What history adds makes no end shorter: so where it adds nothing to
   * the least, that is the least; else any of them may be it.
   */
  #slackOf(ends: readonly End[], context: number, best: Least): number {
    if (this.#ignoresItems) return 0
    let most = 0
    for (const { tag, least } of ends) {
      const exit = this.#program.exit(context, tag)
      const behind = this.#completions.ofContext(exit)
      if (behind == null) continue
      const slack = this.#completions.slackOf(exit)
      const all = join(least, behind)
      if (slack === 0 && !isBetter(best, all)) return 0
      most = Math.max(most, all.tokens + slack)
    }
    return Math.max(0, most - best.tokens)
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

function costGroup(ids: Int32Array, least: Least | undefined, slack: number): CostGroup {
  const common = { key: 'none', inString: null, isOwn: false, inKey: false } as const
  return { ids, bits: null, least: least ?? null, slack, ...common }
}

const NO_UNIT: Unit = { groups: [], cut: NO_IDS, after: [] }

/** One unit of several, of which all but the last read no token that the last one cuts. */
function beside(others: readonly Unit[], last: Unit): Unit {
  const groups = others.flatMap((unit) => whole(unit).groups)
  return { groups: [...groups, ...last.groups], cut: last.cut, after: last.after }
}

/** Whether a terminal can read a quote: tokens that names are cut out of begin with one. */
function readsQuote(dfa: Dfa, state: number): boolean {
  return dfa.next(state, QUOTE) !== 0
}

/** The ids that are in both sets, `count` of them. */
function idsIn(a: Uint32Array, b: Uint32Array, count: number): Int32Array {
  const ids = new Int32Array(count)
  let at = 0
  for (let word = 0; word < a.length; word++)
    for (let bits = a[word]! & b[word]!; bits !== 0; bits &= bits - 1) ids[at++] = word * 32 + lowestBit(bits)
  return ids
}
