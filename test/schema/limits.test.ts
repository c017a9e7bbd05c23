/**
 * Limits that are met while a schema is compiled: errors name the place; under `lenient` the keyword is left out and reported,
 * and whatever the schema allows is still allowed.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LimitError, SchemaError } from '../../src/errors.ts'
import { type SchemaOptions, schemaToGrammar } from '../../src/schema/index.ts'
import { compileSchema } from './compile.ts'
import { anySchema, anyValue } from './random.ts'

const ANY: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** What it is, the schema, where its limit is met, a value that it allows, one that what is left forbids. */
const HARD: readonly (readonly [string, object, pointer: string, allowed: string, forbidden: string])[] = [
  [
    'patterns of names that overlap in too many ways',
    {
      properties: {
        a: {
          type: 'object',
          patternProperties: Object.fromEntries(list(12, (i) => ['abcdefghijkl'[i], { maxLength: i }])),
        },
      },
    },
    '#/properties/a/patternProperties',
    '{"a": {"abc": ""}}',
    '{"a": 1}',
  ],
  [
    'patterns of names whose automata multiply',
    {
      type: 'object',
      patternProperties: Object.fromEntries(list(6, (i) => [`a.{${i}}b`, { minimum: i }])),
    },
    '#/patternProperties',
    '{"ab": 0}',
    '[]',
  ],
  [
    'alternatives that multiply',
    {
      type: 'object',
      maxProperties: 3,
      allOf: list(6, (i) => ({
        anyOf: list(16, (j) => ({ properties: { [`p${i}`]: { minimum: j }, [`q${j}`]: { maximum: i } } })),
      })),
    },
    '#/allOf',
    '{"p0": 20}',
    '[]',
  ],
  [
    'steps without a small common multiple',
    { items: { type: 'integer', allOf: list(12, (i) => ({ multipleOf: 2 * i + 100_003 })) } },
    '#/items',
    '[0]',
    '[0.5]',
  ],
  [
    'a pattern that nests too deeply',
    { items: { type: 'string', minLength: 2, pattern: `${'('.repeat(2_000)}a${')'.repeat(2_000)}` } },
    '#/items/pattern',
    '["ba"]',
    '["a"]',
  ],
  [
    'a pattern that repeats too often',
    { items: { type: 'string', maxLength: 2, pattern: 'a{4294967296}' } },
    '#/items/pattern',
    '["ab"]',
    '["aaa"]',
  ],
  [
    'more values than steps',
    { properties: { a: { type: 'string', enum: list(250_001, (i) => `v${i}`) } } },
    '#/properties/a/enum',
    '{"a": "v1"}',
    '{"a": 1}',
  ],
  [
    'conditions on the items of one array',
    { type: 'array', allOf: list(40, (i) => ({ contains: { const: i } })), maxItems: 50 },
    '#',
    JSON.stringify(list(40, (i) => i)),
    '{}',
  ],
]

describe('a limit that is met while a schema is compiled', () => {
  test.each(HARD)(
    '%s: the error says the place, the limit, what was needed and what to do',
    (_, schema, pointer) => {
      let error: unknown
      try {
        schemaToGrammar(schema, ANY)
      } catch (thrown) {
        error = thrown
      }
      expect(error).toBeInstanceOf(LimitError)
      const { limit, actual, hint, message, pointer: place } = error as LimitError
      expect(place).toBe(pointer)
      expect(actual).toBeGreaterThan(limit)
      expect(hint).not.toBe('')
      for (const part of [`${limit}`, `${actual}`, hint, `(${pointer})`]) expect(message).toContain(part)
    },
  )

  test.each(HARD)('%s: lenient leaves it out and reports it', (_, schema, pointer, allowed, forbidden) => {
    const { accepts, report } = compileSchema(schema, { ...ANY, lenient: true })
    expect(report.unenforced.map((problem) => problem.pointer)).toContain(pointer)
    expect(accepts(allowed)).toBe(true)
    expect(accepts(forbidden)).toBe(false)
  })

  test('what is left out takes with it what would forbid more without it', () => {
    const schema = {
      patternProperties: Object.fromEntries(list(12, (i) => ['abcdefghijkl'[i], { maxLength: i }])),
      additionalProperties: false,
      required: ['x'],
    }
    const { accepts, report } = compileSchema(schema, { ...ANY, lenient: true })
    expect(report.unenforced[0]).toMatchObject({
      pointer: '#/patternProperties',
      keyword: 'patternProperties',
    })
    expect(accepts('{"x": 1, "abc": ""}')).toBe(true)
    expect(accepts('{"abc": 2}')).toBe(false)
  })

  test('what allows too much takes nothing away where it is negated', () => {
    const overlapping = {
      patternProperties: Object.fromEntries(list(12, (i) => ['abcdefghijkl'[i], { maxLength: i }])),
    }
    const { accepts, report } = compileSchema({ type: 'object', not: overlapping }, { ...ANY, lenient: true })
    expect(report.unenforced.map(({ pointer }) => pointer)).toContain('#/not')
    expect(accepts('{"abc": "abcdefghijklmnop"}')).toBe(true)
  })

  test('whatever a schema allows, it allows within any number of steps under lenient, or a limit says its place', {
    timeout: 60_000,
  }, () => {
    const kinds = { hard: true, unevaluated: true, counted: true, beyondAjv: true }
    fc.assert(
      fc.property(
        anySchema(kinds),
        fc.array(anyValue, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 60 }),
        (schema, values, maxSteps) => {
          const text = JSON.stringify(schema)
          const compileWith = (limits: {
            readonly maxSteps?: number
          }): ReturnType<typeof compileSchema> | 'empty' => {
            try {
              return compileSchema(text, { ...ANY, lenient: true, limits })
            } catch (error) {
              if (error instanceof SchemaError) return 'empty'
              throw error
            }
          }
          let free: ReturnType<typeof compileWith>
          let limited: ReturnType<typeof compileWith>
          try {
            free = compileWith({})
            limited = compileWith({ maxSteps })
          } catch (error) {
            if (!(error instanceof LimitError)) throw error
            expect(error.pointer).toMatch(/^#/)
            return
          }
          if (free === 'empty') return
          for (const value of values) {
            const written = JSON.stringify(value)
            if (free.accepts(written)) expect(limited !== 'empty' && limited.accepts(written)).toBe(true)
          }
          if (limited === 'empty') throw new Error('a schema that allows something is said to allow nothing')
        },
      ),
      { numRuns: 1_500 },
    )
  })
})
