/**
 * Automata that all grammars over one vocabulary share: those with nothing of a grammar in them, and those of
 * patterns, as long as they are asked for now and then. What masks learn of an automaton is kept with it, so that the
 * format of a date is read once, whatever the number of schemas that ask for dates.
 */
import { CharDfa, type CharDfaLimits } from '../regex/chardfa.ts'
import { type Regex, RegexBuilder } from '../regex/regex.ts'
import { isAlike, structuralHash } from '../regex/structure.ts'
import { hasReference, originalOf, transfer } from '../regex/transfer.ts'
import { type CharLanguage, SingleLanguage } from './char-language.ts'
import type { Dfa } from './dfa.ts'
import type { Spelling } from './least-spelling.ts'
import type { NumberTerminal } from './number-terminal.ts'
import { StringDfa } from './string-dfa.ts'

/** Patterns that are shared at once. */
const MAX_PATTERNS = 256
/** Expressions of all of them, derivatives among them; beyond that all are forgotten. */
const MAX_NODES = 500_000
/** Automata of one pattern, which differ in spelling and lengths. */
const MAX_LENGTHS = 64
/** Limits below this are not shared. */
const MIN_SHARED_STATES = 50_000
/** A grammar is given an automaton with no more states than its limit, which has room for as many again. */
const SHARED_ROOM = 2

/** Numbers with bounds that are shared at once, and the rows of one that is handed on. */
const MAX_NUMBERS = 128
const MAX_NUMBER_BYTES = 1 << 16

interface Pattern {
  /** What was asked for, in whichever builder. */
  readonly regex: Regex
  readonly language: CharDfa
  readonly chars: CharLanguage
  /** By spelling and lengths. */
  readonly strings: Map<string, StringDfa>
}

export class DfaPool {
  readonly alphabet: Uint8Array
  readonly #lasting = new Map<string, Dfa>()
  readonly #members = new WeakSet<Dfa>()
  /** The one asked for last is the last. */
  readonly #patterns = new Map<string, Pattern>()
  readonly #numbers = new Map<string, NumberTerminal>()
  #builder = new RegexBuilder()

  readonly #most: number

  /**
   * @param alphabet 256 entries, 1 for each byte that the vocabulary can spell
   * @param most automata without a pattern that are kept; where there would be more all are forgotten
   */
  constructor(alphabet: Uint8Array, most = Number.POSITIVE_INFINITY) {
    this.alphabet = alphabet
    this.#most = most
  }

  get<T extends Dfa>(key: string, make: () => T): T {
    let dfa = this.#lasting.get(key)
    if (dfa === undefined) {
      dfa = make()
      if (this.#lasting.size >= this.#most) this.#lasting.clear()
      this.#lasting.set(key, dfa)
      this.#members.add(dfa)
    }
    return dfa as T
  }

  /** Whether an automaton is, or was, one of the pool's. */
  isShared(dfa: Dfa): boolean {
    return this.#members.has(dfa)
  }

  /** The automaton of a number with bounds, by all that it is made of. */
  number(key: string, make: () => NumberTerminal): NumberTerminal {
    let dfa = this.#numbers.get(key)
    this.#numbers.delete(key)
    if (dfa === undefined || dfa.byteLength > MAX_NUMBER_BYTES) {
      dfa = make()
      this.#members.add(dfa)
      if (this.#numbers.size >= MAX_NUMBERS) this.#numbers.delete(this.#numbers.keys().next().value!)
    }
    this.#numbers.set(key, dfa)
    return dfa
  }

  /**
   * The automaton of a string with a pattern; `null` where the pattern is none to be shared.
   * @throws LimitError as the automaton of the pattern does
   */
  pattern(
    language: Regex,
    lengths: { readonly minLength: number; readonly maxLength: number },
    spelling: Spelling,
    limits: CharDfaLimits,
  ): StringDfa | null {
    const pattern = this.#patternOf(language, limits)
    if (pattern === null) return null
    const key = `${spelling} ${lengths.minLength} ${lengths.maxLength}`
    let dfa = pattern.strings.get(key)
    if (dfa === undefined) {
      if (pattern.strings.size >= MAX_LENGTHS) pattern.strings.clear()
      dfa = new StringDfa({ chars: pattern.chars, ...lengths }, spelling, this.alphabet)
      pattern.strings.set(key, dfa)
      this.#members.add(dfa)
    }
    return dfa
  }

  #patternOf(asked: Regex, limits: CharDfaLimits): Pattern | null {
    // Of a pattern as it was written nothing is hashed or compared twice.
    const language = originalOf(asked)
    const { maxStates = Number.POSITIVE_INFINITY, maxSteps } = limits
    // A tight budget is one grammar's alone: what others read must not use it up.
    if (maxStates < MIN_SHARED_STATES) return null
    const key = `${maxStates} ${maxSteps} ${structuralHash(language)}`
    let pattern = this.#patterns.get(key)
    this.#patterns.delete(key)
    const isUsable =
      pattern !== undefined && isAlike(pattern.regex, language) && pattern.language.stateCount <= maxStates
    if (!isUsable) {
      if (this.#builder.size > MAX_NODES) {
        this.#patterns.clear()
        this.#builder = new RegexBuilder()
      }
      // What is defined by itself is the same only if it is the very same.
      if (language === asked && hasReference(language)) return null
      const own = transfer(language, this.#builder)
      const dfa = new CharDfa(this.#builder, own, { ...limits, maxStates: maxStates * SHARED_ROOM })
      pattern = { regex: language, language: dfa, chars: new SingleLanguage(dfa), strings: new Map() }
      if (this.#patterns.size >= MAX_PATTERNS) this.#patterns.delete(this.#patterns.keys().next().value!)
    }
    this.#patterns.set(key, pattern!)
    return pattern!
  }
}
