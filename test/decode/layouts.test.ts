/** Model folders of every layout that is read: each says valid documents and calls, alone, in a session and in a batch. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { type GenerateOptions, generate } from '../../src/decode/generate.ts'
import { loadModel, type Model } from '../../src/decode/model.ts'
import { ModelError } from '../../src/errors.ts'
import { Batch, call, compile, Session } from '../../src/index.ts'
import { onnxFile, withExternalData } from '../support/onnx-file.ts'

const FIXTURES = 'test/fixtures/models'

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'size'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 5 },
    size: { type: 'integer', minimum: 10, maximum: 99 },
    tags: { type: 'array', items: { enum: ['a', 'bé', null] }, maxItems: 2 },
  },
}
const validates = new Ajv2020().compile(SCHEMA)
const tools = [{ type: 'function', function: { name: 'set', parameters: SCHEMA } }]
const made: string[] = []

async function folderLike(fixture: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'espalier-layout-'))
  made.push(folder)
  await cp(`${FIXTURES}/${fixture}`, folder, { recursive: true })
  return folder
}

/** A model whose weights lie in a file beside the graph. */
async function withWeightsBeside(): Promise<string> {
  const folder = await folderLike('tiny-positions')
  const file = join(folder, 'onnx', 'model.onnx')
  const { model, weights } = withExternalData(await readFile(file), 'model.onnx_data')
  await writeFile(file, model)
  await writeFile(`${file}_data`, weights)
  expect(weights.length).toBeGreaterThan(model.length)
  return folder
}

afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true })
})

describe.each([
  ['tiny-positions', 'position_ids, float32', 313],
  ['tiny-keep', 'num_logits_to_keep', 313],
  ['tiny-half-padded', 'no position_ids, float16 caches and logits, wider than the vocabulary', 342],
  ['tiny-merged', 'use_cache_branch', 313],
  ['external data', 'weights in a file beside the graph', 313],
])('the layout of %s (%s)', (name, _, width) => {
  let model: Model
  beforeAll(async () => {
    model = await loadModel(name === 'external data' ? await withWeightsBeside() : `${FIXTURES}/${name}`, {
      threads: 1,
    })
  })
  afterAll(() => model.release())

  const say = async (options: Partial<GenerateOptions>) =>
    (await generate(model, {
      prompt: 'ab',
      schema: SCHEMA,
      maxTokens: 80,
      finishWithin: 'budget',
      ...options,
    }).result) as { text: string; stopReason: string }

  it('says documents of a schema, with jumps and without, greedy and sampled', async () => {
    for (const setting of [
      {},
      { jumpForward: false },
      { temperature: 2, seed: 1 },
      { temperature: 1, topK: 20, seed: 2 },
    ]) {
      const { stopReason, text } = await say(setting)
      expect(stopReason).toBe('complete')
      expect(validates(JSON.parse(text)), text).toBe(true)
    }
  })

  it('says strict calls', async () => {
    const messages = [{ role: 'user', content: 'set it' }]
    const options = { toolChoice: 'required', parallelToolCalls: false, finishWithin: 'budget' } as const
    for (const jumpForward of [true, false]) {
      const { stopReason, calls } = await call(model, { tools, messages, ...options, jumpForward }).result
      expect(stopReason).toBe('complete')
      expect(calls).toHaveLength(1)
      expect(validates(calls[0]!.arguments)).toBe(true)
    }
  })

  it('says the same in a session, and in a batch', async () => {
    const prompts = ['{"name": "abc"} and', '{"name": "abc"} or', '{"name"']
    const settings = { temperature: 1, seed: 7 }
    const alone = []
    for (const prompt of prompts) alone.push((await say({ prompt, ...settings })).text)
    const session = new Session(model)
    for (const [at, prompt] of prompts.entries())
      expect((await say({ prompt, session, ...settings })).text).toBe(alone[at])
    const batch = new Batch(model, { maxRuns: 2 })
    const together = await Promise.all(prompts.map((prompt) => say({ prompt, batch, ...settings })))
    expect(together.map(({ text }) => text)).toEqual(alone)
  })

  it('never says an id that is no token, constrained or free', async () => {
    expect(model.vocabulary.size).toBe(width)
    const isToken = (id: number) => !model.vocabulary.isHole(id)
    expect(Array.from({ length: width }, (_, id) => id).filter((id) => !isToken(id))).toHaveLength(
      width - 313,
    )
    const mask = compile(true, model.vocabulary).matcher().mask()
    for (let id = 313; id < width; id++) expect(hasBit(mask, id)).toBe(false)
    const free = generate(model, { prompt: 'ab', temperature: 50, seed: 3, maxTokens: 100 })
    for await (const event of free) if (event.type === 'token') expect(isToken(event.id)).toBe(true)
  })
})

