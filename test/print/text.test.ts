/** Prints as they stand: what a person reads. */
import { describe, expect, test } from 'vitest'
import {
  type CompiledGrammar,
  choice,
  compile,
  compileGbnf,
  compilePart,
  compileRegex,
  freeText,
  jsonSchema,
  optional,
  type Part,
  repeat,
  rule,
  sequence,
  token,
  Vocabulary,
} from '../../src/core.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const bytes = byteVocabulary()

/** The rules of a print but for those of single characters, which are long. */
function lines(grammar: CompiledGrammar): string[] {
  return String(grammar)
    .split('\n')
    .filter((line) => line !== '' && !/^(?:key-)?char |^ {2}/u.test(line))
}

describe('what is printed', () => {
  test('of an object: its properties in their order, and what stands between them', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2, maxLength: 5 },
        age: { type: 'integer', minimum: 0, maximum: 120 },
        tags: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 3 },
      },
      required: ['age'],
      additionalProperties: false,
    }
    expect(lines(compile(schema, bytes))).toEqual([
      'root ::= "{" ("\\"name\\":" " "? "\\"" char{2,5} "\\"," " "?)? "\\"age\\":" " "? integer-0-to-120 ("," " "? "\\"tags\\":" " "? tags)? "}"',
      'integer-0-to-120 ::= "0" | "1" ([01] [0-9]? | "2" "0"? | [3-9])? | [2-9] [0-9]?',
      'tags ::= "[" (("\\"a\\"" | "\\"b\\"") ("," " "? ("\\"a\\"" | "\\"b\\"")){0,2})? "]"',
    ])
    expect(
      lines(compile({ ...schema, properties: { age: { const: 1 } } }, bytes, { whitespace: 'any' })),
    ).toEqual(['root ::= "{" ws "\\"age\\"" ws ":" ws "1" ws "}"', 'ws ::= [ \\t\\n\\r]{0,64}'])
    const nested = { type: 'array', items: { type: 'array', maxItems: 1, items: { const: 1 } }, maxItems: 1 }
    expect(lines(compile(nested, bytes, { whitespace: 'pretty' }))).toEqual([
      'root ::= "[" ("\\n  " root-items "\\n")? "]"',
      'root-items ::= "[" "\\n    1\\n  "? "]"',
    ])
  })

  test('of numbers: digits, as few as may be', () => {
    const number = (schema: object): string[] => lines(compile(schema, bytes))
    expect(number({ type: 'integer' })).toEqual([
      'root ::= integer',
      'integer ::= "-" [1-9] [0-9]{0,63} | "0" | [1-9] [0-9]{0,63}',
    ])
    expect(number({ type: 'number', minimum: 0, maximum: 1 })).toEqual([
      'root ::= "0" ("." [0-9]{0,62} [1-9])? | "1"',
    ])
    expect(number({ type: 'integer', minimum: 1, maximum: 12 })).toEqual(['root ::= "1" [0-2]? | [2-9]'])
  })

  test('of patterns: their structure, and of what none has their automaton', () => {
    expect(lines(compileRegex('(?:ab|[^a-z"\\]]{2,})+c?\\n', bytes))).toEqual([
      'root ::= ("ab" | [^"\\]a-z]{2,})+ "c"? "\\n"',
    ])
    expect(lines(compileRegex('no{2}ne{9}[^"\\\\\\x00-\\x1f][+-.^-]', bytes))).toEqual([
      'root ::= "noon" "e"{9} [^\\x00-\\x1F"\\\\] [+-.\\x5E]',
    ])
    expect(lines(compileGbnf('root ::= "(" (root "x"*)? ")" ("b"{1,9})?', bytes))).toEqual([
      'root ::= "(" (root "x"*)? ")" "b"{0,9}',
    ])
    expect(lines(compileRegex('(?!b)[a-c]{1,3}', bytes))).toEqual(['root ::= [ac] [a-c]{0,2}'])
    expect(lines(compileRegex('(?!.*bb)[ab]*', bytes))).toEqual([
      'root ::= text',
      'text ::= "a"* ("b" ("a" text)?)?',
    ])
  })

  test('of parts: rules by their names, free text by what it does not hold, tokens by their texts', () => {
    const { vocabulary, control } = tinyVocabulary()
    const list: Part = rule('list', () => sequence('(', optional(list), ')'))
    expect(lines(compilePart(list, bytes))).toEqual(['root ::= "(" root? ")"'])
    const call = sequence(token(control), jsonSchema({ enum: ['a', 1] }), choice(token(control), '.'))
    expect(
      lines(
        compilePart(sequence(freeText({ until: '.' }), '.', repeat(call, { min: 1, max: 9 })), vocabulary),
      ),
    ).toEqual(['root ::= [^.]* "." (<tool> json (<tool> | ".")){1,9}', 'json ::= "\\"a\\"" | "1"'])
  })

  test('of any one token but another, be it one that ends a text', () => {
    const { vocabulary, control, ends } = tinyVocabulary()
    for (const id of [control, 0x41, ends[0]!]) {
      const print = String(compileGbnf(`root ::= !<[${id}]>`, vocabulary))
      expect(print).toMatch(id === 0x41 ? /^root ::= !<\[65\]>\n$/ : /^root ::= !<[^<>]+>\n$/)
      expect(String(compileGbnf(print, vocabulary))).toBe(print)
    }
  })

  test('of tokens that have in their texts what means something to the notation', () => {
    const names = ['<|im|>', '<(x>', '<a)>', '<"q">', '<{1>', '<[a]>', '<b c>', '<d>e>']
    const tokens = [...Array(256).keys()].map((byte) => Uint8Array.of(byte))
    tokens.push(...names.map((name) => new TextEncoder().encode(name)), new TextEncoder().encode('</s>'))
    const controlTokens = names.map((_, i) => 256 + i)
    const vocabulary = Vocabulary.fromBytes(tokens, { controlTokens, endTokens: [256 + names.length] })
    for (const id of controlTokens) {
      // Options that are alike but for one end would be one, read back.
      const long = Array.from({ length: 9 }, (_, i) =>
        sequence(optional('x'), `text ${i}`, token(id), `end ${i}`),
      )
      const print = String(compilePart(choice(token(id), ...long), vocabulary))
      expect(print.trim().split('\n')).toHaveLength(10)
      expect(String(compileGbnf(print, vocabulary))).toBe(print)
    }
  })

  test('of what only history knows: that it is left out', () => {
    const note = (schema: object, options = {}): string =>
      String(compile(schema, bytes, options)).split('\n')[0]!
    expect(note({ type: 'object', additionalProperties: { const: 1 } })).toMatch(
      /^# left out: that no key comes twice/,
    )
    expect(note({ type: 'array', items: { type: 'integer' }, uniqueItems: true })).toBe(
      '# left out: that items of an array differ',
    )
    const two = {
      properties: { a: { const: 1 }, b: { const: 2 } },
      additionalProperties: false,
      type: 'object',
    }
    expect(note(two)).toMatch(/^root ::= /)
    expect(note(two, { propertyOrder: 'any' })).toMatch(/^# left out: of objects with keys in any order/)
    expect(note({ ...two, maxProperties: 1 })).toMatch(/^# left out: how many entries/)
    expect(note({ type: 'number', minimum: 1e90 }, { numbers: 'any' })).toMatch(/^# left out: bounds, steps/)
  })
})
