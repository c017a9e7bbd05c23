/** The other half of overlap.ts: a thread that makes masks, with a vocabulary, a grammar and a matcher of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { loadVocabulary } from '../../src/decode/model.ts'
import { compile, type Matcher } from '../../src/index.ts'

/** What both threads see. `state[0]` says whose turn it is, `state[1]` which token was chosen. */
export interface Shared {
  readonly state: Int32Array
  readonly mask: Uint32Array
}

export const ASKED = 1
const DONE = 0

async function work(folder: string, schema: object, { state, mask }: Shared): Promise<void> {
  const grammar = compile(schema, await loadVocabulary(folder))
  let matcher: Matcher = grammar.matcher()
  parentPort!.postMessage('ready')
  for (;;) {
    Atomics.wait(state, 0, DONE)
    const id = state[1]!
    if (id < 0) matcher = grammar.matcher()
    else matcher.accept(id)
    matcher.mask(mask)
    Atomics.store(state, 0, DONE)
    Atomics.notify(state, 0)
  }
}

if (parentPort !== null) await work(workerData.folder, workerData.schema, workerData.shared)
