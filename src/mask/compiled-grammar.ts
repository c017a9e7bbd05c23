/** A grammar compiled for a vocabulary. Immutable as far as a caller can see; what it learns is bounded. */
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { GrammarState } from './grammar-state.ts'
import { Matcher, type MatcherOptions } from './matcher.ts'

export class CompiledGrammar {
  readonly #state: GrammarState

  /** Made by `compile` and `compileGrammar`. */
  constructor(state: GrammarState) {
    this.#state = state
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
    return new Matcher(this.#state, options)
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
