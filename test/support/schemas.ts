/**
 * Schemas for the tests of masks and matchers: keywords that the compiler enforces, alone and combined, with the
 * shapes that masks find hard (keys that share a beginning, counts, free strings behind free strings, recursion).
 */
import { compile, SchemaError, type SchemaOptions } from '../../src/core.ts'
import { DEMANDS, TIES } from './object-schemas.ts'
import { byteVocabulary } from './vocabularies.ts'

export interface NamedSchema {
  readonly name: string
  readonly schema: object
  readonly options?: SchemaOptions
}

const integer = { type: 'integer' }
const string = { type: 'string' }
const closed = { additionalProperties: false }

const ENFORCED: readonly NamedSchema[] = [
  { name: 'any value', schema: {} },
  { name: 'scalars', schema: { type: ['null', 'boolean', 'integer', 'string'] } },
  { name: 'free string', schema: string },
  { name: 'bounded string', schema: { type: 'string', minLength: 2, maxLength: 5 } },
  { name: 'long string', schema: { type: 'string', minLength: 100, maxLength: 1000 } },
  { name: 'string of one character', schema: { type: 'string', minLength: 1, maxLength: 1 } },
  { name: 'empty string', schema: { type: 'string', maxLength: 0 } },
  { name: 'pattern', schema: { type: 'string', pattern: '^[a-c]+(na)*$' } },
  { name: 'pattern that is a search', schema: { type: 'string', pattern: 'an|é' } },
  {
    name: 'pattern with lengths',
    schema: { type: 'string', pattern: '^(ab|é)*"?$', minLength: 3, maxLength: 4 },
  },
  { name: 'pattern of escapes', schema: { type: 'string', pattern: '^[\\n"\\\\/\\u0000-\\u001f𝄞]*$' } },
  { name: 'pattern with a count', schema: { type: 'string', pattern: '^a{2,5}$' } },
  { name: 'pattern of any line', schema: { type: 'string', pattern: '^.{0,6}$' } },
  {
    name: 'two patterns',
    schema: { allOf: [{ pattern: '^a' }, { pattern: 'b$' }], type: 'string', maxLength: 4 },
  },
  { name: 'date', schema: { type: 'string', format: 'date' } },
  { name: 'date-time', schema: { type: 'string', format: 'date-time' } },
  { name: 'time', schema: { type: 'string', format: 'time' } },
  { name: 'uuid', schema: { type: 'string', format: 'uuid' } },
  { name: 'email', schema: { type: 'string', format: 'email' } },
  { name: 'ipv4', schema: { type: 'string', format: 'ipv4' } },
  { name: 'integer with bounds', schema: { type: 'integer', minimum: -12, maximum: 130 } },
  { name: 'number with bounds', schema: { type: 'number', exclusiveMinimum: 0, maximum: 1.5 } },
  { name: 'large number', schema: { type: 'number', minimum: 1000, exclusiveMaximum: 12345.678 } },
  { name: 'free number', schema: { type: 'number' } },
  { name: 'const of a number', schema: { const: 12 } },
  {
    name: 'enum with shared beginnings',
    schema: { enum: ['re', 'red', 'reen', 'green', 'gre', true, null, 1, 12, 123, ''] },
  },
  { name: 'enum with escapes', schema: { enum: ['a"b', 'a\\', 'é', '𝄞', '\n', '\u0001', '/'] } },
  { name: 'enum of containers', schema: { enum: [{ a: 1, b: [1, 2] }, { a: 1 }, [1, 'a'], [], {}] } },
  {
    name: 'enum beside a free string',
    schema: { anyOf: [{ enum: ['a', 'ab'] }, { type: 'string', minLength: 3 }, integer] },
  },
  {
    name: 'closed object',
    schema: {
      type: 'object',
      properties: { a: integer, b: string, c: { type: 'boolean' } },
      required: ['a'],
      ...closed,
    },
  },
  {
    name: 'open object',
    schema: { type: 'object', properties: { a: integer, b: string }, required: ['b'] },
  },
  {
    name: 'open object of integers',
    schema: {
      type: 'object',
      properties: { ab: string, abc: string, b: integer },
      additionalProperties: integer,
    },
  },
  { name: 'map of integers', schema: { type: 'object', additionalProperties: integer } },
  {
    name: 'map of maps',
    schema: { type: 'object', additionalProperties: { type: 'object', additionalProperties: integer } },
  },
  { name: 'map of anything', schema: { type: 'object', properties: { x: false, a: true } } },
  {
    name: 'required names that are not declared',
    schema: {
      type: 'object',
      properties: { b: integer },
      required: ['x', 'a'],
      additionalProperties: { type: ['integer', 'null'] },
    },
  },
  {
    name: 'keys with escapes',
    schema: {
      type: 'object',
      properties: { é: integer, 'é"': integer, '\n': integer, '': integer, 'a/b': integer },
      ...closed,
    },
  },
  {
    name: 'keys with escapes beside additional ones',
    schema: {
      type: 'object',
      properties: { 'a"': integer, a: integer, '\\': integer },
      additionalProperties: integer,
    },
  },
  {
    name: 'many keys that share a beginning',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        ['a', 'aa', 'aaa', 'aaaa', 'ab', 'b', 'x', 'y'].map((name) => [name, integer]),
      ),
      required: ['aaa', 'x'],
      ...closed,
    },
  },
  {
    name: 'properties that nothing satisfies',
    schema: {
      type: 'object',
      properties: { a: false, b: integer, c: { enum: ['x'], type: 'integer' } },
      additionalProperties: integer,
    },
  },
  { name: 'array of integers', schema: { type: 'array', items: integer } },
  {
    name: 'counted array',
    schema: { type: 'array', items: { enum: [1, 12, 'a'] }, minItems: 2, maxItems: 4 },
  },
  {
    name: 'long counted array',
    schema: { type: 'array', items: { const: 1 }, minItems: 40, maxItems: 1000 },
  },
  {
    name: 'tuple',
    schema: {
      type: 'array',
      prefixItems: [integer, string, { type: 'null' }],
      items: { type: 'boolean' },
      minItems: 2,
    },
  },
  { name: 'closed tuple', schema: { type: 'array', prefixItems: [integer, string, true], items: false } },
  {
    name: 'nested arrays',
    schema: {
      type: 'array',
      items: { type: 'array', items: { type: 'array', items: integer, maxItems: 2 }, minItems: 1 },
      maxItems: 3,
    },
  },
  {
    name: 'array that contains a string',
    schema: {
      type: 'array',
      items: { type: ['string', 'integer'] },
      contains: { type: 'string', maxLength: 2 },
    },
  },
  {
    name: 'array that contains two to three',
    schema: {
      type: 'array',
      items: { enum: [1, 2, 12, 'a'] },
      contains: { type: 'integer', minimum: 2 },
      minContains: 2,
      maxContains: 3,
      maxItems: 5,
    },
  },
  {
    name: 'array with few numbers and one string at the end',
    schema: {
      type: 'array',
      prefixItems: [{ type: 'null' }, { type: ['integer', 'null'] }, { type: ['string', 'null'] }],
      items: { type: ['string', 'boolean'] },
      contains: { type: ['string', 'integer'] },
      minContains: 1,
      maxContains: 2,
    },
  },
  {
    name: 'array that contains arrays',
    schema: {
      $ref: '#/$defs/list',
      $defs: {
        list: {
          type: 'array',
          items: { anyOf: [integer, { $ref: '#/$defs/list' }] },
          contains: integer,
          maxContains: 2,
        },
      },
    },
  },
  {
    name: 'two tallies',
    schema: {
      type: 'array',
      items: { type: 'integer' },
      allOf: [
        { contains: { minimum: 5 }, minContains: 2 },
        { contains: { maximum: 7 }, minContains: 1, maxContains: 2 },
      ],
    },
  },
  {
    name: 'array of anything but strings alone',
    schema: { type: 'array', not: { items: { type: 'integer' } } },
  },
  { name: 'array that must stay empty', schema: { type: ['array', 'null'], items: false } },
  {
    name: 'array of strings',
    schema: { type: 'array', items: { type: 'string', maxLength: 3 }, maxItems: 5 },
  },
  {
    name: 'array of objects',
    schema: { type: 'array', items: { type: 'object', properties: { a: integer, b: string }, ...closed } },
  },
  {
    name: 'linked list',
    schema: {
      $defs: {
        node: {
          type: 'object',
          properties: { a: integer, next: { $ref: '#/$defs/node' } },
          required: ['a'],
          ...closed,
        },
      },
      $ref: '#/$defs/node',
    },
  },
  {
    name: 'tree with an end',
    schema: {
      $defs: {
        tree: {
          anyOf: [integer, { type: 'array', items: { $ref: '#/$defs/tree' }, minItems: 1, maxItems: 3 }],
        },
      },
      $ref: '#/$defs/tree',
    },
  },
  {
    name: 'recursion through additional keys',
    schema: { type: 'object', properties: { a: integer }, additionalProperties: { $ref: '#' } },
  },
  {
    name: 'one of two objects',
    schema: {
      anyOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, x: integer },
          required: ['kind', 'x'],
          ...closed,
        },
        { type: 'object', properties: { kind: { const: 'ab' }, y: string }, required: ['kind'], ...closed },
      ],
    },
  },
  {
    name: 'two open objects',
    schema: {
      anyOf: [
        { type: 'object', properties: { a: integer }, required: ['a'] },
        { type: 'object', properties: { b: string }, additionalProperties: integer },
      ],
    },
  },
  {
    name: 'two arrays',
    schema: {
      anyOf: [
        { type: 'array', items: integer, maxItems: 3 },
        { type: 'array', items: { type: ['string', 'integer'] }, minItems: 2 },
      ],
    },
  },
  {
    name: 'two numbers',
    schema: {
      anyOf: [
        { type: 'integer', maximum: 12 },
        { type: 'number', minimum: 0.5 },
      ],
    },
  },
  {
    name: 'oneOf with disjoint branches',
    schema: {
      oneOf: [
        { type: 'string', maxLength: 2 },
        { type: 'integer' },
        { type: 'array', items: { type: 'null' } },
      ],
    },
  },
  {
    name: 'conjunction',
    schema: {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer', minimum: 1 } }, required: ['a'] },
        {
          properties: { a: { maximum: 12 }, b: { type: 'string', maxLength: 2 } },
          additionalProperties: { type: 'boolean' },
        },
      ],
    },
  },
  {
    name: 'tool call',
    schema: {
      type: 'object',
      properties: {
        name: { enum: ['on', 'off', 'of'] },
        tag: { type: 'string', pattern: '^[a-z]{1,4}$' },
        list: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'number' }, é: string }, required: ['a'] },
          maxItems: 2,
        },
      },
      required: ['name', 'list'],
      ...closed,
    },
  },
]

