/**
 * The shapes of both services: held against the types of their SDKs when this is compiled, and against what their SDKs make of
 * our streams when it runs.
 */
import type Anthropic from '@anthropic-ai/sdk'
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import type OpenAI from 'openai'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Cut, Result, RunEvent, StopReason } from '../../src/decode/result.ts'
import {
  type AnthropicMessage,
  type AnthropicStreamEvent,
  type Message,
  type OpenAIChunk,
  type OpenAICompletion,
  toAnthropic,
  toAnthropicStream,
  toOpenAI,
  toOpenAIStream,
} from '../../src/index.ts'
import { FORMATS, type FormatName } from '../../src/tools/formats/index.ts'
import type { Judge } from '../../src/tools/judgement.ts'
import { TurnReader } from '../../src/tools/turn-reader.ts'

const CALLS = [
  { id: 'abcdefgh1', name: 'get', argumentsText: '{"a": 5}' },
  { id: 'abcdefgh2', name: 'put', argumentsText: '{"b": "é", "n": 9007199254740993}' },
]
const CUT: Cut = { frames: [], completion: '}', completionTokens: 2 }

interface Spoken {
  readonly format?: FormatName
  readonly stopReason?: StopReason
  readonly judgeOf?: (name: string) => Judge | null
  /** What else the result holds. */
  readonly more?: Partial<Result>
}

/** A run that wrote this text, four characters at a time. */
function runOf(text: string, { format = 'hermes', stopReason = 'complete', judgeOf, more }: Spoken = {}) {
  const thinking = { open: '<think>', close: '</think>', isOpen: false }
  const options = { format: FORMATS[format], thinking, firstNumber: 0 }
  const reader = new TurnReader(judgeOf === undefined ? options : { ...options, judgeOf })
  const events: RunEvent[] = [{ type: 'start', promptTokens: 30, maxTokens: 99, seed: 1, promptMs: 0 }]
  for (let at = 0; at < text.length; at += 4) {
    events.push({ type: 'token', id: at, forced: false, modelMs: 0, maskMs: 0 })
    events.push(...reader.push(text.slice(at, at + 4)))
  }
  const { events: late, ...read } = reader.end()
  events.push(...late)
  const usage = { promptTokens: 30, reusedTokens: 10, tokens: 12, forcedTokens: 4, modelMs: 0, maskMs: 0 }
  const cut = stopReason === 'complete' ? {} : { cut: CUT }
  const result: Result = { stopReason, text, ...read, usage, ...cut, ...more }
  if (stopReason !== 'complete') events.push({ type: 'cut', cut: CUT })
  events.push({ type: 'end', result })
  return {
    result,
    async *[Symbol.asyncIterator]() {
      yield* events
    },
  }
}

const { write } = FORMATS.hermes
const TALK = `<think>hm</think>\n\nI will look.\n${write(CALLS)}`
/** What a stream is tried with. */
const TEXTS = [TALK, 'Hello, world.', write(CALLS), ' \n', ` \n${write(CALLS)}`, ` \nSo:${write(CALLS)}`]

