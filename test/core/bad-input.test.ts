/** Bad input: each a clear error of the right class with its place, and nothing hangs or overflows the stack. */
import { describe, expect, test } from 'vitest'
import {
  compile,
  compileRegex,
  JsonError,
  LimitError,
  SchemaError,
  type SchemaOptions,
  Vocabulary,
  VocabularyError,
} from '../../src/core.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

type ErrorClass = new (...args: never[]) => Error

function failure(schema: unknown, options?: SchemaOptions): Error {
  try {
    compile(schema as object, byteVocabulary(), options)
  } catch (error) {
    return error as Error
  }
  throw new Error('compiled')
}

function expectFailure(schema: unknown, kind: ErrorClass, message: RegExp): void {
  const error = failure(schema)
  expect(error).toBeInstanceOf(kind)
  expect(error.message).toMatch(message)
}

/** `open` repeated, `inner`, `close` repeated. */
function nested(open: string, depth: number, inner: string, close: string): string {
  return open.repeat(depth) + inner + close.repeat(depth)
}

describe('schemas that nothing satisfies are refused at the contradiction', () => {
  test.each<[object | boolean, string]>([
    [{ type: 'integer', minimum: 5, maximum: 1 }, '#/minimum'],
    [{ type: 'integer', exclusiveMinimum: 1, exclusiveMaximum: 2 }, '#/exclusiveMinimum'],
    [{ type: 'number', minimum: 2, exclusiveMaximum: 2 }, '#/minimum'],
    [{ type: 'string', minLength: 3, maxLength: 2 }, '#/minLength'],
    [{ type: 'array', minItems: 2, maxItems: 1 }, '#/minItems'],
    [{ enum: [] }, '#/enum'],
    [{ enum: ['a'], type: 'integer' }, '#/enum'],
    [false, '#'],
    [
      {
        type: 'object',
        properties: {
          a: {
            properties: { 'b/c': { type: 'integer', minimum: 2, maximum: 1 } },
            required: ['b/c'],
            type: 'object',
          },
        },
        required: ['a'],
      },
      '#/properties/a/properties/b~1c/minimum',
    ],
    [{ type: 'object', required: ['a'], additionalProperties: false }, '#/required'],
  ])('%j', (schema, pointer) => {
    const error = failure(schema) as SchemaError
    expect(error).toBeInstanceOf(SchemaError)
    expect(error.errors.map((problem) => problem.pointer)).toContain(pointer)
    expect(error.message).toContain(error.pointer)
  })

  test('all places of a contradiction are told', () => {
    const { errors } = failure({ type: 'string', minLength: 3, maxLength: 2 }) as SchemaError
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(
      ['#/maxLength', '#/minLength', '#/type'].filter((pointer) =>
        errors.some((each) => each.pointer === pointer),
      ),
    )
    expect(errors.length).toBeGreaterThanOrEqual(2)
  })

  test('values inside each other without end', () => {
    expectFailure(
      { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] },
      SchemaError,
      /nothing satisfies|without end/,
    )
  })

  test('a property or a branch that nothing satisfies only disappears', () => {
    const grammar = compile(
      { type: 'object', properties: { a: { enum: [] }, b: { anyOf: [false, { const: 1 }] } } },
      byteVocabulary(),
    )
    const matcher = grammar.matcher()
    for (const byte of Buffer.from('{"b":1')) expect(matcher.accept(byte)).toBe(true)
    expect(
      compile({ enum: [1], anyOf: [false, true] }, byteVocabulary())
        .matcher()
        .shortestCompletion().text,
    ).toBe('1')
  })
})

