/**
 * Liveness and completions for a vocabulary in which some byte is no token of its own.
 *
 * Elsewhere every byte can be written whatever comes before it, so what the automaton can finish the model can finish.
 * Here a text may be finished by bytes and by no tokens: after `ap`, with `appel` the only other token. So a token is
 * allowed only if some sequence of tokens leads from there to an end, which is searched over configurations in the order
 * of the texts, shortest first. Such vocabularies are small; the search is bounded, and what it does not find in time is
 * not offered.
 */
import { LeastFirst } from '../automaton/least-first.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Walker } from './walker.ts'

/** Configurations one search may look at. */
const MAX_SEARCH = 5_000

export class TokenSearch {
  readonly #walker: Walker
  readonly #vocabulary: Vocabulary
  readonly #ends: (configuration: number) => boolean
  readonly #least = new Map<number, { text: string; tokens: number } | null>()

  /** @param ends whether the text may end in a configuration */
  constructor(walker: Walker, vocabulary: Vocabulary, ends: (configuration: number) => boolean) {
    this.#walker = walker
    this.#vocabulary = vocabulary
    this.#ends = ends
  }

  /** The configuration after the bytes, 0 if they are refused. */
  after(configuration: number, bytes: Uint8Array): number {
    let at = configuration
    for (let i = 0; i < bytes.length && at !== 0; i++) at = this.#walker.next(at, bytes[i]!)
    return at
  }

  /** The shortest text of whole tokens that leads to an end, with their number; `null` if none was found. */
  least(configuration: number): { text: string; tokens: number } | null {
    let least = this.#least.get(configuration)
    if (least === undefined) {
      least = this.#search(configuration)
      this.#least.set(configuration, least)
    }
    return least
  }

  #search(from: number): { text: string; tokens: number } | null {
    const frontier = new LeastFirst()
    const tokens = new Map<string, number>([['', 0]])
    frontier.offer(from, '')
    for (let looked = 0; looked < MAX_SEARCH; looked++) {
      const entry = frontier.take()
      if (entry === null) return null
      const { state, text } = entry
      const count = tokens.get(text)!
      if (this.#ends(state)) return { text, tokens: count }
      for (const [spelling, next] of this.#steps(state)) {
        const longer = text + spelling
        tokens.set(longer, Math.min(tokens.get(longer) ?? Number.POSITIVE_INFINITY, count + 1))
        frontier.offer(next, longer)
      }
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
