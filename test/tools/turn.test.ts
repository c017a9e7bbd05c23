import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import type { RunEvent } from '../../src/decode/result.ts'
import { ModelError, SchemaError } from '../../src/errors.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import type { Matcher } from '../../src/mask/matcher.ts'
import { type Thinking, turnGrammar } from '../../src/tools/call-grammar.ts'
import { readTools, type Tool } from '../../src/tools/definitions.ts'
import type { CallFormat } from '../../src/tools/formats/format.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { TurnReader } from '../../src/tools/turn-reader.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { Random, seedOf } from '../support/random.ts'

const parameters = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'integer', minimum: 0, maximum: 99 } },
  required: [name],
  additionalProperties: false,
})
const TOOLS = readTools([
  { name: 'get', parameters: parameters('a') },
  { name: 'get_all', parameters: parameters('b') },
  { name: 'none' },
])
const END = 256
const bytes: (Uint8Array | null)[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
const plain = Vocabulary.fromBytes([...bytes, null], { endTokens: [END] })

/** Bytes, an end token, and the control tokens of a format by themselves. */
function vocabularyOf(format: CallFormat, others: readonly string[] = []): Vocabulary {
  const literals = [...new Set([...format.controls, ...others])]
  const alphabet = Array.from({ length: 256 }, (_, byte) => byteSymbol(byte))
  const added = ['<end>', ...literals].map((content, i) => ({ id: 256 + i, content, special: true }))
  const tokenizer = {
    model: { type: 'BPE', vocab: Object.fromEntries(alphabet.map((symbol, id) => [symbol, id])), merges: [] },
    decoder: { type: 'ByteLevel' },
    pre_tokenizer: { type: 'ByteLevel' },
    added_tokens: added,
  }
  return Vocabulary.fromTokenizerJson(JSON.stringify(tokenizer), { endTokens: ['<end>'] })
}

/** The character that stands for a byte in byte-level tokenizers. */
function byteSymbol(byte: number): string {
  const isPrinted = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
  if (isPrinted) return String.fromCharCode(byte)
  let hidden = 0
  for (let other = 0; other < byte; other++)
    if (!((other > 0x20 && other < 0x7f) || (other > 0xa0 && other !== 0xad))) hidden++
  return String.fromCharCode(256 + hidden)
}

/** The token ids of a text: control tokens by their literals, all else byte by byte. */
function idsOf(vocabulary: Vocabulary, text: string, literals: readonly string[]): number[] {
  const known = literals.filter(
    (each) => vocabulary.idOf(each) !== undefined && vocabulary.isControl(vocabulary.idOf(each)!),
  )
  const found = known.filter((each) => text.startsWith(each)).sort((a, b) => b.length - a.length)[0]
  if (text === '') return []
  if (found !== undefined)
    return [vocabulary.idOf(found)!, ...idsOf(vocabulary, text.slice(found.length), literals)]
  const [first] = text as unknown as [string]
  const character = String.fromCodePoint(text.codePointAt(0)!)
  return [
    ...new TextEncoder().encode(character ?? first),
    ...idsOf(vocabulary, text.slice(character.length), literals),
  ]
}

interface Turn {
  readonly format: CallFormat
  readonly tools?: readonly Tool[]
  readonly mayTalk?: boolean
  readonly max?: number
  readonly firstNumber?: number
  readonly thinking?: Thinking | null
}

function compileTurn(turn: Turn, vocabulary = vocabularyOf(turn.format)) {
  const { format, tools = TOOLS, mayTalk = false, max = 1, firstNumber = 0, thinking = null } = turn
  const { grammar } = turnGrammar({ format, tools, mayTalk, max, firstNumber, thinking }, vocabulary)
  return compileGrammar(grammar, vocabulary)
}

/** How many of the ids a matcher takes; -1 for all. */
function feed(matcher: Matcher, ids: readonly number[]): number {
  return ids.findIndex((id) => !matcher.accept(id))
}

/** The events of a text that comes in pieces of random lengths, with texts and arguments joined; and the result. */
function readTurn(
  format: CallFormat,
  text: string,
  random: Random,
  thinking: Thinking | null = null,
  firstNumber = 0,
) {
  const reader = new TurnReader({ format, thinking, firstNumber })
  const events: RunEvent[] = []
  let at = 0
  while (at < text.length) {
    const control = format.controls.find((literal) => text.startsWith(literal, at))
    const length = control?.length ?? 1 + random.below(4)
    const next = format.controls
      .map((literal) => text.indexOf(literal, at + 1))
      .filter((index) => index > 0 && index < at + length)
    const to = control === undefined ? Math.min(at + length, ...next) : at + length
    events.push(...reader.push(text.slice(at, to)))
    at = to
  }
  const result = reader.end()
  events.push(...result.events)
  return { events, result }
}

const CALLS = [
  { id: 'abcdefgh1', name: 'get', argumentsText: '{"a": 5}' },
  { id: 'abcdefgh2', name: 'get_all', argumentsText: '{"b": 99}' },
  { id: 'abcdefgh3', name: 'none', argumentsText: '{}' },
]
const seed = seedOf('turns')
const formats = Object.entries(FORMATS)

describe.each(formats)('%s', (_, format) => {
  const vocabulary = vocabularyOf(format)
  const ids = (text: string): number[] => idsOf(vocabulary, text, format.controls)

  test('accepts a call of each tool with its own arguments, and nothing behind it', () => {
    for (const call of CALLS) {
      const matcher = compileTurn({ format }, vocabulary).matcher()
      expect(feed(matcher, ids(format.write([call]))), call.name).toBe(-1)
      expect(matcher.mustStop()).toBe(true)
    }
  })

  test('refuses a foreign name, and the arguments of another tool or out of its bounds', () => {
    const compiled = compileTurn({ format }, vocabulary)
    for (const [name, argumentsText] of [
      ['got', '{"a": 5}'],
      ['get', '{"b": 5}'],
      ['get', '{"a": 100}'],
      ['none', '{"a": 5}'],
    ] as const) {
      const text = format.write([{ id: 'abcdefgh1', name, argumentsText }])
      expect(feed(compiled.matcher(), ids(text)), text).toBeGreaterThanOrEqual(0)
    }
  })

  test('reads what it writes, in whatever pieces it comes, as events and as calls', () => {
    const random = new Random(seed)
    const calls = CALLS.slice(0, Math.min(CALLS.length, format.maxCalls))
    for (let round = 0; round < 20; round++) {
      const { events, result } = readTurn(format, format.write(calls), random)
      expect(result.content).toBe('')
      expect(result.calls.map(({ name, argumentsText }) => [name, argumentsText])).toEqual(
        calls.map(({ name, argumentsText }) => [name, argumentsText]),
      )
      expect(new Set(result.calls.map(({ id }) => id)).size).toBe(calls.length)
      for (const [index, call] of result.calls.entries()) {
        const own = events.filter((event) => 'index' in event && event.index === index)
        expect(own[0]).toEqual({ type: 'call-start', index, id: call.id, name: call.name })
        expect(own.at(-1)).toEqual({ type: 'call', index, call })
        const written = own.flatMap((event) => (event.type === 'call-arguments' ? [event.text] : []))
        expect(written.join('')).toBe(call.argumentsText)
      }
    }
  })

  test('completes every prefix of a turn, and the completion is read as it is', () => {
    const random = new Random(seed)
    for (const mayTalk of [false, true]) {
      const compiled = compileTurn({ format, mayTalk }, vocabulary)
      const whole = ids(format.write([CALLS[1]!]))
      for (let length = 0; length <= whole.length; length += 3) {
        const matcher = compiled.matcher()
        feed(matcher, whole.slice(0, length))
        const completion = matcher.shortestCompletion()
        const text = matcher.text() + completion.text
        // Each byte and each control token is a token here; one to end is counted also where nothing may follow.
        expect(completion.tokens, text).toBe(ids(completion.text).length + 1)
        const { result } = readTurn(format, text, random)
        if (!mayTalk)
          expect(
            result.calls.map(({ name }) => name),
            text,
          ).toHaveLength(1)
      }
    }
  })

  test('writes one call as prompts show it, also where there may be more', () => {
    const max = Math.min(3, format.maxCalls)
    const matcher = compileTurn({ format, max }, vocabulary).matcher()
    expect(feed(matcher, ids(format.write([CALLS[0]!])))).toBe(-1)
    expect(matcher.isComplete()).toBe(true)
  })

  test('holds any number of calls where it may, and no more than asked for', () => {
    if (format.maxCalls === 1) return
    const text = ids(format.write(CALLS))
    expect(feed(compileTurn({ format, max: Number.POSITIVE_INFINITY }, vocabulary).matcher(), text)).toBe(-1)
    expect(feed(compileTurn({ format, max: 3 }, vocabulary).matcher(), text)).toBe(-1)
    expect(feed(compileTurn({ format, max: 2 }, vocabulary).matcher(), text)).toBeGreaterThan(0)
  })

  test('has its calls at any place of a conversation, with ids that differ', () => {
    const calls = CALLS.map((call, i) => ({ ...call, number: 41 + i })).slice(0, format.maxCalls)
    const matcher = compileTurn({ format, max: calls.length, firstNumber: 41 }, vocabulary).matcher()
    const text = format.write(calls)
    expect(feed(matcher, ids(text))).toBe(-1)
    const made = readTurn(format, text, new Random(seed), null, 41).result.calls.map(({ id }) => id)
    const before = readTurn(format, text, new Random(seed), null, 0).result.calls.map(({ id }) => id)
    expect(new Set([...made, ...before]).size).toBe(2 * calls.length)
  })

  test('lets the model answer in words where it may, and in nothing else where no call may come', () => {
    const say = (text: string): string => {
      if (format.name === 'json') return `{"response": ${JSON.stringify(text)}}`
      return format.name === 'harmony' ? `<|channel|>final<|message|>${text}` : text
    }
    const random = new Random(seed)
    for (const max of [0, 1]) {
      const compiled = compileTurn({ format, mayTalk: true, max }, vocabulary)
      for (const text of ['Hello, “world”\n{', 'x < 3 && [1]', '']) {
        const matcher = compiled.matcher()
        expect(feed(matcher, ids(say(text))), text).toBe(-1)
        expect(matcher.isComplete()).toBe(true)
        expect(readTurn(format, say(text), random).result).toMatchObject({ content: text, calls: [] })
      }
      const taken = feed(compiled.matcher(), ids(format.write([CALLS[0]!])))
      if (max === 0) expect(taken).toBeGreaterThanOrEqual(0)
      else expect(taken).toBe(-1)
    }
  })

  test('does not let its control tokens be spelled', () => {
    const spelled = format.controls.filter((literal) => format.triggers.some(({ text }) => text === literal))
    for (const literal of spelled) {
      const matcher = compileTurn({ format, mayTalk: true }, vocabulary).matcher()
      const taken = feed(matcher, [...new TextEncoder().encode(`a ${literal}`)])
      expect(taken, literal).toBeGreaterThan(0)
    }
  })
})

it.each(formats)('%s says of a call what stands behind its arguments at last', (_, format) => {
  const call = format.write([{ id: 'AAAAAAAAA', name: 'get', argumentsText: '{"a": 1}' }])
  const behind = call.slice(call.indexOf('{"a": 1}') + '{"a": 1}'.length)
  expect(behind.endsWith(format.closing)).toBe(true)
  expect(format.closing === '').toBe(behind === '')
})

describe('text before a call', () => {
  const random = new Random(seed)
  test.each(formats.filter(([name]) => !['llama', 'json', 'harmony'].includes(name)))('%s', (_, format) => {
    const vocabulary = vocabularyOf(format)
    const text = `I will look.\n${format.write([CALLS[0]!])}`
    const matcher = compileTurn({ format, mayTalk: true }, vocabulary).matcher()
    expect(feed(matcher, idsOf(vocabulary, text, format.controls))).toBe(-1)
    expect(matcher.mustStop()).toBe(true)
    const { result } = readTurn(format, text, random)
    expect(result.content).toBe('I will look.\n')
    expect(result.calls).toHaveLength(1)
  })

  it('is not what stands behind a call: llama has two ways to begin one, and one call', () => {
    const format = FORMATS.llama
    const vocabulary = vocabularyOf(format)
    const call = format.write([CALLS[0]!])
    const taken = (text: string): number =>
      feed(
        compileTurn({ format, mayTalk: true }, vocabulary).matcher(),
        idsOf(vocabulary, text, format.controls),
      )
    for (const text of [call, `<|python_tag|>${call}`, `So: <|python_tag|>${call}`])
      expect(taken(text)).toBe(-1)
    expect(taken(`${call}<|python_tag|>`)).toBe(call.length)
  })

  it('is all there is to a brace that is not the first byte, for llama', () => {
    const format = FORMATS.llama
    const vocabulary = vocabularyOf(format)
    const text = `See: ${format.write([CALLS[0]!])}`
    const matcher = compileTurn({ format, mayTalk: true }, vocabulary).matcher()
    expect(feed(matcher, idsOf(vocabulary, text, []))).toBe(-1)
    expect(readTurn(format, text, random).result).toMatchObject({ content: text, calls: [] })
  })
})

describe('the numbers of kimi', () => {
  const format = FORMATS.kimi
  const vocabulary = vocabularyOf(format)
  const ids = (text: string): number[] => idsOf(vocabulary, text, format.controls)
  const written = (...numbers: number[]): number[] =>
    ids(format.write(numbers.map((number, i) => ({ ...CALLS[i]!, number }))))

  it('are those of the calls in the conversation, and no others', () => {
    const compiled = compileTurn({ format, max: 32, firstNumber: 9 }, vocabulary)
    for (const numbers of [[9], [9, 10], [9, 10, 11]])
      expect(feed(compiled.matcher(), written(...numbers)), numbers.join()).toBe(-1)
    for (const numbers of [[0], [10], [9, 9], [9, 11], [90]])
      expect(feed(compiled.matcher(), written(...numbers)), numbers.join()).toBeGreaterThan(0)
  })

  it('make the ids of the calls, as the model writes them', () => {
    const text = format.write(CALLS.map((call, i) => ({ ...call, number: 9 + i })))
    const made = readTurn(format, text, new Random(seed), null, 9).result.calls.map(({ id }) => id)
    expect(made).toEqual(['functions.get:9', 'functions.get_all:10', 'functions.none:11'])
    for (const id of made) expect(text).toContain(`<|tool_call_begin|>${id}<|tool_call_argument_begin|>`)
  })
})

describe('the cost of the end of a call', () => {
  const format = FORMATS.harmony
  const left = (endTokens: readonly string[]) => {
    const literals = format.controls
    const tokens = [...bytes, null, ...literals.map((each) => new TextEncoder().encode(each))]
    const vocabulary = Vocabulary.fromBytes(tokens, {
      endTokens: [256, ...endTokens],
      controlTokens: literals,
    })
    const matcher = compileTurn({ format }, vocabulary).matcher()
    const text = format.write([CALLS[0]!]).replace('<|call|>', '')
    expect(feed(matcher, idsOf(vocabulary, text, literals))).toBe(-1)
    return { tokens: matcher.shortestCompletion().tokens, mustStop: matcher.mustStop() }
  }

  it('is one token where the control token that closes it ends the turn, else that and an end token', () => {
    expect(left(['<|call|>'])).toEqual({ tokens: 1, mustStop: true })
    expect(left([])).toEqual({ tokens: 2, mustStop: false })
  })
})

describe('calls that are judged', () => {
  const violation = { pointer: '/a', message: 'too many', source: 'refinement' } as const
  const text = FORMATS.hermes.write(CALLS)

  it('become calls or are rejected, and what was written behind them waits, in order', async () => {
    const reader = new TurnReader({
      format: FORMATS.hermes,
      thinking: null,
      firstNumber: 0,
      judgeOf: (name) => {
        if (name === 'none') return null
        if (name === 'get') {
          // The first judgement is reached last.
          return async () => {
            await new Promise((resolve) => setTimeout(resolve, 5))
            return { arguments: { a: 5 }, violations: [violation] }
          }
        }
        return async () => ({ arguments: 'other', violations: [] })
      },
    })
    const begun = reader.push(text.slice(0, text.indexOf('}}') + 1))
    expect(begun[0]).toMatchObject({ type: 'call-start', name: 'get', provisional: true })
    expect(reader.judged()).toBeNull()
    expect(reader.push(text.slice(text.indexOf('}}') + 1))).toEqual([])
    const events = (await reader.judged())!
    expect(reader.judged()).toBeNull()
    expect(events.map((event) => `${event.type} ${'index' in event ? event.index : ''}`)).toEqual([
      'call-rejected 0',
      'call-start 1',
      'call-arguments 1',
      'call 1',
      'call-start 2',
      'call-arguments 2',
      'call 2',
    ])
    const { calls, rejected } = reader.end()
    expect(calls.map(({ name, arguments: values }) => [name, values])).toEqual([
      ['get_all', 'other'],
      ['none', {}],
    ])
    expect(rejected).toEqual([
      {
        id: (begun[0] as { id: string }).id,
        name: 'get',
        argumentsText: '{"a": 5}',
        arguments: { a: 5 },
        violations: [violation],
      },
    ])
  })

  it('are judged at once where that needs no waiting', () => {
    const judgeOf = () => () => ({ violations: [violation] })
    const reader = new TurnReader({ format: FORMATS.hermes, thinking: null, firstNumber: 0, judgeOf })
    const events = reader.push(text)
    expect(events.filter(({ type }) => type === 'call-rejected')).toHaveLength(3)
    expect(reader.end()).toMatchObject({ calls: [], rejected: [{ name: 'get' }, {}, {}] })
    expect(reader.end().rejected[0]).not.toHaveProperty('arguments')
  })
})

describe('thinking', () => {
  const format = FORMATS.hermes
  const literals = ['<think>', '</think>', ...format.controls]
  const vocabulary = vocabularyOf(format, literals)
  const thinking = { open: '<think>', close: '</think>', isOpen: false }
  const call = format.write([CALLS[0]!])
  const random = new Random(seed)

  it('comes before the call, where the model likes, and holds none', () => {
    const compiled = compileTurn({ format, thinking }, vocabulary)
    for (const text of [call, `<think>hm\n</think>\n\n${call}`, `<think></think>${call}`])
      expect(feed(compiled.matcher(), idsOf(vocabulary, text, literals)), text).toBe(-1)
    expect(feed(compiled.matcher(), idsOf(vocabulary, `<think>${call}`, literals))).toBe(1)
    expect(feed(compiled.matcher(), idsOf(vocabulary, '<think>hm<think>', literals))).toBe(3)
  })

  it('is open already where the prompt says so', () => {
    const compiled = compileTurn(
      { format, thinking: { ...thinking, isOpen: true }, mayTalk: true },
      vocabulary,
    )
    const text = `so\n</think>\n\nYes.`
    expect(feed(compiled.matcher(), idsOf(vocabulary, text, literals))).toBe(-1)
    const isOpen = { ...thinking, isOpen: true }
    expect(readTurn(format, text, random, isOpen).result).toMatchObject({ thinking: 'so\n', content: 'Yes.' })
  })
})

describe('turnGrammar', () => {
  const format = FORMATS.hermes

  it('names every tool whose schema is refused, and the place in the tools document', () => {
    const broken = { type: 'object', properties: { a: { type: 'string', pattern: '(' } }, required: ['a'] }
    const tools = readTools([
      { name: 'fine' },
      { name: 'broken', parameters: broken },
      { name: 'too', parameters: broken },
    ])
    let error: unknown
    try {
      compileTurn({ format, tools }, plain)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(SchemaError)
    const { errors } = error as SchemaError
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '#/1/parameters/properties/a/pattern',
      '#/2/parameters/properties/a/pattern',
    ])
    expect(errors.map(({ message }) => /^tool "(\w+)": /.exec(message)![1])).toEqual(['broken', 'too'])
  })

  it('names the tool of an error in another document, and the place in that', () => {
    const parameters = { properties: { a: { $ref: 'https://x.example/a.json' } } }
    const tools = readTools([
      { name: 'first', parameters: {} },
      { name: 'refers', parameters },
    ])
    const references = { 'https://x.example/a.json': { type: 'string', pattern: '(a)\\1' } }
    const turn = { format, tools, mayTalk: false, max: 1, thinking: null }
    expect(() => turnGrammar(turn, plain, { references })).toThrow(
      expect.objectContaining({
        pointer: 'https://x.example/a.json#/pattern',
        message: expect.stringMatching(/^tool "refers": /u),
      }),
    )
  })

  it('has of several errors the keyword of the first, or none where that has none', () => {
    const check = ({ name }: Tool): never => {
      throw name === 'none' ? new SchemaError('b', '#/type', 'type') : new SchemaError('a', '#')
    }
    const thrown = (tools: readonly Tool[]): unknown => {
      try {
        return turnGrammar({ format, tools, mayTalk: false, max: 1, thinking: null, check }, plain)
      } catch (error) {
        return error
      }
    }
    const [get, , none] = TOOLS
    expect(thrown([get!, none!])).toMatchObject({ pointer: '#/0/parameters', keyword: undefined })
    expect(thrown([none!, get!])).toMatchObject({ pointer: '#/2/parameters/type', keyword: 'type' })
  })

  it('says what words and thoughts do not hold', () => {
    const told = (name: keyof typeof FORMATS, more: object = {}, vocabulary = plain) => {
      const turn = { format: FORMATS[name], tools: [], mayTalk: true, max: 1, thinking: null, ...more }
      return turnGrammar(turn, vocabulary).report.narrowings.map(({ message }) => message)
    }
    expect(told('hermes')).toEqual(['words do not spell "<tool_call>" but where a call begins'])
    expect(told('command-r')).toEqual(['words do not spell "Action:" but where a call begins'])
    expect(told('llama')).toContain('a turn that begins with "{" is a call, and nothing else')
    expect(told('json')).toEqual([])
    expect(told('hermes', { mayTalk: false })).toEqual([])
    const thinking = { open: '<think>', close: '</think>', isOpen: false }
    expect(told('json', { thinking })).toEqual([
      'thoughts hold no call, no "<think>", and "</think>" at their end alone',
    ])
  })

  it('refuses a vocabulary without the tokens that a format is made of', () => {
    for (const name of ['mistral', 'deepseek', 'harmony', 'kimi'] as const)
      expect(() => compileTurn({ format: FORMATS[name] }, plain), name).toThrow(ModelError)
  })

  it('holds twenty tools of which the names are prefixes of each other', () => {
    const tools = readTools(
      Array.from({ length: 20 }, (_, i) => ({ name: 'a'.repeat(i + 1), parameters: parameters('a') })),
    )
    const compiled = compileTurn({ format, tools }, plain)
    for (const { name } of tools) {
      const text = format.write([{ id: '', name, argumentsText: '{"a": 7}' }])
      expect(feed(compiled.matcher(), [...new TextEncoder().encode(text)])).toBe(-1)
    }
  })

  it('matches tags that are control tokens by id in a real tokenizer', () => {
    const text = readFileSync('test/fixtures/models/tiny-keep/tokenizer.json', 'utf8')
    const vocabulary = Vocabulary.fromTokenizerJson(text, { endTokens: ['<|im_end|>'] })
    const matcher = compileTurn({ format }, vocabulary).matcher()
    expect(matcher.accept('<'.charCodeAt(0))).toBe(false)
    expect(matcher.accept(vocabulary.idOf('<tool_call>')!)).toBe(true)
    expect(matcher.frames()[0]).toMatchObject({ kind: 'tag' })
  })
})
