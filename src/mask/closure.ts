/**
 * Closed sets of characters: those that no text of them leads out of a pattern.
 *
 * From a state of a language a set of classes is *closed* when the language goes on after any text of them: `[a-z]` in
 * `^[a-z]+[0-9]*$`. All tokens of such characters are then allowed at once, and only tokens with others need be read. Where
 * a count limits the text (`[a-z]{0,61}`), the set is closed up to a depth.
 *
 * Which set is found is a matter of cost alone: what is not in it is read. First the classes that lead back to the state
 * itself are tried, which takes no step; if too many tokens would be left to read, the states that the classes lead
 * to are explored, at most `MAX_STATES` of them, and a class is given up where one of them cannot go on.
 */
import type { CharLanguage } from '../automaton/char-language.ts'
import type { Run } from '../regex/runs.ts'
import {
  ATOM_SEGMENTS,
  type Characters,
  GROUP_OF,
  INSIDE,
  PARTIAL,
  SET_SIZE,
  SET_WORDS,
} from './characters.ts'

const MAX_STATES = 64
const MAX_ATTEMPTS = 12
/** Characters that the search looks ahead: longer tokens are few, and read. */
export const MAX_DEPTH = 16
/** Characters within which an end is searched for where the structure does not tell of one. */
const NEAR = 4
/** States more than characters that a row may have, and classes that lead along it. */
const ROW_WIDTH = 4
/** Tokens that may be left to read without a search for a larger set; and as many are not worth a set. */
const FEW = 1500

/** The class of an atom of which the language tells code points apart, and of one of which no token has any. */
export const MIXED = -1
const ABSENT = -2

export interface Closure {
  /** The atoms of the closed set, with `PARTIAL` where it has a character for each beginning of one. */
  readonly atoms: Uint32Array
  /** The groups within it, as in `Characters.below`. */
  readonly groups: number
  /** Characters up to which it is closed; `Infinity` where there is no end. */
  readonly depth: number
  /** Whether no character of the set goes on behind `depth` of them. */
  readonly stops: boolean
  /** The states that up to `depth` characters of the set lead to; the first alone where the language's structure told of the set. */
  readonly states: readonly number[]
  /** Atoms outside the set, and `PARTIAL`, with which a text may go on after such characters. */
  readonly outside: readonly number[]
  /** Whether each character of the set leads back to the only state. */
  readonly isFixed: boolean
  /** Whether any text at all goes on. */
  readonly isEndless: boolean
  /** Characters that a text of the set needs at most to be finished; `null` where that is for the states to say. */
  readonly slack: number | null
  /** Whether some of the states may accept. */
  readonly accepts: boolean
  /** Tokens at and below nodes of the set's atoms. */
  readonly weight: number
}

/** A language as the characters of a vocabulary see it. */
export class LanguageView {
  readonly chars: CharLanguage
  /** The class of each atom, `MIXED` or absent. */
  readonly classOfAtom = new Int16Array(SET_SIZE).fill(ABSENT)
  readonly #characters: Characters
  readonly #held: { closures: number }
  /** The classes of each mixed atom. */
  readonly #mixed = new Map<number, number[]>()
  /** Tokens at and below the characters of each class. */
  readonly #weight: Float64Array
  /** Classes that tokens have characters of, the heaviest first. */
  readonly #classes: readonly number[]
  /** A code point of each. */
  readonly #sample: Int32Array
  /** The groups of atoms that each has some of. */
  readonly #groups: Int32Array
  readonly #distances: (number | undefined)[] = []
  readonly #closures: (Closure | null | undefined)[] = []

  /** @param held counts the closed sets that are kept */
  constructor(chars: CharLanguage, characters: Characters, held: { closures: number }) {
    this.chars = chars
    this.#held = held
    this.#characters = characters
    const { classCount, rangeStarts, rangeClass } = chars
    const weight = new Float64Array(classCount)
    this.#groups = new Int32Array(classCount)
    this.#sample = new Int32Array(classCount)
    for (let i = rangeStarts.length - 1; i >= 0; i--) this.#sample[rangeClass[i]!] = rangeStarts[i]!
    // Atoms' ranges and those of the language, both ascending, side by side.
    let i = 0
    for (let r = 0; r < ATOM_SEGMENTS.length; r += 3) {
      const atom = ATOM_SEGMENTS[r + 2]!
      if (!characters.has(atom)) continue
      while (i + 1 < rangeStarts.length && rangeStarts[i + 1]! <= ATOM_SEGMENTS[r]!) i++
      for (let at = i; at < rangeStarts.length && rangeStarts[at]! <= ATOM_SEGMENTS[r + 1]!; at++)
        this.#join(atom, rangeClass[at]!, weight)
    }
    this.#weight = weight
    const classes: number[] = []
    for (let cls = 0; cls < classCount; cls++) if (weight[cls]! > 0) classes.push(cls)
    this.#classes = classes.sort((a, b) => weight[b]! - weight[a]!)
  }

