/**
 * Random schemas against Ajv: what is generated validates, what validates is accepted, and a cut can be completed.
 * `SEED` repeats a run; fast-check shrinks what fails.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompiledSchema, compile, LimitError, SchemaError, type SchemaOptions } from '../../src/core.ts'
import { chooseToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import {
  guess,
  schemas,
  type Value,
  validatorOf,
  wideSchemas,
  writeLoosely,
} from '../support/random-schemas.ts'
import { MODES } from '../support/schemas.ts'
import { accepts } from '../support/suite.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('random schemas')
const ANY: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }
const { vocabulary, ends } = tinyVocabulary()
const RUNS = Number(process.env.ESPALIER_CI ? 3000 : 200)

/** The compiled schema, or whether it is refused for what is not enforced (or too costly), or as satisfied by nothing. */
function compiled(schema: object, options: SchemaOptions): CompiledSchema | 'refused' | 'empty' {
  try {
    return compile(schema, options === ANY ? byteVocabulary() : vocabulary, options)
  } catch (error) {
    if (error instanceof LimitError) return 'refused'
    if (!(error instanceof SchemaError)) throw error
    return error.keyword === undefined ? 'empty' : 'refused'
  }
}

/** Whether doubles, the only numbers that Ajv knows, say every number of the text exactly enough. */
function isExact(text: string): boolean {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []
  return numbers.every((number) => {
    const digits = number.replace(/[eE].*$/, '').replace(/\D/g, '')
    const size = Math.abs(Number(number))
    return /^0*$/.test(digits) || (digits.length <= 14 && size < 1e15 && size > 1e-15)
  })
}

describe.each([
  ['schemas of the keywords that are always enforced', schemas, RUNS],
  ['schemas of all keywords', wideSchemas, RUNS / 2],
] as const)('%s', (_, arbitrary, runs) => {
  test('a random walk ends, and Ajv accepts every text and every completion on the way', () => {
    let walks = 0
    fc.assert(
      fc.property(arbitrary, fc.nat(), (schema, walkSeed) => {
        const random = new Random(walkSeed)
        const options = random.pick(MODES)
        const grammar = compiled(schema, options)
        if (typeof grammar === 'string') return
        walks++
        const validate = validatorOf(schema)
        const matcher = grammar.matcher()
        const finishAfter = random.below(20)
        for (let step = 0; ; step++) {
          const whole = matcher.text() + matcher.shortestCompletion().text
          if (isExact(whole) && !validate(JSON.parse(whole))) {
            throw new Error(
              `${JSON.stringify(options)}: after ${JSON.stringify(matcher.text())} Ajv refuses ${whole}: ${JSON.stringify(validate.errors)}`,
            )
          }
          const cost = matcher.shortestCompletion().tokens
          const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
          if (!matcher.accept(id)) throw new Error(`a token of the mask is refused after ${matcher.text()}`)
          if (ends.includes(id)) break
          if (step >= finishAfter && matcher.shortestCompletion().tokens >= cost)
            throw new Error(`the cost does not fall after ${matcher.text()}`)
        }
        if (!isExact(matcher.text())) return
        if (!validate(JSON.parse(matcher.text()))) throw new Error(`Ajv refuses ${matcher.text()}`)
      }),
      { seed, numRuns: runs },
    )
    expect(walks).toBeGreaterThan(runs / 4)
  })

  test('an instance is accepted exactly if Ajv accepts it', () => {
    const counts = { valid: 0, invalid: 0, refused: 0, empty: 0 }
    fc.assert(
      fc.property(arbitrary, fc.nat(), (schema, guessSeed) => {
        const random = new Random(guessSeed)
        const grammar = compiled(schema, ANY)
        const validate = validatorOf(schema)
        if (grammar === 'refused') counts.refused++
        if (grammar === 'empty') counts.empty++
        for (let i = 0; i < 15; i++) {
          const value: Value = guess(schema, schema, random)
          const valid = validate(value)
          if (grammar === 'refused') continue
          if (grammar === 'empty') {
            if (valid)
              throw new Error(`refused as satisfied by nothing, but Ajv accepts ${JSON.stringify(value)}`)
            continue
          }
          counts[valid ? 'valid' : 'invalid']++
          const text = writeLoosely(value, random)
          if (accepts(grammar, text) !== valid) throw new Error(`Ajv says ${valid} of ${text}`)
        }
      }),
      { seed, numRuns: runs },
    )
    process.stdout.write(`random instances: ${JSON.stringify(counts)}\n`)
    expect(counts.valid).toBeGreaterThan(runs)
    expect(counts.invalid).toBeGreaterThan(runs)
  })
})
