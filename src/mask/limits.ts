/** Budgets of the engine, beside those of the schema's algebra. */

export interface MaskLimits {
  /** Contexts of one grammar, positions that differ in what follows; default 2,000,000, 66 MB. */
  readonly maxContexts?: number
  /** Steps between two tokens of the text; default 100,000. */
  readonly maxClosureSteps?: number
  /**
   * Ways to read one text that are followed at once; default 20,000. Those that differ in nothing but what follows are one.
   * Beyond it whatever reads on throws: a mask, an accepted token, a question for what is open.
   */
  readonly maxThreads?: number
  /** Bytes of memoised masks of one grammar and of what they are made of; when full, they are made again. Default 32 MiB. */
  readonly maxMaskBytes?: number
  /** Bytes of the shortest text of any value of the grammar; default 1 MiB. */
  readonly maxCompletionBytes?: number
  /**
   * States of the automaton of one pattern, made as texts reach them; default 100,000. From 50,000 on grammars over one
   * vocabulary share the automata of equal patterns, which together have room for twice as many.
   */
  readonly maxStates?: number
}

const MIB = 1 << 20
const DEFAULTS: Required<MaskLimits> = {
  maxContexts: 2_000_000,
  maxClosureSteps: 100_000,
  maxThreads: 20_000,
  maxMaskBytes: 32 * MIB,
  maxCompletionBytes: MIB,
  maxStates: 100_000,
}

export const MASK_LIMITS: readonly string[] = Object.keys(DEFAULTS)

/** @throws RangeError for a limit that is no positive integer */
export function resolveMaskLimits(limits: MaskLimits): Required<MaskLimits> {
  const resolved = { ...DEFAULTS }
  for (const name of Object.keys(DEFAULTS) as (keyof MaskLimits)[]) {
    const limit = limits[name] ?? DEFAULTS[name]
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new RangeError(`limits.${name} is a positive integer, not ${limit}`)
    resolved[name] = limit
  }
  return resolved
}
