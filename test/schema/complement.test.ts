/** `not`, `oneOf` and `contains`: complements of records of every type. */
import { describe, expect, test } from 'vitest'
import { SchemaError } from '../../src/errors.ts'
import { deadEnds } from './alive.ts'
import { compileSchema } from './compile.ts'

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'

describe('complements that can be written', () => {
  test.each([
    {
      title: 'what is taken away twice comes back',
      schema: '{"not": {"not": {"type": "array", "uniqueItems": false, "items": {"multipleOf": 3}}}}',
      accept: ['[3, 6]'],
      refuse: ['[4]', '3'],
    },
    {
      title: 'a complement among given values',
      schema:
        '{"allOf": [{"not": {"not": {"not": {"items": {"type": "integer"}}}}}], "enum": [[1], [1, "a"], 2, {"a": 1}]}',
      accept: ['[1, "a"]'],
      refuse: ['[1]', '2', '{"a": 1}'],
    },
    {
      title: 'not both names',
      schema: '{"type": "object", "not": {"required": ["a", "b"]}}',
      accept: ['{}', '{"a": 1}', '{"b": 1, "c": 1}'],
      refuse: ['{"a": 1, "b": 1}'],
    },
    {
      title: 'a property that must break its schema',
      schema: '{"type": "object", "not": {"properties": {"a": {"enum": [1, 2]}}}}',
      accept: ['{"a": 3}', '{"a": "x", "b": 1}'],
      refuse: ['{}', '{"a": 1}', '{"b": 1}'],
    },
    {
      title: 'more than the declared properties',
      schema: '{"type": "object", "not": {"properties": {"a": {}}, "additionalProperties": false}}',
      accept: ['{"b": 1}', '{"a": 1, "b": 1}'],
      refuse: ['{}', '{"a": 1}'],
    },
    {
      title: 'lists of disjoint types',
      schema:
        '{"oneOf": [{"type": "array", "items": {"type": "number"}}, {"type": "array", "items": {"type": "string"}}]}',
      accept: ['[1]', '["a", "b"]'],
      refuse: ['[]', '[1, "a"]'],
    },
    {
      title: 'multiples of one step and not of another, where they are few',
      schema: '{"type": "integer", "minimum": 0, "maximum": 20, "multipleOf": 4, "not": {"multipleOf": 6}}',
      accept: ['4', '20'],
      refuse: ['0', '12', '6'],
    },
    {
      title: 'numbers between that are no integers',
      schema: '{"type": "number", "minimum": 0, "maximum": 2, "not": {"type": "integer"}}',
      accept: ['0.5', '1.25'],
      refuse: ['0', '1', '2', '1.0'],
    },
    {
      title: 'the first item that counts, in a short list',
      schema: '{"type": "array", "maxItems": 3, "contains": {"type": "string"}}',
      accept: ['["a"]', '[1, null, "a"]', '["a", "b"]'],
      refuse: ['[]', '[1]', '[1, 2, 3, "a"]'],
    },
  ])('$title', ({ schema, accept, refuse }) => {
    const { accepts, grammar, regexes } = compileSchema(schema)
    expect(accept.filter((text) => !accepts(text))).toEqual([])
    expect(refuse.filter((text) => accepts(text))).toEqual([])
    expect(deadEnds(grammar, regexes)).toEqual([])
  })
})

describe('what complements decide although it cannot be written', () => {
  test.each([
    ['multiples of 4 that are no even numbers', { type: 'number', multipleOf: 4, not: { multipleOf: 2 } }],
    ['more items that count than there are', { type: 'array', maxItems: 2, contains: {}, minContains: 3 }],
    [
      'items that all count and none that may',
      {
        type: 'array',
        items: { type: 'integer' },
        contains: { type: 'integer' },
        maxContains: 0,
        minItems: 1,
      },
    ],
    [
      'two counts that exclude each other',
      {
        type: 'array',
        maxItems: 3,
        items: { enum: [1, 'a'] },
        allOf: [
          { contains: { const: 1 }, minContains: 2 },
          { contains: { const: 'a' }, minContains: 2 },
        ],
      },
    ],
    [
      'two entries in an object with room for one',
      {
        type: 'object',
        maxProperties: 1,
        allOf: [
          { not: { patternProperties: { '^a': { not: { type: 'integer' } } } } },
          { not: { patternProperties: { '^b': { not: { type: 'integer' } } } } },
        ],
      },
    ],
  ])('%s', (_, schema) => {
    try {
      compileSchema(schema)
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      expect(error.errors.map(({ keyword }) => keyword)).not.toContain('not')
      expect(error.keyword).toBeUndefined()
      return
    }
    throw new Error('the schema was not found to be empty')
  })
})

test('a number like 1.0, which draft 4 distinguishes from integers, is left out and said so', () => {
  const { accepts, report } = compileSchema({
    $schema: DRAFT_4,
    type: 'number',
    minimum: 0,
    maximum: 2,
    not: { type: 'integer' },
  })
  expect(['0.5', '1'].map(accepts)).toEqual([true, false])
  const left = 'numbers like 1.0 are not written where draft-04 tells them from integers'
  expect(report.narrowings.map(({ message }) => message)).toContain(left)
  // Also where no number is left.
  const none = compileSchema({ $schema: DRAFT_4, not: { type: 'integer' }, multipleOf: 2 })
  expect(['2.0', '"a"'].map(none.accepts)).toEqual([false, true])
  expect(none.report.narrowings.map(({ message }) => message)).toContain(left)
})
