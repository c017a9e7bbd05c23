/**
 * Vocabularies (JSON Schema Core, section 8.1.2): a meta-schema with `$vocabulary` says which keywords its schemas have.
 * Known are those of 2019-09 and 2020-12; an unknown one that is required refuses the schema.
 */
import type { JsonObject } from '../json/value.ts'
import type { Dialect } from './dialect.ts'
import type { Vocabularies } from './resource.ts'

const KEYWORDS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'validation',
    [
      ...[
        'type',
        'enum',
        'const',
        'multipleOf',
        'maximum',
        'exclusiveMaximum',
        'minimum',
        'exclusiveMinimum',
      ],
      ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'],
      ...['minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired'],
    ],
  ],
  [
    'applicator',
    [
      ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'items', 'prefixItems'],
      ...['additionalItems', 'contains', 'properties', 'patternProperties', 'additionalProperties'],
      ...['propertyNames'],
    ],
  ],
  ['unevaluated', ['unevaluatedItems', 'unevaluatedProperties']],
])

/** Vocabularies without a keyword that constrains. */
const WITHOUT_CONSTRAINTS = new Set(['core', 'meta-data', 'content', 'format', 'format-annotation'])

export const ALL_VOCABULARIES: Vocabularies = { missing: new Set(), assertFormat: false }

/** What a meta-schema of the dialect says. `unknown` are required vocabularies that nobody here knows. */
export function vocabulariesOf(
  metaSchema: JsonObject,
  dialect: Dialect,
): Vocabularies & { readonly unknown: readonly string[] } {
  const written = metaSchema.get('$vocabulary')
  if (!(written instanceof Map) || dialect < 2019) return { ...ALL_VOCABULARIES, unknown: [] }
  const names = new Set<string>()
  const unknown: string[] = []
  for (const [uri, required] of written) {
    const name = /^https:\/\/json-schema\.org\/draft\/(?:2019-09|2020-12)\/vocab\/([a-z-]+)$/.exec(uri)?.[1]
    if (name !== undefined) names.add(name)
    const known =
      name !== undefined &&
      (KEYWORDS.has(name) || WITHOUT_CONSTRAINTS.has(name) || name === 'format-assertion')
    if (!known && required === true) unknown.push(uri)
  }
  // In 2019-09 the unevaluated keywords are applicators.
  if (dialect === 2019 && names.has('applicator')) names.add('unevaluated')
  const missing = new Set<string>()
  for (const [name, keywords] of KEYWORDS)
    if (!names.has(name)) for (const keyword of keywords) missing.add(keyword)
  const assertFormat = names.has('format-assertion') || written.get(FORMAT_2019) === true
  return { missing, assertFormat, unknown }
}

/** Required, this one asserts. */
const FORMAT_2019 = 'https://json-schema.org/draft/2019-09/vocab/format'
