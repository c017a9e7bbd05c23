/** The grammars that come with the repository, each held to its samples: texts that it has, and texts that it has not. */
import { describe, expect, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { type CompiledGrammar, compileGbnf, type Vocabulary } from '../../src/core.ts'
import { grammarNames, grammarSamples, grammarText } from '../support/grammar-samples.ts'
import { whereLlamaStops } from '../support/llama-notation.ts'
import { Random, seedOf } from '../support/random.ts'
import { byteVocabulary, llamaVocabulary, shippedVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('grammars of the repository')
function grammarOf(name: string, vocabulary: Vocabulary): CompiledGrammar {
  const compiled = compileGbnf(grammarText(name), vocabulary)
  expect(compiled.report.notes).toEqual([])
  return compiled
}

/** `accept`, or the byte that is refused. */
function verdict(grammar: CompiledGrammar, text: string): string {
  const matcher = grammar.matcher()
  for (const [at, byte] of Buffer.from(text).entries())
    if (!matcher.acceptBytes(Uint8Array.of(byte))) return `refuse @${at}`
  return matcher.isComplete() ? 'accept' : 'refuse @end'
}

function tokensThatBegin(text: Uint8Array, { trie }: Vocabulary): number[] {
  const ids: number[] = []
  let node = 0
  for (const byte of text) {
    node = trie.child(node, byte)
    if (node === 0) break
    ids.push(...trie.tokens.subarray(trie.first[node], trie.first[node + 1]))
  }
  return ids
}

describe.each(grammarNames)('%s', (name) => {
  const samples = grammarSamples(name)

  test('has the texts that it is said to have, and refuses others where they go wrong', () => {
    const grammar = grammarOf(name, byteVocabulary())
    expect(samples.map(({ title, text }) => `${title}: ${verdict(grammar, text)}`)).toEqual(
      samples.map(({ title, expected }) => `${title}: ${expected}`),
    )
    expect(samples.some(({ expected }) => expected === 'accept')).toBe(true)
    expect(samples.some(({ expected }) => expected !== 'accept')).toBe(true)
  })

  test('is what llama.cpp reads, too', () => {
    expect(whereLlamaStops(grammarText(name))).toBe('')
  })

  test.each([
    ['the shipped model', shippedVocabulary],
    ['Llama 3.1', llamaVocabulary],
  ])(
    'is written with the tokens of %s: what the mask allows is accepted, and all else refused',
    (_, load) => {
      const vocabulary = load()
      const grammar = grammarOf(name, vocabulary)
      const random = new Random(seed)
      for (const { text } of samples.filter(({ expected }) => expected === 'accept')) {
        const matcher = grammar.matcher()
        for (let left = Buffer.from(text); left.length > 0; ) {
          const mask = matcher.mask()
          // Every token that begins the text is in the mask, since the text can be finished behind it.
          const begins = tokensThatBegin(left, vocabulary)
          expect(begins.filter((id) => !hasBit(mask, id))).toEqual([])
          const id = random.pick(begins)
          // Some tokens at random, tried alone.
          for (let i = 0; i < 20; i++) {
            const tried = random.below(vocabulary.size)
            const isAllowed = (mask[tried >>> 5]! >>> (tried & 31)) & 1
            const fork = matcher.fork()
            expect(fork.accept(tried)).toBe(isAllowed === 1)
          }
          expect(matcher.accept(id)).toBe(true)
          left = left.subarray(vocabulary.bytes(id)!.length)
        }
        expect(matcher.isComplete()).toBe(true)
      }
    },
  )
})
