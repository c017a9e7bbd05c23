/** What a partition is, and how it is put together: masks or lists. */
import { emptyBits, setBit } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
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
  readonly removed: Int32Array
  readonly ids: Int32Array
  /** Further ids, with which a key is whole that is not declared in each way to read it. */
  readonly whole: Int32Array
  readonly exits: readonly Exit[]
}

/** Ids up to this many stay a list; more become a mask. */
export const SPARSE = 400

export const NO_IDS = new Int32Array(0)
export const NO_EXITS: readonly Exit[] = []

/** The ids as a mask, added to `base` if there is one. */
function bitsOf(vocabulary: Vocabulary, ids: ArrayLike<number>, base?: Uint32Array): Uint32Array {
  const bits = base === undefined ? emptyBits(vocabulary.size) : base.slice()
  for (let i = 0; i < ids.length; i++) setBit(bits, ids[i]!)
  return bits
}

/** A partition of a shared mask (or none) and ids beside it. */
export function finishPartition(
  vocabulary: Vocabulary,
  shared: Uint32Array | null,
  ids: readonly number[],
  exits: readonly Exit[],
): Partition {
  if (ids.length <= SPARSE) return { dense: shared, ids: listOf(ids), whole: NO_IDS, exits, amendment: null }
  const dense = bitsOf(vocabulary, ids, shared ?? undefined)
  return { dense, ids: NO_IDS, whole: NO_IDS, exits, amendment: null }
}

export function listOf(ids: readonly number[]): Int32Array {
  return ids.length === 0 ? NO_IDS : Int32Array.from(ids)
}
