/** Schemas whose objects owe more than names: an entry of some kind, or the names that others bring with them. */
import type { Random } from './random.ts'
import type { NamedSchema } from './schemas.ts'

const integer = { type: 'integer' }
const string = { type: 'string' }
const closed = { additionalProperties: false }

/** Some entry must have a key of a language and a value of some kind. */
export const DEMANDS: readonly NamedSchema[] = [
  { name: 'not all strings', schema: { type: 'object', not: { additionalProperties: string } } },
  {
    name: 'not all integers, of few kinds',
    schema: {
      type: 'object',
      additionalProperties: { type: ['integer', 'boolean'] },
      not: { additionalProperties: integer },
    },
  },
  {
    name: 'one entry, and not an integer',
    schema: {
      type: 'object',
      properties: { a: { enum: [1, 'a'] } },
      additionalProperties: { enum: [1, 12, 'a'] },
      maxProperties: 1,
      not: { additionalProperties: integer },
    },
  },
  {
    name: 'an entry demanded beside required ones',
    schema: {
      type: 'object',
      properties: { a: string, b: { type: ['string', 'null'] } },
      required: ['a', 'b'],
      maxProperties: 3,
      not: { additionalProperties: string },
    },
  },
  {
    name: 'an entry demanded of a pattern',
    schema: {
      type: 'object',
      patternProperties: { '^a': { enum: [1, 12] }, '^b': { enum: [1, true] } },
      ...closed,
      maxProperties: 2,
      not: { patternProperties: { x$: { const: 1 } } },
    },
  },
  {
    name: 'two demands',
    schema: {
      type: 'object',
      additionalProperties: { enum: [1, 'a', true] },
      maxProperties: 2,
      allOf: [{ not: { additionalProperties: integer } }, { not: { additionalProperties: string } }],
    },
  },
  {
    name: 'two demands that one entry may meet',
    schema: {
      type: 'object',
      properties: { a: { enum: [true, 1] }, b: { enum: [1, 12, 'aaaa'] } },
      additionalProperties: { enum: [12, null, 'ab'] },
      minProperties: 1,
      allOf: [
        { not: { additionalProperties: integer } },
        { not: { additionalProperties: { enum: [true, 1, 12] } } },
      ],
    },
  },
  {
    name: 'demanded of declared names only',
    schema: {
      type: 'object',
      properties: { a: { enum: [1, 'a'] }, b: { enum: [12, 'b'] }, x: { enum: [1, ''] } },
      ...closed,
      not: { additionalProperties: integer },
    },
  },
  {
    name: 'a key of some length',
    schema: {
      type: 'object',
      additionalProperties: { enum: [1, 12] },
      maxProperties: 2,
      not: { propertyNames: { maxLength: 2 } },
    },
  },
  {
    name: 'entries counted and demanded',
    schema: {
      type: 'object',
      properties: { a: integer },
      additionalProperties: { enum: [1, 'ab', 'a'] },
      minProperties: 2,
      maxProperties: 3,
      not: { additionalProperties: integer },
    },
  },
  {
    name: 'what overlapping branches leave',
    schema: {
      oneOf: [
        { type: 'object', additionalProperties: string },
        { type: 'object', properties: { a: { type: ['string', 'boolean'] } } },
      ],
    },
  },
  {
    name: 'demanded within a demanded value',
    schema: {
      type: 'object',
      not: { additionalProperties: { additionalProperties: { additionalProperties: string } } },
    },
  },
]

const NAMES = ['a', 'b', 'ab', 'x']
const VALUES = [
  true,
  string,
  { enum: [1, 'a'] },
  { enum: [1, 12, true] },
  { enum: ['a', 'aa', null] },
  { type: ['boolean', 'null'] },
]

