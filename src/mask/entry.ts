/**
 * One mask, as a shared base and what differs from it: some ids taken out, lists of ids put in.
 *
 * A state inside a string has the base of its terminal, whatever the grammar; the tokens that end the string and go on
 * are lists that other masks share, too. So a mask costs some references, and showing it costs its ids.
 */
import { latin1 } from '../automaton/latin1.ts'
import { clearBits, emptyBits, hasBit } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { addPart, type Bases, type Part } from './bases.ts'
import type { Fragment } from './fragments.ts'
import { NO_IDS, type Partition, SPARSE } from './partition-parts.ts'

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
/** Lists from this length on become part of the base. */
const LONG = 32

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
  #removed: Int32Array = NO_IDS
  #lists: Int32Array[] = []
  #once: Int32Array[] = []
  #often: Int32Array[] = []
  #byKeys = true
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
      const lacking = removed.filter((id) => !hasBit(bits, id))
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
    clearBits(bits, this.#removed)
    for (const ids of this.#lists) addPart(ids, bits)
    this.#own = bits
    this.#shared = []
    this.#before = []
    this.#removed = NO_IDS
    this.#lists = []
    return bits
  }

  /** Takes ids out of all that was added so far. */
  remove(ids: Int32Array): void {
    if (ids.length === 0) return
    if (this.#once.length + this.#often.length > 0) {
      const gone = new Set(ids)
      this.#once = without(this.#once, gone)
      this.#often = without(this.#often, gone)
    }
    if (this.#own !== null || this.#removed.length > 0) clearBits(this.#bits(), ids)
    else if (this.#shared.length + this.#lists.length > 0) {
      this.#before = this.#lists
      this.#removed = ids
      this.#lists = []
    }
  }

  /** The mask; the builder is empty again. */
  finish(): Entry {
    if (countOf(this.#lists) > SPARSE && (this.#own !== null || this.#removed.length > 0)) this.#bits()
    // Where nothing is removed, all lists may be made part of the base.
    const isWhole = this.#removed.length === 0
    const { base, lists, own } = this.#united(unique(isWhole ? this.#lists : this.#before))
    const added = isWhole ? NO_LISTS : unique(this.#lists)
    const once = joined(this.#once)
    const often = joined(this.#often)
    const entry = {
      base,
      lists,
      removed: this.#removed,
      added,
      once,
      often,
      keys: this.#byKeys ? new TokenKeys(this.#vocabulary, once) : null,
      ends: this.#ends,
      idCount: countOf(lists) + this.#removed.length + countOf(added) + once.length + often.length,
      byteLength:
        ENTRY_OVERHEAD + own + 8 * (lists.length + added.length) + once.byteLength + often.byteLength,
    }
    this.#shared = []
    this.#own = null
    this.#before = []
    this.#removed = NO_IDS
    this.#lists = []
    this.#once = []
    this.#often = []
    this.#byKeys = true
    this.#ends = false
    return entry
  }

  /** The masks and the long ones of the lists as one base, and the other lists. */
  #united(lists: Int32Array[]): { base: Uint32Array | null; lists: Int32Array[]; own: number } {
    if (this.#own !== null) return { base: this.#own, lists, own: this.#own.byteLength }
    const parts: Part[] = this.#shared
    let short = lists
    for (let i = 0; i < lists.length; i++) {
      if (lists[i]!.length < LONG) continue
      short = lists.filter((ids) => ids.length < LONG)
      parts.push(...lists.filter((ids) => ids.length >= LONG))
      break
    }
    if (countOf(short) > SPARSE) {
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

function unique(lists: Int32Array[]): Int32Array[] {
  return lists.length > FEW_LISTS ? [...new Set(lists)] : lists
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
