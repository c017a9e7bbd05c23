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
import { emptyBits, setBit } from '../bits.ts'
import type { Run } from '../regex/runs.ts'
import { INSIDE, PARTIAL, SET_SIZE } from './characters.ts'
import { ABSENT, type LanguageView, MIXED } from './language-view.ts'

const MAX_STATES = 64
const MAX_ATTEMPTS = 12
/** Characters that the search looks ahead: longer tokens are few, and read. */
export const MAX_DEPTH = 16
/** States more than characters that a row may have, and classes that lead along it. */
const ROW_WIDTH = 4
/** Tokens that may be left to read without a search for a larger set; and as many are not worth a set. */
const FEW = 1500

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

/** The closed sets of one language. */
export class Closures {
  readonly view: LanguageView
  readonly #held: { closures: number }
  readonly #found: (Closure | null | undefined)[] = []

  /** @param held counts the closed sets that are kept */
  constructor(view: LanguageView, held: { closures: number }) {
    this.view = view
    this.#held = held
  }

  /** The closed set found from a state, or `null`. */
  of(state: number): Closure | null {
    let closure = this.#found[state]
    if (closure === undefined) {
      closure = this.#find(state)
      this.#found[state] = closure
      this.#held.closures++
    }
    return closure
  }

  /** The one found before; `null` where none was looked for, too. */
  known(state: number): Closure | null {
    return this.#found[state] ?? null
  }

  /** The same, where a set is of use only if it has all of some groups; then little is asked where it cannot. */
  having(state: number, groups: number): Closure | null {
    const known = this.#found[state]
    if (known !== undefined) return known
    const { view } = this
    return view.chars.endless(state) !== null || view.mayHold(state, groups) ? this.of(state) : null
  }

  #find(first: number): Closure | null {
    const { chars } = this.view
    const slack = chars.endless(first)
    if (slack !== null) {
      const all = {
        members: this.view.classes,
        states: [first],
        depth: Number.POSITIVE_INFINITY,
        stops: false,
      }
      return this.#describe({ ...all, slack, outside: [], isEndless: true })
    }
    const run = this.#longestRun(first)
    if (run !== null && this.view.sum(run.outside!) <= FEW) return this.#describe(run)
    const alive: number[] = []
    const own: number[] = []
    for (const cls of this.view.classes) {
      const next = chars.next(first, cls)
      if (next !== 0) alive.push(cls)
      if (next === first) own.push(cls)
    }
    if (this.view.sum(alive) <= FEW) return null
    let simple = run
    if (own.length > 0 && (run === null || this.view.sum(own) >= this.view.sum(run.members)))
      simple = { members: own, states: [first], depth: Number.POSITIVE_INFINITY, stops: false }
    if (simple !== null && this.view.sum(alive) - this.view.sum(simple.members) <= FEW)
      return this.#describe(simple)
    const wide = this.#explore(first, alive)
    const best =
      wide !== null && (simple === null || this.view.sum(wide.members) > this.view.sum(simple.members))
        ? wide
        : simple
    return best === null ? null : this.#describe(best)
  }

  /** The heaviest set that the structure of the language shows to be closed deep enough. */
  #longestRun(first: number): Found | null {
    const { chars } = this.view
    let best: Run | null = null
    let members: readonly number[] = []
    let most = FEW
    for (const run of chars.runs(first)) {
      if (run.length < MAX_DEPTH && !run.stops) continue
      const own = this.view.classes.filter((cls) => run.set.has(this.view.sample[cls]!))
      const weight = this.view.sum(own)
      if (weight <= most) continue
      best = run
      members = own
      most = weight
    }
    if (best === null) return null
    const { length, stops, slack } = best
    const alphabet = chars.alphabet(first)
    const outside = this.view.classes.filter(
      (cls) => !members.includes(cls) && alphabet.has(this.view.sample[cls]!),
    )
    return { members, states: [first], depth: length, stops, slack, outside }
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
    const { chars } = this.view
    const states = [first]
    const depths = [0]
    const via = [-1]
    const indexOf = new Map([[first, 0]])
    const longest = this.view.characters.longest[0]!
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
    return edge >= 0 && this.view.weight[edge]! <= this.view.weight[cls]! ? edge : cls
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
    const { chars } = this.view
    const last = states[at]!
    const depth = depths[at]!
    if (at !== depth || at + 1 !== states.length) return null
    const ending = members.filter((cls) => chars.next(last, cls) === 0)
    if (2 * this.view.sum(ending) < this.view.sum(members)) return null
    for (let i = 0; i < at; i++)
      for (const cls of ending) if (chars.next(states[i]!, cls) !== states[i + 1]) return null
    return { members: ending, states, depth, stops: true }
  }

  #describe(found: Found): Closure {
    const { members, states, depth, stops, slack = null, isEndless = false } = found
    const { chars } = this.view
    const characters = this.view.characters
    const isMember = new Uint8Array(chars.classCount)
    for (const cls of members) isMember[cls] = 1
    const isOutside = new Uint8Array(chars.classCount)
    const outer =
      found.outside ??
      this.view.classes.filter(
        (cls) => isMember[cls] === 0 && states.some((state) => chars.next(state, cls) !== 0),
      )
    for (const cls of outer) isOutside[cls] = 1
    const atoms = emptyBits(SET_SIZE)
    const outside: number[] = []
    let weight = 0
    for (let atom = 0; atom < INSIDE; atom++) {
      const cls = this.view.classOfAtom[atom]!
      if (cls === ABSENT) continue
      const mixed = cls === MIXED ? this.view.mixed.get(atom)! : null
      if (mixed === null ? isMember[cls] === 1 : mixed.every((one) => isMember[one] === 1)) {
        setBit(atoms, atom)
        weight += characters.weight[atom]!
      } else if (
        mixed === null ? isOutside[cls] === 1 : mixed.some((one) => isMember[one]! + isOutside[one]! > 0)
      ) {
        outside.push(atom)
      }
    }
    if (characters.has(PARTIAL)) {
      if (this.view.beginsEach(isMember)) setBit(atoms, PARTIAL)
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
    const { ranges } = this.view.chars.alphabet(states[0]!)
    return outside === undefined
      ? states.some((state) => this.view.continuesWithin(state, 0x80, 0x10ffff))
      : ranges.length > 0 && ranges[ranges.length - 1]! >= 0x80
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
