/**
 * Sets of integers as sorted, disjoint, non-adjacent closed ranges, flattened: `[low, high, low, high, …]`.
 *
 * Ends may be infinite. Number automata use them for "the exponents that put this value into an interval". All
 * operations are linear in the number of ranges, which is at most the number of intervals of a schema's number.
 */
export type Ranges = readonly number[]

export const NONE: Ranges = []

export function contains(ranges: Ranges, value: number): boolean {
  for (let i = 0; i < ranges.length; i += 2) {
    if (value < ranges[i]!) return false
    if (value <= ranges[i + 1]!) return true
  }
  return false
}

export function equalRanges(a: Ranges, b: Ranges): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** The part within `[low, high]`, every element moved by `offset` first. */
export function moveAndClip(ranges: Ranges, offset: number, low: number, high: number): Ranges {
  const { length } = ranges
  if (length === 0 || (offset === 0 && ranges[0]! >= low && ranges[length - 1]! <= high)) return ranges
  const out: number[] = []
  for (let i = 0; i < length; i += 2) {
    const first = Math.max(ranges[i]! + offset, low)
    const last = Math.min(ranges[i + 1]! + offset, high)
    if (first <= last) out.push(first, last)
  }
  return out
}

/** The negated elements: `{1..3}` becomes `{-3..-1}`. */
export function negate(ranges: Ranges): Ranges {
  const out: number[] = []
  for (let i = ranges.length - 1; i >= 0; i--) out.push(-ranges[i]!)
  return out
}

/** The union of ranges in any order, empty ones (`low > high`) left out. */
export function unionOf(pairs: (readonly [number, number])[]): Ranges {
  const sorted = pairs
    .filter(([low, high]) => low <= high)
    .sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
  const out: number[] = []
  for (const [low, high] of sorted) {
    const end = out.length - 1
    if (end >= 0 && low <= out[end]! + 1) out[end] = Math.max(out[end]!, high)
    else out.push(low, high)
  }
  return out
}
