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
 * Two ids with the same bytes share a node. Building is linear in the bytes for entries that come sorted, and sorts them else.
 */
import { sortByBytes } from './token-sort.ts'

export class Trie {
  readonly byte: Uint8Array
  readonly depth: Uint16Array
  readonly skip: Int32Array
  readonly first: Int32Array
  readonly tokens: Int32Array
  readonly maxDepth: number
  readonly size: number
  /** Children of the root by their bytes, made when asked for: they lie far apart. */
  #ofRoot: Int32Array | null = null

  /**
   * @param data all bytes, one entry behind the other
   * @param offsets entry e is `data[offsets[e] .. offsets[e + 1])`
   * @param entries the entries to hold, none of them empty
   * @param ids token id of each entry; the entry's index where absent
   */
  constructor(data: Uint8Array, offsets: Uint32Array | Int32Array, entries: Int32Array, ids?: Int32Array) {
    const shared = new Uint16Array(entries.length)
    let order = entries
    let nodes = countNodes(data, offsets, order, shared)
    if (nodes < 0) {
      order = sortByBytes(data, offsets, entries)
      nodes = countNodes(data, offsets, order, shared)
    }
    const byte = new Uint8Array(nodes)
    const depth = new Uint16Array(nodes)
    const skip = new Int32Array(nodes)
    const first = new Int32Array(nodes + 1)
    const tokens = new Int32Array(order.length)
    // The path to the node made last.
    let path = new Int32Array(64)
    let deepest = 0
    let open = 0
    let node = 1
    for (let t = 0; t < order.length; t++) {
      const entry = order[t]!
      const start = offsets[entry]!
      const length = offsets[entry + 1]! - start
      const common = shared[t]!
      while (open > common) skip[path[open--]!] = node
      if (length >= path.length) path = grown(path, 2 * length)
      for (let d = common; d < length; d++) {
        byte[node] = data[start + d]!
        depth[node] = d + 1
        first[node] = t
        path[++open] = node++
      }
      if (length > deepest) deepest = length
      tokens[t] = ids === undefined ? entry : ids[entry]!
    }
    while (open >= 0) skip[path[open--]!] = node
    first[nodes] = order.length
    this.byte = byte
    this.depth = depth
    this.skip = skip
    this.first = first
    this.tokens = tokens
    this.maxDepth = deepest
    this.size = nodes
  }

  /** The child of `node` along `byte`, or 0. O(number of children). */
  child(node: number, byte: number): number {
    if (node === 0) {
      this.#ofRoot ??= this.#childrenOfRoot()
      return this.#ofRoot[byte]!
    }
    const end = this.skip[node]!
    for (let i = node + 1; i < end; i = this.skip[i]!) {
      const b = this.byte[i]!
      if (b === byte) return i
      if (b > byte) return 0
    }
    return 0
  }

  #childrenOfRoot(): Int32Array {
    const children = new Int32Array(256)
    for (let i = 1; i < this.size; i = this.skip[i]!) children[this.byte[i]!] = i
    return children
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

/**
 * The nodes of the trie of entries in this order, and in `shared` the bytes that each has in common with the one before; -1
 * where the entries are not sorted by their bytes.
 */
function countNodes(
  data: Uint8Array,
  offsets: Uint32Array | Int32Array,
  order: Int32Array,
  shared: Uint16Array,
): number {
  let nodes = 1
  let from = 0
  let to = 0
  for (let t = 0; t < order.length; t++) {
    const entry = order[t]!
    const start = offsets[entry]!
    const end = offsets[entry + 1]!
    const most = Math.min(end - start, to - from)
    let common = 0
    while (common < most && data[from + common] === data[start + common]) common++
    if (t > 0) {
      if (common < most) {
        if (data[from + common]! > data[start + common]!) return -1
      } else if (to - from > end - start || (to - from === end - start && order[t - 1]! > entry)) {
        return -1
      }
    }
    shared[t] = common
    nodes += end - start - common
    from = start
    to = end
  }
  return nodes
}

function grown(array: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity)
  larger.set(array)
  return larger
}
