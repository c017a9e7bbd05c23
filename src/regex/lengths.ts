/**
 * Which lengths the texts of an expression have, where that is a handful of intervals: exact, without a search.
 *
 * A pattern without lookaround has such a set nearly always; one that repeats several characters at a time has none.
 * Computed when asked for and kept with the node; linear in the new part of an expression times the intervals squared.
 */
import type { Regex } from './node.ts'
import { leastOf } from './requirements.ts'

/** Ascending, neither overlapping nor adjacent, both ends inclusive. */
type Lengths = readonly (readonly [min: number, max: number])[]

const MAX_INTERVALS = 24

const known = new WeakMap<Regex, Lengths | null>()

/** Whether a text of `from` to `to` code points is in the language; `null` where that takes a search. */
export function hasLength(regex: Regex, from: number, to: number): boolean | null {
  if (to < leastOf(regex) || from > regex.maxLength) return false
  if (regex.dense || (regex.infinite && to === Number.POSITIVE_INFINITY)) return true
  if (regex.minLength >= from && hasShortest(regex)) return true
  const lengths = lengthsOf(regex)
  return lengths === null ? null : lengths.some(([min, max]) => min <= to && max >= from)
}

/** Whether some text surely has just `minLength` code points. */
export function hasShortest(regex: Regex): boolean {
  if (regex.nullable) return true
  switch (regex.kind) {
    case 'chars':
      return true
    case 'concat': {
      let rest: Regex = regex
      for (; rest.kind === 'concat'; rest = rest.right) if (!hasShortest(rest.left)) return false
      return hasShortest(rest)
    }
    case 'or':
      return regex.items.some((item) => item.minLength === regex.minLength && hasShortest(item))
    case 'repeat':
      return hasShortest(regex.body)
    default:
      return false
  }
}

/** No text of at least `from` code points is shorter; `Infinity` if there is none. Exact where the lengths are known. */
export function leastLength(regex: Regex, from: number): number {
  if (from > regex.maxLength) return Number.POSITIVE_INFINITY
  const least = leastOf(regex)
  if (from <= least) return least
  const lengths = lengthsOf(regex)
  if (lengths === null) return from
  const interval = lengths.find(([, max]) => max >= from)
  return interval === undefined ? Number.POSITIVE_INFINITY : Math.max(from, interval[0])
}

function lengthsOf(regex: Regex): Lengths | null {
  if (regex.dense) return [[regex.minLength, regex.maxLength]]
  const lengths = known.get(regex)
  if (lengths !== undefined) return lengths
  if (regex.kind === 'concat') return ofConcatenation(regex)
  const computed = compute(regex)
  known.set(regex, computed)
  return computed
}

/** A loop: tails are many. */
function ofConcatenation(regex: Regex): Lengths | null {
  const parts: Extract<Regex, { kind: 'concat' }>[] = []
  let rest: Regex = regex
  for (; rest.kind === 'concat' && !rest.dense && !known.has(rest); rest = rest.right) parts.push(rest)
  let lengths = lengthsOf(rest)
  for (const part of parts.reverse()) {
    const left = lengths === null ? null : lengthsOf(part.left)
    lengths = lengths === null || left === null ? null : sum(left, lengths)
    known.set(part, lengths)
  }
  return lengths
}

function compute(regex: Regex): Lengths | null {
  switch (regex.kind) {
    case 'none':
      return []
    case 'texts': {
      const { values, from, to, offset } = regex.texts
      const found = new Set(values.slice(from, to).map((value) => Array.from(value.slice(offset)).length))
      return normal(Array.from(found, (length) => [length, length] as const))
    }
    case 'or': {
      const all: (readonly [number, number])[] = []
      for (const item of regex.items) {
        const lengths = lengthsOf(item)
        if (lengths === null) return null
        all.push(...lengths)
      }
      return normal(all)
    }
    case 'and': {
      const others = regex.items.filter((item) => !isLength(item))
      const lengths = others.length === 1 ? lengthsOf(others[0] as Regex) : null
      if (lengths === null) return null
      const bound = regex.items.find(isLength)
      const { minLength: min, maxLength: max } = bound ?? {
        minLength: 0,
        maxLength: Number.POSITIVE_INFINITY,
      }
      return lengths.flatMap(([low, high]) =>
        low <= max && high >= min ? [[Math.max(low, min), Math.min(high, max)] as const] : [],
      )
    }
    case 'repeat': {
      if (regex.max !== 1) return null
      const lengths = lengthsOf(regex.body)
      return lengths === null ? null : normal([[0, 0], ...lengths])
    }
    default:
      return null
  }
}

/** Whether the expression says nothing but how long a text is. */
function isLength(regex: Regex): boolean {
  return regex.kind === 'repeat' && regex.dense && regex.body.kind === 'chars' && regex.body.set.isAny
}

function sum(left: Lengths, right: Lengths): Lengths | null {
  return normal(left.flatMap(([a, b]) => right.map(([c, d]) => [a + c, b + d] as const)))
}

function normal(lengths: readonly (readonly [number, number])[]): Lengths | null {
  const merged: [number, number][] = []
  for (const [min, max] of [...lengths].sort((a, b) => a[0] - b[0])) {
    const last = merged[merged.length - 1]
    if (last !== undefined && min <= last[1] + 1) last[1] = Math.max(last[1], max)
    else merged.push([min, max])
  }
  return merged.length > MAX_INTERVALS ? null : merged
}
