import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import Type from 'typebox'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { SchemaError } from '../../src/errors.ts'
import {
  call,
  defineTool,
  fixTools,
  lintTools,
  type ToolArguments,
  toAnthropic,
  toOpenAI,
} from '../../src/index.ts'
import { printJson } from '../../src/json/print.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { sayModel } from './say-model.ts'

const messages = [{ role: 'user', content: 'go' }] as const
const ONE = {
  toolFormat: 'hermes',
  toolChoice: 'required',
  parallelToolCalls: false,
  jumpForward: false,
} as const

const zod = z
  .object({ code: z.string().max(4), count: z.int().min(1).max(9).default(1) })
  .refine(({ code, count }) => code.length === count, { path: ['count'], error: 'count the letters' })
const valibot = v.pipe(
  v.object({ code: v.pipe(v.string(), v.maxLength(4)), count: v.pipe(v.number(), v.integer()) }),
  v.forward(
    v.check(({ code, count }) => code.length === count, 'count the letters'),
    ['count'],
  ),
)
const arktype = type({ code: 'string<=4', count: '1<=number.integer<=9' }).narrow(
  ({ code, count }, ctx) => code.length === count || ctx.reject({ path: ['count'], expected: 'the letters' }),
)

const TOOLS = {
  zod: defineTool({ name: 'take', parameters: zod }),
  valibot: defineTool({
    name: 'take',
    parameters: valibot,
    jsonSchema: {
      type: 'object',
      properties: { code: { type: 'string', maxLength: 4 }, count: { type: 'integer', minimum: 1 } },
      required: ['code', 'count'],
      additionalProperties: false,
    },
  }),
  arktype: defineTool({ type: 'function', function: { name: 'take', parameters: arktype } }),
}

function say(argumentsText: string, tool: unknown, options = {}) {
  const text = FORMATS.hermes.write([{ id: '', name: 'take', argumentsText }])
  return call(sayModel(text), { tools: [tool], messages, ...ONE, ...options }).result
}

describe.each(Object.entries(TOOLS))('a tool of %s', (_, tool) => {
  it('is linted, and fixed, by the schema it tells', () => {
    const dialect = 'anthropic-strict'
    const keywords = (tools: unknown) => lintTools(tools, { dialect }).map(({ keyword }) => keyword)
    expect(keywords([tool])).toContain('maxLength')
    expect(keywords(fixTools([tool], { dialect }).tools)).not.toContain('maxLength')
  })

  it('is called with what the validator takes', async () => {
    const { calls, rejected } = await say('{"code": "ab", "count": 2}', tool)
    expect(rejected).toEqual([])
    expect(calls).toMatchObject([{ name: 'take', arguments: { code: 'ab', count: 2 } }])
  })

  it('has its refinements run on the finished value: one that fails is told as such', async () => {
    const text = '{"code": "ab", "count": 3}'
    const result = await say(text, tool)
    expect(result).toMatchObject({ stopReason: 'complete', calls: [] })
    expect(result.rejected).toMatchObject([
      { name: 'take', argumentsText: text, arguments: { code: 'ab', count: 3 } },
    ])
    expect(result.rejected[0]!.violations).toEqual([
      { pointer: '/count', message: expect.stringMatching(/the letters/), source: 'refinement' },
    ])
    expect(toOpenAI(result).choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'stop' })
  })

  it('is held to its bounds by the mask, and judged by its schema without one', async () => {
    const { calls } = await say('{"code": "abcd", "count": 4}', tool)
    expect(calls).toHaveLength(1)
    const long = '{"code": "abcdefgh", "count": 8}'
    const held = await say(long, tool)
    expect(held.text).not.toContain('abcde')
    const off = await say(long, tool, { strict: false })
    expect(off.rejected[0]!.violations).toEqual([
      {
        pointer: '/code',
        keyword: 'maxLength',
        message: '8 characters where at most 4 are allowed',
        source: 'schema',
      },
    ])
  })
})

