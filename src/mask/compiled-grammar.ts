/**
 * A grammar compiled for a vocabulary. Immutable as far as a caller can see; what it learns is bounded: once texts have made
 * 64 MiB of positions, or half as many as `maxContexts` allows, the next text begins anew, and what was learned goes with
 * the matchers that are at work.
 */
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { GrammarState } from './grammar-state.ts'
import { Matcher, type MatcherOptions } from './matcher.ts'

export class CompiledGrammar {
  #state: GrammarState
  readonly #renew: () => GrammarState

  /**
   * Made by `compile` and `compileGrammar`.
   * @param renew the same with nothing learned
   */
  constructor(state: GrammarState, renew: () => GrammarState) {
    this.#state = state
    this.#renew = renew
  }

  get vocabulary(): Vocabulary {
    return this.#state.vocabulary
  }

  /**
   * A matcher at the beginning of a text. Any number may be at work at once.
   *
   * `maxRollback`: tokens that can be taken back, default 4,096; what is further back is forgotten.
   */
  matcher(options: MatcherOptions = {}): Matcher {
    return new Matcher(this.#latest(), options, () => this.#latest())
  }

  /** The state in which the next text is to begin. */
  #latest(): GrammarState {
    // Contexts are numbers that live matchers hold: they are not given back one by one, but left to those matchers.
    if (this.#state.isFull) this.#state = this.#renew()
    return this.#state
  }

  /** Sizes of what was built so far. */
  get sizes(): {
    contexts: number
    threads: number
    configurations: number
    nodes: number
    maskBytes: number
  } {
    const { program, walker, masks } = this.#state
    return {
      contexts: program.contexts.size - 2,
      threads: walker.threads.size - 1,
      configurations: walker.configurationCount,
      nodes: program.nodes.length,
      maskBytes: masks.byteLength,
    }
  }
}
