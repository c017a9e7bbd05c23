import { describe, expect, it } from 'vitest'
import { ChatTemplate } from '../../src/decode/chat.ts'
import { type Message, readMessages } from '../../src/decode/messages.ts'
import { nameCalls } from '../../src/tools/call-ids.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { FORMATS, recogniseFormat } from '../../src/tools/formats/index.ts'
import { promptPieces } from '../../src/tools/prompt.ts'
import { ScriptModel } from '../decode/script-model.ts'

const { hermes, kimi, mistral } = FORMATS

/** A conversation with these calls, `name` or `name=id`, a message each; their results come in the order that is given. */
function conversation(calls: readonly string[], results: readonly (string | undefined)[]): Message[] {
  const tool_calls = calls.map((call) => {
    const [name = '', id] = call.split('=')
    return {
      type: 'function' as const,
      ...(id === undefined ? {} : { id }),
      function: { name, arguments: '{}' },
    }
  })
  const told = results.map((tool_call_id, i) => ({
    role: 'tool',
    content: `result ${i}`,
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  }))
  return [{ role: 'user', content: 'Go.' }, { role: 'assistant', tool_calls }, ...told]
}

function named(format: (typeof FORMATS)['kimi'], calls: string[], results: (string | undefined)[]) {
  const { turns, next } = nameCalls(readMessages(conversation(calls, results)), format)
  return {
    calls: turns.flatMap((turn) => turn.calls.map(({ id }) => id)),
    results: turns.flatMap((turn) => (turn.role === 'tool' ? [turn.callId] : [])),
    next,
  }
}

describe('nameCalls', () => {
  it('keeps every id of a format that takes any', () => {
    expect(named(hermes, ['get=a', 'set'], ['a', undefined])).toEqual({
      calls: ['a', undefined],
      results: ['a', undefined],
      next: 2,
    })
  })

  it('numbers the calls of kimi by their places, whoever made them, and their results alike', () => {
    const expected = ['functions.get:0', 'functions.set:1', 'functions.get:2']
    expect(
      named(
        kimi,
        ['get=call_1', 'set=toolu_functions_set_1', 'get'],
        ['toolu_functions_set_1'].concat('call_1', undefined as never),
      ),
    ).toEqual({
      calls: expected,
      results: [expected[1], expected[0], expected[2]],
      next: 3,
    })
    expect(named(kimi, ['get', 'set', 'get'], [undefined, undefined, undefined])).toEqual({
      calls: expected,
      results: expected,
      next: 3,
    })
    expect(
      named(
        kimi,
        expected.map((id) => `f=${id}`),
        expected,
      ),
    ).toMatchObject({ calls: expected, next: 3 })
  })

  it('goes on from the last number where the conversation lacks its beginning', () => {
    const calls = ['get=functions.get:7', 'set=functions.set:8']
    const ids = ['functions.get:7', 'functions.set:8']
    expect(named(kimi, calls, ids)).toEqual({ calls: ids, results: ids, next: 9 })
  })

  it('gives no id twice, though others have the form of the one that is due', () => {
    const calls = ['get=call_1', 'get=functions.get:0', 'get']
    expect(named(kimi, calls, ['call_1', 'functions.get:0', undefined]).calls).toEqual([
      'functions.get:1',
      'functions.get:0',
      'functions.get:2',
    ])
    expect(
      named(mistral, ['get=a', 'get=call00001', 'get=abcdefgh1'], ['a', 'call00001', 'abcdefgh1']).calls,
    ).toEqual(['call00002', 'call00001', 'abcdefgh1'])
  })

  it('takes no number that is none', () => {
    const odd = [
      'functions.get:007',
      'functions.get:9999999999999999999999',
      'functions.get:',
      'functions.a b:1',
    ]
    expect(
      named(
        kimi,
        odd.map((id) => `get=${id}`),
        odd,
      ),
    ).toMatchObject({
      calls: [0, 1, 2, 3].map((n) => `functions.get:${n}`),
      next: 4,
    })
  })
})

describe('the prompt of a conversation', () => {
  const turns = '<|im_{{ m.role }}|>{{ m.content }}'
  const ending = '<|im_end|>{% endfor %}<|im_assistant|>'
  /** Shows ids as the template of K2 does, and no other link between a call and its result. */
  const native = `{% if tools %}<|im_system|>tool_declare{{ tools | tojson }}<|im_end|>{% endif %}{% for m in messages %}{% if m.role == 'tool' %}<|im_system|>## Return of {{ m.tool_call_id }}
{{ m.content }}{% else %}${turns}{% endif %}{% if m.tool_calls %}<|tool_calls_section_begin|>{% for c in m.tool_calls %}<|tool_call_begin|>{{ c.id }}<|tool_call_argument_begin|>{{ c.function.arguments }}<|tool_call_end|>{% endfor %}<|tool_calls_section_end|>{% endif %}${ending}`
  const plain = `{% for m in messages %}${turns}${ending}`

  const twoCalls = conversation(['get=call_1', 'set=call_2'], ['call_1', 'call_2'])
  const prompt = (template: string, format: (typeof FORMATS)['kimi'] = kimi, messages = twoCalls): string => {
    const chat = new ChatTemplate(template, template, new ScriptModel([], 100).tokenizer, {})
    const request = { tools: readTools([{ name: 'get' }, { name: 'set' }]), mayTalk: true, max: 32 }
    return promptPieces(chat, format, request, readMessages(messages))
      .map(({ text }) => text)
      .join('')
  }

  it('is that of kimi where the vocabulary has the tokens of its calls', () => {
    expect(recogniseFormat({ template: '', isToken: (text) => kimi.controls.includes(text) })).toBe('kimi')
  })

  it('has the ids that kimi would have written, in its own template and in ours', () => {
    for (const text of [prompt(native), prompt(plain)]) {
      expect(text).toContain(
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.get:0<|tool_call_argument_begin|>{}<|tool_call_end|>' +
          '<|tool_call_begin|>functions.set:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
      )
      expect(text).toContain('## Return of functions.get:0\nresult 0')
      expect(text).toContain('## Return of functions.set:1\nresult 1')
    }
    expect(prompt(native)).toContain('tool_declare')
    expect(prompt(plain)).toContain('You call tools.')
  })

  it('numbers the calls of a later turn on from those before it, in either template', () => {
    const messages = [...twoCalls, ...conversation(['set=call_3'], ['call_3'])]
    for (const template of [native, plain])
      expect(prompt(template, kimi, messages)).toContain(
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.set:2<|tool_call_argument_begin|>{}<|tool_call_end|>' +
          '<|tool_calls_section_end|>',
      )
  })

  it('has results for mistral as JSON values beside the ids of their calls', () => {
    const text = prompt(plain, mistral)
    expect(text).toContain('[TOOL_RESULTS]{"content": "result 0", "call_id": "call00001"}[/TOOL_RESULTS]')
    expect(text).toContain('[TOOL_RESULTS]{"content": "result 1", "call_id": "call00002"}[/TOOL_RESULTS]')
  })
})
