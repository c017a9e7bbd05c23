/**
 * Random schemas over the keywords that the compiler enforces, and random instances of a given schema: what the property
 * tests draw from. Schemas come from fast-check, so that a failure shrinks; instances are guesses that Ajv judges.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats, { type FormatName } from 'ajv-formats'
import fc from 'fast-check'
import type { Random } from './random.ts'

export type Schema = boolean | { readonly [keyword: string]: unknown }
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value }

const NAMES = ['a', 'b', 'ab', 'é', 'x"y', '']
const PATTERNS = ['^a', 'b$', '^[a-c]*$', 'é|n', '^(ab)+$', '^.{2,4}$', '^[^"\\\\]*$']
/** Formats that Ajv reads as the specification does, on texts where both agree. */
const FORMATS: readonly (readonly [FormatName, readonly string[]])[] = [
  ['date', ['2024-02-29', '1999-12-31', '2023-02-29']],
  ['time', ['12:30:00Z', '23:59:59+01:00', '24:00:00Z']],
  ['date-time', ['2024-02-29T12:30:00Z', '2024-02-29']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123']],
  ['email', ['a@b.com', 'a.b']],
  ['ipv4', ['127.0.0.1', '256.0.0.1', '1.1']],
]
const STRINGS = [
  '',
  'a',
  'b',
  'ab',
  'abab',
  'abc',
  'é',
  'nana',
  '𝄞',
  '"',
  '\\',
  '\n',
  'aaaaaa',
  ...FORMATS.flatMap(([, texts]) => texts),
]
const NUMBERS = [0, 1, -1, 2, 3, 7, 10, 12, -5, 0.5, 1.5, -0.25, 100, 99.75]

/** Keywords of one schema object, some of them. */
function some(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(keywords, { requiredKeys: [] })
}

/** Lower and upper bounds overlap, so that contradictions stay rare. */
const low = fc.constantFrom(...NUMBERS.filter((n) => n <= 2))
const high = fc.constantFrom(...NUMBERS.filter((n) => n >= 1))
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const values: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Value>(null, true, false, ...NUMBERS, ...STRINGS) },
  { weight: 1, arbitrary: fc.constantFrom<Value>([], [1], ['a', 1], {}, { a: 1 }, { a: 'a', b: [2] }) },
)

const strings = some({
  minLength: fc.nat(3),
  maxLength: fc.integer({ min: 2, max: 6 }),
  pattern: fc.constantFrom(...PATTERNS),
})
const formats = fc.constantFrom(...FORMATS).map(([format]) => ({ type: 'string', format }))
const numbers = some({ minimum: low, maximum: high, exclusiveMinimum: low, exclusiveMaximum: high })

/** One keyword of `keywords`, some of the time. */
function rarely(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const each = Object.entries(keywords).map(([name, arbitrary]) =>
    arbitrary.map((value) => ({ [name]: value })),
  )
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    ...each.map((arbitrary) => ({ weight: 1, arbitrary })),
  )
}

