import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readModelFolder } from '../../src/decode/folder.ts'
import { openGraph } from '../../src/decode/open-graph.ts'
import { OnnxSequence } from '../../src/decode/sequence.ts'
import { withExternalData } from '../support/onnx-file.ts'

const shipped = 'models/smollm2-135m-instruct'

it('edits a graph whose weights lie in a file beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'espalier-external-'))
  try {
    await mkdir(join(folder, 'onnx'))
    for (const file of ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'])
      await symlink(resolve(shipped, file), join(folder, file))
    const { model, weights } = withExternalData(
      await readFile(`${shipped}/onnx/model_q4.onnx`),
      'model_q4.onnx_data',
    )
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