describe('references', () => {
  test.each<[object, RegExp]>([
    [{ $ref: '#/$defs/x' }, /#\/\$defs\/x/],
    [{ properties: { a: { $ref: '#nowhere' } } }, /nowhere/],
    [{ $ref: 'https://example.com/other.json' }, /another document/],
    [{ $ref: 5 }, /string/],
    [{ $ref: '#' }, /itself|without end/],
    [
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      /itself|without end/,
    ],
  ])('%j is refused', (schema, message) => {
    expectFailure(schema, SchemaError, message)
  })

  test('a conjunction with itself ends, and adds nothing', () => {
    expect(
      compile({ allOf: [{ $ref: '#' }], type: 'integer' }, byteVocabulary())
        .matcher()
        .shortestCompletion().text,
    ).toBe('0')
  })

  test('another document is found where it is given, and checked like the schema', () => {
    const url = 'https://example.com/other.json'
    const references = { [url]: { type: 'integer', maximum: 5 } }
    const matcher = compile({ $ref: url }, byteVocabulary(), { references }).matcher()
    expect(matcher.shortestCompletion().text).toBe('0')
    expect(failure({ $ref: url }, { references: { [url]: { type: 'strin' } } })).toBeInstanceOf(SchemaError)
  })
})

describe('what is no schema is refused with its place', () => {
  test.each<[object, string]>([
    [{ type: 'strin' }, '#/type'],
    [{ type: [] }, '#/type'],
    [{ properties: { a: { required: 'b' } } }, '#/properties/a/required'],
    [{ properties: [] }, '#/properties'],
    [{ properties: { a: 5 } }, '#/properties/a'],
    [{ items: 5 }, '#/items'],
    [{ enum: 'a' }, '#/enum'],
    [{ minLength: -1 }, '#/minLength'],
    [{ minItems: 1.5 }, '#/minItems'],
    [{ maximum: '5' }, '#/maximum'],
    [{ anyOf: [] }, '#/anyOf'],
    [{ allOf: {} }, '#/allOf'],
    [{ pattern: '(' }, '#/pattern'],
    [{ pattern: '(a)\\1' }, '#/pattern'],
    [{ pattern: 5 }, '#/pattern'],
    [{ additionalProperties: 1 }, '#/additionalProperties'],
  ])('%j', (schema, pointer) => {
    const error = failure(schema)
    expect(error).toBeInstanceOf(SchemaError)
    expect((error as SchemaError).pointer).toBe(pointer)
  })

  test.each(['5', '"x"', '[]', 'null'])('the document %s', (text) => {
    expectFailure(text, SchemaError, /a schema is an object or a boolean/)
  })

  test('every problem is told at once', () => {
    const { errors } = failure({
      properties: { a: { type: 'x' }, b: { minLength: -1 }, c: { pattern: '(' } },
    }) as SchemaError
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '#/properties/a/type',
      '#/properties/b/minLength',
      '#/properties/c/pattern',
    ])
  })
})

describe('text that is not JSON is refused with line and column', () => {
  test.each([
    ['{"type": "integer",\n  "minimum" 5}', 2, 13],
    ['', 1, 1],
    ['{} x', 1, 4],
    ['{"a": 01}', 1, 7],
    ["{'a': 1}", 1, 2],
    ['{"type":"integer","type":"string"}', 1, 19],
    ['{"a": "\n"}', 1, 8],
    ['[1,]', 1, 4],
  ])('%j', (text, line, column) => {
    const error = failure(text)
    expect(error).toBeInstanceOf(JsonError)
    expect(error).toMatchObject({ line, column })
    expect(error.message).toContain(`line ${line}, column ${column}`)
  })
})

describe('values that JSON cannot say are a TypeError', () => {
  const cycle: Record<string, unknown> = {}
  cycle.items = { items: cycle }
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a function', () => 1],
    ['NaN', { minimum: Number.NaN }],
    ['a cycle', cycle],
    ['a symbol', { const: Symbol('x') }],
  ])('%s', (_, value) => {
    expect(failure(value)).toBeInstanceOf(TypeError)
  })
})

