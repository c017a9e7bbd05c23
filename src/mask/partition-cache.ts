/**
 * Partitions that were made, up to a bound in bytes; when it is exceeded all are forgotten, to be made again.
 *
 * They are kept on their automata, so that those of a grammar go with it: looking one up is then two loads, or a map with
 * small keys for a rest.
 */
import type { Dfa } from '../automaton/dfa.ts'
import type { Partition } from './partition-parts.ts'
import type { Rest } from './rest.ts'

/** What a partition costs beside its arrays: the object, its views, the slot. */
const OVERHEAD = 300
/** States are below this in the keys of rests. */
const STATES = 2 ** 26

class Kept {
  readonly owner: object
  /** Of the whole vocabulary, by state. */
  readonly whole: (Partition | undefined)[] = []
  /** Of rests, by the rest alone in the first state. */
  readonly ofRests = new Map<number, Partition>()

  constructor(owner: object) {
    this.owner = owner
  }
}

export class PartitionCache {
  readonly #maxBytes: number
  /** What was kept under another one is forgotten. */
  #owner = {}
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes made since all were forgotten: at least those held. */
  get byteLength(): number {
    return this.#bytes
  }

  get(dfa: Dfa, state: number, rest: Rest | null): Partition | undefined {
    const { kept } = dfa
    if (!(kept instanceof Kept) || kept.owner !== this.#owner) return undefined
    return rest === null ? kept.whole[state] : kept.ofRests.get(keyOf(dfa, state, rest))
  }

  set(dfa: Dfa, state: number, rest: Rest | null, partition: Partition): void {
    const bytes = OVERHEAD + bytesOf(partition)
    this.#bytes += bytes
    if (this.#bytes > this.#maxBytes) {
      this.#owner = {}
      this.#bytes = bytes
    }
    let { kept } = dfa
    if (!(kept instanceof Kept) || kept.owner !== this.#owner) {
      kept = new Kept(this.#owner)
      dfa.kept = kept
    }
    const { whole, ofRests } = kept as Kept
    if (rest === null) whole[state] = partition
    else ofRests.set(keyOf(dfa, state, rest), partition)
  }
}

function keyOf(dfa: Dfa, state: number, rest: Rest): number {
  return state === dfa.start ? rest.id : rest.id * STATES + state
}

function bytesOf({ dense, ids, whole, amendment }: Partition): number {
  const amended = amendment === null ? 0 : amendment.removed.byteLength + amendment.ids.byteLength
  return (dense?.byteLength ?? 0) + ids.byteLength + whole.byteLength + amended
}