/** @param wide whether keywords that may be refused in some combinations take part, too */
function schemasOver(wide: boolean): fc.Arbitrary<{ readonly [keyword: string]: unknown }> {
  const { flat } = fc.letrec<{ flat: Schema; child: Schema }>((tie) => {
    const child = tie('child')
    const arrays = some({
      items: child,
      prefixItems: fc.array(child, { minLength: 1, maxLength: 3 }),
      minItems: fc.nat(2),
      maxItems: fc.integer({ min: 1, max: 4 }),
    })
    const objects = some({
      properties: fc.dictionary(fc.constantFrom(...NAMES), child, { maxKeys: 4 }),
      // Ajv takes a required empty name for none that is missing.
      required: fc.uniqueArray(fc.constantFrom(...NAMES.filter((name) => name !== '')), { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), child),
    })
    const steps = rarely({ multipleOf: fc.constantFrom(1, 2, 3, 10, 0.5, 0.25) })
    const uniqueness = rarely({
      uniqueItems: fc.boolean(),
      unevaluatedItems: fc.oneof(fc.constant(false), child),
    })
    const classes = rarely({
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', 'é', '^$'), child, {
        minKeys: 1,
        maxKeys: 2,
      }),
      propertyNames: fc.constantFrom(
        { maxLength: 1 },
        { pattern: '^[ab]' },
        { enum: ['a', 'ab', 'é'] },
        { not: { const: 'b' } },
      ),
      unevaluatedProperties: fc.oneof(fc.constant(false), child),
      minProperties: fc.nat(2),
      maxProperties: fc.nat(3),
      dependentRequired: fc.constantFrom({ a: ['b'] }, { é: ['a', 'ab'], b: [] }),
      dependentSchemas: fc.dictionary(fc.constantFrom('a', 'b'), tie('flat'), { minKeys: 1, maxKeys: 1 }),
    })
    const merged = (
      ...parts: readonly fc.Arbitrary<Record<string, unknown>>[]
    ): fc.Arbitrary<Record<string, unknown>> => fc.tuple(...parts).map((list) => Object.assign({}, ...list))
    const typed = (type: string, keywords: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Schema> =>
      (wide ? merged(keywords, extras(type)) : keywords).map((some) => ({ type, ...some }))
    const extras = (type: string): fc.Arbitrary<Record<string, unknown>> =>
      type === 'object'
        ? classes
        : type === 'array'
          ? uniqueness
          : type === 'string'
            ? fc.constant({})
            : steps
    const conditions = [
      fc
        .tuple(tie('flat'), tie('flat'))
        .map(([base, not]) => (typeof base === 'boolean' ? { not } : { ...base, not })),
      some(Object.fromEntries(['if', 'then', 'else'].map((keyword) => [keyword, tie('flat')]))),
      merged(strings, numbers, objects, classes),
    ]
    const branches = fc.array(tie('flat'), { minLength: 1, maxLength: 3 })
    return {
      flat: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        typed('string', strings),
        typed('integer', numbers),
        typed('number', numbers),
        typed('array', arrays),
        typed('object', objects),
        formats,
        fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 }).map((type) => ({ type })),
        fc
          .uniqueArray(values, {
            minLength: 1,
            maxLength: 5,
            comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
          })
          .map((list) => ({ enum: list })),
        values.map((value) => ({ const: value })),
        fc.tuple(strings, numbers, arrays, objects).map((parts) => Object.assign({}, ...parts) as Schema),
        fc
          .tuple(typed('object', objects), branches)
          .map(([object, allOf]) => ({ ...(object as object), allOf })),
        branches.map((anyOf) => ({ anyOf })),
        branches.map((allOf) => ({ allOf })),
        branches.map((oneOf) => ({ oneOf })),
        ...(wide ? conditions : []),
        fc
          .tuple(tie('flat'), branches, fc.constantFrom('anyOf', 'allOf'))
          .map(([base, list, keyword]) => (typeof base === 'boolean' ? base : { ...base, [keyword]: list })),
      ),
      // A reference stands one level deeper than the schema it names, so that no value is under itself.
      child: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { weight: 1, arbitrary: fc.constantFrom<Schema>(true, false) },
        { weight: 2, arbitrary: fc.constantFrom<Schema>({ $ref: '#/$defs/one' }, { $ref: '#/$defs/two' }) },
        { weight: 8, arbitrary: tie('flat') },
      ),
    }
  })
  return fc.tuple(flat, flat, flat).map(([root, one, two]) => ({ $defs: { one, two }, ...(root as object) }))
}

/** Whole schemas over the keywords that are enforced in any combination, with two definitions that all may refer to. */
export const schemas = schemasOver(false)

/** The same and `not`, `if`, `multipleOf`, `patternProperties`, `unevaluatedItems`, …: enforced where they can be. */
export const wideSchemas = schemasOver(true)

/** Ajv on the same draft. Formats as the specification says, but for quoted local parts of addresses, which Ajv refuses. */
export function validatorOf(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false })
  addFormats.default(ajv, ['date', 'time', 'date-time', 'uuid', 'ipv4'])
  ajv.addFormat('email', /^.+@.+$/su)
  return ajv.compile(schema)
}

/** A guess at an instance: often valid, sometimes not, never far from what the schema names. */
export function guess(schema: Schema, root: Schema, random: Random, depth = 0): Value {
  if (typeof schema === 'boolean' || depth > 6 || random.chance(0.04)) return anyValue(random, depth)
  const ref = schema.$ref
  if (ref === '#/$defs/one' || ref === '#/$defs/two') {
    return guess(
      (root as { $defs: { one: Schema; two: Schema } }).$defs[ref === '#/$defs/one' ? 'one' : 'two'],
      root,
      random,
      depth + 1,
    )
  }
  if ('const' in schema && random.chance(0.9)) return schema.const as Value
  if (Array.isArray(schema.enum) && random.chance(0.9)) return random.pick(schema.enum as readonly Value[])
  const parts: Schema[] = []
  for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
    if (Array.isArray(schema[keyword])) parts.push(random.pick(schema[keyword] as readonly Schema[]))
  }
  if (parts.length > 0 && random.chance(0.6)) {
    const part = random.pick(parts)
    // All that is said of a value together, as far as the keywords do not collide.
    return guess(
      typeof part === 'boolean' ? without(schema) : { ...without(schema), ...part },
      root,
      random,
      depth,
    )
  }
  switch (typeOf(schema, random)) {
    case 'null':
      return null
    case 'boolean':
      return random.chance(0.5)
    case 'integer':
      return Math.trunc(random.pick(NUMBERS))
    case 'number':
      return aNumber(schema, random)
    case 'string':
      return aString(schema, random)
    case 'array':
      return anArray(schema, root, random, depth)
    case 'object':
      return anObject(schema, root, random, depth)
    default:
      return anyValue(random, depth)
  }
}

