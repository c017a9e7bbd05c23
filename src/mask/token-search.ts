/**
 * Liveness and completions for a vocabulary in which some byte is no token of its own.
 *
 * Elsewhere every byte can be written whatever comes before it, so what the automaton can finish the model can finish.
 * Here a text may be finished by bytes and by no tokens: after `ap`, with `appel` the only other token. So a token is
 * allowed only if some sequence of tokens leads from there to an end, which is searched over configurations in the order
 * of the texts, shortest first; tokens that the grammar names by id are steps like any. Such vocabularies are small; the
 * search is bounded, and what it does not find in time is not offered.
 */
import { latin1 } from '../automaton/latin1.ts'
import { LeastFirst } from '../automaton/least-first.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Walker } from './walker.ts'

/** Configurations one search may look at. */
const MAX_SEARCH = 5_000
/** Tokens of one place in the grammar that are tried. */
const MAX_NAMED = 256

function spelled(bytes: Uint8Array): string {
  return latin1(bytes, 0, bytes.length)
}

/** What was found: a text, and the fewest tokens that it was found with. */
export interface Found {
  /** One byte a unit. */
  readonly text: string
  readonly tokens: number
  /** Whether some of them are named by id: bytes alone do not tell. */
  readonly isNamed: boolean
}

/** Tokens that the grammar names in a configuration, and the one behind them. */
export interface NamedStep {
  readonly ids: readonly number[]
  readonly next: number
}

/** What the search asks of a configuration. */
export interface Steps {
  /** Whether the text may end there. */
  ends(configuration: number): boolean
  named(configuration: number): readonly NamedStep[]
}

export class TokenSearch {
  readonly #walker: Walker
  readonly #vocabulary: Vocabulary
  readonly #of: Steps
  readonly #least = new Map<number, Found | null>()

  constructor(walker: Walker, vocabulary: Vocabulary, of: Steps) {
    this.#walker = walker
    this.#vocabulary = vocabulary
    this.#of = of
  }

  /** The configuration after the bytes, 0 if they are refused. */
  after(configuration: number, bytes: Uint8Array): number {
    let at = configuration
    for (let i = 0; i < bytes.length && at !== 0; i++) at = this.#walker.next(at, bytes[i]!)
    return at
  }

  /** The shortest text of whole tokens that leads to an end, with their number; `null` if none was found. */
  least(configuration: number): Found | null {
    let least = this.#least.get(configuration)
    if (least === undefined) {
      least = this.#search(configuration)
      this.#least.set(configuration, least)
    }
    return least
  }

  /** The tokens that the grammar names in a configuration. */
  named(configuration: number): readonly NamedStep[] {
    return this.#of.named(configuration)
  }

  #search(from: number): Found | null {
    const frontier = new LeastFirst()
    const found = new Map<string, Omit<Found, 'text'>>([['', { tokens: 0, isNamed: false }]])
    const offer = (next: number, text: string, tokens: number, isNamed: boolean): void => {
      const known = found.get(text)
      if (known === undefined || known.tokens > tokens) found.set(text, { tokens, isNamed })
      frontier.offer(next, text)
    }
    frontier.offer(from, '')
    for (let looked = 0; looked < MAX_SEARCH; looked++) {
      const entry = frontier.take()
      if (entry === null) return null
      const { state, text } = entry
      const { tokens, isNamed } = found.get(text)!
      if (this.#of.ends(state)) return { text, tokens, isNamed }
      for (const { ids, next } of this.#of.named(state)) {
        for (const id of ids.slice(0, MAX_NAMED))
          offer(next, text + spelled(this.#vocabulary.spelling(id)), tokens + 1, true)
      }
      for (const [spelling, next] of this.#steps(state)) offer(next, text + spelling, tokens + 1, isNamed)
    }
    return null
  }

  /** The tokens a configuration can read, as texts of one byte a unit, and where each leads. */
  *#steps(configuration: number): Iterable<[string, number]> {
    const { byte, depth, skip, first, size, maxDepth } = this.#vocabulary.trie
    const stack = new Int32Array(maxDepth + 1)
    const path: string[] = ['']
    stack[0] = configuration
    for (let i = 1; i < size; ) {
      const d = depth[i]!
      const next = this.#walker.next(stack[d - 1]!, byte[i]!)
      if (next === 0) {
        i = skip[i]!
        continue
      }
      stack[d] = next
      path[d] = path[d - 1]! + String.fromCharCode(byte[i]!)
      if (first[i]! < first[i + 1]!) yield [path[d]!, next]
      i++
    }
  }
}
