/**
 * Seeded randomness for tests: the same seed gives the same run on every machine.
 *
 * The seed is `SEED` from the environment, `SEED=clock` draws one, else it is always the same; it is printed, so that a failure
 * can be repeated.
 */

/** Uniform draws from a 32-bit seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new RangeError('nothing to pick from')
    return values[this.below(values.length)] as T
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }
}

/** The seed of this run, printed with the name of what it drives. */
export function seedOf(name: string): number {
  const given = process.env.SEED ?? '20261130'
  const seed = given === 'clock' ? Date.now() % 1_000_000_007 : Number(given)
  if (!Number.isInteger(seed)) throw new TypeError(`SEED is an integer, not ${given}`)
  process.stdout.write(`${name}: SEED=${seed}\n`)
  return seed
}
