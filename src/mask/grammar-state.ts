/**
 * What one compiled grammar knows, and learns while masks are asked for: contexts, rows of automata, masks. Shared by all its
 * matchers.
 */
import { Program } from '../automaton/program.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { Completions } from './completion.ts'
import { engineOf } from './engine.ts'
import { Masks } from './masks.ts'
import { TokenSearch } from './token-search.ts'
import { Walker } from './walker.ts'

export interface MaskLimits {
  /** Contexts of one grammar; default 4,000,000. */
  readonly maxContexts?: number
  /** Steps between two tokens of the text; default 100,000. */
  readonly maxClosureSteps?: number
  /** Bytes of memoised masks of one grammar; default 32 MiB. */
  readonly maxMaskBytes?: number
  /** Bytes of the shortest text of the grammar, or of a completion; default 1 MiB. */
  readonly maxCompletionBytes?: number
}

const MIB = 1 << 20
export const MAX_COMPLETION_BYTES = MIB

export class GrammarState {
  readonly vocabulary: Vocabulary
  readonly program: Program
  readonly walker: Walker
  readonly masks: Masks
  readonly completions: Completions
  /** Only where the vocabulary cannot spell each byte by itself. */
  readonly search: TokenSearch | null

  constructor(grammar: Grammar, vocabulary: Vocabulary, limits: MaskLimits) {
    const { pool, partitions } = engineOf(vocabulary)
    this.vocabulary = vocabulary
    this.program = new Program(grammar, pool, {
      maxContexts: limits.maxContexts ?? 4_000_000,
      maxClosureSteps: limits.maxClosureSteps ?? 100_000,
    })
    this.walker = new Walker(this.program)
    this.masks = new Masks(this.program, this.walker, partitions, vocabulary, limits.maxMaskBytes ?? 32 * MIB)
    this.completions = new Completions(
      this.program,
      vocabulary,
      limits.maxCompletionBytes ?? MAX_COMPLETION_BYTES,
    )
    const ends = (configuration: number): boolean =>
      this.walker.threadsOf(configuration).some((thread) => this.masks.of(thread).ends)
    this.search = vocabulary.spellsBytes ? null : new TokenSearch(this.walker, vocabulary, ends)
  }

  /** Whether tokens lead from the beginning to an end; only in doubt where some byte is no token of its own. */
  canBeFinished(): boolean {
    const { walker, program, search } = this
    return (
      search === null || search.least(walker.single(walker.threads.intern(null, 0, program.start))) !== null
    )
  }
}
