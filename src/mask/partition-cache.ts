/**
 * Partitions that were made, up to a bound in bytes; when it is exceeded all are forgotten, to be made again.
 *
 * They are kept on their automata, so that those of a grammar go with it: looking one up is then two loads, or a map with
 * small keys for a rest.
 */
import type { Dfa } from '../automaton/dfa.ts'
import type { Partition } from './partition-parts.ts'
import type { Rest } from './rest.ts'

/** What a partition costs beside its arrays, and an exit: objects, views, slots. */
const OVERHEAD = 300
const EXIT = 60
/** States are below this in the keys of rests: keys are exact for the first 2^27 rests. */
const STATES = 2 ** 26

class Kept {
  readonly cache: PartitionCache
  /** Of the whole vocabulary, by state. */
  readonly whole: (Partition | undefined)[] = []
  /** Of rests, by the rest alone in the first state. */
  readonly ofRests = new Map<number, Partition>()
  /** Whether there is something to forget. */
  isListed = false

  constructor(cache: PartitionCache) {
    this.cache = cache
  }
}

export class PartitionCache {
  readonly #maxBytes: number
  #all: Kept[] = []
  /** Masks that several partitions may have in common. */
  #masks = new WeakSet<Uint32Array>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get byteLength(): number {
    return this.#bytes
  }

  get(dfa: Dfa, state: number, rest: Rest | null): Partition | undefined {
    const { kept } = dfa
    if (!(kept instanceof Kept) || kept.cache !== this) return undefined
    return rest === null ? kept.whole[state] : kept.ofRests.get(keyOf(dfa, state, rest))
  }

  set(dfa: Dfa, state: number, rest: Rest | null, partition: Partition): void {
    const bytes = this.#bytesOf(partition)
    if (bytes > this.#maxBytes) return
    if (this.#bytes + bytes > this.#maxBytes) this.#forget()
    this.#bytes += bytes
    const known = dfa.kept
    const kept = known instanceof Kept && known.cache === this ? known : new Kept(this)
    dfa.kept = kept
    if (!kept.isListed) this.#all.push(kept)
    kept.isListed = true
    if (rest === null) kept.whole[state] = partition
    else kept.ofRests.set(keyOf(dfa, state, rest), partition)
  }

  #forget(): void {
    for (const kept of this.#all) {
      kept.whole.length = 0
      kept.ofRests.clear()
      kept.isListed = false
    }
    this.#all = []
    this.#masks = new WeakSet()
    this.#bytes = 0
  }

  #bytesOf({ dense, ids, whole, exits, amendment }: Partition): number {
    let bytes = OVERHEAD + ids.byteLength + whole.byteLength + EXIT * exits.length
    if (amendment !== null)
      bytes +=
        bytesOf(amendment.removed) +
        amendment.ids.byteLength +
        amendment.whole.byteLength +
        EXIT * amendment.exits.length
    if (dense !== null && !this.#masks.has(dense)) {
      this.#masks.add(dense)
      bytes += dense.byteLength
    }
    return bytes
  }
}

function bytesOf(lists: readonly Int32Array[]): number {
  let bytes = 0
  for (const { byteLength } of lists) bytes += byteLength
  return bytes
}

function keyOf(dfa: Dfa, state: number, rest: Rest): number {
  return state === dfa.start ? rest.id : rest.id * STATES + state
}
