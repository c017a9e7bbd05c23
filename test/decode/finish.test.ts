/**
 * Generations that finish: within their tokens where `finishWithin` is on, or by being run again with more. On a model that
 * speaks noise, and on one that says what it is told to.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GenerateOptions, generate } from '../../src/decode/generate.ts'
import { loadModel, type Model } from '../../src/decode/model.ts'
import { LimitError } from '../../src/errors.ts'
import { Batch, compile, type RunEvent, Session } from '../../src/index.ts'
import { bytesOf, ScriptModel } from './script-model.ts'

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'size', 'tags'],
  properties: {
    name: { type: 'string', minLength: 2 },
    size: { type: 'integer', minimum: 10 },
    tags: { type: 'array', items: { enum: ['a', 'bé', null] }, minItems: 1 },
    more: { type: 'string' },
  },
}
const validates = new Ajv2020().compile(SCHEMA)
const prompt = { prompt: 'x' }
const within = { ...prompt, schema: SCHEMA, finishWithin: 'budget' } as const

describe('finishWithin, on a model that speaks noise', () => {
  let model: Model
  let least: number
  beforeAll(async () => {
    model = await loadModel('test/fixtures/models/tiny-keep', { threads: 1 })
    least = compile(SCHEMA, model.vocabulary).matcher().shortestCompletion().tokens
  })
  afterAll(() => model.release())

  it('ends with a document for every maxTokens from the least on, with and without jumps', async () => {
    for (let more = 0; more <= 12; more++) {
      for (const jumpForward of [true, false]) {
        const options = { ...within, maxTokens: least + more, jumpForward, temperature: 1, seed: more }
        const result = await generate(model, options).result
        expect(result.stopReason, result.text).toBe('complete')
        expect(validates(JSON.parse(result.text)), result.text).toBe(true)
        expect(result.usage.tokens).toBeLessThanOrEqual(least + more)
        expect(result.finishWithin).toBe('budget')
      }
    }
  })

  it('says before the first step that fewer tokens are too few', () => {
    const start = () => generate(model, { ...within, maxTokens: least - 1 })
    expect(start).toThrow(LimitError)
    expect(start).toThrow(
      `max_tokens: ${least} exceeds the limit of ${least - 1}; the shortest output is counted as ${least}`,
    )
  })

  it('counts the tokens that there is room for', async () => {
    const session = new Session(model, { maxPositions: least + 1 })
    const result = await generate(model, { ...within, session, temperature: 1, seed: 1 }).result
    expect(result).toMatchObject({ stopReason: 'complete', maxTokensLowered: { from: 512, to: least } })
    const small = new Session(model, { maxPositions: least })
    expect(() => generate(model, { ...within, session: small })).toThrow(/room for \d+ tokens only: shorten/)
  })

  it('holds for runs of a session and of a batch', async () => {
    const session = new Session(model)
    const batch = new Batch(model)
    const settings: Partial<GenerateOptions>[] = [0, 1, 2].map((seed) => ({
      seed,
      temperature: 1,
      maxTokens: least + seed,
    }))
    for (const setting of settings)
      expect((await generate(model, { ...within, ...setting, session }).result).stopReason).toBe('complete')
    const runs = settings.map((setting) => generate(model, { ...within, ...setting, batch }).result)
    for (const { stopReason } of await Promise.all(runs)) expect(stopReason).toBe('complete')
  })

  it('says what is wrong with the options', () => {
    const wrong = (options: object, message: string | RegExp) =>
      expect(() => generate(model, { ...prompt, schema: SCHEMA, ...options })).toThrow(message)
    wrong({ finishWithin: 'time' }, 'finishWithin must be "budget" or absent, not "time"')
    wrong({ schema: undefined, finishWithin: 'budget' }, 'finishWithin needs a mask')
    wrong({ retry: 4 }, 'retry must be an object')
    wrong({ retry: { cap: 4 } }, 'unknown option "cap"')
    wrong({ retry: {} }, 'retry.maxTokensCap is missing')
    for (const factor of [1, Number.NaN, Number.POSITIVE_INFINITY, '4'])
      wrong({ retry: { factor, maxTokensCap: 600 } }, `number above 1 (default 4), not ${factor}`)
    wrong({ maxTokens: 20, retry: { maxTokensCap: 10 } }, 'at least maxTokens, 20, not 10')
  })
})

describe('retry', () => {
  const text = '{"name":"abcd"}'
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  }
  const options = { ...prompt, schema, whitespace: 'compact', jumpForward: false } as const

  it('runs a cut generation again with more room, and lists what that took', async () => {
    const model = new ScriptModel(bytesOf(text))
    const run = generate(model, { ...options, maxTokens: 4, retry: { factor: 2, maxTokensCap: 100 } })
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    const result = await run.result
    expect(result).toMatchObject({ stopReason: 'complete', text })
    expect(result).not.toHaveProperty('cut')
    const attempts = result.attempts!.map(({ maxTokens, usage, stopReason }) => [
      maxTokens,
      usage.tokens,
      stopReason,
    ])
    expect(attempts).toEqual([
      [4, 4, 'max_tokens'],
      [8, 8, 'max_tokens'],
      [16, text.length, 'complete'],
    ])
    expect(result.usage).toMatchObject({ promptTokens: 3, reusedTokens: 0, tokens: 4 + 8 + text.length })
    for (const field of ['forcedTokens', 'modelMs', 'maskMs'] as const)
      expect(result.usage[field]).toBe(result.attempts!.reduce((sum, { usage }) => sum + usage[field], 0))
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'cut')).toEqual([])
    expect(events.filter(({ type }) => type === 'retry')).toMatchObject([
      { attempt: 2, maxTokens: 8, cut: { completion: expect.stringContaining('"') } },
      { attempt: 3, maxTokens: 16 },
    ])
    const shown = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')
    expect(shown).toBe(text)
  })

  it('has four times the room each time where nothing else is said', async () => {
    const retry = { maxTokensCap: 100 }
    const { attempts } = await generate(new ScriptModel(bytesOf(text)), { ...options, maxTokens: 2, retry })
      .result
    expect(attempts!.map(({ maxTokens }) => maxTokens)).toEqual([2, 8, 32])
  })

  it('gives the cut result where the cap does not suffice', async () => {
    const model = new ScriptModel(bytesOf(text))
    const run = generate(model, { ...options, maxTokens: 4, retry: { factor: 10, maxTokensCap: 6 } })
    const result = await run.result
    expect(result).toMatchObject({ stopReason: 'max_tokens', text: text.slice(0, 6), cut: {} })
    expect(result.attempts!.map(({ maxTokens }) => maxTokens)).toEqual([4, 6])
  })

  it('reads the prompt once', async () => {
    const model = await loadModel('test/fixtures/models/tiny-keep', { threads: 1 })
    const long = {
      prompt: 'some words to begin with, which are more than three tokens',
      jumpForward: false,
    }
    const retried = { ...long, schema, temperature: 1, seed: 3, retry: { maxTokensCap: 400 } }
    const plain = await generate(model, { ...long, schema, temperature: 1, seed: 3, maxTokens: 400 }).result
    const session = new Session(model)
    for (const kept of [{}, { session }, { batch: new Batch(model) }]) {
      const result = await generate(model, { ...retried, maxTokens: 4, ...kept }).result
      expect(result.text).toBe(plain.text)
      expect(result.attempts!.length).toBeGreaterThan(1)
      const [first, ...others] = result.attempts!.map(({ usage }) => usage)
      if (!('session' in kept)) expect(first!.reusedTokens).toBe(0)
      for (const { promptTokens, reusedTokens } of others)
        expect(reusedTokens).toBe('batch' in kept ? 0 : promptTokens - 3)
      const { promptTokens, reusedTokens } = result.usage
      expect(promptTokens).toBe(result.attempts!.length * first!.promptTokens)
      expect(reusedTokens).toBe(result.attempts!.reduce((sum, { usage }) => sum + usage.reusedTokens, 0))
    }
    await model.release()
  })
})
