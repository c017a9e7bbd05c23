/**
 * Sets of strings: a finite set of values, or a regular language within bounds on the length. The language is built
 * lazily (`regex/`); bounds stay numbers, since unrolled they would cost their size.
 *
 * Whether a language under bounds is empty is decided by a search in the automaton (`regex/chardfa.ts`), once for each.
 */
import { CharDfa, type CharDfaLimits } from '../regex/chardfa.ts'
import { hasLength } from '../regex/lengths.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import { countTexts, hasText, listTexts } from './languages.ts'
import type { Budget, Limits } from './options.ts'
import { type Cell, partition } from './partition.ts'
import { ANY_STRING, type Blocked, EXACT, joinBlocked, type StringRecord } from './shape.ts'

/** Derivatives spent on one language before giving up. */
const MAX_SEARCH = 50_000

/** What the intersection of two languages costs, measured against that of two nodes. */
const INTERSECTION_STEPS = 10

export class Strings {
  readonly regexes: RegexBuilder
  readonly #budget: Budget
  readonly #limits: CharDfaLimits
  readonly #dfas = new Map<Regex, CharDfa>()
  readonly #empty = new Map<Regex, boolean>()
  readonly #counts = new Map<Regex, number>()

  constructor(regexes: RegexBuilder, budget: Budget, limits: Limits) {
    this.regexes = regexes
    this.#budget = budget
    this.#limits = { maxStates: limits.maxStates, maxSteps: Math.min(limits.maxSteps, MAX_SEARCH) }
  }

  /** What both records allow, `null` if nothing. */
  meet(a: StringRecord, b: StringRecord): StringRecord | null {
    if (a === b) return b
    if (a === ANY_STRING) return this.settle(b)
    if (b === ANY_STRING) return this.settle(a)
    const blocked = joinBlocked(a.blocked, b.blocked)
    if (a.values !== null) return this.#filter(a.values, b, true, blocked)
    if (b.values !== null) return this.#filter(b.values, a, true, blocked)
    return this.settle({
      values: null,
      language:
        a.language === null
          ? b.language
          : b.language === null
            ? a.language
            : this.regexes.and(a.language, b.language),
      min: Math.max(a.min, b.min),
      max: Math.min(a.max, b.max),
      blocked,
    })
  }

  /** `null` if the record allows no string. */
  settle(record: StringRecord): StringRecord | null {
    const { values, language, min, max } = record
    if (values !== null) return values.size === 0 ? null : record
    if (min > max) return null
    return language !== null && this.#isEmpty(language, min, max) ? null : record
  }

