/**
 * Where validators are known to judge otherwise than the specification: which one, on which schemas, and why. In each of
 * these the plain validator of `validator.ts` is right: it says what the quoted section says.
 */
import { readJson } from '../../src/json/read.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { type Dialect, dialectOf } from '../../src/schema/dialect.ts'

export interface Disagreement {
  readonly judge: 'ajv' | 'hyperjump'
  readonly why: string
  /** Whether an object of the schema is one of those. */
  readonly about: (schema: JsonObject, dialect: Dialect) => boolean
}

export const DISAGREEMENTS: readonly Disagreement[] = [
  {
    judge: 'ajv',
    why: 'Core of drafts 6 and 7, section 8: what stands beside $ref is ignored. Ajv enforces it in every draft.',
    about: (schema, dialect) => (dialect === 6 || dialect === 7) && schema.has('$ref') && schema.size > 1,
  },
  {
    judge: 'ajv',
    why: 'Validation, "required": every name listed, also the empty one. Ajv takes a required empty name for none.',
    about: (schema) => {
      const required = schema.get('required')
      return Array.isArray(required) && required.includes('')
    },
  },
  {
    judge: 'ajv',
    why: 'Core, "properties": names are compared as strings. Ajv passes over the name __proto__.',
    about: (schema) => schema.has('__proto__'),
  },
  {
    judge: 'ajv',
    why: 'Core 2020-12, section 11: what a branch evaluates counts only where the branch holds, and what an if evaluates counts. Ajv keeps the first and forgets the second.',
    about: (schema) => schema.has('unevaluatedItems') || schema.has('unevaluatedProperties'),
  },
  {
    judge: 'ajv',
    why: 'Core, "contains": at least one item. Beside a tuple Ajv asks for one only where the tuple has a first item.',
    about: (schema) =>
      schema.has('contains') && (schema.has('prefixItems') || Array.isArray(schema.get('items'))),
  },
  {
    judge: 'ajv',
    why: 'JSON Schema has no keyword "nullable". Ajv adds null to the types beside it, as OpenAPI 3.0 does.',
    about: (schema) => schema.get('nullable') === true,
  },
  {
    judge: 'hyperjump',
    why: 'Validation, "multipleOf": the division has an integer result. Hyperjump takes a remainder of doubles below 1e-7 for none.',
    about: (schema) => schema.has('multipleOf'),
  },
  {
    judge: 'hyperjump',
    why: 'Core of draft 4, section 3.5: an integer has no fraction. Hyperjump judges values, for which 1.0 is 1.',
    about: (schema, dialect) => dialect === 4 && [schema.get('type')].flat().includes('integer'),
  },
  {
    judge: 'hyperjump',
    why: 'Formats of later drafts are asserted in earlier ones, too, as Ajv has it. Hyperjump knows those of the draft.',
    about: (schema, dialect) => dialect !== 0 && dialect <= 2019 && schema.has('format'),
  },
]

/** What is known of a judge on the schema, given as JSON text. */
export function disagreementOn(text: string, judge: Disagreement['judge']): Disagreement | undefined {
  const root = readJson(text)
  const uri = root instanceof Map ? root.get('$schema') : undefined
  const dialect = typeof uri === 'string' ? (dialectOf(uri) ?? 0) : 0
  const listed = DISAGREEMENTS.filter((each) => each.judge === judge)
  const stack: JsonValue[] = [root]
  while (stack.length > 0) {
    const value = stack.pop() as JsonValue
    if (Array.isArray(value)) stack.push(...value)
    if (!(value instanceof Map)) continue
    const found = listed.find(({ about }) => about(value, dialect))
    if (found !== undefined) return found
    stack.push(...value.values())
  }
  return undefined
}
