/**
 * How much a string of a pattern may still need, wherever it stands, so as to be none of many others: found by going through the
 * states of its automaton, where they are few. Kept with the automaton.
 */
import type { StringDfa } from '../automaton/string-dfa.ts'
import { ESCAPED_BYTES, isPlain } from '../regex/longest-rest.ts'

/** Steps by a class of characters that are taken to find the states. */
const MAX_STEPS = 2_000
/** Bytes of rests that are looked for. */
const MAX_BYTES = 512
const QUOTE = 0x22

const known = new WeakMap<StringDfa, Map<number, number>>()

/**
 * Bytes with which any string that was begun has more than `others` ends, at most; where it has not so many, bytes of the
 * longest one. `Infinity` where that is not found.
 */
export function stringRest(dfa: StringDfa, others: number): number {
  let rests = known.get(dfa)
  if (rests === undefined) {
    rests = new Map()
    known.set(dfa, rests)
  }
  let rest = rests.get(others)
  if (rest === undefined) {
    rest = find(dfa, others)
    rests.set(others, rest)
  }
  return rest
}

/** What the characters of one class are good for: how many there are of the fewest bytes. */
interface Class {
  readonly count: number
  readonly bytes: number
}

function find(dfa: StringDfa, others: number): number {
  const { chars } = dfa
  const start = dfa.start === 0 ? 0 : dfa.next(dfa.start, QUOTE)
  if (chars === null || start === 0) return Number.POSITIVE_INFINITY
  const classes = classesOf(chars)
  const states = [start]
  const index = new Map([[start, 0]])
  /** By state: for each class that leads on, it and the state. */
  const edges: { readonly cls: Class; readonly to: number }[][] = []
  let steps = 0
  for (let at = 0; at < states.length; at++) {
    const own: (typeof edges)[number] = []
    edges.push(own)
    for (const [number, cls] of classes.entries()) {
      if (++steps > MAX_STEPS) return Number.POSITIVE_INFINITY
      const next = cls.count === 0 ? 0 : dfa.afterClass(states[at]!, number)
      if (next === 0) continue
      let to = index.get(next)
      if (to === undefined) {
        to = states.push(next) - 1
        index.set(next, to)
      }
      own.push({ cls, to })
    }
  }
  return restOf(
    edges,
    states.map((state) => dfa.next(state, QUOTE) !== 0),
    others,
  )
}

/** Ends are counted byte by byte, all states at once. */
function restOf(
  edges: readonly (readonly { readonly cls: Class; readonly to: number }[])[],
  accepts: readonly boolean[],
  others: number,
): number {
  /** By bytes, the ends of each state that have so many. */
  const ends: number[][] = []
  const total = accepts.map(() => 0)
  let last = 0
  for (let bytes = 0; bytes <= MAX_BYTES; bytes++) {
    const own = accepts.map((is) => (is && bytes === 0 ? 1 : 0))
    let any = false
    for (const [state, leads] of edges.entries()) {
      for (const { cls, to } of leads)
        if (cls.bytes <= bytes) own[state]! += cls.count * ends[bytes - cls.bytes]![to]!
      if (own[state]! > 0) any = true
      if (total[state]! <= others && own[state]! > 0) last = bytes
      total[state]! += own[state]!
    }
    ends.push(own)
    if (total.every((count) => count > others)) return last
    // Behind as many bytes as one character takes there is nothing more where there was nothing.
    if (!any && bytes - last > ESCAPED_BYTES) return last
  }
  return Number.POSITIVE_INFINITY
}

function classesOf(chars: NonNullable<StringDfa['chars']>): Class[] {
  const all = new Int32Array(chars.classCount)
  const plain = new Int32Array(chars.classCount)
  for (let range = 0; range < chars.rangeStarts.length; range++) {
    const from = chars.rangeStarts[range]!
    const to = chars.rangeStarts[range + 1] ?? 0x110000
    const cls = chars.rangeClass[range]!
    for (let char = from; char < Math.min(to, 0x80); char++) if (isPlain(char)) plain[cls]!++
    // Lone surrogates are in no text.
    if (from !== 0xd800) all[cls]! += to - from
  }
  return Array.from(all, (count, cls) =>
    plain[cls]! > 0 ? { count: plain[cls]!, bytes: 1 } : { count, bytes: ESCAPED_BYTES },
  )
}
