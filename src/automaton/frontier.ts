/**
 * The frontier of a search for least texts: entries come out by (bytes of a whole text at least, order).
 *
 * Where the estimate is never too high, and what an entry leads to comes behind it in order, finished texts come out from
 * the least one on: the shortest in bytes, the lowest bytes among those (A*).
 */
import { Heap } from '../regex/heap.ts'

export interface Ranked {
  /** Bytes of the whole text, at least. */
  readonly estimate: number
  /** Orders entries of one estimate: the text so far, one byte a unit, so that comparing strings compares bytes. */
  readonly order: string
}

export class Frontier<E extends Ranked> extends Heap<E> {
  constructor() {
    super((a, b) => (a.estimate !== b.estimate ? a.estimate < b.estimate : a.order < b.order))
  }
}
