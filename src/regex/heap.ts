/** A binary heap: the entry that comes before all others first. Push and pop cost O(log size). */
export class Heap<T> {
  readonly #entries: T[] = []
  readonly #isBefore: (a: T, b: T) => boolean

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  push(entry: T): void {
    const entries = this.#entries
    let at = entries.push(entry) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      if (!this.#isBefore(entry, entries[up]!)) break
      entries[at] = entries[up]!
      at = up
    }
    entries[at] = entry
  }

  /** The first entry, or `undefined` when there is none. */
  pop(): T | undefined {
    const entries = this.#entries
    const first = entries[0]
    const last = entries.pop()
    if (last === undefined || entries.length === 0) return first
    let at = 0
    for (;;) {
      let child = at * 2 + 1
      if (child >= entries.length) break
      if (child + 1 < entries.length && this.#isBefore(entries[child + 1]!, entries[child]!)) child++
      if (!this.#isBefore(entries[child]!, last)) break
      entries[at] = entries[child]!
      at = child
    }
    entries[at] = last
    return first
  }
}

interface Queued<T> {
  readonly value: T
  readonly priority: number
  readonly order: number
}

/** A priority queue: least priority first, among equals the one that came first. */
export class PriorityQueue<T> {
  readonly #heap = new Heap<Queued<T>>(
    (a, b) => a.priority < b.priority || (a.priority === b.priority && a.order < b.order),
  )
  #pushed = 0

  push(value: T, priority: number): void {
    this.#heap.push({ value, priority, order: this.#pushed++ })
  }

  pop(): T | undefined {
    return this.#heap.pop()?.value
  }
}
