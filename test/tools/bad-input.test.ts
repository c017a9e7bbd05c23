/**
 * Requests that cannot be answered: each is an error that says what is wrong and where, before the model has read a token.
 */
import { describe, expect, it } from 'vitest'
import { ChatTemplate } from '../../src/decode/chat.ts'
import type { Model } from '../../src/decode/model.ts'
import { JsonError, ModelError, SchemaError } from '../../src/errors.ts'
import { type CallOptions, call, toAnthropic, toOpenAI } from '../../src/index.ts'
import { sayModel } from './say-model.ts'

const object = (properties: object = {}) => ({ type: 'object', properties })
const tool = (name: unknown, parameters: unknown = object(), more: object = {}) => ({
  name,
  parameters,
  ...more,
})
const user = { role: 'user', content: 'x' }
const asked = (...calls: object[]) => ({
  role: 'assistant',
  tool_calls: calls.map((each) => ({ type: 'function', function: { name: 'f', arguments: '{}' }, ...each })),
})
const answer = (tool_call_id: unknown) => ({ role: 'tool', tool_call_id, content: 'done' })

/** A model that nobody may have read anything. */
const model: Model = {
  ...sayModel(''),
  startSequence: () => {
    throw new Error('the model was asked')
  },
}
const start = (options: object) =>
  call(model, { tools: [tool('f')], messages: [user], toolFormat: 'hermes', ...options } as CallOptions)

type Case = readonly [what: string, options: object, type: new (...args: never[]) => Error, message: RegExp]

