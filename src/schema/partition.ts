/**
 * Which combinations of languages have a text: the partition of all texts by the languages they are in. Found by walking
 * the product of the automata, so it costs its states times the languages, and nothing is searched twice. Where the
 * product is large (a pattern such as `a.{10}$` has thousands of states) the combinations are told apart language by
 * language, and each is searched for a text. Counted against the budget.
 */
import { LimitError } from '../errors.ts'
import type { CharDfa } from '../regex/chardfa.ts'
import type { Regex, RegexBuilder } from '../regex/regex.ts'
import type { Budget } from './options.ts'

/** Combinations that are told apart. */
const MAX_CELLS = 256
/** The same where the product is large: each is then a language of its own, and a state of the keys one of each of them. */
const MAX_LARGE_CELLS = 32

/** States of the product that are walked. */
const MAX_WALK = 2_000

/** A combination of languages, as ascending indices, and the texts that are in these and in no others. */
export interface Cell {
  readonly members: readonly number[]
  readonly texts: Regex
}

/** The combinations that have a text. `isEmpty` decides whether a language has none. */
export function partition(
  languages: readonly Regex[],
  dfas: readonly CharDfa[],
  regexes: RegexBuilder,
  budget: Budget,
  isEmpty: (language: Regex) => boolean,
): Cell[] {
  const cells = walk(dfas, budget) ?? refine(languages, regexes, isEmpty)
  return cells.map((members) => ({ members, texts: textsOf(members, cells, languages, regexes) }))
}

/** `null` where the product of the automata is too large. */
function walk(dfas: readonly CharDfa[], budget: Budget): (readonly number[])[] | null {
  const found = new Map<string, number[]>()
  const classes = commonClasses(dfas)
  const start = dfas.map((dfa) => dfa.start)
  const seen = new Set<string>([start.join()])
  const pending = [start]
  for (let states = pending.pop(); states !== undefined; states = pending.pop()) {
    if (seen.size > MAX_WALK) return null
    const members: number[] = []
    states.forEach((state, index) => {
      if (state !== 0 && (dfas[index] as CharDfa).accepting(state)) members.push(index)
    })
    found.set(members.join(), members)
    check(found.size, MAX_CELLS)
    budget.spend(classes.length * (1 + (dfas.length >>> 2)))
    for (const codePoint of classes) {
      const next = states.map((state, index) => {
        const dfa = dfas[index] as CharDfa
        return state === 0 ? 0 : dfa.next(state, dfa.classOf(codePoint))
      })
      const key = next.join()
      if (seen.has(key)) continue
      seen.add(key)
      pending.push(next)
    }
  }
  return [...found.values()]
}

/** Splits the combinations of the languages before by each further one. */
function refine(
  languages: readonly Regex[],
  regexes: RegexBuilder,
  isEmpty: (language: Regex) => boolean,
): (readonly number[])[] {
  let cells: { readonly members: readonly number[]; readonly texts: Regex }[] = [
    { members: [], texts: regexes.all },
  ]
  for (const [index, language] of languages.entries()) {
    const outside = regexes.not(language)
    cells = cells
      .flatMap(({ members, texts }) => [
        { members: [...members, index], texts: regexes.and(texts, language) },
        { members, texts: regexes.and(texts, outside) },
      ])
      .filter(({ texts }) => !isEmpty(texts))
    check(cells.length, MAX_LARGE_CELLS)
  }
  return cells.map(({ members }) => members)
}

function check(cells: number, most: number): void {
  if (cells > most)
    throw new LimitError(
      'combinations of patterns that keys match',
      most,
      cells,
      'use fewer patterns, or ones of which no name matches many',
    )
}

/** The language of a cell, without the exclusions that exclude nothing. */
function textsOf(
  members: readonly number[],
  cells: readonly (readonly number[])[],
  languages: readonly Regex[],
  regexes: RegexBuilder,
): Regex {
  const inside = members.map((index) => languages[index] as Regex)
  const outside = new Set<number>()
  for (const other of cells) {
    if (!members.every((index) => other.includes(index))) continue
    for (const index of other) if (!members.includes(index)) outside.add(index)
  }
  const excluded = Array.from(outside, (index) => languages[index] as Regex)
  if (excluded.length > 0) inside.push(regexes.not(regexes.orAll(excluded)))
  return inside.length === 0 ? regexes.all : regexes.and(...inside)
}

/** A code point of each class that some automaton tells from others. Surrogates are in no text. */
function commonClasses(dfas: readonly CharDfa[]): number[] {
  const starts = new Set<number>()
  for (const { rangeStarts } of dfas) for (const start of rangeStarts) starts.add(start)
  const representatives = new Map<string, number>()
  for (const codePoint of starts) {
    const key = dfas.map((dfa) => dfa.classOf(codePoint)).join()
    if (!representatives.has(key)) representatives.set(key, codePoint)
  }
  return [...representatives.values()]
}
