/** What is refused, where, and with which words; what is reported instead. */
import { describe, expect, test } from 'vitest'
import { LimitError } from '../../src/errors.ts'
import { type SchemaOptions, schemaToGrammar } from '../../src/schema/index.ts'
import { compileSchema, refusal } from './compile.ts'

describe('schemas that nothing satisfies', () => {
  test.each([
    [
      '{"type": "integer", "exclusiveMinimum": 4, "exclusiveMaximum": 5}',
      'exclusiveMinimum 4 and exclusiveMaximum 5 leave no integer',
      '#/exclusiveMinimum',
    ],
    ['{"enum": []}', 'enum [] leaves no value', '#/enum'],
    ['false', 'the schema is false: nothing satisfies it', '#'],
    [
      '{"type": "array", "minItems": 2, "maxItems": 1}',
      'minItems 2 and maxItems 1 leave no array',
      '#/minItems',
    ],
    [
      '{"type": "string", "pattern": "^a$", "minLength": 2}',
      'pattern "^a$" and minLength 2 leave no string',
      '#/pattern',
    ],
    [
      '{"allOf": [{"type": "string"}, {"type": "object"}]}',
      'type "string" and type "object" leave no value',
      '#/allOf/0/type',
    ],
    ['{"const": 1, "enum": [2, 3]}', 'const 1 and enum [2,3] leave no value', '#/const'],
    [
      '{"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": [1]}}}',
      'enum [1] leaves no string',
      '#/properties/a/enum',
    ],
    [
      '{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}',
      'requires property "a", and so values inside each other without end',
      '#',
    ],
    [
      '{"type": "object", "required": ["a"], "additionalProperties": false}',
      'required ["a"] and additionalProperties false leave no object',
      '#/required',
    ],
    [
      '{"$ref": "#/$defs/a", "minLength": 5, "$defs": {"a": {"maxLength": 3, "type": "string"}}}',
      'maxLength 3 and minLength 5 leave no string',
      '#/$defs/a/maxLength',
    ],
    ['{"oneOf": [{}, {}]}', 'oneOf leaves no value', '#/oneOf'],
    [
      '{"type": "array", "contains": {"type": "string"}, "items": {"type": "integer"}}',
      'contains and items leave no array',
      '#/contains',
    ],
    [
      '{"type": "object", "patternProperties": {"^[ab]$": {}}, "additionalProperties": false, "minProperties": 3}',
      'additionalProperties false with patternProperties and minProperties 3 leave no object',
      '#/patternProperties',
    ],
    [
      '{"multipleOf": 4, "not": {"multipleOf": 2}, "type": "number"}',
      'multipleOf 4 and not leave no value',
      '#/multipleOf',
    ],
  ])('%s', (schema, message, pointer) => {
    expect(refusal(schema)).toMatchObject({ message: `${message} (${pointer})`, pointer })
  })

  test('every pointer of a contradiction is named', () => {
    const { errors } = refusal('{"type": "number", "minimum": 3, "maximum": 2}')
    expect(errors.map(({ pointer }) => pointer)).toEqual(['#/minimum', '#/maximum', '#/type'])
  })
})

describe('schemas that are not schemas', () => {
  test.each([
    ['5', '#', 'a schema is an object or a boolean, not the number 5'],
    ['{"type": "strin"}', '#/type', 'not "strin"'],
    ['{"properties": {"a": {"required": true}}}', '#/properties/a/required', 'must be an array'],
    ['{"minLength": 1.5}', '#/minLength', 'must be an integer of at least 0'],
    ['{"minimum": "1"}', '#/minimum', 'must be a number'],
    ['{"anyOf": []}', '#/anyOf', 'at least one schema'],
    ['{"properties": {"a/b": {"$ref": "#/nowhere"}}}', '#/properties/a~1b/$ref', '"#/nowhere" leads nowhere'],
    [
      '{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "type": "integer"}',
      '#/$defs/a/$ref',
      'refers to itself without end',
    ],
    ['{"$ref": "#missing"}', '#/$ref', 'names the anchor "missing"'],
    ['{"$ref": "https://example.com/other.json"}', '#/$ref', 'names another document'],
    ['{"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [{}]}', '#/items', 'prefixItems'],
    ['{"$schema": "http://json-schema.org/draft-03/schema#"}', '#/$schema', 'older than draft 4'],
  ])('%s', (schema, pointer, words) => {
    const error = refusal(schema)
    expect(error.pointer).toBe(pointer)
    expect(error.message).toContain(words)
  })
})

