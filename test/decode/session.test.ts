import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generate } from '../../src/decode/generate.ts'
import { loadModel, type Model } from '../../src/decode/model.ts'
import { ModelError } from '../../src/errors.ts'
import { call, type RunEvent, Session, toAnthropicStream, toOpenAIStream } from '../../src/index.ts'
import { REQUESTS, TOOLS } from '../tools/requests.ts'
import { bytesOf, END, ScriptModel } from './script-model.ts'

const script = (...texts: string[]) => new ScriptModel(texts.flatMap((text) => [...bytesOf(text), END]))
const free = { maxTokens: 3 }

describe('a session, on a model with a script', () => {
  it('does not read again what two prompts have in common, and some of the end in any case', async () => {
    const model = script('')
    const session = new Session(model)
    const say = async (text: string) => {
      const before = model.runs.length
      const { usage } = await generate(model, { prompt: text, session, maxTokens: 2 }).result
      return { ...usage, read: model.runs[before], kept: session.length }
    }
    // A token a letter.
    expect(await say('qwzqwzqwz')).toMatchObject({ promptTokens: 9, reusedTokens: 0, read: 9, kept: 8 })
    expect(await say('qwzqwzzz')).toMatchObject({ promptTokens: 8, reusedTokens: 5, read: 3, kept: 7 })
    expect(await say('qwzqwzzz')).toMatchObject({ promptTokens: 8, reusedTokens: 5, read: 3, kept: 7 })
    expect(await say('qwzqwzzzwwww')).toMatchObject({ reusedTokens: 7, read: 5, kept: 11 })
    expect(await say('qw')).toMatchObject({ reusedTokens: 0, read: 2, kept: 1 })
    expect(await say('z')).toMatchObject({ reusedTokens: 0, read: 1, kept: 0 })
  })

  it('keeps what was read of a prompt before it was aborted', async () => {
    const model = script('abc')
    const session = new Session(model)
    const controller = new AbortController()
    const run = generate(model, { prompt: 'qwzqwz', session, signal: controller.signal })
    controller.abort()
    expect((await run.result).stopReason).toBe('aborted')
    expect(session.length).toBe(5)
    const { usage } = await generate(model, { prompt: 'qwzqwz', session, maxTokens: 1 }).result
    expect(usage).toMatchObject({ reusedTokens: 3, tokens: 1 })
  })

  it('is used by one run at a time, and free again however that ends', async () => {
    const model = script('abcdef')
    const session = new Session(model)
    const run = generate(model, { prompt: 'x', session, ...free })
    expect(() => generate(model, { prompt: 'x', session })).toThrow(/in use by a run/)
    expect(() => session.clear()).toThrow(ModelError)
    for await (const event of run) if (event.type === 'token') break
    expect((await run.result).stopReason).toBe('aborted')
    const failing = script()
    const broken = new Session(failing)
    const sequence = failing.startSequence()
    failing.startSequence = () => ({
      ...sequence,
      append: () => Promise.reject(new ModelError('out of order')),
    })
    broken.clear()
    await expect(generate(failing, { prompt: 'x', session: broken }).result).rejects.toThrow('out of order')
    expect(broken.length).toBe(0)
    broken.clear()
    expect((await generate(model, { prompt: 'x', session, ...free }).result).text).toBe('abc')
    session.clear()
    expect(session.length).toBe(0)
    // What is refused before it starts does not take the session.
    expect(() => generate(model, { prompt: '', session })).toThrow(ModelError)
    expect((await generate(model, { prompt: 'x', session, ...free }).result).text).toBe('abc')
  })

  it('is free behind a loop that was left', async () => {
    const model = script(...Array.from({ length: 6 }, () => 'abc'))
    const session = new Session(model)
    for await (const event of generate(model, { prompt: 'qw', session })) if (event.type === 'token') break
    for await (const event of generate(model, { prompt: 'qw', session })) if (event.type === 'start') break
    // A loop that is left before its first event was asked for.
    await generate(model, { prompt: 'qw', session })[Symbol.asyncIterator]().return()
    for (const stream of [toOpenAIStream, toAnthropicStream]) {
      const run = generate(model, { prompt: 'qw', session })
      await stream(run).return()
      expect((await run.result).stopReason).toBe('aborted')
    }
    expect((await generate(model, { prompt: 'qw', session, ...free }).result).usage.tokens).toBe(3)
  })

  it('bounds prompt and answer together', async () => {
    const model = script('abcdefghijklmnop')
    const session = new Session(model, { maxPositions: 6 })
    const result = await generate(model, { prompt: 'x', session, maxTokens: 50 }).result
    expect(result).toMatchObject({ text: 'abcde', maxTokensLowered: { from: 50, to: 5 } })
    expect(session.length).toBe(0)
    expect(() => generate(model, { prompt: 'xyxyxyxyxy', session })).toThrow(/10 tokens and the session 6/)
    for (const maxPositions of [0, 1.5, 1001, Number.NaN])
      expect(() => new Session(model, { maxPositions })).toThrow(RangeError)
  })

  it('belongs to a model, and says what is none', () => {
    const session = new Session(script())
    expect(() => generate(script(), { prompt: 'x', session })).toThrow(/another model/)
    expect(() => generate(script(), { prompt: 'x', session: {} as never })).toThrow(/new Session\(model\)/)
  })
})

describe('a session, on the shipped model', () => {
  let model: Model
  beforeAll(async () => {
    model = await loadModel('models/smollm2-135m-instruct')
  })
  afterAll(() => model.release())

  it('gives the logits of a prompt that is read as a whole', async () => {
    const shared = model.tokenizer.encodeText('You call tools. '.repeat(70))
    const tails = ['Order 40 bolts.', 'Order 12 washers, please.', 'Order'].map((text) =>
      model.tokenizer.encodeText(text),
    )
    const session = new Session(model, { maxPositions: 500 })
    for (const tail of tails) {
      const prompt = [...shared, ...tail]
      const { sequence, reused, release } = session.take(model, prompt)
      const logits = Float32Array.from((await sequence.append(prompt.slice(reused)))!)
      release()
      if (tail !== tails[0]) expect(reused).toBeGreaterThan(shared.length - 3)
      const whole = (await model.startSequence().append(prompt))!
      const difference = logits.reduce((most, logit, i) => Math.max(most, Math.abs(logit - whole[i]!)), 0)
      expect(difference).toBe(0)
    }
  })

  it('answers as without one, and reads the tools once', async () => {
    const session = new Session(model)
    const reused = []
    for (const content of REQUESTS.slice(0, 3)) {
      const options = { tools: TOOLS, messages: [{ role: 'user', content }] as const, maxTokens: 40 }
      const events: RunEvent[] = []
      const run = call(model, { ...options, session })
      for await (const event of run) events.push(event)
      const { text, usage } = await run.result
      expect(text).toBe((await call(model, options).result).text)
      reused.push(usage.reusedTokens / usage.promptTokens)
    }
    expect(reused[0]).toBe(0)
    expect(Math.min(...reused.slice(1))).toBeGreaterThan(0.8)
  })
})
