import { copyFile, cp, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readModelFolder } from '../../src/decode/folder.ts'
import { loadModel, loadVocabulary } from '../../src/decode/model.ts'
import { ModelError, VocabularyError } from '../../src/errors.ts'

const fixture = 'test/fixtures/models/tiny-positions'
const made: string[] = []
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espalier-model-'))
  made.push(folder)
  await cp(fixture, folder, { recursive: true })
})
afterAll(async () => {
  for (const path of made) await rm(path, { recursive: true })
})

async function edit(file: string, change: (value: Record<string, unknown>) => void): Promise<void> {
  const value = JSON.parse(await readFile(join(folder, file), 'utf8'))
  change(value)
  await writeFile(join(folder, file), JSON.stringify(value))
}

describe('readModelFolder', () => {
  it('reads end tokens from all files together, the context length and the template', async () => {
    await edit('generation_config.json', (value) => {
      value.eos_token_id = [308]
    })
    await edit('config.json', (value) => {
      value.eos_token_id = 312
    })
    const files = await readModelFolder(folder)
    // 310 is the tokenizer's own.
    expect(files.endTokens).toEqual([308, 310, 312])
    expect(files.contextLength).toBe(1024)
    expect(files.chatTemplate).toContain('<|im_start|>')
    await edit('config.json', (value) => {
      value.max_position_embeddings = 99
    })
    expect((await readModelFolder(folder)).contextLength).toBe(99)
  })

  it('chooses the graph by dtype, by the config, or as the only one, and else says which there are', async () => {
    const graph = (name: string) => join(folder, 'onnx', name)
    await copyFile(graph('model.onnx'), graph('decoder_model_merged_q4.onnx'))
    expect((await readModelFolder(folder)).graph).toBe(graph('model.onnx'))
    expect((await readModelFolder(folder, 'q4')).graph).toBe(graph('decoder_model_merged_q4.onnx'))
    await expect(readModelFolder(folder, 'fp16')).rejects.toThrow(
      'no graph for dtype fp16; there are: q4, fp32',
    )
    await expect(readModelFolder(folder, 'q5')).rejects.toThrow(/"q5" is not known/)
    await edit('config.json', (value) => {
      value['transformers.js_config'] = { dtype: 'q4' }
    })
    expect((await readModelFolder(folder)).graph).toBe(graph('decoder_model_merged_q4.onnx'))
    await rm(graph('model.onnx'))
    await edit('config.json', (value) => {
      delete value['transformers.js_config']
    })
    expect((await readModelFolder(folder)).graph).toBe(graph('decoder_model_merged_q4.onnx'))
    await copyFile(graph('decoder_model_merged_q4.onnx'), graph('model_fp16.onnx'))
    await expect(readModelFolder(folder)).rejects.toThrow(/choose one with dtype/)
  })

  it('takes a template for tools from a list, and a template file before anything', async () => {
    await edit('tokenizer_config.json', (value) => {
      value.chat_template = [
        { name: 'default', template: 'A' },
        { name: 'tool_use', template: 'B' },
      ]
    })
    expect(await readModelFolder(folder)).toMatchObject({ chatTemplate: 'A', toolTemplate: 'B' })
    await writeFile(join(folder, 'chat_template.jinja'), 'C')
    expect(await readModelFolder(folder)).toMatchObject({ chatTemplate: 'C', toolTemplate: 'C' })
  })

  it('says which file is missing or broken', async () => {
    await expect(readModelFolder(join(folder, 'nowhere'))).rejects.toThrow(/no such folder/)
    await expect(readModelFolder(join(folder, 'config.json'))).rejects.toThrow(/is a file/)
    await writeFile(join(folder, 'generation_config.json'), '{')
    await expect(readModelFolder(folder)).rejects.toThrow(/generation_config\.json is not JSON/)
    await rm(join(folder, 'generation_config.json'))
    await rm(join(folder, 'onnx', 'model.onnx'))
    await expect(readModelFolder(folder)).rejects.toThrow(/is the download complete/)
    await rm(join(folder, 'tokenizer.json'))
    await expect(readModelFolder(folder)).rejects.toThrow(/tokenizer\.json: no such file/)
    await rm(join(folder, 'config.json'))
    await expect(readModelFolder(folder)).rejects.toThrow(/config\.json: no such file/)
  })

  it('refuses a folder that names no end token', async () => {
    await rm(join(folder, 'generation_config.json'))
    for (const file of ['config.json', 'tokenizer_config.json']) {
      await edit(file, (value) => {
        delete value.eos_token_id
        delete value.eos_token
      })
    }
    await expect(readModelFolder(folder)).rejects.toThrow(/no end token/)
  })
})

describe('loadModel', () => {
  it('loads a vocabulary as wide as the logits, and without a graph one as wide as the tokenizer', async () => {
    const model = await loadModel(folder, { threads: 1 })
    expect(model.vocabulary.size).toBe(313)
    expect(model.vocabulary.endTokens).toEqual([308, 310])
    expect(model.contextLength).toBe(1024)
    await model.release()
    await rm(join(folder, 'onnx'), { recursive: true })
    expect((await loadVocabulary(folder)).endTokens).toEqual([308, 310])
  })

  it('says that a truncated graph cannot be loaded', async () => {
    const file = await open(join(folder, 'onnx', 'model.onnx'), 'r+')
    await file.truncate(100_000)
    await file.close()
    await expect(loadModel(folder)).rejects.toThrow(ModelError)
    await expect(loadModel(folder)).rejects.toThrow(/\(100000 bytes\) cannot be loaded/)
    await writeFile(join(folder, 'onnx', 'model.onnx'), '')
    await expect(loadModel(folder)).rejects.toThrow(ModelError)
  })

  it('says that an input is not supported', async () => {
    const file = join(folder, 'onnx', 'model.onnx')
    const bytes = await readFile(file, 'latin1')
    // The same length, so that the encoding of the graph stays valid.
    await writeFile(file, bytes.replaceAll('position_ids', 'position_idx'), 'latin1')
    await expect(loadModel(folder)).rejects.toThrow(
      /asks for the input "position_idx", which is not supported/,
    )
  })

  it('refuses a tokenizer of another family by name, and threads that are none', async () => {
    await expect(loadModel(folder, { threads: 0 })).rejects.toThrow(RangeError)
    await edit('tokenizer.json', (value) => {
      Object.assign(value.model as object, { type: 'WordPiece' })
    })
    await expect(loadModel(folder)).rejects.toThrow(VocabularyError)
  })
})
