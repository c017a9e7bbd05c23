/**
 * Calls and prompts of real model families, with their own tokenizers and templates: what is rendered, which tokens a call
 * is, and that nothing anybody writes becomes a control token.
 */
import { describe, expect, test } from 'vitest'
import { type Message, readMessages } from '../../src/decode/messages.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { turnGrammar } from '../../src/tools/call-grammar.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { FORMATS, type FormatName, recogniseFormat } from '../../src/tools/formats/index.ts'
import { promptPieces } from '../../src/tools/prompt.ts'
import { TurnReader } from '../../src/tools/turn-reader.ts'
import { type Family, hasFamilies, loadFamily } from '../support/families.ts'

interface Named {
  readonly name: string
  readonly ends: readonly string[]
  readonly format: FormatName
  /** What stands in the prompt of the loop below, beside what everybody wrote. */
  readonly shows: readonly string[]
}

const FAMILIES: readonly Named[] = [
  {
    name: 'qwen3',
    ends: ['<|im_end|>'],
    format: 'hermes',
    shows: ['<tools>\n{"type": "function"', '<tool_call>\n{"name": "', '<|im_start|>user\n<tool_response>\n'],
  },
  {
    name: 'llama3_2',
    ends: ['<|eot_id|>', '<|eom_id|>'],
    format: 'llama',
    shows: ['Environment: ipython', '<|start_header_id|>ipython<|end_header_id|>'],
  },
  {
    name: 'mistral_nemo',
    ends: ['</s>'],
    format: 'mistral',
    shows: [
      '[AVAILABLE_TOOLS][{"type": "function"',
      '[TOOL_CALLS][{"name": "',
      '[TOOL_RESULTS]{"content": "R benign", "call_id": "',
    ],
  },
  {
    name: 'command_r_plus',
    ends: ['<|END_OF_TURN_TOKEN|>'],
    format: 'command-r',
    shows: ['Action: ```json\n[\n    {\n        "tool_name": "', '<results>\n'],
  },
  {
    name: 'deepseek_v3',
    ends: ['<｜end▁of▁sentence｜>'],
    format: 'deepseek',
    shows: ['<｜tool▁call▁begin｜>function<｜tool▁sep｜>', '<｜tool▁output▁begin｜>'],
  },
  { name: 'gptoss', ends: ['<|return|>', '<|call|>'], format: 'harmony', shows: [] },
]

/** A conversation in which somebody writes `text` wherever somebody can. */
function conversation(text: string): { messages: Message[]; tools: object[] } {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', description: text }, [text]: { enum: [text] } },
    required: ['city'],
  }
  const argumentsText = JSON.stringify({ city: text })
  return {
    tools: [{ type: 'function', function: { name: 'get_weather', description: text, parameters } }],
    messages: [
      { role: 'system', content: `S ${text}` },
      { role: 'user', content: `U ${text}` },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'abcdefgh1', type: 'function', function: { name: 'get_weather', arguments: argumentsText } },
        ],
      },
      { role: 'tool', tool_call_id: 'abcdefgh1', content: `R ${text}` },
    ],
  }
}

