/**
 * Demands of an object: what its entries must meet between them, and how few entries can.
 *
 * A demand is a bit, what an entry can meet a list of bit sets, one for each way to write its value. The fewest further
 * entries are found set by set of demands; with at most four demands there are sixteen.
 */

/** What can still come of an object, entry by entry: the sets of demands that each may meet. */
export interface Coverage {
  /** Required entries: each comes, in one of these ways. */
  readonly owed: Iterable<readonly number[]>
  /** Entries that may come once. */
  readonly optional: Iterable<readonly number[]>
  /** Entries that may come any number of times. */
  readonly free: Iterable<readonly number[]>
}

/** The fewest entries, beside those owed, with which all of `unmet` is met; `Infinity` where nothing can. */
export function leastCover(unmet: number, { owed, optional, free }: Coverage): number {
  if (unmet === 0) return 0
  // For each set of demands the fewest entries that leave it unmet.
  let fewest = new Map<number, number>([[unmet, 0]])
  const add = (
    ways: readonly number[],
    cost: number,
    from: Map<number, number>,
    to: Map<number, number>,
  ): void => {
    for (const [left, count] of from) {
      for (const marks of ways) {
        const after = left & ~marks
        if (count + cost < (to.get(after) ?? Number.POSITIVE_INFINITY)) to.set(after, count + cost)
      }
    }
  }
  for (const ways of owed) {
    const next = new Map<number, number>()
    add(ways, 0, fewest, next)
    fewest = next
  }
  for (const ways of optional) {
    const next = new Map(fewest)
    add(ways, 1, fewest, next)
    fewest = next
  }
  for (const ways of free) {
    // A way that meets something shrinks the set, so as many rounds as demands reach everything.
    for (let left = unmet; left !== 0; left &= left - 1) add(ways, 1, new Map(fewest), fewest)
  }
  return fewest.get(0) ?? Number.POSITIVE_INFINITY
}
