import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { equalJson, jsonKey, printJson, quote } from '../../src/json/print.ts'
import { fromJs, readJson } from '../../src/json/read.ts'

describe('printJson', () => {
  const value = readJson('{"a":[1.0,{}],"b":[],"c":{"d":"x\\ny"}}')

  test('prints compactly by default, numbers verbatim', () => {
    expect(printJson(value)).toBe('{"a":[1.0,{}],"b":[],"c":{"d":"x\\ny"}}')
  })

  test('prints with separators', () => {
    expect(printJson(value, { itemSeparator: ', ', keySeparator: ': ' })).toBe(
      '{"a": [1.0, {}], "b": [], "c": {"d": "x\\ny"}}',
    )
  })

  test('indents as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        expect(printJson(fromJs(any), { indent: 2 })).toBe(JSON.stringify(any, null, 2))
      }),
      { seed: 23 },
    )
  })

  test('spells strings in one way', () => {
    expect(quote('"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é😀')).toBe(
      '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u2028é😀"',
    )
    expect(quote('\ud83d')).toBe('"\\ud83d"')
  })
})

describe('equality', () => {
  test('compares numbers by value and objects whatever the order', () => {
    const pairs: [a: string, b: string, equal: boolean][] = [
      ['1', '1.0', true],
      ['1', '10e-1', true],
      ['0', '-0.0e5', true],
      ['1e400000', '10e399999', true],
      ['1e99999999999999999999', '1e99999999999999999998', false],
      ['9007199254740993', '9007199254740992', false],
      ['1', '"1"', false],
      ['0', 'false', false],
      ['null', 'false', false],
      ['{"a":1,"b":[2]}', '{"b":[2.0],"a":1}', true],
      ['{"a":1}', '{"a":1,"b":2}', false],
      ['{"a":1}', '{"b":1}', false],
      ['[1,2]', '[2,1]', false],
      ['[]', '{}', false],
      ['[[]]', '[]', false],
    ]
    for (const [a, b, equal] of pairs) {
      expect([a, b, equalJson(readJson(a), readJson(b))]).toEqual([a, b, equal])
      expect([a, b, jsonKey(readJson(a)) === jsonKey(readJson(b))]).toEqual([a, b, equal])
    }
  })

  test('keys are equal exactly where values are', () => {
    const small = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(0, 1, 'a', null, true),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(small, small, (a, b) => {
        const left = fromJs(a)
        const right = fromJs(b)
        expect(jsonKey(left) === jsonKey(right)).toBe(equalJson(left, right))
      }),
      { seed: 24, numRuns: 500 },
    )
  })
})
