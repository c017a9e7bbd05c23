import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SchemaError } from '../../src/errors.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import type { Matcher } from '../../src/mask/matcher.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { callGrammar, readCall, writeCall } from '../../src/tools/hermes.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'

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

const bytes: (Uint8Array | null)[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
const plain = Vocabulary.fromBytes([...bytes, null], { endTokens: [256] })
// A vocabulary in which both tags are added tokens, as in Qwen's.
const tagged = Vocabulary.fromTokenizerJson(
  readFileSync('test/fixtures/models/tiny-keep/tokenizer.json', 'utf8'),
  {
    endTokens: ['<|im_end|>'],
  },
)

const matcherOf = (vocabulary: Vocabulary) =>
  compileGrammar(callGrammar(TOOLS, vocabulary).grammar, vocabulary).matcher()

/** Feeds text to a matcher byte by byte; how many it takes. */
function feed(matcher: Matcher, text: string): number {
  const data = new TextEncoder().encode(text)
  return data.findIndex((byte) => !matcher.accept(byte))
}

describe('callGrammar', () => {
  it('accepts one call of each tool with its own arguments, and nothing after it', () => {
    for (const [name, args] of [
      ['get', '{"a": 5}'],
      ['get', '{"a":5}'],
      ['get_all', '{"b": 99}'],
      ['none', '{}'],
    ] as const) {
      const matcher = matcherOf(plain)
      expect(feed(matcher, writeCall(name, args))).toBe(-1)
      expect(matcher.isComplete()).toBe(true)
      expect(matcher.mustStop()).toBe(true)
      expect(readCall(matcher.text())).toEqual({ name, arguments: JSON.parse(args), argumentsText: args })
    }
  })

  it('refuses a foreign name, the arguments of another tool, and other framings', () => {
    const refused = [
      writeCall('got', '{"a": 5}'),
      writeCall('get', '{"b": 5}'),
      writeCall('get', '{"a": 100}'),
      writeCall('get_all', '{"a": 5}'),
      writeCall('none', '{"a": 5}'),
      '{"name": "get", "arguments": {"a": 5}}',
      '<tool_call>{"name": "get"',
      '<tool_call>\n{"name":"get"',
      '```json\n',
    ]
    for (const text of refused) expect(feed(matcherOf(plain), text), text).toBeGreaterThanOrEqual(0)
  })

  it('matches tags that are control tokens by id, and does not let them be spelled', () => {
    const matcher = matcherOf(tagged)
    const open = tagged.idOf('<tool_call>')!
    const close = tagged.idOf('</tool_call>')!
    const spell = (text: string) => {
      for (const byte of new TextEncoder().encode(text)) expect(matcher.accept(byte), text).toBe(true)
    }
    expect(matcher.accept('<'.charCodeAt(0))).toBe(false)
    expect(matcher.accept(open)).toBe(true)
    expect(matcher.frames()[0]).toMatchObject({ kind: 'tag' })
    spell('\n{"name": "get", "arguments": {"a": 1')
    expect(matcher.accept(close)).toBe(false)
    spell('}}\n')
    expect(matcher.accept('<'.charCodeAt(0))).toBe(false)
    expect(matcher.accept(close)).toBe(true)
    expect(matcher.mustStop()).toBe(true)
    expect(readCall(matcher.text())).toEqual({ name: 'get', arguments: { a: 1 }, argumentsText: '{"a": 1}' })
  })

  it('completes every prefix of a call to a whole one', () => {
    const text = writeCall('get_all', '{"b": 42}')
    for (let length = 0; length <= text.length; length++) {
      const matcher = matcherOf(plain)
      feed(matcher, text.slice(0, length))
      const whole = readCall(matcher.text() + matcher.shortestCompletion().text)
      expect(TOOLS.map(({ name }) => name)).toContain(whole.name)
    }
  })

  it('names the tool whose schema is refused, and the place in the tools document', () => {
    const tools = readTools([
      { name: 'fine' },
      {
        name: 'broken',
        parameters: { type: 'object', properties: { a: { type: 'string', pattern: '(' } }, required: ['a'] },
      },
    ])
    expect(() => callGrammar(tools, plain)).toThrow(SchemaError)
    expect(() => callGrammar(tools, plain)).toThrow(/tool "broken": /)
    expect(() => callGrammar(tools, plain)).toThrow(
      expect.objectContaining({ pointer: '#/1/parameters/properties/a/pattern' }),
    )
  })

  it('holds twenty tools of which the names are prefixes of each other', () => {
    const tools = readTools(
      Array.from({ length: 20 }, (_, i) => ({ name: 'a'.repeat(i + 1), parameters: parameters('a') })),
    )
    const matcher = compileGrammar(callGrammar(tools, plain).grammar, plain).matcher()
    expect(feed(matcher, writeCall('a'.repeat(13), '{"a": 7}'))).toBe(-1)
    expect(matcher.mustStop()).toBe(true)
  })
})

describe('readCall', () => {
  it('finds the arguments whatever they hold', () => {
    const args = '{"q": "}\\n</tool_call>", "arguments": "x", "n": 12345678901234567890, "__proto__": 1}'
    const call = readCall(writeCall('f-1_A', args))
    expect(call.name).toBe('f-1_A')
    expect(call.argumentsText).toBe(args)
    expect(Object.keys(call.arguments)).toEqual(['q', 'arguments', 'n', '__proto__'])
  })
})
