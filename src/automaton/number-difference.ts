/**
 * Numbers without the multiples of some steps: the automaton of the numbers runs beside one for each step, and a text is
 * accepted where the first does and none of the others.
 *
 * Whether a state can be finished is a memoised search over these tuples. It ends, since number texts are capped, and soon,
 * since nearly every number has a neighbour that is no multiple; that there is one at all was decided exactly before.
 */
import { LimitError } from '../errors.ts'
import type { Decimal } from '../json/decimal.ts'
import { NumberDfa, type NumberSpec } from './number.ts'
import { stepOf } from './number-step.ts'

/** What a number terminal needs of an automaton. */
export interface NumberAutomaton {
  readonly start: number
  transition(state: number, byte: number): number
  accepting(state: number): boolean
  /** A lower bound on the number of bytes to the nearest accepting state, 0 in such a state. */
  distance(state: number): number
}

const MAX_STATES = 200_000
/** More zeros than this divide no better: a step has 14 digits at most. */
const MAX_SHIFT = 60
/** What ends a text soonest is tried first, then digits that are no zeros, which decide most. */
const SEARCH_ORDER = [...'15372468.e90E-+'].map((character) => character.charCodeAt(0))

const UNKNOWN = 0
const ALIVE = 1
const DEAD = 2

export class NumberDifference implements NumberAutomaton {
  readonly start: number
  /** The numbers, then the multiples that are taken away. */
  readonly #automata: readonly NumberDfa[]
  /** The states of each tuple; state 0 is dead. */
  readonly #tuples: (readonly number[])[] = [[]]
  readonly #ids = new Map<string, number>()
  readonly #life: number[] = [DEAD]

  constructor(spec: NumberSpec, steps: readonly Decimal[], alphabet: Uint8Array) {
    const { intervals } = spec
    const multiples = steps.map((multipleOf): NumberSpec => {
      return { integer: false, intervals, notation: 'any', multipleOf }
    })
    this.#automata = [spec, ...multiples].map((one) => new NumberDfa(one, alphabet))
    // Where all of the numbers are multiples, the search would go through all of them.
    const own = stepOf(spec)
    this.start = steps.some((step) => divides(step, own))
      ? 0
      : this.#live(this.#intern(this.#automata.map(({ start }) => start)))
  }

  transition(state: number, byte: number): number {
    return this.#live(this.#successor(state, byte))
  }

  accepting(state: number): boolean {
    const tuple = this.#tuples[state]!
    return this.#automata.every(
      (automaton, i) => (tuple[i] !== 0 && automaton.accepting(tuple[i]!)) === (i === 0),
    )
  }

  distance(state: number): number {
    if (this.accepting(state)) return 0
    return Math.max(1, this.#automata[0]!.distance(this.#tuples[state]![0]!))
  }

  #successor(state: number, byte: number): number {
    const tuple = this.#tuples[state]!
    return this.#intern(
      this.#automata.map((automaton, i) => (tuple[i] === 0 ? 0 : automaton.transition(tuple[i]!, byte))),
    )
  }

  #intern(tuple: readonly number[]): number {
    if (tuple[0] === 0) return 0
    const key = tuple.join()
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#tuples.push(tuple) - 1
      if (id > MAX_STATES)
        throw new LimitError(
          'states of a number automaton',
          MAX_STATES,
          id,
          'exclude fewer multiples (not, oneOf)',
        )
      this.#life.push(tuple.every((at, i) => i === 0 || at === 0) ? ALIVE : UNKNOWN)
      this.#ids.set(key, id)
    }
    return id
  }

  #live(state: number): number {
    return this.#isAlive(state) ? state : 0
  }

  /** Recursion is as deep as the longest text of a number. */
  #isAlive(state: number): boolean {
    if (this.#life[state] === UNKNOWN) {
      const alive =
        this.accepting(state) || SEARCH_ORDER.some((byte) => this.#isAlive(this.#successor(state, byte)))
      this.#life[state] = alive ? ALIVE : DEAD
    }
    return this.#life[state] === ALIVE
  }
}

function divides(step: Decimal, multiple: Decimal): boolean {
  const shift = multiple.exponent - step.exponent
  return shift >= 0 && (multiple.mantissa * 10n ** BigInt(Math.min(shift, MAX_SHIFT))) % step.mantissa === 0n
}
