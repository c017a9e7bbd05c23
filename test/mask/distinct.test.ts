/**
 * Random arrays whose items must differ, against every text there is: those of the schema without `uniqueItems` are written
 * down with the recogniser, the plain validator says which are valid, and a mask must allow exactly the tokens with which one
 * of them goes on.
 */
import { describe, expect, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import {
  type CompiledGrammar,
  type CompiledSchema,
  choice,
  compile,
  compilePart,
  jsonSchema,
  type Matcher,
  optional,
  type Part,
  repeat,
  SchemaError,
  type SchemaOptions,
  sequence,
} from '../../src/core.ts'
import { distinctSchema } from '../support/distinct-schemas.ts'
import { restOfCompletion, showToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { ourFormats, Validator } from '../support/validator.ts'
import { shuffledVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('random items that must differ')
const vocabulary = shuffledVocabulary(new Random(seed))
const MODES = [
  { propertyOrder: 'any', whitespace: 'compact' },
  { whitespace: 'compact' },
  {},
  { whitespace: 'pretty' },
] as const
/** Schemas with more texts than these are left. */
const MAX_TEXTS = 1500
/** Bytes that the texts are made of. */
const BYTES = [...Buffer.from('\né𝄞'), ...Array.from({ length: 0x5f }, (_, i) => 0x20 + i)]

function withoutUnique(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutUnique)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'uniqueItems')
      .map(([key, value]) => [key, key === 'const' || key === 'enum' ? value : withoutUnique(value)]),
  )
}

/** All valid texts, one byte a unit; `null` where they are too many. */
function validTexts(schema: object, mode: SchemaOptions): string[] | null {
  const recogniser = Recogniser.ofSchema(withoutUnique(schema) as object, mode)
  const validator = new Validator(JSON.stringify(schema), ourFormats())
  const texts: string[] = []
  const pending = [{ state: recogniser.start, text: '' }]
  for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
    if (recogniser.isComplete(top.state)) texts.push(top.text)
    for (const byte of BYTES) {
      const state = recogniser.step(top.state, byte)
      if (state !== 0) pending.push({ state, text: top.text + String.fromCharCode(byte) })
    }
    if (texts.length > MAX_TEXTS) return null
  }
  return texts.filter((text) => validator.accepts(Buffer.from(text, 'latin1').toString()))
}

/** The tokens of the mask; what is wrong with it goes to `wrong`. */
function judge(matcher: Matcher, texts: readonly string[], wrong: string[]): number[] {
  const written = Buffer.from(matcher.bytes()).toString('latin1')
  const possible = texts.filter((text) => text.startsWith(written))
  const rests = new Set<string>()
  for (const text of possible)
    for (let end = written.length + 1; end <= text.length; end++) rests.add(text.slice(written.length, end))
  const mask = matcher.mask()
  const content: number[] = []
  for (let id = 0; id < vocabulary.size; id++) {
    const isEnd = vocabulary.endTokens.includes(id)
    const expected = isEnd
      ? possible.includes(written)
      : rests.has(Buffer.from(vocabulary.bytes(id)!).toString('latin1'))
    if (hasBit(mask, id) !== expected)
      wrong.push(
        `after ${written}: ${showToken(vocabulary, id)} should be ${expected ? 'allowed' : 'refused'}`,
      )
    else if (expected && !isEnd) content.push(id)
  }
  const least = Math.min(...possible.map((text) => text.length))
  const { text } = matcher.shortestCompletion()
  const completed = Buffer.from(matcher.text() + text).toString('latin1')
  if (completed.length !== least || !possible.includes(completed))
    wrong.push(`after ${written}: the completion is ${text}`)
  return content
}

/** Walks to the end, now and then a token back or on in a fork. */
function walk(compiled: CompiledSchema, texts: readonly string[], random: Random): string[] {
  const wrong: string[] = []
  let matcher = compiled.matcher()
  for (let step = 0; step < 40; step++) {
    const content = judge(matcher, texts, wrong)
    if (content.length === 0 || wrong.length > 0) break
    if (!matcher.accept(random.pick(content))) throw new Error('a token of the mask was refused')
    const turn = random.below(10)
    if (turn === 0) matcher.rollback(1)
    if (turn === 1) matcher = matcher.fork()
  }
  return wrong
}

/** The shortest, the lowest bytes among those; `undefined` of none. */
function leastOf(texts: readonly string[]): string | undefined {
  return [...texts].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0]
}

