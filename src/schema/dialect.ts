/**
 * The dialects of JSON Schema and the keywords each has.
 *
 * `$schema` decides; without it every spelling of every dialect is understood. A keyword that the dialect does not have
 * is an annotation (JSON Schema Core 2020-12, section 4.3.1), so it constrains nothing and is reported.
 */

/** By year or draft number; 0 stands for "not declared": the union of all. */
export type Dialect = 0 | 4 | 6 | 7 | 2019 | 2020

/** `assertion`: can refuse a value. `location`: holds or names schemas. `annotation`: says something about them. */
export type KeywordKind = 'assertion' | 'location' | 'annotation'

interface Keyword {
  readonly kind: KeywordKind
  readonly since: number
  readonly until: number
}

const KEYWORDS = new Map<string, Keyword>()

function keywords(kind: KeywordKind, since: number, until: number, names: string): void {
  for (const name of names.split(' ')) KEYWORDS.set(name, { kind, since, until })
}

keywords('assertion', 4, 2020, 'type enum $ref allOf anyOf oneOf not format')
keywords(
  'assertion',
  4,
  2020,
  'properties patternProperties additionalProperties required minProperties maxProperties',
)
keywords('assertion', 4, 2020, 'items minItems maxItems uniqueItems minLength maxLength pattern')
keywords('assertion', 4, 2020, 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf')
keywords('assertion', 4, 2019, 'additionalItems')
// Gone since 2019-09, where schemas may still rely on it.
keywords('assertion', 4, 2020, 'dependencies')
keywords('assertion', 6, 2020, 'const contains propertyNames')
keywords('assertion', 7, 2020, 'if then else')
keywords('assertion', 2019, 2020, 'dependentRequired dependentSchemas minContains maxContains')
keywords('assertion', 2019, 2020, 'unevaluatedItems unevaluatedProperties')
keywords('assertion', 2019, 2019, '$recursiveRef')
keywords('assertion', 2020, 2020, 'prefixItems $dynamicRef')
keywords('location', 4, 2020, '$schema definitions $comment')
keywords('location', 4, 4, 'id')
keywords('location', 6, 2020, '$id')
keywords('location', 2019, 2020, '$defs $anchor $vocabulary')
keywords('location', 2019, 2019, '$recursiveAnchor')
keywords('location', 2020, 2020, '$dynamicAnchor')

/** Whether some dialect has it. */
export function isKeyword(keyword: string): boolean {
  return KEYWORDS.has(keyword)
}

/** What the keyword is in the dialect; everything that it does not have is an annotation. */
export function keywordKind(keyword: string, dialect: Dialect): KeywordKind {
  const entry = KEYWORDS.get(keyword)
  if (entry === undefined) return 'annotation'
  if (dialect !== 0 && (dialect < entry.since || dialect > entry.until)) return 'annotation'
  // Without `$schema` an `id` is what people call a property of their own, not a base.
  return dialect === 0 && keyword === 'id' ? 'annotation' : entry.kind
}

/** Whether `$ref` silences the keywords beside it. */
export function referenceStandsAlone(dialect: Dialect): boolean {
  return dialect !== 0 && dialect <= 7
}

const META_SCHEMA = /^https?:\/\/json-schema\.org\/(?:draft-0([467])|draft\/(2019-09|2020-12))\/schema#?$/

/** The dialect that a `$schema` names, `null` where it names none of JSON Schema's own. */
export function dialectOf(uri: string): Dialect | null {
  const match = META_SCHEMA.exec(uri)
  if (match === null) return null
  if (match[1] === '4') return 4
  if (match[1] === '6') return 6
  if (match[1] === '7') return 7
  return match[2] === '2019-09' ? 2019 : 2020
}

/** How messages call it. */
export function dialectName(dialect: Dialect): string {
  if (dialect === 0) return 'a schema without $schema'
  return dialect < 10 ? `draft-0${dialect}` : dialect === 2019 ? '2019-09' : '2020-12'
}

/** What `type` may name. */
export const TYPES: ReadonlySet<string> = new Set([
  ...['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'],
])
