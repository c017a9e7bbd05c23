/**
 * The least entries that an object still owes: its required properties, and as many more as `minProperties` asks for, each
 * the cheapest there is. Which free keys are left depends on those the object already holds.
 */
import { isFree } from '../automaton/key-dfa.ts'
import type { ObjectPart } from '../automaton/parts.ts'
import { isBetter, joined, type Least } from './least.ts'
import { latin1 } from './threads.ts'

/** What the entries are made of. */
export interface Pieces {
  /** A text as a piece of its own. */
  piece(text: string): Least
  /** The least from the colon to the end of the value; `null` where there is none. */
  value(entry: number): Least | null
}

/** The spellings of one object's free keys. */
export type TakenKeys = readonly string[]

interface Candidate {
  /** Index of the property, or that of no property for a free key: those come last in schema order. */
  readonly property: number
  readonly least: Least
}

/**
 * The entries in the order in which they make the least text; `null` where they cannot be written.
 *
 * @param extra entries beyond the required ones
 */
export function owedEntries(
  part: ObjectPart,
  count: number,
  extra: number,
  taken: TakenKeys,
  pieces: Pieces,
): Least[] | null {
  const entries: Candidate[] = []
  for (const property of part.owed(count)) {
    const least = declared(part, property, pieces)
    if (least === null) return null
    entries.push({ property, least })
  }
  if (extra > 0) {
    const more = [...optional(part, count, pieces), ...free(part, extra, taken, pieces)]
    if (more.length < extra) return null
    more.sort((a, b) => (isBetter(a.least, b.least) ? -1 : 1))
    entries.push(...more.slice(0, extra))
  }
  const byText = (a: Candidate, b: Candidate): number => (a.least.text < b.least.text ? -1 : 1)
  // In any order the lowest bytes come first; keys are prefix-free, so sorting the entries is enough.
  entries.sort((a, b) => (part.anyOrder ? 0 : a.property - b.property) || byText(a, b))
  return entries.map(({ least }) => least)
}

function declared(part: ObjectPart, property: number, { piece, value }: Pieces): Least | null {
  const key = part.names.spellings[property]!
  return joined(piece(latin1(key, 0, key.length)), value(part.properties[property]!.entry))
}

function optional(part: ObjectPart, count: number, pieces: Pieces): Candidate[] {
  return part.skippable(count).flatMap((property) => {
    const least = declared(part, property, pieces)
    return least === null ? [] : [{ property, least }]
  })
}

/** For each language of free keys its `most` least keys that are not taken, with their values. */
function free(part: ObjectPart, most: number, taken: TakenKeys, { piece, value }: Pieces): Candidate[] {
  if (part.free === null) return []
  const found: Candidate[] = []
  const keys = part.freeKeys
  const gone = [...taken]
  for (const tag of keys.tagsFrom(keys.start)) {
    if (!isFree(tag)) continue
    const rest = value(part.free.entries[tag - 1]!)
    if (rest === null) continue
    for (let n = 0; n < most; n++) {
      const key = keys.shortestFree(keys.start, tag, '', gone)
      if (key === null) break
      const spelling = latin1(key, 0, key.length)
      gone.push(spelling)
      found.push({ property: part.properties.length, least: joined(piece(spelling), rest)! })
    }
  }
  return found
}
