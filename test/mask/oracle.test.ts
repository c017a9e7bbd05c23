/**
 * The oracle: in every state the mask equals trying each token alone, byte by byte, on a plain recogniser that shares no
 * code with the masks. `SEED` repeats a run; longer walks are in `oracle.ci.test.ts`.
 */
import { describe, expect, test } from 'vitest'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { judgeMasks, judgeSchema } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { MODES, modesOf, SCHEMAS } from '../support/schemas.ts'
import { llamaVocabulary, shippedVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('masks against the oracle')

describe('on a tiny vocabulary the mask is what the recogniser allows', () => {
  const { vocabulary } = tinyVocabulary()
  test.each(SCHEMAS)('$name', (named) => {
    const random = new Random(seed ^ SCHEMAS.indexOf(named))
    const wrong = modesOf(named).flatMap((mode) => judgeSchema(named, mode, vocabulary, random, 14))
    expect(wrong).toEqual([])
  })
})

describe('on grammars that no schema gives, too', () => {
  const { vocabulary, control } = tinyVocabulary()
  test.each(grammars(control))('$name', ({ name, build }) => {
    const random = new Random(seed ^ name.length)
    const recogniser = new Recogniser(build())
    const compiled = compileGrammar(build(), vocabulary)
    const wrong = Array.from({ length: 8 }, () => judgeMasks(compiled, recogniser, random, 14)).flat()
    expect(wrong).toEqual([])
  })
})

/** Schemas whose masks are put together in different ways. */
const SAMPLE = [
  'any value',
  'pattern with lengths',
  'bounded string',
  'enum with shared beginnings',
  'map of integers',
  'many keys that share a beginning',
  'counted array',
  'two open objects',
  'tool call',
]

describe.each([
  ['the shipped model', shippedVocabulary, 3],
  ['Llama 3.1', llamaVocabulary, 2],
] as const)('on the vocabulary of %s the mask is what the recogniser allows', (_, load, steps) => {
  test.each(SAMPLE)('%s', (name) => {
    const named = SCHEMAS.find((schema) => schema.name === name)!
    const random = new Random(seed ^ SAMPLE.indexOf(name))
    expect(judgeSchema(named, random.pick(MODES), load(), random, steps)).toEqual([])
  })
})
