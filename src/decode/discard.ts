/**
 * Frees the copies that `run` returns at once, not when the garbage collector finds them.
 *
 * onnxruntime-node 1.30 writes outputs into the tensors it is given and then copies each once more for its return value:
 * where a graph gives its whole caches, 50 MB a token at 1,000 positions of a model like the shipped one. As garbage they cause a
 * full collection every token or two. Posting buffers to a closed message port detaches them and drops the message with their
 * memory.
 *
 * PERF: the loop of `npm run bench -- decode --parts loops`, with the graph as it is in its file: 1,000 positions, one token,
 * 2 threads, Node 20.20, onnxruntime-node 1.30, median of 75: collected 24.3 ms, freed 19.0 ms; at 500 positions 17.8 and 14.2 ms; at 100 no difference.
 */
import { MessageChannel, type TransferListItem } from 'node:worker_threads'
import type { Tensor } from './runtime.ts'

const { port1: drain } = new MessageChannel()
drain.close()

/** Frees the buffers of `outputs`, except those that belong to the tensor of the same name in `kept`. */
export function discard(
  outputs: Readonly<Record<string, Tensor>>,
  kept: Readonly<Record<string, Tensor | null>>,
): void {
  const buffers: TransferListItem[] = []
  for (const name of Object.keys(outputs)) {
    const buffer = bufferOf(outputs[name])
    if (buffer !== null && buffer !== bufferOf(kept[name] ?? undefined)) buffers.push(buffer)
  }
  try {
    drain.postMessage(null, buffers)
  } catch {
    // A runtime that hands out memory of its own does not let it go: then that memory is its own affair.
  }
}

function bufferOf(tensor: Tensor | undefined): ArrayBuffer | null {
  const data = tensor?.data
  return ArrayBuffer.isView(data) && data.buffer instanceof ArrayBuffer ? data.buffer : null
}
