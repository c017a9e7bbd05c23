/** Rules that lead to each other with nothing beside are one; what they say stays. */
import { expect, test } from 'vitest'
import { compileGbnf } from '../../src/core.ts'
import { addGbnf } from '../../src/gbnf/index.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

function times(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join('\n')
}

/** How many rules a grammar becomes. */
function rulesOf(text: string): number {
  const builder = new GrammarBuilder()
  const { expr } = addGbnf(builder, text)
  if (expr.type !== 'call') throw new TypeError('a grammar begins with a rule')
  const layout = { whitespace: 'compact', indent: 0, maxWhitespace: 0 } as const
  return builder.build(expr.rule, layout).rules.length
}

function accepts(grammar: string, text: string): boolean {
  const matcher = compileGbnf(grammar, byteVocabulary()).matcher()
  return [...Buffer.from(text)].every((byte) => matcher.accept(byte)) && matcher.isComplete()
}

test.each<[string, string]>([
  ['that are each other', `root ::= r0\n${times(2_000, (i) => `r${i} ::= r${(i + 1) % 2_000} | "z${i}"`)}`],
  [
    'that are two of the next, or nothing',
    `root ::= r0\n${times(200, (i) => `r${i} ::= r${(i + 1) % 200} r${(i + 2) % 200} | "x${i}" | ""`)}`,
  ],
  [
    'of which all may be left out',
    `root ::= r0\n${times(40, (i) => `r${i} ::= r${(i + 1) % 40}? r${(i + 3) % 40}? "${'abcd'[i % 4]}"?`)}`,
  ],
  ['that are themselves ten times', `root ::= ${Array(10).fill('root').join(' ')} | "a" | ""`],
  [
    'that are names',
    `root ::= r0\n${times(2_000, (i) => `r${i} ::= r${i + 1}`)}\nr2000 ::= "a" | "(" root ")"`,
  ],
])('rules %s are a handful', (_, grammar) => {
  expect(rulesOf(grammar)).toBeLessThan(5)
})

test('rules that lead to each other have the texts of all of them', () => {
  const grammar = 'root ::= "<" a ">"\na ::= b | "x" b "y"\nb ::= c | "(" a ")"\nc ::= a | "z"'
  expect(['<z>', '<(z)>', '<xzy>', '<x(xzy)y>'].filter((text) => !accepts(grammar, text))).toEqual([])
  expect(['z', '<>', '<xz>', '<(z>'].filter((text) => accepts(grammar, text))).toEqual([])
})

test('rules that lead to others one way only stay apart', () => {
  const grammar = 'root ::= a "." b\na ::= b | "x"\nb ::= "y" | "(" a ")"'
  expect(['x.y', 'y.y', '(x).(x)'].filter((text) => !accepts(grammar, text))).toEqual([])
  expect(['x.x', 'y.x'].filter((text) => accepts(grammar, text))).toEqual([])
})
