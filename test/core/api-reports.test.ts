/**
 * The field reports that speak of tokens: grammars over a handful of tokens with the masks that must follow, ends, padding,
 * dead ends, raw vocabularies; and their neighbours, which need no list. The reports about documents run in
 * `field-reports.test.ts`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type CompiledGrammar,
  choice,
  compile,
  compileGbnf,
  compilePart,
  literal,
  type Matcher,
  sequence,
  token,
  Vocabulary,
  VocabularyError,
} from '../../src/core.ts'
import { idsOf } from '../support/masks.ts'
import { byteToken, sentencePiece } from '../support/sentence-piece.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const path = process.env.FIELD_REPORTS ?? '../shared/cases/field-reports.jsonl'
const present = existsSync(path)

interface TokenCase {
  readonly gbnf: string
  readonly vocab: readonly string[]
  readonly special: readonly number[]
  readonly eos: readonly number[]
  readonly logits_width?: number
  readonly steps?: readonly {
    readonly after: readonly number[]
    readonly allow: readonly number[]
    readonly forbid: readonly number[]
  }[]
  /** Ways to hand over the same tokens. */
  readonly split?: readonly (readonly (readonly number[])[])[]
  readonly rollback?: {
    readonly after: readonly number[]
    readonly feed: readonly number[]
    readonly back: number
  }
  readonly complete_after?: readonly number[]
  readonly sequence?: readonly number[]
}

interface RawTokens {
  readonly style: string
  readonly raw: readonly string[]
  readonly bytes: readonly (string | null)[]
}

const encoder = new TextEncoder()

function vocabularyOf({ vocab, special, eos, logits_width: size }: Omit<TokenCase, 'gbnf'>): Vocabulary {
  return Vocabulary.fromBytes(
    vocab.map((text) => encoder.encode(text)),
    { endTokens: eos, controlTokens: special, ...(size === undefined ? {} : { size }) },
  )
}

function fed(grammar: CompiledGrammar, ids: readonly number[]): Matcher {
  const matcher = grammar.matcher()
  for (const id of ids) expect({ id, accepted: matcher.accept(id) }).toEqual({ id, accepted: true })
  return matcher
}

function stateOf(matcher: Matcher): unknown {
  return [idsOf(matcher.mask()), matcher.text(), matcher.isComplete(), matcher.mustStop(), matcher.tokenCount]
}

/** Runs what the report says of a grammar over tokens. */
function check(of: TokenCase): void {
  const vocabulary = vocabularyOf(of)
  const steps = of.steps ?? []
  if (steps.some(({ allow }) => allow.length === 0)) {
    // A dead end is refused before anything is generated.
    expect(() => compileGbnf(of.gbnf, vocabulary)).toThrow(VocabularyError)
    return
  }
  const grammar = compileGbnf(of.gbnf, vocabulary)
  for (const { after, allow, forbid } of steps) {
    const ids = idsOf(fed(grammar, after).mask())
    expect(ids).toEqual([...allow].sort((a, b) => a - b))
    for (const id of forbid) expect(fed(grammar, after).validatePrefix([id])).toBe(0)
  }
  const ways = (of.split ?? []).map((pieces) => {
    const matcher = grammar.matcher()
    for (const piece of pieces) {
      expect(matcher.validatePrefix(piece)).toBe(piece.length)
      for (const id of piece) matcher.accept(id)
    }
    for (const id of of.vocab.keys()) expect(matcher.accept(id)).toBe(false)
    return stateOf(matcher)
  })
  for (const way of ways) expect(way).toEqual(ways[0])
  if (of.rollback !== undefined) {
    const { after, feed, back } = of.rollback
    const matcher = fed(grammar, after)
    const before = stateOf(matcher)
    for (const id of feed) expect(matcher.accept(id)).toBe(true)
    matcher.rollback(back)
    expect(stateOf(matcher)).toEqual(before)
  }
  if (of.complete_after !== undefined) {
    const matcher = fed(grammar, of.complete_after)
    expect([matcher.isComplete(), matcher.mustStop()]).toEqual([true, true])
  }
}

/** A `tokenizer.json` with these raw tokens. */
function tokenizerOf({ style, raw }: RawTokens): object {
  const end = '</s>'
  if (style.startsWith('metaspace')) return sentencePiece(raw.filter((text) => !/^<.*>$/.test(text)))
  const vocab = Object.fromEntries(raw.map((text, id) => [text, id]))
  return {
    added_tokens: [{ id: raw.length, content: end, special: true }],
    pre_tokenizer: { type: 'ByteLevel' },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: [] },
  }
}

