import { describe, expect, test } from 'vitest'
import { type CompileOptions, compile, Vocabulary, warmUp } from '../../src/core.ts'
import { shippedVocabulary } from '../support/vocabularies.ts'

const SCHEMA =
  '{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"}},"required":["a","n"]}'
const OPTIONS: readonly CompileOptions[] = [
  {},
  { whitespace: 'any', propertyOrder: 'any', numbers: 'any' },
  { whitespace: 'compact' },
  { whitespace: 'pretty', indent: 3 },
]

describe('warmUp', () => {
  test('changes no mask, whatever the options', () => {
    for (const options of OPTIONS) {
      const cold = compile(
        SCHEMA,
        Vocabulary.fromBytes(bytesOf(shippedVocabulary()), { endTokens: [0] }),
        options,
      )
      const warm = shippedVocabulary()
      warmUp(warm, options)
      const [a, b] = [cold.matcher(), compile(SCHEMA, warm, options).matcher()]
      for (const character of '{"a":"x') {
        const id = tokenOf(warm, character)
        const [one, other] = [a.mask(), b.mask()]
        for (let word = 0; word < one.length; word++)
          expect(one[word]! & ~1, options.whitespace).toBe(other[word]! & ~1)
        const accepted = a.accept(id)
        expect(b.accept(id)).toBe(accepted)
        if (!accepted) break
      }
    }
  })

  test('is of no use to a vocabulary that cannot spell much, and does no harm', () => {
    const letters = Vocabulary.fromBytes([null, new Uint8Array([0x31]), new Uint8Array([0x32])], {
      endTokens: [0],
    })
    warmUp(letters)
    expect(compile('{"type":"integer"}', letters).matcher().mask()[0]).toBe(0b110)
  })

  test('stays within the limits that it is given', () => {
    warmUp(shippedVocabulary(), { limits: { maxStates: 1, maxContexts: 3 } })
  })
})

function bytesOf(vocabulary: Vocabulary): (Uint8Array | null)[] {
  return Array.from({ length: vocabulary.size }, (_, id) => vocabulary.bytes(id))
}

function tokenOf(vocabulary: Vocabulary, character: string): number {
  const { trie } = vocabulary
  return trie.tokens[trie.first[trie.child(0, character.charCodeAt(0))]!]!
}
