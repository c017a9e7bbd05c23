/**
 * The frontier of a search for the least text: states in the order of (length, bytes) of the least text that reaches them.
 * Texts are strings of one byte a unit, so that comparing them compares bytes. A state is settled when first taken.
 */
export class LeastFirst {
  readonly #heap: { state: number; text: string }[] = []
  readonly #settled = new Set<number>()

  offer(state: number, text: string): void {
    if (this.#settled.has(state)) return
    const heap = this.#heap
    let at = heap.push({ state, text }) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!isLess(text, heap[up]!.text)) break
      heap[at] = heap[up]!
      at = up
    }
    heap[at] = { state, text }
  }

  /** The least entry whose state is not settled yet, settling it; `null` when there is none. */
  take(): { state: number; text: string } | null {
    for (;;) {
      const top = this.#pop()
      if (top === null) return null
      if (this.#settled.has(top.state)) continue
      this.#settled.add(top.state)
      return top
    }
  }

  #pop(): { state: number; text: string } | null {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined) return null
    if (heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isLess(heap[child + 1]!.text, heap[child]!.text)) child++
      if (!isLess(heap[child]!.text, last.text)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return top
  }
}

function isLess(a: string, b: string): boolean {
  return a.length < b.length || (a.length === b.length && a < b)
}