describe('validators', () => {
  it('that throw end the run with the name of their tool', async () => {
    const fail = (): never => {
      throw new Error('boom')
    }
    const own = { '~standard': { version: 1, vendor: 'own', validate: async () => fail() } }
    for (const parameters of [z.object({ code: z.string().transform(fail) }), own]) {
      const jsonSchema = { type: 'object', properties: { code: { type: 'string' } } }
      const result = say('{"code": "ab"}', { name: 'take', parameters, jsonSchema })
      await expect(result).rejects.toThrow('the validator of tool "take" failed: boom')
    }
  })

  it('give the application what they make of the arguments, and the services what the model wrote', async () => {
    const parameters = z.object({ code: z.string().transform((code) => code.length), count: z.int() })
    const result = await say('{"code": "ab", "count": 2}', { name: 'take', parameters })
    expect(result.calls[0]!.arguments).toEqual({ code: 2, count: 2 })
    expect(toAnthropic(result).content).toMatchObject([{ input: { code: 'ab', count: 2 } }])
    expect(toOpenAI(result).choices[0]!.message.tool_calls).toMatchObject([
      { function: { arguments: result.calls[0]!.argumentsText } },
    ])
  })

  it('may say their schema by Standard JSON Schema, by a method, or have it said', () => {
    const written = (tool: unknown) => JSON.parse(printJson(readTools(tool)[0]!.parameters))
    expect(written(TOOLS.zod)).toMatchObject({
      properties: { code: { type: 'string', maxLength: 4 }, count: { minimum: 1, maximum: 9 } },
      // What has a default need not be written.
      required: ['code'],
      additionalProperties: false,
    })
    const { '~standard': standard } = zod
    const { jsonSchema: _, ...old } = standard
    const method = { '~standard': old, toJSONSchema: () => ({ type: 'object', properties: {} }) }
    expect(written({ name: 'f', parameters: method })).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
    const wrapped = toStandardJsonSchema(v.object({ a: v.string() }))
    expect(written({ name: 'f', parameters: wrapped })).toMatchObject({ required: ['a'] })
    expect(written({ name: 'f', parameters: z.looseObject({}) }).additionalProperties).toEqual({})
    const parts = [1, 2].map((n) => ({
      type: 'object',
      properties: { [n]: { type: 'object', properties: {} } },
    }))
    const both = {
      '~standard': { ...standard, jsonSchema: { input: () => ({ type: 'object', allOf: parts }) } },
    }
    // Parts of one object would close each other out.
    expect(written({ name: 'f', parameters: both })).toEqual({ type: 'object', allOf: parts })
  })

  it('that cannot are refused by the name of the tool, with what to do', () => {
    const parameters = v.object({ a: v.string() })
    const tools = [{ name: 'g' }, { name: 'f', parameters }]
    expect(() => readTools(tools)).toThrow(SchemaError)
    expect(() => readTools(tools)).toThrow(
      /tool "f": .*valibot.* jsonSchema, .*toStandardJsonSchema.*#\/1\/param/,
    )
    expect(() => defineTool({ name: 'f', parameters: z.object({ d: z.coerce.date() }) })).toThrow(
      /tool "f": .*Date cannot be represented/,
    )
    expect(() => defineTool({ name: 'f', parameters: z.string() })).toThrow(/must have the type "object"/)
  })

  it('give the arguments that they make of the text', async () => {
    const parameters = z.object({ code: z.string().transform((text) => text.length), n: z.int().default(7) })
    const { calls } = await say('{"code": "ab"}', { name: 'take', parameters })
    expect(calls).toMatchObject([{ arguments: { code: 2, n: 7 }, argumentsText: '{"code": "ab"}' }])
  })

  it('may take their time', async () => {
    const parameters = z.object({ code: z.string() }).refine(async ({ code }) => {
      await new Promise((resolve) => setTimeout(resolve, 2))
      return code === 'ab'
    }, 'not ab')
    const tool = { name: 'take', parameters }
    expect((await say('{"code": "ab"}', tool)).calls).toHaveLength(1)
    const bad = call(
      sayModel(FORMATS.hermes.write([{ id: '', name: 'take', argumentsText: '{"code": "b"}' }])),
      {
        tools: [tool],
        messages,
        ...ONE,
      },
    )
    const types: string[] = []
    for await (const { type } of bad) if (type !== 'token') types.push(type)
    expect(types.slice(-2)).toEqual(['call-rejected', 'end'])
    expect((await bad.result).rejected[0]!.violations).toEqual([
      { pointer: '', message: 'not ab', source: 'refinement' },
    ])
  })
})

describe('a tool of TypeBox', () => {
  const parameters = Type.Object(
    { code: Type.String({ maxLength: 4 }), count: Type.Optional(Type.Union([Type.Integer(), Type.Null()])) },
    { additionalProperties: false },
  )

  it('is one of JSON Schema', async () => {
    const { calls } = await say('{"code": "ab", "count": null}', { name: 'take', parameters })
    expect(calls).toMatchObject([{ arguments: { code: 'ab', count: null } }])
  })

  it('has its types, and those of other validators are what they give', () => {
    expectTypeOf<ToolArguments<{ name: 'f'; parameters: typeof parameters }>>().toEqualTypeOf<{
      code: string
      count?: number | null
    }>()
    expectTypeOf<ToolArguments<typeof TOOLS.zod>>().toEqualTypeOf<{ code: string; count: number }>()
    expectTypeOf<ToolArguments<typeof TOOLS.valibot>>().toEqualTypeOf<{ code: string; count: number }>()
    expectTypeOf<ToolArguments<typeof TOOLS.arktype>>().toEqualTypeOf<{ code: string; count: number }>()
    type Old = { readonly static: { a: string }; readonly type: 'object' }
    expectTypeOf<ToolArguments<{ name: 'f'; parameters: Old }>>().toEqualTypeOf<{ a: string }>()
  })
})
