/**
 * Opens the ONNX graph of a model folder, edited so that its caches need not be copied where that can be (added-rows.ts).
 *
 * Only operators that go by the attention mask may be given a past with room behind it. Whether a graph as a whole does is
 * tried out: the same tokens, once with and once without room, must give the same logits in a first run, in a block on top
 * of it, and in a single step. A graph that does not is opened as it is.
 */
import { open as openFile, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { ModelError } from '../errors.ts'
import { editForAddedRows } from './added-rows.ts'
import type { ModelFolder } from './folder.ts'
import { type Graph, readGraph } from './graph.ts'
import { RowCache, RowStore } from './row-store.ts'
import { loadRuntime } from './runtime.ts'
import { OnnxSequence } from './sequence.ts'

/** More than any machine has cores for one operator; thousands, which the runtime would start, bring a machine down. */
export const MAX_THREADS = 256

/** Room for what an edit puts behind a file. */
const HEADROOM = 1 << 20

/** Opens the graph; `threads` is the number of threads inside an operator, `asIs` leaves the file as it is. */
export async function openGraph(
  folder: ModelFolder,
  threads = availableParallelism(),
  asIs = false,
): Promise<Graph> {
  if (!(Number.isInteger(threads) && threads >= 1 && threads <= MAX_THREADS)) {
    throw new RangeError(`threads must be a whole number from 1 to ${MAX_THREADS}, not ${threads}`)
  }
  const edited = asIs ? null : await readEdited(folder.graph)
  if (edited !== null) {
    const graph = await open(folder, edited, threads).catch(() => null)
    if (graph !== null && (await readsPastWithRoom(graph, folder.contextLength))) return graph
    await graph?.session.release()
  }
  return open(folder, folder.graph, threads).catch(async (error: unknown) => {
    if (error instanceof ModelError) throw error
    const { size } = await stat(folder.graph)
    throw new ModelError(
      `${folder.graph} (${size} bytes) cannot be loaded; is the download complete? ` +
        `onnxruntime says: ${error instanceof Error ? error.message : error}`,
    )
  })
}

/** The file with the edit, or `null` where it is none for it. */
async function readEdited(path: string): Promise<Uint8Array | null> {
  const file = await openFile(path).catch(() => null)
  try {
    if (file === null) return null
    const { size } = await file.stat()
    const bytes = new Uint8Array(size + HEADROOM)
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(bytes, at, size - at, at)
      if (bytesRead === 0) return null
      at += bytesRead
    }
    const edit = editForAddedRows(bytes.subarray(0, size))
    if (edit === null || edit.length > HEADROOM) return null
    bytes.set(edit, size)
    return bytes.subarray(0, size + edit.length)
  } catch {
    // No ONNX file, or one too large for a buffer: loading it by its path will say what is wrong, if anything is.
    return null
  } finally {
    await file?.close()
  }
}

async function open(folder: ModelFolder, source: string | Uint8Array, threads: number): Promise<Graph> {
  const runtime = await loadRuntime()
  const session = await runtime.InferenceSession.create(source, {
    executionProviders: ['cpu'],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Every length is a shape of its own: a cache of memory patterns keyed by shapes would only grow.
    enableMemPattern: false,
    logSeverityLevel: 4,
    extra: {
      session: {
        // The runtime's threads spin while they wait for work, between two runs too, when the mask is made on the same cores.
        // They may spin within a run (`allow_spinning`), where they wait for each other.
        force_spinning_stop: '1',
        // Where weights lie beside a graph that does not come as a file.
        model_external_initializers_file_folder_path: dirname(folder.graph),
      },
    },
  })
  const vocabSize = folder.config.get('vocab_size')
  return readGraph(runtime, session, folder.graph, typeof vocabSize === 'number' ? vocabSize : undefined)
}

async function readsPastWithRoom(graph: Graph, limit: number): Promise<boolean> {
  const blocks = [[0, 1, 2], [3, 4], [5]]
  // The positions of the rows are one tensor for all caches.
  const sameHeads = graph.caches.every(({ heads }) => heads === graph.caches[0]!.heads)
  if (!sameHeads || limit < 6 || graph.width < 6) return false
  const store = new RowStore(graph, limit, true)
  const exact = new OnnxSequence(graph, limit, { cache: new RowCache(store), silent: true })
  const roomy = new OnnxSequence(graph, limit, { silent: true })
  for (const block of blocks) {
    const expected = await exact.append(block).catch(() => null)
    const found = await roomy.append(block).catch(() => null)
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
