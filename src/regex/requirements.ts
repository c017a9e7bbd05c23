/**
 * What the texts of an expression are made of: characters that may occur, and characters that must.
 *
 * Both are read off the structure, so they bound the language from outside. They refute an intersection one side of which
 * asks for what the other never has, and they bound the length of a text that must have many different characters. Kept
 * with the node; linear in the new part of an expression.
 */
import { ANY, CharSet } from './charset.ts'
import type { Regex } from './node.ts'

/** Most required sets that are kept of one expression. */
const MAX_REQUIRED = 64

const alphabets = new WeakMap<Regex, CharSet>()
const required = new WeakMap<Regex, readonly CharSet[]>()
const leasts = new WeakMap<Regex, number>()

/** Whether it is plain that an intersection has no text. */
export function isRefuted(regex: Regex): boolean {
  if (regex.kind !== 'and') return false
  const needed = requiredBy(regex)
  if (needed.length === 0) return false
  const alphabet = alphabetOf(regex)
  return needed.some((set) => set.intersect(alphabet).isEmpty) || leastOf(regex) > regex.maxLength
}

/** No text is shorter. In an intersection there are as many characters as sets without a common one are asked for. */
export function leastOf(regex: Regex): number {
  if (regex.kind !== 'and') return regex.minLength
  return remember(leasts, regex, () => {
    const needed = requiredBy(regex)
    if (needed.length <= regex.minLength) return regex.minLength
    const disjoint: CharSet[] = []
    for (const set of needed) if (disjoint.every((other) => set.intersect(other).isEmpty)) disjoint.push(set)
    return Math.max(regex.minLength, disjoint.length)
  })
}

/** Characters outside are in no text. */
export function alphabetOf(regex: Regex): CharSet {
  return remember(alphabets, regex, () => computeAlphabet(regex))
}

function computeAlphabet(regex: Regex): CharSet {
  const none = CharSet.of()
  switch (regex.kind) {
    case 'none':
    case 'epsilon':
      return none
    case 'chars':
      return regex.set
    case 'concat':
      return alongTails(
        regex,
        alphabets,
        (last) => alphabetOf(last),
        (left, tail) => tail.union(alphabetOf(left)),
      )
    case 'or':
      return regex.items.reduce((union, item) => union.union(alphabetOf(item)), none)
    case 'and':
      return regex.items.reduce((common, item) => common.intersect(alphabetOf(item)), ANY)
    case 'repeat':
      return alphabetOf(regex.body)
    case 'reference':
      return alphabetWithin(regex)
    default:
      return ANY
  }
}

/** Sets of which each text has a character. */
function requiredBy(regex: Regex): readonly CharSet[] {
  if (regex.minLength === 0 && regex.kind !== 'and') return []
  return remember(required, regex, () => computeRequired(regex))
}

function computeRequired(regex: Regex): readonly CharSet[] {
  switch (regex.kind) {
    case 'chars':
      return [regex.set]
    case 'concat':
      return alongTails(
        regex,
        required,
        (last) => requiredBy(last),
        (left, tail) => distinct(requiredBy(left), tail),
      )
    case 'and':
      return distinct(...regex.items.map((item) => requiredBy(item)))
    case 'repeat':
      return regex.min > 0 ? requiredBy(regex.body) : []
    case 'or': {
      // One set that each option needs: the union of the narrowest of each.
      let union = CharSet.of()
      for (const item of regex.items) {
        const narrowest = requiredBy(item).reduce<CharSet | null>(
          (best, set) => (best === null || sizeOf(set) < sizeOf(best) ? set : best),
          null,
        )
        if (narrowest === null) return []
        union = union.union(narrowest)
      }
      return [union]
    }
    default:
      return []
  }
}

/**
 * The characters of whatever the expression is made of, which bounds its alphabet also where it is defined by itself. Of an
 * intersection any one part will do.
 */
function alphabetWithin(root: Regex): CharSet {
  let alphabet = CharSet.of()
  const seen = new Set<Regex>()
  const pending: Regex[] = [root]
  for (let regex = pending.pop(); regex !== undefined; regex = pending.pop()) {
    if (seen.has(regex)) continue
    seen.add(regex)
    switch (regex.kind) {
      case 'none':
      case 'epsilon':
        break
      case 'chars':
        alphabet = alphabet.union(regex.set)
        break
      case 'concat':
        pending.push(regex.left, regex.right)
        break
      case 'or':
        for (const item of regex.items) pending.push(item)
        break
      case 'and':
        pending.push(regex.items.find(({ kind }) => kind !== 'not') ?? (regex.items[0] as Regex))
        break
      case 'repeat':
      case 'reference':
        pending.push(regex.body)
        break
      default:
        return ANY
    }
  }
  return alphabet
}

/** A value of a concatenation from that of its tail; a loop, since tails are many, which are remembered on the way. */
function alongTails<T>(
  regex: Regex,
  known: WeakMap<Regex, T>,
  ofLast: (last: Regex) => T,
  combine: (left: Regex, tail: T) => T,
): T {
  const heads: { readonly tail: Regex; readonly left: Regex }[] = []
  let rest: Regex = regex
  for (; rest.kind === 'concat' && !known.has(rest); rest = rest.right)
    heads.push({ tail: rest, left: rest.left })
  let value = known.get(rest) ?? ofLast(rest)
  for (const { tail, left } of heads.reverse()) {
    value = combine(left, value)
    known.set(tail, value)
  }
  return value
}

function distinct(...lists: readonly (readonly CharSet[])[]): readonly CharSet[] {
  const sets = new Map<string, CharSet>()
  for (const list of lists) for (const set of list) if (sets.size < MAX_REQUIRED) sets.set(set.key, set)
  return [...sets.values()]
}

function remember<T>(known: WeakMap<Regex, T>, regex: Regex, compute: () => T): T {
  let value = known.get(regex)
  if (value === undefined) {
    value = compute()
    known.set(regex, value)
  }
  return value
}

function sizeOf(set: CharSet): number {
  let size = 0
  for (let index = 0; index < set.ranges.length; index += 2)
    size += (set.ranges[index + 1] as number) - (set.ranges[index] as number) + 1
  return size
}
