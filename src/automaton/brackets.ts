/**
 * The punctuation of containers as terminals: openings, separators and colons, white space and closing marks with them.
 *
 * They hang on the layout, on what may follow, and, where lines are indented, on how many containers are open; each is made
 * once, O(1) to find.
 */
import type { Layout } from '../grammar/grammar.ts'
import type { Dfa } from './dfa.ts'
import type { DfaPool } from './dfa-pool.ts'
import { type Bracket, colonDfa, openDfa, separatorDfa } from './layout.ts'

export class Brackets {
  readonly #layout: Layout
  readonly #pool: DfaPool
  readonly #layoutKey: string
  /** Where they do not hang on the nesting. */
  readonly #known: (Dfa | undefined)[] = []

  constructor(layout: Layout, pool: DfaPool) {
    this.#layout = layout
    this.#pool = pool
    this.#layoutKey = `${layout.whitespace} ${layout.indent} ${layout.maxWhitespace}`
  }

  /** Between a key and its value. */
  readonly colon = (): Dfa =>
    this.#pool.get(`colon ${this.#layoutKey}`, () => colonDfa(this.#layout, this.#pool.alphabet))

  /**
   * The beginning of a container, up to its end where it may be empty.
   *
   * @param nesting containers that are open in it, where lines are indented
   */
  open(bracket: Bracket, canClose: boolean, canEnter: boolean, nesting: number): Dfa {
    return this.#get('open', bracket, canClose, canEnter, nesting)
  }

  /** What follows an entry or item: a comma, or the end of the container. */
  separator(bracket: Bracket, canClose: boolean, canEnter: boolean, nesting: number): Dfa {
    return this.#get('separator', bracket, canClose, canEnter, nesting)
  }

  #get(
    role: 'open' | 'separator',
    bracket: Bracket,
    canClose: boolean,
    canEnter: boolean,
    nesting: number,
  ): Dfa {
    const make = (): Dfa => {
      const key = `${role} ${bracket} ${canClose} ${canEnter} ${nesting} ${this.#layoutKey}`
      const build = role === 'open' ? openDfa : separatorDfa
      return this.#pool.get(key, () =>
        build({ bracket, canClose, canEnter, depth: nesting }, this.#layout, this.#pool.alphabet),
      )
    }
    if (this.#layout.whitespace === 'pretty') return make()
    const index =
      (role === 'open' ? 8 : 0) + (bracket === '{' ? 4 : 0) + (canClose ? 2 : 0) + (canEnter ? 1 : 0)
    let dfa = this.#known[index]
    if (dfa === undefined) {
      dfa = make()
      this.#known[index] = dfa
    }
    return dfa
  }
}
