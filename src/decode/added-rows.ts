/**
 * Edits a decoder's ONNX file so that a run gives the rows it added to its caches, and not the caches.
 *
 * An exported decoder takes `past_key_values.*` and gives `present.*`, which is the past once more with a few rows behind it.
 * onnxruntime-node copies every output into memory of its own: 46 KB a position and token for the shipped model, dearer
 * than the attention itself from some 2,000 positions on. The edited graph gathers the new rows out of `present.*`, and those
 * are the output `added.*`. The past stays where it is, in buffers of the caller's.
 *
 * That needs an operator which reads a past that has room behind its rows, as `GroupQueryAttention` does: it goes by the
 * attention mask. For any other graph the answer is `null`.
 *
 * The file is not parsed but walked over (30 ms for 100 MB, mostly copying). The outputs `present.*` get the tag of a field
 * that ONNX reserves, so readers skip them; what is new is appended as a second graph, which Protocol Buffers merges with
 * the first.
 *
 * PERF: the loop of `npm run bench -- decode --parts loops` by CPU time (which other programs disturb little): a token,
 * 1 thread, Node 20.20, onnxruntime-node 1.30, smallest of 24; before is one buffer for past and present, capacity as after the slash:
 * 60/64 positions 8.8 → 8.4 ms, 500/1,088 13.7 → 11.9, 1,000/1,088 16.1 → 14.0, 2,000/2,048 30.8 → 20.1 (and up to 50 where the
 * allocator gave each copy fresh pages). Logits are equal to the last bit.
 */
import { ADDED, PRESENT, ROWS_INPUT } from './graph.ts'
import { field, fieldsNumbered, fieldsOf, joined, numberField, type Span, textOf } from './protobuf.ts'

/** Field numbers of onnx.proto3. */
const MODEL = { opset: 8, graph: 7 }
const OPSET = { domain: 1, version: 2 }
const GRAPH = { node: 1, reserved: 9, input: 11, output: 12 }
const NODE = { input: 1, output: 2, name: 3, operator: 4, attribute: 5 }
const ATTRIBUTE = { name: 1, int: 3, type: 20 }
const VALUE = { name: 1, type: 2 }
const TYPE = { tensor: 1 }
const TENSOR = { element: 1, shape: 2 }
const INT64 = 7
const INT_ATTRIBUTE = 2
const OPERATOR = 'GroupQueryAttention'
/** Since then `GatherND` has `batch_dims`. */
const MIN_OPSET = 12

/**
 * Edits the file in `model`, and gives the bytes to put behind it; `null`, and no change, where the graph cannot be edited.
 * Throws `RangeError` for what is no ONNX file.
 */
export function editForAddedRows(model: Uint8Array): Uint8Array | null {
  let graph: Span | undefined
  let opset = 0
  for (const part of fieldsOf(model)) {
    if (part.number === MODEL.graph) {
      if (graph !== undefined) return null
      graph = part
    } else if (part.number === MODEL.opset) {
      const domain = [...fieldsNumbered(model, part, OPSET.domain)]
        .map((each) => textOf(model, each))
        .join('')
      if (domain === '' || domain === 'ai.onnx')
        for (const { value } of fieldsNumbered(model, part, OPSET.version)) opset = value
    }
  }
  if (graph === undefined || opset < MIN_OPSET) return null
  const outputs = [...fieldsNumbered(model, graph, GRAPH.output)]
    .map((output) => ({ output, name: nameOf(model, output), element: elementOf(model, output) }))
    .filter(({ name }) => name.startsWith(PRESENT))
  const attended = attendedOutputs(model, graph)
  if (outputs.length === 0 || !outputs.every(({ name }) => attended.has(name))) return null
  const appended = [field(GRAPH.input, value(ROWS_INPUT, INT64))]
  for (const { output, name, element } of outputs) {
    const added = ADDED + name.slice(PRESENT.length)
    appended.push(field(GRAPH.node, gather(name, added)), field(GRAPH.output, value(added, element)))
    // Both tags are one byte, the last three bits of which say that a length follows.
    model[output.tag] = GRAPH.reserved * 8 + (model[output.tag]! & 7)
  }
  return field(MODEL.graph, ...appended)
}

/** Names of all that the attention operator writes. */
function attendedOutputs(model: Uint8Array, graph: Span): Set<string> {
  const names = new Set<string>()
  for (const node of fieldsNumbered(model, graph, GRAPH.node)) {
    const parts = [...fieldsOf(model, node.start, node.end)]
    const operator = parts.find(({ number }) => number === NODE.operator)
    if (operator === undefined || textOf(model, operator) !== OPERATOR) continue
    for (const part of parts) if (part.number === NODE.output) names.add(textOf(model, part))
  }
  return names
}

function nameOf(model: Uint8Array, value: Span): string {
  for (const name of fieldsNumbered(model, value, VALUE.name)) return textOf(model, name)
  return ''
}

/** The element type of a tensor, as ONNX numbers them. */
function elementOf(model: Uint8Array, value: Span): number {
  for (const type of fieldsNumbered(model, value, VALUE.type))
    for (const tensor of fieldsNumbered(model, type, TYPE.tensor))
      for (const element of fieldsNumbered(model, tensor, TENSOR.element)) return element.value
  return 0
}

/** A tensor of any size. */
function value(name: string, element: number): Uint8Array {
  const tensor = field(TYPE.tensor, numberField(TENSOR.element, element))
  return joined([field(VALUE.name, name), field(VALUE.type, tensor)])
}

/** Rows of `from`, `[batch, heads, positions, width]`, each of its own position in each head of each text. */
function gather(from: string, to: string): Uint8Array {
  const dims = joined([
    field(ATTRIBUTE.name, 'batch_dims'),
    numberField(ATTRIBUTE.int, 2),
    numberField(ATTRIBUTE.type, INT_ATTRIBUTE),
  ])
  return joined([
    field(NODE.input, from),
    field(NODE.input, ROWS_INPUT),
    field(NODE.output, to),
    field(NODE.name, `gather.${to}`),
    field(NODE.operator, 'GatherND'),
    field(NODE.attribute, dims),
  ])
}
