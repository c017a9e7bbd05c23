/** A refusal names everything that is wrong, wherever it stands, once, in the order of the document. */
import { describe, expect, test } from 'vitest'
import { MAX_EXPONENT as WRITTEN } from '../../src/automaton/number.ts'
import { LimitError } from '../../src/errors.ts'
import { readJson } from '../../src/json/read.ts'
import { MAX_EXPONENT } from '../../src/schema/constants.ts'
import { schemaToGrammar } from '../../src/schema/index.ts'
import { inDocumentOrder } from '../../src/schema/order.ts'
import { compileSchema, refusal } from './compile.ts'

const pointersOf = (schema: string | object): string[] => refusal(schema).errors.map(({ pointer }) => pointer)

describe('one refusal for everything', () => {
  test('contradictions, keywords that cannot be enforced and keywords that are wrong come together', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b', 'd'],
      properties: {
        a: { type: 'string', enum: [1] },
        b: { type: 'integer', minimum: 3, maximum: 2 },
        c: { minLength: -1 },
        d: {
          type: 'object',
          required: ['x', 'y'],
          properties: { x: { type: 'array', minItems: 2, maxItems: 1 }, y: { pattern: '(a)\\1' } },
        },
        e: { type: 'array', items: { type: 'array', items: { $ref: '#/properties/f' } } },
        f: { $ref: '#/nope' },
      },
    }
    const { errors } = refusal(schema)
    expect(errors.map(({ pointer, keyword }) => [pointer, keyword])).toEqual([
      ['#/properties/a/enum', undefined],
      ['#/properties/a/type', undefined],
      ['#/properties/b/minimum', undefined],
      ['#/properties/b/maximum', undefined],
      ['#/properties/b/type', undefined],
      ['#/properties/c/minLength', 'minLength'],
      ['#/properties/d/properties/x/minItems', undefined],
      ['#/properties/d/properties/x/maxItems', undefined],
      ['#/properties/d/properties/x/type', undefined],
      ['#/properties/d/properties/y/pattern', 'pattern'],
      ['#/properties/f/$ref', '$ref'],
    ])
  })

  test('they come in the order of the document, whatever the order they are found in', () => {
    const keywords = [
      'minLength',
      'maxItems',
      'minimum',
      'pattern',
      'required',
      'anyOf',
      'multipleOf',
      'type',
    ]
    const wrong = (index: number): object => ({ [keywords[index % keywords.length] as string]: 'x,(' })
    const deep = Array.from({ length: 8 }, (_, index) => [
      `p${7 - index}`,
      { type: 'array', prefixItems: [wrong(index), { type: 'object', properties: { q: wrong(index + 1) } }] },
    ])
    const schema = { properties: Object.fromEntries(deep), additionalProperties: wrong(3) }
    const pointers = pointersOf(schema)
    expect(pointers).toHaveLength(17)
    expect(new Set(pointers).size).toBe(17)
    expect(pointers).toEqual(
      inDocumentOrder(
        readJson(JSON.stringify(schema)),
        [...pointers].sort().map((pointer) => ({ pointer })),
      ).map(({ pointer }) => pointer),
    )
    expect(pointers[0]).toMatch(/^#\/properties\/p7\/prefixItems\/0/)
    expect(pointers.at(-1)).toBe('#/additionalProperties/pattern')
  })

  test('a place that is reached by many ways is named once', () => {
    const list = { type: 'array', contains: { pattern: '(b)\\1' }, items: { pattern: '(a)\\1' } }
    const $ref = '#/properties/a'
    const schema = { properties: { a: list, b: { $ref }, c: { allOf: [{ $ref }, { maxItems: 9 }] } } }
    expect(pointersOf(schema)).toEqual(['#/properties/a/contains/pattern', '#/properties/a/items/pattern'])
  })

  test('two properties that share a contradiction name it once', () => {
    const $ref = '#/$defs/none'
    const schema = {
      required: ['a', 'b'],
      type: 'object',
      properties: { a: { $ref }, b: { $ref } },
      $defs: { none: { type: 'integer', minimum: 2, maximum: 1 } },
    }
    expect(pointersOf(schema)).toEqual(['#/$defs/none/minimum', '#/$defs/none/maximum', '#/$defs/none/type'])
  })

  test('each branch that nothing satisfies says why', () => {
    const schema = {
      anyOf: [
        { type: 'string', minLength: 3, maxLength: 2 },
        { type: 'object', required: ['a'], properties: { a: { enum: [] } } },
      ],
    }
    expect(pointersOf(schema)).toEqual([
      '#/anyOf/0/minLength',
      '#/anyOf/0/maxLength',
      '#/anyOf/0/type',
      '#/anyOf/1/properties/a/enum',
    ])
  })

  test('a value without end is told by a place on its way', () => {
    const schema = {
      $ref: '#/$defs/a',
      $defs: {
        a: { type: 'object', required: ['b'], properties: { b: { $ref: '#/$defs/b' } } },
        b: { type: 'array', items: { $ref: '#/$defs/a' }, minItems: 1 },
      },
    }
    expect(refusal(schema).errors).toEqual([
      { pointer: '#/$defs/b', message: 'requires item 0, and so values inside each other without end' },
    ])
  })

  test('the message counts problems, not places', () => {
    const { message } = refusal({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'integer', minimum: 3, maximum: 2 }, b: { minLength: -1 } },
    })
    expect(message).toBe(
      'minimum 3 and maximum 2 leave no integer, and 1 more problem (#/properties/a/minimum)',
    )
  })

  test('a limit that is hit later does not hide what was refused before', () => {
    const allOf = Array.from({ length: 30 }, (_, index) => ({
      anyOf: [{ required: [`x${index}`] }, { required: [`y${index}`] }],
    }))
    const schema = { type: 'array', items: { type: 'object', allOf } }
    const options = { limits: { maxSteps: 100_000 } }
    expect(() => schemaToGrammar(schema, options)).toThrow(LimitError)
    const { errors } = refusal({ ...schema, minItems: -1 }, options)
    expect(errors.map(({ pointer }) => pointer)).toContain('#/minItems')
  })

  test('a thousand contradictions are named in a moment, in linear steps', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `p${index}`)
    const properties = Object.fromEntries(
      names.map((name, index) => [name, { type: 'integer', minimum: index + 1, maximum: index }]),
    )
    expect(refusal({ type: 'object', required: names, properties }).errors).toHaveLength(3000)
  })

  test('a sentence stays one where many keywords contradict each other', () => {
    const allOf = Array.from({ length: 60 }, (_, index) => ({ pattern: `a${index}.*b` }))
    const error = refusal({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string', maxLength: 3, allOf } },
    })
    expect(error.message.length).toBeLessThan(300)
    expect(error.message).toMatch(/and \d+ more leave no string/)
  })

  test('lenient lists all that it leaves out, and refuses what is wrong all the same', () => {
    const properties = {
      a: { type: 'array', items: { type: 'string', pattern: '(a)\\1' } },
      b: { type: 'string', pattern: '(a)\\1' },
      c: { type: 'object', patternProperties: { '(a)\\1': { type: 'null' } } },
    }
    const { report } = compileSchema({ properties }, { lenient: true })
    expect(report.unenforced.map(({ pointer }) => pointer).sort()).toEqual([
      '#/properties/a/items/pattern',
      '#/properties/b/pattern',
      '#/properties/c/patternProperties/(a)%5C1',
    ])
    expect(report.unenforced.map(({ message }) => message).filter((text) => /lenient/.test(text))).toEqual([])
    const wrong = { properties: { ...properties, d: { minLength: -1 }, e: { $ref: '#/x' } } }
    expect(refusal(wrong, { lenient: true }).errors.map(({ pointer }) => pointer)).toEqual([
      '#/properties/d/minLength',
      '#/properties/e/$ref',
    ])
  })

  test('every message of what cannot be enforced says what would help', () => {
    const { errors } = refusal({
      properties: {
        a: { type: 'array', uniqueItems: true, minItems: 2, items: { enum: [[1], [2]] } },
        b: { pattern: '(a)\\1' },
        c: { type: 'object', patternProperties: { '(a)\\1': {} }, additionalProperties: false },
        d: { minimum: 1e300, multipleOf: 0 },
      },
    })
    expect(errors.map(({ message }) => /lenient: true|must be/.test(message))).toEqual([
      true,
      true,
      true,
      true,
    ])
  })
})