/** Where a value stands between brackets, and what is to come behind: `one` are all values between brackets. */
interface Place {
  readonly title: string
  part(one: Part): Part
  /** What follows the first closing bracket in the least text. */
  after(least: string): string
}
const PLACES: readonly Place[] = [
  { title: 'repeated', part: (one) => repeat(one, { min: 1, max: 2 }), after: () => '' },
  { title: 'repeated without end', part: (one) => repeat(one, { min: 1 }), after: () => '' },
  { title: 'twice', part: (one) => sequence(one, one), after: (least) => `<${least}>` },
  { title: 'with others that may follow', part: (one) => sequence(one, optional(one)), after: () => '' },
  {
    title: 'before something shorter or longer',
    part: (one) => sequence(one, choice('<aaaaaaaaaaaa>', one)),
    after: (least) => leastOf([`<${least}>`, '<aaaaaaaaaaaa>'])!,
  },
]

/** What is wrong with the completions along a text that begins with a value between brackets, and goes on as is least. */
function judgeAlong(
  grammar: CompiledGrammar,
  texts: readonly string[],
  after: string,
  random: Random,
): string[] {
  const wrong: string[] = []
  const matcher = grammar.matcher()
  const written = `<${random.pick(texts)}>${after}`
  const firsts = texts.map((text) => `<${text}>`)
  for (let end = 0; end <= written.length; end++) {
    const begun = written.slice(0, end)
    const expected = leastOf(
      firsts.map((first) => first + after).filter((text) => text.startsWith(begun)),
    )!.slice(end)
    const rest = Buffer.from(restOfCompletion(matcher)).toString('latin1')
    if (rest !== expected) wrong.push(`after ${begun}: the completion is ${rest}, not ${expected}`)
    if (end < written.length && !matcher.acceptBytes(Buffer.of(written.charCodeAt(end))))
      throw new Error('a byte was refused')
  }
  return wrong
}

/** Draws schemas and modes until there is one with texts, and few enough of them. */
function onSome(
  random: Random,
  judge: (schema: object, mode: SchemaOptions, texts: readonly string[]) => void,
): void {
  for (;;) {
    const schema = distinctSchema(random)
    const mode = random.pick(MODES)
    try {
      const texts = validTexts(schema, mode)
      if (texts === null) continue
      judge(schema, mode, texts)
      return
    } catch (error) {
      // Nothing may satisfy it, and whether enough items can differ is not always told.
      if (!(error instanceof SchemaError)) throw error
    }
  }
}

describe('of random items that must differ a mask allows what some valid text goes on with', () => {
  test.each(Array.from({ length: 20 }, (_, index) => index))('%i', (index) => {
    const random = new Random(seed ^ Math.imul(index + 1, 0x9e3779b1))
    onSome(random, (schema, mode, texts) => {
      const compiled = compile(schema, vocabulary, mode)
      expect(texts).not.toEqual([])
      const wrong = Array.from({ length: 6 }, () => walk(compiled, texts, random)).flat()
      expect(wrong.slice(0, 5).map((line) => `${JSON.stringify(schema)} ${line}`)).toEqual([])
    })
  })
})

describe('values of items that must differ are completed wherever they stand', () => {
  test.each(Array.from({ length: 10 }, (_, index) => index))('%i', (index) => {
    const random = new Random(seed ^ Math.imul(index + 1, 0x85ebca6b))
    onSome(random, (schema, mode, texts) => {
      const least = leastOf(texts)!
      for (const { title, part, after } of PLACES) {
        const grammar = compilePart(part(sequence('<', jsonSchema(schema), '>')), vocabulary, mode)
        const wrong = judgeAlong(grammar, texts, after(least), random)
        expect(wrong.slice(0, 3).map((line) => `${title}, ${JSON.stringify(schema)} ${line}`)).toEqual([])
      }
    })
  })
})

describe('of a list whose least items are searched for', () => {
  const long = 'a text that is longer than what else there is, and by far so'
  const either = { enum: ['a', long] }
  const two = { type: 'array', prefixItems: [either, either], items: false, minItems: 2, uniqueItems: true }
  const short = { const: 'a text that is not so long' }
  const open = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }

  test.each([{ whitespace: 'compact' }, { whitespace: 'pretty' }] as const)(
    'what is longer than it would be with equal items is not taken, where values hold others of their kind ($whitespace)',
    (mode) => {
      const inside = { type: 'array', items: { $ref: '#/$defs/t' }, minItems: 1 }
      const values = { $ref: '#/$defs/t', $defs: { t: { anyOf: [two, inside, short] } } }
      expect(compile(values, vocabulary, mode).matcher().shortestCompletion().text).toBe(
        JSON.stringify(short.const),
      )
    },
  )

  test('nothing is searched for where the list need not be written', () => {
    const list = { type: 'array', items: open, minItems: 1000, uniqueItems: true }
    const schema = { type: 'object', properties: { a: list, b: { $ref: '#/properties/a' } } }
    expect(compile(schema, vocabulary).matcher().shortestCompletion().text).toBe('{}')
  })
})