function checkRaw(tokens: RawTokens): void {
  const document = tokenizerOf(tokens) as { model: { vocab: Record<string, number> } }
  const vocabulary = Vocabulary.fromTokenizerJson(JSON.stringify(document), { endTokens: ['</s>'] })
  tokens.raw.forEach((text, i) => {
    const id = document.model.vocab[text] ?? vocabulary.idOf(text)!
    const bytes = vocabulary.bytes(id)
    const expected = tokens.bytes[i]
    expect({ text, bytes: bytes === null ? null : Buffer.from(bytes).toString('hex') }).toEqual({
      text,
      bytes: expected,
    })
  })
}

describe.skipIf(!present)('field reports about tokens', () => {
  const reports = present
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"input_type": "api"'))
        .map((line) => JSON.parse(line) as { id: string; symptom: string; input: string })
    : []
  for (const { id, symptom, input } of reports) {
    if (input.startsWith('js:')) continue
    const api = JSON.parse(input) as Partial<TokenCase> & {
      cases?: readonly RawTokens[]
      json_schema?: object
    }
    if (api.json_schema !== undefined) continue
    test(`${id} ${symptom}`, () => {
      if (api.cases !== undefined) for (const tokens of api.cases) checkRaw(tokens)
      // The one report without a grammar says in words what it is: text, then a special token.
      else check({ gbnf: 'root ::= "ok" <[1]>', ...(api as Omit<TokenCase, 'gbnf'>) })
      if (api.sequence === undefined) return
      const matcher = fed(compileGbnf('root ::= "ok" <[1]>', vocabularyOf(api as TokenCase)), api.sequence)
      expect([matcher.isComplete(), matcher.mustStop()]).toEqual([true, true])
    })
  }
})