describe.skipIf(!hasFamilies).each(FAMILIES)('$name', ({ name, ends, format: formatName, shows }) => {
  let family: Family
  const format = FORMATS[formatName]
  const load = (): Family => {
    family ??= loadFamily(name, ends)
    return family
  }
  const isToken = (literal: string): boolean => {
    const id = load().vocabulary.idOf(literal)
    return id !== undefined && load().vocabulary.isControl(id)
  }
  /** A text with the control tokens of the format as ids. */
  const idsOf = (text: string): number[] => load().tokenizer.encode([{ text, trusted: true }])

  const prompt = (text: string) => {
    const { messages, tools } = conversation(text)
    const request = { tools: readTools(tools), mayTalk: true, max: Number.POSITIVE_INFINITY }
    return promptPieces(load().chat!, format, request, readMessages(messages))
  }

  test('is recognised', () => {
    expect(recogniseFormat({ template: load().template, isToken })).toBe(formatName)
  })

  test('has everything in its prompt: the tools, the call, its result, the system message', () => {
    if (load().chat === null) return
    const text = prompt('benign')
      .map((piece) => piece.text)
      .join('')
    for (const part of ['get_weather', 'S benign', 'U benign', 'R benign', '"city": "benign"', ...shows])
      expect(text.replaceAll('{"city":"benign"}', '{"city": "benign"}')).toContain(part)
  })

  test('shows a result that is JSON as it is, and never as a string of it', () => {
    if (load().chat === null) return
    const { messages, tools } = conversation('benign')
    const request = { tools: readTools(tools), mayTalk: true, max: Number.POSITIVE_INFINITY }
    const content = '{"sky": "clear", "wind": [3.0, "north"]}'
    const turns = readMessages(messages.with(-1, { ...messages.at(-1)!, content }))
    const text = promptPieces(load().chat!, format, request, turns)
      .map((piece) => piece.text)
      .join('')
    expect(text.split(content)).toHaveLength(2)
    expect(text).not.toContain(`"${content}"`)
  })

  test('takes ids of calls from whoever made them', () => {
    if (load().chat === null) return
    const { messages, tools } = conversation('benign')
    const foreign = JSON.parse(
      JSON.stringify(messages).replaceAll('abcdefgh1', 'toolu_01A09q90qw90lq917835lq9'),
    )
    const request = { tools: readTools(tools), mayTalk: true, max: Number.POSITIVE_INFINITY }
    const text = promptPieces(load().chat!, format, request, readMessages(foreign))
      .map((piece) => piece.text)
      .join('')
    for (const part of ['R benign', ...shows]) expect(text).toContain(part)
    if (formatName === 'mistral') expect(text).toContain('"call_id": "call00001"')
  })

  test('makes no control token of what anybody wrote, wherever it stands', () => {
    if (load().chat === null) return
    const { vocabulary, tokenizer } = load()
    const controls = (text: string): number[] =>
      tokenizer.encode(prompt(text)).filter((id) => vocabulary.isControl(id))
    const benign = controls('benign')
    expect(benign.length).toBeGreaterThan(3)
    const literals = [...ends, ...format.controls, '<|im_start|>', '<think>', '<s>', '[INST]']
    for (const literal of literals) expect(controls(literal), literal).toEqual(benign)
    expect(controls(literals.join('\n'))).toEqual(benign)
  })

  test('writes calls in tokens that the masks allow, and that are read back as they were', () => {
    const { vocabulary } = load()
    const parameters = { type: 'object', properties: { text: { type: 'string' }, n: { type: 'integer' } } }
    const tools = readTools([
      { name: 'note', parameters },
      { name: 'note_all', parameters },
    ])
    const hostile = [...format.controls, ...ends, '"}\n', '世界 é\\'].join(' ')
    const calls = [
      { id: 'abcdefgh1', name: 'note_all', argumentsText: `{"text": ${JSON.stringify(hostile)}, "n": 7}` },
      { id: 'abcdefgh2', name: 'note', argumentsText: '{}' },
    ].slice(0, format.maxCalls)
    for (const lead of formatName === 'llama' || formatName === 'harmony' ? [''] : ['', 'Sure:', 'Well,\n']) {
      const turn = { format, tools, mayTalk: true, max: Number.POSITIVE_INFINITY, thinking: null }
      const matcher = compileGrammar(turnGrammar(turn, vocabulary).grammar, vocabulary).matcher()
      // What is inside a string is text, whatever it spells.
      const marked = calls.map((call, i) => ({ ...call, argumentsText: `\ue000${i}\ue000` }))
      const pieces = `${lead}${format.write(marked)}`.split(/\ue000(\d)\ue000/u).map((text, i) => {
        const isArgument = i % 2 === 1
        return { text: isArgument ? calls[Number(text)]!.argumentsText : text, trusted: !isArgument }
      })
      const written = load().tokenizer.encode(pieces)
      const reader = new TurnReader({ format, thinking: null, firstNumber: 0 })
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      for (const id of written) {
        if (vocabulary.endTokens.includes(id)) continue
        const mask = matcher.mask()
        expect((mask[id >>> 5]! >>> (id & 31)) & 1, JSON.stringify(vocabulary.literal(id))).toBe(1)
        expect(matcher.accept(id)).toBe(true)
        const bytes = vocabulary.bytes(id)
        reader.push(bytes === null ? (vocabulary.literal(id) ?? '') : decoder.decode(bytes, { stream: true }))
      }
      expect(matcher.isComplete()).toBe(true)
      const result = reader.end()
      expect(result.content).toBe(lead)
      expect(result.calls.map((call) => [call.name, call.argumentsText])).toEqual(
        calls.map((call) => [call.name, call.argumentsText]),
      )
    }
  })

  test('never lets a control token into a string, nor its end into free text', () => {
    const { vocabulary } = load()
    const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
    const turn = {
      format,
      tools: readTools([{ name: 'note', parameters }]),
      mayTalk: false,
      max: 1,
      thinking: null,
    }
    const matcher = compileGrammar(turnGrammar(turn, vocabulary).grammar, vocabulary).matcher()
    const [before] = format.write([{ id: '', name: 'note', argumentsText: '\ue000' }]).split('\ue000') as [
      string,
    ]
    for (const id of idsOf(`${before}{"text": "a`)) expect(matcher.accept(id)).toBe(true)
    const mask = matcher.mask()
    for (let id = 0; id < vocabulary.size; id++)
      if (vocabulary.isControl(id))
        expect((mask[id >>> 5]! >>> (id & 31)) & 1, vocabulary.literal(id)).toBe(0)
  })
})
