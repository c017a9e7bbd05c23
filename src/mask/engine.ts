/** What all grammars over one vocabulary share: the automata and partitions that depend on no grammar. */
import { DfaPool } from '../automaton/dfa-pool.ts'
import { wordCount } from '../bits.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { Bases } from './bases.ts'
import { BOUNDS } from './bounds.ts'
import { MaskBuffers } from './mask-buffers.ts'
import { Partitions } from './partition.ts'
import { TokenGroups } from './token-groups.ts'

export interface Engine {
  readonly pool: DfaPool
  readonly partitions: Partitions
  readonly bases: Bases
  readonly buffers: MaskBuffers
  readonly groups: TokenGroups
}

const engines = new WeakMap<Vocabulary, Engine>()

/** @param bounds those of the engine, should it be made now */
export function engineOf(vocabulary: Vocabulary, bounds = BOUNDS): Engine {
  let engine = engines.get(vocabulary)
  if (engine === undefined) {
    const pool = new DfaPool(vocabulary.alphabet, bounds.automata)
    engine = {
      pool,
      partitions: new Partitions(vocabulary, pool, bounds),
      bases: new Bases(vocabulary, bounds.unions),
      buffers: new MaskBuffers(wordCount(vocabulary.size), bounds.buffers),
      groups: new TokenGroups(vocabulary),
    }
    engines.set(vocabulary, engine)
  }
  return engine
}
