/**
 * Contexts, hash-consed to small integers. A context is "what follows": the triple (node of the program, counter, parent
 * context). A stack frame *is* the context of its continuation, so a pop is reading `parent`; equal stacks are equal
 * integers, which is what makes masks memoisable.
 *
 * - `node[c]`, `count[c]`, `parent[c]` the triple
 * - `depth[c]`  how many open frames (objects, arrays, framings) the context stands in
 * - `watched[c]` 1 if one of them is an array whose items must differ
 *
 * Context 0 is none, context 1 the end of the root. Open addressing; a hit costs about 25 ns, where a string-keyed `Map`
 * costs 190.
 *
 * PERF: the fields are arrays of small integers, which lie on the heap: five typed arrays of 64 were 3 of the 30 µs that
 * compiling the smallest schema took (Node 20.20).
 */
export const END_CONTEXT = 1

export class ContextTable {
  readonly node: number[] = [0, 0]
  readonly count: number[] = [0, 0]
  readonly parent: number[] = [0, 0]
  readonly depth: number[] = [0, 0]
  readonly watched: number[] = [0, 0]
  size = 2
  #slots = new Int32Array(128)

  /**
   * @param frame whether the node opens a frame, so that its depth is one more than its parent's
   * @param unique whether that is an array whose items must differ
   */
  intern(node: number, count: number, parent: number, frame: boolean, unique: boolean): number {
    const mask = this.#slots.length - 1
    let at = hash(node, count, parent) & mask
    for (;;) {
      const c = this.#slots[at]!
      if (c === 0) break
      if (this.parent[c] === parent && this.node[c] === node && this.count[c] === count) return c
      at = (at + 1) & mask
    }
    const c = this.size++
    this.node.push(node)
    this.count.push(count)
    this.parent.push(parent)
    this.depth.push(this.depth[parent]! + (frame ? 1 : 0))
    this.watched.push(unique ? 1 : this.watched[parent]!)
    this.#slots[at] = c
    if (this.size * 2 > this.#slots.length) this.#rehash()
    return c
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let c = 2; c < this.size; c++) {
      let at = hash(this.node[c]!, this.count[c]!, this.parent[c]!) & mask
      while (slots[at] !== 0) at = (at + 1) & mask
      slots[at] = c
    }
    this.#slots = slots
  }
}

/** Mixes three integers; multiplications by odd constants, as in xxHash's 32-bit finaliser. */
export function hash(a: number, b: number, c: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return (h ^ (h >>> 13)) >>> 0
}
