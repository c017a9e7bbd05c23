import { describe, expect, it } from 'vitest'
import { SchemaError } from '../../../src/errors.ts'
import { readJson } from '../../../src/json/read.ts'
import { Validator } from '../../../src/tools/verdict/validator.ts'

const OPTIONS = { formats: 'assert', references: new Map() } as const

function said(schema: unknown, text: string): string[] {
  const source = typeof schema === 'string' ? schema : JSON.stringify(schema)
  return new Validator(readJson(source), OPTIONS)
    .violations(readJson(text))
    .map(({ pointer, keyword, message }) => `${pointer} ${keyword}: ${message}`)
}

describe('Validator', () => {
  it('says in words what is wrong, where, and by which keyword', () => {
    const cases: [unknown, string, string[]][] = [
      [{ type: 'integer' }, '"2"', [' type: string where an integer is required']],
      [{ type: 'integer' }, '2.5', [' type: 2.5 where an integer is required']],
      [{ type: ['object', 'null'] }, '[]', [' type: array where an object or null is required']],
      [{ enum: ['a', 1, null] }, '"b"', [' enum: "b" where "a", 1 or null is required']],
      [{ const: { a: 1 } }, '{"a":2}', [' const: {"a":2} where {"a":1} is required']],
      [{ minimum: 1 }, '0', [' minimum: 0 is less than 1']],
      [{ exclusiveMaximum: 12 }, '12.0', [' exclusiveMaximum: 12.0 is not less than 12']],
      [{ multipleOf: 0.01 }, '0.075', [' multipleOf: 0.075 is not a multiple of 0.01']],
      [{ minLength: 2 }, '"😀"', [' minLength: 1 character where at least 2 are required']],
      [{ pattern: '^PE-\\d{5}$' }, '"PE 5"', [' pattern: "PE 5" does not match ^PE-\\d{5}$']],
      [{ format: 'date' }, '"2027-02-30"', [' format: "2027-02-30" does not have the format date']],
      [
        { required: ['a', 'b'], properties: { c: false }, maxProperties: 0 },
        '{"c":1}',
        [
          ' required: missing required "a"',
          ' required: missing required "b"',
          ' maxProperties: 1 property where at most 0 are allowed',
          '/c properties: unexpected property "c"',
        ],
      ],
      [
        { items: { properties: { 'a/b': { type: 'string' } } }, uniqueItems: true, maxItems: 1 },
        '[{"a/b": 1}, {"a/b": 1}]',
        [
          ' maxItems: 2 items where at most 1 are allowed',
          '/0/a~1b type: number where a string is required',
          '/1/a~1b type: number where a string is required',
          '/1 uniqueItems: the item is equal to item 0',
        ],
      ],
      [
        { contains: { const: 1 } },
        '[2]',
        [' contains: 0 items of the kind that contains asks for, where at least 1 are required'],
      ],
      [
        { dependentRequired: { a: ['b'] } },
        '{"a":1}',
        [' dependentRequired: missing "b", which "a" requires'],
      ],
      [
        { propertyNames: { maxLength: 1 } },
        '{"ab":1}',
        ['/ab propertyNames: the name of the property: 2 characters where at most 1 are allowed'],
      ],
      [{ not: { type: 'string' } }, '"a"', [' not: is what must not be here']],
      [
        { allOf: [{ minimum: 2 }, { minimum: 2 }, { multipleOf: 3 }] },
        '1',
        [' minimum: 1 is less than 2', ' multipleOf: 1 is not a multiple of 3'],
      ],
    ]
    for (const [schema, text, messages] of cases) expect(said(schema, text), text).toEqual(messages)
  })

  it('tells of alternatives the one that the value is meant for', () => {
    const nullable = { anyOf: [{ type: 'string', pattern: '^a$' }, { type: 'null' }] }
    expect(said(nullable, '5')).toEqual([' anyOf: number where a string or null is required'])
    expect(said(nullable, '"b"')).toEqual([' pattern: "b" does not match ^a$'])
    const shapes = {
      oneOf: ['circle', 'square'].map((kind) => ({
        type: 'object',
        properties: { kind: { const: kind }, size: { type: 'number' } },
        required: ['kind', 'size'],
      })),
    }
    expect(said(shapes, '{"kind": "square", "size": "1"}')).toEqual([
      '/size type: string where a number is required',
    ])
    expect(said(shapes, '{"kind": "line", "size": 1}')).toEqual([' oneOf: fits none of the 2 alternatives'])
    expect(said({ oneOf: [{ minimum: 1 }, { maximum: 3 }] }, '2')).toEqual([
      ' oneOf: fits 2 alternatives where exactly one is allowed',
    ])
    expect(said({ anyOf: [{ minimum: 3 }, { multipleOf: 2 }] }, '1')).toEqual([
      ' anyOf: 1 is less than 3; and 1 is not a multiple of 2',
    ])
  })

  it('judges numbers by their digits, whatever doubles make of them', () => {
    expect(said('{"maximum": 9007199254740992}', '9007199254740993')).toHaveLength(1)
    expect(said('{"const": 9007199254740993}', '9007199254740993')).toEqual([])
    expect(said('{"const": 9007199254740993}', '9007199254740992')).toHaveLength(1)
    expect(said('{"multipleOf": 0.01}', '19.99')).toEqual([])
    expect(said('{"type": "integer"}', '1e400000')).toEqual([])
    expect(said('{"multipleOf": 7}', '7e400000')).toEqual([])
    expect(said('{"multipleOf": 7}', '1e400000')).toHaveLength(1)
    expect(said('{"multipleOf": 2}', '1e-400000')).toHaveLength(1)
    expect(said('{"type": "integer"}', '1e99999999999')).toEqual([
      expect.stringContaining('the number cannot be judged'),
    ])
  })

  it('tells of more violations than a call takes arguments', () => {
    const required = Array.from({ length: 130_000 }, (_, i) => `p${i}`)
    const inner = { anyOf: [{ required }] }
    const schema = { allOf: [inner], properties: { a: inner }, items: inner }
    expect(said(schema, '{"a":{}}')).toHaveLength(260_000)
    expect(said(schema, '[{}]')).toHaveLength(130_000)
  })

  it('follows references, also ones that recur, as deep as it can', () => {
    const tree = { $defs: { t: { type: 'array', items: { $ref: '#/$defs/t' } } }, $ref: '#/$defs/t' }
    expect(said(tree, '[[], [[1]]]')).toEqual(['/1/0/0 type: number where an array is required'])
    expect(said(tree, '['.repeat(2000) + ']'.repeat(2000))[0]).toContain('nested too deeply')
    expect(said({ $ref: '#' }, '1')[0]).toContain('nested too deeply')
  })

  it('refuses a schema with references or patterns that lead nowhere, whatever the value is', () => {
    for (const schema of [{ $ref: '#/$defs/no' }, { properties: { a: { items: { pattern: '(' } } } }])
      expect(() => new Validator(readJson(JSON.stringify(schema)), OPTIONS)).toThrow(SchemaError)
    expect(said({ pattern: '\\-' }, '"-"')).toEqual([])
  })
})
