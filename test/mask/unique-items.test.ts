/**
 * Items that must differ, against every text there is: the texts of the schema without `uniqueItems` are enumerated with
 * the recogniser, Ajv says which are valid, and a mask must allow exactly the tokens that some valid text goes on with.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import {
  type CompileOptions,
  compile,
  compilePart,
  jsonSchema,
  type Matcher,
  regex,
  sequence,
} from '../../src/core.ts'
import { idsOf, showToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('items that must differ')
const { vocabulary, ends } = tinyVocabulary()
const anyOrder = { propertyOrder: 'any', whitespace: 'compact' } as const
const flags = {
  type: 'object',
  properties: { a: { type: 'boolean' }, b: { enum: ['x', 1] } },
  required: ['a'],
  additionalProperties: false,
}

const SCHEMAS: readonly [string, object][] = [
  ['values of all kinds', { type: 'array', items: { enum: ['a', 'ab', 1, 12, true, null] }, maxItems: 4 }],
  ['as many as there are', { type: 'array', items: { enum: ['a', 'ab', 'b'] }, minItems: 3 }],
  ['booleans', { type: 'array', items: { type: 'boolean' } }],
  [
    'integers',
    { type: 'array', items: { type: 'integer', minimum: 8, maximum: 12 }, minItems: 2, maxItems: 4 },
  ],
  [
    'strings of a pattern',
    { type: 'array', items: { type: 'string', pattern: '^(a|b|ab)$' }, minItems: 2, maxItems: 3 },
  ],
  ['objects of two names', { type: 'array', items: flags, minItems: 1, maxItems: 2 }],
  ['an object that must have all', { type: 'array', items: { ...flags, required: ['a', 'b'] }, maxItems: 4 }],
  [
    'lists of booleans',
    { type: 'array', items: { type: 'array', items: { type: 'boolean' }, maxItems: 1 }, maxItems: 4 },
  ],
  [
    'lists that must differ, of items that must',
    {
      type: 'array',
      items: { type: 'array', items: { enum: [1, 2] }, uniqueItems: true, minItems: 1 },
      maxItems: 3,
    },
  ],
  [
    'positions that share few values',
    {
      type: 'array',
      prefixItems: [{ enum: [1, 2, 3] }, { enum: [1, 2] }, { const: 1 }],
      items: false,
      minItems: 3,
    },
  ],
  [
    'positions of which the last is taken early',
    {
      type: 'array',
      prefixItems: [{ enum: [1, 12] }, { enum: ['a', 12] }],
      items: { enum: [1, 'a'] },
      minItems: 2,
    },
  ],
  [
    'a last position whose only value the first may have, and go on from',
    {
      type: 'array',
      prefixItems: [{ enum: [1, 12] }, { const: 1 }],
      items: false,
      minItems: 1,
    },
  ],
  [
    'objects of names of which there are two',
    {
      type: 'array',
      items: {
        type: 'object',
        patternProperties: { '^(a|b)$': { const: 1 } },
        additionalProperties: false,
      },
      maxItems: 4,
    },
  ],
  ['one that counts', { type: 'array', items: { enum: [1, 2, 'a'] }, contains: { type: 'string' } }],
  [
    'in an object, twice',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/set' }, b: { $ref: '#/$defs/set' } },
      required: ['a'],
      additionalProperties: false,
      $defs: { set: { type: 'array', items: { enum: [1, 2] }, uniqueItems: true, minItems: 1 } },
    },
  ],
  [
    'or an object that has them',
    {
      type: 'array',
      items: {
        anyOf: [
          { enum: [1, 'x'] },
          {
            type: 'object',
            properties: { a: { type: 'array', items: { const: 1 }, maxItems: 1 } },
            additionalProperties: false,
          },
        ],
      },
      maxItems: 2,
    },
  ],
]

/** All texts of a finite language. */
function textsOf(recogniser: Recogniser): string[] {
  const texts: string[] = []
  const pending = [{ state: recogniser.start, text: '' }]
  for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
    if (recogniser.isComplete(top.state)) texts.push(top.text)
    for (let byte = 0; byte < 256; byte++) {
      const state = recogniser.step(top.state, byte)
      if (state !== 0) pending.push({ state, text: top.text + String.fromCharCode(byte) })
    }
    if (pending.length + texts.length > 60_000) throw new Error('too many texts')
  }
  return texts
}

