/** The oracle itself, on what can be read off by eye. */
import { describe, expect, test } from 'vitest'
import type { SchemaOptions } from '../../src/core.ts'
import { Recogniser } from '../support/recogniser.ts'

function judge(schema: object, options: SchemaOptions, text: string): string {
  const recogniser = Recogniser.ofSchema(schema, options)
  const bytes = Buffer.from(text, 'latin1')
  const length = bytes.findIndex((_, i) => !recogniser.viable(bytes.subarray(0, i + 1)))
  if (length >= 0) return `refused at ${length}`
  return recogniser.complete(bytes) ? 'complete' : 'incomplete'
}

const PAIR = { type: 'object', properties: { a: { type: 'integer' }, b: {} }, required: ['b'] }
const ANY: SchemaOptions = { whitespace: 'any', maxWhitespace: 2, propertyOrder: 'any', numbers: 'any' }

describe('the recogniser', () => {
  test.each<[object, SchemaOptions, string, string]>([
    [PAIR, {}, '{"a": 1, "b":[]}', 'complete'],
    [PAIR, {}, '{"b":1, "a', 'incomplete'],
    [PAIR, {}, '{"b":1, "a"', 'refused at 10'],
    [PAIR, {}, '{"a":1, "c', 'refused at 9'],
    [PAIR, {}, '{"a" :', 'refused at 4'],
    [PAIR, {}, '{"a":1}', 'refused at 6'],
    [PAIR, ANY, '{ \n"b" : 1.0e1 ,"c":1, "a":1}', 'complete'],
    [PAIR, ANY, '{   ', 'refused at 3'],
    [PAIR, ANY, '{"c":1,"c"', 'refused at 9'],
    [PAIR, { whitespace: 'pretty' }, '{\n  "b": [\n    {}\n  ]\n}', 'complete'],
    [PAIR, { whitespace: 'pretty' }, '{\n  "b": [\n  ', 'incomplete'],
    [PAIR, { whitespace: 'pretty' }, '{\n  "b": [\n  ]', 'refused at 13'],
    [PAIR, { whitespace: 'compact' }, '{"a":1,"b":1}', 'complete'],
    [PAIR, { whitespace: 'compact' }, '{"a": ', 'refused at 5'],
    [{ type: 'string', maxLength: 1 }, {}, '"\xc3\xa9"', 'complete'],
    [{ type: 'string', maxLength: 1 }, {}, '"\\ud834\\udd1e"', 'complete'],
    [{ type: 'string' }, {}, '"\\ud834\\ue', 'refused at 9'],
    [{ type: 'string' }, {}, '"\\udc', 'refused at 4'],
    [{ type: 'string' }, {}, '"\xc0', 'refused at 1'],
    [{ type: 'string' }, {}, '"\xed\xa0', 'refused at 2'],
    [{ type: 'string', pattern: '^a+b$', maxLength: 3 }, {}, '"aab"', 'complete'],
    [{ type: 'string', pattern: '^a+b$', maxLength: 3 }, {}, '"aaa', 'refused at 3'],
    [{ type: 'string', minLength: 3 }, {}, '"ab"', 'refused at 3'],
    [{ type: 'array', items: { const: 1 }, minItems: 1, maxItems: 2 }, {}, '[1, 1,', 'refused at 5'],
    [{ type: 'array', items: { const: 1 }, minItems: 1, maxItems: 2 }, {}, '[]', 'refused at 1'],
    [{ type: 'integer', minimum: 10, maximum: 12 }, {}, '1', 'incomplete'],
    [{ type: 'integer', minimum: 10, maximum: 12 }, {}, '13', 'refused at 1'],
    [{ type: 'object' }, {}, '{"\\u0000":1,"\\u000a', 'refused at 18'],
    [{ type: 'object' }, {}, '{"\\/', 'refused at 3'],
  ])('%j %j %j: %s', (schema, options, text, verdict) => {
    expect(judge(schema, options, text)).toBe(verdict)
  })

  test('finds the shortest completion, lowest bytes first', () => {
    const recogniser = Recogniser.ofSchema({ enum: ['bb', 'ba', 'abc'] })
    expect(Buffer.from(recogniser.shortest(recogniser.start)!).toString()).toBe('"ba"')
  })
})
