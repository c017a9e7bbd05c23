/** A priority queue: least priority first, among equals the one that came first. Push and pop cost O(log size). */

interface Entry<T> {
  readonly value: T
  readonly priority: number
  readonly order: number
}

export class PriorityQueue<T> {
  readonly #heap: Entry<T>[] = []
  #pushed = 0

  push(value: T, priority: number): void {
    const heap = this.#heap
    const entry = { value, priority, order: this.#pushed++ }
    let at = heap.length
    heap.push(entry)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!before(entry, heap[parent] as Entry<T>)) break
      heap[at] = heap[parent] as Entry<T>
      at = parent
    }
    heap[at] = entry
  }

  pop(): T | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first?.value
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1] as Entry<T>, heap[child] as Entry<T>)) child++
      if (!before(heap[child] as Entry<T>, last)) break
      heap[at] = heap[child] as Entry<T>
      at = child
    }
    heap[at] = last
    return first.value
  }
}

function before<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.order < b.order)
}
