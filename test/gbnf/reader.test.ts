/** What GBNF is, and what is none: languages by examples, errors by their place. */
import { describe, expect, test } from 'vitest'
import { compileGbnf, GrammarError, LimitError, Vocabulary } from '../../src/core.ts'
import { addGbnf } from '../../src/gbnf/index.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

function accepts(grammar: string, text: string): boolean {
  const matcher = compileGbnf(grammar, byteVocabulary()).matcher()
  return [...Buffer.from(text)].every((byte) => matcher.accept(byte)) && matcher.isComplete()
}

function failure(grammar: string | Uint8Array, vocabulary = byteVocabulary()): GrammarError {
  try {
    compileGbnf(grammar, vocabulary)
  } catch (error) {
    expect(error).toBeInstanceOf(GrammarError)
    return error as GrammarError
  }
  throw new Error('compiled')
}

describe('texts that a grammar has and has not', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['root ::= "a" "b"', ['ab'], ['a', 'b', '', 'abc']],
    ['root ::= "a" | "b" |', ['a', 'b', ''], ['ab']],
    ['root ::= ("a" | "b") "c"', ['ac', 'bc'], ['c', 'abc']],
    ['root ::= "a"{2}', ['aa'], ['a', 'aaa']],
    ['root ::= "a"{2,}', ['aa', 'aaaa'], ['a']],
    ['root ::= "a"{,2}', ['', 'a', 'aa'], ['aaa']],
    ['root ::= "a" {1 , 2}', ['a', 'aa'], ['', 'aaa']],
    ['root ::= ("a"{3}){0,2}', ['', 'aaa', 'aaaaaa'], ['a', 'aaaa']],
    ['root ::= "ab"*', ['', 'ab', 'abab'], ['a', 'aba']],
    ['root ::= "\\n\\r\\t\\\\\\"\\x41\\u00e9\\U0001F600"', ['\n\r\t\\"Aé😀'], ['']],
    ['root ::= "\\ud83d\\ude00"', ['😀'], []],
    ['root ::= [a-c\\]\\[\\-^]+', ['abc][-^'], ['d', '']],
    ['root ::= [a-]', ['a', '-'], ['b']],
    ['root ::= [^a-c\\n]', ['d', 'é', '😀'], ['a', '\n', '']],
    ['root ::= .', ['a', '\n', '😀'], ['', 'ab']],
    ['root ::= first # comment | "z"\r\n\tfirst ::=\r\n  "a"\r\n  | "b"\r\n', ['a', 'b'], ['z']],
    ['\n# only\nroot ::= a_1-X\na_1-X ::= "x"', ['x'], []],
    ['root::="a"\n"b"', ['ab'], ['a']],
    ['root ::= "a" ws "b"\nws ::= ([ \\t] ws)?', ['ab', 'a \t b'], ['a\nb']],
    ['root ::= (\n # inside\n "a"\n | "b"\n)+', ['ab'], ['']],
    ['root ::= ""', [''], ['a']],
    ['root ::= p\np ::= "(" p ")" p | ', ['', '(())()'], ['(', ')(']],
  ])('%j', (grammar, accepted, refused) => {
    expect(accepted.filter((text) => !accepts(grammar, text))).toEqual([])
    expect(refused.filter((text) => accepts(grammar, text))).toEqual([])
  })
})

