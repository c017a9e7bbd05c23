/**
 * Contexts, hash-consed to small integers. A context is "what follows": the triple (node of the program, counter, parent
 * context). A stack frame *is* the context of its continuation, so a pop is reading `parent`; equal stacks are equal
 * integers, which is what makes masks memoisable.
 *
 * - `node[c]`, `count[c]`, `parent[c]` the triple
 * - `depth[c]`  how many open frames (objects, arrays, framings) the context stands in
 * - `watched[c]` 1 if one of them is an array whose items must differ
 *
 * Where a text can be read in many ways, what follows is one of several contexts: their *union* is a context, too, whose node
 * is `UNION` and whose members are contexts of one depth that are no unions themselves. It has no parent of its own.
 *
 * Context 0 is none, context 1 the end of the root. Open addressing; a hit costs about 25 ns, where a string-keyed `Map`
 * costs 190.
 *
 * The fields are arrays of small integers on the heap: a small schema has few contexts, and typed arrays are dear to make.
 */
export const END_CONTEXT = 1
/** The node of unions, which stands for none of the grammar. */
export const UNION = 2

/** Contexts that are sorted as they are. */
const FEW = 16
const NO_MEMBERS: readonly number[] = []

export class ContextTable {
  readonly node: number[] = [0, 0]
  readonly count: number[] = [0, 0]
  readonly parent: number[] = [0, 0]
  readonly depth: number[] = [0, 0]
  readonly watched: number[] = [0, 0]
  size = 2
  #slots = new Int32Array(128)
  /** The members of unions, ascending; and the unions by a hash of these. */
  readonly #members = new Map<number, readonly number[]>()
  readonly #unions = new Map<number, number[]>()
  /** Contexts that were met in the flattening of this number. */
  #marks = new Int32Array(0)
  #mark = 0

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

  /** The members of a union; none of other contexts. */
  membersOf(context: number): readonly number[] {
    return this.node[context] === UNION ? this.#members.get(context)! : NO_MEMBERS
  }

  /** The contexts, with the members of unions in their place: ascending, each once. */
  flattened(contexts: readonly number[]): readonly number[] {
    const isFew = contexts.length <= FEW && contexts.every((context) => this.node[context] !== UNION)
    if (isFew) {
      const few = [...contexts].sort((a, b) => a - b)
      return few.filter((context, i) => i === 0 || context !== few[i - 1])
    }
    if (this.#marks.length < this.size) this.#marks = new Int32Array(this.size * 2)
    const marks = this.#marks
    const mark = ++this.#mark
    const all: number[] = []
    for (const context of contexts) {
      if (marks[context] === mark) continue
      marks[context] = mark
      if (this.node[context] !== UNION) {
        all.push(context)
        continue
      }
      const members = this.#members.get(context)!
      for (let i = 0; i < members.length; i++) {
        const member = members[i]!
        if (marks[member] === mark) continue
        marks[member] = mark
        all.push(member)
      }
    }
    return all.length <= FEW ? all.sort((a, b) => a - b) : Array.from(Int32Array.from(all).sort())
  }

  /** The union of at least two contexts of one depth, which `flattened` gave. */
  union(members: readonly number[]): number {
    let key = members.length
    for (const member of members) key = hash(key, member, 0)
    let known = this.#unions.get(key)
    if (known === undefined) {
      known = []
      this.#unions.set(key, known)
    }
    for (const context of known) if (equalLists(this.#members.get(context)!, members)) return context
    const context = this.size++
    this.node.push(UNION)
    this.count.push(0)
    this.parent.push(0)
    this.depth.push(this.depth[members[0]!]!)
    this.watched.push(0)
    this.#members.set(context, members)
    known.push(context)
    return context
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let c = 2; c < this.size; c++) {
      if (this.node[c] === UNION) continue
      let at = hash(this.node[c]!, this.count[c]!, this.parent[c]!) & mask
      while (slots[at] !== 0) at = (at + 1) & mask
      slots[at] = c
    }
    this.#slots = slots
  }
}

function equalLists(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Mixes three integers; multiplications by odd constants, as in xxHash's 32-bit finaliser. */
export function hash(a: number, b: number, c: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77) ^ Math.imul(c, 0xc2b2ae3d)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return (h ^ (h >>> 13)) >>> 0
}