const few = { type: 'object', properties: { a: { type: 'boolean' } }, additionalProperties: false }

describe('what cannot be enforced', () => {
  test('all places are named at once', () => {
    const { errors } = refusal({
      type: 'object',
      properties: {
        // How many objects there are of a few names is not counted.
        a: { type: 'array', uniqueItems: true, minItems: 2, items: few },
        b: { type: 'object', patternProperties: { '^(a)\\1': {} }, additionalProperties: false },
        e: { type: 'string', pattern: '(a)\\1' },
      },
    })
    expect(new Map(errors.map(({ pointer, keyword }) => [pointer, keyword]))).toEqual(
      new Map([
        ['#/properties/a/uniqueItems', 'uniqueItems'],
        ['#/properties/b/patternProperties/%5E(a)%5C1', 'patternProperties'],
        ['#/properties/e/pattern', 'pattern'],
      ]),
    )
  })

  test('a keyword of another type is no reason to refuse', () => {
    const { accepts } = compileSchema(
      '{"type": "string", "uniqueItems": true, "multipleOf": 3, "contains": {"type": "null"}}',
    )
    expect(accepts('"a"')).toBe(true)
  })

  test('lenient compiles and lists what is not enforced', () => {
    const { accepts, report } = compileSchema('{"type": "string", "pattern": "(a)\\\\1", "maxLength": 2}', {
      lenient: true,
    })
    expect(accepts('"ab"')).toBe(true)
    expect(accepts('"abc"')).toBe(false)
    expect(report.unenforced.map(({ pointer }) => pointer)).toEqual(['#/pattern'])
  })

  test('lenient does not make a schema of what is none', () => {
    expect(refusal('{"type": 3}', { lenient: true }).pointer).toBe('#/type')
  })
})

describe('annotations', () => {
  test('titles, unknown keywords and unknown formats are listed', () => {
    const { report } = compileSchema('{"title": "t", "x-own": 1, "type": "string", "format": "color"}')
    expect(report.annotations.map(({ pointer, keyword }) => [pointer, keyword])).toEqual([
      ['#/title', 'title'],
      ['#/x-own', 'x-own'],
      ['#/format', 'format'],
    ])
  })

  test('a keyword that the dialect does not have is one', () => {
    const { accepts, report } = compileSchema(
      '{"$schema": "http://json-schema.org/draft-04/schema#", "const": 1, "if": {}, "then": false}',
    )
    expect(accepts('2')).toBe(true)
    expect(report.annotations.map(({ keyword }) => keyword)).toEqual(['const', 'if', 'then'])
  })

  test("formats: 'annotate' enforces none and lists them", () => {
    const { accepts, report } = compileSchema('{"type": "string", "format": "uuid"}', { formats: 'annotate' })
    expect(accepts('"x"')).toBe(true)
    expect(report.annotations).toHaveLength(1)
  })
})

describe('narrowings', () => {
  test('properties come in the order of the schema', () => {
    const schema = `{"type": "object", "allOf": [{"properties": {"b": {}}}], "properties": {"a": {}, "c": {}},
      "required": ["z"]}`
    const { accepts, report } = compileSchema(schema, {})
    expect(accepts('{"b": 1, "a": 1, "c": 1, "z": 1, "more": 1}')).toBe(true)
    expect(accepts('{"a": 1, "b": 1, "z": 1}')).toBe(false)
    expect(accepts('{"b": 1, "more": 1, "z": 1}')).toBe(false)
    expect(report.narrowings.map(({ message }) => message)).toContain(
      'properties come in the order of the schema, then additional ones',
    )
    expect(compileSchema(schema).accepts('{"more": 1, "z": 1, "a": 1, "b": 1}')).toBe(true)
  })

  test('values of enum are texts with the shortest digits', () => {
    const { grammar } = schemaToGrammar('{"enum": [1.0, 1e2, "a\\u0062", null]}')
    expect(grammar.rules[grammar.root]?.body).toMatchObject({
      terminal: { kind: 'texts', texts: ['null', '"ab"', '1', '100'] },
    })
  })
})

