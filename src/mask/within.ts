/**
 * The masks of one matcher that have a budget: what `budget.ts` knows of the place, and what only the text tells.
 *
 * Where keys that an object holds, or items that must differ, decide what a completion costs, tokens are tried. That is done for
 * one of a group only where the group ends within one string: behind every other token of it the completion is the same, unless
 * the string could become one that the text or the completion has already. Those that could are tried one by one, and so are
 * the tokens that do not end within a string. The least completion that regards no history is looked at first: where the
 * text can be read on with it, no other one is shorter.
 */
import { bytesOf, latin1 } from '../automaton/latin1.ts'
import { clearBit, emptyBits, hasBit, lowestBit, setBit } from '../bits.ts'
import type { Entry } from './entry.ts'
import type { GrammarState } from './grammar-state.ts'
import { alongHeld, mayMatter } from './held-keys.ts'
import { historyOf, type Lean } from './lean.ts'
import type { Least } from './least.ts'
import type { Position } from './positions.ts'
import type { CostGroup, Profile } from './profile.ts'
import { type OpenString, StringValues } from './string-values.ts'
import { mayEnd } from './thread-set.ts'
import { step, type Text, type Thread } from './threads.ts'
import { hasFewerQuotes, quotesOfKey } from './token-quotes.ts'

/** What the masks ask of their matcher. */
export interface Place {
  readonly now: Position
  /** The threads of the last position. */
  readonly threads: readonly Thread[]
  /** The text, with room behind it. */
  text(): Text
  /** The position after a token, whose bytes are then behind the text; `null` where it is refused. */
  read(id: number): Position | null
  /** What completing the text costs after a token that is allowed, where tokens are searched for. */
  searched(id: number): number
  mask(out: Uint32Array): Uint32Array
  maskOf(lean: Lean, entry: Entry, out: Uint32Array): Uint32Array
}

/** A text that closes what is open, and no more. */
const CLOSERS = /^[\]}]*$/
/** Groups of fewer tokens are tried one by one. */
const FEW = 16
/** Rounds in which the completion of one token of a group brings strings that others could become. */
const MAX_ROUNDS = 4

export class MasksWithin {
  readonly #grammar: GrammarState
  readonly #place: Place

  constructor(grammar: GrammarState, place: Place) {
    this.#grammar = grammar
    this.#place = place
  }

  /** Whether no token of the mask can leave more than `most` to be written, as far as that is told without looking at any. */
  isFar(most: number): boolean {
    if (this.#grammar.search !== null) return false
    const { growth } = this.#grammar
    const { lean, leans, length } = this.#place.now
    if (lean !== null) return growth.above(lean.context, length) <= most
    return (leans ?? this.#place.threads).every(({ context }) => growth.above(context, length) <= most)
  }

  /** Writes the mask less the tokens after which completing the text costs more than `most`. */
  write(most: number, out: Uint32Array): void {
    const { lean, leans } = this.#place.now
    const isOpen = this.#grammar.search === null
    if (isOpen && lean !== null && this.#isWatched(lean)) this.#writeWatched(lean, most, out)
    else if (isOpen && lean !== null) this.#writeLean(lean, most, out)
    else if (isOpen && leans !== null) this.#writeLeans(leans, most, out)
    else this.#try(idsOf(this.#place.mask(out)), most, out, null)
  }

  /** The mask of a place that says all there is to say; `null` where the matcher's text must be asked. */
  entry(most: number): Entry | null {
    const { lean } = this.#place.now
    if (this.#grammar.search !== null || lean === null || this.#isWatched(lean)) return null
    const { budgets } = this.#grammar
    const thread = this.#threadOf(lean)
    const profile = budgets.of(thread, lean.held === null)
    if (profile.asked(most).length > 0) return null
    if (lean.held !== null && mayMatter([lean], profile, most)) return null
    return budgets.entry(thread, profile, most)
  }

  /** Whether items that must differ decide how the text is completed there. */
  #isWatched({ context }: Lean): boolean {
    return this.#grammar.completions.concerns(context)
  }

  #threadOf({ dfa, state, context }: Lean): number {
    return this.#grammar.walker.threads.intern(dfa, state, context)
  }

  #writeLean(lean: Lean, most: number, out: Uint32Array): void {
    const { budgets } = this.#grammar
    const thread = this.#threadOf(lean)
    const profile = budgets.of(thread, lean.held === null)
    this.#place.maskOf(lean, budgets.entry(thread, profile, most), out)
    const keys = lean.held === null ? [] : this.#alongHeld([lean], profile, most)
    const asked = profile.asked(most)
    if (asked.length > 0) this.#decide(profile, asked, lean, most, out, quotesOfKey(lean.dfa))
    this.#try(keys, most, out, null)
  }

  #writeLeans(leans: readonly Lean[], most: number, out: Uint32Array): void {
    this.#place.mask(out)
    const profile = this.#grammar.budgets.ofSet(leans.map((lean) => this.#threadOf(lean)))
    const holds = leans.some(({ held }) => held !== null)
    const asked = profile.asked(most)
    if (profile.above(most) === 0 && asked.length === 0 && !holds) return
    const { size } = this.#grammar.vocabulary
    const refused = emptyBits(size)
    profile.refuse(most, refused)
    const either = emptyBits(size)
    if (holds) profile.allow(most, either)
    // Which of several ways to read a token counts may hang on the keys held.
    for (let word = 0; word < refused.length; word++) {
      out[word]! &= ~(refused[word]! & ~either[word]!)
      either[word]! &= refused[word]! & out[word]!
    }
    const tried = new Set(idsOf(either))
    for (const { ids } of asked) for (const id of ids) if (hasBit(out, id)) tried.add(id)
    if (holds) for (const id of this.#alongHeld(leans, profile, most)) tried.add(id)
    this.#try([...tried], most, out, null)
  }

  #alongHeld(leans: readonly Lean[], profile: Profile, most: number): readonly number[] {
    if (!mayMatter(leans, profile, most)) return []
    const { vocabulary, program } = this.#grammar
    return alongHeld(leans, profile, vocabulary, program.contexts.depth, this.#place.text())
  }

  /** Where items must differ. */
  #writeWatched(lean: Lean, most: number, out: Uint32Array): void {
    this.#place.mask(out)
    const profile = this.#grammar.budgets.unwatched(this.#threadOf(lean))
    this.#decide(profile, profile.groups, lean, most, out, 0)
  }

