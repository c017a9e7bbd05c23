/** Grammars with very many ways to read a text: what is kept grows with the text, not with the ways. */
import { describe, expect, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { type CompiledGrammar, compileGbnf, LimitError, Vocabulary } from '../../src/core.ts'
import { effort } from '../../src/effort.ts'
import { byteVocabulary, shippedVocabulary } from '../support/vocabularies.ts'

/** Positions that are kept after a text, its last bytes apart. */
function contextsAfter(grammar: string, text: string): number {
  return read(compileGbnf(grammar, byteVocabulary()), text).sizes.contexts
}

function read(grammar: CompiledGrammar, text: string): CompiledGrammar {
  const matcher = grammar.matcher()
  for (const byte of Buffer.from(text)) {
    if (!matcher.accept(byte)) throw new Error(`refused after ${matcher.text()}`)
    matcher.mask()
  }
  return grammar
}

describe('a text of any length is at the same few positions', () => {
  test.each([
    ['root ::= root root | "a"'],
    ['root ::= root root root | root root | "a"'],
    ['root ::= root "+" root | "a" | root root'],
    ['root ::= "a" root | "a"'],
    ['root ::= root "a" | "a"'],
    ['root ::= (("a"*)*)* | root'],
    ['root ::= ((root "b") | [a-c] | root*)'],
  ])('%s', (grammar) => {
    expect(contextsAfter(grammar, 'a'.repeat(200))).toBe(contextsAfter(grammar, 'a'.repeat(100)))
  })
})

describe('each byte adds a few positions', () => {
  test.each([
    ['root ::= "a" root "b" | "a" root "c" | "a"'],
    ['root ::= "a" root | "a" root "b" root | "a"'],
    ['root ::= "a" root "a" | "b" root "b" | ""'],
    ['root ::= "a" root root | "a"'],
    ['root ::= t "a" t "b" | t\nt ::= "a" root | "a" t root | "a"'],
    ['root ::= a\na ::= b "x" | b "y" | "a"\nb ::= "a" c "x" | "a" c "y"\nc ::= a "x" | a "y" | "a"'],
  ])('%s', (grammar) => {
    const [some, twice] = [60, 120].map((length) => contextsAfter(grammar, 'a'.repeat(length)))
    expect(twice! / some!).toBeLessThan(2.2)
  })
})

describe('nesting is as deep as the text', () => {
  const depth = 100_000

  test('of parentheses', () => {
    const matcher = compileGbnf('root ::= "(" root ")" | ""', byteVocabulary()).matcher()
    for (let i = 0; i < depth; i++) matcher.accept(0x28)
    expect(matcher.shortestCompletion()).toEqual({ text: ')'.repeat(depth), tokens: depth + 1 })
    for (let i = 0; i < depth; i++) if (!matcher.accept(0x29)) throw new Error(`refused at ${i}`)
    expect(matcher.mustStop()).toBe(true)
  })

  test('of calls at the end, at no cost', () => {
    const grammar = compileGbnf('root ::= list\nlist ::= [0-9] | "-" list | "[" list "]"', byteVocabulary())
    const matcher = grammar.matcher()
    for (let i = 0; i < depth; i++) matcher.accept(0x2d)
    expect(grammar.sizes.contexts).toBeLessThan(10)
  })
})

describe('a token that may be split in very many ways is allowed where its bytes can be read', () => {
  test.each([
    ['root ::= (word | list)+\nlist ::= "(" root? ")"\nword ::= [a-zA-Z -]+', 'a text (of (words'],
    ['root ::= (any | "<" root ">")*\nany ::= [^<>]+', 'whatever <may be, even'],
    ['root ::= a+ | "[" root "]"\na ::= b | b a\nb ::= [a-z] | [a-z ]+ | "the "*', '[in the'],
  ])('in %j', (gbnf, text) => {
    const vocabulary = shippedVocabulary()
    const matcher = compileGbnf(gbnf, vocabulary).matcher()
    for (const byte of Buffer.from(text)) {
      const mask = matcher.mask()
      // The tokens that are long, or hold what the grammar names, and some others.
      for (let id = 0; id < vocabulary.size; id++) {
        const bytes = vocabulary.bytes(id)
        if (
          bytes === null ||
          (bytes.length < 12 && id % 50 !== 0 && !bytes.some((b) => b === 0x28 || b === 0x3e))
        )
          continue
        if (matcher.fork().acceptBytes(bytes) !== hasBit(mask, id))
          throw new Error(`${JSON.stringify(vocabulary.literal(id))} after ${JSON.stringify(matcher.text())}`)
      }
      expect(matcher.acceptBytes(Uint8Array.of(byte))).toBe(true)
    }
  })
})

describe('tokens of many bytes', () => {
  const grammar = 'root ::= (word | list)+\nlist ::= "(" root? ")"\nword ::= [a-z -]+'
  const withTokens = (...tokens: readonly string[]): Vocabulary => {
    const all = [...Array(256).keys()].map((byte) => Uint8Array.of(byte))
    all.push(...tokens.map((token) => new TextEncoder().encode(token)))
    return Vocabulary.fromBytes([...all, new Uint8Array()], { endTokens: [all.length] })
  }

  test('are allowed where their bytes can be read, through however many parts of the grammar', () => {
    const counts = [1, 31, 32, 33, 34, 70]
    const parts = ['a', ' b', 'a-', '()', '(', 'a(', ')', '(a)', 'a)', '(a', 'a(.']
    const vocabulary = withTokens(...parts.flatMap((part) => counts.map((count) => part.repeat(count))))
    for (const text of ['', 'a', '(', `${'('.repeat(40)}a`]) {
      const matcher = compileGbnf(grammar, vocabulary).matcher()
      expect(matcher.acceptBytes(new TextEncoder().encode(text))).toBe(true)
      const mask = matcher.mask()
      for (let id = 0; id < vocabulary.size - 1; id++)
        expect([text, id, hasBit(mask, id)]).toEqual([
          text,
          id,
          matcher.fork().acceptBytes(vocabulary.bytes(id)!),
        ])
    }
  })

  test('are read in a bounded number of steps where they may be split at every byte', () => {
    const before = effort.reads
    const mask = compileGbnf(grammar, withTokens(' '.repeat(512)))
      .matcher()
      .mask()
    expect(hasBit(mask, 256)).toBe(true)
    expect(effort.reads - before).toBeLessThan(512 * 512 * 50)
    const long = compileGbnf(grammar, withTokens(' '.repeat(20_000))).matcher()
    expect(() => long.mask()).toThrow(LimitError)
  })
})
