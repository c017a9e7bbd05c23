/**
 * Alternatives that overlap: many ways to read one text are few threads, and masks are those of the recogniser.
 */
import { describe, expect, test } from 'vitest'
import { compile } from '../../src/core.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { addSchema } from '../../src/schema/index.ts'
import { difference, expectedMask, judgeSchema } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('alternatives that overlap')
const { vocabulary } = tinyVocabulary()

const MODES = [
  {},
  { propertyOrder: 'any', whitespace: 'compact' },
  { propertyOrder: 'any', whitespace: 'any', numbers: 'any' },
] as const

/** Objects that begin alike, some of which hold others of the kind. */
function alternatives(random: Random): object {
  const values = [
    { type: 'string' },
    { type: 'integer' },
    { const: 'x' },
    { enum: ['a', 'b', 1] },
    {},
    { $ref: '#/$defs/r' },
    { type: 'array', items: { $ref: '#/$defs/r' } },
  ]
  const names = ['a', 'b', 'c', 'x', 'next', 'on']
  const object = (): object => {
    const used = names.filter(() => random.chance(0.4))
    return {
      type: 'object',
      properties: Object.fromEntries(used.map((name) => [name, random.pick(values)])),
      required: used.filter((name) => name !== 'next' && random.chance(0.2)),
      ...random.pick([{}, { additionalProperties: false }, { additionalProperties: random.pick(values) }]),
    }
  }
  return { anyOf: Array.from({ length: 2 + random.below(3) }, object) }
}

describe('masks of alternatives that overlap are those of the recogniser', () => {
  test.each(Array.from({ length: 24 }, (_, index) => index))('%i', (index) => {
    const random = new Random(seed ^ (index * 7919))
    const r = alternatives(random)
    const schema = random.pick([r, { type: 'array', items: r }, { anyOf: [r, { type: 'string' }] }])
    const named = { name: `overlapping ${index}`, schema: { ...schema, $defs: { r } } }
    const mode = random.pick(MODES)
    const walks = [1, 2, 3, 4, 5, 6].flatMap(() => judgeSchema(named, mode, vocabulary, random, 20))
    expect(walks).toEqual([])
  })
})

describe('many objects that begin alike', () => {
  const branch = (i: number): object => ({
    type: 'object',
    properties: { a: { type: 'string' }, b: { const: i }, [`c${i % 7}`]: { type: 'integer' } },
    required: ['a'],
    ...(i % 3 === 0 ? { additionalProperties: false } : {}),
  })

  test('are few threads, also while a name is written that only some of them declare', () => {
    const schema = { anyOf: Array.from({ length: 60 }, (_, i) => branch(i)) }
    const compiled = compile(schema, vocabulary, { propertyOrder: 'any', whitespace: 'compact' })
    const matcher = compiled.matcher()
    for (const byte of Buffer.from('{"c3":5,"a":"x","z":[],"b"')) {
      matcher.mask()
      expect(matcher.accept(byte)).toBe(true)
    }
    expect(compiled.sizes.threads).toBeLessThan(120)
    // Branch 10 declares `c3`, and takes any value for `z`.
    for (const byte of Buffer.from(':10}')) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.isComplete()).toBe(true)
  })

  test('hold a name that is a free key to some of them', () => {
    const schema = { anyOf: [branch(1), branch(2)] }
    const matcher = compile(schema, vocabulary, { propertyOrder: 'any', whitespace: 'compact' }).matcher()
    for (const byte of Buffer.from('{"a":"","c1":0,')) expect(matcher.accept(byte)).toBe(true)
    const [twice] = ['"c1"'].map((key) => [...Buffer.from(key)].every((byte) => matcher.accept(byte)))
    expect(twice).toBe(false)
  })

  test.each([
    ['{":":1,', { propertyNames: { maxLength: 1 } }, { required: ['b'] }],
    ['{": ":1,', { propertyNames: { maxLength: 2 } }, { additionalProperties: { type: 'integer' } }],
    ['{":":1,', { propertyNames: { pattern: '^.$' } }, { propertyNames: { maxLength: 7 } }],
  ])(
    'are taken out of a mask only where no object may have another that begins so: %s',
    (begun, few, many) => {
      const schema = { anyOf: [few, many].map((own) => ({ type: 'object', ...own })) }
      const options = { propertyOrder: 'any', whitespace: 'compact' } as const
      const matcher = compile(schema, vocabulary, options).matcher()
      const recogniser = Recogniser.ofSchema(schema, options)
      const text = Buffer.from(begun)
      for (const byte of text) expect(matcher.accept(byte)).toBe(true)
      const expected = expectedMask(recogniser, recogniser.run(recogniser.start, text), vocabulary)
      expect(difference(matcher.mask(), expected, vocabulary)).toBe('')
    },
  )
})