  #join(atom: number, cls: number, weight: Float64Array): void {
    const known = this.classOfAtom[atom]!
    if (known === cls) return
    if (known === ABSENT) {
      this.classOfAtom[atom] = cls
    } else {
      const mixed = this.#mixed.get(atom)
      if (mixed === undefined) this.#mixed.set(atom, [known, cls])
      else if (mixed.includes(cls)) return
      else mixed.push(cls)
      this.classOfAtom[atom] = MIXED
    }
    this.#groups[cls]! |= GROUP_OF[atom]!
    weight[cls]! += this.#characters.weight[atom]!
  }

  /** The closed set found from a state, or `null`. */
  closure(state: number): Closure | null {
    let closure = this.#closures[state]
    if (closure === undefined) {
      closure = this.#find(state)
      this.#closures[state] = closure
      this.#held.closures++
    }
    return closure
  }

  /** The one found before; `null` where none was looked for, too. */
  known(state: number): Closure | null {
    return this.#closures[state] ?? null
  }

  /** The same, where a set is of use only if it has all of some groups; then little is asked where it cannot. */
  closureOf(state: number, groups: number): Closure | null {
    const known = this.#closures[state]
    if (known !== undefined) return known
    return this.chars.endless(state) !== null || this.#mayHold(state, groups) ? this.closure(state) : null
  }

  /** Characters with which a text can be finished, the fewest that are found; `Infinity` where they are not found soon. */
  distance(state: number): number {
    let distance = this.#distances[state]
    if (distance === undefined) {
      distance = this.#findDistance(state)
      this.#distances[state] = distance
    }
    return distance
  }

  #findDistance(first: number): number {
    const { chars } = this
    if (chars.tag(first) !== 0) return 0
    const least = leastLength(chars, first)
    if (chars.hasLength(first, 0, least) === true) return least
    const states = [first]
    let from = 0
    for (let steps = 1; steps <= NEAR; steps++) {
      const to = states.length
      for (; from < to; from++) {
        for (const cls of this.#classes) {
          const next = chars.next(states[from]!, cls)
          if (next === 0 || states.includes(next)) continue
          if (chars.tag(next) !== 0) return steps
          if (states.push(next) > MAX_STATES) return Number.POSITIVE_INFINITY
        }
      }
    }
    return Number.POSITIVE_INFINITY
  }

  /** Whether the language goes on with some code point of [low, high]. */
  continuesWithin(state: number, low: number, high: number): boolean {
    const { rangeStarts, rangeClass } = this.chars
    for (let i = rangeAt(rangeStarts, low); i < rangeStarts.length && rangeStarts[i]! <= high; i++)
      if (this.chars.next(state, rangeClass[i]!) !== 0) return true
    return false
  }

  /** The index of the language's range that has a code point. */
  rangeAt(codePoint: number): number {
    return rangeAt(this.chars.rangeStarts, codePoint)
  }

  #find(first: number): Closure | null {
    const { chars } = this
    const slack = chars.endless(first)
    if (slack !== null) {
      const all = { members: this.#classes, states: [first], depth: Number.POSITIVE_INFINITY, stops: false }
      return this.#describe({ ...all, slack, outside: [], isEndless: true })
    }
    const run = this.#longestRun(first)
    if (run !== null && this.#sum(run.outside!) <= FEW) return this.#describe(run)
    const alive: number[] = []
    const own: number[] = []
    for (const cls of this.#classes) {
      const next = chars.next(first, cls)
      if (next !== 0) alive.push(cls)
      if (next === first) own.push(cls)
    }
    if (this.#sum(alive) <= FEW) return null
    let simple = run
    if (own.length > 0 && (run === null || this.#sum(own) >= this.#sum(run.members)))
      simple = { members: own, states: [first], depth: Number.POSITIVE_INFINITY, stops: false }
    if (simple !== null && this.#sum(alive) - this.#sum(simple.members) <= FEW) return this.#describe(simple)
    const wide = this.#explore(first, alive)
    const best =
      wide !== null && (simple === null || this.#sum(wide.members) > this.#sum(simple.members))
        ? wide
        : simple
    return best === null ? null : this.#describe(best)
  }

  /** The heaviest set that the structure of the language shows to be closed deep enough. */
  #longestRun(first: number): Found | null {
    const { chars } = this
    let best: Run | null = null
    let members: readonly number[] = []
    let most = FEW
    for (const run of chars.runs(first)) {
      if (run.length < MAX_DEPTH && !run.stops) continue
      const own = this.#classes.filter((cls) => run.set.has(this.#sample[cls]!))
      const weight = this.#sum(own)
      if (weight <= most) continue
      best = run
      members = own
      most = weight
    }
    if (best === null) return null
    const { length, stops, slack } = best
    const alphabet = chars.alphabet(first)
    const outside = this.#classes.filter((cls) => !members.includes(cls) && alphabet.has(this.#sample[cls]!))
    return { members, states: [first], depth: length, stops, slack, outside }
  }

  /** Whether the language goes on with the characters of all these groups. */
  #mayHold(state: number, groups: number): boolean {
    for (const cls of this.#classes)
      if ((this.#groups[cls]! & groups) !== 0 && this.chars.next(state, cls) === 0) return false
    return true
  }

  #sum(classes: readonly number[]): number {
    return classes.reduce((sum, cls) => sum + this.#weight[cls]!, 0)
  }

  /** Gives up classes until what is left is closed, at least up to a depth. */
  #explore(first: number, alive: readonly number[]): Found | null {
    let members = alive
    for (let attempt = 0; attempt < MAX_ATTEMPTS && members.length > 0; attempt++) {
      const found = this.#follow(first, members)
      if (found === null || typeof found === 'object') return found
      members = members.filter((cls) => cls !== found)
    }
    return null
  }

  /** The states that the classes lead to; or the class that is best given up, or `null` where there are too many states. */
  #follow(first: number, members: readonly number[]): Found | number | null {
    const { chars } = this
    const states = [first]
    const depths = [0]
    const via = [-1]
    const indexOf = new Map([[first, 0]])
    const longest = this.#characters.longest[0]!
    for (let at = 0; at < states.length; at++) {
      const depth = depths[at]!
      // Beyond, only a row is followed: it costs a state a character, which the next states of the text find made.
      const most = depth < MAX_DEPTH ? MAX_STATES : depth + ROW_WIDTH
      if (depth >= MAX_DEPTH && (depth >= longest || states.length >= most || members.length > ROW_WIDTH))
        return { members, states, depth, stops: false }
      for (const cls of members) {
        const next = chars.next(states[at]!, cls)
        if (next === 0) {
          if (depth >= MAX_DEPTH) return { members, states, depth, stops: false }
          return this.#stop(states, depths, at, members) ?? this.#lighter(via[at]!, cls)
        }
        if (indexOf.has(next)) continue
        if (states.length >= MAX_STATES && depth < MAX_DEPTH) return null
        indexOf.set(next, states.length)
        states.push(next)
        depths.push(depth + 1)
        via.push(cls)
      }
    }
    return { members, states, depth: Number.POSITIVE_INFINITY, stops: false }
  }

  #lighter(edge: number, cls: number): number {
    return edge >= 0 && this.#weight[edge]! <= this.#weight[cls]! ? edge : cls
  }

  /**
   * Where the state at `at`, the first that cannot go on with all classes, is one of a row in which each state leads to the next
   * one only: the classes that end there, if they are most.
   */
  #stop(
    states: readonly number[],
    depths: readonly number[],
    at: number,
    members: readonly number[],
  ): Found | null {
    const { chars } = this
    const last = states[at]!
    const depth = depths[at]!
    if (at !== depth || at + 1 !== states.length) return null
    const ending = members.filter((cls) => chars.next(last, cls) === 0)
    if (2 * this.#sum(ending) < this.#sum(members)) return null
    for (let i = 0; i < at; i++)
      for (const cls of ending) if (chars.next(states[i]!, cls) !== states[i + 1]) return null
    return { members: ending, states, depth, stops: true }
  }

  #describe(found: Found): Closure {
    const { members, states, depth, stops, slack = null, isEndless = false } = found
    const { chars } = this
    const characters = this.#characters
    const isMember = new Uint8Array(chars.classCount)
    for (const cls of members) isMember[cls] = 1
    const isOutside = new Uint8Array(chars.classCount)
    const outer =
      found.outside ??
      this.#classes.filter(
        (cls) => isMember[cls] === 0 && states.some((state) => chars.next(state, cls) !== 0),
      )
    for (const cls of outer) isOutside[cls] = 1
    const atoms = new Uint32Array(SET_WORDS)
    const outside: number[] = []
    let weight = 0
    for (let atom = 0; atom < INSIDE; atom++) {
      const cls = this.classOfAtom[atom]!
      if (cls === ABSENT) continue
      const mixed = cls === MIXED ? this.#mixed.get(atom)! : null
      if (mixed === null ? isMember[cls] === 1 : mixed.every((one) => isMember[one] === 1)) {
        atoms[atom >>> 5]! |= 1 << (atom & 31)
        weight += characters.weight[atom]!
      } else if (
        mixed === null ? isOutside[cls] === 1 : mixed.some((one) => isMember[one]! + isOutside[one]! > 0)
      ) {
        outside.push(atom)
      }
    }
    if (characters.has(PARTIAL)) {
      if (this.#beginsEach(isMember)) atoms[PARTIAL >>> 5]! |= 1 << (PARTIAL & 31)
      else if (this.#mayBegin(found)) outside.push(PARTIAL)
    }
    const first = states[0]!
    const isFixed =
      states.length === 1 &&
      depth === Number.POSITIVE_INFINITY &&
      (!isEndless || chars.anyTag(first) !== 0) &&
      members.every((cls) => chars.next(first, cls) === first)
    return {
      atoms,
      groups: characters.groupsWithin(atoms),
      depth,
      stops,
      states,
      outside,
      isFixed,
      isEndless,
      slack,
      accepts: found.outside !== undefined || states.some((state) => chars.tag(state) !== 0),
      weight,
    }
  }

  /** Whether a text may go on with a character beyond ASCII. */
  #mayBegin({ states, outside }: Found): boolean {
    const { ranges } = this.chars.alphabet(states[0]!)
    return outside === undefined
      ? states.some((state) => this.continuesWithin(state, 0x80, 0x10ffff))
      : ranges.length > 0 && ranges[ranges.length - 1]! >= 0x80
  }

  /** Whether each beginning of a character that is the end of a token is the beginning of one of the classes. */
  #beginsEach(isMember: Uint8Array): boolean {
    const { rangeStarts, rangeClass } = this.chars
    const { beginnings } = this.#characters
    let at = 0
    let i = rangeAt(rangeStarts, 0x80)
    while (i < rangeStarts.length) {
      if (isMember[rangeClass[i]!] === 1) {
        i++
        continue
      }
      const from = Math.max(0x80, rangeStarts[i]!)
      while (i < rangeStarts.length && isMember[rangeClass[i]!] === 0) i++
      const to = (rangeStarts[i] ?? 0x110000) - 1
      while (at < beginnings.length && beginnings[at]! < from) at += 2
      for (let b = at; b < beginnings.length && beginnings[b]! <= to; b += 2)
        if (beginnings[b + 1]! <= to) return false
    }
    return true
  }
}

interface Found {
  readonly members: readonly number[]
  readonly states: readonly number[]
  readonly depth: number
  readonly stops: boolean
  /** What the structure tells instead of the states. */
  readonly slack?: number
  readonly outside?: readonly number[]
  readonly isEndless?: boolean
}

function rangeAt(starts: Int32Array, codePoint: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= codePoint) low = middle
    else high = middle - 1
  }
  return low
}

/** Characters that a text from the state has at least. */
export function leastLength(chars: CharLanguage, state: number): number {
  let least = Number.POSITIVE_INFINITY
  for (const tag of chars.tagsFrom(state)) least = Math.min(least, chars.minLength(state, 0, tag))
  return least
}
