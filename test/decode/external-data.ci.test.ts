import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readModelFolder } from '../../src/decode/folder.ts'
import { openGraph } from '../../src/decode/open-graph.ts'
import { field, fieldsOf, joined, numberField } from '../../src/decode/protobuf.ts'
import { OnnxSequence } from '../../src/decode/sequence.ts'

const shipped = 'models/smollm2-135m-instruct'

/** The model with the weights in a file beside it, as exporters write what is larger than a message may be. */
function split(model: Uint8Array, location: string): { model: Uint8Array; weights: Uint8Array } {
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

it('edits a graph whose weights lie in a file beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'espalier-external-'))
  try {
    await mkdir(join(folder, 'onnx'))
    for (const file of ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'])
      await symlink(resolve(shipped, file), join(folder, file))
    const { model, weights } = split(await readFile(`${shipped}/onnx/model_q4.onnx`), 'model_q4.onnx_data')
    await writeFile(join(folder, 'onnx', 'model_q4.onnx'), model)
    await writeFile(join(folder, 'onnx', 'model_q4.onnx_data'), weights)
    expect(weights.length).toBeGreaterThan(90e6)
    expect(model.length).toBeLessThan(2e6)
    const graphs = [
      await openGraph(await readModelFolder(folder)),
      await openGraph(await readModelFolder(shipped)),
    ]
    const logits = []
    for (const graph of graphs) {
      expect(graph.addsRows).toBe(true)
      const sequence = new OnnxSequence(graph, 100)
      await sequence.append([1, 2, 3])
      logits.push(Float32Array.from((await sequence.append([4]))!))
      await graph.session.release()
    }
    expect(logits[0]).toEqual(logits[1])
  } finally {
    await rm(folder, { recursive: true })
  }
})