/** Names that bring others, or exclude them. */
export const TIES: readonly NamedSchema[] = [
  {
    name: 'names in a chain',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, x: integer, y: integer },
      ...closed,
      dependentRequired: { y: ['x'], x: ['b'], b: ['a'] },
    },
  },
  {
    name: 'names that bring earlier and later ones',
    schema: {
      type: 'object',
      properties: { a: string, b: integer, c: integer, x: integer },
      required: ['c'],
      dependentRequired: { a: ['x'], x: ['b'] },
      maxProperties: 4,
    },
  },
  {
    name: 'names that bring each other',
    schema: {
      type: 'object',
      properties: { a: { enum: [1, 12] }, b: integer, x: { const: 'ab' } },
      ...closed,
      minProperties: 1,
      dependentRequired: { a: ['b'], b: ['a'], x: ['a'] },
    },
  },
  {
    name: 'names with little room',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, c: integer, x: integer },
      dependentRequired: { a: ['b', 'c'], x: ['a'], b: ['c'] },
      maxProperties: 3,
      minProperties: 1,
    },
  },
  {
    name: 'names that are not declared bring others',
    schema: { type: 'object', additionalProperties: integer, dependentRequired: { b: ['a'], a: ['ab'] } },
  },
  {
    name: 'names that exclude each other',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, x: integer },
      ...closed,
      allOf: [{ not: { required: ['a', 'b'] } }, { not: { required: ['x', 'b'] } }],
    },
  },
  {
    name: 'names that bring what others exclude',
    schema: {
      type: 'object',
      properties: { a: integer, b: integer, c: integer, x: integer, y: integer },
      dependentRequired: { a: ['b'], y: ['x'] },
      dependentSchemas: { b: { properties: { x: false } }, c: { required: ['a'] } },
      minProperties: 1,
    },
  },
]

/** A random schema of one object, with keywords that make it owe something. */
export function randomObject(random: Random): object {
  const names = (): string[] => NAMES.filter(() => random.chance(0.4))
  const values = (): object =>
    Object.fromEntries(names().map((name) => [name, random.chance(0.1) ? false : random.pick(VALUES)]))
  const others = (): object =>
    random.chance(0.5)
      ? { additionalProperties: random.pick([...VALUES, false]) }
      : { patternProperties: { [random.pick(['^a', 'b$', '^.$'])]: random.pick(VALUES) } }
  const lists = (): object => Object.fromEntries(names().map((name) => [name, names()]))
  const owing = (): object => {
    switch (random.below(9)) {
      case 0:
      case 1:
      case 2:
        return { not: { ...others(), ...(random.chance(0.3) ? { properties: values() } : {}) } }
      case 3:
        return { not: { propertyNames: { maxLength: random.below(3) } } }
      case 4:
        return { oneOf: [{ properties: values(), ...others() }, others()] }
      case 5:
        return { dependentRequired: lists() }
      case 6: {
        const without = { properties: { [random.pick(NAMES)]: false } }
        return { dependentSchemas: { [random.pick(NAMES)]: random.pick([{ required: names() }, without]) } }
      }
      case 7:
        return { not: { required: NAMES.filter(() => random.chance(0.5)) } }
      default:
        return { if: { required: names() }, ['then' as string]: { required: names() } }
    }
  }
  return {
    type: 'object',
    ...(random.chance(0.7) ? { properties: values() } : {}),
    ...(random.chance(0.3) ? { required: names().slice(0, 2) } : {}),
    ...(random.chance(0.6) ? others() : {}),
    ...(random.chance(0.3) ? { minProperties: random.below(3) } : {}),
    ...(random.chance(0.5) ? { maxProperties: 1 + random.below(3) } : {}),
    allOf: Array.from({ length: 1 + random.below(2) }, owing),
  }
}

/** An object of names and values that `randomObject` speaks of, in some order. */
export function randomEntries(random: Random): object {
  const entries = new Map<string, unknown>()
  for (let count = random.below(5); count > 0; count--)
    entries.set(random.pick([...NAMES, 'bb', 'c']), random.pick([1, 12, true, null, 'a', 'aa', 'b', 2, {}]))
  return Object.fromEntries(entries)
}
