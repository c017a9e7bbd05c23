import { describe, expect, it } from 'vitest'
import { SchemaError } from '../../src/errors.ts'
import { type CallOptions, call, type Result } from '../../src/index.ts'
import { FORMATS, type FormatName } from '../../src/tools/formats/index.ts'
import { findCalls } from '../../src/tools/loose-calls.ts'
import { sayModel } from './say-model.ts'

const BOOK = {
  name: 'book',
  input_schema: {
    type: 'object',
    properties: {
      guests: { type: 'integer', minimum: 1, maximum: 12 },
      date: { type: 'string', format: 'date' },
    },
    required: ['guests', 'date'],
    additionalProperties: false,
  },
}
const LOOSE = { ...BOOK, strict: false }
const messages = [{ role: 'user', content: 'go' }] as const
const ONE = { toolChoice: 'required', parallelToolCalls: false, jumpForward: false } as const

function say(text: string, options: Partial<CallOptions> = {}): Promise<Result> {
  return call(sayModel(text), { tools: [LOOSE], messages, toolFormat: 'hermes', ...ONE, ...options }).result
}

const GOOD = '{"guests": 4, "date": "2027-03-14"}'
const BAD = '{"guests": "four", "extra": 1}'
const hermes = (argumentsText: string): string =>
  FORMATS.hermes.write([{ id: '', name: 'book', argumentsText }])

