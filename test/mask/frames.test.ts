/** What a cut says is open: frames from the outside in, each with kind, pointer, text and needs. */
import { describe, expect, test } from 'vitest'
import { compile, type Frame, type Matcher, type SchemaOptions } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

function at(schema: object, text: string | Uint8Array, options: SchemaOptions = {}): Matcher {
  const matcher = compile(schema, byteVocabulary(), options).matcher()
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text
  bytes.forEach((byte, i) => {
    if (!matcher.accept(byte)) throw new Error(`byte ${i} of ${text} is refused`)
  })
  return matcher
}

/** `kind pointer text -> needs`, one line a frame. */
function lines(frames: readonly Frame[]): string[] {
  return frames.map(
    ({ kind, pointer, text, needs }) => `${kind} ${pointer || '/'} ${text} -> ${needs.join(' ')}`,
  )
}

const WEATHER = {
  type: 'object',
  properties: {
    unit: { enum: ['celsius', 'kelvin'] },
    city: { type: 'string', minLength: 3 },
    'a/b~é': { type: 'boolean' },
    n: { type: 'number' },
  },
  required: ['unit', 'city'],
  additionalProperties: false,
}

describe('frames say what is open', () => {
  test('nothing is open before the first byte, and nothing behind a whole text', () => {
    expect(at(WEATHER, '').frames()).toEqual([])
    expect(at(WEATHER, '{"unit":"kelvin","city":"abc"}').frames()).toEqual([])
  })

  test('an object owes its required keys in order, and its brace', () => {
    expect(lines(at(WEATHER, '{').frames())).toEqual(['object / { -> "unit": "city": }'])
  })

  test('a key that is being written needs its rest, and is still owed', () => {
    expect(lines(at(WEATHER, '{"u').frames())).toEqual([
      'object / {"u -> "unit": "city": }',
      'key / "u -> nit"',
    ])
  })

  test('a literal needs its rest', () => {
    expect(lines(at(WEATHER, '{"unit":"c').frames())).toEqual([
      'object / {"unit":"c -> "city": }',
      'literal /unit "c -> elsius"',
    ])
  })

  test('a string needs its characters and its quote', () => {
    expect(lines(at(WEATHER, '{"unit":"kelvin", "city":"a').frames()).at(-1)).toBe(
      'string /city "a -> 2 characters "',
    )
    expect(lines(at(WEATHER, '{"unit":"kelvin", "city":"abc').frames()).at(-1)).toBe('string /city "abc -> "')
  })

  test('a pointer escapes slashes and tildes', () => {
    const text = '{"unit":"kelvin","city":"abc","a/b~é":t'
    expect(lines(at(WEATHER, text).frames()).at(-1)).toBe('literal /a~1b~0é t -> rue')
  })

  test('a number needs digits behind its sign and its point, and nothing behind a digit', () => {
    const text = '{"unit":"kelvin","city":"abc","n":'
    expect(lines(at(WEATHER, `${text}-`).frames()).at(-1)).toBe('number /n - -> digits')
    expect(lines(at(WEATHER, `${text}1.`).frames()).at(-1)).toBe('number /n 1. -> digits')
    expect(lines(at(WEATHER, `${text}1`).frames()).at(-1)).toBe('number /n 1 -> ')
  })

  test('arrays owe the items that nothing was written of', () => {
    const schema = {
      type: 'array',
      items: { type: 'array', items: { type: 'integer' }, minItems: 2 },
      minItems: 2,
    }
    expect(lines(at(schema, '[').frames())).toEqual(['array / [ -> 2 items ]'])
    expect(lines(at(schema, '[[1,2]').frames())).toEqual(['array / [[1,2] -> 1 item ]'])
    expect(lines(at(schema, '[[1,2],').frames())).toEqual(['array / [[1,2], -> 1 item ]'])
    expect(lines(at(schema, '[[1,2],[3').frames())).toEqual([
      'array / [[1,2],[3 -> ]',
      'array /1 [3 -> 1 item ]',
      'number /1/0 3 -> ',
    ])
  })

  test('containers nest, with a pointer each', () => {
    expect(lines(at({}, '{"a":{"b":[1,{"c":"x').frames())).toEqual([
      'object / {"a":{"b":[1,{"c":"x -> }',
      'object /a {"b":[1,{"c":"x -> }',
      'array /a/b [1,{"c":"x -> ]',
      'object /a/b/1 {"c":"x -> }',
      'string /a/b/1/c "x -> "',
    ])
  })

  test('a key that its object holds already is not offered as its rest', () => {
    const schema = { type: 'object', additionalProperties: { type: 'integer' } }
    const matcher = at(schema, '{"":1,"')
    expect(matcher.shortestCompletion().text).toBe(' ":0}')
  })

  test('the text ends at the last whole character, and needs are readable by themselves', () => {
    const frames = at({ type: 'string' }, Uint8Array.of(0x22, 0x61, 0xf0, 0x9d)).frames()
    expect(frames.map(({ text }) => text)).toEqual(['"a'])
    expect(frames.flatMap(({ needs }) => needs).join('')).not.toContain('\ufffd')
  })

  test('half a surrogate pair needs the other half', () => {
    const frames = at({ type: 'string' }, '"\\ud83d').frames()
    expect(frames.at(-1)?.needs.join('')).toContain('\\uDC00"')
  })

  test('of two ways to go on the one with the shorter completion is told', () => {
    const schema = {
      anyOf: [
        {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          required: ['a', 'b'],
        },
        {
          type: 'object',
          properties: { a: { type: 'integer' }, c: { type: 'string', minLength: 20 } },
          required: ['c'],
        },
      ],
    }
    expect(lines(at(schema, '{"a":1').frames())).toEqual(['object / {"a":1 -> "b": }', 'number /a 1 -> '])
  })

  test('a tag is a frame around the arguments, whose pointers are their own', () => {
    const { vocabulary, control } = tinyVocabulary()
    const named = grammars(control).find(({ name }) => name === 'one call or several')!
    const matcher = compileGrammar(named.build(), vocabulary).matcher()
    expect(matcher.accept(control)).toBe(true)
    for (const byte of Buffer.from('\n{"name": "on", "arguments": {"a": 1, "b": "'))
      expect(matcher.accept(byte)).toBe(true)
    const frames = matcher.frames()
    expect(frames.map(({ kind, pointer }) => `${kind} ${pointer}`)).toEqual(['tag ', 'object ', 'string /b'])
    expect(frames[0]?.text).toBe('<tool>\n{"name": "on", "arguments": {"a": 1, "b": "')
    expect(frames[1]?.text).toBe('{"a": 1, "b": "')
  })
})

