/**
 * The meta-schemas of drafts 4, 6, 7, 2019-09 and 2020-12, for schemas that refer to them: "any schema" is what a tool
 * that edits schemas takes.
 *
 * Each says what the published document says and leaves out what only annotates (titles, comments, defaults); a test
 * compares them. They are made when a reference asks for one, so nobody else pays for them.
 */

type Schema = boolean | { readonly [keyword: string]: unknown }
type Schemas = Record<string, Schema>

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const STRING: Schema = { type: 'string' }
const NUMBER: Schema = { type: 'number' }
const BOOLEAN: Schema = { type: 'boolean' }
const URI: Schema = { type: 'string', format: 'uri' }
const URI_REFERENCE: Schema = { type: 'string', format: 'uri-reference' }
const REGEX: Schema = { type: 'string', format: 'regex' }
const POSITIVE: Schema = { type: 'number', exclusiveMinimum: 0 }
const COUNT: Schema = { type: 'integer', minimum: 0 }
const NAMES: Schema = { type: 'array', items: STRING, uniqueItems: true }
const ANYTHING_LISTED: Schema = { type: 'array', items: true }

/** The same schema under several names. */
function each(names: string, schema: Schema): Schemas {
  return Object.fromEntries(names.split(' ').map((name) => [name, schema]))
}

/** Schemas under names of their own. */
function named(schema: Schema, more: object = {}): Schema {
  return { type: 'object', additionalProperties: schema, ...more }
}

function listOf(schema: Schema): Schema {
  return { type: 'array', minItems: 1, items: schema }
}

/** Keyword `type`: a name, or several. */
function typeNames(simple: Schema): Schema {
  return { anyOf: [simple, { type: 'array', items: simple, minItems: 1, uniqueItems: true }] }
}

/** Drafts 4, 6 and 7 are one document each. */
function single(draft: 4 | 6 | 7): Schema {
  const self = { $ref: '#' }
  const uri = `http://json-schema.org/draft-0${draft}/schema#`
  const count = draft === 4 ? 'positiveInteger' : 'nonNegativeInteger'
  const definition = (name: string): Schema => ({ $ref: `#/definitions/${name}` })
  const [schemaArray, stringArray] = [definition('schemaArray'), definition('stringArray')]
  const schemaOrBoolean: Schema = draft === 4 ? { anyOf: [BOOLEAN, self] } : self
  const anything: Schema = draft === 7 ? true : {}
  const bounds: Schemas =
    draft === 4
      ? {
          multipleOf: { type: 'number', minimum: 0, exclusiveMinimum: true },
          ...each('maximum minimum', NUMBER),
          ...each('exclusiveMaximum exclusiveMinimum', BOOLEAN),
        }
      : { multipleOf: POSITIVE, ...each('maximum exclusiveMaximum minimum exclusiveMinimum', NUMBER) }
  const since6: Schemas = {
    ...each('$id $ref', URI_REFERENCE),
    $schema: URI,
    examples: { type: 'array', items: anything },
    ...each('contains propertyNames', self),
    const: anything,
  }
  const since7: Schemas = {
    $comment: STRING,
    ...each('readOnly writeOnly', BOOLEAN),
    ...each('contentMediaType contentEncoding', STRING),
    ...each('if then else', self),
  }
  return {
    [draft === 4 ? 'id' : '$id']: uri,
    $schema: uri,
    definitions: {
      schemaArray: listOf(self),
      [count]: COUNT,
      [`${count}Default0`]: { allOf: [definition(count), {}] },
      simpleTypes: { enum: TYPES },
      stringArray: draft === 4 ? { ...(NAMES as object), minItems: 1 } : NAMES,
    },
    type: draft === 4 ? 'object' : ['object', 'boolean'],
    properties: {
      ...(draft === 4 ? each('id $schema', STRING) : since6),
      ...(draft === 7 ? since7 : {}),
      ...each('title description format', STRING),
      default: anything,
      ...bounds,
      ...each('maxLength maxItems maxProperties', definition(count)),
      ...each('minLength minItems minProperties', definition(`${count}Default0`)),
      pattern: REGEX,
      ...each('additionalItems additionalProperties', schemaOrBoolean),
      items: { anyOf: [self, schemaArray] },
      uniqueItems: BOOLEAN,
      required: stringArray,
      ...each('definitions properties', named(self)),
      patternProperties: named(self, draft === 7 ? { propertyNames: { format: 'regex' } } : {}),
      dependencies: named({ anyOf: [self, stringArray] }),
      enum: { type: 'array', minItems: 1, uniqueItems: true, ...(draft === 7 ? { items: true } : {}) },
      type: typeNames(definition('simpleTypes')),
      ...each('allOf anyOf oneOf', schemaArray),
      not: self,
    },
    ...(draft === 4
      ? { dependencies: { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] } }
      : {}),
  }
}

