/**
 * Random context-free grammars, most of them ambiguous, many left-recursive: in every state on the way the mask is what an
 * Earley parser says of each token, and texts are complete where it says so.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyBits, setBit } from '../../src/bits.ts'
import { compileGbnf, GrammarError, Vocabulary } from '../../src/core.ts'
import { Earley } from '../support/earley.ts'
import { difference, idsOf, restOfCompletion, showBytes, showToken } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import {
  entangledGrammar,
  type RandomGrammar,
  randomGrammar,
  toGbnf,
  toProductions,
} from '../support/random-grammars.ts'

const seed = seedOf('random grammars')
const runs = Number(process.env.RUNS ?? 60)

/** All bytes, texts of the grammars' letters, halves of a character. */
const vocabulary = (() => {
  const tokens: Uint8Array[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  const texts = ['ab', 'ba', 'aaa', 'abc', '()', '((', ')a', 'éa', 'bc']
  for (const text of texts) tokens.push(Buffer.from(text))
  tokens.push(Uint8Array.of(0x61, 0xc3), Uint8Array.of(0xa9, 0x61), Buffer.from('<end>'))
  return Vocabulary.fromBytes(tokens, { endTokens: [tokens.length - 1] })
})()
const end = vocabulary.endTokens[0]!

/** Where a grammar can be read in very many ways, a walk ends early. */
const MAX_CONTEXTS = 10_000

function maskOf(earley: Earley): Uint32Array {
  const mask = emptyBits(vocabulary.size)
  for (const id of vocabulary.trie.tokens) {
    const bytes = vocabulary.bytes(id)!
    let read = 0
    let isViable = true
    while (isViable && read < bytes.length) isViable = earley.push(bytes[read++]!)
    if (isViable) setBit(mask, id)
    for (; read > 0; read--) earley.pop()
  }
  if (earley.isComplete) setBit(mask, end)
  return mask
}

/** Walks along the mask at random and compares each on the way; what was wrong, in words. */
function judge(grammar: RandomGrammar, random: Random): string {
  const productions = toProductions(grammar)
  if (!new Earley(productions).hasTexts) {
    expect(() => compileGbnf(toGbnf(grammar), vocabulary)).toThrow(GrammarError)
    return ''
  }
  const compiled = compileGbnf(toGbnf(grammar), vocabulary)
  for (let walk = 0; walk < 3; walk++) {
    const earley = new Earley(productions)
    const matcher = compiled.matcher()
    for (let step = 0; step < 8 && compiled.sizes.contexts < MAX_CONTEXTS; step++) {
      const mask = matcher.mask()
      const wrong = difference(mask, maskOf(earley), vocabulary)
      const place = `after ${showBytes(matcher.bytes())}`
      if (wrong !== '') return `${place}: ${wrong}`
      if (matcher.isComplete() !== earley.isComplete) return `${place}: complete or not`
      const ids = idsOf(mask).filter((id) => id !== end)
      if (ids.length === 0) break
      const id = random.pick(ids)
      if (!matcher.accept(id)) return `${place}: ${showToken(vocabulary, id)} is in the mask and refused`
      for (const byte of vocabulary.bytes(id)!) earley.push(byte)
    }
    const rest = restOfCompletion(matcher)
    for (const byte of rest) earley.push(byte)
    if (!earley.isComplete)
      return `after ${showBytes(matcher.bytes())}: ${showBytes(rest)} does not complete it`
  }
  return ''
}

test.each([
  ['random grammars', randomGrammar],
  ['rules that are much of each other', entangledGrammar],
])('masks, ends and completions are those of an Earley parser: %s', { timeout: 120_000 }, (_, grammars) => {
  const random = new Random(seed)
  fc.assert(
    fc.property(grammars, (grammar) => {
      const wrong = judge(grammar, random)
      if (wrong !== '') throw new Error(`${toGbnf(grammar)}${wrong}`)
    }),
    { seed, numRuns: runs },
  )
})
