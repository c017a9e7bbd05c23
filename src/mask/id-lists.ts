/**
 * Lists of token ids: most of what masks are made of.
 *
 * PERF: a typed array of more than 64 bytes has memory of its own outside the heap: 580 ns for 40 ids (Node 20.20), where a
 * view of a larger array is 65. So lists that are not long lie behind one another in blocks.
 */

/** Ids of a block. One list of it keeps all of it. */
const BLOCK = 1_024
/** Longer lists have memory of their own. */
const LONGEST = 128
/** Lists up to this many ids lie in the heap by themselves. */
const SHORT = 16
/** Ids up to this many are looked for one by one. */
const FEW = 8

export const NO_IDS = new Int32Array(0)

let block = new Int32Array(BLOCK)
let used = 0

/** An array of this many ids, to be filled. */
function newList(length: number): Int32Array {
  if (length === 0) return NO_IDS
  if (length <= SHORT || length > LONGEST) return new Int32Array(length)
  if (used + length > BLOCK) {
    block = new Int32Array(BLOCK)
    used = 0
  }
  used += length
  return block.subarray(used - length, used)
}

export function listOf(ids: readonly number[]): Int32Array {
  const list = newList(ids.length)
  for (let i = 0; i < ids.length; i++) list[i] = ids[i]!
  return list
}

export function countOf(lists: readonly Int32Array[]): number {
  let count = 0
  for (let i = 0; i < lists.length; i++) count += lists[i]!.length
  return count
}

/** All ids of the lists. */
export function joined(lists: readonly Int32Array[]): Int32Array {
  if (lists.length <= 1) return lists[0] ?? NO_IDS
  const all = newList(countOf(lists))
  let at = 0
  for (const ids of lists) for (let i = 0; i < ids.length; i++) all[at++] = ids[i]!
  return all
}

/** The list without some ids: itself where it has none of them. */
export function without(ids: Int32Array, isGone: (id: number) => boolean): Int32Array {
  for (let i = 0; i < ids.length; i++) {
    if (!isGone(ids[i]!)) continue
    const left: number[] = []
    for (let j = 0; j < ids.length; j++) if (j < i || !isGone(ids[j]!)) left.push(ids[j]!)
    return listOf(left)
  }
  return ids
}

/** Whether an id is in one of the lists. */
export function among(lists: readonly Int32Array[]): (id: number) => boolean {
  if (countOf(lists) > FEW) {
    const all = new Set<number>()
    for (const ids of lists) for (let i = 0; i < ids.length; i++) all.add(ids[i]!)
    return (id) => all.has(id)
  }
  const few = joined(lists)
  return (id) => few.includes(id)
}