describe('a tool without its mask', () => {
  it('has its calls read and judged all the same: whole ones are calls', async () => {
    const result = await say(hermes(GOOD))
    expect(result).toMatchObject({ stopReason: 'complete', content: '', rejected: [] })
    expect(result.calls).toMatchObject([{ name: 'book', argumentsText: GOOD, arguments: JSON.parse(GOOD) }])
    expect(result.calls[0]!.id).toMatch(/^call_/u)
  })

  it('reports every violation with its pointer, and returns no call', async () => {
    const { calls, rejected } = await say(hermes(BAD))
    expect(calls).toEqual([])
    expect(rejected).toEqual([
      {
        id: expect.stringMatching(/^call_/u),
        name: 'book',
        argumentsText: BAD,
        arguments: JSON.parse(BAD),
        violations: [
          { pointer: '', keyword: 'required', message: 'missing required "date"', source: 'schema' },
          {
            pointer: '/guests',
            keyword: 'type',
            message: 'string where an integer is required',
            source: 'schema',
          },
          {
            pointer: '/extra',
            keyword: 'additionalProperties',
            message: 'unexpected property "extra"',
            source: 'schema',
          },
        ],
      },
    ])
  })

  it('is off for all tools by the option, and on again', async () => {
    const off = await say(hermes(BAD), { tools: [BOOK], strict: false })
    expect(off.rejected).toHaveLength(1)
    const on = await say(hermes(BAD), { tools: [LOOSE], strict: true })
    expect(on).toMatchObject({ stopReason: 'complete', rejected: [], calls: [{ name: 'book' }] })
    expect(() => call(sayModel(''), { tools: [BOOK], messages, strict: 'no' as never })).toThrow(
      /strict must/,
    )
  })

  it('writes any object in the frame beside tools that have theirs', async () => {
    const tools = [LOOSE, { ...BOOK, name: 'held' }]
    const loose = await say(hermes(BAD), { tools })
    expect(loose.rejected).toMatchObject([{ name: 'book', argumentsText: BAD }])
    const run = call(sayModel(hermes(BAD).replace('book', 'held')), {
      tools,
      messages,
      toolFormat: 'hermes',
      ...ONE,
    })
    const starts = []
    for await (const event of run) if (event.type === 'call-start') starts.push(event)
    expect(starts).toMatchObject([{ name: 'held' }])
    expect(starts[0]).not.toHaveProperty('provisional')
    expect(await run.result).toMatchObject({ rejected: [], calls: [{ name: 'held' }] })
  })

  it('reads other frames: fences, bare objects, lists, other spacing, prose around them', async () => {
    const call = `{"name":"book","arguments":${GOOD}}`
    for (const text of [
      call,
      `<tool_call>${call}</tool_call>`,
      `Sure!\n\`\`\`json\n${call}\n\`\`\`\nDone.`,
      `{"name": "book", "parameters": ${GOOD}}`,
      `[{"name": "book", "parameters": ${GOOD}}]`,
      `{"tool_calls": [{"type": "function", "function": ${call}}]}`,
      `I use [x]: ${call}`,
      `<tool_call>\n${call}`,
    ]) {
      const { calls, rejected } = await say(text)
      expect(rejected, text).toEqual([])
      expect(calls, text).toMatchObject([{ name: 'book', argumentsText: GOOD }])
    }
    expect((await say(`Sure!\n\`\`\`json\n${call}\n\`\`\``)).content).toBe('Sure!')
  })

  it.each(Object.keys(FORMATS) as FormatName[])('reads what %s writes', async (name) => {
    const calls = [{ id: 'abcdefgh1', name: 'book', argumentsText: GOOD }]
    const result = await say(FORMATS[name].write(calls), { toolFormat: name })
    expect(result.calls).toMatchObject([{ name: 'book', argumentsText: GOOD }])
  })

  it('reads the calls of kimi without their section too, whatever they say of their numbers', async () => {
    const { kimi } = FORMATS
    const two = [GOOD, GOOD].map((argumentsText) => ({ id: '', name: 'book', argumentsText, number: 7 }))
    const whole = kimi.write(two)
    const bare = whole.replace(/<\|tool_calls_section_\w+\|>/gu, '')
    for (const text of [whole, bare, `Well.${bare}`]) {
      const { calls, content } = await say(text, { toolFormat: 'kimi', parallelToolCalls: true })
      expect(calls.map(({ id, argumentsText }) => [id, argumentsText])).toEqual([
        ['functions.book:0', GOOD],
        ['functions.book:1', GOOD],
      ])
      expect(content).toBe(text.startsWith('Well.') ? 'Well.' : '')
    }
  })

  it('says why an output cannot be read as a call', async () => {
    const cases: [string, RegExp][] = [
      ['I would rather not.', /^no call can be read: the output is text$/],
      ['{"guests": 4}', /^no call can be read: the object has no "name" of a tool$/],
      ['{"nam', /^no call can be read: the object is not closed$/],
      [hermes('{"guests": 4,}'), /^the arguments are not JSON: .*column 14/],
      [hermes('[4]'), /^array where the arguments, an object, are required$/],
      [hermes('"4"'), /^string where the arguments, an object, are required$/],
      [hermes(GOOD).replace('book', 'cook'), /^there is no tool "cook"; the tools are "book"$/],
      ['{"name": "book"}', /^the arguments are not JSON/],
    ]
    for (const [text, message] of cases) {
      const { calls, rejected } = await say(text)
      expect(calls, text).toEqual([])
      expect(rejected, text).toMatchObject([
        { violations: [{ source: 'parse', message: expect.stringMatching(message) }] },
      ])
    }
  })

  it('may be left alone where no call is asked for, unless one was begun', async () => {
    const auto = { toolChoice: 'auto' } as const
    expect(await say('Hello {x}.', auto)).toMatchObject({ content: 'Hello {x}.', calls: [], rejected: [] })
    const { rejected } = await say('<tool_call>\n{"nam', auto)
    expect(rejected).toMatchObject([{ name: '', violations: [{ message: /not closed/ }] }])
  })

  it('is cut where it is cut: what is whole counts, what is not is neither call nor rejected', async () => {
    const cut = await say(hermes(GOOD), { maxTokens: 60 })
    expect(cut).toMatchObject({ stopReason: 'max_tokens', calls: [], rejected: [] })
    const rambling = await say(`${hermes(GOOD)}\nAnd so on, and so on.`, { maxTokens: 100 })
    expect(rambling).toMatchObject({
      stopReason: 'max_tokens',
      calls: [{ argumentsText: GOOD }],
      rejected: [],
    })
  })

  it('is read where a string of the format is none, or has half a character', async () => {
    const auto = { toolChoice: 'auto', toolFormat: 'json' } as const
    for (const [text, content] of [
      ['{"response": "C:\\dir"}', 'C:\\dir'],
      ['{"response": "a\nb"}', 'a\nb'],
      ['{"response": "a\\ud83d b \\ud83d\\ude00"}', 'a\ud83d b 😀'],
      ['{"response": "open', 'open'],
    ] as const)
      expect(await say(text, auto), text).toMatchObject({ content, calls: [], rejected: [] })
  })

  it('is rejected where its arguments are nested too deeply to be judged', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
    const { calls, rejected } = await say(hermes(deep), { maxTokens: 50_000 })
    expect(calls).toEqual([])
    expect(rejected).toMatchObject([{ violations: [{ source: 'parse', message: /nesting/ }] }])
  })

  it('cannot be held to a budget, which needs a mask', () => {
    const options = { tools: [LOOSE], messages, toolFormat: 'hermes', finishWithin: 'budget' } as const
    expect(() => call(sayModel(''), options)).toThrow(/a tool that is not strict: false/)
  })

  it('has its schema read before the first step', () => {
    const tools = ['a', 'b'].map((name) => ({
      name,
      strict: false,
      parameters: { type: 'object', properties: { x: { $ref: '#/$defs/no' }, y: { pattern: '(' } } },
    }))
    for (const given of [tools, [tools[0], { ...tools[1], strict: true }]]) {
      let error: unknown
      try {
        call(sayModel(''), { tools: given, messages, toolFormat: 'hermes' })
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(SchemaError)
      expect((error as SchemaError).errors.map(({ pointer }) => pointer)).toEqual([
        '#/0/parameters/properties/x/$ref',
        '#/0/parameters/properties/y/pattern',
        '#/1/parameters/properties/x/$ref',
        '#/1/parameters/properties/y/pattern',
      ])
    }
  })
})