describe('objects that hold one another, and differ only in what comes last', () => {
  const object = (last: object): object => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/r' }, ...last },
    required: Object.keys(last),
    additionalProperties: false,
  })
  const schema = {
    $ref: '#/$defs/r',
    $defs: { r: { anyOf: [object({ b: { const: 1 } }), object({ b: { const: 2 }, c: { const: 1 } })] } },
  }
  const textOf = (depth: number): string =>
    depth === 0 ? '{"b":1}' : `{"a":${textOf(depth - 1)},${depth % 2 === 0 ? '"b":1' : '"b":2,"c":1'}}`

  test('cost as much for each level, however many ways there are to read them', () => {
    const contexts = (depth: number): number => {
      const compiled = compile(schema, vocabulary, { propertyOrder: 'any', whitespace: 'compact' })
      const matcher = compiled.matcher()
      for (const byte of Buffer.from(textOf(depth))) expect(matcher.accept(byte)).toBe(true)
      expect(matcher.isComplete()).toBe(true)
      return compiled.sizes.contexts
    }
    expect(contexts(60)).toBeLessThan(2.2 * contexts(30))
  })

  test('are completed at once, however deep they are, also where they hold free keys and owe more', () => {
    const open = ({ b }: { b: number }): object => ({
      type: 'object',
      properties: { a: { $ref: '#/$defs/r' }, b: { const: b } },
      required: ['b'],
      minProperties: 5,
    })
    const r = { anyOf: [open({ b: 1 }), open({ b: 2 }), { type: 'integer' }] }
    const options = { propertyOrder: 'any', whitespace: 'compact' } as const
    const matcher = compile({ $ref: '#/$defs/r', $defs: { r } }, vocabulary, options).matcher()
    for (const byte of Buffer.from('{"":1,"a":'.repeat(60))) expect(matcher.accept(byte)).toBe(true)
    const { text } = matcher.shortestCompletion()
    expect(text).toBe(`0${'," ":0,"!":0,"b":1}'.repeat(60)}`)
    expect(matcher.frames()).toHaveLength(60)
    for (const byte of Buffer.from(text)) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.isComplete()).toBe(true)
  })

  test('nest thousands deep', () => {
    const matcher = compile(schema, vocabulary, { whitespace: 'compact' }).matcher()
    for (const byte of Buffer.from('{"a":'.repeat(4000))) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.shortestCompletion().text).toBe(`{"b":1}${',"b":1}'.repeat(4000)}`)
    expect(matcher.frames()).toHaveLength(4000)
  })

  test('say what is open in one of these ways, that of the completion', () => {
    const matcher = compile(schema, vocabulary, { whitespace: 'compact' }).matcher()
    for (const byte of Buffer.from('{"a":'.repeat(40))) expect(matcher.accept(byte)).toBe(true)
    const { text } = matcher.shortestCompletion()
    expect(text).toBe(`{"b":1}${',"b":1}'.repeat(40)}`)
    const frames = matcher.frames()
    expect(frames).toHaveLength(40)
    expect(frames[39]).toMatchObject({ kind: 'object', pointer: '/a'.repeat(39) })
    for (const byte of Buffer.from(text)) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.isComplete()).toBe(true)
  })
})

describe('a value behind which the text may end, or go on', () => {
  test('is read in both ways, also where lines are indented', () => {
    const builder = new GrammarBuilder()
    const value = builder.declare('value')
    const properties = { a: { type: 'array', items: { type: 'integer' } } }
    builder.define(
      value,
      addSchema(builder, builder.regexes, { type: 'object', properties }, {}, 'value').expr,
    )
    const root = builder.declare('root')
    const mark = { type: 'terminal', terminal: { kind: 'texts', texts: ['!'] }, frame: 'literal' } as const
    builder.define(root, {
      type: 'choice',
      options: [
        { type: 'call', rule: value },
        { type: 'sequence', items: [{ type: 'call', rule: value }, mark] },
      ],
    })
    const grammar = builder.build(root, { whitespace: 'pretty', indent: 2, maxWhitespace: 64 })
    const matcher = compileGrammar(grammar, vocabulary).matcher()
    const recogniser = new Recogniser(grammar)
    let state = recogniser.start
    for (const byte of Buffer.from('{\n  "a": [\n    1\n  ]\n}!')) {
      expect(difference(matcher.mask(), expectedMask(recogniser, state, vocabulary), vocabulary)).toBe('')
      expect(matcher.accept(byte)).toBe(true)
      state = recogniser.step(state, byte)
    }
    expect(matcher.mustStop()).toBe(true)
  })
})
