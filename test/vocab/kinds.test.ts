/**
 * What vocabularies are like, seen through masks: control tokens and text, padding, holes, copies, tokens of no bytes and of
 * many. Every mask is compared with the oracle, and what each token is with how it was made. `SEED` repeats a run.
 */
import { describe, expect, it, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import {
  compile,
  compileGbnf,
  compilePart,
  compileRegex,
  sequence,
  token,
  Vocabulary,
  VocabularyError,
} from '../../src/core.ts'
import { judgeMasks } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { byteOfCharacter } from '../support/round-trip.ts'
import { sentencePiece } from '../support/sentence-piece.ts'

const seed = seedOf('kinds of tokens')

const SCHEMAS: readonly object[] = [
  { type: 'string' },
  { type: 'string', maxLength: 3 },
  {
    type: 'object',
    properties: { a: { type: 'integer' }, 'b b': { enum: ['x\n', ' x', '<td>'] } },
    required: ['a'],
  },
  { type: 'array', items: { type: ['number', 'null'] }, minItems: 1 },
]
const MODES = [
  { whitespace: 'compact' },
  { whitespace: 'any', maxWhitespace: 3 },
  { whitespace: 'pretty' },
] as const

/** Walks over every schema in every mode, with each mask compared. */
function expectMasks(vocabulary: Vocabulary): void {
  const random = new Random(seed)
  const wrong = SCHEMAS.flatMap((schema) =>
    MODES.flatMap((mode) =>
      judgeMasks(compile(schema, vocabulary, mode), Recogniser.ofSchema(schema, mode), random, 12),
    ),
  )
  expect(wrong).toEqual([])
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
const words = [
  '"',
  'a',
  '": ',
  '": "',
  '"}',
  ', "',
  ' x',
  '\n',
  '\n\n',
  '  ',
  '1',
  '12',
  ', ',
  'null',
  '<td>',
  'x\\n',
].map(utf8)

function allows(pattern: string, vocabulary: Vocabulary, id: number): boolean {
  return hasBit(compileRegex(pattern, vocabulary).matcher().mask(), id)
}

const ANY = '[^]*'

describe.each([
  ['byte-level BPE', byteLevel()],
  ['SentencePiece', sentencePiece([' a', '▁x'])],
])('added tokens of %s', (_, document) => {
  const first = 400
  const added = (content: string, special: boolean, at: number) => ({ id: first + at, content, special })
  const text = ['\n', '\n\n', '▁▁▁', '  ', '\t', '<td>', '</h1>']
  const control = ['<tool_call>', '<unused3>', '[multimodal]', '<img>', 'word']
  const special = ['<|end|>', '\n\n\n', '<b>']
  const entries = [
    ...text.map((content, at) => added(content, false, at)),
    ...control.map((content, at) => added(content, false, 20 + at)),
    ...special.map((content, at) => added(content, true, 40 + at)),
  ]
  const own = document.added_tokens as object[]
  const make = (options: object) =>
    Vocabulary.fromTokenizerJson(
      { ...document, added_tokens: [...own, ...entries] },
      { endTokens: ['<|end|>'], ...options },
    )
  const vocabulary = make({})

  it('are content where they are text, and never where they are control, flagged special or not', () => {
    for (const { id } of entries) {
      const isText = id < first + text.length
      expect(allows(ANY, vocabulary, id), `${id}`).toBe(isText || vocabulary.endTokens.includes(id))
      expect(vocabulary.isControl(id)).toBe(!isText)
    }
    expectMasks(vocabulary)
  })

  it('are what the caller says', () => {
    const said = make({ textTokens: ['word', first + 41], controlTokens: ['\n', first + 5] })
    const isText = (id: number) => allows(ANY, said, id)
    expect([first + 24, first + 41, first, first + 5].map(isText)).toEqual([true, true, false, false])
    expectMasks(said)
  })
})

/** Tokens 0 to 255 are the bytes. */
function byteLevel(): Record<string, unknown> {
  const vocab = Object.fromEntries([...byteOfCharacter()])
  const parts = { pre_tokenizer: null, decoder: { type: 'ByteLevel' }, added_tokens: [] }
  return { ...parts, model: { type: 'BPE', vocab, merges: [] } }
}

describe('a vocabulary', () => {
  test('of several end tokens allows all of them at an end, with bytes or without', () => {
    const tokens = [...bytes, ...words, utf8('<end>'), null, utf8('stop')]
    const ends = [tokens.length - 3, tokens.length - 2, tokens.length - 1]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: ends })
    expect(vocabulary.endTokens).toEqual(ends)
    for (const id of ends) {
      expect(allows('', vocabulary, id)).toBe(true)
      expect(allows('stop|<end>', vocabulary, id)).toBe(false)
    }
    const matcher = compileRegex('a', vocabulary).matcher()
    expect(matcher.accept(0x61)).toBe(true)
    expect(ends.map((id) => matcher.fork().accept(id))).toEqual([true, true, true])
    expectMasks(vocabulary)
  })

  test.each([
    ['as wide as the logits', 0],
    ['narrower than the logits by one', 1],
    ['narrower by more than a word of the mask', 70],
  ])('that is %s masks the padding', (_, padding) => {
    const tokens = [...bytes, ...words, null]
    const size = tokens.length + padding
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [tokens.length - 1], size })
    expect(vocabulary.size).toBe(size)
    const mask = compileRegex(ANY, vocabulary).matcher().mask()
    expect(mask).toHaveLength(Math.ceil(size / 32))
    for (let id = tokens.length; id < size; id++) expect(hasBit(mask, id)).toBe(false)
    // Beyond the logits, too, to the end of the last word.
    for (let id = size; id < 32 * mask.length; id++) expect(hasBit(mask, id)).toBe(false)
    expectMasks(vocabulary)
  })

  test('that is wider than the logits has only the tokens that they reach', () => {
    const tokens = [...bytes, null, ...words]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [256], size: 257 + 5 })
    for (let id = 0; id < tokens.length; id++)
      expect(vocabulary.bytes(id)).toEqual(id < 262 ? tokens[id] : null)
    expect(compileRegex(ANY, vocabulary).matcher().accept(263)).toBe(false)
    expectMasks(vocabulary)
    expect(() => Vocabulary.fromBytes(tokens, { endTokens: [262], size: 262 })).toThrow(
      'the end token 262 lies outside the 262 ids of the vocabulary',
    )
  })

  test('with holes never allows one', () => {
    const tokens = [...bytes, null, ...words.flatMap((word) => [null, word, null])]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [256] })
    const mask = compileRegex(ANY, vocabulary).matcher().mask()
    for (let id = 257; id < tokens.length; id++) expect(hasBit(mask, id)).toBe(tokens[id] !== null)
    expect([257, 259].map((id) => vocabulary.isHole(id))).toEqual([true, true])
    expectMasks(vocabulary)
  })

  test('with copies of tokens takes a text for the name of one that is control, and else asks for an id', () => {
    const tag = utf8('<tag>')
    const tokens = [...bytes, tag, tag, utf8('</s>'), utf8('</s>'), Uint8Array.of(0xc3), new Uint8Array(0)]
    const end = { endTokens: [258] }
    const grammar = 'root ::= <tag> "!"'
    const made = (options: object) => Vocabulary.fromBytes(tokens, { ...end, ...options })
    const named = made({ controlTokens: [256] })
    expect([named.idOf('<tag>'), named.hasControl('<tag>'), named.idOf('</s>')]).toEqual([256, true, 258])
    expect(compileGbnf(grammar, named).matcher().validatePrefix([256, 0x21])).toBe(2)
    const which = 'the text "<tag>" is that of the tokens 256, 257; give the id of the one that is meant'
    expect(() => compileGbnf(grammar, made({}))).toThrow(`${which} (line 1, column 10)`)
    expect(() => compilePart(sequence('!', token('<tag>')), made({}))).toThrow(`sequence[1].token: ${which}`)
    expect(() => made({ controlTokens: ['<tag>'] })).toThrow(which)
    expect(() => made({ endTokens: ['</s>'] })).toThrow(/^the text "<\/s>" is that of the tokens 258, 259; /)
    // By their ids both are what they are, also where they are printed.
    const both = made({ controlTokens: [256, 257] })
    const matcher = compileGbnf('root ::= <[256]> <[257]>', both).matcher()
    expect(matcher.validatePrefix([256, 257, 258])).toBe(3)
    matcher.accept(256)
    expect(matcher.text()).toBe('<tag>')
    expect(String(compileGbnf('root ::= <[256]> <[257]>', both))).toBe('root ::= <[256]> <[257]>\n')
    // What is no text has no name.
    for (const text of ['\ufffd', '']) expect(named.idOf(text)).toBe(undefined)
    expect(named.literal(260)).toBe(undefined)
  })

  test('with copies of tokens allows all of them, or none', () => {
    const tokens = [...bytes, null, ...words, ...words, ...bytes.slice(0x20, 0x7f)]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [256] })
    const mask = compile({ enum: ['a', 'b'] }, vocabulary)
      .matcher()
      .mask()
    const quotes = tokens.flatMap((token, id) => (token?.length === 1 && token[0] === 0x22 ? [id] : []))
    expect(quotes).toHaveLength(4)
    expect(tokens.flatMap((_, id) => (hasBit(mask, id) ? [id] : []))).toEqual(quotes)
    expectMasks(vocabulary)
  })

  test('with tokens of no bytes never allows them: nothing would be said', () => {
    const empty = new Uint8Array(0)
    const tokens = [empty, ...bytes, null, empty, ...words, empty]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [257] })
    for (const id of [0, 258, tokens.length - 1]) {
      expect(allows(ANY, vocabulary, id)).toBe(false)
      expect(compileRegex(ANY, vocabulary).matcher().accept(id)).toBe(false)
    }
    expectMasks(vocabulary)
  })

  test('with tokens of hundreds of bytes reads them to their ends', () => {
    const long = [
      ' '.repeat(200),
      `"${'x'.repeat(150)}"`,
      `${'[1, '.repeat(60)}1`,
      '\n'.repeat(129),
      'é'.repeat(300),
      `{"a": ${'1'.repeat(120)}, "b b": " x"}`,
      'a'.repeat(500),
    ]
    const tokens = [...bytes, null, ...words, ...long.map(utf8)]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [256] })
    const first = 257 + words.length
    for (const [at, text] of long.entries()) {
      expect(allows(ANY, vocabulary, first + at)).toBe(true)
      expect(
        allows(`${text[0] === '[' ? '\\[' : text[0] === '{' ? '\\{' : text[0]}?`, vocabulary, first + at),
      ).toBe(false)
    }
    expect(allows('a{499}', vocabulary, first + 6)).toBe(false)
    expect(allows('a{500}', vocabulary, first + 6)).toBe(true)
    expectMasks(vocabulary)
  })

  test('takes a token of 65,535 bytes, and none that is longer', () => {
    const make = (length: number) =>
      Vocabulary.fromBytes([...bytes, null, utf8('a'.repeat(length))], { endTokens: [256] })
    expect(allows('a{65534}', make(65_535), 257)).toBe(false)
    expect(allows('a{65535}', make(65_535), 257)).toBe(true)
    expect(() => make(65_536)).toThrow('token 257 has 65536 bytes; the most is 65535')
  })
})

