/**
 * Completions and their cost: in every state the shortest text that completes it, the lowest bytes among those, and a
 * number of tokens that some allowed token lowers.
 */
import { describe, expect, test } from 'vitest'
import { compile, type Matcher } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { chooseToken, completionStep, idsOf, restOfCompletion, showToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { modesOf, SCHEMAS } from '../support/schemas.ts'
import {
  byteVocabulary,
  llamaVocabulary,
  shippedVocabulary,
  tinyVocabulary,
} from '../support/vocabularies.ts'

const seed = seedOf('completions')
const { vocabulary, ends, control } = tinyVocabulary()

/** What is wrong with the completion at one state of a matcher, or `''`. */
function judge(matcher: Matcher, recogniser: Recogniser, state: number, exact: boolean): string {
  const { text, tokens } = matcher.shortestCompletion()
  const rest = restOfCompletion(matcher)
  const place = `after ${JSON.stringify(matcher.text())} + ${matcher.bytes().length} bytes, completion ${JSON.stringify(text)}`
  if (!recogniser.isComplete(recogniser.run(state, rest))) return `${place} does not complete it`
  if (tokens < 1 + (rest.length > 0 ? 1 : 0) || tokens > rest.length + 1)
    return `${place} of ${rest.length} bytes costs ${tokens}`
  if (!exact) return ''
  const shortest = recogniser.shortest(state)
  if (shortest === null || Buffer.compare(shortest, rest) === 0) return ''
  return `${place}, but ${JSON.stringify(Buffer.from(shortest).toString('latin1'))} is shorter or lower`
}

/** Whether some allowed token lowers the cost; those the completion begins with are tried first. */
function lowers(matcher: Matcher): boolean {
  const { tokens } = matcher.shortestCompletion()
  const ids = idsOf(matcher.mask())
  if (
    completionStep(
      matcher,
      vocabulary,
      ids.filter((id) => !ends.includes(id)),
    ) !== undefined
  )
    return true
  return ids.some((id) => {
    if (!matcher.accept(id)) return false
    const { tokens: after } = matcher.shortestCompletion()
    matcher.rollback(1)
    return after < tokens
  })
}

describe('on random walks', () => {
  test.each(SCHEMAS)('$name: the completion is the least, and a token lowers its cost', (named) => {
    const random = new Random(seed ^ SCHEMAS.indexOf(named))
    const wrong: string[] = []
    const modes = modesOf(named)
    for (const options of modes.filter((_, i) => i % 4 === seed % 4 || modes.length === 1)) {
      const matcher = compile(named.schema, vocabulary, options).matcher()
      const recogniser = Recogniser.ofSchema(named.schema, options)
      let state = recogniser.start
      for (let step = 0; step < 8; step++) {
        const found = judge(matcher, recogniser, state, true)
        if (found !== '') wrong.push(`${JSON.stringify(options)} ${found}`)
        if (!lowers(matcher))
          wrong.push(
            `${JSON.stringify(options)} after ${JSON.stringify(matcher.text())} no token lowers the cost`,
          )
        const id = chooseToken(matcher, vocabulary, random, false)
        matcher.accept(id)
        if (ends.includes(id) || wrong.length > 0) break
        state = recogniser.run(state, vocabulary.bytes(id)!)
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(grammars(control).filter(({ name }) => !/token|call/.test(name)))(
    '$name, a grammar without a schema',
    ({ build }) => {
      const random = new Random(seed)
      const matcher = compileGrammar(build(), vocabulary).matcher()
      const recogniser = new Recogniser(build())
      let state = recogniser.start
      const wrong: string[] = []
      for (let step = 0; step < 12; step++) {
        const found = judge(matcher, recogniser, state, true)
        if (found !== '') wrong.push(found)
        if (!lowers(matcher)) wrong.push(`after ${JSON.stringify(matcher.text())} no token lowers the cost`)
        const id = chooseToken(matcher, vocabulary, random, false)
        matcher.accept(id)
        if (ends.includes(id)) break
        state = recogniser.run(state, vocabulary.bytes(id)!)
      }
      expect(wrong).toEqual([])
    },
  )

  test('a named token counts as one, with its literal text', () => {
    const named = grammars(control).find(({ name }) => name === 'one call or several')!
    const matcher = compileGrammar(named.build(), vocabulary).matcher()
    const { text, tokens } = matcher.shortestCompletion()
    expect(text).toBe('<tool>\n{"name": "on", "arguments": {"a":0}}\n</tool>')
    expect(matcher.accept(control)).toBe(true)
    expect(matcher.shortestCompletion()).toEqual({ text: text.slice('<tool>'.length), tokens: tokens - 1 })
  })
})

describe('following the completion', () => {
  const names = [
    'tool call',
    'linked list',
    'long counted array',
    'two open objects',
    'map of maps',
    'date-time',
    'keys with escapes',
  ]

  test.each(names)('%s: what remains is the completion again, and the cost reaches the end token', (name) => {
    const { schema } = SCHEMAS.find((each) => each.name === name)!
    const random = new Random(seed ^ name.length)
    for (let walk = 0; walk < 4; walk++) {
      const matcher = compile(schema, vocabulary).matcher()
      for (let i = random.below(6); i > 0 && !matcher.mustStop(); i--) {
        matcher.accept(chooseToken(matcher, vocabulary, random, false))
      }
      if (matcher.mustStop()) continue
      let rest = restOfCompletion(matcher)
      let cost = matcher.shortestCompletion().tokens
      for (let step = 0; step < 2000; step++) {
        const id = chooseToken(matcher, vocabulary, random, true)
        expect(matcher.accept(id)).toBe(true)
        const { tokens } = matcher.shortestCompletion()
        expect(tokens).toBeLessThan(cost)
        cost = tokens
        if (ends.includes(id)) break
        rest = rest.subarray(vocabulary.bytes(id)!.length)
        expect(Buffer.from(restOfCompletion(matcher)).toString('latin1')).toBe(
          Buffer.from(rest).toString('latin1'),
        )
      }
      expect(cost).toBe(0)
    }
  })

  test.each(names)('%s: byte by byte, too', (name) => {
    const { schema } = SCHEMAS.find((each) => each.name === name)!
    const matcher = compile(schema, byteVocabulary()).matcher()
    const { text, tokens } = matcher.shortestCompletion()
    const bytes = Buffer.from(text)
    expect(tokens).toBe(bytes.length + 1)
    bytes.forEach((byte, i) => {
      expect(matcher.shortestCompletion()).toEqual({
        text: bytes.subarray(i).toString(),
        tokens: bytes.length - i + 1,
      })
      expect(matcher.accept(byte)).toBe(true)
    })
    expect(matcher.isComplete()).toBe(true)
  })
})

describe('cut at every byte', () => {
  const text =
    '{"name": "on", "tag": "ab", "list": [{"a": -1.5, "é": "x\\u00e9€𝄞\\n\\ud83d\\ude00"}, {"a": 0, "é": "", "b": null, "\\u0001": [1]}]}'

  test('text and completion are together a text of the grammar, and begin with what was written', () => {
    const { schema } = SCHEMAS.find(({ name }) => name === 'tool call')!
    const recogniser = Recogniser.ofSchema(schema)
    const matcher = compile(schema, byteVocabulary()).matcher()
    Buffer.from(text).forEach((byte) => {
      const whole = Buffer.from(matcher.text() + matcher.shortestCompletion().text)
      expect(whole.subarray(0, matcher.bytes().length)).toEqual(Buffer.from(matcher.bytes()))
      expect(recogniser.complete(whole)).toBe(true)
      expect(() => JSON.parse(whole.toString())).not.toThrow()
      expect(matcher.accept(byte)).toBe(true)
    })
    expect(matcher.isComplete()).toBe(true)
  })
})

describe.each([
  ['the shipped model', shippedVocabulary],
  ['Llama 3.1', llamaVocabulary],
] as const)('on the vocabulary of %s', (_, load) => {
  const names = [
    'tool call',
    'map of integers',
    'many keys that share a beginning',
    'pattern',
    'uuid',
    'any value',
    'nested arrays',
  ]
  test.each(names)('%s: the completion is the least and following it lowers the cost', (name) => {
    const real = load()
    const { schema } = SCHEMAS.find((each) => each.name === name)!
    const random = new Random(seed ^ name.length)
    const matcher = compile(schema, real).matcher()
    const recogniser = Recogniser.ofSchema(schema)
    let state = recogniser.start
    for (let step = 0; step < 40; step++) {
      expect(judge(matcher, recogniser, state, step % 4 === 0)).toBe('')
      const { tokens } = matcher.shortestCompletion()
      const finish = step > 5
      const id = chooseToken(matcher, real, random, finish)
      expect(`${showToken(real, id)} ${matcher.accept(id)}`).toBe(`${showToken(real, id)} true`)
      if (finish) expect(matcher.shortestCompletion().tokens).toBeLessThan(tokens)
      if (real.endTokens.includes(id)) break
      state = recogniser.run(state, real.bytes(id)!)
    }
  })
})

test.each([
  { additionalProperties: { $ref: '#' } },
  { patternProperties: { '^k': { $ref: '#' } }, additionalProperties: false },
])('nor does recursion through other keys keep it from its end: %j', (further) => {
  const schema = { type: 'object', minProperties: 1, properties: { z: { const: 1 } }, ...further }
  const matcher = compile(schema, vocabulary, { whitespace: 'pretty' }).matcher()
  expect(matcher.shortestCompletion().text).toBe('{\n  "z": 1\n}')
})

test('a recursive object that needs some entry is completed with its lines, too', () => {
  const schema = {
    type: 'object',
    properties: {
      again: { $ref: '#' },
      list: { type: 'array', items: { $ref: '#' }, minItems: 1 },
      b: { enum: [12] },
    },
    additionalProperties: false,
    minProperties: 1,
  }
  const matcher = compile(schema, vocabulary, { whitespace: 'pretty' }).matcher()
  expect(matcher.shortestCompletion().text).toBe('{\n  "b": 12\n}')
})

describe('indented values that hold values of their kind', () => {
  const r = { $ref: '#/$defs/r' }
  const list = { type: 'array', items: { type: 'integer' }, minItems: 6 }
  const only = { additionalProperties: false }
  const zeros = (depth: number): string => {
    const line = `\n${' '.repeat(2 * depth)}`
    return `[${Array(6).fill(`${line}  0`).join()}${line}]`
  }
  test.each([
    ['or a list', { anyOf: [list, { type: 'object', properties: { x: r }, required: ['x'], ...only }] }, ''],
    [
      'and at least one entry',
      { type: 'object', properties: { x: r, b: list }, minProperties: 1, ...only },
      '"b": ',
    ],
    [
      'and at least one entry, or two',
      {
        type: 'object',
        properties: { x: r, b: list },
        minProperties: 1,
        dependentRequired: { x: ['b'] },
        ...only,
      },
      '"b": ',
    ],
  ])('%s: are completed without the same again, deeper and deeper', (_, own, key) => {
    const matcher = compile({ ...r, $defs: { r: own } }, vocabulary, { whitespace: 'pretty' }).matcher()
    const least = (depth: number): string =>
      key === ''
        ? zeros(depth)
        : `{\n${'  '.repeat(depth + 1)}${key}${zeros(depth + 1)}\n${'  '.repeat(depth)}}`
    expect(matcher.shortestCompletion().text).toBe(least(0))
    for (let depth = 0; depth < 20; depth++) {
      for (const byte of Buffer.from(`{\n${'  '.repeat(depth + 1)}"x": `))
        expect(matcher.accept(byte)).toBe(true)
      expect(matcher.shortestCompletion().text.startsWith(least(depth + 1))).toBe(true)
    }
  })
})