  /** The union, with fewer records where they can be joined without unrolling a bound. */
  unite(records: readonly StringRecord[]): readonly StringRecord[] {
    if (records.length < 2) return records
    const united: StringRecord[] = []
    const languages = new Map<string, StringRecord[]>()
    const values = new Set<string>()
    for (const record of records) {
      if (record.blocked.length > 0) united.push(record)
      else if (record.values !== null) for (const value of record.values) values.add(value)
      else {
        const key = `${record.min}/${record.max}`
        const group = languages.get(key)
        if (group === undefined) languages.set(key, [record])
        else group.push(record)
      }
    }
    const exact = [...languages.values()].map((group) => this.#join(group))
    if (
      exact.some(
        ({ language, min, max }) => language === null && min === 0 && max === Number.POSITIVE_INFINITY,
      )
    ) {
      return [ANY_STRING]
    }
    for (const record of exact) {
      for (const value of values) if (this.accepts(record, value)) values.delete(value)
    }
    united.push(...exact)
    if (values.size > 0) united.push({ ...ANY_STRING, values })
    return united
  }

  /** What `a` allows and `b`, which is exact, does not. */
  subtract(a: StringRecord, b: StringRecord): readonly StringRecord[] {
    const { regexes } = this
    if (a.values !== null) {
      const rest = this.#filter(a.values, b, false, a.blocked)
      return rest === null ? [] : [rest]
    }
    const pieces: StringRecord[] = []
    const without = (language: Regex): Regex =>
      a.language === null ? regexes.not(language) : regexes.and(a.language, regexes.not(language))
    if (b.values !== null) {
      pieces.push({ ...a, language: without(regexes.texts([...b.values])) })
    } else {
      if (b.language !== null) {
        pieces.push({
          ...a,
          language: without(b.language),
          min: Math.max(a.min, b.min),
          max: Math.min(a.max, b.max),
        })
      }
      if (b.min > 0) pieces.push({ ...a, max: Math.min(a.max, b.min - 1) })
      if (b.max !== Number.POSITIVE_INFINITY) pieces.push({ ...a, min: Math.max(a.min, b.max + 1) })
    }
    return pieces.filter((piece) => this.settle(piece) !== null)
  }

  accepts(record: StringRecord, text: string): boolean {
    if (record.values !== null) return record.values.has(text)
    if (record.min > 0 || record.max !== Number.POSITIVE_INFINITY) {
      const length = codePoints(text)
      if (length < record.min || length > record.max) return false
    }
    return record.language === null || this.#dfa(record.language).accepts(text)
  }

  /** Whether every string is in the language. */
  isEverything(language: Regex): boolean {
    return (
      language === this.regexes.all || this.#isEmpty(this.regexes.not(language), 0, Number.POSITIVE_INFINITY)
    )
  }

  matches(language: Regex, text: string): boolean {
    return language === this.regexes.all || this.#dfa(language).accepts(text)
  }

  /** What both languages have in common, `null` if nothing. */
  both(a: Regex, b: Regex): Regex | null {
    this.#budget.spend(INTERSECTION_STEPS)
    const language = this.regexes.and(a, b)
    return this.#isEmpty(language, 0, Number.POSITIVE_INFINITY) ? null : language
  }

  /** The strings of the record as one language. */
  languageOf({ values, language, min, max }: StringRecord): Regex {
    const { regexes } = this
    if (values !== null) return regexes.texts([...values])
    const length = regexes.repeat(regexes.any, min, max)
    return language === null ? length : regexes.and(language, length)
  }

  /** The combinations of the languages that some string is in. */
  partition(languages: readonly Regex[]): Cell[] {
    const dfas = languages.map((language) => this.#dfa(language))
    return partition(languages, dfas, this.regexes, this.#budget, (language) =>
      this.#isEmpty(language, 0, Number.POSITIVE_INFINITY),
    )
  }

  /** How many strings the language has; `Infinity` where they do not run out. */
  countOf(language: Regex): number {
    if (language.infinite) return Number.POSITIVE_INFINITY
    let count = this.#counts.get(language)
    if (count === undefined) {
      count = countTexts(this.#dfa(language), language, this.#budget)
      this.#counts.set(language, count)
    }
    return count
  }

  /** The strings of a finite language. */
  listOf(language: Regex): readonly string[] {
    return listTexts(this.#dfa(language), this.#budget)
  }

  #filter(
    values: ReadonlySet<string>,
    record: StringRecord,
    wanted: boolean,
    blocked: Blocked,
  ): StringRecord | null {
    this.#budget.spend(values.size)
    const kept = new Set<string>()
    for (const value of values) if (this.accepts(record, value) === wanted) kept.add(value)
    return kept.size === 0 ? null : { ...ANY_STRING, values: kept, blocked }
  }

  /** Records with the same bounds, as one. */
  #join(group: readonly StringRecord[]): StringRecord {
    const first = group[0] as StringRecord
    if (group.length === 1) return first
    const languages: Regex[] = []
    for (const { language } of group) {
      if (language === null) return { ...first, language: null, blocked: EXACT }
      if (!languages.includes(language)) languages.push(language)
    }
    return { ...first, language: this.regexes.or(...languages) }
  }

  #isEmpty(language: Regex, min: number, max: number): boolean {
    if (language.live && min === 0 && max === Number.POSITIVE_INFINITY) return false
    const found = hasLength(language, min, max)
    if (found !== null && (!found || language.live)) return !found
    const bounded = this.#bounded(language, min, max)
    if (bounded.live) return false
    let empty = this.#empty.get(bounded)
    if (empty === undefined) {
      empty = !hasText(this.regexes, bounded, this.#limits.maxSteps ?? MAX_SEARCH, this.#budget)
      this.#empty.set(bounded, empty)
    }
    return empty
  }

  /** The part of the language within the bounds, the language itself where its own bounds say as much. */
  #bounded(language: Regex, min: number, max: number): Regex {
    const { regexes } = this
    if (min <= language.minLength && max >= language.maxLength) return language
    // Arbitrarily long texts are at hand.
    if (max === Number.POSITIVE_INFINITY && language.infinite) return language
    return regexes.and(language, regexes.repeat(regexes.any, min, max))
  }

  #dfa(language: Regex): CharDfa {
    let dfa = this.#dfas.get(language)
    if (dfa === undefined) {
      dfa = new CharDfa(this.regexes, language, this.#limits)
      this.#dfas.set(language, dfa)
    }
    return dfa
  }
}

/** The length of a text as JSON Schema counts it. */
function codePoints(text: string): number {
  let count = text.length
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xdc00 || unit > 0xdfff) continue
    const before = text.charCodeAt(index - 1)
    if (before >= 0xd800 && before <= 0xdbff) count--
  }
  return count
}
