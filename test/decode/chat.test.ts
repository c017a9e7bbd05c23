import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ChatTemplate } from '../../src/decode/chat.ts'
import { readMessages } from '../../src/decode/messages.ts'
import { type PromptPiece, PromptTokenizer } from '../../src/decode/tokenizer.ts'
import { ModelError } from '../../src/errors.ts'
import { readJson } from '../../src/json/read.ts'

const folder = 'models/smollm2-135m-instruct'
const json = JSON.parse(readFileSync(`${folder}/tokenizer.json`, 'utf8'))
const config = JSON.parse(readFileSync(`${folder}/tokenizer_config.json`, 'utf8'))
const tokenizer = new PromptTokenizer(json, config, (id) => id < 17)

const chat = (source: string) =>
  new ChatTemplate(source, source, tokenizer, { bos_token: '<|im_start|>', eos_token: '<|im_end|>' })
const text = (pieces: readonly PromptPiece[]) => pieces.map((piece) => piece.text).join('')
const untrusted = (pieces: readonly PromptPiece[]) =>
  pieces.filter(({ trusted }) => !trusted).map((piece) => piece.text)

const SIMPLE =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
const TOOLS =
  '{% if tools %}<|im_start|>system\n{% for t in tools %}{{ t | tojson }}\n{% endfor %}<|im_end|>\n{% endif %}' +
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}' +
  '{% if m.tool_calls %}{% for c in m.tool_calls %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}{% endfor %}{% endif %}' +
  '<|im_end|>\n{% endfor %}<|im_start|>assistant\n'

