/**
 * Keywords whose values hold schemas, and how: the one table for all that walks over a schema without compiling it.
 *
 * What is not in it holds data (`enum`, `const`, `default`, `examples`), or nothing that a schema stands in.
 */

/** The value is a schema. */
const SINGLE = [
  ...['additionalItems', 'additionalProperties', 'contains', 'contentSchema', 'else', 'if', 'items', 'not'],
  ...['propertyNames', 'then', 'unevaluatedItems', 'unevaluatedProperties'],
]

/** The value is a list of schemas; that of `items` may be. */
const LISTS = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']

export const SINGLE_SCHEMAS: ReadonlySet<string> = new Set(SINGLE)
export const SCHEMA_LISTS: ReadonlySet<string> = new Set(LISTS)

/** Either of them: for readers that take a schema wherever one may stand, be it a list or not. */
export const SCHEMAS: ReadonlySet<string> = new Set([...SINGLE, ...LISTS])

/** The value holds schemas under names; `dependencies` may hold lists of names instead. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  ...['$defs', 'definitions', 'dependentSchemas', 'dependencies', 'patternProperties', 'properties'],
])
