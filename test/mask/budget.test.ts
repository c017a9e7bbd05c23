/**
 * Masks with a budget: exactly the tokens after which the text can be completed in what is left, as trying each token alone
 * says. `SEED` repeats a run.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compile, LimitError, SchemaError } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { turnGrammar } from '../../src/tools/call-grammar.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { FORMATS } from '../../src/tools/formats/index.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { finishWithin, judgeBudgets } from '../support/budgets.ts'
import { distinctSchema } from '../support/distinct-schemas.ts'
import { freeKeySchema } from '../support/free-key-schemas.ts'
import { grammars } from '../support/grammars.ts'
import { idsOf } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { schemas } from '../support/random-schemas.ts'
import { MODES, modesOf, SCHEMAS } from '../support/schemas.ts'
import {
  byteVocabulary,
  llamaVocabulary,
  shippedVocabulary,
  tinyVocabulary,
} from '../support/vocabularies.ts'

const seed = seedOf('masks with a budget')
const { vocabulary, control } = tinyVocabulary()

describe('on a tiny vocabulary the mask with a budget is what trying each token says', () => {
  test.each(SCHEMAS)('$name', (named) => {
    const random = new Random(seed ^ SCHEMAS.indexOf(named))
    const mode = random.pick(modesOf(named))
    const grammar = compile(named.schema, vocabulary, { ...mode, ...named.options })
    const wrong = judgeBudgets(grammar, random, 10, 7)
    expect(wrong.map((line) => `${JSON.stringify(mode)} ${line}`)).toEqual([])
  })
})

describe('on grammars that no schema gives, too', () => {
  test.each(grammars(control))('$name', ({ name, build }) => {
    const random = new Random(seed ^ name.length)
    const grammar = compileGrammar(build(), vocabulary)
    expect([1, 2, 3].flatMap(() => judgeBudgets(grammar, random, 12, 8))).toEqual([])
  })
})

const unique = { type: 'array', uniqueItems: true }
const UNIQUE: readonly [string, object][] = [
  ['strings', { ...unique, items: { type: 'string' } }],
  ['short strings, two at least', { ...unique, items: { type: 'string', maxLength: 2 }, minItems: 2 }],
  ['integers, three at least', { ...unique, items: { type: 'integer', minimum: 8 }, minItems: 3 }],
  ['integers', { ...unique, items: { type: 'integer' } }],
  ['strings of a pattern', { ...unique, items: { type: 'string', pattern: '^[ab]*$' }, minItems: 1 }],
  ['some of an enum', { ...unique, items: { enum: ['a', 'ab', 1, 12, true] }, minItems: 1 }],
  [
    'inside an object',
    {
      type: 'object',
      properties: { tags: { ...unique, items: { type: 'string' }, minItems: 1 }, x: { type: 'string' } },
      required: ['tags', 'x'],
    },
  ],
  ['objects', { ...unique, items: { type: 'object', properties: { a: { type: 'boolean' } } } }],
  [
    'objects with free keys',
    {
      ...unique,
      items: {
        type: 'object',
        propertyNames: { pattern: '^a*$' },
        additionalProperties: { type: 'integer', maximum: 12 },
      },
      minItems: 1,
    },
  ],
]

describe('where items must differ it is so, too', () => {
  test.each(UNIQUE)('%s', (name, schema) => {
    const random = new Random(seed ^ name.length)
    const grammar = compile(schema, vocabulary, random.pick(MODES))
    expect([1, 2].flatMap(() => judgeBudgets(grammar, random, 4, 5))).toEqual([])
  })
})

test('a key that would be a declared one is none that is held, either', () => {
  const options = { whitespace: 'any', propertyOrder: 'any' } as const
  const grammar = compile({ type: 'object', required: [''] }, vocabulary, options)
  const matcher = grammar.matcher()
  for (const byte of new TextEncoder().encode('{" ":1,"":')) expect(matcher.accept(byte)).toBe(true)
  const costs = new Map<number, number>()
  for (const id of idsOf(matcher.mask())) {
    matcher.accept(id)
    costs.set(id, matcher.shortestCompletion().tokens)
    matcher.rollback(1)
  }
  for (let budget = 1; budget < 20; budget++) {
    const within = [...costs].flatMap(([id, cost]) => (cost < budget ? [id] : []))
    expect(idsOf(matcher.mask(undefined, { budget }))).toEqual(within)
  }
})

test('texts of items that must differ end within every budget from the least on, on a real vocabulary', () => {
  const random = new Random(seed)
  const [, schema] = UNIQUE.find(([name]) => name === 'inside an object')!
  const grammar = compile({ ...schema, additionalProperties: false }, shippedVocabulary())
  const least = grammar.matcher().shortestCompletion().tokens
  const wrong = [0, 1, 2, 5, 9].map((more) => finishWithin(grammar, least + more, random))
  expect(wrong.filter((line) => line !== '')).toEqual([])
})

/** The masks of random schemas, against each token tried alone. */
function judgeSchemas(
  all: readonly unknown[],
  random: Random,
  { steps, budgets }: { steps: number; budgets: number },
): { compiled: number; wrong: string[] } {
  let compiled = 0
  const wrong: string[] = []
  for (const schema of all) {
    const mode = random.pick(MODES)
    try {
      const grammar = compile(schema as object, vocabulary, mode)
      compiled++
      const found = judgeBudgets(grammar, random, steps, budgets)
      wrong.push(...found.map((line) => `${JSON.stringify(schema)} ${JSON.stringify(mode)} ${line}`))
    } catch (error) {
      if (!(error instanceof SchemaError || error instanceof LimitError)) throw error
    }
  }
  return { compiled, wrong }
}

