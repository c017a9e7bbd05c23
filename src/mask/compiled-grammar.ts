/**
 * A grammar compiled for a vocabulary. Immutable as far as a caller can see; what it learns about itself while masks are
 * asked for (contexts, rows of automata, masks) is shared by all its matchers and bounded.
 */
import { Program } from '../automaton/program.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { Completions } from './completion.ts'
import { engineOf } from './engine.ts'
import { Masks } from './masks.ts'
import { Matcher } from './matcher.ts'
import { TokenSearch } from './token-search.ts'
import { Walker } from './walker.ts'

export interface MaskLimits {
  /** Contexts of one grammar; default 4,000,000. */
  readonly maxContexts?: number
  /** Steps between two tokens of the text; default 100,000. */
  readonly maxClosureSteps?: number
  /** Bytes of memoised masks of one grammar; default 32 MiB. */
  readonly maxMaskBytes?: number
  /** Bytes of the shortest text of the grammar, or of a completion; default 16 MiB. */
  readonly maxCompletionBytes?: number
}

const MIB = 1 << 20

export class CompiledGrammar {
  readonly vocabulary: Vocabulary
  /** @internal */ readonly program: Program
  /** @internal */ readonly walker: Walker
  /** @internal */ readonly masks: Masks
  /** @internal */ readonly completions: Completions
  /** @internal Only where the vocabulary cannot spell each byte by itself. */
  readonly search: TokenSearch | null

  /** @throws VocabularyError where the vocabulary cannot spell any text of the grammar */
  constructor(grammar: Grammar, vocabulary: Vocabulary, limits: MaskLimits = {}) {
    const { pool, partitions } = engineOf(vocabulary)
    this.vocabulary = vocabulary
    this.program = new Program(grammar, pool, {
      maxContexts: limits.maxContexts ?? 4_000_000,
      maxClosureSteps: limits.maxClosureSteps ?? 100_000,
    })
    this.walker = new Walker(this.program)
    this.masks = new Masks(this.program, this.walker, partitions, vocabulary, limits.maxMaskBytes ?? 32 * MIB)
    this.completions = new Completions(this.program, vocabulary, limits.maxCompletionBytes ?? 16 * MIB)
    const ends = (configuration: number): boolean =>
      this.walker.threadsOf(configuration).some((thread) => this.masks.of(thread).ends)
    this.search = vocabulary.spellsBytes ? null : new TokenSearch(this.walker, vocabulary, ends)
  }

  /** @internal Whether tokens lead from the beginning to an end; only in doubt where some byte is no token of its own. */
  canBeFinished(): boolean {
    const { walker, program, search } = this
    return (
      search === null || search.least(walker.single(walker.threads.intern(null, 0, program.start))) !== null
    )
  }

  /** A matcher at the beginning of a text. Any number may be at work at once. */
  matcher(): Matcher {
    return new Matcher(this)
  }

  /** Sizes of what was built so far. */
  get sizes(): { contexts: number; threads: number; nodes: number; maskBytes: number } {
    return {
      contexts: this.program.contexts.size - 2,
      threads: this.walker.threads.size - 1,
      nodes: this.program.nodes.length,
      maskBytes: this.masks.byteLength,
    }
  }
}