function without({
  anyOf: _a,
  oneOf: _b,
  allOf: _c,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return rest
}

function typeOf(schema: Record<string, unknown>, random: Random): string {
  if (typeof schema.type === 'string') return schema.type
  if (Array.isArray(schema.type)) return random.pick(schema.type as readonly string[])
  if ('properties' in schema || 'required' in schema)
    return random.chance(0.7) ? 'object' : random.pick(TYPES)
  return random.pick(TYPES)
}

function aNumber(schema: Record<string, unknown>, random: Random): number {
  const bounds = [schema.minimum, schema.maximum, schema.exclusiveMinimum, schema.exclusiveMaximum].filter(
    (n) => typeof n === 'number',
  )
  if (bounds.length === 0 || random.chance(0.3)) return random.pick(NUMBERS)
  return random.pick(bounds) + random.pick([0, 0.5, -0.5, 1, -1])
}

function aString(schema: Record<string, unknown>, random: Random): string {
  if (typeof schema.format === 'string' && random.chance(0.9)) {
    return random.pick(FORMATS.find(([format]) => format === schema.format)?.[1] ?? STRINGS)
  }
  const characters = ['a', 'b', 'n', 'é', '𝄞', '"', 'c']
  if (random.chance(0.5)) return random.pick(STRINGS)
  return Array.from({ length: random.below(6) }, () => random.pick(characters)).join('')
}

function anArray(
  schema: Record<string, unknown>,
  root: Schema,
  random: Random,
  depth: number,
): readonly Value[] {
  const prefix = (schema.prefixItems ?? []) as readonly Schema[]
  const min = typeof schema.minItems === 'number' ? schema.minItems : 0
  const size = random.chance(0.5) ? min + random.below(2) : random.below(5)
  return Array.from({ length: size }, (_, i) =>
    guess(prefix[i] ?? ((schema.items ?? true) as Schema), root, random, depth + 1),
  )
}

function anObject(schema: Record<string, unknown>, root: Schema, random: Random, depth: number): Value {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = (schema.required ?? []) as readonly string[]
  const names = [
    ...new Set([...Object.keys(properties), ...required, random.pick(NAMES), random.pick(['c', 'x', 'é"'])]),
  ]
  const entries: [string, Value][] = []
  for (const name of shuffled(names, random)) {
    if (!random.chance(required.includes(name) ? 0.95 : 0.4)) continue
    const value = Object.hasOwn(properties, name)
      ? properties[name]
      : ((schema.additionalProperties ?? true) as Schema)
    entries.push([name, guess(value as Schema, root, random, depth + 1)])
  }
  return Object.fromEntries(entries)
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const copy = [...list]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[copy[i], copy[j]] = [copy[j] as T, copy[i] as T]
  }
  return copy
}

function anyValue(random: Random, depth: number): Value {
  const kind = random.below(depth > 3 ? 5 : 7)
  if (kind === 5) return Array.from({ length: random.below(3) }, () => anyValue(random, depth + 1))
  if (kind === 6) return Object.fromEntries([[random.pick(NAMES), anyValue(random, depth + 1)]])
  return random.pick<Value>([null, true, false, random.pick(NUMBERS), random.pick(STRINGS)])
}

/** The value as text, spaced at random within what `any` reads. */
export function writeLoosely(value: Value, random: Random): string {
  const space = (): string => (random.chance(0.7) ? '' : random.pick([' ', '\n', '\t', '  ', '\r\n ']))
  if (Array.isArray(value)) {
    return `[${space()}${(value as readonly Value[]).map((item) => writeLoosely(item, random)).join(`${space()},${space()}`)}${space()}]`
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}${space()}:${space()}${writeLoosely(item as Value, random)}`,
    )
    return `{${space()}${entries.join(`${space()},${space()}`)}${space()}}`
  }
  return JSON.stringify(value)
}
