/**
 * Classes of code points that an expression does not tell apart: two code points are in one class if every character set
 * of the expression has both or neither. All its derivatives keep to these classes.
 *
 * One sweep over the bounds of all sets: O(bounds · (log bounds + sets that overlap at one point)).
 */
import { LimitError } from '../errors.ts'
import { ANY, CharSet, MAX_CODE_POINT } from './charset.ts'
import type { Regex } from './node.ts'

export interface CharClasses {
  readonly count: number
  /** The first code point of each range, ascending from 0; a range ends before the next, the last at 10FFFF. */
  readonly rangeStarts: Int32Array
  readonly rangeClass: Uint16Array
  /** A code point of each class. */
  readonly representatives: Int32Array
  /** The class that holds the surrogates and nothing else. */
  readonly surrogates: number
}

const MAX_CLASSES = 0xffff

/** The index of the range that a code point lies in; the first one starts at 0. */
export function rangeAt(starts: Int32Array, codePoint: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) <= codePoint) low = middle
    else high = middle
  }
  return low
}

/** The classes of everything that can be reached from the expression. */
export function charClasses(regex: Regex): CharClasses {
  const sets = charSets(regex)
  const count = sets.length
  // Where sets begin (index of the set) and end (its complement), by place.
  const events: (readonly [place: number, event: number])[] = []
  for (let index = 0; index < count; index++) {
    const { ranges } = sets[index] as CharSet
    for (let i = 0; i < ranges.length; i += 2) {
      events.push([ranges[i] as number, index], [(ranges[i + 1] as number) + 1, ~index])
    }
  }
  events.sort((a, b) => a[0] - b[0])

  const active = new Set<number>()
  const classes = new Map<string, number>()
  const representatives: number[] = []
  const starts: number[] = []
  const rangeClass: number[] = []
  let next = 0
  let place = 0
  while (place <= MAX_CODE_POINT) {
    for (let event = events[next]; event !== undefined && event[0] === place; event = events[++next]) {
      if (event[1] >= 0) active.add(event[1])
      else active.delete(~event[1])
    }
    const key = active.size < 2 ? [...active].join() : [...active].sort((a, b) => a - b).join()
    let cls = classes.get(key)
    if (cls === undefined) {
      cls = representatives.length
      classes.set(key, cls)
      representatives.push(place)
    }
    if (rangeClass[rangeClass.length - 1] !== cls) {
      starts.push(place)
      rangeClass.push(cls)
    }
    place = events[next]?.[0] ?? MAX_CODE_POINT + 1
  }
  if (representatives.length > MAX_CLASSES) {
    throw new LimitError(
      'character classes of a regular expression',
      MAX_CLASSES,
      representatives.length,
      'use fewer classes of characters',
    )
  }
  return {
    count: representatives.length,
    rangeStarts: Int32Array.from(starts),
    rangeClass: Uint16Array.from(rangeClass),
    representatives: Int32Array.from(representatives),
    // No set has a surrogate, and `ANY` has everything else.
    surrogates: classes.get('') as number,
  }
}

/** By id of an expression: the last search that met it. Large expressions share most of their parts, and are many. */
let marks = new Int32Array(1 << 10)
let searches = 0

/** Whether an expression is new to this search. Ids are unique within the builder that an expression is of. */
function isNew({ id }: Regex): boolean {
  if (id >= marks.length) {
    const longer = new Int32Array(Math.max(id + 1, marks.length * 2))
    longer.set(marks)
    marks = longer
  }
  if (marks[id] === searches) return false
  marks[id] = searches
  return true
}

/** Every character set of the expression, and `ANY`. */
function charSets(root: Regex): readonly CharSet[] {
  searches++
  const sets = new Map<string, CharSet>([[ANY.key, ANY]])
  const characters = new Set<number>()
  const lists = new Set<number>()
  const pending: Regex[] = [root]
  for (let regex = pending.pop(); regex !== undefined; regex = pending.pop()) {
    if (!isNew(regex)) continue
    switch (regex.kind) {
      case 'chars':
        sets.set(regex.set.key, regex.set)
        break
      case 'texts':
        if (lists.has(regex.texts.list)) break
        lists.add(regex.texts.list)
        for (const value of regex.texts.values) {
          for (const character of value) characters.add(character.codePointAt(0) as number)
        }
        break
      case 'concat':
        pending.push(regex.left, regex.right)
        break
      case 'or':
      case 'and':
        for (const item of regex.items) pending.push(item)
        break
      case 'not':
      case 'repeat':
      case 'reference':
        pending.push(regex.body)
        break
      default:
        break
    }
  }
  for (const character of characters) {
    const set = CharSet.single(character)
    sets.set(set.key, set)
  }
  return [...sets.values()]
}
