/**
 * One mask, as a shared base and what differs from it: some ids taken out, lists of ids put in.
 *
 * A state inside a string has the base of its terminal, whatever the grammar; the tokens that end the string and go on
 * are lists that other masks share, too. So a mask costs some references, and showing it costs its ids.
 */
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { addPart, type Bases, hasId, type Part, removeIds } from './bases.ts'
import type { Fragment } from './fragments.ts'
import { NO_IDS, type Partition, SPARSE } from './partition-parts.ts'

export interface Entry {
  /** Shared, never written. */
  readonly base: Uint32Array | null
  /** Ids that the base has and the mask has not, unless `lists` say otherwise. */
  readonly removed: Int32Array
  /** Ids that are allowed whatever the history, beside the base; end tokens included. */
  readonly lists: readonly Int32Array[]
  /** Ids with one, and with more than one, step on the way that history may forbid: allowed unless it does. */
  readonly once: Int32Array
  readonly often: Int32Array
  /** Whether the text may end here. */
  readonly ends: boolean
  /** Ids of the lists, `once` and `often`, one counted as often as it is listed. */
  readonly idCount: number
  /** Bytes that this entry alone holds. */
  readonly byteLength: number
}

/** What an entry costs beside its arrays: the object, its views, the slot. */
const ENTRY_OVERHEAD = 300
/** Lists fewer than these are not looked through for equal ones. */
const FEW_LISTS = 8
/** Lists from this length on become part of the base. */
const LONG = 32

/** Collects one mask. */
export class EntryBuilder {
  readonly #vocabulary: Vocabulary
  readonly #bases: Bases
  readonly #endTokens: Int32Array
  /** Shared masks; or one of our own, once the shared ones do not do. */
  #shared: Uint32Array[] = []
  #own: Uint32Array | null = null
  /** Ids to be taken out of the only shared mask. */
  #removed: Int32Array = NO_IDS
  #lists: Int32Array[] = []
  #once: Int32Array[] = []
  #often: Int32Array[] = []
  #ends = false

  constructor(vocabulary: Vocabulary, bases: Bases) {
    this.#vocabulary = vocabulary
    this.#bases = bases
    this.#endTokens = Int32Array.from(vocabulary.endTokens)
  }

  addPartition({ dense, ids, whole }: Partition): void {
    if (dense !== null) this.#addBase(dense)
    this.addIds(ids)
    // Whoever began the key looks after it.
    this.addIds(whole)
  }

  addIds(ids: Int32Array): void {
    if (ids.length > 0) this.#lists.push(ids)
  }

  /** @param keys free keys that ended before */
  addFragment({ lists, once, often }: Fragment, keys: number): void {
    for (let i = 0; i < lists.length; i++) this.#lists.push(lists[i]!)
    for (let i = 0; i < once.length; i++) (keys > 0 ? this.#often : this.#once).push(once[i]!)
    for (let i = 0; i < often.length; i++) this.#often.push(often[i]!)
  }

  addEnd(): void {
    if (!this.#ends) this.addIds(this.#endTokens)
    this.#ends = true
  }

  /** Adds a whole mask. */
  add({ base, removed, lists, once, often, ends }: Entry): void {
    if (removed.length > 0) {
      const bits = this.#bits()
      const lacking = removed.filter((id) => !hasId(bits, id))
      addPart(base!, bits)
      removeIds(lacking, bits)
    } else if (base !== null) {
      if (this.#removed.length > 0) this.#bits()
      this.#addBase(base)
    }
    for (let i = 0; i < lists.length; i++) this.#lists.push(lists[i]!)
    if (once.length > 0) this.#once.push(once)
    if (often.length > 0) this.#often.push(often)
    if (ends) this.#ends = true
  }

  #addBase(bits: Uint32Array): void {
    if (this.#own !== null) addPart(bits, this.#own)
    else if (!this.#shared.includes(bits)) this.#shared.push(bits)
  }

  /** A mask of our own in place of the shared ones. */
  #bits(): Uint32Array {
    if (this.#own === null) {
      this.#own = new Uint32Array((this.#vocabulary.size + 31) >>> 5)
      for (const bits of this.#shared) addPart(bits, this.#own)
      removeIds(this.#removed, this.#own)
      this.#shared = []
      this.#removed = NO_IDS
    }
    return this.#own
  }

  /** Takes ids out of all that was added so far, once. */
  remove(ids: Int32Array): void {
    if (ids.length === 0) return
    const gone = new Set(ids)
    this.#lists = without(this.#lists, gone)
    this.#once = without(this.#once, gone)
    this.#often = without(this.#often, gone)
    if (this.#own !== null || this.#shared.length > 1) removeIds(ids, this.#bits())
    else if (this.#shared.length === 1) this.#removed = ids
  }

  /** The mask; the builder is empty again. */
  finish(): Entry {
    const lists = this.#lists.length > FEW_LISTS ? [...new Set(this.#lists)] : this.#lists
    const { base, ids, own } =
      this.#own === null && this.#removed.length === 0 ? this.#united(lists) : this.#amended(lists)
    const once = joined(this.#once)
    const often = joined(this.#often)
    const entry = {
      base,
      removed: this.#removed,
      lists: ids,
      once,
      often,
      ends: this.#ends,
      idCount: countOf(ids) + once.length + often.length,
      byteLength: ENTRY_OVERHEAD + own + 8 * ids.length + once.byteLength + often.byteLength,
    }
    this.#shared = []
    this.#own = null
    this.#removed = NO_IDS
    this.#lists = []
    this.#once = []
    this.#often = []
    this.#ends = false
    return entry
  }

  /** The shared masks and the long lists as one base. */
  #united(lists: Int32Array[]): { base: Uint32Array | null; ids: Int32Array[]; own: number } {
    const isShort = (ids: Int32Array): boolean => ids.length < LONG
    let ids = lists.every(isShort) ? lists : lists.filter(isShort)
    if (countOf(ids) > SPARSE) ids = []
    const parts: Part[] = this.#shared
    if (ids.length < lists.length)
      parts.push(...(ids.length === 0 ? lists : lists.filter((list) => !isShort(list))))
    const first = parts[0]
    if (first === undefined) return { base: null, ids, own: 0 }
    if (parts.length === 1 && first instanceof Uint32Array) return { base: first, ids, own: 0 }
    const { bits, isNew } = this.#bases.union(parts)
    // Whoever has it made pays for it.
    return { base: bits, ids, own: isNew ? bits.byteLength : 0 }
  }

  /** The same where ids were taken out. */
  #amended(lists: Int32Array[]): { base: Uint32Array | null; ids: Int32Array[]; own: number } {
    if (countOf(lists) <= SPARSE)
      return { base: this.#own ?? this.#shared[0]!, ids: lists, own: this.#own?.byteLength ?? 0 }
    const bits = this.#bits()
    for (const ids of lists) addPart(ids, bits)
    return { base: bits, ids: [], own: bits.byteLength }
  }
}

function countOf(lists: readonly Int32Array[]): number {
  let count = 0
  for (let i = 0; i < lists.length; i++) count += lists[i]!.length
  return count
}

function without(lists: readonly Int32Array[], gone: ReadonlySet<number>): Int32Array[] {
  return lists
    .map((ids) => (ids.some((id) => gone.has(id)) ? ids.filter((id) => !gone.has(id)) : ids))
    .filter((ids) => ids.length > 0)
}

function joined(lists: readonly Int32Array[]): Int32Array {
  if (lists.length <= 1) return lists[0] ?? NO_IDS
  const all = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const ids of lists) {
    all.set(ids, at)
    at += ids.length
  }
  return all
}
