/** Grammars of hostile sizes: compiled, or refused with a reason; nothing overflows the stack, nothing is unrolled. */
import { describe, expect, test } from 'vitest'
import { compileGbnf, GrammarError, LimitError } from '../../src/core.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

function times(count: number, make: (i: number) => string, between = '\n'): string {
  return Array.from({ length: count }, (_, i) => make(i)).join(between)
}

describe('compiled', () => {
  test.each<[string, () => string, number]>([
    ['parentheses', () => `root ::= ${'('.repeat(100_000)}"a"${')'.repeat(100_000)}`, 1],
    ['options within each other', () => `root ::= ${'("a" '.repeat(20_000)}${')?'.repeat(20_000)}`, 0],
    [
      'groups that nest to the left',
      () => `root ::= ${'('.repeat(5_000)}"a"${' "b" root?)'.repeat(5_000)}`,
      5_001,
    ],
    ['groups that call', () => `root ::= ${'("(" root '.repeat(5_000)}${' | "b")'.repeat(5_000)} | "x"`, 1],
    [
      'a chain of rules',
      () => `root ::= r0\n${times(10_000, (i) => `r${i} ::= "a" r${i + 1}`)}\nr10000 ::= "b"`,
      10_001,
    ],
    [
      'a chain of rules, the last first',
      () => `r0 ::= "b"\n${times(10_000, (i) => `r${i + 1} ::= "a" r${i}`)}\nroot ::= r10000`,
      10_001,
    ],
    [
      'a chain that comes back',
      () => `root ::= r0\n${times(10_000, (i) => `r${i} ::= "a" r${i + 1} "c"`)}\nr10000 ::= "b" | "x" r0`,
      20_001,
    ],
    ['repetitions of repetitions', () => 'root ::= (((a*)*)*)*\na ::= "a"', 0],
    ['the same of what nests', () => 'root ::= (((a*)*)*)* "."\na ::= "a" | "(" a ")"', 1],
    ['repetitions of one thing', () => `root ::= ("a" root?)${'*'.repeat(10_000)}`, 0],
    ['ten thousand counts of one thing', () => `root ::= "a"${'?{3}'.repeat(10_000)}`, 0],
    ['counts of one thing', () => `root ::= "a"${'?{3}'.repeat(1_000)}`, 0],
    [
      'counts whose sum is no exact number',
      () => `root ::= [ab]{0,${Number.MAX_SAFE_INTEGER}} [ab]{0,${Number.MAX_SAFE_INTEGER}}`,
      0,
    ],
    ['a million', () => 'root ::= "a"{1000000}', 1_000_000],
    ['a million of what nests', () => 'root ::= a{1000000}\na ::= "a" | "(" a ")"', 1_000_000],
    [
      'up to a million, and up to a million of these',
      () => 'root ::= ((a{0,1000000} "b"){0,1000000} "c"){0,1000000}\na ::= "a" | "(" a ")"',
      0,
    ],
    ['a million of what may be nothing', () => 'root ::= (a?){1000000} "b"\na ::= "a" | "(" a ")"', 1],
    [
      'five thousand options that may be nothing',
      () => `root ::= ${times(5_000, () => 'a?', ' ')}\na ::= "x" | "(" a ")"`,
      0,
    ],
    [
      'parts that may be nothing before recursion',
      () => `root ::= ${times(5_000, () => 'e', ' ')} root "x" | "y"\ne ::= "e"?`,
      1,
    ],
    [
      'two choices sixty times',
      () =>
        `root ::= r0\n${times(60, (i) => `r${i} ::= r${i + 1} "a" | r${i + 1} "b" | "(" root ")" r${i + 1}`)}\nr60 ::= "z"`,
      61,
    ],
    ['a literal of many lines', () => `root ::= "${'\n'.repeat(500_000)}"`, 500_000],
    [
      'a class of many characters',
      () => `root ::= [${times(500_000, (i) => String.fromCharCode(0x3000 + (i % 5_000)), '')}]`,
      3,
    ],
    ['a hundred thousand literals', () => `root ::= ${times(100_000, (i) => `"l${i}"`, ' | ')} | "x"`, 1],
  ])('%s', (_, make, shortest) => {
    const matcher = compileGbnf(make(), byteVocabulary()).matcher()
    const { text } = matcher.shortestCompletion()
    expect(Buffer.byteLength(text)).toBe(shortest)
    expect(matcher.mask().some((word) => word !== 0)).toBe(true)
  })
})

describe('refused with a reason', () => {
  test.each<[string, () => string]>([
    ['a million of a million', () => 'root ::= ("a"{1000000}){1000000}'],
    ['a text of ten million bytes', () => `root ::= "${'a'.repeat(10_000_000)}"`],
    [
      'rules that double sixty times',
      () => `root ::= r0\n${times(60, (i) => `r${i} ::= r${i + 1} r${i + 1}`)}\nr60 ::= "z"`,
    ],
    ['four million calls', () => `root ::= ${'root '.repeat(4_000_000)}`],
    ['a million open groups', () => `root ::= ${'('.repeat(1_000_000)}`],
    [
      'a circle of ten thousand rules',
      () => `root ::= r0\n${times(10_000, (i) => `r${i} ::= r${(i + 1) % 10_000} "x" | "z"`)}`,
    ],
  ])('%s: LimitError', (_, make) => {
    expect(() => compileGbnf(make(), byteVocabulary()).matcher().mask()).toThrow(LimitError)
  })

  test('a text of two million bytes: what to lower is a count', () => {
    expect(() => compileGbnf('root ::= "a"{2000000}', byteVocabulary())).toThrow(
      /^bytes that a text or value has at least: 2000000 exceeds .* a count of the grammar, or raise/,
    )
  })

  test('a hundred thousand rules that are not there: the first hundred are told', () => {
    const compile = (): unknown =>
      compileGbnf(`root ::= ${times(100_000, (i) => `u${i}`, ' ')}`, byteVocabulary())
    expect(compile).toThrow(GrammarError)
    try {
      compile()
    } catch (error) {
      expect((error as GrammarError).errors).toHaveLength(100)
    }
  })
})
