/**
 * The decoded side of strings and keys, for the recogniser: which language states can still end in the language, with a
 * length within the bounds, or as a key that is not taken. Plain searches that remember their answers.
 */
import { CharDfa } from '../../src/regex/chardfa.ts'
import type { Regex, RegexBuilder } from '../../src/regex/regex.ts'

/** A place in a text of the language: a state and how many characters were read. */
export interface Place {
  /** State of the automaton; 1 where every text is in the language. */
  readonly state: number
  /** Counted up to where it cannot matter any more. */
  readonly count: number
}

export class StringLanguage {
  readonly start: Place
  readonly #dfa: CharDfa | null
  readonly #min: number
  readonly #max: number
  readonly #viable = new Map<string, boolean>()

  constructor(regexes: RegexBuilder, language: Regex | null, minLength: number, maxLength: number) {
    this.#dfa = language === null ? null : new CharDfa(regexes, language)
    this.#min = minLength
    this.#max = maxLength
    this.start = { state: this.#dfa === null ? 1 : this.#dfa.start, count: 0 }
  }

  /** The place after a character. */
  after({ state, count }: Place, codePoint: number): Place {
    const next = this.#dfa === null ? 1 : this.#dfa.next(state, this.#dfa.classOf(codePoint))
    return this.#place(next, count)
  }

  accepts({ state, count }: Place): boolean {
    if (state === 0 || count < this.#min || count > this.#max) return false
    return this.#dfa === null || this.#dfa.accepting(state)
  }

  /** Whether some text from here on ends in the language. */
  isViable({ state, count }: Place): boolean {
    if (state === 0 || count > this.#max) return false
    const key = `${state},${count}`
    let viable = this.#viable.get(key)
    if (viable === undefined) {
      viable = this.#search(state, Math.max(0, this.#min - count), this.#max - count)
      this.#viable.set(key, viable)
    }
    return viable
  }

  /** Whether a character in one of the ranges leads to a place from which some text ends in the language. */
  isViableAfter({ state, count }: Place, ranges: readonly (readonly [number, number])[]): boolean {
    const dfa = this.#dfa
    if (dfa === null) return this.isViable(this.#place(1, count))
    const { rangeStarts, rangeClass } = dfa
    for (const [low, high] of ranges) {
      for (let i = 0; i < rangeStarts.length; i++) {
        const end = (rangeStarts[i + 1] ?? 0x110000) - 1
        if ((rangeStarts[i] as number) > high || end < low) continue
        if (this.isViable(this.#place(dfa.next(state, rangeClass[i] as number), count))) return true
      }
    }
    return false
  }

  #place(state: number, count: number): Place {
    return {
      state,
      count: this.#max === Number.POSITIVE_INFINITY ? Math.min(count + 1, this.#min) : count + 1,
    }
  }

  /** Whether a text of at least `need` and at most `rest` characters leads from the state into the language. */
  #search(state: number, need: number, rest: number): boolean {
    const dfa = this.#dfa
    if (dfa === null) return need <= rest
    let layer = new Set([state])
    const met = new Set<string>()
    for (let length = 0; length <= rest; length++) {
      if (layer.size === 0) return false
      if (length >= need) {
        for (const at of layer) if (dfa.accepting(at)) return true
        // The same states once more, without a bound that was reached in between: nothing new can come.
        const key = [...layer].sort((a, b) => a - b).join()
        if (met.has(key)) return false
        met.add(key)
      }
      const next = new Set<number>()
      for (const at of layer) {
        for (let cls = 0; cls < dfa.classCount; cls++) {
          const to = dfa.next(at, cls)
          if (to !== 0) next.add(to)
        }
      }
      layer = next
    }
    return false
  }
}

/** The keys that one class of an object allows; `null`: all. */
export class KeyLanguage {
  readonly start: number
  readonly #dfa: CharDfa | null
  readonly #infinite = new Map<number, boolean>()

  constructor(regexes: RegexBuilder, language: Regex | null) {
    this.#dfa = language === null ? null : new CharDfa(regexes, language)
    this.start = this.#dfa === null ? 1 : this.#dfa.start
  }

  after(state: number, codePoint: number): number {
    return this.#dfa === null ? 1 : this.#dfa.next(state, this.#dfa.classOf(codePoint))
  }

  accepts(state: number): boolean {
    return state !== 0 && (this.#dfa === null || this.#dfa.accepting(state))
  }

  /** Whether some key that begins with `typed`, which leads to the state, is not taken. */
  isViable(state: number, typed: string, taken: ReadonlySet<string>): boolean {
    if (state === 0) return false
    if (this.#isInfinite(state)) return true
    // All words differ, so one more than are taken is enough.
    for (const word of this.#words(state, typed)) if (!taken.has(word)) return true
    return false
  }

  /** The same of the keys whose next character is in one of the ranges. */
  isViableAfter(
    state: number,
    ranges: readonly (readonly [number, number])[],
    typed: string,
    taken: ReadonlySet<string>,
  ): boolean {
    if (this.#dfa === null) return ranges.length > 0
    for (const { low, high, to } of this.#edges(state)) {
      for (const [from, until] of ranges) {
        for (let codePoint = Math.max(low, from); codePoint <= Math.min(high, until); codePoint++) {
          if (this.isViable(to, typed + String.fromCodePoint(codePoint), taken)) return true
        }
      }
    }
    return false
  }

  *#edges(state: number): Iterable<{ low: number; high: number; to: number }> {
    const { rangeStarts, rangeClass } = this.#dfa as CharDfa
    for (let i = 0; i < rangeStarts.length; i++) {
      const to = (this.#dfa as CharDfa).next(state, rangeClass[i] as number)
      if (to !== 0) yield { low: rangeStarts[i] as number, high: (rangeStarts[i + 1] ?? 0x110000) - 1, to }
    }
  }

  *#words(state: number, typed: string): Iterable<string> {
    if (this.accepts(state)) yield typed
    for (const { low, high, to } of this.#edges(state)) {
      for (let codePoint = low; codePoint <= high; codePoint++) {
        yield* this.#words(to, typed + String.fromCodePoint(codePoint))
      }
    }
  }

  /** Whether a cycle can be reached; every state leads into the language, so that is all it takes. */
  #isInfinite(state: number): boolean {
    if (this.#dfa === null) return true
    const known = this.#infinite.get(state)
    if (known !== undefined) return known
    const done = new Set<number>()
    const path = new Set<number>()
    const visit = (at: number): boolean => {
      if (path.has(at)) return true
      if (done.has(at)) return false
      done.add(at)
      path.add(at)
      for (const { to } of this.#edges(at)) if (visit(to)) return true
      path.delete(at)
      return false
    }
    const infinite = visit(state)
    this.#infinite.set(state, infinite)
    return infinite
  }
}
