/**
 * The counters of an array whose items are counted: how many items there are, and how many of them each tally has.
 *
 * A counter is an interned number. Items are counted up to where no bound can tell the difference, so a list without an
 * end has finitely many counters. Of a position's alternatives only those are offered from which all bounds can still be
 * met; that is decided once for every counter that cannot be closed, all of which are met when the first one is asked for.
 * Where all bounds are met they stay so, as an item too many is never offered.
 */
import { LimitError } from '../errors.ts'
import type { TallyBounds } from '../grammar/grammar.ts'

/** Counters of one array. */
const MAX_COUNTERS = 200_000

/** A way an item can be written. */
interface Marked {
  readonly marks: number
}

export interface CountedItems<A extends Marked> {
  readonly tallies: readonly TallyBounds[]
  readonly prefix: readonly (readonly A[])[]
  readonly rest: readonly A[]
  readonly min: number
  readonly max: number
}

interface Counter {
  readonly index: number
  readonly counts: readonly number[]
}

/** An alternative, and the counter behind it. */
export interface Step<A> {
  readonly alternative: A
  readonly after: number
}

export class ItemCounts<A extends Marked> {
  readonly #items: CountedItems<A>
  readonly #counters: Counter[] = []
  readonly #ids = new Map<string, number>()
  readonly #fewest: (number | undefined)[] = []
  readonly #steps: (readonly Step<A>[] | undefined)[] = []

  constructor(items: CountedItems<A>) {
    this.#items = items
    this.#intern({ index: 0, counts: items.tallies.map(() => 0) })
  }

  /** For each tally that is not met: how many items more must count, and the alternatives that do. */
  unmet(counter: number): { readonly missing: number; readonly alternatives: readonly A[] }[] {
    const { counts } = this.#counters[counter]!
    return this.#items.tallies.flatMap(({ min }, i) => {
      const missing = min - counts[i]!
      const counting = this.alternatives.filter(({ marks }) => ((marks >> i) & 1) === 1)
      return missing > 0 ? [{ missing, alternatives: counting }] : []
    })
  }

  /** Those of all positions. */
  get alternatives(): readonly A[] {
    return [...this.#items.prefix.flat(), ...this.#items.rest]
  }

  #intern(counter: Counter): number {
    const key = `${counter.index},${counter.counts.join()}`
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#counters.push(counter) - 1
      if (id > MAX_COUNTERS)
        throw new LimitError(
          'counts of the items of one array',
          MAX_COUNTERS,
          id,
          'lower minItems, minContains or maxContains',
        )
      this.#ids.set(key, id)
    }
    return id
  }

  canClose(counter: number): boolean {
    const { index, counts } = this.#counters[counter]!
    const { min, tallies } = this.#items
    return index >= min && tallies.every((tally, i) => counts[i]! >= tally.min)
  }

  /** The counter behind an item with these marks, -1 where a tally would have too many. */
  #after(counter: number, marks: number): number {
    const { index, counts } = this.#counters[counter]!
    const { tallies, prefix, min, max } = this.#items
    const next = counts.slice()
    for (let i = 0; i < tallies.length; i++) {
      if (((marks >> i) & 1) === 0) continue
      const tally = tallies[i]!
      if (next[i]! < (tally.max === Number.POSITIVE_INFINITY ? tally.min : tally.max)) next[i]!++
      else if (tally.max !== Number.POSITIVE_INFINITY) return -1
    }
    const last = Math.max(prefix.length, min)
    return this.#intern({
      index: max === Number.POSITIVE_INFINITY ? Math.min(index + 1, last) : index + 1,
      counts: next,
    })
  }

  /** All ways to write the next item, whether or not the array can be finished behind them. */
  #next(counter: number): readonly Step<A>[] {
    const { index, counts } = this.#counters[counter]!
    const { tallies, prefix, rest, max } = this.#items
    if (index >= max) return []
    let full = 0
    tallies.forEach((tally, i) => {
      if (tally.max === Number.POSITIVE_INFINITY && counts[i]! >= tally.min) full |= 1 << i
    })
    const alternatives = prefix[index] ?? rest
    const steps: Step<A>[] = []
    for (const alternative of alternatives) {
      const { marks } = alternative
      // What need not count any more is in the alternative that does not, if there is one.
      const plain = marks & ~full
      if (plain !== marks && alternatives.some((other) => other.marks === plain)) continue
      const after = this.#after(counter, marks)
      if (after >= 0) steps.push({ alternative, after })
    }
    return steps
  }

  /** The fewest items with which all bounds are met; `Infinity` where none do. */
  fewest(counter: number): number {
    const pending = [counter]
    while (pending.length > 0) {
      const at = pending[pending.length - 1]!
      if (this.#fewest[at] !== undefined) {
        pending.pop()
        continue
      }
      if (this.canClose(at)) {
        this.#fewest[at] = 0
        continue
      }
      let best = Number.POSITIVE_INFINITY
      let waits = false
      // An item that changes no count leads nowhere; all others lead on, so that nothing waits for itself.
      for (const { after } of this.#next(at)) {
        if (after === at) continue
        const known = this.#fewest[after]
        if (known === undefined) {
          pending.push(after)
          waits = true
        } else best = Math.min(best, known + 1)
      }
      if (!waits) this.#fewest[at] = best
    }
    return this.#fewest[counter]!
  }

  /** The ways to write the next item after which the array can be finished. */
  steps(counter: number): readonly Step<A>[] {
    let steps = this.#steps[counter]
    if (steps === undefined) {
      steps = this.#next(counter).filter(({ after }) => this.fewest(after) !== Number.POSITIVE_INFINITY)
      this.#steps[counter] = steps
    }
    return steps
  }
}
