/**
 * Vocabularies that lack bytes: whatever is offered can be finished with what there is, and a grammar that cannot be
 * spelled is refused when it is compiled.
 */
import { describe, expect, test } from 'vitest'
import { type CompiledSchema, compile, Vocabulary, VocabularyError } from '../../src/core.ts'
import { chooseToken, idsOf, restOfCompletion, showBytes } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { MODES, type NamedSchema, SCHEMAS } from '../support/schemas.ts'
import { tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('vocabularies that lack bytes')

/**
 * The tiny vocabulary without some bytes.
 * @param within whether longer tokens that hold them stay, so that such bytes can be written in some places only
 */
function lacking(random: Random, within: boolean): Vocabulary {
  const { vocabulary, control, ends } = tinyVocabulary()
  const share = random.pick(within ? [0.01, 0.03] : [0.02, 0.1, 0.4])
  const missing = new Set(Array.from({ length: 256 }, (_, byte) => byte).filter(() => random.chance(share)))
  const tokens = Array.from({ length: vocabulary.size }, (_, id) => {
    const bytes = vocabulary.bytes(id)
    if (bytes === null || (within && bytes.length > 1)) return bytes
    return bytes.some((byte) => missing.has(byte)) ? null : bytes
  })
  return Vocabulary.fromBytes(tokens, { endTokens: ends, controlTokens: [control] })
}

/** Walks to the end with vocabularies that `lacking` makes. */
function walk({ schema, options }: NamedSchema, within: boolean, rounds: number): void {
  const random = new Random(seed ^ JSON.stringify(schema).length)
  for (let round = 0; round < rounds; round++) {
    const vocabulary = lacking(random, within)
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
    const finishAfter = random.below(12)
    for (let step = 0; ; step++) {
      const place = `${JSON.stringify(mode)} after ${showBytes(matcher.bytes())}`
      const { tokens } = matcher.shortestCompletion()
      expect(tokens, place).toBeLessThan(Number.POSITIVE_INFINITY)
      expect(recogniser.complete(Buffer.concat([matcher.bytes(), restOfCompletion(matcher)])), place).toBe(
        true,
      )
      expect(idsOf(matcher.mask()).length, place).toBeGreaterThan(0)
      const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
      expect(matcher.accept(id), place).toBe(true)
      if (vocabulary.endTokens.includes(id)) break
      if (step >= finishAfter) expect(matcher.shortestCompletion().tokens, place).toBeLessThan(tokens)
    }
    expect(recogniser.complete(matcher.bytes())).toBe(true)
  }
}

describe('where bytes are missing, a walk never gets stuck', () => {
  test.each(SCHEMAS)('$name', (named) => walk(named, false, 3))
})

describe('where bytes stand in longer tokens only, neither', () => {
  const names = ['pattern', 'enum with escapes', 'closed object', 'counted array', 'free number']
  test.each(SCHEMAS.filter(({ name }) => names.includes(name)))('$name', (named) => walk(named, true, 3))
})

test('a byte that stands in a longer token only does not make an object forget the keys it holds', () => {
  const { vocabulary, ends } = tinyVocabulary()
  const tokens = Array.from({ length: vocabulary.size }, (_, id) =>
    id === 0xff ? null : vocabulary.bytes(id),
  )
  const lacking = Vocabulary.fromBytes(tokens, { endTokens: ends })
  const matcher = compile({ type: 'object', additionalProperties: { type: 'integer' } }, lacking).matcher()
  for (const byte of Buffer.from('{"":1,')) expect(matcher.accept(byte)).toBe(true)
  expect(matcher.shortestCompletion().text).toBe('" ":0}')
})
