/**
 * Vocabularies that lack bytes: whatever is offered can be finished with what there is, and a grammar that cannot be
 * spelled is refused when it is compiled.
 */
import { describe, expect, test } from 'vitest'
import { type CompiledSchema, compile, Vocabulary, VocabularyError } from '../../src/core.ts'
import { chooseToken, idsOf, restOfCompletion } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { MODES, SCHEMAS } from '../support/schemas.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('vocabularies that lack bytes')

/** The tiny vocabulary without some of its single bytes; its longer tokens may still hold them. */
function lacking(random: Random): Vocabulary {
  const { vocabulary, control, ends } = tinyVocabulary()
  const share = random.pick([0.02, 0.1, 0.4])
  const missing = new Set(Array.from({ length: 256 }, (_, byte) => byte).filter(() => random.chance(share)))
  const tokens = Array.from({ length: vocabulary.size }, (_, id) => {
    const bytes = vocabulary.bytes(id)
    const isMissing = bytes !== null && bytes.length === 1 && missing.has(bytes[0]!)
    return isMissing ? null : bytes
  })
  return Vocabulary.fromBytes(tokens, { endTokens: ends, controlTokens: [control] })
}

describe('with bytes missing, a walk never gets stuck', () => {
  test.each(SCHEMAS)('$name', ({ schema, options }) => {
    const random = new Random(seed ^ JSON.stringify(schema).length)
    for (let round = 0; round < 6; round++) {
      const vocabulary = lacking(random)
      const mode = { ...random.pick(MODES), ...options }
      let grammar: CompiledSchema
      try {
        grammar = compile(schema, vocabulary, mode)
      } catch (error) {
        if (error instanceof VocabularyError) continue
        throw error
      }
      const recogniser = Recogniser.ofSchema(schema, mode)
      const matcher = grammar.matcher()
      const finishAfter = random.below(16)
      for (let step = 0; ; step++) {
        const { tokens } = matcher.shortestCompletion()
        expect(tokens).toBeLessThan(Number.POSITIVE_INFINITY)
        expect(recogniser.complete(Buffer.concat([matcher.bytes(), restOfCompletion(matcher)]))).toBe(true)
        expect(idsOf(matcher.mask()).length, JSON.stringify(matcher.text())).toBeGreaterThan(0)
        const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
        expect(matcher.accept(id)).toBe(true)
        if (vocabulary.endTokens.includes(id)) break
        if (step >= finishAfter) expect(matcher.shortestCompletion().tokens).toBeLessThan(tokens)
      }
      expect(recogniser.complete(matcher.bytes())).toBe(true)
    }
  })
})