  /**
   * Takes out of the mask what costs too much of some groups.
   *
   * @param quotes tokens with fewer end no key: those of a group that is in none have the same completion, as they end at one
   *   place and with the same keys held; 0 where that does not follow
   */
  #decide(
    profile: Profile,
    groups: readonly CostGroup[],
    lean: Lean,
    most: number,
    out: Uint32Array,
    quotes: number,
  ): void {
    const doubled = profile.doubled(this.#grammar.vocabulary.size)
    const alone = new Set<number>()
    const text = this.#place.text()
    const inStrings = quotes === 0 && this.#isInStrings(lean)
    let values: StringValues | null = null
    for (const { ids, inString, least: lower, isOwn, inKey } of groups) {
      // Elsewhere nothing is shorter to find out than what the completion is.
      const least = quotes === 0 ? lower : null
      const single = ids.filter((id) => hasBit(out, id) && !hasBit(doubled, id))
      for (const id of ids) if (hasBit(doubled, id)) alone.add(id)
      if (inString === null && least !== null && inStrings && CLOSERS.test(least.text)) {
        // Nothing is written that could be there already.
        if (least.tokens + 1 > most) for (const id of single) clearBit(out, id)
        continue
      }
      if (inString === null || single.length < FEW) {
        const alike: number[] = []
        const others: number[] = []
        for (const id of single)
          (!inKey && hasFewerQuotes(this.#grammar.vocabulary, id, quotes) ? alike : others).push(id)
        this.#asOne(alike, most, out)
        this.#try(others, most, out, least)
        continue
      }
      values ??= new StringValues(latin1(text.bytes, 0, text.length), this.#grammar.vocabulary)
      const typed = isOwn ? latin1(text.bytes, lean.start, text.length) : ''
      this.#decideAlike(single, typed, inString, least, values, most, out)
    }
    this.#try([...alone], most, out, null)
  }

  /** Whether one array alone decides about items, and these are strings: what closes it then makes no item of anything. */
  #isInStrings({ context }: Lean): boolean {
    const { contexts, nodes, rules } = this.#grammar.program
    const isString = (at: number): boolean => {
      const node = nodes[at]!
      if (node.kind === 'call') return isString(rules[node.rule]!)
      return node.kind === 'terminal' && node.terminal?.kind === 'string'
    }
    const node = nodes[contexts.node[context]!]!
    if (node.kind !== 'array-place' || !node.part.isUnique) return false
    return contexts.watched[contexts.parent[context]!] === 0 && node.part.nodes.every(isString)
  }

  /** Decides tokens behind which a string ends in the same way: all as one of them, but for those that could become a value there is. */
  #decideAlike(
    ids: Int32Array,
    typed: string,
    rest: string,
    least: Least | null,
    values: StringValues,
    most: number,
    out: Uint32Array,
  ): void {
    if (least !== null) values.add(least.text)
    const string = { typed, rest }
    for (let round = 0; ; round++) {
      const taken = values.among(ids, string)
      const others = ids.filter((id) => !taken.has(id))
      const found = round < MAX_ROUNDS ? this.#commonOf(others, string, least, values) : null
      if (found === 'more') continue
      if (found === null) {
        this.#try(ids, most, out, least)
        return
      }
      if (found.tokens + 1 > most) for (const id of others) clearBit(out, id)
      this.#try([...taken], most, out, least)
      return
    }
  }

  /**
   * The least completion behind each of some tokens, with which no string becomes one of the values; `'more'` where there were
   * more values to know of, `null` where nobody knows.
   *
   * What completes one of them completes any, unless it holds the very string that was written. So a completion that is less
   * behind another token holds the string of the one that was looked at: that is ruled out by a string that is longer than the
   * completion, or by more tokens than it has strings.
   */
  #commonOf(
    ids: Int32Array,
    string: OpenString,
    likely: Least | null,
    values: StringValues,
  ): Least | 'more' | null {
    const { vocabulary } = this.#grammar
    let one = -1
    for (const id of ids) if (one < 0 || vocabulary.byteLengthOf(id) > vocabulary.byteLengthOf(one)) one = id
    const found = one < 0 ? null : this.#leastAfter(one, likely)
    if (found === null) return null
    if (values.add(found.text)) return 'more'
    if (values.lengthWith(one, string) > found.text.length) return found
    const strings = found.text.split('"').length
    for (const id of ids.subarray(0, strings)) {
      const other = this.#leastAfter(id, likely)
      if (other === null) return null
      if (other.text === found.text) continue
      values.add(other.text)
      values.addWith(one, string)
      values.addWith(id, string)
      return 'more'
    }
    return found
  }

  /** Takes the tokens out if the first of them costs too much. */
  #asOne(ids: readonly number[], most: number, out: Uint32Array): void {
    if (ids.length > 0 && this.#costAfter(ids[0]!, null) > most) for (const id of ids) clearBit(out, id)
  }

  /** Lets those of the tokens stay after which completing the text costs no more than `most`. */
  #try(ids: ArrayLike<number>, most: number, out: Uint32Array, likely: Least | null): void {
    for (let i = 0; i < ids.length; i++) {
      if (this.#costAfter(ids[i]!, likely) <= most) setBit(out, ids[i]!)
      else clearBit(out, ids[i]!)
    }
  }

  /** What completing the text costs after a token; `Infinity` where it is refused. */
  #costAfter(id: number, likely: Least | null): number {
    if (this.#grammar.search !== null) return this.#place.searched(id)
    const { vocabulary } = this.#grammar
    if (vocabulary.endTokens.includes(id)) return this.#place.read(id) === null ? Number.POSITIVE_INFINITY : 0
    return (this.#leastAfter(id, likely)?.tokens ?? Number.POSITIVE_INFINITY) + 1
  }

  /** The least completion after a token that is no end, `likely` if that is one: no other is less. */
  #leastAfter(id: number, likely: Least | null): Least | null {
    const next = this.#place.read(id)
    if (next === null) return null
    if (likely !== null && this.#completes(this.#steppedTo(next), next.length, likely.text)) return likely
    const threads = this.#threadsOf(next)
    return this.#grammar.completions.leastOf(threads, {
      bytes: this.#place.text().bytes,
      length: next.length,
    })
  }

  /** Whether a text, one byte a unit, completes threads. */
  #completes(threads: readonly Thread[], length: number, rest: string): boolean {
    const { program, unique } = this.#grammar
    const bytes = new Uint8Array(length + rest.length)
    bytes.set(this.#place.text().bytes.subarray(0, length))
    bytes.set(bytesOf(rest), length)
    const text = { bytes, length }
    let current = threads
    while (text.length < bytes.length && current.length > 0) {
      text.length++
      current = step(program, unique, current, text)
    }
    return current.some((thread) => mayEnd(program, thread))
  }

  /** The threads of a position that a token leads to, as far as completions go by them. */
  #threadsOf(position: Position): readonly Thread[] {
    const { lean, leans, threads } = position
    const all = lean !== null ? [lean] : (leans ?? [])
    if (threads !== null || all.some((each) => this.#isWatched(each))) return this.#steppedTo(position)
    return all.map((each) => ({ ...each, history: historyOf(each.held), frame: null }))
  }

  /** The threads of such a position with all their history. */
  #steppedTo({ threads, length }: Position): readonly Thread[] {
    if (threads !== null) return threads
    const text = { ...this.#place.text() }
    let next = this.#place.threads
    while (text.length < length) {
      text.length++
      next = step(this.#grammar.program, this.#grammar.unique, next, text)
    }
    return next
  }
}

function idsOf(mask: Uint32Array): number[] {
  const ids: number[] = []
  for (let word = 0; word < mask.length; word++)
    for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) ids.push(word * 32 + lowestBit(bits))
  return ids
}
