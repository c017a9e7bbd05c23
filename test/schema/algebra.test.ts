/**
 * The algebra against a plain validator: for random pairs of schemas intersection, difference and exclusive union hold
 * exactly the values that the verdicts on both say (where the whole is refused, its records do), what is decided to be
 * empty survives a search for a value, and each part of what is kept has a witness that validates.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compile, LimitError, SchemaError, type SchemaOptions } from '../../src/core.ts'
import type { Expr, Grammar } from '../../src/grammar/grammar.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { Random, seedOf } from '../support/random.ts'
import { accepts } from '../support/suite.ts'
import { Validator } from '../support/validator.ts'
import { byteVocabulary } from '../support/vocabularies.ts'
import { compileSchema } from './compile.ts'
import { ShapeJudge } from './judge.ts'
import { likelyTexts } from './likely.ts'
import { anySchema, type Kinds } from './random.ts'

const seed = seedOf('algebra')
const RUNS = process.env.ESPALIER_CI ? 300 : 90
/** Texts that each combination is asked for; more where nothing should satisfy it. */
const TEXTS = 20
const SEARCH = 150

const ANY: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }
const PLAIN: Kinds = { hard: false, unevaluated: false, counted: false }
const HARD: Kinds = { hard: true, unevaluated: false, counted: false }
const COUNTED: Kinds = { hard: true, unevaluated: false, counted: true }

/** What `make` makes of a schema, or why it makes nothing. */
function attempt<T>(make: () => T): T | 'empty' | 'refused' {
  try {
    return make()
  } catch (error) {
    if (error instanceof LimitError) return 'refused'
    if (!(error instanceof SchemaError)) throw error
    return error.errors.some(({ keyword }) => keyword !== undefined) ? 'refused' : 'empty'
  }
}

/** Two schemas in one document, each under a name of its own. */
function pair(a: unknown, b: unknown, combined: object): string {
  const under = (schema: unknown, name: string): unknown =>
    JSON.parse(JSON.stringify(schema).replaceAll('#/$defs/', `#/$defs/${name}/$defs/`))
  return JSON.stringify({ ...combined, $defs: { a: under(a, 'a'), b: under(b, 'b') } })
}

const A = { $ref: '#/$defs/a' }
const B = { $ref: '#/$defs/b' }

const OPERATIONS: readonly (readonly [string, object, (a: boolean, b: boolean) => boolean])[] = [
  ['intersection', { allOf: [A, B] }, (a, b) => a && b],
  ['union', { anyOf: [A, B] }, (a, b) => a || b],
  ['difference', { allOf: [A, { not: B }] }, (a, b) => a && !b],
  ['complement of the union', { not: { anyOf: [A, B] } }, (a, b) => !a && !b],
  ['complement of the intersection', { not: { allOf: [A, B] } }, (a, b) => !(a && b)],
  ['exclusive union', { oneOf: [A, B] }, (a, b) => a !== b],
  [
    'condition',
    Object.fromEntries([
      ['if', A],
      ['then', B],
    ]),
    (a, b) => !a || b,
  ],
]

describe.each([
  ['plain schemas', PLAIN, 0.4],
  ['schemas with not and if', HARD, 0.4],
  ['schemas that count', COUNTED, 0.5],
] as const)('%s', (_, kinds, refusable) => {
  test.each(OPERATIONS)('%s', (name, combined, holds) => {
    const random = new Random(seed)
    const from = seed + name.length
    const schemas = fc.sample(fc.tuple(anySchema(kinds), anySchema(kinds)), { seed: from, numRuns: RUNS / 3 })
    let refused = 0
    for (const [a, b] of schemas) {
      const schema = pair(a, b, combined)
      const result = attempt(() => compile(schema, byteVocabulary(), ANY))
      if (result === 'refused') refused++
      const records = result === 'refused' ? new ShapeJudge(schema) : null
      const [left, right] = [a, b].map((each) => new Validator(JSON.stringify(each), new Map()))
      for (const text of likelyTexts(schema, random, result === 'empty' ? SEARCH : TEXTS)) {
        const expected = holds(left!.accepts(text), right!.accepts(text))
        // The validator of the whole is what other tests trust.
        expect(new Validator(schema, new Map()).accepts(text)).toBe(expected)
        const accepted =
          result === 'empty' ? false : result === 'refused' ? records?.verdict(text) : accepts(result, text)
        if ((accepted ?? expected) !== expected)
          expect.fail(
            `${schema} ${result === 'empty' ? 'is empty and ' : ''}${accepted ? 'accepts' : 'refuses'} ${text}`,
          )
      }
    }
    expect(refused).toBeLessThan((RUNS / 3) * refusable)
  })

  test('each part of what is kept has a witness that validates', () => {
    let witnesses = 0
    for (const each of fc.sample(anySchema(kinds), { seed: seed + 1, numRuns: RUNS })) {
      const schema = JSON.stringify(each)
      const result = attempt(() => compileSchema(schema))
      if (typeof result === 'string') continue
      const validator = new Validator(schema, new Map())
      const { grammar } = result
      for (const body of variants(grammar.rules[grammar.root]!.body, grammar, 3)) {
        const rules = [...grammar.rules, { name: 'witness', body }]
        const text = compileGrammar({ ...grammar, rules, root: rules.length - 1 }, byteVocabulary())
          .matcher()
          .shortestCompletion().text
        witnesses++
        if (!validator.accepts(text)) expect.fail(`${schema} keeps ${text}`)
      }
    }
    expect(witnesses).toBeGreaterThan(RUNS * 2)
  })
})

/** Fields of containers that say nothing of other fields: with others, a part cannot be asked for by itself. */
const FREE = new Set([
  ...['type', 'properties', 'forbidden', 'additional', 'classes', 'minProperties', 'maxProperties', 'order'],
  ...['prefix', 'rest', 'min', 'max'],
])

/** The expression with one part of it made necessary: an option of a choice, a property, an item. */
function* variants(expr: Expr, grammar: Grammar, depth: number): Generator<Expr> {
  if (expr.type === 'call' && depth > 0) yield* variants(grammar.rules[expr.rule]!.body, grammar, depth - 1)
  else if (expr.type === 'choice') for (const option of expr.options) yield* variants(option, grammar, depth)
  else yield expr
  if (depth === 0 || Object.keys(expr).some((field) => !FREE.has(field))) return
  if (expr.type === 'object') {
    const { properties, maxProperties = Number.POSITIVE_INFINITY } = expr
    const required = properties.filter((property) => property.required).length
    for (const [index, property] of properties.entries()) {
      if (!property.required && required >= maxProperties) continue
      for (const value of variants(property.value, grammar, depth - 1))
        yield { ...expr, properties: properties.with(index, { ...property, value, required: true }) }
    }
  } else if (expr.type === 'array') {
    for (const [index, item] of expr.prefix.entries()) {
      if (index >= expr.max) break
      for (const value of variants(item, grammar, depth - 1))
        yield { ...expr, prefix: expr.prefix.with(index, value), min: Math.max(expr.min, index + 1) }
    }
    if (expr.rest !== null && expr.prefix.length < expr.max) {
      for (const value of variants(expr.rest, grammar, depth - 1))
        yield { ...expr, rest: value, min: Math.max(expr.min, expr.prefix.length + 1) }
    }
  }
}
