/** Alternatives that are alike but for one end are one; what they say stays. */
import { expect, test } from 'vitest'
import { compileGbnf } from '../../src/core.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const COUNT = 2_000

function times(make: (index: number) => string, between = '\n'): string {
  return Array.from({ length: COUNT }, (_, index) => make(index)).join(between)
}

function accepts(grammar: string, text: string): boolean {
  const matcher = compileGbnf(grammar, byteVocabulary()).matcher()
  return [...Buffer.from(text)].every((byte) => matcher.accept(byte)) && matcher.isComplete()
}

const CHOICE = `root ::= ${times((i) => `r${i}`, ' | ')}`

test.each<[string, string, readonly string[], readonly string[]]>([
  [
    'options that lead on alike',
    `root ::= ${times((i) => `"o${i}" root`, ' | ')} | "x"`,
    ['x', 'o7x', 'o1999o0x'],
    ['o7', 'o2000x', 'xo7'],
  ],
  [
    'rules that lead on alike',
    `${CHOICE}\n${times((i) => `r${i} ::= "${i};" root?`)}`,
    ['0;', '1999;5;'],
    ['2000;', '19995;', ''],
  ],
  [
    'rules that begin alike',
    `${CHOICE}\n${times((i) => `r${i} ::= item "${i}"`)}\nitem ::= "x" | "(" item ")"`,
    ['x1999', '((x))0'],
    ['x2000', '(x0'],
  ],
  [
    'rules with something of their own in between',
    `${CHOICE}\n${times((i) => `r${i} ::= "<" [a-c]+ "${i}>" root?`)}`,
    ['<a0>', '<abc1999><b17>'],
    ['<0>', '<a2000>', '<a1><'],
  ],
])('%s are a few nodes', (_, grammar, accepted, refused) => {
  const { nodes } = compileGbnf(grammar, byteVocabulary()).sizes
  expect(nodes).toBeLessThan(COUNT / 10)
  expect(accepted.filter((text) => !accepts(grammar, text))).toEqual([])
  expect(refused.filter((text) => accepts(grammar, text))).toEqual([])
})

test('options that differ in more than one end stay apart', () => {
  const grammar = 'root ::= "a" x "b" | "c" x "d" | x "e"\nx ::= "x" | "(" x ")"'
  expect(['axb', 'c(x)d', 'xe'].filter((text) => !accepts(grammar, text))).toEqual([])
  expect(['axd', 'cxb', 'axe', 'xb'].filter((text) => accepts(grammar, text))).toEqual([])
})