describe('findCalls', () => {
  it('keeps the text of arguments slice by slice, and ends for any input', () => {
    const text = '{"name": "f", "arguments": {"a": "}\\"{", "b": [1, {"c": ","}]}}'
    expect(findCalls(text, []).calls).toEqual([
      { name: 'f', argumentsText: '{"a": "}\\"{", "b": [1, {"c": ","}]}' },
    ])
    for (const odd of ['', '[', '{', '}{', '"', '{"name": "f', '[[[', '{"name": {}}', '\\', '{:,}'])
      expect(findCalls(odd, []).calls).toEqual([])
  })

  it('looks for calls behind brackets that never end, and at no price', () => {
    const call = '{"name": "f", "arguments": {}}'
    expect(findCalls(`see [1], {x} and [ ${call}`, []).calls).toEqual([{ name: 'f', argumentsText: '{}' }])
    for (const odd of ['[', '{', '{"', '{"a":', '[{', '[]', '{"a": '])
      expect(findCalls(odd.repeat(20_000), []).calls).toEqual([])
    expect(findCalls('['.repeat(20_000) + ']'.repeat(20_000), []).calls).toEqual([])
    const spaces = ' '.repeat(100_000)
    expect(findCalls(`{"name": "f", "arguments": {}${spaces}x}`, []).calls).toEqual([
      { name: 'f', argumentsText: `{}${spaces}x` },
    ])
  })
})

describe('arguments', () => {
  it('are an object also where nothing counts beside a reference', async () => {
    const $schema = 'http://json-schema.org/draft-07/schema#'
    const schemaOf = (definition: object) => ({
      $schema,
      $ref: '#/definitions/A',
      definitions: { A: definition },
    })
    const run = (parameters: object) => say('', { tools: [{ name: 'f', parameters }] })
    const constant = { properties: { a: { const: 1 } }, required: ['a'], additionalProperties: false }
    expect((await run(schemaOf({ anyOf: [{ type: 'string' }, constant] }))).calls).toMatchObject([
      { arguments: { a: 1 } },
    ])
    expect(() => run(schemaOf({ type: 'string' }))).toThrow(SchemaError)
    expect(() => run({ ...schemaOf({}), $ref: '#/definitions/B' })).toThrow(/#\/0\/parameters\/\$ref/)
  })
})

describe('toolChoice', () => {
  const none = { name: 'none', input_schema: { type: 'object', additionalProperties: false } }
  const written = [1, 2].map((n) => ({ id: `${n}`, name: 'none', argumentsText: '{}' }))
  const run = (toolChoice: unknown, options: object = {}) => {
    const own = { tools: [none], toolChoice, parallelToolCalls: undefined, ...options }
    return say(FORMATS.hermes.write(written), own as unknown as Partial<CallOptions>)
  }

  it("takes Anthropic's way to ask for one call at most", async () => {
    const alone = { type: 'any', disable_parallel_tool_use: true }
    expect((await run(alone)).calls).toHaveLength(1)
    expect((await run({ type: 'any' })).calls).toHaveLength(2)
    expect((await run(alone, { parallelToolCalls: true })).calls).toHaveLength(2)
    expect(() => run({ type: 'any', disable_parallel_tool_use: 1 })).toThrow(/must be true or false, not 1/)
  })

  it('says what was given, be it no JSON', () => {
    const own: Record<string, unknown> = {}
    own.own = own
    for (const odd of [5n, own]) expect(() => run(odd)).toThrow(/toolChoice must be/)
    expect(() => run('auto', { parallelToolCalls: own })).toThrow(/parallelToolCalls must be/)
  })
})
