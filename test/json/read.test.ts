import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonError, LimitError } from '../../src/errors.ts'
import { printJson } from '../../src/json/print.ts'
import { fromJs, isWellFormed, readJson } from '../../src/json/read.ts'
import { JsonNumber } from '../../src/json/value.ts'

function failure(text: string): JsonError {
  try {
    readJson(text)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error(`read ${text}`)
}

describe('readJson', () => {
  test('keeps the order of keys that look like integers, and a __proto__ of its own', () => {
    const value = readJson('{"b":1,"2":2,"1":3,"__proto__":{"a":null}}')
    expect(value).toBeInstanceOf(Map)
    expect([...(value as Map<string, unknown>).keys()]).toEqual(['b', '2', '1', '__proto__'])
  })

  test('keeps the text of numbers', () => {
    for (const text of ['30.0', '9007199254740993', '1E+5', '-0', '1e400000', '0.10']) {
      expect(readJson(text)).toEqual(new JsonNumber(text))
    }
  })

  test('refuses what RFC 8259 refuses, at the place where it stops being JSON', () => {
    const cases: [text: string, offset: number][] = [
      ['', 0],
      ['\uFEFF{}', 0],
      ['01', 0],
      ['-', 1],
      ['-a', 1],
      ['1.', 2],
      ['.5', 0],
      ['+1', 0],
      ['1e', 2],
      ['1e+', 3],
      ['1 2', 2],
      ['tru', 0],
      ['nulll', 4],
      ['NaN', 0],
      ['[1,]', 3],
      ['[1', 2],
      ['[,1]', 1],
      ['[1}', 2],
      ['{"a":1,}', 7],
      ['{"a" 1}', 5],
      ['{a:1}', 1],
      ["{'a':1}", 1],
      ['{"a":1 "b":2}', 7],
      ['{"a"}', 4],
      ['"abc', 0],
      ['"a\nb"', 2],
      ['"a\tb"', 2],
      ['"\\x"', 1],
      ['"\\u12g4"', 1],
      ['"\\u12"', 1],
      ['"\\', 1],
      ['"\\a\u0001"', 1],
      ['/**/1', 0],
      ['1\u00A0', 1],
      ['[1]]', 3],
    ]
    for (const [text, offset] of cases) expect([text, failure(text).offset]).toEqual([text, offset])
  })

  test('names line and column', () => {
    const error = failure('{\n  "a": 1,\n  "b": x\n}')
    expect([error.line, error.column]).toEqual([3, 8])
    expect(error.message).toBe('expected a value, found "x" (line 3, column 8)')
  })

  test('refuses a key that appears twice, or lets the last one win', () => {
    const text = '{"a":1,"b":2,"\\u0061":3}'
    expect(failure(text).offset).toBe(13)
    expect(printJson(readJson(text, { duplicateKeys: 'last' }))).toBe('{"a":3,"b":2}')
  })

  test('decodes every escape and keeps lone surrogates, which can be told', () => {
    const value = readJson('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00x"')
    expect(value).toBe('"\\/\b\f\n\r\té😀x')
    expect(isWellFormed('😀')).toBe(true)
    expect(isWellFormed(readJson('"\\ud83d"') as string)).toBe(false)
    expect(isWellFormed(readJson('"\\ude00\\ud83d"') as string)).toBe(false)
  })

  test('reads to the depth limit and says so beyond it, whatever the depth', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect(printJson(readJson(nested(10_000)))).toBe(nested(10_000))
    expect(() => readJson(nested(10_001))).toThrow(LimitError)
    expect(() => readJson('['.repeat(1_000_000))).toThrow(
      'JSON nesting depth: 10001 exceeds the limit of 10000',
    )
    expect(() => readJson('{"a":'.repeat(1_000_000))).toThrow(LimitError)
    expect(readJson(nested(200_000), { maxDepth: 200_000 })).toHaveLength(1)
  })

  test('agrees with JSON.parse on any text of JSON characters', () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\/0123456789.-+eEutrfalsn \n\t'.split(''),
      'true',
      'null',
      '"a"',
      '\\u00',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {
          expect(() => readJson(text, { duplicateKeys: 'last' })).toThrow(JsonError)
          return
        }
        expect(JSON.parse(printJson(readJson(text, { duplicateKeys: 'last' })))).toEqual(expected)
      }),
      { numRuns: 3000, seed: 20 },
    )
  })

  test('agrees with JSON.parse on any value, spaced or not', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const spaced = JSON.stringify(JSON.parse(text), null, space)
        expect(JSON.parse(printJson(readJson(spaced)))).toEqual(JSON.parse(text))
      }),
      { seed: 21 },
    )
  })
})

describe('fromJs', () => {
  test('gives what reading the printed value gives', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(printJson(fromJs(value))).toBe(JSON.stringify(value))
      }),
      { seed: 22 },
    )
  })

  test('takes bigints, Maps, values that are JSON already, and objects without a prototype', () => {
    const value = {
      a: 10n ** 20n,
      b: new Map([
        ['2', 1],
        ['1', 2],
      ]),
      c: new JsonNumber('1.0'),
      d: Object.create(null) as object,
    }
    expect(printJson(fromJs(value))).toBe('{"a":100000000000000000000,"b":{"2":1,"1":2},"c":1.0,"d":{}}')
  })

  test('refuses what JSON cannot say, with its place', () => {
    expect(() => fromJs(undefined)).toThrow('the value is undefined')
    expect(() => fromJs({ a: [1, { 'b/c': undefined }] })).toThrow('the value at /a/1/b~1c is undefined')
    expect(() => fromJs([() => 1])).toThrow('the value at /0 is a function')
    expect(() => fromJs([Number.NaN])).toThrow('the value at /0 is NaN')
    expect(() => fromJs({ when: new Date(0) })).toThrow('the value at /when is an instance of Date')
    expect(() => fromJs(new Array(1))).toThrow(TypeError)
    const cyclic: unknown[] = []
    cyclic.push([cyclic])
    expect(() => fromJs(cyclic)).toThrow('the value at /0/0 contains itself')
  })

  test('converts what is shared once, and limits depth', () => {
    let shared: unknown = 1
    for (let level = 0; level < 100; level++) shared = [shared, shared]
    expect(fromJs(shared)).toHaveLength(2)
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(() => fromJs(deep)).toThrow(LimitError)
  })
})
