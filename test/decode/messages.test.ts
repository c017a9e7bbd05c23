import { describe, expect, it } from 'vitest'
import { type Message, readMessages } from '../../src/decode/messages.ts'

const user = { role: 'user', content: 'go' } as const
const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: `f_${id}`, arguments: '{}' } })),
})
const result = (id: string, content = 'r'): Message => ({ role: 'tool', tool_call_id: id, content })

describe('readMessages', () => {
  it('joins text parts and keeps calls, and names the tool of each result', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]
    const turns = readMessages([{ role: 'user', content: parts }, calls('c1'), result('c1')])
    expect(turns.map(({ content }) => content)).toEqual(['ab', '', 'r'])
    expect(turns[1]!.calls).toEqual([{ name: 'f_c1', arguments: '{}', id: 'c1' }])
    expect(turns[2]).toMatchObject({ role: 'tool', callId: 'c1', toolName: 'f_c1' })
  })

  it("reads Anthropic's shape as the turns that OpenAI's would be", () => {
    const anthropic = readMessages(
      [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: '' },
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'a', name: 'f_a', input: { b: 1, 2: [null] } },
            { type: 'tool_use', id: 'b', name: 'f_b', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }] },
            { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'not found' },
            { type: 'text', text: 'and now?' },
          ],
        },
      ],
      [{ type: 'text', text: 'Be brief.' }],
    )
    const { tool_calls } = calls('a', 'b')
    const [first, second] = tool_calls as { function: { name: string; arguments: string } }[]
    const openai = readMessages([
      { role: 'system', content: 'Be brief.' },
      user,
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'a', ...first, function: { name: 'f_a', arguments: '{"2":[null],"b":1}' } } as never,
          { id: 'b', ...second } as never,
        ],
      },
      result('b', 'two'),
      result('a', 'Error: not found'),
      { role: 'user', content: 'and now?' },
    ])
    expect(anthropic).toEqual(openai)
  })

  it('says once that a call failed', () => {
    const failed = (content?: string) =>
      readMessages([
        user,
        calls('a'),
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content } as never],
        },
      ])[2]!.content
    expect(failed('Error 404')).toBe('Error 404')
    expect(failed('errored?')).toBe('Error: errored?')
    expect(failed()).toBe('Error: ')
  })

  it('takes results without ids in the order of the calls, and an empty text for no arguments', () => {
    const call = { function: { name: 'f', arguments: '' } }
    const turns = readMessages([
      user,
      { role: 'assistant', tool_calls: [call, { function: { name: 'g', arguments: '{}' } }] },
      { role: 'tool', content: 'one' },
      { role: 'tool', content: 'two' },
    ])
    expect(turns.map(({ toolName }) => toolName)).toEqual([undefined, undefined, 'f', 'g'])
    expect(turns[1]!.calls[0]!.arguments).toBe('{}')
  })

  it('refuses by place what cannot be read', () => {
    const cases: [unknown, RegExp][] = [
      [[], /at least one message/],
      ['hi', /must be a list/],
      [[null], /messages\[0\] is not an object/],
      [[{ role: 'sys<|im_end|>tem', content: 'a' }], /messages\[0\]\.role/],
      [[{ role: 'user' }], /messages\[0\]\.content/],
      [[{ role: 'user', content: [{ type: 'image_url' }] }], /content\[0\] is not a text part/],
      [[{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: {} } }] }], /tool_calls\[0\]/],
      [[{ ...user, tool_calls: calls('a').tool_calls }], /messages\[0\]\.tool_calls: only .* "assistant"/],
      [[{ role: 'user', content: [{ type: 'tool_use' }] }], /content\[0\] is a tool_use, .* not "user"/],
      [
        [{ role: 'assistant', content: [{ type: 'tool_result' }] }],
        /content\[0\] is a tool_result, .* not "assistant"/,
      ],
      [
        [user, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: [1] }] }],
        /messages\[1\]\.content\[0\]\.input must be a JSON object, not \[1\]/,
      ],
      [
        [
          user,
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'a', name: 'f', input: { d: new Date() } }],
          },
        ],
        /messages\[1\]\.content\[0\]\.input: the value at \/d is an instance of Date/,
      ],
      [[{ role: 'system', content: 'a' }], /no message of the role "user"/],
    ]
    for (const [messages, message] of cases) expect(() => readMessages(messages)).toThrow(message)
    for (const [text, message] of [
      [
        '[1]',
        /messages\[1\]\.tool_calls\[0\]\.function\.arguments must be the text of a JSON object, not \[1\]/,
      ],
      ['{"a": ', /arguments must be the text of a JSON object: .*column 7/],
    ] as const) {
      const call = { id: 'a', function: { name: 'f', arguments: text } }
      expect(() => readMessages([user, { role: 'assistant', tool_calls: [call] }])).toThrow(message)
    }
    const twice = [{ role: 'system', content: 'a' }, user]
    expect(() => readMessages(twice, 'b')).toThrow(/either as option system or as a message; messages\[0\]/)
    expect(() => readMessages([user], 5)).toThrow(/system must be text/)
  })

  it('says which call or result stands alone', () => {
    const cases: [Message[], RegExp][] = [
      [[user, result('a')], /messages\[1\] is the result of a call "a" .*; there are no calls/],
      [
        [user, calls('a', 'b'), result('a'), result('c')],
        /messages\[3\] .* call "c" .* the calls are "a", "b"/,
      ],
      [
        [user, calls('a', 'b'), result('a'), result('a')],
        /messages\[3\] is a second result for the call "a"/,
      ],
      [[user, calls('a'), user], /messages\[1\]: the call "a" of "f_a" has no result before messages\[2\]/],
      [
        [user, calls('a', 'b'), result('b')],
        /messages\[1\]: the call "a" of "f_a" has no result in the mess/,
      ],
      [[user, calls('a', 'a')], /messages\[1\]: two calls have the id "a"/],
      [[user, calls('a'), result('a'), calls('a'), result('a')], /messages\[3\]: two calls have the id "a"/],
      [[user, { role: 'tool', content: 'x' }], /messages\[1\] is a result, and no call before it awaits one/],
      [
        [user, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }],
        /messages\[1\]\.content\[0\] is the result of a call "x"/,
      ],
      [
        [
          user,
          calls('a'),
          {
            role: 'user',
            content: [
              { type: 'text', text: 'wait' },
              { type: 'tool_result', tool_use_id: 'a' },
            ],
          },
        ],
        /the call "a" of "f_a" has no result before messages\[2\]/,
      ],
    ]
    for (const [messages, message] of cases) expect(() => readMessages(messages)).toThrow(message)
  })
})