describe('their neighbours', () => {
  const tokens = ['a', 'ab', 'b', '<end>', '<stop>', '<tool>']
  const vocab = { vocab: tokens, special: [3, 4, 5], eos: [3, 4] }

  test('the end comes by any end token, at once or alone, and nothing follows it', () => {
    for (const end of vocab.eos)
      for (const split of [[[0, 2, end]], [[0], [2], [end]], [[0, 2], [end]], [[1, end]], [[1], [end]]]) {
        check({ ...vocab, gbnf: 'root ::= "a" "b"', split: [split, split] })
      }
  })

  test('a token completes and stops also where it is one of several, or follows another control token', () => {
    const of = vocabularyOf(vocab)
    const grammar = compilePart(sequence('a', token('<tool>'), choice(token('<end>'), token('<stop>'))), of)
    expect(idsOf(fed(grammar, [0]).mask())).toEqual([5])
    expect(idsOf(fed(grammar, [0, 5]).mask())).toEqual([3, 4])
    expect(fed(grammar, [0, 5, 4]).mustStop()).toBe(true)
    expect(fed(grammar, [0, 5]).shortestCompletion().text).toBe('<end>')
    expect(() => compilePart(sequence(token('<end>'), 'a'), of)).toThrow(VocabularyError)
  })

  test('logits may be wider or narrower than the vocabulary', () => {
    for (const size of [6, 7, 32, 33, 64, 65, 100]) {
      const grammar = compileGbnf('root ::= [ab]+', vocabularyOf({ ...vocab, logits_width: size }))
      expect(idsOf(grammar.matcher().mask())).toEqual([0, 1, 2])
      expect(grammar.matcher().validatePrefix([size - 1])).toBe(0)
    }
    const narrow = vocabularyOf({ vocab: tokens, special: [], eos: [2], logits_width: 3 })
    const grammar = compileGbnf('root ::= [ab]+', narrow)
    expect(idsOf(grammar.matcher().mask())).toEqual([0, 1])
    expect(grammar.matcher().validatePrefix([3])).toBe(0)
  })

  test.each([
    ['a byte that no token has', 'root ::= "a" "q"'],
    ['a byte in a counted part', 'root ::= "a" [q-z]{2}'],
    ['tokens that do not fit together', 'root ::= "aa" "bb" "bba" "c"'],
    ['a control token spelled as text', 'root ::= "<tool>"'],
  ])('a grammar is refused that needs %s', (_, gbnf) => {
    const { vocab: texts, special, eos } = { ...vocab, vocab: ['a', 'ab', 'bb', '<end>', '<stop>', '<tool>'] }
    expect(() => compileGbnf(gbnf, vocabularyOf({ vocab: texts, special, eos }))).toThrow(VocabularyError)
  })

  test('a branch that cannot be finished is not entered', () => {
    const grammar = compileGbnf('root ::= "a" ("q" | "b") | "ab" "q"', vocabularyOf(vocab))
    expect(idsOf(grammar.matcher().mask())).toEqual([0, 1])
    expect(idsOf(fed(grammar, [0]).mask())).toEqual([2])
    expect(idsOf(fed(grammar, [1]).mask())).toEqual([3, 4])
  })

  test('complete is not the same as having to stop', () => {
    const grammar = compileGbnf('root ::= "a" | "ab" | "ab" "b"+', vocabularyOf(vocab))
    const state = (ids: readonly number[]): boolean[] => {
      const matcher = fed(grammar, ids)
      return [matcher.isComplete(), matcher.mustStop()]
    }
    expect(state([])).toEqual([false, false])
    expect(state([0])).toEqual([true, false])
    expect(state([1, 2])).toEqual([true, false])
    const one = compileGbnf('root ::= "a" "b"', vocabularyOf(vocab))
    expect([fed(one, [1]).isComplete(), fed(one, [1]).mustStop()]).toEqual([true, true])
  })

  test('tags of characters of three bytes are read token by token, whole or in parts', () => {
    const tag = '<｜tool▁call▁begin｜>'
    const pieces = ['<', '｜', 'tool', '▁', 'call', 'begin', '>', '{}']
    const halves = [...encoder.encode('｜▁')].map((byte) => Uint8Array.of(byte))
    const of = Vocabulary.fromBytes(
      [...pieces.map((text) => encoder.encode(text)), encoder.encode('<end>'), ...halves],
      { endTokens: [8] },
    )
    const bar = [9, 10, 11]
    const grammar = compileGbnf(`root ::= "${tag}" "{}"`, of)
    expect(idsOf(grammar.matcher().mask())).toEqual([0])
    expect(idsOf(fed(grammar, [0]).mask())).toEqual([1, bar[0]])
    expect(idsOf(fed(grammar, [0, ...bar.slice(0, 2)]).mask())).toEqual([bar[2]])
    for (const opening of [
      [0, 1],
      [0, ...bar],
    ])
      expect(idsOf(fed(grammar, [...opening, 2, 3, 4, 3, 5, 1, 6, 7]).mask())).toEqual([8])
    const parts = compilePart(sequence(literal(tag), literal('{}')), of)
    expect(fed(parts, [0, 1, 2, 3, 4, 3, 5, ...bar, 6]).text()).toBe(tag)
  })

  test('unions of shared definitions, forty deep, are as large as they are written', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 41 }, (_, i) => {
        const of = (key: string): object => ({
          type: 'object',
          properties: { [key]: { $ref: `#/$defs/L${i - 1}` } },
          required: [key],
          additionalProperties: false,
        })
        return [`L${i}`, i === 0 ? { type: 'integer' } : { oneOf: ['a', 'b'].map(of) }]
      }),
    )
    const grammar = compile({ $ref: '#/$defs/L40', $defs }, byteVocabulary())
    expect(grammar.sizes.nodes).toBeLessThan(41 * 30)
    const text = `${'{"a": {"b": '.repeat(20)}7${'}'.repeat(40)}`
    const matcher = grammar.matcher()
    expect(matcher.acceptText(text)).toBe(true)
    expect(matcher.mustStop()).toBe(true)
  })

  test('a thousand optional properties take a place each, not a subset', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `p${i}`)
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
    const grammar = compile({ type: 'object', properties, additionalProperties: false }, byteVocabulary())
    expect(grammar.sizes.nodes).toBeLessThan(5_000)
    const matcher = grammar.matcher()
    expect(matcher.acceptText('{"p0": 1, "p500": 2, "p999": 3}')).toBe(true)
    expect(grammar.matcher().acceptText('{"p500": 2, "p0": 1')).toBe(false)
  })

  test('bytes of half a character are tokens of their own, and so are whole ones, in raw vocabularies', () => {
    checkRaw({
      style: 'byte-level BPE',
      raw: ['ĉ', 'Ġ', 'ĠĠ', 'Ã©', 'âĤ', '¬', '"', '\\', 'Ń', 'ġ'],
      bytes: ['09', '20', '2020', 'c3a9', 'e282', 'ac', '22', '5c', 'ad', '7f'],
    })
    checkRaw({
      style: 'metaspace + byte fallback',
      raw: ['▁', '▁▁', 'a▁b', '"', '€', byteToken(0xe2), byteToken(0)],
      bytes: ['20', '2020', '612062', '22', 'e282ac', 'e2', '00'],
    })
  })
})
