/**
 * The words in which masks are shown.
 *
 * Masks come back to few bases: those of strings, of keys, of what may follow a string. For each there is a buffer that
 * holds the base and what the mask shown last adds to it; the next mask of the same base takes that back and adds its own.
 * So showing a mask costs its ids, and a copy of the base only where that is new.
 *
 * All matchers over a vocabulary share the buffers. The array that a matcher showed last is not written to until the matcher
 * shows another one, or until nobody holds the array any more.
 */
import { addPart, removeIds } from './bases.ts'
import type { Entry } from './entry.ts'

/** Of one base, while they are shown: those of matchers that are gone wait for the garbage collector. */
const MAX_OF_BASE = 8
/** From so many ids on copying the base is cheaper than taking them back one by one. */
const MANY = 1_000

interface Buffer {
  readonly base: Uint32Array | null
  readonly bits: Uint32Array
  /** The mask that is shown; `null` where the words hold anything. */
  shown: Entry | null
  /** Whether it is a matcher's. */
  isTaken: boolean
  /** What was handed out of it: the same words as `bits`. */
  view: WeakRef<Uint32Array> | null
}

/** The buffers of one vocabulary. */
export class MaskBuffers {
  readonly words: number
  readonly #byBase = new Map<Uint32Array | null, Buffer[]>()
  /** Buffers are kept up to this many, those that are shown included. */
  readonly #most: number
  #count = 0

  /**
   * @param words length of a mask
   * @param maxBytes of all buffers
   */
  constructor(words: number, maxBytes: number) {
    this.words = words
    this.#most = Math.max(1, Math.floor(maxBytes / (4 * words)))
  }

  /** A buffer of the base that nobody looks at. */
  take(base: Uint32Array | null): Buffer {
    const buffers = this.#byBase.get(base)
    if (buffers !== undefined) {
      for (let i = 0; i < buffers.length; i++) if (isFree(buffers[i]!)) return buffers[i]!
    }
    if (this.#count >= this.#most) this.#drop()
    const bits = new Uint32Array(this.words)
    const buffer: Buffer = { base, bits, shown: null, isTaken: false, view: null }
    const known = this.#byBase.get(base)
    if (known === undefined) this.#byBase.set(base, [buffer])
    else known.push(buffer)
    // Whoever looks at the oldest one keeps it.
    if (known !== undefined && known.length > MAX_OF_BASE) known.shift()
    else this.#count++
    return buffer
  }

  /** Forgets all; one that is shown stays with whoever looks at it, and is not taken again. */
  #drop(): void {
    this.#byBase.clear()
    this.#count = 0
  }
}

function isFree({ isTaken, view }: Buffer): boolean {
  return !isTaken || view!.deref() === undefined
}

/** What one matcher shows. */
export class MaskView {
  readonly #buffers: MaskBuffers
  #current: Buffer | null = null
  /** Held as long as the matcher is: see `Buffer.view`. */
  #shown: Uint32Array | null = null

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
    return this.#shown!
  }

  /** Words for a mask of several entries, all zero. */
  scratch(): Uint32Array {
    const { bits } = this.#take(null)
    this.spoil()
    bits.fill(0)
    return this.#shown!
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
      current.isTaken = false
    }
    const buffer = this.#buffers.take(base)
    let view = buffer.view?.deref()
    if (view === undefined) {
      view = new Uint32Array(buffer.bits.buffer)
      buffer.view = new WeakRef(view)
    }
    buffer.isTaken = true
    this.#current = buffer
    this.#shown = view
    return buffer
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
  removeIds(removed, out)
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
