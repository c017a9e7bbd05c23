/** References: other documents, anchors, dynamic scopes, vocabularies. */
import { describe, expect, test } from 'vitest'
import { SchemaError } from '../../src/errors.ts'
import type { SchemaOptions } from '../../src/schema/index.ts'
import { compileSchema } from './compile.ts'

const MODES: SchemaOptions = { propertyOrder: 'any', numbers: 'any' }
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

describe('documents handed over', () => {
  const references = {
    'https://example.com/item.json': '{"type": "object", "properties": {"next": {"$ref": "list.json"}}}',
    'https://example.com/list.json': {
      type: 'array',
      items: { $ref: 'item.json' },
      $defs: { n: { const: 1 } },
    },
    'https://example.com/old.json': {
      $schema: 'http://json-schema.org/draft-04/schema#',
      minimum: 3,
      exclusiveMinimum: true,
    },
  }

  test('refer to each other, relative to their own URI', () => {
    const { accepts } = compileSchema(
      { $id: 'https://example.com/root.json', $ref: 'list.json' },
      { ...MODES, references },
    )
    expect(accepts('[{"next": [{}]}]')).toBe(true)
    expect(accepts('[{"next": {}}]')).toBe(false)
  })

  test('are named with fragments, and keep their dialect', () => {
    const schema = {
      items: { $ref: 'https://example.com/list.json#/$defs/n' },
      $ref: 'https://example.com/old.json',
    }
    const { accepts } = compileSchema(schema, { ...MODES, references })
    expect(['[1]', '[2]', '4', '3'].map(accepts)).toEqual([true, false, true, false])
  })

  test('may be a Map, and are not read unless they are named', () => {
    const map = new Map<string, unknown>([
      ['urn:a', { type: 'null' }],
      ['urn:b', 'this is not JSON'],
    ])
    expect(compileSchema({ $ref: 'urn:a' }, { ...MODES, references: map }).accepts('null')).toBe(true)
    expect(() => compileSchema({ $ref: 'urn:b' }, { ...MODES, references: map })).toThrow(/not JSON/)
  })

  test('that are missing are named', () => {
    expect(() => compileSchema({ $ref: 'https://example.com/none.json' }, { references })).toThrow(
      SchemaError,
    )
  })
})

describe('dynamic references', () => {
  const tree = {
    $schema: DRAFT_2020,
    $id: 'https://example.com/tree',
    $dynamicAnchor: 'node',
    type: 'object',
    properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
  }

  test('name the outermost resource with the anchor', () => {
    const strict = {
      $schema: DRAFT_2020,
      $id: 'https://example.com/strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
    }
    const references = { 'https://example.com/tree': tree }
    const { accepts } = compileSchema(strict, { ...MODES, references })
    expect(accepts('{"children": [{"data": 1}]}')).toBe(true)
    expect(accepts('{"children": [{"daat": 1}]}')).toBe(false)
    expect(compileSchema(tree).accepts('{"children": [{"daat": 1}]}')).toBe(true)
  })

  test('are plain references where the target is a plain anchor', () => {
    const schema = { $schema: DRAFT_2020, $dynamicRef: '#a', $defs: { a: { $anchor: 'a', type: 'null' } } }
    expect(compileSchema(schema).accepts('1')).toBe(false)
  })

  test('$recursiveRef finds the outermost $recursiveAnchor', () => {
    const base = {
      $id: 'https://example.com/base',
      $recursiveAnchor: true,
      properties: { inner: { $recursiveRef: '#' } },
    }
    const schema = {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      $id: 'https://example.com/outer',
      $recursiveAnchor: true,
      $ref: 'base',
      required: ['inner'],
      $defs: { base },
    }
    // Every inner value must have one: no value is finite but those that are no objects.
    const { accepts } = compileSchema(schema)
    expect(accepts('{"inner": 1}')).toBe(true)
    expect(accepts('{"inner": {}}')).toBe(false)
  })
})

describe('vocabularies', () => {
  const meta = (names: readonly string[]): object => ({
    $schema: DRAFT_2020,
    $id: 'https://example.com/meta',
    $vocabulary: Object.fromEntries(
      names.map((name) => [`https://json-schema.org/draft/2020-12/vocab/${name}`, true]),
    ),
  })
  const compile = (names: readonly string[], schema: object): ReturnType<typeof compileSchema> =>
    compileSchema(
      { $schema: 'https://example.com/meta', ...schema },
      { ...MODES, formats: 'annotate', references: { 'https://example.com/meta': meta(names) } },
    )

  test('keywords of a vocabulary that is not there are annotations', () => {
    const { accepts, report } = compile(['core', 'applicator'], { items: { minimum: 3 }, maxItems: 1 })
    expect(accepts('[1, 2]')).toBe(true)
    expect(report.annotations.map(({ keyword }) => keyword)).toContain('maxItems')
  })

  test('format-assertion asserts', () => {
    expect(compile(['core', 'format-assertion'], { format: 'ipv4' }).accepts('"x"')).toBe(false)
    expect(compile(['core', 'format-annotation'], { format: 'ipv4' }).accepts('"x"')).toBe(true)
  })

  test('one that is required and not known refuses the schema', () => {
    expect(() => compile(['core', 'poetry'], {})).toThrow(/requires the vocabulary/)
  })
})

test('an identifier under a keyword of no dialect is none', () => {
  const schema = {
    $schema: DRAFT_2020,
    $id: 'https://example.com/root',
    'x-own': { $id: 'https://example.com/a', type: 'null' },
    $defs: { a: { $id: 'https://example.com/a', type: 'string' } },
    $ref: 'a',
  }
  expect(compileSchema(schema).accepts('"s"')).toBe(true)
})
