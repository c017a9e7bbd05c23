/** Random schemas of every dialect: the engine accepts what the plain validator accepts, number by number as written. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CompiledSchema, compile, LimitError, SchemaError } from '../../src/core.ts'
import { Random, seedOf } from '../support/random.ts'
import { accepts } from '../support/suite.ts'
import { Unjudged, Validator } from '../support/validator.ts'
import { byteVocabulary } from '../support/vocabularies.ts'
import { DIALECTS, dialectSchemas, otherNumbers } from './dialects.ts'
import { likelyTexts } from './likely.ts'
import { anyValue } from './random.ts'

const seed = seedOf('dialects')
const SCHEMAS = process.env.ESPALIER_CI ? 420 : 120
const VALUES = 8

function compiled(schema: string): CompiledSchema | 'refused' | 'empty' {
  try {
    return compile(schema, byteVocabulary(), { whitespace: 'any', propertyOrder: 'any', numbers: 'any' })
  } catch (error) {
    if (error instanceof LimitError) return 'refused'
    if (!(error instanceof SchemaError)) throw error
    return error.errors.some(({ keyword }) => keyword !== undefined) ? 'refused' : 'empty'
  }
}

test.each(DIALECTS)('draft %s', (dialect) => {
  const random = new Random(seed + dialect)
  const counts = { compiled: 0, empty: 0, refused: 0, valid: 0, invalid: 0 }
  const schemas = dialectSchemas(dialect, seed + dialect, SCHEMAS)
  const values = fc.sample(anyValue, { seed: seed + dialect, numRuns: schemas.length * VALUES })
  for (const [index, schema] of schemas.entries()) {
    const grammar = compiled(schema)
    counts[typeof grammar === 'string' ? grammar : 'compiled']++
    if (grammar === 'refused') continue
    // Texts are written as the engine writes them, but for numbers like 1.0.
    const narrowed =
      grammar !== 'empty' &&
      grammar.report.narrowings.some(({ message }) => /^numbers like 1\.0 /.test(message))
    const validator = new Validator(schema, new Map())
    const texts = values.slice(index * VALUES, (index + 1) * VALUES).map((value) => JSON.stringify(value))
    texts.push(...likelyTexts(schema, random, VALUES))
    for (const written of texts) {
      const text = otherNumbers(written, random)
      let valid: boolean
      try {
        valid = validator.accepts(text)
      } catch (error) {
        if (error instanceof Unjudged) continue
        throw error
      }
      counts[valid ? 'valid' : 'invalid']++
      const accepted: boolean = grammar !== 'empty' && accepts(grammar, text)
      if (accepted !== valid && !(valid && narrowed)) {
        expect.fail(
          `${schema} ${grammar === 'empty' ? 'is empty and ' : ''}${accepted ? 'accepts' : 'refuses'} ${text}`,
        )
      }
    }
  }
  process.stdout.write(`draft ${dialect}: ${JSON.stringify(counts)}\n`)
  expect(counts.compiled).toBeGreaterThan(SCHEMAS / 3)
  expect(counts.valid).toBeGreaterThan(SCHEMAS)
})
