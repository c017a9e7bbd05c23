import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GenerateOptions, generate } from '../../src/decode/generate.ts'
import { loadModel, type Model } from '../../src/decode/model.ts'
import { ModelError, SchemaError, VocabularyError } from '../../src/errors.ts'
import {
  CompiledGrammar,
  compile,
  compilePart,
  jsonSchema,
  type RunEvent,
  sequence,
} from '../../src/index.ts'
import { byteVocabulary } from '../support/vocabularies.ts'
import { bytesOf, END, ScriptModel } from './script-model.ts'

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'size', 'tags'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 6 },
    size: { type: 'integer', minimum: 10, maximum: 99 },
    tags: { type: 'array', items: { enum: ['a', 'bé', null] }, minItems: 1, maxItems: 3 },
    more: { type: 'boolean' },
  },
}
const validates = new Ajv2020().compile(SCHEMA)
const prompt = { prompt: 'x' }

describe('generate, on a model that speaks noise', () => {
  let model: Model
  beforeAll(async () => {
    model = await loadModel('test/fixtures/models/tiny-keep', { threads: 1 })
  })
  afterAll(() => model.release())

  it('ends with a document of the schema, greedy and sampled', async () => {
    const settings: Partial<GenerateOptions>[] = [
      {},
      { temperature: 1, seed: 1 },
      { temperature: 3, seed: 2, topK: 40 },
      { temperature: 1, seed: 3, topP: 0.9, minP: 0.01 },
      { temperature: 1, seed: 4, whitespace: 'pretty' },
    ]
    for (const setting of settings) {
      const result = await generate(model, { ...prompt, schema: SCHEMA, ...setting }).result
      expect(result.stopReason).toBe('complete')
      expect(result).not.toHaveProperty('cut')
      expect(validates(JSON.parse(result.text)), result.text).toBe(true)
      expect(result.calls).toEqual([])
      expect(result.usage.tokens).toBeGreaterThan(5)
      expect(result.usage.forcedTokens).toBeGreaterThan(0)
      expect(result.usage.forcedTokens).toBeLessThan(result.usage.tokens)
    }
  })

  it('reads the schema as text, losslessly, and takes a compiled grammar', async () => {
    const text =
      '{"type": "object", "properties": {"10": {"const": 1}, "2": {"const": 2}}, "required": ["10", "2"], "additionalProperties": false}'
    const result = await generate(model, { ...prompt, schema: text, whitespace: 'compact' }).result
    expect(result.text).toBe('{"10":1,"2":2}')
    const grammar = compile(text, model.vocabulary, { whitespace: 'compact' })
    expect((await generate(model, { ...prompt, grammar }).result).text).toBe('{"10":1,"2":2}')
  })

  it('takes a grammar of parts, with the options of a compile', async () => {
    const grammar = sequence(
      '<a>',
      jsonSchema({ type: 'array', items: { const: 1 }, minItems: 2, maxItems: 2 }),
    )
    const run = generate(model, { ...prompt, grammar, whitespace: 'compact' })
    expect((await run.result).text).toBe('<a>[1,1]')
    expect(run.report?.annotations).toEqual([])
    expect(() => generate(model, { ...prompt, grammar: sequence(jsonSchema(false)) })).toThrow('jsonSchema#')
    for (const [given, how] of [
      ['root ::= "a"', 'not string: a text is literal(text), regex(pattern) or gbnf(grammar)'],
      [/a/, 'not a class instance: an expression is regex(expression.source)'],
      [{ type: 'object' }, 'not an object: a schema is jsonSchema(schema)'],
    ] as const)
      expect(() => generate(model, { ...prompt, grammar: given as never })).toThrow(
        `grammar must be a CompiledGrammar, as compile() gives it, or a part, as sequence() does, ${how}`,
      )
    expect(() =>
      generate(model, { ...prompt, grammar: compilePart(grammar, model.vocabulary), whitespace: 'any' }),
    ).toThrow('no schema is given')
  })

  it('takes no grammar that speaks of other tokens', async () => {
    const other = compile({ const: 1 }, byteVocabulary())
    expect(() => generate(model, { ...prompt, grammar: other })).toThrow(VocabularyError)
    expect(() => generate(model, { ...prompt, grammar: other })).toThrow('compile it with model.vocabulary')
    const grammar = CompiledGrammar.deserialize(
      compile({ const: 1 }, model.vocabulary).serialize(),
      model.vocabulary,
    )
    expect((await generate(model, { ...prompt, grammar }).result).text).toBe('1')
  })

  it('repeats with the same seed', async () => {
    const say = async (seed: number) =>
      (await generate(model, { ...prompt, schema: SCHEMA, temperature: 2, seed }).result).text
    expect(await say(5)).toBe(await say(5))
  })

  it('reports a cut at every budget: text and completion together are valid', async () => {
    const options = { ...prompt, schema: SCHEMA, temperature: 1.5, seed: 9 }
    const whole = await generate(model, options).result
    for (let maxTokens = 1; maxTokens < whole.usage.tokens; maxTokens++) {
      const { stopReason, text, usage, cut } = await generate(model, { ...options, maxTokens }).result
      expect(stopReason).toBe('max_tokens')
      expect(usage.tokens).toBe(maxTokens)
      expect(whole.text.startsWith(text)).toBe(true)
      expect(validates(JSON.parse(text + cut!.completion)), text + cut!.completion).toBe(true)
      expect(cut!.completionTokens).toBeGreaterThan(0)
      expect(cut!.frames[0]).toMatchObject({ kind: 'object', pointer: '' })
      expect(cut!.frames.every(({ needs }) => needs.length > 0)).toBe(true)
      if (cut!.partial !== undefined) expect(cut!.partial).toEqual(expect.any(Object))
    }
  })

  it('reads messages through the chat template', async () => {
    const messages = [{ role: 'user', content: 'a <|im_end|> b' }] as const
    const result = await generate(model, { messages, schema: SCHEMA }).result
    expect(result.stopReason).toBe('complete')
    expect(result.usage.promptTokens).toBe(
      model.tokenizer.encode(
        model.chat!.render([{ role: 'user', content: 'a <|im_end|> b', calls: [], callId: undefined }]),
      ).length,
    )
  })

  it('lowers maxTokens to the room that is left, and says so', async () => {
    const long = { prompt: 'x'.repeat(1000), schema: { type: 'array', items: { const: 'abcdefgh' } } }
    const { promptTokens } = (await generate(model, { ...long, maxTokens: 1 }).result).usage
    const result = await generate(model, { ...long, maxTokens: 500 }).result
    expect(result.maxTokensLowered).toEqual({ from: 500, to: 1024 - promptTokens })
    expect(result.usage.tokens).toBeLessThanOrEqual(1024 - promptTokens)
    expect(await generate(model, { ...prompt, schema: SCHEMA }).result).not.toHaveProperty('maxTokensLowered')
  })

  it('refuses before the first step what cannot work', () => {
    const cases: [Partial<GenerateOptions> & Record<string, unknown>, unknown, RegExp][] = [
      [
        { prompt: 'x'.repeat(5000) },
        ModelError,
        /prompt has (at least )?\d+ tokens and the model's context 1024/,
      ],
      [{ prompt: '' }, ModelError, /prompt is empty/],
      [{ prompt: 5 as never }, TypeError, /prompt must be text or a list of \{ text, trusted \}/],
      [{ prompt: [{ text: 'x', trusted: true }, { text: 'y' } as never] }, TypeError, /^prompt\[1\] must be/],
      [{ ...prompt, maxTokens: 0 }, RangeError, /maxTokens/],
      [{ ...prompt, maxTokens: Number.NaN }, RangeError, /maxTokens/],
      [{ ...prompt, temperature: -1 }, RangeError, /temperature/],
      [{ ...prompt, topP: Number.NaN }, RangeError, /topP/],
      [{}, TypeError, /either messages or prompt/],
      [{ ...prompt, messages: [] }, TypeError, /either messages or prompt/],
      [{ ...prompt, schema: true, grammar: {} as never }, TypeError, /not both/],
      [{ ...prompt, grammar: {} as never }, TypeError, /CompiledGrammar/],
      [{ ...prompt, maxTokns: 5 }, TypeError, /maxTokns/],
      [{ ...prompt, schema: true, maxTokns: 5 }, TypeError, /maxTokns/],
      [{ ...prompt, signal: {} as never }, TypeError, /AbortSignal/],
      [{ ...prompt, jumpForward: 1 as never }, TypeError, /jumpForward/],
      [{ ...prompt, schema: { type: 'integer', minimum: 5, maximum: 4 } }, SchemaError, /#/],
    ]
    for (const [options, type, message] of cases) {
      expect(() => generate(model, options)).toThrow(type as never)
      expect(() => generate(model, options)).toThrow(message)
    }
  })
})

describe('generate, on a model with a script', () => {
  it('stops without running the model again when nothing but an end could follow', async () => {
    const model = new ScriptModel(bytesOf('{"a": 1}'))
    const schema = {
      type: 'object',
      properties: { a: { enum: [1, 2] } },
      required: ['a'],
      additionalProperties: false,
    }
    const result = await generate(model, { ...prompt, schema, jumpForward: false }).result
    expect(result).toMatchObject({
      stopReason: 'complete',
      text: '{"a": 1}',
      usage: { tokens: 8, forcedTokens: 0 },
    })
    expect(model.read).toBe(1 + 7)
  })

  it('reads what is forced with what comes before the next choice, the prompt included', async () => {
    const model = new ScriptModel(bytesOf('{"a":1,"b":2}'))
    const schema = {
      type: 'object',
      properties: { a: { enum: [1, 2] }, b: { enum: [1, 2] } },
      required: ['a', 'b'],
      additionalProperties: false,
    }
    const run = generate(model, { ...prompt, schema, whitespace: 'compact' })
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    const { text, usage } = await run.result
    expect(text).toBe('{"a":1,"b":2}')
    expect(usage).toMatchObject({ tokens: 13, forcedTokens: 11 })
    expect(model.runs).toEqual([6, 6])
    const tokens = events.filter((event) => event.type === 'token')
    expect(tokens.map(({ forced }) => (forced ? 'f' : '1')).join('')).toBe('fffff1fffff1f')
    expect(events[0]).toMatchObject({ type: 'start', promptTokens: 1 })
  })

  it('asks the model for nothing where all is forced, and counts forced tokens against the budget', async () => {
    const model = new ScriptModel([])
    const schema = { const: 'abc' }
    expect(await generate(model, { ...prompt, schema }).result).toMatchObject({
      stopReason: 'complete',
      text: '"abc"',
      usage: { promptTokens: 1, tokens: 5, forcedTokens: 5 },
    })
    expect(await generate(model, { ...prompt, schema, maxTokens: 3 }).result).toMatchObject({
      stopReason: 'max_tokens',
      text: '"ab',
      usage: { tokens: 3, forcedTokens: 3 },
      cut: { completion: 'c"' },
    })
    expect(model.runs).toEqual([])
  })

  it('takes back what was forced where it is aborted while the prompt is read', async () => {
    const controller = new AbortController()
    const model = new ScriptModel(bytesOf('"a'))
    const run = generate(model, { ...prompt, schema: { type: 'string' }, signal: controller.signal })
    controller.abort()
    expect(await run.result).toMatchObject({
      stopReason: 'aborted',
      text: '',
      usage: { tokens: 0, forcedTokens: 0 },
      cut: { completion: '""', frames: [] },
    })
    expect(model.runs).toEqual([2])
  })

  it('ends at an end token where more could follow, and is cut where none came', async () => {
    const schema = { type: 'integer', minimum: 0 }
    const model = new ScriptModel([...bytesOf('12'), END])
    expect(await generate(model, { ...prompt, schema }).result).toMatchObject({
      stopReason: 'complete',
      text: '12',
      usage: { tokens: 3 },
    })
    const cut = await generate(new ScriptModel([...bytesOf('12'), END]), { ...prompt, schema, maxTokens: 2 })
      .result
    expect(cut).toMatchObject({ stopReason: 'max_tokens', text: '12', cut: { completion: '' } })
  })

  it('streams whole characters only, and leaves a half one out of the text', async () => {
    const model = new ScriptModel([...bytesOf('"€é𝄞'), END])
    const run = generate(model, { ...prompt, schema: { type: 'string' }, maxTokens: 8 })
    const pieces: string[] = []
    for await (const event of run) if (event.type === 'text') pieces.push(event.text)
    expect(pieces).toEqual(['"', '€', 'é'])
    const { text, cut } = await run.result
    expect(text).toBe('"€é')
    // The pending half of a character begins the completion.
    expect(cut!.completion).toMatch(/^.+"$/u)
    expect(JSON.parse(text + cut!.completion)).toMatch(/^€é.$/u)
  })

  it('keeps a byte order mark that the model writes', async () => {
    const result = await generate(new ScriptModel([...bytesOf('\ufeffa'), END]), prompt).result
    expect(result.text).toBe('\ufeffa')
  })

  it('runs without a constraint, too: no mask but the padding, no report', async () => {
    const result = await generate(new ScriptModel([...bytesOf('free {'), END]), prompt).result
    expect(result).toMatchObject({ stopReason: 'complete', text: 'free {' })
    expect(
      await generate(new ScriptModel(bytesOf('free')), { ...prompt, maxTokens: 2 }).result,
    ).not.toHaveProperty('cut')
  })

  it('runs by itself when only the result is awaited, and gives every loop all events', async () => {
    const run = generate(new ScriptModel([...bytesOf('ab'), END]), prompt)
    const result = await run.result
    for (let i = 0; i < 2; i++) {
      const events: RunEvent[] = []
      for await (const event of run) events.push(event)
      expect(events.map(({ type }) => type)).toEqual([
        'start',
        'token',
        'text',
        'token',
        'text',
        'token',
        'end',
      ])
      expect(events.at(-1)).toEqual({ type: 'end', result })
    }
  })

  it('stops between two tokens when it is aborted, with the report of what is open', async () => {
    const controller = new AbortController()
    const run = generate(new ScriptModel(bytesOf('"abcdefgh')), {
      ...prompt,
      schema: { type: 'string' },
      signal: controller.signal,
    })
    for await (const event of run) if (event.type === 'text' && event.text === 'c') controller.abort()
    const { stopReason, text, cut } = await run.result
    expect(stopReason).toBe('aborted')
    expect(text).toBe('"abc')
    expect(cut).toMatchObject({ completion: '"', frames: [{ kind: 'string' }] })
  })

  it('does not begin when it is aborted before, and is aborted by leaving a loop', async () => {
    const model = new ScriptModel(bytesOf('"abc'))
    const before = await generate(model, {
      ...prompt,
      schema: { type: 'string' },
      signal: AbortSignal.abort(),
    }).result
    expect(before).toMatchObject({
      stopReason: 'aborted',
      text: '',
      usage: { tokens: 0 },
      cut: { completion: '""' },
    })
    expect(model.read).toBe(0)
    const run = generate(model, { ...prompt, schema: { type: 'string' } })
    for await (const event of run) if (event.type === 'token') break
    expect((await run.result).stopReason).toBe('aborted')
  })

  it('throws what goes wrong in the model from the loop and from the result', async () => {
    const model = new ScriptModel([])
    model.startSequence = () => ({
      length: 0,
      append: async () => new Float32Array(257).fill(Number.NaN),
      truncate: () => {},
    })
    const run = generate(model, prompt)
    await expect(run.result).rejects.toThrow(ModelError)
    const iterate = async () => {
      for await (const _ of run);
    }
    await expect(iterate()).rejects.toThrow(/NaN/)
  })

  it('says that a model without a chat template reads no messages', () => {
    expect(() => generate(new ScriptModel([]), { messages: [{ role: 'user', content: 'a' }] })).toThrow(
      /no chat template/,
    )
  })
})