describe('on random schemas the mask with a budget is what trying each token says', () => {
  test('of every keyword', () => {
    const random = new Random(seed)
    const all = fc.sample(schemas, { numRuns: 100, seed })
    const { compiled, wrong } = judgeSchemas(all, random, { steps: 6, budgets: 6 })
    expect(wrong).toEqual([])
    // Others have no instance, or ask for what is refused.
    expect(compiled).toBeGreaterThan(50)
  })

  test('of objects with free keys', () => {
    const random = new Random(seed)
    const all = Array.from({ length: 60 }, () => freeKeySchema(random))
    const { compiled, wrong } = judgeSchemas(all, random, { steps: 6, budgets: 8 })
    expect(wrong).toEqual([])
    expect(compiled).toBeGreaterThan(30)
  })

  test('of items that must differ', () => {
    const random = new Random(seed)
    const all = Array.from({ length: 20 }, () => distinctSchema(random))
    const { compiled, wrong } = judgeSchemas(all, random, { steps: 6, budgets: 6 })
    expect(wrong).toEqual([])
    expect(compiled).toBeGreaterThan(10)
  })
})

const parameters = {
  type: 'object',
  properties: { a: { type: 'integer' }, b: { type: 'string', minLength: 2 } },
  required: ['a'],
}
const TOOLS = readTools([{ name: 'on', parameters }, { name: 'off' }])

/** The tiny vocabulary with the control tokens of a format. */
function withControls(controls: readonly string[]): Vocabulary {
  const tokens = Array.from({ length: vocabulary.size }, (_, id) => vocabulary.bytes(id))
  const ids = controls.map((literal) => tokens.push(new TextEncoder().encode(literal)) - 1)
  const end = tokens.push(new TextEncoder().encode('<end>')) - 1
  return Vocabulary.fromBytes(tokens, { endTokens: [end], controlTokens: ids })
}

describe('on the turns of every format', () => {
  test.each(Object.values(FORMATS))('$name', (format) => {
    const random = new Random(seed ^ format.name.length)
    const own = withControls(format.controls)
    for (const mayTalk of [true, false]) {
      const turn = { tools: TOOLS, mayTalk, max: 2, format, thinking: null }
      const { grammar } = turnGrammar(turn, own, {})
      expect(judgeBudgets(compileGrammar(grammar, own), random, 20, 5)).toEqual([])
    }
  })
})

describe.each([
  ['single bytes', byteVocabulary],
  ['the shipped model', shippedVocabulary],
  ['Llama 3.1', llamaVocabulary],
] as const)('on the vocabulary of %s', (_, load) => {
  const names = [
    'tool call',
    'map of integers',
    'many keys that share a beginning',
    'pattern with lengths',
    'bounded string',
    'any value',
    'two open objects',
  ]
  test.each(names)('%s: random texts end within every budget from the least on', (name) => {
    const named = SCHEMAS.find((each) => each.name === name)!
    const random = new Random(seed ^ name.length)
    const grammar = compile(named.schema, load(), { ...random.pick(MODES), ...named.options })
    const least = grammar.matcher().shortestCompletion().tokens
    const wrong: string[] = []
    for (let more = 0; more <= 40; more++) wrong.push(finishWithin(grammar, least + more, random))
    expect(wrong.filter((line) => line !== '')).toEqual([])
  })
})

describe('on a real vocabulary the mask with a budget is what trying each token says', () => {
  test.each(['tool call', 'map of integers', 'bounded string', 'pattern with lengths'])('%s', (name) => {
    const named = SCHEMAS.find((each) => each.name === name)!
    const random = new Random(seed ^ name.length)
    const grammar = compile(named.schema, shippedVocabulary(), { ...random.pick(MODES), ...named.options })
    expect(judgeBudgets(grammar, random, 4, 12)).toEqual([])
  })
})

test('a budget that is no number of tokens is an error, and less than the cost leaves no token', () => {
  const matcher = compile({ type: 'boolean' }, vocabulary).matcher()
  expect(() => matcher.mask(undefined, { budget: 1.5 })).toThrow(RangeError)
  expect(() => matcher.mask(undefined, { budget: -1 })).toThrow(/budget is a number of tokens/)
  for (const budget of [0, 1])
    expect(matcher.mask(undefined, { budget }).every((word) => word === 0)).toBe(true)
  expect(matcher.mask(undefined, { budget: 2 }).some((word) => word !== 0)).toBe(true)
  expect(matcher.mask(undefined, { budget: Number.POSITIVE_INFINITY })).toEqual(matcher.mask())
})
