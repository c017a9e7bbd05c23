/**
 * What is left of tokens behind terminals, and what is left of that, against remainders that are told one by one. `SEED` gives
 * other tokens and places.
 */
import { expect, test } from 'vitest'
import { Vocabulary } from '../../src/core.ts'
import { type Place, Rests } from '../../src/mask/rest.ts'
import type { Trie } from '../../src/vocab/trie.ts'
import { Random, seedOf } from '../support/random.ts'

const seed = seedOf('rests')
const LETTERS = 6
const MAX_LENGTH = 7

/** Short ones of few letters, some of them twice. */
function randomVocabulary(random: Random): Vocabulary {
  const tokens = Array.from({ length: 1 + random.below(60) }, () =>
    Uint8Array.from({ length: 1 + random.below(MAX_LENGTH) }, () => 97 + random.below(LETTERS)),
  )
  return Vocabulary.fromBytes([...tokens, Uint8Array.of(0)], { endTokens: [tokens.length] })
}

/** The bytes from the root to a node. */
function pathTo({ trie, node }: Place): string {
  let path = ''
  for (let at = 0; at < node; ) {
    at++
    while (trie.skip[at]! <= node) at = trie.skip[at]!
    path += String.fromCharCode(trie.byte[at]!)
  }
  return path
}

/** Each token at or below a node of a trie as its id and what is left of it behind the bytes that lead to the node. */
function below(place: Place, includesNode = false): string[] {
  const { trie, node } = place
  const start = pathTo(place).length
  const found: string[] = []
  for (let at = includesNode ? node : node + 1; at < trie.skip[node]!; at++)
    for (let t = trie.first[at]!; t < trie.first[at + 1]!; t++)
      found.push(`${trie.tokens[t]} ${pathTo({ trie, node: at }).slice(start)}`)
  return found
}

function somePlaces(tries: readonly Trie[], random: Random): Place[] {
  const all = tries.flatMap((trie) => Array.from({ length: trie.size }, (_, node) => ({ trie, node })))
  const chance = random.pick([0.1, 0.5, 1])
  return all.filter(({ trie, node }) => trie.hasBelow(node) && random.chance(chance))
}

function sorted(texts: Iterable<string>): string[] {
  return [...texts].sort()
}

test.each([
  ['are kept', Number.POSITIVE_INFINITY],
  ['are forgotten again and again', 2_000],
])('rests of rests have each remainder once, be it that tries %s', (_, maxBytes) => {
  const random = new Random(seed)
  for (let round = 0; round < 60; round++) {
    const { trie } = randomVocabulary(random)
    const rests = new Rests(maxBytes)
    let tries: readonly Trie[] = [trie]
    for (let depth = 0; depth < 4 && tries.length > 0; depth++) {
      const places = somePlaces(tries, random)
      const found = rests.below(places)
      const left = new Set(places.flatMap((place) => below(place)))
      const letters = found.flatMap((rest) => String.fromCharCode(...rest.bytes).split(''))
      expect(sorted(new Set(letters))).toEqual(
        sorted(new Set([...left].map((text) => text.split(' ')[1]![0]!))),
      )
      const next: Trie[] = []
      for (const rest of found) {
        const own = rest.tries(rest.bytes)
        const some = rest.tries([97, 98, 99, 100, 101, 120])
        const all = own.flatMap((each) => below({ trie: each, node: 0 }))
        expect(new Set(all).size).toBe(all.length)
        expect(sorted(some.flatMap((each) => below({ trie: each, node: 0 })))).toEqual(
          sorted(all.filter((text) => /^\d+ [a-e]/u.test(text))),
        )
        next.push(...own)
      }
      expect(sorted(new Set(next.flatMap((each) => below({ trie: each, node: 0 }))))).toEqual(sorted(left))
      tries = next
    }
  }
})
