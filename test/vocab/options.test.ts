/** The options of a vocabulary: what is misspelled or of the wrong type is said, not passed over. */
import { describe, expect, it } from 'vitest'
import { Vocabulary, type VocabularyOptions } from '../../src/core.ts'

const bytes = [0x61, 0x62].map((byte) => Uint8Array.of(byte))

describe('options of a vocabulary', () => {
  it.each([
    [{ endToken: [1] }, 'unknown option "endToken"; known are endTokens, controlTokens, textTokens, size'],
    [{ endTokens: '<eos>' }, 'option endTokens must be a list of ids and texts, not "<eos>"'],
    [{ endTokens: [null] }, 'option endTokens lists ids and texts, not null'],
    [{ endTokens: [1], controlTokens: 0 }, 'option controlTokens must be a list of ids and texts, not 0'],
    [{ endTokens: [1], textTokens: ['a'] }, 'option textTokens is for tokenizer.json'],
    [null, 'the options of a vocabulary must be an object'],
  ])('%j is a TypeError', (options, message) => {
    const make = () => Vocabulary.fromBytes(bytes, options as unknown as VocabularyOptions)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it('tokens that are no bytes are a TypeError with their id', () => {
    const tokens = [...bytes, 'c'] as unknown as Uint8Array[]
    expect(() => Vocabulary.fromBytes(tokens, { endTokens: [1] })).toThrow(
      'tokens[2] must be a Uint8Array or null, not string',
    )
  })
})
