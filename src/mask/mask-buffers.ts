/**
 * The words in which a matcher shows its masks.
 *
 * Masks of one text come back to few bases: that of strings, that of keys, none. For each of the last ones there is a buffer
 * that holds the base and what the mask shown last adds to it; the next mask of the same base takes that back and adds
 * its own. So showing a mask costs its ids, and a copy of the base only where that is new.
 *
 * PERF: `npm run bench -- masks`, Node 20.20.2; one buffer copied from the base at each mask: see docs/performance.md.
 */
import type { Entry } from './entry.ts'

const MAX_BUFFERS = 4
/** From so many ids on copying the base is cheaper than taking them back one by one. */
const MANY = 1_000

interface Buffer {
  base: Uint32Array | null
  readonly bits: Uint32Array
  /** The mask that is shown; `null` where the words hold anything. */
  shown: Entry | null
}

export class MaskBuffers {
  readonly #words: number
  /** The one used last is the first. */
  readonly #buffers: Buffer[] = []

  /** @param words length of a mask */
  constructor(words: number) {
    this.#words = words
  }

  /** The mask of the entry, in words that the next call may change. Whoever writes into them calls `spoil`. */
  show(entry: Entry): Uint32Array {
    const buffer = this.#bufferOf(entry.base)
    const { shown, bits, base } = buffer
    if (shown === entry) return bits
    if (shown === null || shown.idCount + shown.removed.length > MANY) writeBase(base, bits)
    else takeBack(shown, base, bits)
    writeOver(entry, bits)
    buffer.shown = entry
    return bits
  }

  /** Words for a mask of several entries. */
  scratch(): Uint32Array {
    const { bits } = this.#bufferOf(null)
    this.spoil()
    return bits
  }

  /** The words shown last were changed. */
  spoil(): void {
    this.#buffers[0]!.shown = null
  }

  #bufferOf(base: Uint32Array | null): Buffer {
    const buffers = this.#buffers
    for (let i = 0; i < buffers.length; i++) {
      const buffer = buffers[i]!
      if (buffer.base !== base) continue
      for (let k = i; k > 0; k--) buffers[k] = buffers[k - 1]!
      buffers[0] = buffer
      return buffer
    }
    const last = buffers.length < MAX_BUFFERS ? undefined : buffers.pop()
    const bits = last?.bits ?? new Uint32Array(this.#words)
    const buffer = { base, bits, shown: null }
    buffers.unshift(buffer)
    return buffer
  }
}

/** Writes a whole mask into `out`, which may be longer. */
export function writeEntry(entry: Entry, out: Uint32Array): void {
  writeBase(entry.base, out)
  writeOver(entry, out)
}

/** Adds a whole mask to `out`. */
export function addEntry(entry: Entry, out: Uint32Array): void {
  const { base, removed } = entry
  if (base !== null) {
    const lacking = removed.filter((id) => ((out[id >>> 5]! >>> (id & 31)) & 1) === 0)
    for (let i = 0; i < base.length; i++) out[i]! |= base[i]!
    clear(lacking, out)
  }
  for (let i = 0; i < entry.lists.length; i++) set(entry.lists[i]!, out)
  set(entry.once, out)
  set(entry.often, out)
}

function writeBase(base: Uint32Array | null, out: Uint32Array): void {
  if (base === null) out.fill(0)
  else {
    out.set(base)
    if (out.length > base.length) out.fill(0, base.length)
  }
}

function writeOver({ removed, lists, once, often }: Entry, out: Uint32Array): void {
  clear(removed, out)
  for (let i = 0; i < lists.length; i++) set(lists[i]!, out)
  set(once, out)
  set(often, out)
}

function takeBack({ removed, lists, once, often }: Entry, base: Uint32Array | null, out: Uint32Array): void {
  restore(removed, base, out)
  for (let i = 0; i < lists.length; i++) restore(lists[i]!, base, out)
  restore(once, base, out)
  restore(often, base, out)
}

function set(ids: Int32Array, out: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
}

function clear(ids: Int32Array, out: Uint32Array): void {
  for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5]! &= ~(1 << (ids[i]! & 31))
}

function restore(ids: Int32Array, base: Uint32Array | null, out: Uint32Array): void {
  if (base === null) for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5] = 0
  else for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5] = base[ids[i]! >>> 5]!
}
