/**
 * Languages over code points as a string's automaton reads them: one, or several that have no text in common, each with
 * its tag. Keys of an object are the case of several: which pattern a key matches decides the schema of its value.
 */
import type { CharDfa } from '../regex/chardfa.ts'
import { ANY, type CharSet } from '../regex/charset.ts'
import { rangeAt } from '../regex/classes.ts'
import { hasLength, leastLength } from '../regex/lengths.ts'
import type { Regex } from '../regex/regex.ts'
import { alphabetOf } from '../regex/requirements.ts'
import { endlessSlack, type Run, runsOf } from '../regex/runs.ts'
import { ONLY_TAG } from './dfa.ts'

export interface CharLanguage {
  /** 0 if there is no text at all. */
  readonly start: number
  readonly classCount: number
  /** Ascending code points from 0; range `i` is `[rangeStarts[i], rangeStarts[i + 1] - 1]`. */
  readonly rangeStarts: Int32Array
  readonly rangeClass: Uint16Array
  classOf(codePoint: number): number
  /** The state after a character of the class; 0 if no text goes on so. */
  next(state: number, cls: number): number
  /** The tag of the language that the text so far is in, or 0. */
  tag(state: number): number
  /** The tag of the language that every text from here is in, or 0 where there is no such one to be seen. */
  anyTag(state: number): number
  /** The tags that can still be reached. */
  tagsFrom(state: number): readonly number[]
  /** Code points that must still come to a text with the tag, at least, where they are `from` or more; `Infinity` if none does. */
  minLength(state: number, from: number, tag: number): number
  /** Whether infinitely many texts follow, as far as can be seen. */
  infinite(state: number): boolean
  /** Whether a text of `from` to `to` code points follows; `null` where that takes a search. */
  hasLength(state: number, from: number, to: number): boolean | null
  /** Characters that a text needs at most to be finished, whatever its characters; `null` where some text may not go on. */
  endless(state: number): number | null
  /** Sets of characters with which texts go on for long, as far as they can be seen without taking a step. */
  runs(state: number): readonly Run[]
  /** All characters that may follow, sooner or later, and perhaps some that may not. */
  alphabet(state: number): CharSet
}

/** One language, with tag 1. */
export class SingleLanguage implements CharLanguage {
  readonly start: number
  readonly classCount: number
  readonly rangeStarts: Int32Array
  readonly rangeClass: Uint16Array
  readonly #dfa: CharDfa

  constructor(dfa: CharDfa) {
    this.#dfa = dfa
    this.start = dfa.start
    this.classCount = dfa.classCount
    this.rangeStarts = dfa.rangeStarts
    this.rangeClass = dfa.rangeClass
  }