/** Of keywords that are refused in other combinations, or not enforced yet. */
const WHERE_ENFORCED: readonly NamedSchema[] = [
  {
    name: 'keys by pattern',
    schema: {
      type: 'object',
      patternProperties: { '^a': integer, b$: { type: ['integer', 'null'] } },
      properties: { ab: true },
      ...closed,
    },
  },
  {
    name: 'keys of which only some go on',
    schema: { type: 'object', propertyNames: { pattern: '^(a|aa|x|y"|b+)$' }, additionalProperties: integer },
  },
  {
    name: 'keys of bounded length',
    schema: {
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 2 },
      additionalProperties: integer,
      minProperties: 2,
    },
  },
  {
    name: 'entries counted',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, x: integer },
      required: ['b'],
      minProperties: 2,
      maxProperties: 3,
    },
  },
  {
    name: 'declared entries counted',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, x: integer, y: integer },
      minProperties: 3,
      ...closed,
    },
  },
  {
    name: 'dependent keys',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, x: string },
      dependentRequired: { a: ['b'] },
      maxProperties: 2,
      ...closed,
    },
  },
  { name: 'multiples', schema: { type: 'number', multipleOf: 2.5, minimum: -10, maximum: 1000 } },
  { name: 'no integers', schema: { type: 'number', not: { type: 'integer' }, minimum: -12 } },
  {
    name: 'integers that are no multiples',
    schema: { type: 'integer', not: { anyOf: [{ multipleOf: 2 }, { multipleOf: 3 }] } },
  },
  { name: 'multiples without bounds', schema: { type: 'integer', multipleOf: 12 } },
  {
    name: 'a string that is not another',
    schema: { type: 'string', maxLength: 4, not: { enum: ['a', 'aa', 'ab"'] } },
  },
  {
    name: 'one kind or the other',
    schema: {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] } },
      required: ['kind'],
      if: { properties: { kind: { const: 'a' } } },
      ['then' as string]: { properties: { x: integer }, required: ['x'] },
      else: { properties: { y: string } },
    },
  },
]

/** All of them that compile. */
export const SCHEMAS: readonly NamedSchema[] = [
  ...ENFORCED,
  ...DEMANDS,
  ...TIES,
  ...WHERE_ENFORCED.filter(({ name, schema }) => {
    try {
      compile(schema, byteVocabulary())
      return true
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      process.stdout.write(`left out: ${name}: ${error.message}\n`)
      return false
    }
  }),
]

/** The ways of writing the same values. */
export const MODES: readonly SchemaOptions[] = (['model', 'compact', 'pretty', 'any'] as const).flatMap(
  (whitespace) =>
    (['schema', 'any'] as const).flatMap((propertyOrder) =>
      (['plain', 'any'] as const).map((numbers) => ({ whitespace, propertyOrder, numbers })),
    ),
)

/** The modes in which the schema's texts differ: a string is written the same in all of them. */
export function modesOf({ schema }: NamedSchema): readonly SchemaOptions[] {
  return 'type' in schema && schema.type === 'string' ? MODES.slice(-1) : MODES
}