describe('graphs that are no decoders', () => {
  const past = ['past_key_values.0.key', 'past_key_values.0.value']
  it.each([
    [
      'an encoder',
      ['input_ids', 'attention_mask'],
      ['last_hidden_state'],
      /is an encoder \(it gives last_hidden_state/,
    ],
    [
      'a classifier',
      ['input_ids', 'attention_mask', 'token_type_ids'],
      ['logits'],
      /is an encoder \(it asks for token_type_ids/,
    ],
    [
      'the decoder of an encoder-decoder',
      ['input_ids', 'encoder_hidden_states', ...past],
      ['logits'],
      /is the decoder of an encoder-decoder model/,
    ],
    [
      'a decoder that takes embeddings',
      ['inputs_embeds', 'attention_mask', ...past],
      ['logits'],
      /language part of a model of images or sound/,
    ],
    [
      'a model of images',
      ['pixel_values'],
      ['logits'],
      /model of images or sound \(it asks for pixel_values\)/,
    ],
    ['something else', ['x', 'y'], ['z'], /is no language model \(it asks for x, y and not for input_ids\)/],
    [
      'a model with another memory',
      ['input_ids', 'past_conv.0', 'past_ssm.0'],
      ['logits'],
      /memory is not one of keys and values alone \(it asks for past_conv\.0\)/,
    ],
    [
      'a decoder without a cache',
      ['input_ids', 'attention_mask'],
      ['logits'],
      /has no past_key_values inputs; export the model with a cache/,
    ],
    [
      'a decoder without logits',
      ['input_ids', ...past],
      ['present.0.key', 'present.0.value'],
      /has the shape|no output "logits"/,
    ],
  ])('%s is refused by what it asks for and gives', async (_, inputs, outputs, message) => {
    const folder = await folderLike('tiny-positions')
    await writeFile(join(folder, 'onnx', 'model.onnx'), onnxFile(inputs, outputs))
    await expect(loadModel(folder)).rejects.toThrow(ModelError)
    await expect(loadModel(folder)).rejects.toThrow(message)
  })

  it.each([
    [['encoder_model.onnx', 'decoder_model.onnx'], /encoder-decoder model/],
    [['decoder_model.onnx', 'decoder_with_past_model.onnx'], /export them merged/],
    [['vision.onnx', 'audio.onnx'], /there are audio\.onnx, vision\.onnx/],
  ])('a folder with %j says what to do', async (files, message) => {
    const folder = await folderLike('tiny-positions')
    await rm(join(folder, 'onnx', 'model.onnx'))
    for (const file of files) await writeFile(join(folder, 'onnx', file), '')
    await expect(loadModel(folder)).rejects.toThrow(message)
  })

  it('weights that are missing are said to be', async () => {
    const folder = await withWeightsBeside()
    await rm(join(folder, 'onnx', 'model.onnx_data'))
    await expect(loadModel(folder)).rejects.toThrow(
      /model\.onnx \(\d+ bytes\) cannot be loaded; .*model\.onnx_data/su,
    )
  })
})
