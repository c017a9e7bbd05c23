import { describe, expect, test } from 'vitest'
import { KeyNames } from '../../src/automaton/key-names.ts'
import { Random, seedOf } from '../support/random.ts'

const EVERY_BYTE = new Uint8Array(256).fill(1)

describe('the trie of declared names', () => {
  test('says of every beginning of a name what the names themselves say', () => {
    const random = new Random(seedOf('names of objects'))
    for (let round = 0; round < 200; round++) {
      const word = (): string =>
        Array.from({ length: random.below(5) }, () => random.pick([...'ab"é語\n'])).join('')
      const names = [...new Set(Array.from({ length: random.below(20) }, word))]
      const trie = new KeyNames(names, EVERY_BYTE)
      const spellings = names.map((name) => Buffer.from(JSON.stringify(name)).toString('latin1'))
      expect(trie.spellings.map((bytes) => Buffer.from(bytes).toString('latin1'))).toEqual(spellings)
      const visit = (node: number, text: string): void => {
        const here = [...spellings.keys()].filter((name) => spellings[name]!.startsWith(text))
        expect([...trie.within(node, 0, names.length)]).toEqual(here)
        const from = random.below(20)
        const to = random.below(20)
        const between = here.filter((name) => name >= from && name <= to)
        expect([...trie.within(node, from, to)]).toEqual(between)
        expect(trie.some(node, { from, to, has: (name) => name % 2 === 0 })).toBe(
          between.some((name) => name % 2 === 0),
        )
        expect(trie.hasNames(node)).toBe(here.length > 0)
        expect(trie.name(node)).toBe(spellings.indexOf(text))
        expect(trie.depth(node)).toBe(text.length)
        const bytes = new Set(
          here.flatMap((name) =>
            spellings[name] === text ? [] : [spellings[name]!.charCodeAt(text.length)],
          ),
        )
        expect(trie.edges(node)).toEqual([...bytes].sort((a, b) => a - b))
        expect(trie.width(node)).toBe(bytes.size)
        for (let byte = 0; byte < 256; byte += bytes.size === 0 ? 51 : 1) {
          const child = trie.child(node, byte)
          expect(child >= 0).toBe(bytes.has(byte))
          if (child >= 0) visit(child, text + String.fromCharCode(byte))
        }
      }
      if (round % 10 === 0) visit(0, '')
      else expect(trie.child(0, 0x22) >= 0).toBe(names.length > 0)
    }
  })

  test('knows which names a vocabulary can spell', () => {
    const alphabet = EVERY_BYTE.slice()
    alphabet[0x62] = 0
    const trie = new KeyNames(['a', 'ab', 'é'], alphabet)
    expect([0, 1, 2].map((name) => trie.isSpellable(name))).toEqual([true, false, true])
  })
})