/** The objects as the SDKs write them to a stream. */
function lines(values: AsyncIterable<unknown>): ReadableStream {
  return new ReadableStream({
    async start(controller) {
      for await (const value of values)
        controller.enqueue(new TextEncoder().encode(`${JSON.stringify(value)}\n`))
      controller.close()
    },
  })
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

describe('ids', () => {
  it('of kimi say the number of the call; where the service has letters, digits, - and _ alone, in these', () => {
    const { result } = runOf(FORMATS.kimi.write(CALLS), { format: 'kimi' })
    const [{ message }] = toOpenAI(result).choices
    expect(message.tool_calls?.map(({ id }) => id)).toEqual(['functions.get:0', 'functions.put:1'])
    const blocks = toAnthropic(result).content
    expect(blocks.map((block) => 'id' in block && block.id)).toEqual([
      'toolu_functions_get_0',
      'toolu_functions_put_1',
    ])
  })
})

describe('espalier', () => {
  const usage = { promptTokens: 30, reusedTokens: 0, tokens: 8, forcedTokens: 0, modelMs: 5, maskMs: 1 }
  const attempts = [
    { maxTokens: 8, stopReason: 'max_tokens', usage, ms: 6 },
    { maxTokens: 32, stopReason: 'complete', usage: { ...usage, reusedTokens: 29, tokens: 12 }, ms: 7 },
  ] as const
  const more = {
    usage: { ...usage, promptTokens: 60, reusedTokens: 29, tokens: 20 },
    attempts,
    finishWithin: 'budget',
    maxTokensLowered: { from: 99, to: 32 },
  } as const
  const { usage: _, ...report } = more

  it('tells of attempts, budgets and lowered limits in both shapes and their streams; usage is of all attempts', async () => {
    const run = runOf(TALK, { more })
    const openai = toOpenAI(run.result)
    const anthropic = toAnthropic(run.result)
    for (const { espalier } of [openai, anthropic])
      expect(espalier).toEqual({ stopReason: 'complete', ...report })
    expect(openai.usage).toMatchObject({ prompt_tokens: 60, completion_tokens: 20, total_tokens: 80 })
    expect(anthropic.usage).toMatchObject({
      input_tokens: 31,
      cache_read_input_tokens: 29,
      output_tokens: 20,
    })
    const chunks = await all(toOpenAIStream(run, { includeUsage: true }))
    expect(chunks.at(-2)?.espalier).toEqual(openai.espalier)
    expect(chunks.at(-1)?.usage).toEqual(openai.usage)
    const last = (await all(toAnthropicStream(run))).find(({ type }) => type === 'message_delta')
    expect(last).toMatchObject({
      espalier: anthropic.espalier,
      usage: { input_tokens: 31, output_tokens: 20 },
    })
  })
})

describe('toOpenAI', () => {
  it('has the types of the SDK, also where it comes back as history', () => {
    expectTypeOf<OpenAICompletion>().toExtend<OpenAI.ChatCompletion>()
    expectTypeOf<OpenAIChunk>().toExtend<OpenAI.ChatCompletionChunk>()
    expectTypeOf<OpenAICompletion['choices'][0]['message']>().toExtend<Message>()
    expectTypeOf<OpenAI.ChatCompletionMessage>().toExtend<Message>()
    expectTypeOf<OpenAI.ChatCompletionMessageParam>().toExtend<Message>()
  })

  it('gives the calls with the text that the model wrote', () => {
    const { result } = runOf(TALK)
    const completion = toOpenAI(result, { model: 'm' })
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      espalier: { stopReason: 'complete' },
    })
    expect(completion.id).toMatch(/^chatcmpl-\w{24}$/u)
    expect(toOpenAI(result).id).toBe(completion.id)
    expect(completion.usage).toEqual({
      prompt_tokens: 30,
      completion_tokens: 12,
      total_tokens: 42,
      prompt_tokens_details: { cached_tokens: 10 },
    })
    const [choice] = completion.choices
    expect(choice.finish_reason).toBe('tool_calls')
    expect(choice.message).toEqual({
      role: 'assistant',
      content: 'I will look.\n',
      refusal: null,
      reasoning_content: 'hm',
      tool_calls: result.calls.map(({ id, name, argumentsText }) => ({
        id,
        type: 'function',
        function: { name, arguments: argumentsText },
      })),
    })
    expect(result.calls.map(({ id }) => id)).toEqual(
      [0, 1].map(() => expect.stringMatching(/^call_\w{24}$/u)),
    )
    expect(JSON.stringify(completion)).toContain('9007199254740993')
  })

  it('says stop where there are only words, length where it was cut, and nothing where it was aborted', async () => {
    expect(toOpenAI(runOf('Hello.').result).choices[0]).toMatchObject({
      message: { content: 'Hello.' },
      finish_reason: 'stop',
    })
    const cut = runOf(write(CALLS).slice(0, -30), { stopReason: 'max_tokens' })
    const [choice] = toOpenAI(cut.result).choices
    expect(choice.finish_reason).toBe('length')
    expect(choice.message.tool_calls).toHaveLength(1)
    expect(toOpenAI(cut.result).espalier).toEqual({ stopReason: 'max_tokens', cut: CUT })
    const last = (await all(toOpenAIStream(cut))).at(-1)!
    expect(last).toMatchObject({ choices: [{ finish_reason: 'length' }], espalier: { cut: CUT } })
    const aborted = runOf('Hel', { stopReason: 'aborted' })
    expect(() => toOpenAI(aborted.result)).toThrow(expect.objectContaining({ name: 'AbortError' }))
    await expect(all(toOpenAIStream(aborted))).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('streams what the SDK puts together to the same completion', async () => {
    for (const text of TEXTS) {
      const run = runOf(text)
      const stream = ChatCompletionStream.fromReadableStream(lines(toOpenAIStream(run)))
      const { choices, id, created } = await stream.finalChatCompletion()
      const own = toOpenAI(run.result)
      expect([id, created]).toEqual([own.id, own.created])
      expect(choices[0]!.finish_reason).toBe(own.choices[0].finish_reason)
      expect(choices[0]!.message.content || null).toBe(own.choices[0].message.content)
      expect(choices[0]!.message.tool_calls ?? []).toMatchObject(own.choices[0].message.tool_calls ?? [])
    }
  })

  it('gives the usage in a chunk of its own, if asked', async () => {
    const chunks = await all(toOpenAIStream(runOf('Hi'), { includeUsage: true }))
    expect(chunks.map(({ usage }) => usage?.total_tokens)).toEqual([undefined, undefined, undefined, 42])
    expect(chunks.at(-1)!.choices).toEqual([])
    expect(chunks[0]).toMatchObject({ usage: null })
    expect((await all(toOpenAIStream(runOf('Hi')))).some((chunk) => 'usage' in chunk)).toBe(false)
  })
})

describe('toAnthropic', () => {
  it('has the types of the SDK, also where it comes back as history', () => {
    expectTypeOf<AnthropicMessage>().toExtend<Anthropic.Message>()
    expectTypeOf<AnthropicStreamEvent>().toExtend<Anthropic.RawMessageStreamEvent>()
    expectTypeOf<Pick<AnthropicMessage, 'role' | 'content'>>().toExtend<Message>()
    expectTypeOf<Anthropic.MessageParam>().toExtend<Message>()
  })

  it('gives thoughts, text and calls as blocks', () => {
    const { result } = runOf(TALK)
    const message = toAnthropic(result)
    expect(message.id).toMatch(/^msg_\w{24}$/u)
    expect(message).toMatchObject({
      type: 'message',
      model: 'espalier',
      stop_reason: 'tool_use',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'I will look.\n' },
        { type: 'tool_use', name: 'get', input: { a: 5 } },
        { type: 'tool_use', name: 'put', input: result.calls[1]!.arguments },
      ],
      usage: { input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 12 },
    })
    for (const [i, block] of message.content.slice(2).entries())
      expect(block).toMatchObject({ id: result.calls[i]!.id.replace('call_', 'toolu_') })
  })

  it('says end_turn where there are only words, max_tokens where it was cut, and nothing where it was aborted', async () => {
    expect(toAnthropic(runOf('Hello.').result)).toMatchObject({
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
    })
    const cut = runOf(write(CALLS).slice(0, -30), { stopReason: 'max_tokens' })
    expect(toAnthropic(cut.result)).toMatchObject({
      content: [{ type: 'tool_use', name: 'get' }],
      stop_reason: 'max_tokens',
      espalier: { stopReason: 'max_tokens', cut: CUT },
    })
    const delta = (await all(toAnthropicStream(cut))).at(-2)!
    expect(delta).toMatchObject({ delta: { stop_reason: 'max_tokens' }, espalier: { cut: CUT } })
    const aborted = runOf('Hel', { stopReason: 'aborted' })
    expect(() => toAnthropic(aborted.result)).toThrow(expect.objectContaining({ name: 'AbortError' }))
    await expect(all(toAnthropicStream(aborted))).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('streams what the SDK puts together to the same message', async () => {
    for (const text of TEXTS) {
      const run = runOf(text)
      const message = await MessageStream.fromReadableStream(lines(toAnthropicStream(run))).finalMessage()
      const own = toAnthropic(run.result)
      expect(message.id).toBe(own.id)
      expect(message.stop_reason).toBe(own.stop_reason)
      expect(message.usage.output_tokens).toBe(own.usage.output_tokens)
      expect(message.content).toEqual(
        own.content.map((block) => expect.objectContaining(JSON.parse(JSON.stringify(block)))),
      )
    }
  })
})

describe('both', () => {
  it('keep the nine letters of the ids of Mistral', () => {
    const { result } = runOf(FORMATS.mistral.write(CALLS), { format: 'mistral' })
    expect(toOpenAI(result).choices[0].message.tool_calls![0]!.id).toMatch(/^[A-Za-z0-9]{9}$/u)
    expect(toAnthropic(result).content[0]).toMatchObject({
      id: expect.stringMatching(/^toolu_[A-Za-z0-9]{9}$/u),
    })
  })

  it('say nothing of a call that is rejected, in a stream either, but in the report', async () => {
    const violations = [{ pointer: '/a', message: 'too many', source: 'refinement' as const }]
    const judgeOf = (name: string) => () =>
      name === 'get' ? { violations } : { arguments: { b: 'judged' }, violations: [] }
    const run = runOf(write(CALLS), { judgeOf })
    const report = {
      stopReason: 'complete',
      rejected: [expect.objectContaining({ name: 'get', violations })],
    }
    const completion = toOpenAI(run.result)
    expect(completion.choices[0].message.tool_calls).toHaveLength(1)
    expect(completion.espalier).toEqual(report)
    const chunks = await all(toOpenAIStream(run))
    expect(JSON.stringify(chunks.slice(0, -1))).not.toContain('get')
    const deltas = chunks.flatMap(({ choices }) => choices[0]!.delta.tool_calls ?? [])
    expect(deltas.map(({ index }) => index)).toEqual([0, 0])
    expect(deltas[1]!.function.arguments).toBe(CALLS[1]!.argumentsText)
    expect(chunks.at(-1)!.espalier).toEqual(report)
    expect(toAnthropic(run.result)).toMatchObject({ content: [{ input: { b: 'é' } }], espalier: report })
    const events = await all(toAnthropicStream(run))
    expect(JSON.stringify(events.slice(0, -2))).not.toContain('get')

    const masked = runOf(write(CALLS), { judgeOf: (name) => (name === 'get' ? judgeOf(name) : null) })
    const after = (await all(toOpenAIStream(masked))).flatMap(
      ({ choices }) => choices[0]!.delta.tool_calls ?? [],
    )
    expect(after.map((delta) => delta.function.name ?? '').join('')).toBe('put')
    expect(after.map((delta) => delta.function.arguments).join('')).toBe(CALLS[1]!.argumentsText)

    const none = runOf(write(CALLS.slice(0, 1)), { judgeOf })
    expect(toOpenAI(none.result).choices[0].finish_reason).toBe('stop')
    expect(toAnthropic(none.result).stop_reason).toBe('end_turn')
  })

  it('abort the run where the loop is left', async () => {
    let left = false
    const run = runOf(TALK)
    const watched = {
      async *[Symbol.asyncIterator]() {
        try {
          yield* run
        } finally {
          left = true
        }
      },
    }
    for await (const _ of toOpenAIStream(watched)) break
    expect(left).toBe(true)
  })
})
