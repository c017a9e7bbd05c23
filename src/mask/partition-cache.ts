/** Partitions that were made, up to a bound in bytes; when it is exceeded all are forgotten, to be made again. */
import type { Dfa } from '../automaton/dfa.ts'
import type { Partition } from './partition-parts.ts'

/** What a partition costs beside its arrays: the object, its views, the map's slot. */
const OVERHEAD = 400

export class PartitionCache {
  readonly #maxBytes: number
  /** Those of an automaton go with it. */
  #known = new WeakMap<Dfa, Map<number, Partition>>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes made since all were forgotten: at least those held. */
  get byteLength(): number {
    return this.#bytes
  }

  get(dfa: Dfa, key: number): Partition | undefined {
    return this.#known.get(dfa)?.get(key)
  }

  /** @param shared masks that the partition does not hold alone */
  set(dfa: Dfa, key: number, partition: Partition): void {
    this.#bytes += OVERHEAD + bytesOf(partition)
    if (this.#bytes > this.#maxBytes) {
      this.#known = new WeakMap()
      this.#bytes = OVERHEAD + bytesOf(partition)
    }
    let byKey = this.#known.get(dfa)
    if (byKey === undefined) {
      byKey = new Map()
      this.#known.set(dfa, byKey)
    }
    byKey.set(key, partition)
  }
}

function bytesOf({ dense, ids, whole, amendment }: Partition): number {
  const amended = amendment === null ? 0 : amendment.removed.byteLength + amendment.ids.byteLength
  return (dense?.byteLength ?? 0) + ids.byteLength + whole.byteLength + amended
}
