/**
 * A JSON number that is none of some values, in whatever spelling: the automaton of the number, and beside it the text that was
 * written.
 *
 * Nothing is built but the states that are visited. Where very many values can still come nothing is asked of the others; where
 * they cannot, and the shortest of them is taken, the automaton of the intervals between the values tells.
 */
import { canonicalNumber } from '../json/decimal.ts'
import { Dfa, ONLY_TAG, stateAfter } from './dfa.ts'
import { latin1 } from './latin1.ts'
import type { NumberTerminal } from './number-terminal.ts'

export class NumberMinus extends Dfa {
  readonly start: number
  readonly base: NumberTerminal
  readonly #isTaken: (key: string) => boolean
  readonly #make: () => NumberTerminal
  #exact: NumberTerminal | null = null
  readonly #bases: number[] = [0]
  readonly #texts: string[] = ['']
  readonly #interned = new Map<string, number>()

  /**
   * @param isTaken whether a value is none of the language, by its canonical text
   * @param make the automaton of the same language
   */
  constructor(base: NumberTerminal, isTaken: (key: string) => boolean, make: () => NumberTerminal) {
    super()
    this.base = base
    this.#isTaken = isTaken
    this.#make = make
    this.start = base.start === 0 ? 0 : this.#state(base.start, '')
  }

  #state(base: number, text: string): number {
    const known = this.#interned.get(text)
    if (known !== undefined) return known
    const state = this.#canEnd(base, text) ? this.#bases.push(base) - 1 : 0
    if (state !== 0) this.#texts.push(text)
    this.#interned.set(text, state)
    return state
  }

  #canEnd(base: number, text: string): boolean {
    if (this.base.isLoose(base)) return true
    const rest = this.base.shortest(base, 1)
    if (!this.#isTaken(canonicalNumber(text + latin1(rest, 0, rest.length)))) return true
    return this.#exactly(text) !== 0
  }

  /** The state of the exact automaton. */
  #exactly(text: string): number {
    this.#exact ??= this.#make()
    return this.#exact.start === 0 ? 0 : stateAfter(this.#exact, text)
  }

  next(state: number, byte: number): number {
    const to = this.base.next(this.#bases[state]!, byte)
    return to === 0 ? 0 : this.#state(to, this.#texts[state]! + String.fromCharCode(byte))
  }

  tag(state: number): number {
    return this.base.tag(this.#bases[state]!) !== 0 && !this.#isTaken(canonicalNumber(this.#texts[state]!))
      ? 1
      : 0
  }
  final(state: number): boolean {
    for (const byte of this.base.edges(state)) if (this.next(state, byte) !== 0) return false
    return true
  }
  edges(state: number): readonly number[] {
    return this.base.edges(this.#bases[state]!)
  }
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
  shortest(state: number, tag: number): Uint8Array | null {
    const rest = this.base.shortest(this.#bases[state]!, 1)
    const text = this.#texts[state]!
    if (!this.#isTaken(canonicalNumber(text + latin1(rest, 0, rest.length)))) return rest
    const exact = this.#exactly(text)
    return exact === 0 ? null : this.#exact!.shortest(exact, tag)
  }
}
