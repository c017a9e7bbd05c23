import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editForAddedRows } from '../../src/decode/added-rows.ts'
import { field, fieldsNumbered, fieldsOf, joined, numberField, textOf } from '../../src/decode/protobuf.ts'

const OUTPUT = 12
const present = (name: string): Uint8Array =>
  field(OUTPUT, field(1, name), field(2, field(1, numberField(1, 10))))
const attention = (...outputs: string[]): Uint8Array =>
  field(1, ...outputs.map((name) => field(2, name)), field(4, 'GroupQueryAttention'))
const model = (opset: number, ...graph: Uint8Array[]): Uint8Array =>
  joined([numberField(1, 8), field(8, field(1, ''), numberField(2, opset)), field(7, ...graph)])

/** What a reader that merges both graphs sees: names of nodes' outputs, inputs and outputs of the graph. */
function read(bytes: Uint8Array): Record<'nodes' | 'inputs' | 'outputs', string[]> {
  const seen = { nodes: [] as string[], inputs: [] as string[], outputs: [] as string[] }
  for (const graph of fieldsNumbered(bytes, { start: 0, end: bytes.length }, 7)) {
    const names = (number: number, name: number) =>
      [...fieldsNumbered(bytes, graph, number)].flatMap((each) =>
        [...fieldsNumbered(bytes, each, name)].map((text) => textOf(bytes, text)),
      )
    seen.nodes.push(...names(1, 2))
    seen.inputs.push(...names(11, 1))
    seen.outputs.push(...names(OUTPUT, 1))
  }
  return seen
}

describe('editForAddedRows', () => {
  it('puts an output with the new rows in the place of each cache', () => {
    const bytes = model(
      21,
      attention('hidden', 'present.0.key', 'present.0.value'),
      field(OUTPUT, field(1, 'logits')),
      present('present.0.key'),
      present('present.0.value'),
    )
    const edit = editForAddedRows(bytes)!
    expect(read(joined([bytes, edit]))).toEqual({
      nodes: ['hidden', 'present.0.key', 'present.0.value', 'added.0.key', 'added.0.value'],
      inputs: ['added_positions'],
      outputs: ['logits', 'added.0.key', 'added.0.value'],
    })
    // The type goes along: 10 is float16.
    const [output] = [...fieldsOf(edit)].flatMap((graph) => [...fieldsNumbered(edit, graph, OUTPUT)])
    expect(Buffer.from(edit.subarray(output!.start, output!.end)).toString('hex')).toContain('0a02080a')
  })

  it('leaves a graph alone whose caches come from another operator, or whose operators are too old', () => {
    const outputs = [present('present.0.key'), present('present.0.value')]
    const cases = [
      model(21, attention('hidden', 'present.0.key'), ...outputs),
      model(11, attention('hidden', 'present.0.key', 'present.0.value'), ...outputs),
      model(21, attention('hidden', 'present.0.key', 'present.0.value')),
      new Uint8Array(0),
      readFileSync('test/fixtures/models/tiny-keep/onnx/model_q4.onnx'),
    ]
    for (const bytes of cases) {
      const before = Uint8Array.from(bytes)
      expect(editForAddedRows(bytes)).toBe(null)
      expect(Buffer.compare(bytes, before)).toBe(0)
    }
  })

  it('says that bytes are no message, wherever they end', () => {
    const bytes = model(21, attention('hidden', 'present.0.key'), present('present.0.key'))
    for (let length = 1; length < bytes.length; length++) {
      const cut = bytes.slice(0, length)
      try {
        expect(editForAddedRows(cut)).toBe(null)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
    expect(() => editForAddedRows(Uint8Array.of(7))).toThrow(RangeError)
  })
})