describe('Vocabulary.fromBytes', () => {
  const make =
    (tokens: unknown, options: object = { endTokens: [0] }) =>
    () =>
      Vocabulary.fromBytes(tokens as Uint8Array[], options)

  it.each([
    ['a list that is none', null, TypeError, 'tokens must be a list, not null'],
    ['an object', { length: 3 }, TypeError, 'tokens must be a list'],
    ['bytes themselves', Uint8Array.of(1, 2), TypeError, 'tokens must be a list'],
    ['texts', ['a'], TypeError, 'tokens[0] must be a Uint8Array or null, not string'],
    [
      'a gap',
      Object.assign([], { 1: bytes[1] }),
      TypeError,
      'tokens[0] must be a Uint8Array or null, not undefined',
    ],
    ['other arrays', [Uint16Array.of(1)], TypeError, 'tokens[0] must be a Uint8Array or null, not object'],
  ])('refuses %s', (_, tokens, kind, message) => {
    expect(make(tokens)).toThrow(kind)
    expect(make(tokens)).toThrow(message)
  })

  it('names ordinary tokens of a tokenizer.json by their ids alone', () => {
    const tokenizer = {
      model: { type: 'BPE', vocab: { '</s>': 0, a: 1 }, merges: [] },
      decoder: { type: 'ByteLevel' },
    }
    expect(() => Vocabulary.fromTokenizerJson(tokenizer, { endTokens: ['</s>'] })).toThrow(
      'the end token "</s>" is not among the added tokens; name one of the others by its id',
    )
    const vocabulary = Vocabulary.fromTokenizerJson(tokenizer, { endTokens: [0] })
    expect([vocabulary.endTokens, vocabulary.bytes(0), vocabulary.bytes(1)]).toEqual([[0], null, utf8('a')])
  })

  it.each([
    [{ endTokens: [3] }, VocabularyError, 'the end token 3 lies outside the 3 ids'],
    [{ endTokens: [-1] }, VocabularyError, 'the end token -1 lies outside'],
    [{ endTokens: [Number.NaN] }, VocabularyError, 'the end token NaN lies outside'],
    [{ endTokens: ['z'] }, VocabularyError, 'the end token "z" is not in the vocabulary'],
    [{ endTokens: [0], controlTokens: [3] }, VocabularyError, 'there is no token 3 to be a control token'],
    [{ endTokens: [0], controlTokens: [0.5] }, VocabularyError, 'there is no token 0.5'],
    [{ endTokens: [0], controlTokens: ['z'] }, VocabularyError, 'there is no token "z"'],
    [{ endTokens: [0], size: 0 }, RangeError, 'size must be an integer from 1 to 4194304, not 0'],
    [{ endTokens: [0], size: 2.5 }, RangeError, 'not 2.5'],
    [{ endTokens: [0], size: 1e12 }, RangeError, 'not 1000000000000'],
    [{ endTokens: [0], size: '3' }, RangeError, 'not "3"'],
  ])('refuses %j', (options, kind, message) => {
    expect(make(bytes.slice(0, 3), options)).toThrow(kind)
    expect(make(bytes.slice(0, 3), options)).toThrow(message)
  })

  it('keeps what it was given, whatever becomes of it', () => {
    const token = Uint8Array.of(0x61)
    const tokens = [null, token]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: [0] })
    token[0] = 0x62
    tokens.pop()
    expect(vocabulary.bytes(1)).toEqual(Uint8Array.of(0x61))
    expect(allows('a', vocabulary, 1)).toBe(true)
  })

  it('finds end and control tokens by the text of their bytes', () => {
    const tokens = [...bytes, utf8('<end>'), utf8('<|call|>')]
    const vocabulary = Vocabulary.fromBytes(tokens, { endTokens: ['<end>'], controlTokens: ['<|call|>'] })
    expect([vocabulary.endTokens, vocabulary.isControl(257), vocabulary.bytes(257)]).toEqual([
      [256],
      true,
      null,
    ])
    expectMasks(vocabulary)
  })
})
