/**
 * Sorting of tokens by their bytes: two passes of radix sort over the first four bytes, then the groups that share them.
 *
 * O(tokens * log tokens * bytes) at worst; half of a vocabulary's tokens need the second step, in groups of four on average.
 *
 * PERF: most of *vocabulary* of `npm run bench -- load`. Llama 3.1, Node 20.20, fresh process / warm: 22 / 12 ms. Buckets of two bytes, each sorted by
 * `sort(compare)`: 33 / 25. Three-way radix quicksort, three bytes a key: 34 / 18. A `BigUint64Array` of five bytes and the
 * index, sorted natively, then groups: 24 / 12. Six or eight bytes by radix: 28 / 9 and 29 / 11.
 */

/** Groups up to this many are sorted by insertion. */
const FEW = 24
/** Fewer entries than this are one group: counting digits costs as much as a thousand comparisons. */
const MANY = 4096

/** Entry e is `data[offsets[e], offsets[e + 1])`. Returns the entries by their bytes, equal ones by their number. */
export function sortByBytes(
  data: Uint8Array,
  offsets: Uint32Array | Int32Array,
  entries: Int32Array,
): Int32Array {
  const order = entries.slice()
  const keys = new Uint32Array(order.length)
  if (order.length >= MANY) byFourBytes(data, offsets, order, keys)
  const compare = (a: number, b: number): number => {
    let i = offsets[a]!
    let j = offsets[b]!
    const endA = offsets[a + 1]!
    const endB = offsets[b + 1]!
    while (i < endA && j < endB) {
      const difference = data[i++]! - data[j++]!
      if (difference !== 0) return difference
    }
    return endA - i - (endB - j) || a - b
  }
  for (let low = 0; low < order.length; ) {
    let high = low + 1
    while (high < order.length && keys[high] === keys[low]) high++
    if (high - low > FEW) {
      order.subarray(low, high).sort(compare)
    } else {
      for (let i = low + 1; i < high; i++) {
        const entry = order[i]!
        let at = i
        while (at > low && compare(order[at - 1]!, entry) > 0) order[at] = order[--at]!
        order[at] = entry
      }
    }
    low = high
  }
  return order
}

/** Sorts `order` by the first four bytes, what is shorter filled up with zeros; `keys` becomes those of the sorted entries. */
function byFourBytes(
  data: Uint8Array,
  offsets: Uint32Array | Int32Array,
  order: Int32Array,
  keys: Uint32Array,
): void {
  // One more than what lies below each digit, so that counting leaves where the digit's entries begin.
  const low = new Int32Array(65537)
  const high = new Int32Array(65537)
  const count = order.length
  const given = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const start = offsets[order[i]!]!
    const length = offsets[order[i]! + 1]! - start
    const first = (data[start]! << 8) | (length > 1 ? data[start + 1]! : 0)
    const second = length > 2 ? (data[start + 2]! << 8) | (length > 3 ? data[start + 3]! : 0) : 0
    given[i] = first * 65536 + second
    high[first + 1]!++
    low[second + 1]!++
  }
  for (let digit = 1; digit < 65536; digit++) {
    low[digit]! += low[digit - 1]!
    high[digit]! += high[digit - 1]!
  }
  const byLow = new Int32Array(count)
  for (let i = 0; i < count; i++) byLow[low[given[i]! & 0xffff]!++] = i
  const entries = order.slice()
  for (let i = 0; i < count; i++) {
    const from = byLow[i]!
    const to = high[given[from]! >>> 16]!++
    order[to] = entries[from]!
    keys[to] = given[from]!
  }
}
