/**
 * The frontier of a search for the least text: the shortest in bytes, the lowest bytes among those.
 *
 * Entries come out in the order of (bytes so far + bytes that are needed at least, text). As that estimate is never too
 * high, and a prefix sorts before what continues it, the first finished text taken is the least one (A* with reopening).
 * Texts are strings of one byte a unit, so that comparing them compares bytes.
 */
interface Entry {
  readonly state: number
  readonly text: string
  /** Bytes of the whole text, at least. */
  readonly estimate: number
}

export class LeastFirst {
  readonly #heap: Entry[] = []
  /** The best text with which each state was taken. */
  readonly #taken = new Map<number, string>()

  /** @param rest bytes that must follow the text, never more than truly must */
  offer(state: number, text: string, rest = 0): void {
    const taken = this.#taken.get(state)
    if (taken !== undefined && !isLess(text, taken)) return
    const entry = { state, text, estimate: text.length + rest }
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

  /** The next entry, or `null` when there is none. A state comes again only with a better text. */
  take(): { state: number; text: string } | null {
    for (;;) {
      const top = this.#pop()
      if (top === null) return null
      const taken = this.#taken.get(top.state)
      if (taken !== undefined && !isLess(top.text, taken)) continue
      this.#taken.set(top.state, top.text)
      return top
    }
  }

  #pop(): Entry | null {
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

function isBefore(a: Entry, b: Entry): boolean {
  return a.estimate !== b.estimate ? a.estimate < b.estimate : a.text < b.text
}

function isLess(a: string, b: string): boolean {
  return a.length !== b.length ? a.length < b.length : a < b
}
