/** Keys by language: patterns, names, counts, and what `unevaluatedProperties` leaves over. */
import { describe, expect, test } from 'vitest'
import { LimitError, SchemaError } from '../../src/errors.ts'
import type { Expr } from '../../src/grammar/grammar.ts'
import { deadEnds } from './alive.ts'
import { compileSchema } from './compile.ts'

type ObjectExpr = Extract<Expr, { type: 'object' }>

function rootObject(schema: object): ObjectExpr {
  const { grammar } = compileSchema(schema)
  const body = grammar.rules[grammar.root]?.body
  if (body?.type !== 'object') throw new Error(`the root is ${body?.type}`)
  return body
}

describe('patternProperties', () => {
  test.each([
    {
      title: 'each pattern that matches applies, to declared names too',
      schema: `{"properties": {"ab": {"minimum": 1}}, "patternProperties": {"^a": {"type": "integer"}, "b$": {"maximum": 5}}}`,
      accept: ['{"ab": 3}', '{"a": 9, "b": 5, "c": "x"}', '{"acb": 4}', '{"ba": "x"}'],
      refuse: ['{"ab": 0}', '{"ab": 6}', '{"a": 1.5}', '{"b": 6}', '{"acb": 6}', '{"acb": 1.5}'],
    },
    {
      title: 'additionalProperties stands for what is neither declared nor matched',
      schema: `{"properties": {"n": {}}, "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}`,
      accept: ['{"n": 1, "x-a": "s"}', '{"x-": ""}', '1'],
      refuse: ['{"x-a": 1}', '{"y": 1}', '{"nn": 1}'],
    },
    {
      title: 'a pattern whose values cannot be forbids its names',
      schema: `{"patternProperties": {"^_": false}, "additionalProperties": {"type": "integer"}}`,
      accept: ['{"a": 1, "a_": 2}'],
      refuse: ['{"_": 1}', '{"_a": 1}', '{"a": "s"}'],
    },
    {
      title: 'a pattern does not see line ends where it does not say so',
      schema: `{"patternProperties": {"^.*$": {"type": "integer"}}, "additionalProperties": false}`,
      accept: ['{"a": 1, "": 2}'],
      refuse: ['{"a\\n": 1}', '{"a": "s"}'],
    },
    {
      title: 'conjunctions of patterns',
      schema: `{"allOf": [{"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": false},
        {"patternProperties": {"z$": {"minimum": 10}}, "additionalProperties": {"maximum": 3}}]}`,
      accept: ['{"a": 3, "az": 10}'],
      refuse: ['{"a": 4}', '{"az": 9}', '{"z": 10}', '{"az": 10.5}'],
    },
    {
      title: 'the complement of patterns and of additional properties',
      schema: `{"type": "object", "properties": {"a": {}, "ab": {}}, "additionalProperties": false,
        "not": {"patternProperties": {"^a": {"type": "string"}}}}`,
      accept: ['{"a": 1}', '{"a": "x", "ab": null}'],
      refuse: ['{}', '{"a": "x"}', '{"a": "x", "ab": "y"}'],
    },
  ])('$title', ({ schema, accept, refuse }) => {
    const { accepts, grammar, regexes } = compileSchema(schema)
    expect(accept.filter((text) => !accepts(text))).toEqual([])
    expect(refuse.filter((text) => accepts(text))).toEqual([])
    expect(deadEnds(grammar, regexes)).toEqual([])
  })

  test('a pattern with few names declares them', () => {
    const { properties, additional, classes } = rootObject({
      type: 'object',
      patternProperties: { '^[ab][0-2]$': { type: 'null' } },
      additionalProperties: false,
    })
    expect(properties.map(({ name }) => name)).toEqual(['a0', 'a1', 'a2', 'b0', 'b1', 'b2'])
    expect([additional, classes]).toEqual([null, undefined])
  })

  test('patterns with equal values are one class', () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`^x${index}-`, { type: 'integer' }]),
    )
    const { classes } = rootObject({ type: 'object', patternProperties, additionalProperties: false })
    expect(classes?.length).toBe(1)
  })

  test('thirty disjoint patterns with different values are thirty classes and the rest', () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`^x${index}-`, { const: index }]),
    )
    const { classes } = rootObject({ type: 'object', patternProperties })
    expect(classes?.length).toBe(31)
  })

  test('hundreds of disjoint patterns are quick, and overlapping ones are limited', () => {
    const patterns = (count: number, source: (index: number) => string): object => ({
      type: 'object',
      patternProperties: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [source(index), { const: index }]),
      ),
    })
    expect(rootObject(patterns(150, (index) => `^x${index}-`)).classes?.length).toBe(151)
    // Each of 12 letters may be in a key or not: 4,096 combinations.
    const letters = patterns(12, (index) => String.fromCharCode(97 + index))
    expect(() => compileSchema(letters)).toThrow(LimitError)
  })

  test('names that run out bound the number of properties', () => {
    const schema = { type: 'object', patternProperties: { '^[0-9]{4}$': {} }, additionalProperties: false }
    const { maxProperties, classes } = rootObject(schema)
    expect([maxProperties, classes?.length]).toEqual([10_000, 1])
    expect(compileSchema(schema).report.narrowings.map(({ message }) => message)).toContain(
      'an object whose further names are of a finite language has at most as many properties as that language has names',
    )
    const long = { type: 'object', patternProperties: { '^[a-z]{1,64}$': {} }, additionalProperties: false }
    expect(rootObject(long).maxProperties).toBeUndefined()
  })
})