const TOOLS: readonly Case[] = [
  ['no tools at all', { tools: undefined }, TypeError, /^tools are missing/],
  ['tools that are no JSON', { tools: '[{' }, JsonError, /line 1, column 3/],
  ['no tool', { tools: [null] }, SchemaError, /a tool must be an object.*\(#\/0\)/],
  [
    'two tools of one name',
    { tools: [tool('f'), tool('g'), tool('f')] },
    SchemaError,
    /"f" is defined twice.*#\/2/,
  ],
  ...['a b', 'a.b', '', 'a\n', 'é', '<|im_end|>', 'a"', 'a'.repeat(65)].map(
    (name): Case => [
      `the name ${JSON.stringify(name)}`,
      { tools: [tool(name)] },
      SchemaError,
      /^the tool name ".*" cannot be used: 1 to 64 .*\(#\/0\/name\)$/s,
    ],
  ),
  ['a name that is a number', { tools: [tool(5)] }, SchemaError, /a tool needs a "name" \(#\/0\/name\)/],
  [
    'no tools where a call is required',
    { tools: [], toolChoice: 'required' },
    SchemaError,
    /no tools are given/,
  ],
  [
    'no tools where one is named',
    { tools: [], toolChoice: { name: 'f' } },
    SchemaError,
    /asks for a call of "f"/,
  ],
  [
    'a choice that names none',
    { toolChoice: { name: 'g' } },
    TypeError,
    /names the tool "g", and the tools are "f"/,
  ],
  ['a choice that is none', { toolChoice: 'f' }, TypeError, /^toolChoice must be "auto"/],
  ...([{ type: 'string' }, { type: ['object', 'null'] }, [], false, 5] as const).map(
    (schema): Case => [
      `the root ${JSON.stringify(schema)}`,
      { tools: [tool('f', schema)] },
      SchemaError,
      /^tool "f": the parameters must /,
    ],
  ),
  [
    'a root that is no object in the end',
    { tools: [tool('f', { const: 5 })] },
    SchemaError,
    /^tool "f": const 5/,
  ],
  [
    'a root that refers to none',
    { tools: [tool('f', { $ref: '#/$defs/a' })] },
    SchemaError,
    /#\/0\/parameters\/\$ref/,
  ],
  ['a schema that contains itself', { tools: [cyclic()] }, TypeError, /contains itself; JSON has no cycles/],
  [
    'a tool of a service',
    { tools: [{ type: 'web_search' }] },
    SchemaError,
    /must be "function", not "web_search"/,
  ],
  ['fewer calls than one', { parallelToolCalls: { max: 0 } }, TypeError, /a whole number of at least 1/],
  [
    'more calls than the format has',
    { toolFormat: 'llama', parallelToolCalls: { max: 2 } },
    RangeError,
    /llama writes 1/,
  ],
  ['a format that there is not', { toolFormat: '__proto__' }, TypeError, /one of hermes, llama,/],
  [
    'a format without its tokens',
    { toolFormat: 'kimi' },
    ModelError,
    /needs the control token <\|tool_calls_section_begin/,
  ],
  [
    'an option that there is not',
    { tool_choice: 'auto' },
    TypeError,
    /unknown option "tool_choice"; known are/,
  ],
]

const MESSAGES: readonly Case[] = [
  ['no messages', { messages: [] }, TypeError, /at least one message/],
  [
    'no message of a user',
    { messages: [{ role: 'system', content: 'x' }] },
    TypeError,
    /no message of the role "user"/,
  ],
  [
    'words of the model alone',
    { messages: [{ role: 'assistant', content: 'x' }] },
    TypeError,
    /nothing to answer/,
  ],
  [
    'a role of its own',
    { messages: [{ role: 'x<|im_end|>', content: '' }] },
    TypeError,
    /^messages\[0\]\.role is "x</,
  ],
  [
    'a picture',
    { messages: [{ role: 'user', content: [{ type: 'image' }] }] },
    TypeError,
    /content\[0\] is not a text/,
  ],
  ['a result without its call', { messages: [user, answer('zz')] }, TypeError, /^messages\[1\] .* call "zz"/],
  [
    'a result without its call, as Anthropic writes it',
    { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'zz', content: 'x' }] }] },
    TypeError,
    /^messages\[0\]\.content\[0\] is the result of a call "zz" that no message before it makes/,
  ],
  [
    'a result of another call',
    { messages: [user, asked({ id: 'a' }), answer('b')] },
    TypeError,
    /"b".*the calls are "a"/,
  ],
  [
    'a second result',
    { messages: [user, asked({ id: 'a' }), answer('a'), answer('a')] },
    TypeError,
    /second result .* "a"/,
  ],
  [
    'a call without its result',
    { messages: [user, asked({ id: 'a' }), user] },
    TypeError,
    /"a" of "f" has no result before/,
  ],
  [
    'two calls of one id',
    { messages: [user, asked({ id: 'a' }, { id: 'a' })] },
    TypeError,
    /two calls have the id "a"/,
  ],
  [
    'an id that is a number',
    { messages: [user, asked({ id: 7 }), answer(7)] },
    TypeError,
    /tool_calls\[0\]\.id must be a string/,
  ],
  [
    'two system texts',
    { messages: [{ role: 'system', content: 'a' }, user], system: 'b' },
    TypeError,
    /messages\[0\] is one/,
  ],
]

function cyclic(): object {
  const schema: Record<string, unknown> = object()
  schema.properties = { a: schema }
  return tool('f', schema)
}

describe('call refuses before the first step', () => {
  it.each([...TOOLS, ...MESSAGES])('%s', (_, options, type, message) => {
    expect(() => start(options)).toThrow(type)
    expect(() => start(options)).toThrow(message)
  })

  it('all that is wrong with several tools at once, be it a name, a root or a schema, each with the name of its tool', () => {
    const wrong = { x: { type: 'strin' }, y: { pattern: '(' } }
    const tools = [
      tool('fine'),
      tool('first', object(wrong)),
      tool('a b'),
      tool('loose', object(wrong), { strict: false }),
      tool('root', { type: 'array' }),
      tool('fine'),
    ]
    let error: unknown
    try {
      start({ tools })
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(SchemaError)
    const told = (error as SchemaError).errors.map(({ pointer, message }) => [
      pointer,
      /"([\w ]+)"/.exec(message)?.[1],
    ])
    expect(told).toEqual([
      ['#/1/parameters/properties/x/type', 'first'],
      ['#/1/parameters/properties/y/pattern', 'first'],
      ['#/2/name', 'a b'],
      ['#/3/parameters/properties/x/type', 'loose'],
      ['#/4/parameters/type', 'root'],
      ['#/5/parameters', 'fine'],
    ])
  })

  it('a schema that is none, also of a tool that is only judged by it; and takes one that no mask could hold', () => {
    for (const schema of [{ type: 'strin' }, { minimum: '5' }, { required: 'a' }, { $ref: '#/no' }])
      for (const strict of [true, false])
        expect(() => start({ tools: [tool('f', object({ a: schema }), { strict })] })).toThrow(
          /^tool "f": .*#\/0\/par/s,
        )
    const beyond = object({ a: { type: 'string', pattern: '^(?=.*a)(.)\\1$' } })
    expect(() => start({ tools: [tool('f', beyond)] })).toThrow(/^tool "f": .*back-reference/s)
    expect(() => start({ tools: [tool('f', beyond, { strict: false })] })).toThrow('the model was asked')
  })
})

describe('a template that forbids what a conversation has', () => {
  const turn = '<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n'
  const refusing = (test: string, why: string) => {
    const source = `{% for m in messages %}{% if ${test} %}{{ raise_exception('${why}') }}{% endif %}${turn}{% endfor %}`
    const chat = new ChatTemplate(source, source, model.tokenizer, {})
    return { ...sayModel('Hello.'), chat }
  }

  it('gets the system message with the first of the user', async () => {
    const chatty = refusing("m.role == 'system'", 'no system here')
    const messages = [{ role: 'system', content: 'Be brief.' }, user]
    const run = call(chatty, { tools: [tool('f')], messages, toolFormat: 'hermes', jumpForward: false })
    expect(await run.result).toMatchObject({ stopReason: 'complete', content: 'Hello.' })
  })

  it('says why where there is no other way', () => {
    const chatty = refusing("m.content == 'x'", 'nothing about x')
    expect(() => call(chatty, { tools: [], messages: [user], toolFormat: 'hermes' })).toThrow(
      /^the model's chat template refuses these messages: .*nothing about x/,
    )
  })
})

describe('an aborted run', () => {
  it('has no shape of a service, be it aborted before it began or while it wrote', async () => {
    for (const tokens of [0, 12]) {
      const controller = new AbortController()
      if (tokens === 0) controller.abort()
      const text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
      const run = call(sayModel(text), {
        tools: [tool('f')],
        messages: [user],
        toolFormat: 'hermes',
        jumpForward: false,
        signal: controller.signal,
      })
      let seen = 0
      for await (const event of run) if (event.type === 'token' && ++seen === tokens) controller.abort()
      const result = await run.result
      expect(result).toMatchObject({ stopReason: 'aborted', calls: [], rejected: [] })
      for (const shape of [toOpenAI, toAnthropic])
        expect(() => shape(result)).toThrow(expect.objectContaining({ name: 'AbortError' }))
    }
  })
})