describe('what a text could end with is no need where it could end otherwise', () => {
  const needs = (schema: object, text: string, options: SchemaOptions = {}): readonly string[] =>
    at(schema, text, options).frames().at(-1)!.needs
  const A = 'an ending such as '

  test.each<[object, string, string]>([
    [{ type: 'string', pattern: '^[A-Z]-[0-9]{2}$' }, '"B', `${A}-00"`],
    [{ enum: ['red', 'reed'] }, '"re', `${A}d"`],
    [{ enum: ['red', 'blue'] }, '"r', 'ed"'],
    [{ enum: [12, 13] }, '1', `${A}2`],
    [{ type: 'boolean' }, 't', 'rue'],
    [{ type: 'string', format: 'date' }, '"2027-', `${A}01-01"`],
    [{ properties: { unit: {}, under: {} }, additionalProperties: false, type: 'object' }, '{"un', `${A}it"`],
    [{ properties: { unit: {} }, additionalProperties: false, type: 'object' }, '{"un', 'it"'],
    [{ type: 'string' }, '"x', '"'],
  ])('%j %s', (schema, text, expected) => {
    expect(needs(schema, text)).toEqual([expected])
  })
})

describe('partial holds closed values only, as JSON.parse gives them', () => {
  test.each([
    ['', undefined],
    ['"a', undefined],
    ['12', undefined],
    ['{"a": 1, "b": [1, 2', { a: 1, b: [1] }],
    ['{"a": tru', {}],
    ['{"a": "x", "b', { a: 'x' }],
    ['{"a": "x", "b": {"c": nul', { a: 'x', b: {} }],
    ['[[1], [', [[1], []]],
    ['[[1], [2.5]]', [[1], [2.5]]],
    ['"a"', 'a'],
  ])('%s', (text, partial) => {
    expect(at({}, text).partial()).toEqual(partial)
  })

  test('it is the whole value once an end token was accepted', () => {
    const matcher = at({}, '{"a": [1]}')
    expect(matcher.accept(byteVocabulary().endTokens[0]!)).toBe(true)
    expect(matcher.partial()).toEqual({ a: [1] })
  })

  test('a key like __proto__ is a key', () => {
    const partial = at({}, '{"__proto__": 1, "b": ').partial() as object
    expect(Object.keys(partial)).toEqual(['__proto__'])
  })
})
