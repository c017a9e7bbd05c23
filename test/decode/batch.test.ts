/** Runs in a batch against the same runs one by one, on a model that sees bytes and on the shipped one. `SEED` repeats a run. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Batch } from '../../src/decode/batch.ts'
import { type GenerateOptions, generate } from '../../src/decode/generate.ts'
import { loadModel, type Model } from '../../src/decode/model.ts'
import type { Result } from '../../src/decode/result.ts'
import { ModelError } from '../../src/errors.ts'
import { call, Session } from '../../src/index.ts'
import { Random, seedOf } from '../support/random.ts'
import { REQUESTS, TOOLS } from '../tools/requests.ts'
import { BytesModel } from './bytes-model.ts'
import { ScriptModel } from './script-model.ts'

const seed = seedOf('batches')
const SCHEMAS = [
  {
    type: 'object',
    properties: { a: { type: 'string', maxLength: 30 }, b: { type: 'integer', maximum: 5 } },
    required: ['a', 'b'],
  },
  { type: 'array', items: { enum: ['one', 'two', null, 3.5] }, minItems: 2, maxItems: 6 },
  { const: { all: ['of', 'this', 'is', 'forced'] } },
  { anyOf: [{ type: 'string', format: 'date' }, { type: 'boolean' }] },
  { type: 'string', pattern: '^[a-f]{3,9}(-[0-9]+)?$' },
]

/** What a run said, without its times. */
function said({ usage, ...rest }: Result): unknown {
  return { ...rest, usage: { ...usage, modelMs: 0, maskMs: 0 } }
}

describe('a batch, on a model that sees bytes', () => {
  let keep: Model
  beforeAll(async () => {
    keep = await loadModel('test/fixtures/models/tiny-keep', { threads: 1 })
  })
  afterAll(() => keep.release())
  const model = () => new BytesModel(keep.vocabulary, keep.tokenizer, seed)

  it('gives every run what it would say alone, whenever runs join and leave', async () => {
    const random = new Random(seed)
    const requests = Array.from(
      { length: 40 },
      (_, i): GenerateOptions => ({
        prompt: 'x'.repeat(1 + random.below(4)),
        schema: random.pick(SCHEMAS),
        whitespace: random.pick(['model', 'compact', 'pretty']),
        maxTokens: random.pick([1, 4, 30, 100]),
        temperature: random.pick([0, 0.3]),
        jumpForward: random.chance(0.7),
        seed: i,
      }),
    )
    const expected = []
    for (const request of requests) expected.push(said(await generate(model(), request).result))
    for (const maxRuns of [1, 3, 8]) {
      const together = model()
      const batch = new Batch(together, { maxRuns })
      const runs = []
      for (const request of requests) {
        runs.push(generate(together, { ...request, batch }).result.then(said))
        // Some join while others are under way.
        if (random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, random.below(3)))
      }
      expect(await Promise.all(runs)).toEqual(expected)
      expect(Math.max(...together.steps)).toBe(maxRuns)
    }
  })

  it('lets a run be aborted while others go on, also one that waits for a place', async () => {
    const together = model()
    const batch = new Batch(together, { maxRuns: 2 })
    const long = {
      prompt: 'x',
      schema: { type: 'array', items: { const: 'abcd' }, minItems: 30, maxItems: 30 },
      jumpForward: false,
    }
    const controllers = [0, 1, 2, 3].map(() => new AbortController())
    const runs = controllers.map(({ signal }) => generate(together, { ...long, signal, batch }))
    controllers[3]!.abort()
    for await (const event of runs[1]!) if (event.type === 'token') break
    const results = await Promise.all(runs.map(({ result }) => result))
    expect(results.map(({ stopReason }) => stopReason)).toEqual([
      'complete',
      'aborted',
      'complete',
      'aborted',
    ])
    expect(results[2]!.text).toBe(results[0]!.text)
  })

  it('fails every run that was read in a run of the model that fails, and serves the next ones', async () => {
    const together = model()
    const start = together.startBatch.bind(together)
    let fails = true
    together.startBatch = () => {
      const texts = start()
      const { step } = texts
      return Object.assign(texts, {
        step: (ids: readonly number[]) =>
          fails ? Promise.reject(new ModelError('out of order')) : step(ids),
      })
    }
    const batch = new Batch(together)
    const ask = () =>
      generate(together, { prompt: 'x', schema: { type: 'string', maxLength: 9 }, batch }).result
    for (const run of [ask(), ask()]) await expect(run).rejects.toThrow('out of order')
    fails = false
    expect((await Promise.all([ask(), ask()])).map(({ stopReason }) => stopReason)).toEqual([
      'complete',
      'complete',
    ])
  })

  it('reads one text at a time on a model that cannot do more', async () => {
    const batch = new Batch(keep)
    const request = { prompt: 'x', schema: SCHEMAS[0]!, seed: 1 }
    const alone = await generate(keep, request).result
    const runs = [1, 2, 3].map(() => generate(keep, { ...request, batch }).result)
    for (const result of await Promise.all(runs)) expect(said(result)).toEqual(said(alone))
  })

  it('says what it cannot do', () => {
    const together = model()
    const batch = new Batch(together)
    const prompt = 'x'
    expect(() => generate(new ScriptModel([]), { prompt, batch })).toThrow(/another model/)
    expect(() => generate(together, { prompt, batch: {} as never })).toThrow(/new Batch\(model\)/)
    expect(() => generate(together, { prompt, batch, session: new Session(together) })).toThrow(
      /either session or batch/,
    )
    for (const maxRuns of [0, 1.5, Number.NaN])
      expect(() => new Batch(together, { maxRuns })).toThrow(RangeError)
  })
})

describe('a batch, on the shipped model', () => {
  it('answers three requests as one by one', async () => {
    const model = await loadModel('models/smollm2-135m-instruct')
    const requests = REQUESTS.slice(0, 3).map((content) => ({
      tools: TOOLS,
      messages: [{ role: 'user', content }] as const,
      maxTokens: 40,
    }))
    const batch = new Batch(model)
    const runs = requests.map((request) => call(model, { ...request, batch }).result)
    const results = await Promise.all(runs)
    for (const [i, request] of requests.entries()) {
      expect(said(results[i]!)).toEqual(said(await call(model, request).result))
    }
    await model.release()
  })
})