describe('left recursion', () => {
  test.each<[string, string, readonly string[], readonly string[]]>([
    ['direct', 'root ::= root "+" [0-9] | [0-9]', ['1', '1+2+3'], ['', '1+', '+1']],
    ['indirect', 'root ::= b "x" | "y"\nb ::= root', ['y', 'yx', 'yxx'], ['x', '']],
    ['behind what may be empty', 'root ::= e root "x" | "y"\ne ::= "e"?', ['y', 'eeyxx'], ['ey', 'x']],
    ['of a rule that may be empty', 'root ::= root "a" root | ', ['', 'aaa'], ['b']],
    ['to itself alone', 'root ::= root | "x"', ['x'], ['', 'xx']],
    ['around in a circle', 'root ::= a\na ::= b\nb ::= a | "y"', ['y'], ['']],
    [
      'in two ways with what nests',
      'root ::= e\ne ::= e "+" t | t\nt ::= t "*" f | f\nf ::= "(" e ")" | [0-9]+',
      ['1', '1+2*3', '(1+2)*3', '((12))'],
      ['1+', '(1', '()', '1**2'],
    ],
    [
      'among rules that call each other elsewhere, too',
      'root ::= a\na ::= b "1" | "x" a | "x"\nb ::= a "2" | b "3" a | "y"',
      ['x', 'y1', 'x21', 'xx', 'y3x1', 'y3y11', 'x23x1'],
      ['y', 'x2', '1'],
    ],
  ])('%s', (_, grammar, accepted, refused) => {
    expect(accepted.filter((text) => !accepts(grammar, text))).toEqual([])
    expect(refused.filter((text) => accepts(grammar, text))).toEqual([])
  })

  test('that is entangled beyond the limit is a LimitError', () => {
    const rules = Array.from({ length: 60 }, (_, i) => {
      const calls = Array.from({ length: 60 }, (_unused, j) => `r${j} "${i}-${j}" r${(i + j) % 60}`)
      return `r${i} ::= "${i}" | ${calls.join(' | ')}`
    })
    const text = `root ::= r0\n${rules.join('\n')}`
    expect(() => compileGbnf(text, byteVocabulary(), { limits: { maxSteps: 50_000 } })).toThrow(LimitError)
  })
})

