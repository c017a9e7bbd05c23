/** A JSON number as a terminal: `NumberDfa` with its rows kept. */
import type { Terminal } from '../grammar/grammar.ts'
import { RowDfa, shortestByBytes } from './dfa.ts'
import { NumberDfa } from './number.ts'

type NumberSpec = Extract<Terminal, { kind: 'number' }>

const NUMBER_BYTES = [...'+-.0123456789Ee'].map((c) => c.charCodeAt(0))

export class NumberTerminal extends RowDfa {
  readonly start: number
  readonly #dfa: NumberDfa

  constructor(spec: NumberSpec, alphabet: Uint8Array) {
    super()
    this.#dfa = new NumberDfa(spec, alphabet)
    this.start = this.#dfa.start
  }

  protected transition(state: number, byte: number): number {
    return this.#dfa.transition(state, byte)
  }
  tag(state: number): number {
    return this.#dfa.accepting(state) ? 1 : 0
  }
  final(state: number): boolean {
    return NUMBER_BYTES.every((byte) => this.next(state, byte) === 0)
  }
  edges(_state: number): readonly number[] {
    return NUMBER_BYTES
  }
  shortest(state: number, tag: number): Uint8Array | null {
    return shortestByBytes(this, state, tag)
  }
}