  classOf(codePoint: number): number {
    return this.#dfa.classOf(codePoint)
  }
  next(state: number, cls: number): number {
    return this.#dfa.next(state, cls)
  }
  tag(state: number): number {
    return this.#dfa.accepting(state) ? 1 : 0
  }
  anyTag(state: number): number {
    return this.#dfa.universal(state) ? 1 : 0
  }
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
  minLength(state: number, from: number, _tag: number): number {
    return leastLength(this.#dfa.regexOf(state), from)
  }
  infinite(state: number): boolean {
    return this.#dfa.regexOf(state).infinite
  }
  hasLength(state: number, from: number, to: number): boolean | null {
    return followsWithin(this.#dfa.regexOf(state), from, to)
  }
  endless(state: number): number | null {
    return endlessSlack(this.#dfa.regexOf(state))
  }
  runs(state: number): readonly Run[] {
    return runsOf(this.#dfa.regexOf(state))
  }
  alphabet(state: number): CharSet {
    return alphabetOf(this.#dfa.regexOf(state))
  }
}

/**
 * Several languages without a common text; that of index `i` has tag `i + 1`. A state is the tuple of theirs, made when
 * visited; a class of characters is a set on which all of them agree.
 */
export class DisjointLanguages implements CharLanguage {
  readonly start: number
  readonly classCount: number
  readonly rangeStarts: Int32Array
  readonly rangeClass: Uint16Array
  readonly #parts: readonly CharDfa[]
  /** For each class the class of each part. */
  readonly #partClasses: number[][] = []
  readonly #states: number[][] = [[]]
  readonly #interned = new Map<string, number>()
  readonly #rows: Int32Array[] = []

  constructor(parts: readonly CharDfa[]) {
    this.#parts = parts
    const starts = [...new Set(parts.flatMap((part) => [...part.rangeStarts]))].sort((a, b) => a - b)
    const classes = new Map<string, number>()
    this.rangeStarts = Int32Array.from(starts)
    this.rangeClass = Uint16Array.from(starts, (start) => {
      const tuple = parts.map((part) => part.classOf(start))
      const key = tuple.join()
      let cls = classes.get(key)
      if (cls === undefined) {
        cls = this.#partClasses.push(tuple) - 1
        classes.set(key, cls)
      }
      return cls
    })
    this.classCount = this.#partClasses.length
    this.start = this.#state(parts.map((part) => part.start))
  }

  #state(tuple: number[]): number {
    if (tuple.every((state) => state === 0)) return 0
    const key = tuple.join()
    let state = this.#interned.get(key)
    if (state === undefined) {
      state = this.#states.push(tuple) - 1
      this.#interned.set(key, state)
    }
    return state
  }

  classOf(codePoint: number): number {
    return this.rangeClass[rangeAt(this.rangeStarts, codePoint)]!
  }

  next(state: number, cls: number): number {
    let row = this.#rows[state]
    if (row === undefined) {
      row = new Int32Array(this.classCount).fill(-1)
      this.#rows[state] = row
    }
    if (row[cls]! < 0) {
      const classes = this.#partClasses[cls]!
      row[cls] = this.#state(
        this.#states[state]!.map((at, i) => (at === 0 ? 0 : this.#parts[i]!.next(at, classes[i]!))),
      )
    }
    return row[cls]!
  }

  tag(state: number): number {
    return this.#states[state]!.findIndex((at, i) => at !== 0 && this.#parts[i]!.accepting(at)) + 1
  }
  anyTag(state: number): number {
    return this.#states[state]!.findIndex((at, i) => at !== 0 && this.#parts[i]!.universal(at)) + 1
  }
  tagsFrom(state: number): readonly number[] {
    return this.#states[state]!.flatMap((at, i) => (at === 0 ? [] : [i + 1]))
  }
  minLength(state: number, from: number, tag: number): number {
    const at = this.#states[state]![tag - 1]!
    return at === 0 ? Number.POSITIVE_INFINITY : leastLength(this.#parts[tag - 1]!.regexOf(at), from)
  }
  infinite(state: number): boolean {
    return this.#states[state]!.some((at, i) => at !== 0 && this.#parts[i]!.regexOf(at).infinite)
  }
  hasLength(state: number, from: number, to: number): boolean | null {
    let answer: boolean | null = false
    this.#states[state]!.forEach((at, i) => {
      const found = at === 0 ? false : followsWithin(this.#parts[i]!.regexOf(at), from, to)
      if (answer !== true && found !== false) answer = found
    })
    return answer
  }
  endless(state: number): number | null {
    let least: number | null = null
    this.#states[state]!.forEach((at, i) => {
      const slack = at === 0 ? null : endlessSlack(this.#parts[i]!.regexOf(at))
      if (slack !== null && (least === null || slack < least)) least = slack
    })
    return least
  }
  /** Of the language that is left, if there is one; where several are, they may have more together. */
  runs(state: number): readonly Run[] {
    const only = this.#only(state)
    return only < 0 ? [] : runsOf(this.#parts[only]!.regexOf(this.#states[state]![only]!))
  }
  alphabet(state: number): CharSet {
    const only = this.#only(state)
    return only < 0 ? ANY : alphabetOf(this.#parts[only]!.regexOf(this.#states[state]![only]!))
  }
  #only(state: number): number {
    const tuple = this.#states[state]!
    const only = tuple.findIndex((at) => at !== 0)
    return tuple.findIndex((at, i) => at !== 0 && i > only) < 0 ? only : -1
  }
}

/** The same of an expression that is known to have a text. */
function followsWithin(regex: Regex, from: number, to: number): boolean | null {
  return (from <= regex.minLength && to >= regex.maxLength) || hasLength(regex, from, to)
}