describe('hostile sizes end in time and without overflow', () => {
  test.each<[string, string]>([
    ['a million open arrays', '['.repeat(1_000_000)],
    ['a million nested arrays', nested('[', 1_000_000, '', ']')],
    ['a million nested schemas', nested('{"items":', 1_000_000, '{}', '}')],
    ['a million nested conjunctions', nested('{"allOf":[', 1_000_000, '{}', ']}')],
    [
      'four thousand alternatives inside each other',
      nested('{"anyOf":[{"type":"integer"},', 4_000, '{}', ']}'),
    ],
    ['three thousand conjunctions inside each other', nested('{"allOf":[{"minimum":0},', 3_000, '{}', ']}')],
    [
      'forty pairs of alternatives',
      JSON.stringify({
        allOf: Array.from({ length: 40 }, (_, i) => ({
          anyOf: [{ required: [`a${i}`] }, { required: [`b${i}`] }],
        })),
      }),
    ],
    ['a string of a billion characters', '{"type":"string","minLength":1000000000}'],
    ['an array of a billion items', '{"type":"array","minItems":1000000000}'],
    ['a billion of one letter', '{"type":"string","pattern":"^((a{1000}){1000}){1000}$"}'],
  ])('%s: LimitError', { timeout: 20_000 }, (_, text) => {
    const error = failure(text)
    expect(error).toBeInstanceOf(LimitError)
    expect((error as LimitError).actual).toBeGreaterThanOrEqual((error as LimitError).limit)
  })

  test.each<[string, string]>([
    ['nine thousand nested arrays', nested('{"items":', 9_000, '{"type":"integer"}', '}')],
    [
      'four thousand nested objects',
      nested('{"type":"object","required":["a"],"properties":{"a":', 4_000, '{}', '}}'),
    ],
    ['a constant of nine thousand arrays', `{"const":${nested('[', 9_000, '', ']')}}`],
    [
      'a hundred thousand names',
      JSON.stringify({ enum: Array.from({ length: 100_000 }, (_, i) => `name ${i}`) }),
    ],
    [
      'ten thousand properties',
      JSON.stringify({
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'integer' }]),
        ),
        required: ['p9999'],
      }),
    ],
    ['upper bounds without end', '{"type":["array","string"],"maxItems":1e15,"maxLength":1e15}'],
    ['a bound of three hundred digits', '{"type":"number","minimum":1e300}'],
    [
      'counted repetitions inside each other',
      '{"type":"string","pattern":"^(a|aa)*b{0,100000}(c{0,1000}d){0,1000}$"}',
    ],
  ])('%s compile, mask and complete', { timeout: 20_000 }, (_, text) => {
    const matcher = compile(text, byteVocabulary()).matcher()
    const { text: completion, tokens } = matcher.shortestCompletion()
    expect(matcher.mask().some((word) => word !== 0)).toBe(true)
    expect(tokens).toBe(Buffer.from(completion).length + 1)
    for (const byte of Buffer.from(completion))
      if (!matcher.accept(byte)) throw new Error('the completion is refused')
    expect(matcher.isComplete()).toBe(true)
  })
})

describe('options', () => {
  test.each<[object, RegExp]>([
    [{ whitespaces: 'any' }, /unknown option "whitespaces"/],
    [{ whitespace: 'none' }, /whitespace/],
    [{ propertyOrder: 'alphabetical' }, /propertyOrder/],
    [{ numbers: 1 }, /numbers/],
    [{ lenient: 'yes' }, /lenient/],
    [{ limits: { maxTime: 5 } }, /maxTime/],
    [{ references: [] }, /references/],
    [{ __proto__: null, toString: 1 }, /unknown option "toString"/],
  ])('%j is a TypeError that says what is known', (options, message) => {
    const error = failure({}, options as SchemaOptions)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(message)
  })

  test.each<[object]>([
    [{ maxWhitespace: 0 }],
    [{ indent: -1 }],
    [{ indent: 1.5 }],
    [{ limits: { maxSteps: 0 } }],
  ])('%j is a RangeError', (options) => {
    expect(failure({}, options as SchemaOptions)).toBeInstanceOf(RangeError)
  })

  test('a low limit is a LimitError that names it', () => {
    const error = failure(
      { allOf: Array.from({ length: 8 }, (_, i) => ({ anyOf: [{ minimum: i }, { maxLength: i }] })) },
      { limits: { maxSteps: 10 } },
    )
    expect(error).toBeInstanceOf(LimitError)
    expect(error.message).toContain('10')
  })

  test('lenient lists what is not enforced, and still refuses what is no schema', () => {
    const { report } = compile({ type: 'string', pattern: '(a)\\1' }, byteVocabulary(), { lenient: true })
    expect(report.unenforced).toMatchObject([{ pointer: '#/pattern', keyword: 'pattern' }])
    expect(failure({ type: 'strin' }, { lenient: true })).toBeInstanceOf(SchemaError)
  })
})

