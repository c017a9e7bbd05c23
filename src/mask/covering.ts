/**
 * The least entries of an object that meet its demands: one way each for the required ones, and of the others as many as
 * are asked for, or as the demands take.
 *
 * Entry by entry, for each set of demands left and number of further entries the least choice so far. A least choice
 * stays least whatever is added to it, so one is enough. Few demands, few further entries: linear in the names.
 */
import type { Least } from './least.ts'

/** A way to write an entry. */
export interface Candidate {
  /** Index of the property, or that of no property for a free key: those come last in schema order. */
  readonly property: number
  /** The demands that it meets, as bits. */
  readonly marks: number
  readonly least: Least
}

export interface Owed {
  /** The demands to be met, as bits. */
  readonly unmet: number
  /** The required entries, each in the ways to write it. */
  readonly owed: readonly (readonly Candidate[])[]
  /** Entries that may come. */
  readonly more: readonly (readonly Candidate[])[]
  /** So many of these come at least, and at most. */
  readonly extra: number
  readonly most: number
  /** Bytes between two entries. */
  readonly separator: number
  readonly anyOrder: boolean
}

/** Entries chosen, in the order of the text. */
interface Choice {
  readonly entries: readonly Candidate[]
  readonly bytes: number
}

/** Compares entries by their place in the least text. Keys are prefix-free, so in any order sorting the texts is enough. */
export function inOrder(anyOrder: boolean): (a: Candidate, b: Candidate) => number {
  return (a, b) => (anyOrder ? 0 : a.property - b.property) || (a.least.text < b.least.text ? -1 : 1)
}

/** The entries in the order of the least text; `null` where the demands cannot be met. */
export function coveringEntries({
  unmet,
  owed,
  more,
  extra,
  most,
  separator,
  anyOrder,
}: Owed): Least[] | null {
  const compare = inOrder(anyOrder)
  // By the demands left and the further entries chosen.
  const keyOf = (left: number, chosen: number): number => left * (most + 1) + chosen
  let choices = new Map<number, Choice>([[keyOf(unmet, 0), { entries: [], bytes: 0 }]])
  const add = (ways: readonly Candidate[], chosen: number, to: Map<number, Choice>): void => {
    for (const [key, { entries, bytes }] of choices) {
      const count = (key % (most + 1)) + chosen
      if (count > most) continue
      for (const way of ways) {
        const at = keyOf(Math.floor(key / (most + 1)) & ~way.marks, count)
        const other = to.get(at)
        const total = bytes + separator + way.least.text.length
        if (other !== undefined && other.bytes < total) continue
        const choice = { entries: [...entries, way].sort(compare), bytes: total }
        if (other === undefined || isLess(choice, other)) to.set(at, choice)
      }
    }
  }
  for (const ways of owed) {
    const next = new Map<number, Choice>()
    add(ways, 0, next)
    choices = next
  }
  for (const ways of more) {
    const next = new Map(choices)
    add(ways, 1, next)
    choices = next
  }
  let least: Choice | null = null
  for (let chosen = extra; chosen <= most; chosen++) {
    const choice = choices.get(keyOf(0, chosen))
    if (choice !== undefined && (least === null || isLess(choice, least))) least = choice
  }
  return least === null ? null : least.entries.map((entry) => entry.least)
}

/** The least of some choices, in the order of the text; `null` if there is none. */
export function leastOf(
  choices: readonly (readonly Candidate[])[],
  anyOrder: boolean,
  separator: number,
): Least[] | null {
  let least: Choice | null = null
  for (const candidates of choices) {
    const bytes = candidates.reduce((sum, one) => sum + separator + one.least.text.length, 0)
    const choice = { entries: [...candidates].sort(inOrder(anyOrder)), bytes }
    if (least === null || isLess(choice, least)) least = choice
  }
  return least === null ? null : least.entries.map((entry) => entry.least)
}

/** Shorter, or as long and lower in bytes. */
function isLess(a: Choice, b: Choice): boolean {
  if (a.bytes !== b.bytes) return a.bytes < b.bytes
  return textOf(a) < textOf(b)
}

function textOf({ entries }: Choice): string {
  return entries.map(({ least }) => least.text).join(',')
}
