/**
 * The frontier of a search for least texts: a heap whose entries come out by (bytes of a whole text at least, order).
 *
 * Where the estimate is never too high, and what an entry leads to comes behind it in order, finished texts come out from
 * the least one on: the shortest in bytes, the lowest bytes among those (A*).
 */
export interface Ranked {
  /** Bytes of the whole text, at least. */
  readonly estimate: number
  /** Orders entries of one estimate: the text so far, one byte a unit, so that comparing strings compares bytes. */
  readonly order: string
}

export class Frontier<E extends Ranked> {
  readonly #heap: E[] = []

  push(entry: E): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!isBefore(entry, heap[up]!)) break
      heap[at] = heap[up]!
      at = up
    }
    heap[at] = entry
  }

  /** The first entry, or `null` when there is none. */
  pop(): E | null {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined) return null
    if (heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return top
  }
}

function isBefore(a: Ranked, b: Ranked): boolean {
  return a.estimate !== b.estimate ? a.estimate < b.estimate : a.order < b.order
}