/** The schema whose texts are enumerated: arrays have an end, one item beyond what can differ. */
function withoutUnique(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnique)
  if (typeof schema !== 'object' || schema === null) return schema
  const end = 'items' in schema && schema.items !== false ? { maxItems: 4 } : {}
  return Object.fromEntries(
    Object.entries({ ...end, ...schema }).flatMap(([key, value]) =>
      key === 'uniqueItems' ? [] : [[key, withoutUnique(value)]],
    ),
  )
}

function validTexts(schema: object, options: CompileOptions): string[] {
  const validate = new Ajv2020({ strict: false }).compile(schema)
  return textsOf(Recogniser.ofSchema(withoutUnique(schema) as object, options))
    .filter((text) => validate(JSON.parse(text)))
    .sort()
}

/** The texts that begin so; they stand side by side. */
function beginning(texts: readonly string[], prefix: string): readonly string[] {
  return texts.filter((text) => text.startsWith(prefix))
}

function judge(matcher: Matcher, texts: readonly string[]): string[] {
  const written = Buffer.from(matcher.bytes()).toString('latin1')
  const possible = beginning(texts, written)
  const wrong: string[] = []
  const mask = matcher.mask()
  for (let id = 0; id < vocabulary.size; id++) {
    const bytes = vocabulary.bytes(id)
    const token = bytes === null ? null : Buffer.from(bytes).toString('latin1')
    const expected = ends.includes(id)
      ? possible.includes(written)
      : token !== null && token !== '' && possible.some((text) => text.startsWith(written + token))
    if (hasBit(mask, id) === expected) continue
    wrong.push(`after ${written}: ${showToken(vocabulary, id)} should be ${expected ? 'allowed' : 'refused'}`)
  }
  const least = possible.reduce((best, text) =>
    text.length < best.length || (text.length === best.length && text < best) ? text : best,
  )
  const { text } = matcher.shortestCompletion()
  if (written + Buffer.from(text).toString('latin1') !== least)
    wrong.push(`after ${written}: ${text}, not ${least}`)
  return wrong
}

