/** Names that bring or exclude others: kept as they are, not written out, whichever keyword says so. */
import { describe, expect, test } from 'vitest'
import { SchemaError } from '../../src/errors.ts'
import type { Expr } from '../../src/grammar/grammar.ts'
import { compileSchema } from './compile.ts'

type ObjectExpr = Extract<Expr, { type: 'object' }>

/** The objects of the root, which may stand beside values of other types. */
function rootObjects(schema: object): ObjectExpr[] {
  const { grammar } = compileSchema(schema)
  const body = grammar.rules[grammar.root]!.body
  const options = body.type === 'choice' ? body.options : [body]
  return options.filter((option) => option.type === 'object')
}

function tiesOf(schema: object): Record<string, readonly string[]>[] {
  const [object, ...others] = rootObjects(schema)
  if (object === undefined || others.length > 0) throw new Error('the root is not one object')
  return object.properties.flatMap(({ name, implies, excludes }) => [
    ...(implies === undefined ? [] : [{ [name]: implies }]),
    ...(excludes === undefined ? [] : [{ [`not ${name}`]: excludes }]),
  ])
}

const names = Array.from({ length: 30 }, (_, i) => `p${i}`)
const declared = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))

describe('thirty names that bring others are one object', () => {
  test.each([
    ['two each', (i: number) => [names[(i * 7 + 3) % 30]!, names[(i * 11 + 5) % 30]!]],
    ['the one before', (i: number) => names.slice(Math.max(0, i - 1), i)],
    ['the one behind', (i: number) => names.slice(i + 1, i + 2)],
    ['their neighbour, and it them', (i: number) => [names[i ^ 1]!]],
  ])('%s', (_, brought) => {
    const dependentRequired = Object.fromEntries(names.map((name, i) => [name, brought(i)]))
    const schema = { type: 'object', properties: declared, dependentRequired, minProperties: 1 }
    expect(rootObjects(schema)).toHaveLength(1)
    const { accepts } = compileSchema(schema)
    for (const [i, name] of names.entries()) {
      const all = new Set([name])
      for (const one of all) for (const other of dependentRequired[one] ?? []) all.add(other)
      const object = Object.fromEntries([...all].map((one) => [one, 1]))
      expect(accepts(JSON.stringify(object))).toBe(true)
      if (brought(i).length > 0) expect(accepts(JSON.stringify({ [name]: 1 }))).toBe(all.size === 1)
    }
  })
})

test.each([
  [{ dependentRequired: { a: ['b', 'a'] } }, [{ a: ['b'] }]],
  [{ dependencies: { a: ['b'], c: [] } }, [{ a: ['b'] }]],
  [{ dependentSchemas: { a: { required: ['b'] } } }, [{ a: ['b'] }]],
  [{ dependencies: { a: { required: ['b'] } } }, [{ a: ['b'] }]],
  [{ if: { required: ['a'] }, ['then' as string]: { required: ['b'] } }, [{ a: ['b'] }]],
  [{ dependentSchemas: { a: { properties: { b: false } } } }, [{ 'not a': ['b'] }, { 'not b': ['a'] }]],
  [{ not: { required: ['a', 'b'] } }, [{ 'not a': ['b'] }, { 'not b': ['a'] }]],
  [
    { allOf: [{ dependentRequired: { a: ['b'] } }, { dependentRequired: { a: ['c'] } }] },
    [{ a: ['b', 'c'] }],
  ],
  [{ dependentRequired: { a: ['b', 'c'] }, required: ['c'] }, [{ a: ['b'] }]],
  [{ dependentRequired: { a: ['b'], b: ['c'] }, required: ['a'] }, []],
  [{ dependentRequired: { a: ['b'], b: ['c'] }, properties: { c: false } }, []],
])('%j ties its names', (schema, ties) => {
  expect(tiesOf({ type: 'object', ...schema })).toEqual(ties)
})

describe('what ties decide', () => {
  test('a name is not offered where what it brings has no room', () => {
    const [object] = rootObjects({ type: 'object', dependentRequired: { a: ['b', 'c'] }, maxProperties: 2 })
    expect(object!.forbidden).toEqual(['a'])
  })

  test.each([
    [{ required: ['a'], dependentRequired: { a: ['b'] }, properties: { b: false } }],
    [{ required: ['a', 'c'], dependentRequired: { a: ['b'] }, not: { required: ['b', 'c'] } }],
    [{ required: ['a'], dependentRequired: { a: ['b', 'c'] }, maxProperties: 2 }],
    [
      {
        properties: { a: { $ref: '#' }, b: {} },
        dependentRequired: { b: ['a'] },
        minProperties: 1,
        additionalProperties: false,
      },
    ],
  ])('%j has no value', (schema) => {
    expect(() => compileSchema({ type: 'object', ...schema })).toThrow(SchemaError)
  })

  test('what breaks a tie is a name without what it brings', () => {
    const { accepts } = compileSchema({ type: 'object', not: { dependentRequired: { a: ['b', 'c'] } } })
    expect(['{"a":1}', '{"a":1,"c":1}', '{"a":1,"b":1,"c":1}', '{"b":1}', '{}'].map(accepts)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })

  test('where entries are counted beyond one, objects are written out', () => {
    const schema = { type: 'object', dependentRequired: { a: ['b'] }, minProperties: 2 }
    expect(rootObjects(schema).length).toBeGreaterThan(1)
    const { accepts } = compileSchema(schema)
    expect(['{"a":1,"b":1}', '{"c":1,"d":1}', '{"a":1,"c":1}', '{"b":1}'].map(accepts)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
