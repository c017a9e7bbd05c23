/**
 * Runs: for how long a text may go on with any characters of a set, read off an expression.
 *
 * `[a-z]{0,61}-x` goes on with any text of at most 61 letters, `.*x` with any text at all. Derivatives would say so one character
 * at a time; the structure says it at once. What is found is true; that nothing is found says nothing. Linear in the part of
 * an expression that a text can begin in, some of it kept with the nodes.
 */
import { CharSet } from './charset.ts'
import { hasShortest } from './lengths.ts'
import type { Regex } from './node.ts'

/** Every text of at most `length` characters of `set` is the beginning of a text of the language. */
export interface Run {
  readonly set: CharSet
  /** One or more; may be `Infinity`. */
  readonly length: number
  /** Characters that such a beginning lacks at most to be a text; `Infinity` where that is not known. */
  readonly slack: number
  /** Whether no text begins with more characters of the set. */
  readonly stops: boolean
}

/** Options of a union that are looked at. */
const MAX_OPTIONS = 24

/** The runs of the sets that the expression repeats where its texts begin. */
export function runsOf(regex: Regex): readonly Run[] {
  const sets = new Map<string, CharSet>()
  collect(regex, sets)
  const runs: Run[] = []
  for (const set of sets.values()) {
    const { length, slack } = measure(regex, set)
    if (length > 0)
      runs.push({
        set,
        length,
        slack,
        stops: length < Number.POSITIVE_INFINITY && stopsAfter(regex, set) === length,
      })
  }
  return runs
}

/** Characters that a text needs at most to be finished, whatever its characters; `null` where it may not be finished, as far as can be seen. */
export function endlessSlack(regex: Regex): number | null {
  switch (regex.kind) {
    case 'all':
      return 0
    case 'concat': {
      const slack = endlessSlack(regex.left)
      return slack === null || !regex.right.live ? null : slack + shortest(regex.right)
    }
    case 'or': {
      let least: number | null = null
      for (const item of regex.items) {
        const slack = endlessSlack(item)
        if (slack !== null && (least === null || slack < least)) least = slack
      }
      return least
    }
    // Whatever is longer than all texts of the body is outside of it.
    case 'not':
      return regex.body.maxLength < Number.POSITIVE_INFINITY ? regex.body.maxLength + 1 : null
    case 'repeat': {
      const slack = endlessSlack(regex.body)
      return slack === null ? null : slack + times(regex.min - 1, shortest(regex.body))
    }
    default:
      return null
  }
}

function collect(regex: Regex, sets: Map<string, CharSet>): void {
  switch (regex.kind) {
    case 'repeat': {
      const single = singles(regex.body)
      if (regex.max > 1 && !single.isEmpty) sets.set(single.key, single)
      if (regex.body.kind !== 'chars') collect(regex.body, sets)
      return
    }
    case 'concat': {
      let rest: Regex = regex
      for (; rest.kind === 'concat'; rest = rest.right) {
        collect(rest.left, sets)
        if (!rest.left.nullable) return
      }
      collect(rest, sets)
      return
    }
    case 'or':
      if (regex.items.length <= MAX_OPTIONS) for (const item of regex.items) collect(item, sets)
      return
    default:
  }
}

interface Measure {
  readonly length: number
  readonly slack: number
}

const NO_RUN: Measure = { length: 0, slack: Number.POSITIVE_INFINITY }

/** The longest run of the set that is seen. */
function measure(regex: Regex, set: CharSet): Measure {
  switch (regex.kind) {
    case 'all':
      return { length: Number.POSITIVE_INFINITY, slack: 0 }
    case 'chars':
      return regex.set.covers(set) ? { length: 1, slack: 1 } : NO_RUN
    case 'repeat': {
      if (!regex.body.live) return NO_RUN
      const least = shortest(regex.body)
      if (singles(regex.body).covers(set)) return { length: regex.max, slack: times(regex.min, least) }
      const { length, slack } = measure(regex.body, set)
      return length === 0 ? NO_RUN : { length, slack: slack + times(regex.min - 1, least) }
    }
    case 'concat': {
      const { left, right } = regex
      if (!left.live || !right.live) return NO_RUN
      const first = measure(left, set)
      const own = { length: first.length, slack: first.slack + shortest(right) }
      // As many characters as fill the left part may be followed by a run of the right one.
      const filled =
        left.kind === 'repeat' && singles(left.body).covers(set)
          ? left.max
          : singles(left).covers(set)
            ? 1
            : 0
      if (filled === 0 && !left.nullable) return own
      const rest = measure(right, set)
      const length = rest.length + filled
      if (rest.length === 0 || length <= first.length) return own
      return {
        length,
        slack: filled === 0 ? rest.slack : Math.max(shortest(left) + shortest(right), own.slack, rest.slack),
      }
    }
    case 'or': {
      let best = NO_RUN
      for (const item of regex.items) {
        const own = measure(item, set)
        if (own.length > best.length) best = own
      }
      return best
    }
    default:
      return NO_RUN
  }
}

/** Where the language is a counted repetition of single characters and then of something that none of the set begins: the count. */
function stopsAfter(regex: Regex, set: CharSet): number {
  const [head, tail] = regex.kind === 'concat' ? [regex.left, regex.right] : [regex, null]
  const [body, max] = head.kind === 'repeat' ? [head.body, head.max] : [head, 1]
  if (body.kind !== 'chars') return -1
  const next = tail === null ? EMPTY : firsts(tail)
  return next?.intersect(set).isEmpty === true ? max : -1
}

const EMPTY = CharSet.of()

/** The characters that a text can begin with; `null` where they are not seen. */
function firsts(regex: Regex): CharSet | null {
  switch (regex.kind) {
    case 'epsilon':
    case 'none':
      return EMPTY
    case 'chars':
      return regex.set
    case 'repeat':
      return firsts(regex.body)
    case 'concat': {
      let union: CharSet = EMPTY
      let rest: Regex = regex
      for (; rest.kind === 'concat'; rest = rest.right) {
        const own = firsts(rest.left)
        if (own === null) return null
        union = union.union(own)
        if (!rest.left.nullable) return union
      }
      const last = firsts(rest)
      return last === null ? null : union.union(last)
    }
    case 'or': {
      let union: CharSet = EMPTY
      for (const item of regex.items) {
        const own = firsts(item)
        if (own === null) return null
        union = union.union(own)
      }
      return union
    }
    default:
      return null
  }
}

const singlesOf = new WeakMap<Regex, CharSet>()

/** Characters that are a text each. */
function singles(regex: Regex): CharSet {
  if (regex.kind === 'chars') return regex.set
  if (regex.minLength > 1) return EMPTY
  let set = singlesOf.get(regex)
  if (set === undefined) {
    set = computeSingles(regex)
    singlesOf.set(regex, set)
  }
  return set
}

function computeSingles(regex: Regex): CharSet {
  switch (regex.kind) {
    case 'or':
      return regex.items.reduce((union, item) => union.union(singles(item)), EMPTY)
    case 'repeat':
      return regex.min <= 1 ? singles(regex.body) : EMPTY
    case 'concat': {
      const left = regex.right.nullable ? singles(regex.left) : EMPTY
      return regex.left.nullable ? left.union(singles(regex.right)) : left
    }
    default:
      return EMPTY
  }
}

function times(count: number, length: number): number {
  return count <= 0 ? 0 : count * length
}

/** Characters of the shortest text; `Infinity` where it is not known. */
function shortest(regex: Regex): number {
  return hasShortest(regex) ? regex.minLength : Number.POSITIVE_INFINITY
}
