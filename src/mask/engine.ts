/** What all grammars over one vocabulary share: the automata and partitions that depend on no grammar. */
import { DfaPool } from '../automaton/dfa-pool.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { Bases } from './bases.ts'
import { MaskBuffers } from './mask-buffers.ts'
import { Partitions } from './partition.ts'

export interface Engine {
  readonly pool: DfaPool
  readonly partitions: Partitions
  readonly bases: Bases
  readonly buffers: MaskBuffers
}

const engines = new WeakMap<Vocabulary, Engine>()

export function engineOf(vocabulary: Vocabulary): Engine {
  let engine = engines.get(vocabulary)
  if (engine === undefined) {
    const pool = new DfaPool(vocabulary.alphabet)
    engine = {
      pool,
      partitions: new Partitions(vocabulary, pool),
      bases: new Bases(vocabulary),
      buffers: new MaskBuffers((vocabulary.size + 31) >>> 5),
    }
    engines.set(vocabulary, engine)
  }
  return engine
}
