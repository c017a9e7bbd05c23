/**
 * Random schemas of alternatives that overlap, and all that a matcher offers on the way through a text: masks are those of the
 * oracle whatever was done before, forced bytes are forced, completions complete.
 */
import { describe, expect, test } from 'vitest'
import { compile, SchemaError } from '../../src/core.ts'
import { Judge } from '../support/judges.ts'
import { overlappingSchema } from '../support/overlapping-schemas.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { judgeThoroughly } from '../support/thorough.ts'
import { shuffledVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('overlapping alternatives')
const vocabulary = shuffledVocabulary(new Random(seed))

const MODES = [
  {},
  { whitespace: 'pretty', propertyOrder: 'any' },
  { propertyOrder: 'any', whitespace: 'compact' },
  { propertyOrder: 'any', whitespace: 'any', maxWhitespace: 3, numbers: 'any' },
] as const

describe('of alternatives that overlap', () => {
  test.each(Array.from({ length: 24 }, (_, index) => index))('%i: whatever is asked, it is true', (index) => {
    const random = new Random(seed ^ Math.imul(index + 1, 0x9e3779b1))
    for (let tries = 0; tries < 4; tries++) {
      const schema = overlappingSchema(random)
      const mode = random.pick(MODES)
      try {
        const compiled = compile(schema, vocabulary, mode)
        const judge = new Judge(JSON.stringify(schema))
        const isValid = (text: string): boolean | null => judge.verdict(text)
        const recogniser = Recogniser.ofSchema(schema, mode)
        const wrong = [1, 2, 3].flatMap(() =>
          judgeThoroughly(compiled, recogniser, random, { steps: 20, isValid }),
        )
        expect(wrong.map((line) => `${JSON.stringify(mode)} ${JSON.stringify(schema)} ${line}`)).toEqual([])
        return
      } catch (error) {
        // Nothing may satisfy it, or it says what is not enforced.
        if (!(error instanceof SchemaError)) throw error
      }
    }
  })
})
