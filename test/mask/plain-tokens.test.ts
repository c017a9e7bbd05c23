/** The plain tokens against their definition, each token by itself. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { PlainTokens } from '../../src/mask/plain-tokens.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'

/** Code points of a token of whole characters without quote, backslash and control characters, else -1. */
function plainLength(bytes: Uint8Array): number {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return [...text].some((c) => c < ' ' || c === '"' || c === '\\') ? -1 : [...text].length
  } catch {
    return -1
  }
}

function expectPlain(vocabulary: Vocabulary): void {
  const plain = new PlainTokens(vocabulary)
  const lengths = new Map<number, number>()
  for (const id of vocabulary.trie.tokens) lengths.set(id, plainLength(vocabulary.bytes(id)!))
  const special = [...lengths].filter(([, length]) => length < 0).map(([id]) => id)
  expect([...plain.special.tokens].sort((a, b) => a - b)).toEqual(special.sort((a, b) => a - b))
  expect(plain.longest).toBe(Math.max(0, ...lengths.values()))
  // From the middle outwards: each mask comes of a shorter one, if there is one.
  for (const most of [3, 1, 0, 2, 5, 4, 1000, Number.POSITIVE_INFINITY]) {
    const mask = plain.upTo(most)
    for (let id = 0; id < vocabulary.size; id++) {
      const length = lengths.get(id) ?? -1
      const isIn = hasBit(mask, id)
      if (isIn !== (length >= 0 && length <= most)) expect.fail(`token ${id} of ${length}, up to ${most}`)
    }
  }
}

it('plain tokens of a real vocabulary are its whole characters, by length', () => {
  const text = readFileSync('models/smollm2-135m-instruct/tokenizer.json')
  expectPlain(Vocabulary.fromTokenizerJson(text, { endTokens: ['<|im_end|>'] }))
})

it('plain tokens of any bytes are those that are UTF-8', () => {
  const byte = fc.oneof(
    fc.constantFrom(0x1f, 0x20, 0x22, 0x41, 0x5c, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2),
    fc.constantFrom(0xdf, 0xe0, 0xe1, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff),
  )
  const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).map((c) => Buffer.from(c))
  const piece = fc.oneof(
    character.map((bytes) => [...bytes]),
    fc.array(byte, { minLength: 1, maxLength: 4 }),
  )
  const token = fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .map((pieces) => Uint8Array.from(pieces.flat()))
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 60 }), (tokens) => {
      const end = Uint8Array.of(0x3c)
      expectPlain(Vocabulary.fromBytes([end, ...tokens], { endTokens: [0] }))
    }),
  )
})
