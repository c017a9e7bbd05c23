/** The oracle at length: longer walks, every way of writing, random schemas, all states of walks over real vocabularies. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompiledSchema, compile, LimitError, SchemaError } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { judgeMasks, judgeSchema } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { wideSchemas } from '../support/random-schemas.ts'
import { Recogniser } from '../support/recogniser.ts'
import { MODES, modesOf, SCHEMAS } from '../support/schemas.ts'
import { llamaVocabulary, shippedVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('masks against the oracle, at length')

describe('long walks on a tiny vocabulary', () => {
  const { vocabulary, control } = tinyVocabulary()

  test.each(SCHEMAS)('$name', (named) => {
    const random = new Random(seed ^ SCHEMAS.indexOf(named))
    const wrong = modesOf(named).flatMap((mode) =>
      [60, 60].flatMap((steps) => judgeSchema(named, mode, vocabulary, random, steps)),
    )
    expect(wrong).toEqual([])
  })

  test.each(grammars(control))('$name, a grammar without a schema', ({ name, build }) => {
    const random = new Random(seed ^ name.length)
    const recogniser = new Recogniser(build())
    const compiled = compileGrammar(build(), vocabulary)
    const wrong = Array.from({ length: 60 }, () => judgeMasks(compiled, recogniser, random, 40)).flat()
    expect(wrong).toEqual([])
  })
})

test('random schemas', () => {
  const { vocabulary } = tinyVocabulary()
  fc.assert(
    fc.property(wideSchemas, fc.nat(), (schema, walkSeed) => {
      const random = new Random(walkSeed)
      const mode = random.pick(MODES)
      let grammar: CompiledSchema
      try {
        grammar = compile(schema, vocabulary, mode)
      } catch (error) {
        if (error instanceof SchemaError || error instanceof LimitError) return
        throw error
      }
      if (!Recogniser.covers(schema, mode)) return
      expect(judgeMasks(grammar, Recogniser.ofSchema(schema, mode), random, 16)).toEqual([])
    }),
    { seed, numRuns: 1500 },
  )
})

describe.each([
  ['the shipped model', shippedVocabulary],
  ['Llama 3.1', llamaVocabulary],
] as const)('walks on the vocabulary of %s', (_, load) => {
  test.each(SCHEMAS)('$name', (named) => {
    const random = new Random(seed ^ SCHEMAS.indexOf(named))
    const wrong = [8, 8].flatMap((steps) => judgeSchema(named, random.pick(MODES), load(), random, steps))
    expect(wrong).toEqual([])
  })
})
