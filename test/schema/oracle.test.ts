/** Random schemas, judged by Ajv: what the grammar accepts validates, and what validates is accepted. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SchemaError } from '../../src/errors.ts'
import { seedOf } from '../support/random.ts'
import { deadEnds } from './alive.ts'
import { type Compiled, compileSchema } from './compile.ts'
import { ShapeJudge } from './judge.ts'
import { anySchema, anyValue } from './random.ts'

const SEED = seedOf('schemas against Ajv')
const RUNS = Number(process.env.RUNS ?? 250)

/** `empty` where nothing satisfies the schema, `refused` where it cannot be enforced. */
function compile(schema: object): Compiled | 'empty' | 'refused' {
  try {
    return compileSchema(JSON.stringify(schema))
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.errors.some(({ keyword }) => keyword !== undefined) ? 'refused' : 'empty'
  }
}

/** Ajv's verdict on a value; `undefined` where the code it made of the schema throws. */
function validator(schema: unknown, unevaluated: boolean): (value: unknown) => boolean | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false, unevaluated })
  const validate = ajv.compile(schema as object)
  return (value) => {
    try {
      return validate(value)
    } catch (error) {
      if (error instanceof TypeError) return undefined
      throw error
    }
  }
}

describe('random schemas', () => {
  test.each([
    ['of the plain keywords', { hard: false, unevaluated: false, counted: false }, 0.05],
    ['with not, if and dependencies', { hard: true, unevaluated: false, counted: false }, 0.1],
    ['with what others leave unevaluated', { hard: false, unevaluated: true, counted: false }, 0.1],
  ])('%s agree with Ajv on random values and have no dead end', (_, kinds, refusable) => {
    const counts = { compiled: 0, empty: 0, refused: 0 }
    const schemas = fc.sample(anySchema(kinds), { seed: SEED, numRuns: RUNS })
    const values = fc.sample(anyValue, { seed: SEED, numRuns: RUNS * 20 })
    schemas.forEach((schema, index) => {
      const result = compile(schema as object)
      if (typeof result === 'string') counts[result]++
      else counts.compiled++
      if (result === 'refused') return
      if (result !== 'empty') {
        expect({ schema, dead: deadEnds(result.grammar, result.regexes) }).toEqual({ schema, dead: [] })
      }
      const validate = validator(schema, kinds.unevaluated)
      for (const value of values.slice(index * 20, index * 20 + 20)) {
        const accepted: boolean = result !== 'empty' && result.accepts(JSON.stringify(value))
        if ((validate(value) ?? accepted) !== accepted) {
          expect.fail(
            `${JSON.stringify(schema)} ${accepted ? 'accepts' : 'refuses'} ${JSON.stringify(value)}`,
          )
        }
      }
    })
    expect(counts.refused).toBeLessThan(RUNS * refusable)
    expect(counts.compiled).toBeGreaterThan(counts.empty)
  })

  test('records agree with Ajv on complements that no grammar says yet', () => {
    const kinds = { hard: true, unevaluated: false, counted: false }
    const schemas = fc.sample(anySchema(kinds), { seed: SEED + 1, numRuns: RUNS })
    const values = fc.sample(anyValue, { seed: SEED + 1, numRuns: RUNS * 20 })
    schemas.forEach((schema, index) => {
      const validate = validator(schema, false)
      const judge = new ShapeJudge(JSON.stringify(schema))
      for (const value of values.slice(index * 20, index * 20 + 20)) {
        const text = JSON.stringify(value)
        const accepted = judge.accepts(text)
        if (accepted && !judge.isSatisfiable) expect.fail(`${JSON.stringify(schema)} has the value ${text}`)
        if ((validate(value) ?? accepted) !== accepted) {
          expect.fail(`${JSON.stringify(schema)} ${accepted ? 'accepts' : 'refuses'} ${text}`)
        }
      }
    })
  })
})