describe('a mask allows what some valid text goes on with, and the completion is the least of them', () => {
  test.each(SCHEMAS)('%s', (name, schema) => {
    const unique = { ...schema, uniqueItems: true }
    const texts = validTexts(unique, anyOrder)
    const random = new Random(seed ^ name.length)
    const compiled = compile(unique, vocabulary, anyOrder)
    const wrong: string[] = []
    for (let walk = 0; walk < 12 && wrong.length === 0; walk++) {
      const matcher = compiled.matcher()
      for (;;) {
        wrong.push(...judge(matcher, texts))
        const ids = idsOf(matcher.mask()).filter((id) => !ends.includes(id))
        if (ids.length === 0 || wrong.length > 0) break
        if (!matcher.accept(random.pick(ids))) throw new Error('a token of the mask was refused')
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })
})

describe('items that must differ', () => {
  const numbers = (count: number): object => ({
    type: 'array',
    items: { type: 'integer' },
    uniqueItems: true,
    minItems: count,
  })

  test('are completed with the least values that are left', () => {
    const matcher = compile(numbers(12), vocabulary, anyOrder).matcher()
    for (const byte of Buffer.from('[3,')) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.shortestCompletion().text).toBe('-1,-2,0,1,2,4,5,6,7,8,9]')
  })

  test('are completed behind a character that decoders take for a byte order mark', () => {
    const matcher = compile({ type: 'array', uniqueItems: true }, vocabulary).matcher()
    for (const byte of Buffer.from('["\ufeff","\ufeff')) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.accept('"'.charCodeAt(0))).toBe(false)
    expect(matcher.shortestCompletion().text).toBe(' "]')
  })

  test.each<[string, object, string]>([
    [
      'objects',
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } }, additionalProperties: false },
      '{"a":" "},{"a":""}',
    ],
    ['maps', { type: 'object', additionalProperties: { type: 'integer' } }, '{"":0},{}'],
    ['lists', { type: 'array', items: { type: 'integer' } }, '[0],[]'],
    ['anything', {}, '0,1'],
  ])('are completed between texts that are no JSON, before and behind: %s', (_, items, least) => {
    const list = { type: 'array', items, uniqueItems: true, minItems: 2 }
    for (const before of ['x', '{"a": ', '[', '1', '"']) {
      const parts = sequence(before, jsonSchema(list), '}', regex('y|1'))
      const matcher = compilePart(parts, vocabulary, { whitespace: 'compact' }).matcher()
      const whole = `${before}[${least}]}1`
      expect(matcher.shortestCompletion().text).toBe(whole)
      for (let i = 0; i < whole.length; i++) {
        expect(hasBit(matcher.mask(), whole.charCodeAt(i)), whole.slice(0, i)).toBe(true)
        expect(matcher.accept(whole.charCodeAt(i))).toBe(true)
        expect(matcher.shortestCompletion().text.length).toBe(whole.length - i - 1)
      }
    }
  })

  test('have the same completion whatever was asked before', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'integer' }, uniqueItems: true },
        b: {
          type: 'array',
          prefixItems: [{ type: 'integer' }, { type: 'integer' }],
          minItems: 2,
          uniqueItems: true,
        },
      },
      required: ['a', 'b'],
    }
    const matcher = compile(schema, vocabulary).matcher()
    for (const byte of Buffer.from('{"a":[')) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.shortestCompletion().text).toBe('],"b":[0,1]}')
  })

  test('of many positions that share few values are completed at once', () => {
    const values = Array.from({ length: 14 }, (_, index) => index)
    const schema = {
      type: 'array',
      prefixItems: values.map(() => ({ enum: values })),
      items: false,
      minItems: 14,
      uniqueItems: true,
    }
    const { text } = compile(schema, vocabulary).matcher().shortestCompletion()
    expect(new Set(JSON.parse(text)).size).toBe(14)
  })

  test('are compared by value: escapes, notation, the order of names', () => {
    const accepts = (items: object, text: string): boolean => {
      const schema = { type: 'array', items, uniqueItems: true }
      const any = { propertyOrder: 'any', whitespace: 'any', numbers: 'any' } as const
      const matcher = compile(schema, vocabulary, any).matcher()
      return [...Buffer.from(text)].every((byte) => matcher.accept(byte)) && matcher.isComplete()
    }
    expect(accepts({}, '["a", "\\u0061"]')).toBe(false)
    expect(accepts({}, '["a", "\\u0061b"]')).toBe(true)
    expect(accepts({ type: 'number' }, '[1, 1.0]')).toBe(false)
    expect(accepts({ type: 'number' }, '[100, 1e2]')).toBe(false)
    expect(accepts({}, '[{"a": 1, "b": [2]}, {"b": [2], "a": 1}]')).toBe(false)
    expect(accepts({}, '[{"a": 1, "b": [2]}, {"b": [2], "a": 1, "": 1}]')).toBe(true)
    expect(accepts({}, '[0, -0]')).toBe(false)
    expect(accepts({}, '[[], [[]], {}, null, false, 0, ""]')).toBe(true)
  })

  test('that are not enforced under lenient are not held to either', () => {
    const items = {
      type: 'object',
      properties: { a: { enum: [1, 2] } },
      required: ['a'],
      additionalProperties: false,
    }
    const schema = { type: 'array', items, uniqueItems: true, minItems: 3 }
    expect(() => compile(schema, vocabulary)).toThrow('whether enough items can differ')
    const compiled = compile(schema, vocabulary, { lenient: true })
    expect(compiled.report.unenforced.map(({ pointer }) => pointer)).toEqual(['#/uniqueItems'])
    expect(compiled.matcher().shortestCompletion().text).toBe('[{"a":1},{"a":1},{"a":1}]')
  })

  test('that cannot be enough have no schema', () => {
    const none = (schema: object): void => expect(() => compile(schema, vocabulary)).toThrow(/uniqueItems/)
    none({ type: 'array', items: { type: 'boolean' }, uniqueItems: true, minItems: 3 })
    none({
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 999 },
      uniqueItems: true,
      minItems: 1000,
    })
    none({ type: 'array', prefixItems: [{ const: 1 }, { enum: [1, 1.0] }], uniqueItems: true, minItems: 2 })
  })

  test('of which too few values may count are refused, or told to be none', () => {
    const refused = (list: object): void =>
      expect(() => compile({ type: 'array', uniqueItems: true, ...list }, vocabulary)).toThrow(
        '#/uniqueItems',
      )
    refused({
      items: { anyOf: [{ type: 'string' }, { enum: [1, 2] }] },
      contains: { type: 'number' },
      minContains: 3,
    })
    refused({ items: { type: ['string', 'object'] }, contains: { enum: ['x', { a: null }] } })
    refused({ prefixItems: [true, { type: 'array', maxItems: 0 }], contains: { type: 'object' } })
  })

  test('are completed with their lines where they nest', () => {
    const list = {
      type: 'array',
      uniqueItems: true,
      minItems: 2,
      items: { anyOf: [{ $ref: '#' }, { enum: [1, 2] }] },
    }
    const matcher = compile(list, vocabulary, { whitespace: 'pretty' }).matcher()
    expect(matcher.shortestCompletion().text).toBe('[\n  1,\n  2\n]')
  })

  test('nest as deep as a text may', () => {
    const matcher = compile({ type: 'array', uniqueItems: true }, vocabulary).matcher()
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`
    for (const byte of Buffer.from(`[${deep},${deep.slice(0, -1)}`)) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.accept(']'.charCodeAt(0))).toBe(false)
    expect(matcher.accept(','.charCodeAt(0))).toBe(true)
  })
})

describe('with other keywords, and values without end, items are judged as Ajv judges them', () => {
  const any = { propertyOrder: 'any', whitespace: 'compact' } as const
  const integer = { type: 'integer' }
  const POOL = [
    '1',
    '2',
    '7',
    '"a"',
    '"x"',
    '"xy"',
    '[]',
    '[1]',
    '{}',
    '{"a":1}',
    '{"a":1,"b":[]}',
    'true',
    'null',
  ]
  const LISTS: readonly [string, object][] = [
    ['any items', {}],
    ['an integer that counts', { contains: integer }],
    ['three that count', { contains: integer, minContains: 3 }],
    ['one value that counts', { contains: { const: 7 } }],
    ['one value that counts once', { contains: { const: 7 }, maxContains: 1 }],
    ['two values that count', { allOf: [{ contains: { const: 1 } }, { contains: { const: 2 } }] }],
    ['strings of which one counts', { items: { type: 'string' }, contains: { pattern: '^x' } }],
    ['an array that counts', { contains: { type: 'array' } }],
    ['an object that counts', { contains: { type: 'object', required: ['a'] } }],
    ['what is not', { not: { items: { type: 'object' } } }],
    // Ajv takes an empty array here without `minItems`.
    ['a first item', { prefixItems: [integer], contains: { const: 'a' }, minItems: 1 }],
    ['a first item of one value', { prefixItems: [{ type: 'null' }], minItems: 2 }],
    ['two first items', { prefixItems: [{ type: 'null' }, { type: 'string' }], minItems: 2 }],
    ['objects of one value', { items: { type: 'object', properties: { a: { const: 1 } }, required: ['a'] } }],
  ]

  test.each(LISTS)('%s', (name, list) => {
    const schema = { type: 'array', uniqueItems: true, ...list }
    const validate = new Ajv2020({ strict: false }).compile(schema)
    const compiled = compile(schema, vocabulary, any)
    const random = new Random(seed ^ name.length)
    const wrong: string[] = []
    for (let round = 0; round < 60; round++) {
      const items = Array.from({ length: random.below(5) }, () => random.pick(POOL))
      const text = `[${items.join()}]`
      const matcher = compiled.matcher()
      const read = [...Buffer.from(text)].every((byte) => matcher.accept(byte))
      if ((read && matcher.isComplete()) !== validate(JSON.parse(text))) wrong.push(text)
      if (round % 6 > 0) continue
      const mask = matcher.mask().slice()
      for (let id = 0; id < vocabulary.size; id++) {
        const accepted = matcher.accept(id)
        if (accepted) matcher.rollback(1)
        if (accepted !== hasBit(mask, id)) wrong.push(`${matcher.text()} and ${showToken(vocabulary, id)}`)
      }
      const completed = matcher.text() + matcher.shortestCompletion().text
      if (!validate(JSON.parse(completed))) wrong.push(`${matcher.text()} completed to ${completed}`)
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })
})
