/**
 * Bounds of what all grammars over one vocabulary share. Where one is reached, what it bounds is forgotten and made again
 * when asked for; `docs/architecture.md` lists them beside those of a grammar (`limits.ts`).
 */
export interface EngineBounds {
  /** Bytes of partitions of shared automata. */
  readonly partitions: number
  /** Bytes of unions of masks. */
  readonly unions: number
  /** Bytes of the words in which masks are shown, beside those that matchers look at. */
  readonly buffers: number
  /** Bytes of what is known of declared names along tokens. */
  readonly names: number
  /** Bytes of merged rests. */
  readonly rests: number
  /** Automata of punctuation, of strings and numbers without a pattern. */
  readonly automata: number
}

const MIB = 1 << 20

/**
 * PERF: partitions up to 32 MiB, `npm run bench -- memory` without its encoding, all 6,266 schemas, Node 20.20.2: resident
 * growth 213 MB at the end and CPU time 40.3 s; with 64 MiB 250 MB and 40.8 s. What the allocator of the C library once had
 * it keeps, so what counts is the most that was held.
 */
export const BOUNDS: EngineBounds = {
  partitions: 32 * MIB,
  unions: 16 * MIB,
  buffers: 4 * MIB,
  names: 16 * MIB,
  rests: 32 * MIB,
  automata: 1_024,
}
