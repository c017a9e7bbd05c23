/** The validator against Ajv, on random schemas and instances. `SEED` repeats a run; fast-check shrinks what fails. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readJson } from '../../../src/json/read.ts'
import { Validator } from '../../../src/tools/verdict/validator.ts'
import { Random, seedOf } from '../../support/random.ts'
import { guess, validatorOf, wideSchemas, writeLoosely } from '../../support/random-schemas.ts'

const seed = seedOf('verdicts')

it('finds something wrong exactly where Ajv does, and names a place that there is', () => {
  const counts = { valid: 0, invalid: 0 }
  fc.assert(
    fc.property(wideSchemas, fc.nat(), (schema, guessSeed) => {
      const random = new Random(guessSeed)
      const validate = validatorOf(schema)
      const own = new Validator(readJson(JSON.stringify(schema)), {
        formats: 'assert',
        references: new Map(),
      })
      for (let i = 0; i < 10; i++) {
        const value = guess(schema, schema, random)
        const text = writeLoosely(value, random)
        const violations = own.violations(readJson(text))
        if ((violations.length === 0) !== validate(value))
          throw new Error(`${text} under ${JSON.stringify(schema)}: ${JSON.stringify(violations)}`)
        counts[violations.length === 0 ? 'valid' : 'invalid']++
        for (const { pointer, message } of violations) {
          if (/undefined|\[object/.test(message)) throw new Error(message)
          let place: unknown = value
          for (const step of pointer.split('/').slice(1)) {
            const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
            if (!Object.hasOwn(place as object, key)) throw new Error(`nothing is at ${pointer} of ${text}`)
            place = (place as Record<string, unknown>)[key]
          }
        }
      }
    }),
    { seed, numRuns: 200 },
  )
  expect(counts.valid).toBeGreaterThan(300)
  expect(counts.invalid).toBeGreaterThan(300)
})