describe('what is wrong is told with its place', () => {
  test.each<[string, number, number, RegExp]>([
    ['\ufeffroot ::= "a"', 1, 1, /^a byte order mark \(U\+FEFF\) before the first rule/],
    ['root ::= "a"\u00a0"b"', 1, 13, /, found U\+00A0/],
    ['root ::= "a" \u200b', 1, 14, /, found U\+200B/],
    ['root ::= “a”', 1, 10, /, found "“"/],
    ['', 1, 1, /no rule is called root/],
    ['a ::= "x"', 1, 1, /no rule is called root.*; the rules are a \(/],
    ['root ::= "a', 1, 10, /expected " at the end/],
    ['root ::= [a', 1, 10, /expected \] at the end/],
    ['root ::= ("a"', 1, 10, /expected \) for the group/],
    ['root ::= "a")', 1, 13, /no group is open/],
    ['root ::= *', 1, 10, /nothing stands before/],
    ['root ::= "a"{2', 1, 15, /expected , or \}/],
    ['root ::= "a"{x}', 1, 14, /expected a number/],
    ['root ::= "a"{,}', 1, 13, /expected a number/],
    ['root ::= "a"{3,2}', 1, 13, /never/],
    ['root ::= "a"{99999999999999999999}', 1, 14, /a count is at most/],
    ['root ::= "\\q"', 1, 11, /\\q is no escape/],
    ['root ::= "\\x4"', 1, 11, /2 hexadecimal digits/],
    ['root ::= "\\ud800"', 1, 11, /half of a surrogate pair/],
    ['root ::= "\ud800"', 1, 11, /lone surrogate/],
    ['root ::= "\\U00110000"', 1, 11, /beyond U\+10FFFF/],
    ['root ::= [z-a]', 1, 11, /out of order/],
    ['root ::= []', 1, 10, /empty class/],
    ['root = "a"', 1, 6, /expected ::= after the rule name root/],
    ['root ::= "a" & "b"', 1, 14, /expected a literal/],
    ['root ::= "a" b ::= "c"', 1, 14, /line of its own/],
    ['root ::= "a"\nroot ::= "b"', 2, 1, /defined already, in line 1, column 1 \(line 2, column 1\)$/],
    ['root ::= "a" tial\ntail ::= "b"', 1, 14, /tial is not defined; did you mean tail\?/],
    ['root ::= foo\nrot ::= "a"', 1, 10, /foo is not defined \(line/],
    ['root ::= ab\nac ::= "a"', 1, 10, /ab is not defined \(line/],
    ['root ::= abd\nabc ::= "a"', 1, 10, /abd is not defined; did you mean abc\?/],
    [`root ::= ${'a'.repeat(100_000)}`, 1, 10, /the rule a{80}… is not defined/],
    [`root ::= <${'a'.repeat(100_000)}>`, 1, 10, /no token <a{79}…/],
    ['\n\nroot ::= a\na ::= "x" a', 3, 1, /no text matches root/],
    ['root ::= root', 1, 1, /no text matches root/],
    ['root ::= <none>', 1, 10, /no token <none>/],
    ['root ::= <[999]>', 1, 10, /no token with id 999/],
    ['root ::= <[x]>', 1, 10, /expected a token id/],
    ['root ::= <think', 1, 10, /expected > /],
    ['root ::= !"a"', 1, 11, /expected < after !/],
  ])('%j', (grammar, line, column, message) => {
    const error = failure(grammar)
    expect(error).toMatchObject({ line, column })
    expect(error.message).toMatch(message)
  })

  test('bytes that are no UTF-8', () => {
    const bytes = Uint8Array.from([...Buffer.from('root ::=\n "é'), 0xff, 0x22])
    expect(failure(bytes)).toMatchObject({ line: 2, column: 4 })
    expect(failure(Uint8Array.from([...Buffer.from('root ::= "'), 0xe2, 0x82])).message).toMatch(/UTF-8/)
  })

  test('all rules that are not defined at once', () => {
    expect(failure('root ::= a b').errors.map(({ column }) => column)).toEqual([10, 12])
  })

  test('what is no text or no vocabulary is a TypeError', () => {
    expect(() => compileGbnf(5 as never, byteVocabulary())).toThrow(TypeError)
    expect(() => compileGbnf('root ::= "a"', {} as never)).toThrow(TypeError)
    expect(() => compileGbnf('root ::= "a"', byteVocabulary(), { roots: 'a' } as never)).toThrow(TypeError)
  })
})

describe('what is perhaps not meant is reported', () => {
  const notesOf = (grammar: string): readonly string[] =>
    compileGbnf(grammar, byteVocabulary()).report.notes.map(
      ({ line, column, message }) => `${line}:${column} ${message}`,
    )

  test('rules that are not used, and those that can never end', () => {
    expect(notesOf('root ::= "a" | b\nb ::= "x" b\nc ::= "y"')).toEqual([
      '2:1 the rule b can never end, and is left out',
      '3:1 the rule c is not used',
    ])
    expect(accepts('root ::= "a" | b\nb ::= "x" b', 'a')).toBe(true)
  })

  test('a class that looks like a text', () => {
    expect(notesOf('root ::= [^"END"]+')).toEqual([
      '1:10 the class has "\\"" twice: it stands for one character, not for a text',
    ])
  })

  test('another root is taken by name', () => {
    const { report } = compileGbnf('a ::= "x"\nroot ::= a', byteVocabulary(), { root: 'a' })
    expect(report.notes.map(({ message }) => message)).toEqual(['the rule root is not used'])
  })
})

describe('token references', () => {
  const { vocabulary, control } = tinyVocabulary()

  test('are control tokens by text and by id', () => {
    for (const reference of ['<tool>', `<[${control}]>`]) {
      const matcher = compileGbnf(`root ::= "a" ${reference} "b"`, vocabulary).matcher()
      expect(matcher.accept(0x61)).toBe(true)
      expect(matcher.accept(control)).toBe(true)
      expect(matcher.accept(0x62)).toBe(true)
      expect(matcher.isComplete()).toBe(true)
    }
  })

  test('are looked up once each, and those that are negated are bounded together', () => {
    let asked = 0
    const tokens = {
      size: 1_000_000,
      endTokens: [3],
      idOf: () => undefined,
      isHole: () => ++asked < 0,
    }
    const times = (make: (index: number) => string): string =>
      Array.from({ length: 1_000 }, (_, index) => make(index)).join(' ')
    const read = (items: string): unknown => addGbnf(new GrammarBuilder(), `root ::= ${items}`, { tokens })
    read(times(() => '!<[5]>'))
    expect(asked).toBeLessThan(1_010_000)
    expect(() => read(times((index) => `!<[${index}]>`))).toThrow(LimitError)
  })

  test('need a token that there is', () => {
    expect(failure('root ::= "a" <nothing>', vocabulary)).toMatchObject({ line: 1, column: 14 })
    const holes = Vocabulary.fromBytes([Buffer.from('a'), null, Buffer.from('end')], { endTokens: [2] })
    expect(failure('root ::= "a" <[1]>', holes).message).toMatch(/no token with id 1/)
  })
})
