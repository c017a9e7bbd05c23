import type Anthropic from '@anthropic-ai/sdk'
import type OpenAI from 'openai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { readTools } from '../../src/tools/definitions.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { readChoice, type ToolChoice } from '../../src/tools/tool-choice.ts'

const { hermes, llama } = FORMATS
const TOOLS = readTools([{ name: 'get' }, { name: 'set' }])
const ANY = Number.POSITIVE_INFINITY

function read(choice?: unknown, parallel?: unknown, format: (typeof FORMATS)['hermes'] = hermes) {
  const { tools, mayTalk, max } = readChoice(choice, parallel, TOOLS, format)
  return [tools.map(({ name }) => name).join(), mayTalk, max]
}

describe('readChoice', () => {
  it('reads who may be called, whether words will do, and how many calls, in the shapes of both services', () => {
    for (const choice of [undefined, null, 'auto', { type: 'auto' }])
      expect(read(choice)).toEqual(['get,set', true, ANY])
    for (const choice of ['required', 'any', { type: 'any' }])
      expect(read(choice)).toEqual(['get,set', false, ANY])
    for (const choice of ['none', { type: 'none' }]) expect(read(choice)).toEqual(['', true, 0])
    for (const choice of [
      { name: 'set' },
      { type: 'function', function: { name: 'set' } },
      { type: 'function', name: 'set' },
      { type: 'tool', name: 'set' },
    ])
      expect(read(choice)).toEqual(['set', false, ANY])
    const some = [{ type: 'function', name: 'set' }]
    const nested = [{ type: 'function', function: { name: 'set' } }]
    expect(read({ type: 'allowed_tools', mode: 'auto', tools: some })).toEqual(['set', true, ANY])
    expect(
      read({
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [...nested, { name: 'get' }] },
      }),
    ).toEqual(['get,set', false, ANY])
  })

  it('reads how many calls a turn may hold, no more than the format writes', () => {
    expect(read('auto', false)).toEqual(['get,set', true, 1])
    expect(read('auto', { max: 3 })).toEqual(['get,set', true, 3])
    expect(read('auto', true, llama)).toEqual(['get,set', true, 1])
    expect(read({ type: 'any', disable_parallel_tool_use: true })).toEqual(['get,set', false, 1])
    expect(read({ type: 'any', disable_parallel_tool_use: true }, { max: 2 })).toEqual(['get,set', false, 2])
    expect(() => read('auto', { max: 2 }, llama)).toThrow(/up to 2 calls, and the format llama writes 1/)
    expect(() => read('auto', { max: ANY })).toThrow('not {"max":"Infinity"}')
    for (const parallel of ['yes', { max: 0 }, { max: 1.5 }, 2])
      expect(() => read('auto', parallel)).toThrow(/^parallelToolCalls must be true, false or/)
  })

  it('says what there is to choose from', () => {
    expect(() => read({ name: 'put' })).toThrow(
      'toolChoice names the tool "put", and the tools are "get", "set"',
    )
    for (const choice of [
      ...['maybe', {}, 1, [], { type: 'tool' }, { type: 'function', function: {} }, { name: 5 }],
      // A type that says otherwise than the name.
      ...[
        { type: 'any', name: 'get' },
        { type: 'auto', name: 'get' },
        { type: 'custom', name: 'get' },
      ],
      { type: 'allowed_tools', allowed_tools: {} },
      { type: 'allowed_tools', mode: 'auto', tools: [{}] },
    ]) {
      const start = () => read(choice)
      for (const part of [
        /^toolChoice must be "auto", "none", "required" or \{ name: "a tool" \};/,
        /OpenAI's \{ type: "function", function: \{ name: "a tool" \} \} or \{ type: "allowed_tools", mode: /,
        /Anthropic's \{ type: "auto" \| "none" \| "any" \} or \{ type: "tool", name: "a tool" \}, not /,
      ])
        expect(start, JSON.stringify(choice)).toThrow(part)
    }
    for (const choice of ['required', { name: 'get' }])
      expect(() => readChoice(choice, true, [], hermes)).toThrow(/no tools are given/)
    expect(readChoice('auto', true, [], hermes)).toEqual({ tools: [], mayTalk: true, max: 0 })
  })

  it('takes the types of both SDKs', () => {
    expectTypeOf<Anthropic.ToolChoice>().toExtend<ToolChoice>()
    expectTypeOf<OpenAI.ChatCompletionNamedToolChoice>().toExtend<ToolChoice>()
    expectTypeOf<OpenAI.ChatCompletionToolChoiceOption>().exclude<{ type: 'custom' }>().toExtend<ToolChoice>()
    expectTypeOf<OpenAI.Responses.ToolChoiceFunction>().toExtend<ToolChoice>()
    expectTypeOf<OpenAI.Responses.ToolChoiceAllowed>().toExtend<ToolChoice>()
  })
})