/** Since 2019-09 there is a document for each vocabulary, and one that puts them together. */
function vocabularies(draft: '2019-09' | '2020-12'): Map<string, Schema> {
  const base = `https://json-schema.org/draft/${draft}/`
  const old = draft === '2019-09'
  const self: Schema = old ? { $recursiveRef: '#' } : { $dynamicRef: '#meta' }
  const anchor: object = old ? { $recursiveAnchor: true } : { $dynamicAnchor: 'meta' }
  const definition = (name: string): Schema => ({ $ref: `#/$defs/${name}` })
  const documents = new Map<string, Schema>()
  const add = (name: string, vocabulary: object, rest: object): void => {
    const uri = `${base}${name}`
    documents.set(uri, {
      $schema: `${base}schema`,
      $id: uri,
      ...vocabulary,
      ...anchor,
      type: ['object', 'boolean'],
      ...rest,
    })
  }
  const vocabulary = (name: string, properties: Schemas, $defs: Schemas = {}): void => {
    add(
      `meta/${name}`,
      { $vocabulary: { [`${base}vocab/${name}`]: true } },
      { properties, ...(Object.keys($defs).length > 0 ? { $defs } : {}) },
    )
  }

  const [uri, uriReference] = old ? [URI, URI_REFERENCE] : ['uriString', 'uriReferenceString'].map(definition)
  vocabulary(
    'core',
    {
      $id: { ...(uriReference as object), pattern: '^[^#]*#?$' },
      $schema: uri as Schema,
      ...each(old ? '$ref $recursiveRef' : '$ref $dynamicRef', uriReference as Schema),
      ...(old
        ? { $anchor: { type: 'string', pattern: '^[A-Za-z][-A-Za-z0-9.:_]*$' }, $recursiveAnchor: BOOLEAN }
        : each('$anchor $dynamicAnchor', definition('anchorString'))),
      $vocabulary: named(BOOLEAN, { propertyNames: uri }),
      $comment: STRING,
      $defs: named(self),
    },
    old
      ? {}
      : {
          anchorString: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
          uriString: URI,
          uriReferenceString: URI_REFERENCE,
        },
  )
  const unevaluated = each('unevaluatedItems unevaluatedProperties', self)
  vocabulary(
    'applicator',
    {
      ...(old
        ? { additionalItems: self, items: { anyOf: [self, definition('schemaArray')] }, ...unevaluated }
        : { prefixItems: definition('schemaArray'), items: self }),
      ...each('contains additionalProperties propertyNames if then else not', self),
      ...each('properties dependentSchemas', named(self)),
      patternProperties: named(self, { propertyNames: { format: 'regex' } }),
      ...each('allOf anyOf oneOf', definition('schemaArray')),
    },
    { schemaArray: listOf(self) },
  )
  if (!old) vocabulary('unevaluated', unevaluated)
  vocabulary(
    'validation',
    {
      type: typeNames(definition('simpleTypes')),
      const: true,
      enum: ANYTHING_LISTED,
      multipleOf: POSITIVE,
      ...each('maximum exclusiveMaximum minimum exclusiveMinimum', NUMBER),
      ...each('maxLength maxItems maxContains minContains maxProperties', definition('nonNegativeInteger')),
      ...each('minLength minItems minProperties', definition('nonNegativeIntegerDefault0')),
      pattern: REGEX,
      uniqueItems: BOOLEAN,
      required: definition('stringArray'),
      dependentRequired: named(definition('stringArray')),
    },
    {
      nonNegativeInteger: COUNT,
      nonNegativeIntegerDefault0: definition('nonNegativeInteger'),
      simpleTypes: { enum: TYPES },
      stringArray: NAMES,
    },
  )
  vocabulary('meta-data', {
    ...each('title description', STRING),
    default: true,
    ...each('deprecated readOnly writeOnly', BOOLEAN),
    examples: ANYTHING_LISTED,
  })
  const format = old ? 'format' : 'format-annotation'
  vocabulary(format, { format: STRING })
  vocabulary('content', { ...each('contentEncoding contentMediaType', STRING), contentSchema: self })

  const parts = ['core', 'applicator', ...(old ? [] : ['unevaluated']), 'validation', 'meta-data', format]
  const replaced: Schemas = old
    ? {}
    : {
        $recursiveAnchor: { $ref: 'meta/core#/$defs/anchorString' },
        $recursiveRef: { $ref: 'meta/core#/$defs/uriReferenceString' },
      }
  add(
    'schema',
    {
      $vocabulary: Object.fromEntries(
        [...parts, 'content'].map((name) => [`${base}vocab/${name}`, name !== 'format']),
      ),
    },
    {
      allOf: [...parts, 'content'].map((name) => ({ $ref: `meta/${name}` })),
      properties: {
        definitions: named(self),
        dependencies: named({ anyOf: [self, { $ref: 'meta/validation#/$defs/stringArray' }] }),
        ...replaced,
      },
    },
  )
  return documents
}

const JSON_SCHEMA = /^https?:\/\/json-schema\.org\/(?:draft-0([467])\/schema|draft\/(2019-09|2020-12)\/(.+))$/

/** The meta-schema of that URI, which has no fragment; `undefined` if it is none of these. */
export function metaSchema(uri: string): Schema | undefined {
  const [, draft, year, path] = JSON_SCHEMA.exec(uri) ?? []
  if (draft !== undefined) return single(draft === '4' ? 4 : draft === '6' ? 6 : 7)
  if (year === undefined) return undefined
  const documents = vocabularies(year === '2019-09' ? '2019-09' : '2020-12')
  return documents.get(`https://json-schema.org/draft/${year}/${path}`)
}
