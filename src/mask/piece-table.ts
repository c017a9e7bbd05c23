/**
 * Texts as pieces of completions: each with the fewest tokens that spell it by itself, counted once.
 *
 * Texts are strings of one byte a unit. A piece is never longer than a completion may be.
 */
import { type Dfa, TableDfa } from '../automaton/dfa.ts'
import { bytesOf, latin1 } from '../automaton/latin1.ts'
import { LimitError } from '../errors.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { isBetter, type Least } from './least.ts'

/** States of automata that are written down are below this. */
const STATES = 2 ** 26

export class PieceTable {
  readonly #vocabulary: Vocabulary
  readonly #maxBytes: number
  readonly #pieces = new Map<string, Least>()
  /** The least of tokens that are named together. */
  readonly #named = new WeakMap<readonly number[], Least>()
  /** Of automata that search for a shortest rest each time: there are few, with few states. */
  readonly #rests = new WeakMap<Dfa, Map<number, Least | null>>()

  /** @param maxBytes of a completion, at most */
  constructor(vocabulary: Vocabulary, maxBytes: number) {
    this.#vocabulary = vocabulary
    this.#maxBytes = maxBytes
  }

  /** A text as a piece of its own. */
  of(text: string): Least {
    let piece = this.#pieces.get(text)
    if (piece === undefined) {
      this.limit(text.length)
      const bytes = bytesOf(text)
      piece = { text, tokens: this.#vocabulary.tokenCount(bytes) }
      this.#pieces.set(text, piece)
    }
    return piece
  }

  /** The shortest rest of a terminal from a state to an end with this tag; `null` where there is none. */
  rest(dfa: Dfa, state: number, tag: number): Least | null {
    if (!(dfa instanceof TableDfa)) return this.#findRest(dfa, state, tag)
    let known = this.#rests.get(dfa)
    if (known === undefined) {
      known = new Map()
      this.#rests.set(dfa, known)
    }
    const key = tag * STATES + state
    let rest = known.get(key)
    if (rest === undefined) {
      rest = this.#findRest(dfa, state, tag)
      known.set(key, rest)
    }
    return rest
  }

  #findRest(dfa: Dfa, state: number, tag: number): Least | null {
    const rest = dfa.shortest(state, tag)
    return rest === null ? null : this.of(latin1(rest, 0, rest.length))
  }

  /** The least of some tokens that are named by id. */
  token(ids: readonly number[]): Least {
    let least = this.#named.get(ids)
    if (least === undefined) {
      for (const id of ids) {
        const bytes = this.#vocabulary.spelling(id)
        const one = { text: latin1(bytes, 0, bytes.length), tokens: 1 }
        if (least === undefined || isBetter(one, least)) least = one
      }
      this.#named.set(ids, least!)
    }
    return least!
  }

  /** @throws LimitError where a completion of so many bytes would be too long */
  limit(length: number): void {
    if (length <= this.#maxBytes) return
    throw new LimitError(
      'bytes of the shortest text',
      this.#maxBytes,
      length,
      'lower minLength, minItems, minProperties, the number of required keys or a count of the grammar, or raise limits.maxCompletionBytes',
    )
  }
}