describe('vocabularies', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))

  test('without an end token', () => {
    expect(() => Vocabulary.fromBytes(bytes)).toThrow(VocabularyError)
    expect(() => Vocabulary.fromBytes(bytes, { endTokens: [] })).toThrow(/endTokens/)
  })

  test.each([['<none>'], [256], [-1], [1.5]])('with the end token %j, which it does not have', (token) => {
    expect(() => Vocabulary.fromBytes(bytes, { endTokens: [token] })).toThrow(VocabularyError)
  })

  test('that cannot spell a byte every text needs', () => {
    const without = (missing: string): Vocabulary =>
      Vocabulary.fromBytes(
        bytes.map((token) => (token[0] === missing.charCodeAt(0) ? null : token)),
        { endTokens: [0] },
      )
    expect(() => compile({ type: 'object' }, without('{'))).toThrow(VocabularyError)
    expect(() => compile({ type: 'object' }, without('{'))).toThrow(
      'every one needs the byte 0x7B ("{"), which no token has',
    )
    expect(() => compile({ type: 'array', minItems: 2 }, without(','))).toThrow(/0x2C \(","\)/)
    expect(() => compile({ type: 'object', required: ['a'] }, without(':'))).toThrow(/0x3A/)
    expect(() => compile({ const: 'abcb' }, without('b'))).toThrow(/the byte 0x62 \("b"\), which/)
    expect(() => compile({ enum: ['abc', 'ac'] }, without('b'))).not.toThrow()
    expect(() => compile({ type: ['array', 'string'], minItems: 1 }, without('"'))).not.toThrow()
    expect(() => compile({ type: 'number', minimum: 1e300 }, without('1'))).not.toThrow()
  })

  test('that lacks bytes of which every text needs another one', () => {
    const missing = new Set(Buffer.from('a\u0004é'))
    const vocabulary = Vocabulary.fromBytes(
      bytes.map((token) => (missing.has(token[0]!) ? null : token)),
      { endTokens: [0] },
    )
    expect(() => compileRegex('ab|é', vocabulary)).toThrow(
      'the shortest, "ab", needs the byte 0x61 ("a"), which no token has, and the others such bytes, too',
    )
    expect(() => compileRegex('é|ab|é', vocabulary)).toThrow(VocabularyError)
    expect(() => compileRegex('b*é', vocabulary)).toThrow(
      'every one needs the bytes 0xC3, 0xA9, which no token has',
    )
  })

  test('that lacks a control character alone, which no JSON needs and a raw text may', () => {
    const vocabulary = Vocabulary.fromBytes(
      bytes.map((token) => (token[0] === 4 ? null : token)),
      { endTokens: [0] },
    )
    expect(() => compile({ const: '\u0004' }, vocabulary)).not.toThrow()
    expect(() => compileRegex('ab*\\x04', vocabulary)).toThrow(
      'every one needs the byte 0x04, which no token has',
    )
    const matcher = compileRegex('a(?:\\x04b|c)', vocabulary).matcher()
    expect(matcher.accept(0x61)).toBe(true)
    expect(Buffer.from(matcher.forced()).toString()).toBe('c')
  })

  test('that lacks a byte never leads into a text that would need it', () => {
    const vocabulary = Vocabulary.fromBytes(
      bytes.map((token) => (token[0] === 0x62 ? null : token)),
      { endTokens: [0] },
    )
    const matcher = compile({ enum: ['abc', 'ac'] }, vocabulary).matcher()
    for (const byte of Buffer.from('"a')) expect(matcher.accept(byte)).toBe(true)
    expect(Buffer.from(matcher.forced()).toString()).toBe('c"')
    const closed = Vocabulary.fromBytes(
      bytes.map((token) => (token[0] === 0x5d ? null : token)),
      { endTokens: [0] },
    )
    expect(
      Buffer.from(
        compile({ type: ['array', 'null'] }, closed)
          .matcher()
          .forced(),
      ).toString(),
    ).toBe('null')
  })
})