describe('propertyNames', () => {
  test.each([
    {
      title: 'a language of names',
      schema: `{"propertyNames": {"pattern": "^[a-z]+$", "maxLength": 3}, "properties": {"A": {}, "ab": {"type": "null"}}}`,
      accept: ['{"ab": null, "abc": 1}', '"x"'],
      refuse: ['{"A": 1}', '{"abcd": 1}', '{"": 1}', '{"ab": 1}'],
    },
    {
      title: 'names and patterns',
      schema: `{"propertyNames": {"minLength": 3}, "patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}`,
      accept: ['{"abc": 1, "bcd": "s"}'],
      refuse: ['{"ab": 1}', '{"abc": "s"}', '{"bc": "s"}'],
    },
    {
      title: 'a required name that is not allowed',
      schema: `{"anyOf": [{"type": "integer"}, {"type": "object", "required": ["x"], "propertyNames": {"not": {"const": "x"}}}]}`,
      accept: ['1'],
      refuse: ['{"x": 1}', '{}'],
    },
    {
      title: 'formats of names',
      schema: `{"propertyNames": {"format": "date"}}`,
      accept: ['{"2024-02-29": 1}', '{}'],
      refuse: ['{"2023-02-29": 1}', '{"": 1}'],
    },
  ])('$title', ({ schema, accept, refuse }) => {
    const { accepts } = compileSchema(schema)
    expect(accept.filter((text) => !accepts(text))).toEqual([])
    expect(refuse.filter((text) => accepts(text))).toEqual([])
  })
})

describe('minProperties and maxProperties', () => {
  test('are counts of the record', () => {
    const { accepts } = compileSchema({ type: 'object', minProperties: 1, maxProperties: 2 })
    expect(['{}', '{"a": 1}', '{"a": 1, "b": 1}', '{"a": 1, "b": 1, "c": 1}'].map(accepts)).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('say nothing where required names or the declarations do', () => {
    const body = rootObject({
      type: 'object',
      properties: { a: {}, b: {} },
      required: ['a'],
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 2,
    })
    expect([body.minProperties, body.maxProperties]).toEqual([undefined, undefined])
  })

  test.each([
    [{ required: ['a', 'b'], maxProperties: 1 }],
    [{ properties: { a: {} }, additionalProperties: false, minProperties: 2 }],
    [{ minProperties: 3, maxProperties: 2 }],
    [{ patternProperties: { '^[ab]$': {} }, additionalProperties: false, minProperties: 3 }],
    [{ properties: { a: {}, b: false }, additionalProperties: false, minProperties: 2 }],
    [
      {
        properties: { a: {}, b: { $ref: '#/$defs/loop' }, c: { $ref: '#/$defs/loop' } },
        additionalProperties: false,
        minProperties: 2,
        $defs: { loop: { type: 'object', required: ['x'], properties: { x: { $ref: '#/$defs/loop' } } } },
      },
    ],
  ])('%j has no object', (schema) => {
    expect(() => compileSchema({ type: 'object', ...schema })).toThrow(SchemaError)
  })

  test('enough properties may come of any names that can be', () => {
    const { accepts, grammar, regexes } = compileSchema({
      type: 'object',
      properties: { a: { $ref: '#' }, b: { type: 'null' }, c: { type: 'null' } },
      additionalProperties: false,
      minProperties: 1,
    })
    expect(accepts('{"a": {"b": null}}')).toBe(true)
    expect(accepts('{"a": {}}')).toBe(false)
    expect(deadEnds(grammar, regexes)).toEqual([])
  })

  test('their complements', () => {
    const { accepts } = compileSchema('{"type": "object", "not": {"minProperties": 2, "maxProperties": 3}}')
    const objects = [0, 1, 2, 3, 4].map((size) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, 0]))),
    )
    expect(objects.map(accepts)).toEqual([true, true, false, false, true])
  })
})

describe('unevaluated', () => {
  test.each([
    {
      title: 'properties that a branch evaluates where it holds',
      schema: `{"type": "object", "properties": {"k": {}}, "anyOf": [
          {"properties": {"k": {"const": 1}, "a": {}}, "required": ["k"]},
          {"properties": {"k": {"const": 2}}, "patternProperties": {"^b": {}}, "required": ["k"]}],
        "unevaluatedProperties": false}`,
      accept: ['{"k": 1, "a": 0}', '{"k": 2, "b1": 0}'],
      refuse: ['{"k": 1, "b1": 0}', '{"k": 2, "a": 0}', '{"k": 1, "z": 0}'],
    },
    {
      title: 'properties of an if that holds, and of then and else',
      schema: `{"if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"properties": {"t": {}}},
        "else": {"properties": {"e": {}}}, "unevaluatedProperties": false}`,
      accept: ['{"a": 1, "t": 0}', '{"e": 0}', '{}'],
      refuse: ['{"a": 1, "e": 0}', '{"a": 2}', '{"t": 0}'],
    },
    {
      title: 'items, with those that contains matches',
      schema: `{"type": "array", "prefixItems": [{"type": "string"}], "maxItems": 4,
        "contains": {"type": "integer"}, "unevaluatedItems": {"type": "null"}}`,
      accept: ['["a", 1]', '["a", null, 1, 2]'],
      refuse: ['["a", true, 1]', '["a"]', '[1, null]'],
    },
  ])('$title', ({ schema, accept, refuse }) => {
    const { accepts } = compileSchema(schema)
    expect(accept.filter((text) => !accepts(text))).toEqual([])
    expect(refuse.filter((text) => accepts(text))).toEqual([])
  })
})
