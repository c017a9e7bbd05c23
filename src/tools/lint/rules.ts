/**
 * What the two services take in the schema of a strict tool, as data.
 *
 * Sources: Anthropic's page on structured outputs ("JSON Schema limitations", "Schema complexity limits") and the
 * transformation in its SDK; OpenAI's guide to structured outputs ("Supported schemas") and the one in its SDK. A keyword of JSON Schema that
 * neither names is taken for refused; annotations and unknown keywords say nothing to either.
 */
import { isKeyword } from '../../schema/dialect.ts'
import type { LintDialect } from './finding.ts'

export type Service = Exclude<LintDialect, 'json-schema'>

/** What can be done about a keyword that is refused. */
export type Remedy =
  /** Leave it out and say it in the description. */
  | 'describe'
  /** `oneOf` becomes `anyOf`. */
  | 'union'
  /** The schemas of a tuple become alternatives of every item. */
  | 'tuple'
  /** `allOf` is one schema with what it holds. */
  | 'merge'

export interface Refused {
  readonly why: string
  readonly instead: string
  readonly remedy: Remedy
}

export interface Rules {
  readonly name: string
  readonly formats: ReadonlySet<string>
  /** Assertions and applicators that are taken, some with conditions (`services.ts`). */
  readonly taken: ReadonlySet<string>
}

const COMMON = [
  ...['type', 'enum', 'const', 'anyOf', '$ref', 'properties', 'required', 'additionalProperties', 'items'],
  ...['minItems', 'pattern', 'format'],
]
const FORMATS = [...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']]

export const RULES: Readonly<Record<Service, Rules>> = {
  'anthropic-strict': {
    name: 'Anthropic',
    formats: new Set([...FORMATS, 'uri']),
    taken: new Set([...COMMON, 'allOf']),
  },
  'openai-strict': {
    name: 'OpenAI',
    formats: new Set(FORMATS),
    taken: new Set([
      ...COMMON,
      ...['maxItems', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    ]),
  },
}

/** Anthropic's limits, each over all strict tools of a request. */
export const ANTHROPIC_LIMITS = { tools: 20, optional: 24, unions: 16 } as const
/** OpenAI's limits, each over the schema of one tool; characters are those of names, definitions, enum and const. */
export const OPENAI_LIMITS = {
  properties: 5_000,
  levels: 10,
  characters: 120_000,
  enumValues: 1_000,
  /** An enum of strings with more values than `longEnum` has at most so many characters. */
  longEnum: 250,
  longEnumCharacters: 15_000,
} as const

/** Names and places, which constrain nothing by themselves. */
const LOCATIONS = new Set([
  ...['$schema', 'definitions', '$comment', 'id', '$id', '$defs', '$anchor', '$dynamicAnchor'],
  ...['$recursiveAnchor', '$vocabulary'],
])

const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
const SIZES = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']

/** Why and how else, for a keyword that the service refuses wherever it stands; `null` for one that it takes. */
export function refusal(keyword: string, service: Service): Refused | null {
  const { name, taken } = RULES[service]
  if (taken.has(keyword) || LOCATIONS.has(keyword)) return null
  if (!isKeyword(keyword) && keyword !== 'contentSchema') return null
  const why = `${name} refuses ${keyword} in strict tools`
  const describe = (instead: string): Refused => ({ why, instead, remedy: 'describe' })
  if (NUMBERS.includes(keyword) || SIZES.includes(keyword))
    return describe('say the bound in the description, and check it when the call comes')
  switch (keyword) {
    case 'oneOf':
      return { why, instead: 'use anyOf', remedy: 'union' }
    case 'allOf':
      return { why, instead: 'write one schema with the keywords of all', remedy: 'merge' }
    case 'prefixItems':
    case 'additionalItems':
      return { why, instead: 'use an object with a property for each place', remedy: 'tuple' }
    case 'patternProperties':
    case 'propertyNames':
    case 'unevaluatedProperties':
      return describe('declare the properties, or use an array of objects with a key and a value')
    case 'if':
    case 'then':
    case 'else':
    case 'dependentRequired':
    case 'dependentSchemas':
    case 'dependencies':
      return describe(
        'make each case an object of its own under anyOf, or say the condition in the description',
      )
    case 'not':
      return describe('list what is allowed, with enum or anyOf')
    case '$dynamicRef':
    case '$recursiveRef':
      return describe('use $ref to a place in $defs')
    default:
      return describe('say it in the description, and check it when the call comes')
  }
}
