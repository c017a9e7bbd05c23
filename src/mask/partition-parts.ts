/** What a partition is, and how it is put together: masks or lists. */
import { emptyBits, setBits } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { NO_IDS } from './id-lists.ts'
import type { Rest } from './rest.ts'

/** Tokens that go on, behind the terminal, in the context of exit `tag`. */
export interface Exit {
  readonly tag: number
  readonly rest: Rest
}

export interface Partition {
  /** The base: a mask that others may share, and ids beside it. Of a rest there are ids only. */
  readonly dense: Uint32Array | null
  readonly ids: Int32Array
  /** Of a rest read as a key: further ids, with which a key that is not declared is whole. */
  readonly whole: Int32Array
  readonly exits: readonly Exit[]
  /**
   * Applied after all that: some ids are taken out again, then `ids` and `exits` added. It is how declared names are cut
   * out of the language of free keys.
   */
  readonly amendment: Amendment | null
}

export interface Amendment {
  /** The long ones are shared, so that masks without them are, too. */
  readonly removed: readonly Int32Array[]
  readonly ids: Int32Array
  /** Further ids, with which a key is whole that is not declared in each way to read it. */
  readonly whole: Int32Array
  readonly exits: readonly Exit[]
}

/** Ids up to this many stay a list; more become a mask. */
export const SPARSE = 400

/** Lists from this length on that all grammars share become part of the base. */
export const LONG = 32

export const NO_EXITS: readonly Exit[] = []

/** A partition of a shared mask (or none) and ids beside it, which are copied. */
export function finishPartition(
  vocabulary: Vocabulary,
  shared: Uint32Array | null,
  ids: Int32Array,
  exits: readonly Exit[],
): Partition {
  if (ids.length <= SPARSE) {
    const own = ids.length === 0 ? NO_IDS : ids.slice()
    return { dense: shared, ids: own, whole: NO_IDS, exits, amendment: null }
  }
  const dense = shared === null ? emptyBits(vocabulary.size) : shared.slice()
  setBits(dense, ids)
  return { dense, ids: NO_IDS, whole: NO_IDS, exits, amendment: null }
}
