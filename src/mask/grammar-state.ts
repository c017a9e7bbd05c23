/**
 * What one compiled grammar knows, and learns while masks are asked for: contexts, rows of automata, masks. Shared by all its
 * matchers.
 */
import { Program } from '../automaton/program.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { BudgetMasks } from './budget.ts'
import { Completions } from './completion.ts'
import { checkEndTokens } from './end-tokens.ts'
import { engineOf } from './engine.ts'
import { Growth } from './growth.ts'
import { ItemMasks } from './item-masks.ts'
import { LeanItems } from './lean-items.ts'
import type { MaskLimits } from './limits.ts'
import type { MaskBuffers } from './mask-buffers.ts'
import { Masks } from './masks.ts'
import { PieceTable } from './piece-table.ts'
import type { ThreadPlace } from './thread-set.ts'
import { type NamedStep, TokenSearch } from './token-search.ts'
import { UniqueItemsGuard } from './unique-items.ts'
import { Walker } from './walker.ts'

/** Bytes of contexts, threads, configurations and automata of keys. */
const MAX_LEARNED_BYTES = 64 << 20
/** Bytes of a thread: its fields, its slots, and where its masks are. */
const THREAD_BYTES = 56
/** Bytes of a configuration: its threads, the bytes it may read, some steps. */
const CONFIGURATION_BYTES = 200

export class GrammarState {
  readonly vocabulary: Vocabulary
  readonly program: Program
  readonly walker: Walker
  /** Only where the items of some array must differ. */
  readonly unique: UniqueItemsGuard | null
  /** The same for lean threads. */
  readonly rules: LeanItems | null
  readonly itemMasks: ItemMasks | null
  readonly masks: Masks
  readonly buffers: MaskBuffers
  readonly completions: Completions
  readonly budgets: BudgetMasks
  readonly growth: Growth
  /** Only where the vocabulary cannot spell each byte by itself. */
  readonly search: TokenSearch | null
  /** Whether the grammar names some token by id that has bytes, too: it may be read either way. */
  readonly namesContent: boolean

  readonly #maxContexts: number

  /** @throws VocabularyError for a token that ends a text and is named where the text must go on */
  constructor(
    readonly grammar: Grammar,
    vocabulary: Vocabulary,
    limits: Required<MaskLimits>,
  ) {
    const { pool, partitions, bases, buffers, groups } = engineOf(vocabulary)
    this.buffers = buffers
    this.vocabulary = vocabulary
    this.#maxContexts = limits.maxContexts
    this.program = new Program(grammar, pool, limits)
    this.completions = new Completions(this.program, new PieceTable(vocabulary, limits.maxCompletionBytes))
    this.unique = this.program.hasUniqueItems ? new UniqueItemsGuard(this.program, this.completions) : null
    this.walker = new Walker(this.program, this.unique)
    this.masks = new Masks(this.program, this.walker, { partitions, bases }, vocabulary, limits.maxMaskBytes)
    this.budgets = new BudgetMasks(
      this.program,
      this.walker,
      this.masks,
      { partitions, groups },
      this.completions,
      vocabulary,
    )
    this.growth = new Growth(this.program, this.completions, vocabulary)
    this.rules = this.unique === null ? null : new LeanItems(this.program, this.unique.room)
    this.itemMasks =
      this.rules === null
        ? null
        : new ItemMasks(this.program, this.walker, this.masks, this.rules, vocabulary.trie)
    const named = namedTokens(this.program)
    this.namesContent = named.some((ids) => ids.some((id) => vocabulary.byteLengthOf(id) >= 0))
    if (named.some((ids) => ids.some((id) => vocabulary.endTokens.includes(id))))
      checkEndTokens(grammar, vocabulary)
    this.search = vocabulary.spellsBytes
      ? null
      : new TokenSearch(this.walker, vocabulary, {
          ends: (configuration) =>
            this.walker.threadsOf(configuration).some((thread) => this.masks.of(thread).ends),
          named: (configuration) => this.#namedIn(configuration),
        })
  }

  /** The tokens that the grammar names in a configuration. */
  #namedIn(configuration: number): NamedStep[] {
    const { walker, program } = this
    const { threads } = walker
    const steps: NamedStep[] = []
    for (const thread of walker.threadsOf(configuration)) {
      const dfa = threads.dfa[thread]!
      let context = threads.context[thread]!
      if (dfa !== null) {
        const tag = dfa.tag(threads.state[thread]!)
        if (tag === 0) continue
        context = program.exit(context, tag)
      }
      for (const { ids, context: behind } of program.closure(context).tokens)
        steps.push({ ids, next: walker.single(threads.intern(null, 0, behind)) })
    }
    return steps
  }

  /** Threads as the walker knows them, without history. */
  configuration(threads: readonly ThreadPlace[]): number {
    const { walker } = this
    return walker.union(threads.map(({ dfa, state, context }) => walker.threads.intern(dfa, state, context)))
  }

  /** Whether so much was learned from texts that a new text is to begin with nothing learned. */
  get isFull(): boolean {
    const { program, walker } = this
    return (
      program.contexts.size > this.#maxContexts / 2 ||
      program.learnedBytes +
        walker.threads.size * THREAD_BYTES +
        walker.configurationCount * CONFIGURATION_BYTES >
        MAX_LEARNED_BYTES
    )
  }

  /** Whether tokens lead from the beginning to an end; only in doubt where some byte is no token of its own. */
  canBeFinished(): boolean {
    const { walker, program, search } = this
    return (
      search === null || search.least(walker.single(walker.threads.intern(null, 0, program.start))) !== null
    )
  }
}

/** The lists of tokens that a grammar names by their ids, each once. */
function namedTokens({ nodes }: Program): readonly (readonly number[])[] {
  const named = new Set<readonly number[]>()
  for (const node of nodes) if (node.kind === 'token') named.add(node.ids)
  return [...named]
}
