/** Small ONNX files for tests of what is asked of a graph: any inputs, outputs that are the first of them as floats. */
import { field, fieldsOf, joined, numberField } from '../../src/decode/protobuf.ts'

const INT64 = 7
const FLOAT = 1

function tensor(name: string, element: number): Uint8Array {
  return joined([field(1, name), field(2, field(1, numberField(1, element)))])
}

/** A file whose inputs are int64, and whose outputs float. */
export function onnxFile(inputs: readonly string[], outputs: readonly string[]): Uint8Array {
  const to = field(5, field(1, 'to'), numberField(3, FLOAT), numberField(20, 2))
  const nodes = outputs.map((name) => field(1, field(1, inputs[0]!), field(2, name), field(4, 'Cast'), to))
  const graph = joined([
    ...nodes,
    field(2, 'graph'),
    ...inputs.map((name) => field(11, tensor(name, INT64))),
    ...outputs.map((name) => field(12, tensor(name, FLOAT))),
  ])
  return joined([numberField(1, 8), field(7, graph), field(8, field(1, ''), numberField(2, 13))])
}

/** The model with its larger weights in a file beside it, as exporters write what is larger than a message may be. */
export function withExternalData(
  model: Uint8Array,
  location: string,
): { model: Uint8Array; weights: Uint8Array } {
  const weights: Uint8Array[] = []
  let offset = 0
  const entry = (key: string, value: string) => field(13, field(1, key), field(2, value))
  const move = (tensor: { start: number; end: number }): Uint8Array => {
    const parts = [...fieldsOf(model, tensor.start, tensor.end)].map((part) => {
      const raw = model.subarray(part.start, part.end)
      if (part.number !== 9 || raw.length < 1024) return model.subarray(part.tag, part.end)
      weights.push(raw)
      offset += raw.length
      return joined([
        entry('location', location),
        entry('offset', `${offset - raw.length}`),
        entry('length', `${raw.length}`),
        numberField(14, 1),
      ])
    })
    return field(5, ...parts)
  }
  const parts = [...fieldsOf(model)].map((part) =>
    part.number === 7
      ? field(
          7,
          ...[...fieldsOf(model, part.start, part.end)].map((each) =>
            each.number === 5 ? move(each) : model.subarray(each.tag, each.end),
          ),
        )
      : model.subarray(part.tag, part.end),
  )
  return { model: joined(parts), weights: joined(weights) }
}
