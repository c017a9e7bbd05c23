/**
 * One mask, as a shared base and what differs from it: some ids taken out, lists of ids put in.
 *
 * A state inside a string has the base of its terminal, whatever the grammar; the tokens that end the string and go on
 * are lists that other masks share, too. So a mask costs some references, and showing it costs its ids.
 *
 * PERF: every 6th schema of MaskBench dev from the 2nd, Llama 3.1, Node 20.20, other programs running, average of the masks
 * made (below 1 ms): 18.4 → 16.4 µs once lists of one grammar stay out of the base, however long (a base is 16 KB, and its
 * buffer as much). Where a name is written and its quote is left, what the quote begins is cut out of the base, not taken out of
 * each mask shown: 9 % of the masks were 424 ids taken out and put back. Rejected: the parts of a mask put together by object
 * spread, 16.4 → 20 µs.
 */
import { latin1 } from '../automaton/latin1.ts'
import { clearBits, emptyBits, hasBit } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { addPart, type Bases, isShared, type Part } from './bases.ts'
import type { Fragment } from './fragments.ts'
import { among, countOf, joined, NO_IDS, without } from './id-lists.ts'
import { LONG, type Partition, SPARSE } from './partition-parts.ts'

export interface Entry {
  /** Shared, never written. */
  readonly base: Uint32Array | null
  /** Ids beside the base; end tokens are among them. */
  readonly lists: readonly Int32Array[]
  /** Ids that the mask has not, though the base or the lists have them; but for those that are added after that. */
  readonly removed: Int32Array
  readonly added: readonly Int32Array[]
  /** Ids with one, and with more than one, step on the way that history may forbid: allowed unless it does. */
  readonly once: Int32Array
  readonly often: Int32Array
  /** Of `once`, by the keys that are whole in a token; `null` where history may forbid them otherwise. Made when asked for. */
  readonly keys: TokenKeys | null
  /** Whether the text may end here. */
  readonly ends: boolean
  /** Ids of all lists, one counted as often as it is listed. */
  readonly idCount: number
  /** Bytes that this entry alone holds. */
  readonly byteLength: number
}

/** What an entry costs beside its arrays: the object, its views, the slot. */
const ENTRY_OVERHEAD = 300
/** Lists fewer than these are not looked through for equal ones. */
const FEW_LISTS = 8
/** Ids beside the base, from which on a base of its own is cheaper to show. */
const MANY = 1_000

/** The tokens that hold some text between quotes, by that text, quotes included, one unit a byte. */
export class TokenKeys {
  readonly #vocabulary: Vocabulary
  readonly #ids: Int32Array
  #byKey: Map<string, number[]> | null = null

  constructor(vocabulary: Vocabulary, ids: Int32Array) {
    this.#vocabulary = vocabulary
    this.#ids = ids
  }

  of(key: string): readonly number[] {
    if (this.#ids.length === 0) return NONE
    this.#byKey ??= this.#make()
    return this.#byKey.get(key) ?? NONE
  }

  #make(): Map<string, number[]> {
    const byKey = new Map<string, number[]>()
    for (const id of this.#ids) {
      const bytes = this.#vocabulary.bytes(id)!
      const quotes: number[] = []
      for (let i = 0; i < bytes.length; i++) if (bytes[i] === QUOTE) quotes.push(i)
      // Between any two quotes: one that is escaped ends nothing.
      quotes.forEach((from, i) => {
        for (const to of quotes.slice(i + 1)) {
          const key = latin1(bytes, from, to + 1)
          const ids = byKey.get(key)
          if (ids === undefined) byKey.set(key, [id])
          else ids.push(id)
        }
      })
    }
    return byKey
  }
}

const QUOTE = 0x22
const NONE: readonly number[] = []

/** What a mask has without regard to history. */
interface Core {
  base: Uint32Array | null
  lists: Int32Array[]
  removed: Int32Array
  added: readonly Int32Array[]
  /** Bytes of the base, where it was made for this mask. */
  own: number
}

/** Collects one mask. */
export class EntryBuilder {
  readonly #vocabulary: Vocabulary
  readonly #bases: Bases
  readonly #endTokens: Int32Array
  /** Shared masks; or one of our own, once the shared ones do not do. */
  #shared: Uint32Array[] = []
  #own: Uint32Array | null = null
  /** What was listed before ids were removed. */
  #before: Int32Array[] = []
  #removed: Int32Array[] = []
  #lists: Int32Array[] = []
  #once: Int32Array[] = []
  #often: Int32Array[] = []
  #byKeys = true
  #ends = false
  /** Those of no tokens. */
  #noKeys: TokenKeys | null = null

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

