/**
 * The least entries of an object that meet its demands: one way each for the required ones, and of the others as many as
 * are asked for, or as the demands take.
 *
 * Entry by entry, for each set of demands left and number of further entries the least choice so far. A least choice
 * stays least whatever is added to it, so one is enough. Entries that are nowhere needed are left out before, those that
 * are everywhere needed are put aside: what is chosen from are few, however many there are.
 */
import { isBetter, type Least } from './least.ts'

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
export function coveringEntries(written: Owed): Least[] | null {
  if (written.extra > written.most) return null
  const { fixed, reduced } = reduce(written)
  const { unmet, owed, more, extra, most, separator, anyOrder } = reduced
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
  return least === null ? null : [...least.entries, ...fixed].sort(compare).map((entry) => entry.least)
}

/** An entry that may come, and its shortest way. */
interface Priced {
  readonly ways: readonly Candidate[]
  readonly shortest: Candidate
}

/**
 * The same with fewer entries to choose from. With `n` demands a choice has at most `n` entries that it needs for a demand;
 * the others are those that cost least. So of these all but the last `n` are in every choice, unless a demand is met
 * best by writing one of them in another way; and of those that meet the same demands the first `n` are enough.
 */
function reduce(written: Owed): { readonly fixed: readonly Candidate[]; readonly reduced: Owed } {
  const { unmet, more, extra, most } = written
  const needed = unmet.toString(2).replaceAll('0', '').length
  const priced: Priced[] = more.map((ways) => ({
    ways,
    shortest: ways.reduce((one, other) => (isBetter(other.least, one.least) ? other : one)),
  }))
  priced.sort((a, b) => (isBetter(a.shortest.least, b.shortest.least) ? -1 : 1))
  const cheap = priced.slice(0, extra)
  const dear = priced.slice(extra)
  const chosen = new Set([
    ...cheap.slice(Math.max(0, extra - needed)),
    ...firstOfEach(cheap, needed, (entry, way) => way.least.text.length - entry.shortest.least.text.length),
    ...firstOfEach(dear, needed, (_, way) => way.least.text.length),
  ])
  const fixed = cheap.filter((entry) => !chosen.has(entry)).map(({ shortest }) => shortest)
  return {
    fixed,
    reduced: {
      ...written,
      unmet: fixed.reduce((left, { marks }) => left & ~marks, unmet),
      more: Array.from(chosen, ({ ways }) => ways),
      extra: extra - fixed.length,
      most: most - fixed.length,
    },
  }
}

/** For each set of demands the entries that meet it at the least price. */
function firstOfEach(
  entries: readonly Priced[],
  count: number,
  priceOf: (entry: Priced, way: Candidate) => number,
): Priced[] {
  const groups = new Map<number, { entry: Priced; way: Candidate; price: number }[]>()
  for (const entry of entries) {
    for (const way of entry.ways) {
      const one = { entry, way, price: priceOf(entry, way) }
      const group = groups.get(way.marks)
      if (group === undefined) groups.set(way.marks, [one])
      else group.push(one)
    }
  }
  return [...groups.values()].flatMap((group) => {
    group.sort((a, b) => a.price - b.price || (isBetter(a.way.least, b.way.least) ? -1 : 1))
    return group.slice(0, count).map(({ entry }) => entry)
  })
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
