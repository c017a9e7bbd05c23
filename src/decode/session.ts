/**
 * Opens the ONNX graph of a model folder and finds out how its cache may be kept.
 *
 * Sharing one buffer for past and present halves the time of a token at 1,000 positions, but only operators that know
 * of it may be given one. Whether a graph does is tried out: the same tokens, once with separate and once with shared
 * buffers, must give the same logits in a first run, in a block on top of it, and in a single step.
 */

import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { ModelError } from '../errors.ts'
import type { ModelFolder } from './folder.ts'
import { type Graph, readGraph } from './graph.ts'
import { loadRuntime } from './runtime.ts'
import { OnnxSequence } from './sequence.ts'

export interface OpenGraph {
  readonly graph: Graph
  /** Whether past and present may be one buffer. */
  readonly shared: boolean
}

/** More than any machine has cores for one operator; thousands, which the runtime would start, bring a machine down. */
export const MAX_THREADS = 256

/** Creates the session; `threads` is the number of threads inside an operator. */
export async function openGraph(folder: ModelFolder, threads = availableParallelism()): Promise<OpenGraph> {
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= MAX_THREADS)) {
    throw new RangeError(`threads must be a whole number from 1 to ${MAX_THREADS}, not ${threads}`)
  }
  const runtime = await loadRuntime()
  const session = await runtime.InferenceSession.create(folder.graph, {
    executionProviders: ['cpu'],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Every length is a shape of its own: a cache of memory patterns keyed by shapes would only grow.
    enableMemPattern: false,
    logSeverityLevel: 4,
    // The runtime's threads spin while they wait for work; between two runs that work is the mask's, on the same cores.
    // PERF: 2 cores, Node 20.20, onnxruntime-node 1.30, other programs running: a loop of 1.0 ms in JavaScript between runs
    // took 2.7 ms with spinning, 1.0 ms without, at the same time for the run (27 and 26 ms; 10.3 and 11.1 ms undisturbed).
    // Rejected: no spinning at all (`allow_spinning: '0'`), 13.3 ms undisturbed.
    extra: { session: { force_spinning_stop: '1' } },
  }).catch(async (error: unknown) => {
    const { size } = await stat(folder.graph)
    throw new ModelError(
      `${folder.graph} (${size} bytes) cannot be loaded; is the download complete? ` +
        `onnxruntime says: ${error instanceof Error ? error.message : error}`,
    )
  })
  const vocabSize = folder.config.get('vocab_size')
  const graph = readGraph(
    runtime,
    session,
    folder.graph,
    typeof vocabSize === 'number' ? vocabSize : undefined,
  )
  return { graph, shared: await sharesCache(graph, folder.contextLength) }
}

async function sharesCache(graph: Graph, limit: number): Promise<boolean> {
  const blocks = [[0, 1, 2], [3, 4], [5]]
  if (limit < 6 || graph.width < 6) return false
  const separate = new OnnxSequence(graph, limit, false)
  const shared = new OnnxSequence(graph, limit, true, true)
  for (const block of blocks) {
    const expected = await separate.append(block)
    // A graph that concatenates refuses the shapes or writes more than fits: an error here is the answer "no".
    const found = await shared.append(block).catch(() => null)
    if (expected === null || found === null || !sameLogits(expected, found)) return false
  }
  return true
}

function sameLogits(a: Float32Array, b: Float32Array): boolean {
  for (let i = 0; i < a.length; i++) {
    if (!(Math.abs(a[i]! - b[i]!) <= 1e-4 * Math.max(1, Math.abs(a[i]!)))) return false
  }
  return true
}
