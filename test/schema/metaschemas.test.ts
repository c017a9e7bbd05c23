/** The meta-schemas say what the published documents say, and can be referred to. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { metaSchema } from '../../src/schema/metaschemas.ts'
import { compileSchema } from './compile.ts'

const require = createRequire(import.meta.url)
/** Two packages that carry the published documents, each some of them as they were published. */
const ajv = dirname(require.resolve('ajv/package.json'))
const hyperjump = join(dirname(require.resolve('@hyperjump/json-schema')), '..')
const vocabulary = (draft: string, name: string): [string, string] => [
  `https://json-schema.org/draft/${draft}/${name}`,
  join(ajv, 'dist', 'refs', `json-schema-${draft}`, `${name}.json`),
]
const DOCUMENTS: readonly (readonly [string, string])[] = [
  ...['04', '06', '07'].map(
    (draft) =>
      [
        `http://json-schema.org/draft-${draft}/schema`,
        join(hyperjump, `draft-${draft}`, 'schema.js'),
      ] as const,
  ),
  ...['core', 'applicator', 'validation', 'meta-data', 'format', 'content'].map((name) =>
    vocabulary('2019-09', `meta/${name}`),
  ),
  ...['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'].map(
    (name) => vocabulary('2020-12', `meta/${name}`),
  ),
  vocabulary('2019-09', 'schema'),
  vocabulary('2020-12', 'schema'),
]

async function read(file: string): Promise<unknown> {
  if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'))
  return ((await import(pathToFileURL(file).href)) as { default: unknown }).default
}

const ANNOTATIONS = ['title', 'description', '$comment', 'default', 'deprecated']

/** The schema without what only annotates; under `properties` and its like the names are kept. */
function constraints(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => constraints(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => names || !ANNOTATIONS.includes(key))
      .map(([key, item]) => [
        key,
        constraints(item, !names && /^(?:properties|definitions|\$defs|\$vocabulary)$/.test(key)),
      ]),
  )
}

test.each(DOCUMENTS)('%s says what was published', async (uri, file) => {
  expect(metaSchema(uri)).toEqual(constraints(await read(file)))
})

describe('references to them', () => {
  test.each([
    ['http://json-schema.org/draft-04/schema#', '{"minimum": 1, "exclusiveMinimum": true}', '{"not": false}'],
    ['http://json-schema.org/draft-04/schema#', '{"minLength": 3}', '{"minLength": 3.0}'],
    ['http://json-schema.org/draft-06/schema#', '{"const": 1}', '{"contains": 1}'],
    ['http://json-schema.org/draft-07/schema#', '{"if": true, "not": {}}', '{"if": 1}'],
    ['https://json-schema.org/draft/2019-09/schema', '{"properties": {"a": {}}}', '{"$recursiveAnchor": 1}'],
    ['https://json-schema.org/draft/2020-12/schema', '{"items": {"minLength": 1}}', '{"items": [{}]}'],
    ['https://json-schema.org/draft/2020-12/meta/core', '{"$defs": {"a": {}}}', '{"$defs": {"a": 1}}'],
    ['http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger', '3', '-1'],
  ])('%s', ($ref, valid, invalid) => {
    const { accepts } = compileSchema(
      { $ref },
      { propertyOrder: 'any', numbers: 'any', formats: 'annotate', lenient: true },
    )
    expect([accepts(valid), accepts(invalid)]).toEqual([true, false])
  })

  test('a document handed over under the same name comes first', () => {
    const uri = 'http://json-schema.org/draft-07/schema'
    const { accepts } = compileSchema({ $ref: `${uri}#` }, { references: { [uri]: { type: 'null' } } })
    expect(['null', '{}'].map(accepts)).toEqual([true, false])
  })
})
