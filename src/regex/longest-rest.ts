/**
 * How much a text of an expression may still need, wherever it stands: a bound on the shortest end of any text that has one,
 * read off the structure. `Infinity` where that is not seen: with complements, what leads back to itself, and intersections
 * of what repeats more than a character at a time.
 *
 * Linear in the expression; kept with the node.
 */
import type { CharSet } from './charset.ts'
import type { Regex } from './node.ts'

/** What a character takes where it has no spelling of one byte: an escape. */
export const ESCAPED_BYTES = 6

interface Need {
  /** Bytes of the shortest text, at most. */
  readonly whole: number
  /** Bytes of the shortest end of any text that was begun, at most; the whole counts, too. */
  readonly rest: number
}

const known = new WeakMap<Regex, Need>()

/** Bytes that a text of the language needs at most to be finished, as the inside of a JSON string, wherever it stands. */
export function longestRest(regex: Regex): number {
  return needOf(regex).rest
}

/** Depth of recursion: that of the expression, without the tails of concatenations. */
function needOf(regex: Regex): Need {
  let need = known.get(regex)
  if (need === undefined) {
    // What leads back to itself, behind a reference, may need anything.
    known.set(regex, UNKNOWN)
    const { whole, rest } = find(regex)
    const most = regex.maxLength * ESCAPED_BYTES
    need = { whole: regex.live ? Math.min(whole, most) : whole, rest: Math.min(rest, most) }
    known.set(regex, need)
  }
  return need
}

function find(regex: Regex): Need {
  switch (regex.kind) {
    case 'epsilon':
    case 'all':
      return NOTHING
    case 'chars': {
      const bytes = PLAIN.some((char) => regex.set.has(char)) ? 1 : ESCAPED_BYTES
      return { whole: bytes, rest: bytes }
    }
    case 'texts': {
      const { values, from, to } = regex.texts
      const plain = values
        .slice(from, to)
        .every((text) => [...text].every((char) => isPlain(char.codePointAt(0)!)))
      const bytes = regex.maxLength * (plain ? 1 : ESCAPED_BYTES)
      return { whole: bytes, rest: bytes }
    }
    case 'concat': {
      const lefts: Regex[] = []
      let last: Regex = regex
      for (; last.kind === 'concat'; last = last.right) lefts.push(last.left)
      let { whole, rest } = needOf(last)
      for (let left = lefts.pop(); left !== undefined; left = lefts.pop()) {
        const own = needOf(left)
        rest = Math.max(own.rest + whole, rest)
        whole += own.whole
      }
      return { whole, rest }
    }
    case 'or': {
      const needs = regex.items.map(needOf)
      return {
        whole: Math.min(...needs.map(({ whole }) => whole)),
        rest: Math.max(...needs.map(({ rest }) => rest)),
      }
    }
    case 'repeat': {
      const { whole, rest } = needOf(regex.body)
      const more = regex.min > 1 ? (regex.min - 1) * whole : 0
      return { whole: regex.min === 0 ? 0 : whole + more, rest: rest + more }
    }
    // The shortest end of a text that is in all of them takes no turn in a loop of each at once: every character leads on in one.
    case 'and':
      return {
        whole: Number.POSITIVE_INFINITY,
        rest: regex.items.reduce((sum, item) => sum + extentOf(item), 0),
      }
    case 'reference':
      return needOf(regex.body)
    // Of complements the lengths alone tell.
    default:
      return UNKNOWN
  }
}

const extents = new WeakMap<Regex, number>()

/** Bytes of the longest text without a turn in a loop, where only characters by themselves repeat; else `Infinity`. */
function extentOf(regex: Regex): number {
  let extent = extents.get(regex)
  if (extent === undefined) {
    extent = findExtent(regex)
    extents.set(regex, extent)
  }
  return extent
}

function findExtent(regex: Regex): number {
  switch (regex.kind) {
    case 'epsilon':
      return 0
    case 'all':
      return ESCAPED_BYTES
    case 'chars':
      return isAllPlain(regex.set) ? 1 : ESCAPED_BYTES
    case 'texts':
      return find(regex).whole
    case 'concat': {
      let sum = 0
      let last: Regex = regex
      for (; last.kind === 'concat'; last = last.right) sum += extentOf(last.left)
      return sum + extentOf(last)
    }
    case 'or':
      return Math.max(...regex.items.map(extentOf))
    case 'and':
      return regex.items.reduce((sum, item) => sum + extentOf(item), 0)
    case 'repeat': {
      const { body, min, max } = regex
      if (max < Number.POSITIVE_INFINITY) return max * extentOf(body)
      return body.kind === 'chars' ? (min + 1) * extentOf(body) : Number.POSITIVE_INFINITY
    }
    default:
      return Number.POSITIVE_INFINITY
  }
}

function isAllPlain({ ranges }: CharSet): boolean {
  for (let i = 0; i < ranges.length; i += 2)
    for (let char = ranges[i]!; char <= ranges[i + 1]!; char++) if (!isPlain(char)) return false
  return true
}

const NOTHING: Need = { whole: 0, rest: 0 }
const UNKNOWN: Need = { whole: Number.POSITIVE_INFINITY, rest: Number.POSITIVE_INFINITY }
/** Whether JSON writes a character as one byte, of ASCII. */
export function isPlain(char: number): boolean {
  return char >= 0x20 && char < 0x7f && char !== 0x22 && char !== 0x5c
}

const PLAIN = Array.from({ length: 0x80 }, (_, char) => char).filter(isPlain)
