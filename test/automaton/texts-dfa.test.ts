/** A set of texts as an automaton, beside the set itself. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stateAfter, tagOf } from '../../src/automaton/dfa.ts'
import { TextsDfa } from '../../src/automaton/texts-dfa.ts'

const EVERY_BYTE = new Uint8Array(256).fill(1)
const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const compare = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
const anyTexts = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '𝄞', '\n', '\ud800'), maxLength: 5 }),
  {
    minLength: 1,
    maxLength: 12,
    selector: bytesOf,
  },
)

test('it accepts its texts and no other, and every state knows its edges and its shortest end', () => {
  fc.assert(
    fc.property(anyTexts, (texts) => {
      const dfa = new TextsDfa(texts, EVERY_BYTE)
      const spelled = texts.map(bytesOf).sort(compare)
      expect(dfa.texts).toEqual(spelled)
      for (const text of spelled) {
        for (let at = 0; at <= text.length; at++) {
          const begun = text.slice(0, at)
          const state = stateAfter(dfa, begun)
          const ends = spelled.filter((other) => other.startsWith(begun)).map((other) => other.slice(at))
          expect(tagOf(dfa, begun)).toBe(ends.includes('') ? 1 : 0)
          expect(dfa.final(state)).toBe(ends.every((end) => end === ''))
          expect([...dfa.edges(state)]).toEqual(
            [...new Set(ends.filter((end) => end !== '').map((end) => end.charCodeAt(0)))].sort(
              (a, b) => a - b,
            ),
          )
          expect(Buffer.from(dfa.shortest(state)).toString('latin1')).toBe(ends.sort(compare)[0])
        }
        expect(stateAfter(dfa, `${text}x`)).toBe(0)
      }
    }),
  )
})

test('texts with a byte that cannot be spelled are left out', () => {
  const alphabet = new Uint8Array(EVERY_BYTE)
  alphabet[0x62] = 0
  expect(new TextsDfa(['ab', 'ac', 'b'], alphabet).texts).toEqual(['ac'])
  expect(new TextsDfa(['b'], alphabet).start).toBe(0)
})
