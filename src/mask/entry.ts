/**
 * One mask, as a shared base and what differs from it: some ids taken out, lists of ids put in.
 *
 * A state inside a string has the base of its terminal, whatever the grammar; the tokens that end the string and go on
 * are lists that other masks share, too. So a mask costs some references, and showing it costs its ids.
 */
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Fragment } from './fragments.ts'
import { NO_IDS, type Partition, SPARSE } from './partition-parts.ts'

export interface Entry {
  /** Shared, never written. */
  readonly base: Uint32Array | null
  /** Ids that the base has and the mask has not, unless `lists` say otherwise. */
  readonly removed: Int32Array
  /** Ids that are allowed whatever the history, end tokens included. */
  readonly lists: readonly Int32Array[]
  /** Ids with one, and with more than one, step on the way that history may forbid: allowed unless it does. */
  readonly once: Int32Array
  readonly often: Int32Array
  /** Whether the text may end here. */
  readonly ends: boolean
  /** All ids of the lists, one counted as often as it is listed. */
  readonly idCount: number
  /** Bytes that this entry alone holds. */
  readonly byteLength: number
}

/** What an entry costs beside its arrays: the object, its views, the slot. */
const ENTRY_OVERHEAD = 300
/** Lists fewer than these are not looked through for equal ones. */
const FEW_LISTS = 8

/** Collects one mask: a base while there is a single one, own bits as soon as there are two. */
export class EntryBuilder {
  readonly #vocabulary: Vocabulary
  readonly #endTokens: Int32Array
  #base: Uint32Array | null = null
  /** Whether the base is ours to write. */
  #isOwn = false
  #removed: Int32Array = NO_IDS
  #lists: Int32Array[] = []
  #once: Int32Array[] = []
  #often: Int32Array[] = []
  #ends = false

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
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
  add(entry: Entry): void {
    if (entry.removed.length > 0 || this.#removed.length > 0) this.#settle()
    if (entry.removed.length > 0) {
      const bits = this.#bits()
      const { base, removed } = entry
      const lacking = removed.filter((id) => ((bits[id >>> 5]! >>> (id & 31)) & 1) === 0)
      for (let i = 0; i < bits.length; i++) bits[i]! |= base![i]!
      this.#clear(lacking)
    } else if (entry.base !== null) {
      this.#addBase(entry.base)
    }
    for (const list of entry.lists) this.#lists.push(list)
    if (entry.once.length > 0) this.#once.push(entry.once)
    if (entry.often.length > 0) this.#often.push(entry.often)
    if (entry.ends) this.#ends = true
  }

  #addBase(bits: Uint32Array): void {
    if (this.#base === bits) return
    if (this.#base === null) {
      this.#base = bits
      return
    }
    const own = this.#bits()
    for (let i = 0; i < own.length; i++) own[i]! |= bits[i]!
  }

  /** A base of our own. */
  #bits(): Uint32Array {
    if (!this.#isOwn) {
      this.#base =
        this.#base === null ? new Uint32Array((this.#vocabulary.size + 31) >>> 5) : this.#base.slice()
      this.#isOwn = true
    }
    return this.#base!
  }

  /** Takes ids out of all that was added so far. */
  remove(ids: Int32Array): void {
    if (ids.length === 0) return
    const gone = new Set(ids)
    this.#lists = without(this.#lists, gone)
    this.#once = without(this.#once, gone)
    this.#often = without(this.#often, gone)
    if (this.#base !== null) {
      this.#settle()
      if (this.#isOwn) this.#clear(ids)
      else this.#removed = ids
    }
  }

  #clear(ids: Int32Array): void {
    const bits = this.#bits()
    for (let i = 0; i < ids.length; i++) bits[ids[i]! >>> 5]! &= ~(1 << (ids[i]! & 31))
  }

  /** Writes what is to be removed into a base of our own. */
  #settle(): void {
    if (this.#removed.length === 0) return
    this.#clear(this.#removed)
    this.#removed = NO_IDS
  }

  /** The mask; the builder is empty again. */
  finish(): Entry {
    const unique = this.#lists.length > FEW_LISTS ? [...new Set(this.#lists)] : this.#lists
    let idCount = 0
    for (let i = 0; i < unique.length; i++) idCount += unique[i]!.length
    let lists: readonly Int32Array[] = unique
    if (idCount > SPARSE) {
      this.#settle()
      const bits = this.#bits()
      for (const ids of unique) {
        for (let i = 0; i < ids.length; i++) bits[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
      }
      lists = []
      idCount = 0
    }
    const once = joined(this.#once)
    const often = joined(this.#often)
    const own = this.#isOwn ? this.#base!.byteLength : 0
    const entry = {
      base: this.#base,
      removed: this.#removed,
      lists,
      once,
      often,
      ends: this.#ends,
      idCount,
      byteLength: ENTRY_OVERHEAD + own + 8 * lists.length + once.byteLength + often.byteLength,
    }
    this.#base = null
    this.#isOwn = false
    this.#removed = NO_IDS
    this.#lists = []
    this.#once = []
    this.#often = []
    this.#ends = false
    return entry
  }
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