  /**
   * @param keys 1 where a free key that was begun before ended: the matcher compares that one itself, so `lists` stay as they are
   */
  addFragment({ lists, once, often, byKeys }: Fragment, keys: number): void {
    if (!byKeys) this.#byKeys = false
    for (let i = 0; i < lists.length; i++) this.#lists.push(lists[i]!)
    for (let i = 0; i < once.length; i++) (keys > 0 ? this.#often : this.#once).push(once[i]!)
    for (let i = 0; i < often.length; i++) this.#often.push(often[i]!)
  }

  addEnd(): void {
    if (!this.#ends) this.addIds(this.#endTokens)
    this.#ends = true
  }

  /** Adds a whole mask. */
  add({ base, lists, removed, added, once, often, keys, ends }: Entry): void {
    if (keys === null) this.#byKeys = false
    if (removed.length > 0) {
      const bits = this.#bits()
      const lacking = without(removed, (id) => hasBit(bits, id))
      if (base !== null) addPart(base, bits)
      for (const ids of lists) addPart(ids, bits)
      clearBits(bits, lacking)
    } else {
      if (base !== null) this.#addBase(base)
      for (let i = 0; i < lists.length; i++) this.#lists.push(lists[i]!)
    }
    for (let i = 0; i < added.length; i++) this.#lists.push(added[i]!)
    if (once.length > 0) this.#once.push(once)
    if (often.length > 0) this.#often.push(often)
    if (ends) this.#ends = true
  }

  #addBase(bits: Uint32Array): void {
    if (this.#removed.length > 0) this.#bits()
    if (this.#own !== null) addPart(bits, this.#own)
    else if (!this.#shared.includes(bits)) this.#shared.push(bits)
  }

  /** A mask of our own in place of the shared ones and of all lists. */
  #bits(): Uint32Array {
    const bits = this.#own ?? emptyBits(this.#vocabulary.size)
    for (const shared of this.#shared) addPart(shared, bits)
    for (const ids of this.#before) addPart(ids, bits)
    for (const ids of this.#removed) clearBits(bits, ids)
    for (const ids of this.#lists) addPart(ids, bits)
    this.#own = bits
    this.#shared = []
    this.#before = []
    this.#removed = []
    this.#lists = []
    return bits
  }

  /** Takes ids out of all that was added so far. */
  remove(lists: readonly Int32Array[]): void {
    if (lists.length === 0) return
    if (this.#once.length + this.#often.length > 0) {
      const isGone = among(lists)
      this.#once = leftOf(this.#once, isGone)
      this.#often = leftOf(this.#often, isGone)
    }
    if (this.#own !== null || this.#removed.length > 0) {
      const bits = this.#bits()
      for (const ids of lists) clearBits(bits, ids)
    } else if (this.#shared.length + this.#lists.length > 0) {
      this.#before = this.#lists
      this.#removed = [...lists]
      this.#lists = []
    }
  }

  /** The mask; the builder is empty again. */
  finish(): Entry {
    if (countOf(this.#lists) > SPARSE && (this.#own !== null || this.#removed.length > 0)) this.#bits()
    const isWhole = this.#removed.length === 0
    const { base, lists, own } = this.#united(unique(isWhole ? this.#lists : this.#before))
    const once = joined(this.#once)
    const often = joined(this.#often)
    const core = { base, lists, removed: NO_IDS, added: NO_LISTS, own }
    if (!isWhole) this.#cut(core)
    const entry = {
      base: core.base,
      lists: core.lists,
      removed: core.removed,
      added: core.added,
      once,
      often,
      keys: this.#byKeys ? this.#keysOf(once) : null,
      ends: this.#ends,
      idCount: countOf(core.lists) + core.removed.length + countOf(core.added) + once.length + often.length,
      byteLength:
        ENTRY_OVERHEAD +
        core.own +
        8 * (core.lists.length + core.added.length) +
        once.byteLength +
        often.byteLength,
    }
    if (this.#shared.length > 0) this.#shared = []
    this.#own = null
    if (!isWhole) this.#before = []
    if (!isWhole) this.#removed = []
    this.#lists = []
    if (this.#once.length > 0) this.#once = []
    if (this.#often.length > 0) this.#often = []
    this.#byKeys = true
    this.#ends = false
    return entry
  }

  #keysOf(once: Int32Array): TokenKeys {
    if (once.length > 0) return new TokenKeys(this.#vocabulary, once)
    this.#noKeys ??= new TokenKeys(this.#vocabulary, once)
    return this.#noKeys
  }

  /** Takes out what is to be removed: the long lists out of the base, which others have, too. */
  #cut(core: Core): void {
    const few: Int32Array[] = []
    for (const ids of this.#removed) {
      if (ids.length < LONG || core.base === null) {
        few.push(ids)
        continue
      }
      const { bits, isNew } = this.#bases.without(core.base, ids)
      if (isNew) core.own += bits.byteLength
      core.base = bits
      const { bits: gone } = this.#bases.union([ids])
      core.lists = leftOf(core.lists, (id) => hasBit(gone, id))
    }
    core.removed = joined(few)
    core.added = unique(this.#lists)
  }

  /** The masks and the long ones of the lists as one base, and the other lists. */
  #united(lists: Int32Array[]): { base: Uint32Array | null; lists: Int32Array[]; own: number } {
    if (this.#own !== null) return { base: this.#own, lists, own: this.#own.byteLength }
    const parts: Part[] = this.#shared
    let short = lists
    if (lists.some(isCommon)) {
      short = lists.filter((ids) => !isCommon(ids))
      parts.push(...lists.filter(isCommon))
    }
    if (countOf(short) > MANY) {
      parts.push(...short)
      short = []
    }
    const first = parts[0]
    if (first === undefined) return { base: null, lists: short, own: 0 }
    if (parts.length === 1 && first instanceof Uint32Array) return { base: first, lists: short, own: 0 }
    const { bits, isNew } = this.#bases.union(parts)
    // Whoever has it made pays for it.
    return { base: bits, lists: short, own: isNew ? bits.byteLength : 0 }
  }
}

const NO_LISTS: readonly Int32Array[] = []

/** Whether a base with the list in it is one that other masks may have, too. */
function isCommon(ids: Int32Array): boolean {
  return ids.length >= LONG && isShared(ids)
}

function leftOf(lists: Int32Array[], isGone: (id: number) => boolean): Int32Array[] {
  return lists.map((ids) => without(ids, isGone)).filter((ids) => ids.length > 0)
}

/** A list that is kept, without the room to grow. */
function unique(lists: Int32Array[]): Int32Array[] {
  return lists.length > FEW_LISTS ? [...new Set(lists)] : lists.slice()
}