describe('numbers that are never written', () => {
  test('the schema and the automaton agree on the largest exponent', () => {
    expect(MAX_EXPONENT).toBe(WRITTEN)
  })

  test.each([
    ['{"minimum": 1e1000000}', '#/minimum', 'minimum 1e1000000 lies beyond'],
    ['{"maximum": -1e401}', '#/maximum', 'maximum -1e401 lies beyond'],
    ['{"exclusiveMinimum": 1e999999999999999999999}', '#/exclusiveMinimum', 'lies beyond'],
    ['{"maximum": 1e-500, "exclusiveMinimum": 0}', '#/maximum', 'lies beyond'],
    ['{"multipleOf": 1e500}', '#/multipleOf', 'lies beyond'],
    ['{"multipleOf": 1e-1000000}', '#/multipleOf', 'lies beyond'],
    ['{"const": 1e500}', '#/const', 'const 1e500 lies beyond'],
    ['{"enum": [1, {"a": [0, 1e500]}]}', '#/enum/1/a/1', 'enum 1e500 lies beyond'],
    ['{"properties": {"a": {"const": -12345e400}}}', '#/properties/a/const', 'lies beyond'],
    [`{"minimum": 0.${'1'.repeat(2000)}}`, '#/minimum', 'has more than 1000 digits; round it'],
    ['{"type": "string", "minLength": 1e1000000}', '#/minLength', 'more than any document reaches'],
    ['{"minItems": 1e99999999999999999999}', '#/minItems', 'more than any document reaches'],
  ])('%s', (schema, pointer, words) => {
    for (const numbers of ['plain', 'any'] as const) {
      const error = refusal(schema, { numbers })
      expect(error.errors.map((problem) => problem.pointer)).toEqual([pointer])
      expect(error.message).toContain(words)
      expect(error.message.length).toBeLessThan(300)
    }
  })

  test('bounds beyond them on the free side bound nothing', () => {
    for (const schema of [
      '{"maximum": 1e500, "minimum": -1e1000000, "type": "number"}',
      '{"exclusiveMaximum": 1e99999999999, "type": "integer"}',
      '{"maxLength": 1e1000000, "maxItems": 1e99999999999999}',
    ])
      expect(compileSchema(schema).accepts('5')).toBe(true)
  })

  test('the largest and smallest that are written stay', () => {
    for (const number of ['1e400', '-9.99e400', '1e-400', '0e999999999'])
      expect(compileSchema(`{"const": ${number}}`).accepts(number)).toBe(true)
  })

  test('a step with more digits than can be kept is a LimitError of the compile', () => {
    const a = { type: 'number', multipleOf: 12345678901234.5 }
    expect(() => schemaToGrammar({ properties: { a } })).toThrow(
      /digits of multipleOf: 15 exceeds the limit of 14/,
    )
    // Few multiples are written out.
    const { accepts } = compileSchema({ properties: { a: { ...a, minimum: 0, maximum: 1e15 } } })
    expect(accepts('{"a": 24691357802469}')).toBe(true)
    expect(accepts('{"a": 24691357802468}')).toBe(false)
  })
})
