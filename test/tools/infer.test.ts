/** Types alone: what is wrong here is found when this is compiled. */
import { describe, expectTypeOf, it } from 'vitest'
import {
  type CallOf,
  call,
  type FromSchema,
  type Model,
  type ToolCall,
  toAnthropic,
  toOpenAI,
} from '../../src/index.ts'

describe('FromSchema', () => {
  it('says what the values of a schema are', () => {
    type Of<S> = FromSchema<S>
    const schema = {
      type: 'object',
      properties: {
        set: { type: 'string', pattern: '^a$' },
        sheets: { type: 'integer', minimum: 1 },
        rush: { type: 'boolean' },
        priority: { enum: ['low', 'high'] },
        version: { const: 2 },
        license: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        notes: { type: ['string', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
        size: {
          type: 'array',
          prefixItems: [{ type: 'number' }, { enum: ['mm', 'in'] }],
          items: false,
          minItems: 2,
        },
        tree: { $ref: '#/$defs/node' },
        open: { type: 'object', additionalProperties: { type: 'number' } },
        some: {},
      },
      required: ['set', 'sheets', 'priority', 'version', 'license', 'tags', 'size', 'tree'],
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, inner: { type: 'array', items: { $ref: '#/$defs/node' } } },
          required: ['name', 'inner'],
        },
      },
    } as const
    interface Node {
      name: string
      inner: Node[]
    }
    type Value = Of<typeof schema>
    expectTypeOf<Omit<Value, 'tree'>>().toEqualTypeOf<{
      set: string
      sheets: number
      rush?: boolean
      priority: 'low' | 'high'
      version: 2
      license: string | null
      notes?: string | null
      tags: string[]
      size: [number, 'mm' | 'in']
      open?: Record<string, number>
      some?: unknown
    }>()
    expectTypeOf<Value['tree']>().toExtend<Node>()
    expectTypeOf<Node>().toExtend<Value['tree']>()
    expectTypeOf<Of<{ oneOf: [{ type: 'string' }, { const: 1 }] }>>().toEqualTypeOf<string | 1>()
    expectTypeOf<Of<{ type: 'array'; prefixItems: [{ type: 'string' }] }>>().toEqualTypeOf<
      [string?, ...unknown[]]
    >()
    expectTypeOf<
      Of<{ allOf: [{ type: 'object'; properties: { a: { type: 'string' } }; required: ['a'] }] }>
    >().toExtend<{ a: string }>()
    expectTypeOf<Of<{ not: { type: 'string' } }>>().toBeUnknown()
    expectTypeOf<Of<{ $ref: 'https://example.com/a' }>>().toBeUnknown()
    expectTypeOf<Of<true>>().toBeUnknown()
    expectTypeOf<Of<false>>().toBeNever()
  })
})

describe('the calls of a run', () => {
  it('have the types of the tools, told apart by name, from tools that are written in place', async () => {
    const start = (model: Model) =>
      call(model, {
        messages: [],
        tools: [
          {
            name: 'a',
            input_schema: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
          },
          {
            type: 'function',
            function: {
              name: 'b',
              parameters: { type: 'object', properties: { y: { enum: ['p', 'q'] } }, required: ['y'] },
            },
          },
          { name: 'c' },
        ],
      })
    type Call = Awaited<ReturnType<typeof start>['result']>['calls'][number]
    type Named<N> = Extract<Call, { readonly name: N }>['arguments']
    expectTypeOf<Call['name']>().toEqualTypeOf<'a' | 'b' | 'c'>()
    expectTypeOf<Named<'a'>>().toEqualTypeOf<{ x: number }>()
    expectTypeOf<Named<'b'>>().toEqualTypeOf<{ y: 'p' | 'q' }>()
    expectTypeOf<Named<'c'>>().toEqualTypeOf<Readonly<Record<string, unknown>>>()
    type Result = Awaited<ReturnType<typeof start>['result']>
    expectTypeOf(toOpenAI).toBeCallableWith({} as Result)
    expectTypeOf(toAnthropic).toBeCallableWith({} as Result)
  })

  it('are of any tool where nothing is known of the tools', () => {
    expectTypeOf<CallOf<unknown>>().toEqualTypeOf<ToolCall>()
    expectTypeOf<CallOf<string>>().toEqualTypeOf<ToolCall>()
    expectTypeOf<CallOf<readonly object[]>>().toEqualTypeOf<ToolCall>()
  })
})
