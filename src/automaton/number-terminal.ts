/**
 * A JSON number as a terminal: `NumberDfa` with its rows kept.
 *
 * A row is 16 Int32, one for each byte that numbers have and one that stays 0: 64 bytes a state. A known successor costs
 * two loads.
 */
import { effort } from '../effort.ts'
import type { Terminal } from '../grammar/grammar.ts'
import { Dfa, ONLY_TAG } from './dfa.ts'
import { NumberDfa } from './number.ts'
import { type NumberAutomaton, NumberDifference } from './number-difference.ts'

type NumberSpec = Extract<Terminal, { kind: 'number' }>

const NUMBER_BYTES = [...'+-.0123456789Ee'].map((c) => c.charCodeAt(0))
const NO_COLUMN = NUMBER_BYTES.length
const COLUMNS = new Uint8Array(256).fill(NO_COLUMN)
NUMBER_BYTES.forEach((byte, column) => {
  COLUMNS[byte] = column
})

const [DOT, ZERO, ONE, TWO] = [0x2e, 0x30, 0x31, 0x32] as const
/** Digits that are tried to see whether very many numbers begin alike, and states that these may lead to. */
const PROBE = 17
const MAX_PROBED = 8

export class NumberTerminal extends Dfa {
  readonly start: number
  readonly #dfa: NumberAutomaton
  readonly #loose = new Map<number, boolean>()
  readonly #counts = new Map<number, number>()
  /** Successors by state and column, -1 where not yet asked. */
  #rows = new Int32Array(16 * 16).fill(-1)

  constructor(spec: NumberSpec, alphabet: Uint8Array) {
    super()
    const { notMultiplesOf = [] } = spec
    this.#dfa =
      notMultiplesOf.length === 0
        ? new NumberDfa(spec, alphabet)
        : new NumberDifference(spec, notMultiplesOf, alphabet)
    this.start = this.#dfa.start
  }

  /** Bytes of its rows. */
  get byteLength(): number {
    return this.#rows.byteLength
  }

  next(state: number, byte: number): number {
    const column = COLUMNS[byte]!
    if (column === NO_COLUMN) return 0
    const at = (state << 4) | column
    if (at >= this.#rows.length) this.#grow(at)
    const known = this.#rows[at]!
    if (known >= 0) return known
    effort.transitions++
    const target = this.#dfa.transition(state, byte)
    this.#rows[at] = target
    return target
  }

  #grow(at: number): void {
    let length = this.#rows.length
    while (length <= at) length *= 2
    const rows = new Int32Array(length)
    rows.set(this.#rows)
    rows.fill(-1, this.#rows.length)
    this.#rows = rows
  }

  /** Whether more than a hundred thousand values can still come of the state, as far as can be seen. */
  isLoose(state: number): boolean {
    let loose = this.#loose.get(state)
    if (loose === undefined) {
      loose = this.#hasRoom(state)
      this.#loose.set(state, loose)
    }
    return loose
  }

  /** Whether any `PROBE` digits can follow, of two that are not 0: as many values as there are such digits. */
  #hasRoom(state: number): boolean {
    let states = new Set([this.next(state, ONE) === 0 ? this.next(state, DOT) : state])
    for (let i = 0; i < PROBE; i++) {
      const longer = new Set<number>()
      for (const at of states) for (const digit of [ONE, TWO]) longer.add(at === 0 ? 0 : this.next(at, digit))
      if (longer.has(0) || longer.size > MAX_PROBED) return false
      states = longer
    }
    return true
  }

  /**
   * How many values can come of a state before the exponent, at least: digits may follow of which the last is not 0, no two of
   * which make the same value.
   */
  values(state: number): number {
    return (this.#dfa.accepting(state) ? 1 : 0) + this.#longer(state)
  }

  /** Recursion is as deep as a number has digits. */
  #longer(state: number): number {
    let count = this.#counts.get(state)
    if (count === undefined) {
      count = 0
      for (let digit = 0; digit < 10; digit++) {
        const next = this.next(state, ZERO + digit)
        if (next !== 0) count += (digit > 0 && this.#dfa.accepting(next) ? 1 : 0) + this.#longer(next)
      }
      this.#counts.set(state, count)
    }
    return count
  }

  tag(state: number): number {
    return this.#dfa.accepting(state) ? 1 : 0
  }
  final(state: number): boolean {
    // From the back: `e` and digits go on in more states than the others.
    for (let i = NUMBER_BYTES.length - 1; i >= 0; i--)
      if (this.next(state, NUMBER_BYTES[i]!) !== 0) return false
    return true
  }
  edges(_state: number): readonly number[] {
    return NUMBER_BYTES
  }
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
  /**
   * Multiples of a step with many digits are far apart: what is searched is bounded by length, one byte more at a time, and
   * what cannot end within it is left out.
   */
  shortest(state: number, _tag: number): Uint8Array {
    const failed = new Map<number, number>()
    const text: number[] = []
    for (let length = this.#dfa.distance(state); ; length++) {
      if (this.#finish(state, length, text, failed)) return Uint8Array.from(text)
    }
  }

  /** Appends to `text` the least bytes, `length` at most, that lead to acceptance. `failed` has the lengths that are too short, by state. */
  #finish(state: number, length: number, text: number[], failed: Map<number, number>): boolean {
    const distance = this.#dfa.distance(state)
    if (distance === 0) return true
    if (distance > length || (failed.get(state) ?? 0) >= length) return false
    for (const byte of NUMBER_BYTES) {
      const next = this.next(state, byte)
      if (next === 0) continue
      text.push(byte)
      // Recursion is as deep as the longest text of a number.
      if (this.#finish(next, length - 1, text, failed)) return true
      text.pop()
    }
    failed.set(state, length)
    return false
  }
}