describe('limits', () => {
  test('a schema of a million nested arrays is refused', () => {
    expect(() => schemaToGrammar('['.repeat(1_000_000))).toThrow(LimitError)
    expect(() => schemaToGrammar('{"items":'.repeat(1_000_000))).toThrow(LimitError)
  })

  test('schemas applied inside each other are limited, schemas of inner values are not', () => {
    const nest = (open: string, close: string): string => `${open.repeat(3000)}{}${close.repeat(3000)}`
    expect(() => schemaToGrammar(nest('{"allOf":[', ']}'))).toThrow(LimitError)
    expect(schemaToGrammar(nest('{"items":', '}')).grammar.rules.length).toBe(3001)
  })

  test('a chain of definitions with two references each stays linear', () => {
    const levels = Array.from({ length: 17 }, (_, level) => {
      const $ref = `#/$defs/d${level + 1}`
      return [`d${level}`, { type: 'object', properties: { a: { $ref }, b: { $ref } } }] as const
    })
    const schema = { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), d17: { type: 'string' } } }
    expect(schemaToGrammar(schema, { propertyOrder: 'any' }).grammar.rules.length).toBe(18)
  })

  test('products of alternatives are counted', () => {
    const allOf = Array.from({ length: 30 }, (_, index) => ({
      anyOf: [{ required: [`x${index}`] }, { required: [`y${index}`] }],
    }))
    expect(() => schemaToGrammar({ type: 'object', allOf }, { limits: { maxSteps: 100_000 } })).toThrow(
      /steps of the schema algebra/,
    )
  })

  test('a count that no document reaches is refused', () => {
    expect(refusal('{"minItems": 1e12}').pointer).toBe('#/minItems')
    expect(schemaToGrammar('{"type": "string", "maxLength": 1e12}').report.unenforced).toEqual([])
  })
})

describe('options', () => {
  test.each([
    [{ whitespaces: 'any' }, 'unknown option "whitespaces"'],
    [{ whitespace: 'loose' }, 'option whitespace is one of model, compact, pretty, any, not "loose"'],
    [{ indent: '2' }, 'option indent is a number'],
    [{ limits: { maxTime: 3 } }, 'unknown limit "maxTime"'],
    [{ references: [] }, 'option references must be an object'],
  ])('%j is a TypeError', (options, message) => {
    expect(() => schemaToGrammar('{}', options as SchemaOptions)).toThrow(TypeError)
    expect(() => schemaToGrammar('{}', options as SchemaOptions)).toThrow(message)
  })

  test('numbers out of range are a RangeError', () => {
    expect(() => schemaToGrammar('{}', { indent: -1 })).toThrow(RangeError)
    expect(() => schemaToGrammar('{}', { limits: { maxSteps: Number.NaN } })).toThrow(RangeError)
  })
})

test('minus zero is an integer of draft 4 where zero is one', () => {
  const draft = 'http://json-schema.org/draft-04/schema#'
  const any = { numbers: 'any' } as const
  expect(compileSchema({ $schema: draft, type: 'integer' }, any).accepts('-0')).toBe(true)
  expect(compileSchema({ $schema: draft, type: 'integer', minimum: 1 }, any).accepts('-0')).toBe(false)
  const odd = { $schema: draft, type: 'integer', not: { multipleOf: 2 } }
  expect(compileSchema(odd, any).accepts('3')).toBe(true)
  expect(compileSchema(odd, any).accepts('-0')).toBe(false)
})
