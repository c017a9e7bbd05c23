/**
 * Random objects that owe something: an entry of some kind, or the names that others bring. Masks and completions against
 * the recogniser, texts and instances in any order against Ajv.
 */
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { type CompiledSchema, compile, SchemaError, type SchemaOptions } from '../../src/core.ts'
import { chooseToken, difference, expectedMask, restOfCompletion, showBytes } from '../support/masks.ts'
import { randomEntries, randomObject } from '../support/object-schemas.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { MODES } from '../support/schemas.ts'
import { accepts } from '../support/suite.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('objects that owe something')
const RUNS = Number(process.env.RUNS ?? (process.env.ESPALIER_CI ? 1500 : 30))
const ANY: SchemaOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }
const { vocabulary, ends } = tinyVocabulary()

/** The verdict of Ajv in draft 7: the code that it makes of later ones to track what is evaluated throws on some of these. */
function validatorOf(schema: object): (value: unknown) => boolean {
  const older = JSON.stringify(schema).replace(/dependentRequired|dependentSchemas/g, 'dependencies')
  return new Ajv({ strict: false }).compile(JSON.parse(older))
}

/** `null` where nothing satisfies the schema. */
function compiled(schema: object, make: () => CompiledSchema): CompiledSchema | null {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof SchemaError) || error.keyword !== undefined)
      throw new Error(`${JSON.stringify(schema)}: ${(error as Error).message}`)
    return null
  }
}

test('masks and completions are those of the recogniser, and texts validate', () => {
  for (let run = 0; run < RUNS; run++) {
    const random = new Random(seed + run)
    const schema = randomObject(random)
    const options = random.pick(MODES)
    const grammar = compiled(schema, () => compile(schema, vocabulary, options))
    if (grammar === null) continue
    const where = `${seed + run} ${JSON.stringify(options)} ${JSON.stringify(schema)}`
    const recogniser = Recogniser.ofSchema(schema, options)
    const matcher = grammar.matcher()
    const finishAfter = random.below(16)
    let state = recogniser.start
    for (let step = 0; ; step++) {
      const place = `${where} after ${showBytes(matcher.bytes())}`
      const wrong = difference(matcher.mask(), expectedMask(recogniser, state, vocabulary), vocabulary)
      expect(`${place} ${wrong}`).toBe(`${place} `)
      const rest = restOfCompletion(matcher)
      const shortest = recogniser.shortest(state, 400) ?? rest
      expect(`${place} ${showBytes(rest)}`).toBe(`${place} ${showBytes(shortest)}`)
      expect(`${place} ${recogniser.isComplete(recogniser.run(state, rest))}`).toBe(`${place} true`)
      const { tokens } = matcher.shortestCompletion()
      const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
      expect(`${place} ${matcher.accept(id)}`).toBe(`${place} true`)
      if (step >= finishAfter && matcher.shortestCompletion().tokens >= tokens)
        expect.fail(`${place} the cost does not fall`)
      if (ends.includes(id)) break
      state = recogniser.run(state, vocabulary.bytes(id)!)
    }
    const text = matcher.text()
    expect(`${where} ${text} ${validatorOf(schema)(JSON.parse(text))}`).toBe(`${where} ${text} true`)
  }
})

test('an instance is accepted in whatever order its entries come, exactly if Ajv accepts it', () => {
  const counts = { valid: 0, invalid: 0 }
  for (let run = 0; run < RUNS * 6; run++) {
    const random = new Random(seed + run)
    const schema = randomObject(random)
    const grammar = compiled(schema, () => compile(schema, byteVocabulary(), ANY))
    const validate = validatorOf(schema)
    for (let i = 0; i < 25; i++) {
      const value = randomEntries(random)
      const valid = validate(value)
      counts[valid ? 'valid' : 'invalid']++
      const text = JSON.stringify(value)
      const accepted = grammar !== null && accepts(grammar, text)
      expect(`${seed + run} ${JSON.stringify(schema)} ${text} ${accepted}`).toBe(
        `${seed + run} ${JSON.stringify(schema)} ${text} ${valid}`,
      )
    }
  }
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(RUNS)
})
