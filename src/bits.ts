/**
 * Sets of small integers as bits: member `i` is bit `i & 31` of word `i >>> 5`.
 *
 * Masks are such sets of token ids, and so are sets of bytes and of kinds of characters. Nothing here checks bounds: a
 * member lies within the words. Members come in typed arrays alone, so that V8 sees one kind of list in each loop and makes
 * these functions part of the loops that call them.
 */

/** Words for the members below `size`. */
export function wordCount(size: number): number {
  return (size + 31) >>> 5
}

/** An empty set of members below `size`. */
export function emptyBits(size: number): Uint32Array {
  return new Uint32Array(wordCount(size))
}

export function hasBit(bits: Uint32Array, member: number): boolean {
  return ((bits[member >>> 5]! >>> (member & 31)) & 1) === 1
}

export function setBit(bits: Uint32Array, member: number): void {
  bits[member >>> 5]! |= 1 << (member & 31)
}

export function clearBit(bits: Uint32Array, member: number): void {
  bits[member >>> 5]! &= ~(1 << (member & 31))
}

/** Adds the members listed at `from` and up to `to`. */
export function setBits(bits: Uint32Array, members: Int32Array, from = 0, to = members.length): void {
  for (let i = from; i < to; i++) bits[members[i]! >>> 5]! |= 1 << (members[i]! & 31)
}

/** Takes out the members listed at `from` and up to `to`. */
export function clearBits(bits: Uint32Array, members: Int32Array, from = 0, to = members.length): void {
  for (let i = from; i < to; i++) bits[members[i]! >>> 5]! &= ~(1 << (members[i]! & 31))
}

/** Adds the members of another set, which is not longer. */
export function addBits(bits: Uint32Array, others: Uint32Array): void {
  for (let i = 0; i < others.length; i++) bits[i]! |= others[i]!
}

/** Which bit of a word that is not 0 is the lowest one. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

/** How many bits of a word are set. */
export function bitCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
