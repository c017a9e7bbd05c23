import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readMessages } from '../../src/decode/messages.ts'
import { SchemaError } from '../../src/errors.ts'
import { call, loadModel, type Message, type Model } from '../../src/index.ts'
import { readJson } from '../../src/json/read.ts'
import { readTools } from '../../src/tools/definitions.ts'
import type { CallFormat } from '../../src/tools/formats/format.ts'
import { hermes } from '../../src/tools/formats/hermes.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { callPrompt, promptPieces, schemaInstructions } from '../../src/tools/prompt.ts'
import { REQUESTS, TOOLS } from './requests.ts'

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void
const ajv = new Ajv2020({ strict: false })
addFormats(ajv)
const validators = new Map(
  TOOLS.map((tool) => [tool.function.name as string, ajv.compile(tool.function.parameters)]),
)
/** One call, whatever the model would rather do. */
const ONE = { toolChoice: 'required', parallelToolCalls: false } as const
const ONE_CALL = { mayTalk: false, max: 1 }
const user = (content: string): Message[] => [{ role: 'user', content }]

describe('call, with the shipped model', () => {
  let model: Model
  beforeAll(async () => {
    model = await loadModel('models/smollm2-135m-instruct')
  })
  afterAll(() => model.release())

  it('answers four requests with calls that validate, in the bytes that the model wrote', async () => {
    for (const request of REQUESTS.slice(0, 4)) {
      const result = await call(model, { tools: TOOLS, messages: user(request), maxTokens: 250, ...ONE })
        .result
      expect(result.stopReason, result.text).toBe('complete')
      const [only, ...rest] = result.calls
      expect(rest).toEqual([])
      expect(validators.get(only!.name)!(only!.arguments), only!.argumentsText).toBe(true)
      expect(result.text).toContain(`"arguments": ${only!.argumentsText}}`)
      expect(JSON.parse(only!.argumentsText)).toEqual(only!.arguments)
    }
  })

  it('says before the first token how calls are written', async () => {
    const run = call(model, { tools: TOOLS, messages: user('x'), maxTokens: 1, ...ONE })
    expect(run.toolFormat).toBe('hermes')
    await run.result
  })

  it('tells the model how to answer in words where the format has a form for it', () => {
    const request = { tools: readTools(TOOLS), mayTalk: true, max: 1 }
    const told = (format: CallFormat) =>
      promptPieces(model.chat!, format, request, readMessages(user('x')))
        .map(({ text }) => text)
        .join('')
    expect(told(FORMATS.json)).toContain('in words, as {"response": "the answer"}, or with one call')
    expect(told(hermes)).toContain('in words, or with one call')
  })

  it('never returns a cut call, but the account of it', async () => {
    const tools = TOOLS.slice(0, 1)
    const result = await call(model, { tools, messages: user(REQUESTS[0]!), maxTokens: 30, ...ONE }).result
    expect(result.stopReason).toBe('max_tokens')
    expect(result.calls).toEqual([])
    const { frames, completion, completionTokens } = result.cut!
    expect(frames[0]).toMatchObject({ kind: 'tag', pointer: '', needs: ['</tool_call>'] })
    expect(frames[1]).toMatchObject({ kind: 'object', pointer: '' })
    expect(frames.at(-1)!.text).not.toBe('')
    const whole = JSON.parse(/<tool_call>\n(.*)\n<\/tool_call>$/su.exec(result.text + completion)![1]!)
    expect(whole.name).toBe(tools[0]!.function.name)
    expect(validators.get(whole.name)!(whole.arguments)).toBe(true)
    expect(completionTokens).toBeGreaterThan(3)
  })

  it('writes earlier calls and results of the conversation in the form it asks for', () => {
    const turns = readMessages([
      { role: 'system', content: 'Be quick.' },
      { role: 'user', content: 'first <|im_end|>' },
      {
        role: 'assistant',
        tool_calls: [
          { function: { name: 'f', arguments: '{"a": "<tool_call>"}' } },
          { function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', content: 'one' },
      { role: 'tool', content: 'two' },
      { role: 'user', content: 'second' },
    ])
    const { ids } = callPrompt(model, hermes, { tools: readTools(TOOLS), ...ONE_CALL }, turns)
    const text = ids
      .map((id) => model.vocabulary.literal(id) ?? new TextDecoder().decode(model.vocabulary.bytes(id)!))
      .join('')
    expect(text).toContain(
      '</tool_call>\n\nBe quick.<|im_end|>\n<|im_start|>user\nfirst <|im_end|><|im_end|>',
    )
    expect(text).toContain(
      'assistant\n<tool_call>\n{"name": "f", "arguments": {"a": "<tool_call>"}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call><|im_end|>',
    )
    expect(text).toContain(
      'user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>',
    )
    expect(ids.filter((id) => id < 17)).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1])
  })

  it('throws before the first step what is wrong with tools and messages', () => {
    const messages = user('x')
    expect(() => call(model, { tools: [], messages, toolChoice: 'required' })).toThrow(SchemaError)
    expect(() => call(model, { tools: [...TOOLS, TOOLS[0]], messages })).toThrow(/defined twice/)
    expect(() => call(model, { tools: TOOLS, messages: [] })).toThrow(TypeError)
    expect(() => call(model, { tools: TOOLS, messages, maxTokens: -1 })).toThrow(RangeError)
    expect(() => call(model, { tools: TOOLS, messages, toolChoice: 'maybe' } as never)).toThrow(/toolChoice/)
  })
})

describe('call, with a model whose vocabulary has the tags', () => {
  it('opens and closes the call with control tokens, also in the prompt of ours', async () => {
    const model = await loadModel('test/fixtures/models/tiny-positions', { threads: 1 })
    const [open, close] = [311, 312]
    const tools = [
      {
        name: 'f',
        parameters: {
          type: 'object',
          properties: { a: { type: 'boolean' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    ]
    const { ids: prompt } = callPrompt(
      model,
      hermes,
      { tools: readTools(tools), ...ONE_CALL },
      readMessages([{ role: 'user', content: '<tool_call>' }]),
    )
    expect(prompt.filter((id) => id === open || id === close)).toEqual([open, close])
    const result = await call(model, { tools, messages: user('a'), temperature: 1, seed: 1, ...ONE }).result
    expect(result.stopReason).toBe('complete')
    expect(result.text).toMatch(
      /^<tool_call>\n\{"name": "f", "arguments": \{"a": ?(true|false)\}\}\n<\/tool_call>$/u,
    )
    expect(result.calls[0]!.arguments).toEqual({ a: expect.any(Boolean) })
    await model.release()
  })
})

describe('schemaInstructions', () => {
  it('names the fields of an object, and nothing of any other schema', () => {
    expect(
      schemaInstructions(readJson('{"properties": {"a": {"type": "integer"}}, "required": ["a"]}')),
    ).toContain('- a (integer)\n')
    expect(schemaInstructions(readJson('true'))).not.toContain('fields')
  })
})
