/**
 * A trie of token bytes in preorder, as flat arrays.
 *
 * Preorder makes a subtree one contiguous range, so that a refused prefix is skipped in O(1) and the tokens below a
 * node are one slice of `tokens`. A walk keeps one automaton state a depth and needs no pops:
 *
 *     d = depth[i]; s = next(stack[d - 1], byte[i])
 *     if (s === 0) i = skip[i]
 *     else { stack[d] = s; i++ }
 *
 * - `byte[i]`   the byte on the edge into node i (node 0 is the root and has none)
 * - `depth[i]`  bytes from the root to node i
 * - `skip[i]`   the first node after the subtree of i; `i + 1` is the first child if `skip[i] > i + 1`
 * - `first[i]`  index into `tokens` of the first token at or below node i; node i's own tokens are
 *               `tokens[first[i] .. first[i + 1])`, those of its subtree `tokens[first[i] .. first[skip[i]])`
 *
 * Two ids with the same bytes share a node. Building sorts the ids by their bytes, O(total bytes * log tokens).
 */
export class Trie {
  readonly byte: Uint8Array
  readonly depth: Uint16Array
  readonly skip: Int32Array
  readonly first: Int32Array
  readonly tokens: Int32Array
  readonly maxDepth: number
  readonly size: number

  /**
   * @param data all bytes, one entry behind the other
   * @param offsets entry e is `data[offsets[e] .. offsets[e + 1])`
   * @param entries the entries to hold, none of them empty
   * @param ids token id of each entry; the entry's index where absent
   */
  constructor(data: Uint8Array, offsets: Uint32Array | Int32Array, entries: Int32Array, ids?: Int32Array) {
    const order = sortEntries(data, offsets, entries)
    let nodes = 1
    let previous = -1
    for (const entry of order) {
      nodes += offsets[entry + 1]! - offsets[entry]! - commonPrefix(data, offsets, previous, entry)
      previous = entry
    }
    this.size = nodes
    this.byte = new Uint8Array(nodes)
    this.depth = new Uint16Array(nodes)
    this.skip = new Int32Array(nodes)
    this.first = new Int32Array(nodes + 1)
    this.tokens = new Int32Array(order.length)

    const open: number[] = [0]
    let node = 1
    let count = 0
    previous = -1
    for (const entry of order) {
      const start = offsets[entry]!
      const length = offsets[entry + 1]! - start
      const shared = commonPrefix(data, offsets, previous, entry)
      while (open.length > shared + 1) this.skip[open.pop()!] = node
      for (let d = shared; d < length; d++) {
        this.byte[node] = data[start + d]!
        this.depth[node] = d + 1
        this.first[node] = count
        open.push(node++)
      }
      this.tokens[count++] = ids === undefined ? entry : ids[entry]!
      previous = entry
    }
    while (open.length > 0) this.skip[open.pop()!] = node
    this.first[nodes] = count
    let deepest = 0
    for (let i = 0; i < nodes; i++) deepest = Math.max(deepest, this.depth[i]!)
    this.maxDepth = deepest
  }

  /** The child of `node` along `byte`, or 0. O(number of children). */
  child(node: number, byte: number): number {
    const end = this.skip[node]!
    for (let i = node + 1; i < end; i = this.skip[i]!) {
      const b = this.byte[i]!
      if (b === byte) return i
      if (b > byte) return 0
    }
    return 0
  }

  /** Whether any token lies strictly below `node`. */
  hasBelow(node: number): boolean {
    return this.first[node + 1]! < this.first[this.skip[node]!]!
  }

  get byteLength(): number {
    return (
      this.byte.length +
      this.depth.byteLength +
      this.skip.byteLength +
      this.first.byteLength +
      this.tokens.byteLength
    )
  }
}

function sortEntries(data: Uint8Array, offsets: Uint32Array | Int32Array, entries: Int32Array): Int32Array {
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
  if (entries.length < 4096) return entries.slice().sort(compare)
  // Many: bucket by the first two bytes and sort the buckets, as comparing through a callback is the cost here.
  const heads = new Int32Array(65537)
  const key = (entry: number): number => {
    const start = offsets[entry]!
    return (data[start]! << 8) | (offsets[entry + 1]! - start > 1 ? data[start + 1]! : 0)
  }
  for (const e of entries) heads[key(e) + 1]!++
  for (let k = 0; k < 65536; k++) heads[k + 1]! += heads[k]!
  const order = new Int32Array(entries.length)
  const fill = heads.slice(0, 65536)
  for (const e of entries) order[fill[key(e)]!++] = e
  for (let k = 0; k < 65536; k++) {
    if (heads[k + 1]! - heads[k]! > 1) order.subarray(heads[k]!, heads[k + 1]!).sort(compare)
  }
  return order
}

function commonPrefix(data: Uint8Array, offsets: Uint32Array | Int32Array, a: number, b: number): number {
  if (a < 0) return 0
  let i = offsets[a]!
  let j = offsets[b]!
  const endA = offsets[a + 1]!
  const endB = offsets[b + 1]!
  const start = i
  while (i < endA && j < endB && data[i] === data[j]) {
    i++
    j++
  }
  return i - start
}