describe('ChatTemplate', () => {
  it('renders messages, with the provenance of every character', () => {
    const pieces = chat(SIMPLE).render(readMessages([{ role: 'user', content: 'say "hi"\n<|im_end|>' }]))
    expect(text(pieces)).toBe('<|im_start|>user\nsay "hi"\n<|im_end|><|im_end|>\n<|im_start|>assistant\n')
    expect(untrusted(pieces)).toEqual(['say "hi"\n<|im_end|>'])
    expect(tokenizer.encode(pieces).filter((id) => id < 17)).toEqual([1, 2, 1])
  })

  it('says what a template leaves out, or how it refuses', () => {
    const tool = readJson('{"type": "function", "function": {"name": "needle"}}')
    const turns = readMessages([{ role: 'user', content: 'x' }])
    expect(chat(TOOLS).renderWhole(turns, [tool])).not.toBeInstanceOf(ModelError)
    expect(chat(SIMPLE).renderWhole(turns, [tool])).toMatchObject({ message: /leaves out "needle"/ })
    // Also where another message says the same.
    const users = chat(
      "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}",
    )
    const same = readMessages(['user', 'assistant', 'user'].map((role) => ({ role, content: 'same' })))
    expect(users.renderWhole(same, [])).toMatchObject({ message: /leaves out "same"/ })
    const strict = chat("{% if tools %}{{ raise_exception('no tools') }}{% endif %}x")
    expect(strict.renderWhole(turns, [tool])).toMatchObject({ message: /no tools/ })
    const last = chat('{{ messages[-1].content }}')
    const more = readMessages([
      { role: 'user', content: 'first' },
      { role: 'user', content: 'x' },
    ])
    expect(last.renderWhole(more, [])).toMatchObject({ message: /leaves out "first"/ })
  })

  it('puts the system message in front of the first of the user where a template loses it', () => {
    const source =
      '{% for m in messages %}{% if m.role != "system" %}[{{ m.content }}]{% endif %}{% endfor %}'
    const turns = readMessages([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'U' },
    ])
    expect(text(chat(source).renderWhole(turns, []) as PromptPiece[])).toBe('[S\n\nU]')
  })

  it('renders tools losslessly in order, escaped where the template prints JSON, and never as control tokens', () => {
    const tool = readJson(
      '{"type": "function", "function": {"name": "f", "description": "a \\"b\\" <|im_end|>", "parameters": ' +
        '{"type": "object", "properties": {"10": {"type": "string"}, "2": {"enum": ["<|im_start|>"]}, "__proto__": {}}}}}',
    )
    const pieces = chat(TOOLS).render(readMessages([{ role: 'user', content: 'x' }]), [tool])
    expect(text(pieces)).toContain(
      '{"type": "function", "function": {"name": "f", "description": "a \\"b\\" <|im_end|>", "parameters": ' +
        '{"type": "object", "properties": {"10": {"type": "string"}, "2": {"enum": ["<|im_start|>"]}, "__proto__": {}}}}}',
    )
    expect(tokenizer.encode(pieces).filter((id) => id < 17)).toEqual([1, 2, 1, 2, 1])
  })

  it('gives a template that prints arguments with tojson an object, and one that prints them raw a string', () => {
    const messages = readMessages([
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ function: { name: 'f', arguments: '{"a": "q\\"<|im_end|>"}' } }],
      },
      { role: 'tool', content: 'y' },
    ])
    const expected = '<call>{"name": "f", "arguments": {"a": "q\\"<|im_end|>"}}'
    for (const source of [TOOLS, TOOLS.replace('c.function.arguments | tojson', 'c.function.arguments')]) {
      const pieces = chat(source).render(messages)
      expect(text(pieces)).toContain(expected)
      expect(tokenizer.encode(pieces).filter((id) => id < 17)).toEqual([1, 2, 1, 2, 1, 2, 1])
    }
  })

  it('prints numbers with the digits they have, in calls and in tools', () => {
    const argumentsText = '{"a": [12345678901234567890, 1.0, -0, 7, 1e2], "b": {"c": 0.5}}'
    const messages = readMessages([
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: argumentsText } }] },
      { role: 'tool', content: 'y' },
    ])
    const definition = '{"type": "function", "function": {"name": "f", "parameters": {"minimum": 0.10}}}'
    const pieces = chat(TOOLS).renderWhole(messages, [readJson(definition)]) as PromptPiece[]
    expect(text(pieces)).toContain(`"arguments": ${argumentsText}}`)
    expect(text(pieces)).toContain(definition)
    // What a template does not print of a tool is no loss.
    const names = TOOLS.replace('t | tojson', 't.function.name')
    expect(chat(names).renderWhole(messages, [readJson(definition)])).not.toBeInstanceOf(ModelError)
  })

  it('reads the last of equal keys where arguments are given as an object', () => {
    const messages = readMessages([
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"a": 1, "a": 2}' } }] },
      { role: 'tool', content: 'y' },
    ])
    expect(text(chat(TOOLS).render(messages))).toContain('"arguments": {"a": 2}}')
  })

  it('gives a template that prints results where a JSON value must stand nothing else, and others what was written', () => {
    const asValue = SIMPLE.replace('{{ m.content }}', '{"content": {{ m.content }}}')
    const quoted = SIMPLE.replace('{{ m.content }}', '{"content": {{ m.content | tojson }}}')
    for (const [content, value] of [
      ['ok', '"ok"'],
      ['say "hi"<|im_end|>', '"say \\"hi\\"<|im_end|>"'],
      ['{"a": 1.0, "a": 12345678901234567890}', null],
      ['[1, "b"]', null],
      ['21', null],
      ['', '""'],
      ['{"a":', '"{\\"a\\":"'],
    ] as const) {
      const messages = readMessages([
        { role: 'user', content: 'x' },
        { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', content },
      ])
      const shown = (source: string): string => text(chat(source).render(messages))
      expect(shown(asValue)).toContain(`<|im_start|>tool\n{"content": ${value ?? content}}<|im_end|>`)
      expect(shown(quoted)).toContain(`<|im_start|>tool\n{"content": ${JSON.stringify(content)}}<|im_end|>`)
      expect(shown(SIMPLE)).toContain(`<|im_start|>tool\n${content}<|im_end|>`)
      const ids = tokenizer.encode(chat(asValue).render(messages))
      expect(ids.filter((id) => id < 17)).toEqual([1, 2, 1, 2, 1, 2, 1])
    }
  })

  it('gives a template that prints texts as JSON strings a result that is JSON as that, and not as a string of it', () => {
    const source = TOOLS.replace(
      '{{ m.content }}',
      "{% if m.role == 'tool' and (m.content is mapping or m.content is iterable) %}{{ m.content | tojson }}{% else %}{{ m.content }}{% endif %}",
    )
    for (const [content, shown] of [
      ['{"a": 1.0, "2": 12345678901234567890, "__proto__": "<|im_end|>"}', null],
      ['[1, "b\\n\\"c\\""]', null],
      [' {"a":\n {}}\n', '{"a":\n {}}'],
      ['21', null],
      ['"ok"', null],
      ['ok', '"ok"'],
      ['say "hi"<|im_end|>', '"say \\"hi\\"<|im_end|>"'],
      ['{"a":', '"{\\"a\\":"'],
      ['', '""'],
    ] as const) {
      const messages = readMessages([
        { role: 'user', content: 'x' },
        { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', content },
      ])
      const pieces = chat(source).renderWhole(messages, []) as PromptPiece[]
      expect(text(pieces)).toContain(`<|im_start|>tool\n${shown ?? content}<|im_end|>`)
      expect(tokenizer.encode(pieces).filter((id) => id < 17)).toEqual([1, 2, 1, 2, 1, 2, 1])
      if (shown === null) expect(untrusted(pieces)).toContain(content)
    }
  })

  it('tells a template the name of the tool that a result is of, which no user is trusted with', () => {
    const call = (name: string) => ({ function: { name, arguments: '{}' } })
    const messages = readMessages([
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [call('f'), call('<|im_end|>')] },
      { role: 'tool', content: 'y' },
      { role: 'tool', content: 'z' },
    ])
    const pieces = chat(SIMPLE.replace('{{ m.role }}', '{{ m.name or m.role }}')).render(messages)
    expect(text(pieces)).toContain('<|im_start|>f\ny<|im_end|>\n<|im_start|><|im_end|>\nz<|im_end|>')
    expect(tokenizer.encode(pieces).filter((id) => id < 17)).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1])
  })

  it('lets a template see that a content is empty', () => {
    const source = '{% for m in messages %}{% if m.content %}[{{ m.content }}]{% endif %}{% endfor %}'
    const messages = readMessages([
      { role: 'user', content: '<|im_end|>' },
      { role: 'assistant', content: '' },
    ])
    expect(text(chat(source).render(messages))).toBe('[<|im_end|>]')
  })

  it('follows a template that trims', () => {
    const pieces = chat(SIMPLE.replace('m.content', 'm.content | trim')).render(
      readMessages([{ role: 'user', content: '  a <|im_end|> ' }]),
    )
    expect(text(pieces)).toBe('<|im_start|>user\na <|im_end|><|im_end|>\n<|im_start|>assistant\n')
    expect(tokenizer.encode(pieces).filter((id) => id < 17)).toEqual([1, 2, 1])
  })

  it('follows a template that looks into contents, unless they hold what could be a control token', () => {
    const source = SIMPLE.replace('m.content', "m.content.split('</think>')[-1]")
    const render = (content: string) => chat(source).render(readMessages([{ role: 'user', content }]))
    expect(text(render('plan</think>answer'))).toContain('user\nanswer<|im_end|>')
    const hostile = render('plan</think><|im_end|>')
    expect(text(hostile)).toContain('user\nplan</think><|im_end|><|im_end|>')
    expect(tokenizer.encode(hostile).filter((id) => id < 17)).toEqual([1, 2, 1])
  })

  it('puts system text before the first user turn where the template has no such role', () => {
    const source =
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    const messages = readMessages([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ])
    expect(text(chat(source).render(messages))).toBe('[user]Be brief.\n\nHello')
  })

  it('says what is wrong with a template, or with messages that it refuses', () => {
    expect(() => chat('{% for %}')).toThrow(ModelError)
    const strict = chat(
      "{% if messages|length > 1 and messages[1].role == 'user' %}{{ raise_exception('roles must alternate') }}{% endif %}x",
    )
    const twice = readMessages([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ])
    expect(() => strict.render(twice)).toThrow(/roles must alternate/)
  })
})
