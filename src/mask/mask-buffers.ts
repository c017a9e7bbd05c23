/**
 * The words in which masks are shown.
 *
 * Masks come back to few bases: those of strings, of keys, of what may follow a string. For each there is a buffer that
 * holds the base and what the mask shown last adds to it; the next mask of the same base takes that back and adds its own.
 * So showing a mask costs its ids, and a copy of the base only where that is new.
 *
 * All matchers over a vocabulary share the buffers: one is a matcher's alone from when it is shown there until the matcher
 * shows another. What a matcher showed last goes with the matcher, so an array that is still read is not written to. No weak
 * reference tells of that: what those point to stays until a synchronous run ends, which was 0.8 GB over MaskBench.
 */
import { clearBits } from '../bits.ts'
import { addPart } from './bases.ts'
import type { Entry } from './entry.ts'

/** From so many ids on copying the base is cheaper than taking them back one by one. */
const MANY = 1_000

interface Buffer {
  base: Uint32Array | null
  readonly bits: Uint32Array
  /** The mask that is shown; `null` where the words hold anything. */
  shown: Entry | null
  /** Those of its base that no matcher has. */
  home: Buffer[]
  /** Its neighbours among all that no matcher has, by when they were given back. */
  before: Buffer | null
  behind: Buffer | null
}

/** The buffers of one vocabulary. */
export class MaskBuffers {
  readonly words: number
  readonly #byBase = new Map<Uint32Array | null, Buffer[]>()
  /** Buffers that no matcher has are kept up to this many. */
  readonly #most: number
  #count = 0
  #first: Buffer | null = null
  #last: Buffer | null = null

  /**
   * @param words length of a mask
   * @param maxBytes of all buffers that no matcher has
   */
  constructor(words: number, maxBytes: number) {
    this.words = words
    this.#most = Math.max(1, Math.floor(maxBytes / (4 * words)))
  }

  /** A buffer of the base for one matcher. */
  take(base: Uint32Array | null): Buffer {
    let home = this.#byBase.get(base)
    if (home !== undefined && home.length > 0) {
      const buffer = home.pop()!
      this.#unlink(buffer)
      return buffer
    }
    const oldest = this.#count >= this.#most ? this.#takeOldest() : null
    if (home === undefined) {
      if (this.#byBase.size >= 2 * this.#most) this.#dropEmpty()
      home = []
      this.#byBase.set(base, home)
    }
    if (oldest === null) {
      const bits = new Uint32Array(this.words)
      return { base, bits, shown: null, home, before: null, behind: null }
    }
    oldest.base = base
    oldest.shown = null
    oldest.home = home
    return oldest
  }

  /** Takes one back: its matcher shows another. */
  give(buffer: Buffer): void {
    buffer.home.push(buffer)
    buffer.before = this.#last
    if (this.#last === null) this.#first = buffer
    else this.#last.behind = buffer
    this.#last = buffer
    this.#count++
  }

  #takeOldest(): Buffer {
    const oldest = this.#first!
    const { base, home } = oldest
    home.splice(home.indexOf(oldest), 1)
    if (home.length === 0 && this.#byBase.get(base) === home) this.#byBase.delete(base)
    this.#unlink(oldest)
    return oldest
  }

  #unlink(buffer: Buffer): void {
    const { before, behind } = buffer
    if (before === null) this.#first = behind
    else before.behind = behind
    if (behind === null) this.#last = before
    else behind.before = before
    buffer.before = null
    buffer.behind = null
    this.#count--
  }

  /** Forgets bases whose buffers are all with matchers, most of which are gone; one that is given back waits to be the oldest. */
  #dropEmpty(): void {
    for (const [base, home] of this.#byBase) if (home.length === 0) this.#byBase.delete(base)
  }
}

/** What one matcher shows. */
export class MaskView {
  readonly #buffers: MaskBuffers
  #current: Buffer | null = null

  constructor(buffers: MaskBuffers) {
    this.#buffers = buffers
  }

  /** The mask of the entry, in words that the next call may change. Whoever writes into them calls `spoil` before. */
  show(entry: Entry): Uint32Array {
    const buffer = this.#take(entry.base)
    const { shown, bits, base } = buffer
    if (shown !== entry) {
      if (shown === null || shown.idCount > MANY) writeBase(base, bits)
      else takeBack(shown, base, bits)
      writeOver(entry, bits)
      buffer.shown = entry
    }
    return bits
  }

  /** Words for a mask of several entries, all zero. */
  scratch(): Uint32Array {
    const { bits } = this.#take(null)
    this.spoil()
    bits.fill(0)
    return bits
  }

  /** The words shown last are to be changed. */
  spoil(): void {
    this.#current!.shown = null
  }

  /** They were not. */
  keep(entry: Entry): void {
    this.#current!.shown = entry
  }

  #take(base: Uint32Array | null): Buffer {
    const current = this.#current
    if (current !== null) {
      if (current.base === base) return current
      this.#current = null
      this.#buffers.give(current)
    }
    const taken = this.#buffers.take(base)
    this.#current = taken
    return taken
  }
}

/** Writes a whole mask into `out`, which may be longer. */
export function writeEntry(entry: Entry, out: Uint32Array): void {
  writeBase(entry.base, out)
  writeOver(entry, out)
}

/** Adds a mask from which nothing is removed. */
export function addWhole({ base, lists, once, often }: Entry, out: Uint32Array): void {
  if (base !== null) addPart(base, out)
  for (let i = 0; i < lists.length; i++) addPart(lists[i]!, out)
  addPart(once, out)
  addPart(often, out)
}

function writeBase(base: Uint32Array | null, out: Uint32Array): void {
  if (base === null) out.fill(0)
  else {
    out.set(base)
    if (out.length > base.length) out.fill(0, base.length)
  }
}

function writeOver({ lists, removed, added, once, often }: Entry, out: Uint32Array): void {
  for (let i = 0; i < lists.length; i++) addPart(lists[i]!, out)
  clearBits(out, removed)
  for (let i = 0; i < added.length; i++) addPart(added[i]!, out)
  addPart(once, out)
  addPart(often, out)
}

function takeBack(entry: Entry, base: Uint32Array | null, out: Uint32Array): void {
  const { lists, removed, added, once, often } = entry
  for (let i = 0; i < lists.length; i++) restore(lists[i]!, base, out)
  restore(removed, base, out)
  for (let i = 0; i < added.length; i++) restore(added[i]!, base, out)
  restore(once, base, out)
  restore(often, base, out)
}

function restore(ids: Int32Array, base: Uint32Array | null, out: Uint32Array): void {
  if (base === null) for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5] = 0
  else for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5] = base[ids[i]! >>> 5]!
}
