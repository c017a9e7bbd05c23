/**
 * A language as the characters of a vocabulary see it: which class of its code points each atom is of, how many tokens hang
 * on each class, and how far ends are. Made once for a language and a vocabulary: some microseconds.
 */
import type { CharLanguage } from '../automaton/char-language.ts'
import { rangeAt } from '../regex/classes.ts'
import { ATOM_SEGMENTS, type Characters, GROUP_OF, SET_SIZE } from './characters.ts'

/** The class of an atom of which the language tells code points apart, and of one of which no token has any. */
export const MIXED = -1
export const ABSENT = -2

/** Characters within which an end is searched for where the structure does not tell of one, and states that are looked at. */
const NEAR = 4
const MAX_STATES = 64

export class LanguageView {
  readonly chars: CharLanguage
  readonly characters: Characters
  /** The class of each atom, `MIXED` or `ABSENT`. */
  readonly classOfAtom = new Int16Array(SET_SIZE).fill(ABSENT)
  /** The classes of each mixed atom. */
  readonly mixed = new Map<number, number[]>()
  /** Tokens at and below the characters of each class. */
  readonly weight: Float64Array
  /** Classes that tokens have characters of, the heaviest first. */
  readonly classes: readonly number[]
  /** A code point of each. */
  readonly sample: Int32Array
  /** The groups of atoms that each has some of. */
  readonly #groups: Int32Array
  readonly #distances: (number | undefined)[] = []

  constructor(chars: CharLanguage, characters: Characters) {
    this.chars = chars
    this.characters = characters
    const { classCount, rangeStarts, rangeClass } = chars
    const weight = new Float64Array(classCount)
    this.#groups = new Int32Array(classCount)
    this.sample = new Int32Array(classCount)
    for (let i = rangeStarts.length - 1; i >= 0; i--) this.sample[rangeClass[i]!] = rangeStarts[i]!
    // Atoms' ranges and those of the language, both ascending, side by side.
    let i = 0
    for (let r = 0; r < ATOM_SEGMENTS.length; r += 3) {
      const atom = ATOM_SEGMENTS[r + 2]!
      if (!characters.has(atom)) continue
      while (i + 1 < rangeStarts.length && rangeStarts[i + 1]! <= ATOM_SEGMENTS[r]!) i++
      for (let at = i; at < rangeStarts.length && rangeStarts[at]! <= ATOM_SEGMENTS[r + 1]!; at++)
        this.#join(atom, rangeClass[at]!, weight)
    }
    this.weight = weight
    const classes: number[] = []
    for (let cls = 0; cls < classCount; cls++) if (weight[cls]! > 0) classes.push(cls)
    this.classes = classes.sort((a, b) => weight[b]! - weight[a]!)
  }

  #join(atom: number, cls: number, weight: Float64Array): void {
    const known = this.classOfAtom[atom]!
    if (known === cls) return
    if (known === ABSENT) {
      this.classOfAtom[atom] = cls
    } else {
      const mixed = this.mixed.get(atom)
      if (mixed === undefined) this.mixed.set(atom, [known, cls])
      else if (mixed.includes(cls)) return
      else mixed.push(cls)
      this.classOfAtom[atom] = MIXED
    }
    this.#groups[cls]! |= GROUP_OF[atom]!
    weight[cls]! += this.characters.weight[atom]!
  }

  /** Tokens at and below the characters of some classes. */
  sum(classes: readonly number[]): number {
    return classes.reduce((sum, cls) => sum + this.weight[cls]!, 0)
  }

  /** Whether the language goes on with the characters of all these groups. */
  mayHold(state: number, groups: number): boolean {
    for (const cls of this.classes)
      if ((this.#groups[cls]! & groups) !== 0 && this.chars.next(state, cls) === 0) return false
    return true
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
        for (const cls of this.classes) {
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

  /** Whether each beginning of a character that is the end of a token is the beginning of one of the classes. */
  beginsEach(isMember: Uint8Array): boolean {
    const { rangeStarts, rangeClass } = this.chars
    const { beginnings } = this.characters
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

/** Characters that a text from the state has at least. */
export function leastLength(chars: CharLanguage, state: number): number {
  let least = Number.POSITIVE_INFINITY
  for (const tag of chars.tagsFrom(state)) least = Math.min(least, chars.minLength(state, 0, tag))
  return least
}
