/** What other runtimes ask of matchers: bytes and texts, drafts, forks of long texts, a new beginning, the masks of a batch. */
import { describe, expect, test, vi } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import {
  compile,
  compileGbnf,
  fillMasks,
  LimitError,
  type Matcher,
  Vocabulary,
  VocabularyError,
} from '../../src/core.ts'
import { type Expr, GrammarBuilder } from '../../src/grammar/grammar.ts'
import { choice, frame, literal, optional, repeat, sequence, token } from '../../src/grammar/parts.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import type { CompiledGrammar } from '../../src/mask/compiled-grammar.ts'
import { Positions } from '../../src/mask/positions.ts'
import { idsOf } from '../support/masks.ts'
import { BYTE_END, byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const { vocabulary, control, ends } = tinyVocabulary()
const encoder = new TextEncoder()
const STRINGS = { type: 'array', items: { type: 'string' } }

/** Of the body of the root, and those of further rules, which are called by their number from 1 on. */
function grammarOf(body: Expr, of: Vocabulary, ...further: readonly Expr[]): CompiledGrammar {
  const builder = new GrammarBuilder()
  for (const each of [body, ...further]) builder.define(builder.declare('root'), each)
  return compileGrammar(builder.build(0, { whitespace: 'model', indent: 2, maxWhitespace: 64 }), of)
}

describe('acceptBytes', () => {
  test('takes all bytes or none, and what it took is one step', () => {
    const matcher = compile(STRINGS, vocabulary).matcher()
    expect(matcher.acceptBytes(encoder.encode('["a", "'))).toBe(true)
    expect(matcher.acceptBytes(encoder.encode('b", 1]'))).toBe(false)
    expect([matcher.text(), matcher.tokenCount]).toEqual(['["a", "', 1])
    matcher.rollback(1)
    expect([matcher.text(), matcher.tokenCount]).toEqual(['', 0])
  })

  test('counts no bytes as a step, too, and refuses them behind an end token', () => {
    const matcher = compile({ const: 1 }, vocabulary).matcher()
    expect(matcher.acceptBytes(new Uint8Array(0))).toBe(true)
    expect(matcher.tokenCount).toBe(1)
    matcher.acceptText('1')
    matcher.accept(ends[0]!)
    expect(matcher.acceptBytes(new Uint8Array(0))).toBe(false)
    expect(matcher.tokenCount).toBe(3)
  })

  test('may end within a character', () => {
    const matcher = compile({ type: 'string' }, vocabulary).matcher()
    expect(matcher.acceptBytes(Uint8Array.of(0x22, 0xe2, 0x82))).toBe(true)
    expect(matcher.acceptBytes(Uint8Array.of(0x22))).toBe(false)
    expect(matcher.acceptBytes(Uint8Array.of(0xac, 0x22))).toBe(true)
    expect(matcher.text()).toBe('"€"')
  })

  test('looks for no earlier threads where it needs none, so that a text byte by byte is read in proportion to its length', () => {
    const matcher = compile(STRINGS, vocabulary).matcher()
    const searches = vi.spyOn(Positions.prototype, 'known', 'get')
    try {
      for (const byte of encoder.encode('["a", "b"]'))
        expect(matcher.acceptBytes(Uint8Array.of(byte))).toBe(true)
      expect(searches).not.toHaveBeenCalled()
    } finally {
      searches.mockRestore()
    }
    expect(matcher.isComplete()).toBe(true)
  })

  test('reads a megabyte in proportion to its length, where items must differ too', () => {
    for (const uniqueItems of [false, true]) {
      const matcher = compile(
        { type: 'array', items: { type: 'string' }, uniqueItems },
        byteVocabulary(),
      ).matcher()
      const size = uniqueItems ? 2_000 : 80_000
      const text = JSON.stringify(Array.from({ length: size }, (_, i) => `item ${i}`))
      expect(matcher.acceptText(text)).toBe(true)
      expect(matcher.isComplete()).toBe(true)
      expect(matcher.tokenCount).toBe(1)
    }
  })

  test('is for bytes, and acceptText for texts', () => {
    const matcher = compile({}, vocabulary).matcher()
    expect(() => matcher.acceptBytes('1' as unknown as Uint8Array)).toThrow(TypeError)
    expect(() => matcher.acceptText(encoder.encode('1') as unknown as string)).toThrow(TypeError)
  })

  test('cannot spell a control token', () => {
    const grammar = grammarOf(sequence(literal('a'), token(control)), vocabulary)
    const matcher = grammar.matcher()
    expect(matcher.acceptText('a<tool>')).toBe(false)
    expect(matcher.acceptText('a')).toBe(true)
    expect(matcher.accept(control)).toBe(true)
    expect(matcher.text()).toBe('a<tool>')
  })

  test('leaves nothing behind from which no tokens lead to an end', () => {
    const few = Vocabulary.fromBytes(
      ['"', 'ab', 'cd', '<end>'].map((text) => encoder.encode(text)),
      { endTokens: [3] },
    )
    const grammar = compile({ enum: ['abab', 'abcd', 'xy'] }, few)
    const matcher = grammar.matcher()
    for (const [text, is] of [
      ['"x', false],
      ['"a', false],
      ['"abc', false],
      ['"abcd', true],
      ['"', true],
    ] as const)
      expect([text, matcher.acceptText(text)]).toEqual([text, is])
    expect(matcher.isComplete()).toBe(true)
  })
})

test('acceptText refuses a lone surrogate, which no text in UTF-8 has', () => {
  const matcher = compile({ type: 'string' }, vocabulary).matcher()
  expect(matcher.acceptText('"\ud800')).toBe(false)
  expect(matcher.acceptText('"\ufffd\u{1d11e}"')).toBe(true)
})

describe('validatePrefix', () => {
  test('counts the legal tokens of a draft, an end token that is allowed among them', () => {
    const matcher = compile({ enum: [1, 12] }, vocabulary).matcher({ maxRollback: 0 })
    const [one, two] = [0x31, 0x32]
    for (const [draft, legal] of [
      [[], 0],
      [[one], 1],
      [[one, two, two], 2],
      [[one, ends[0]!], 2],
      [[one, ends[1]!, ends[0]!, one], 2],
      [[ends[0]!], 0],
      [[one, -1], 1],
      [[one, 1e9, two], 1],
      [[one, Number.NaN], 1],
    ] as const)
      expect({ draft, legal: matcher.validatePrefix(draft) }).toEqual({ draft, legal })
    expect(matcher.tokenCount).toBe(0)
    expect(matcher.validatePrefix(Int32Array.of(one, two, one))).toBe(2)
    matcher.accept(one)
    matcher.accept(ends[0]!)
    expect(matcher.validatePrefix([ends[0]!])).toBe(0)
  })

  test('leaves the matcher as it is where a limit is met on the way', () => {
    const grammar = compile({ type: 'string', pattern: '^a{50}$' }, byteVocabulary(), {
      limits: { maxStates: 30 },
    })
    const matcher = grammar.matcher()
    const draft = encoder.encode(`"${'a'.repeat(49)}`)
    expect(() => matcher.validatePrefix(draft)).toThrow(LimitError)
    expect([matcher.tokenCount, matcher.text()]).toEqual([0, ''])
    expect(matcher.accept(0x22)).toBe(true)
  })
})

describe('a fork', () => {
  test('reads the text that it shares, whoever writes on first, and however far either is taken back', () => {
    const grammar = compile(STRINGS, byteVocabulary())
    const text = `["${'é€'.repeat(200)}`
    for (const first of [0, 1]) {
      const matcher = grammar.matcher()
      for (const byte of encoder.encode(text)) matcher.accept(byte)
      const both = [matcher, matcher.fork()]
      const [one, other] = first === 0 ? [both[0]!, both[1]!] : [both[1]!, both[0]!]
      one.rollback(300)
      for (const byte of encoder.encode('"]')) one.accept(byte)
      for (const byte of encoder.encode('x", "y')) other.accept(byte)
      const third = other.fork()
      third.rollback(3)
      third.acceptText('"z')
      other.acceptText('y')
      expect(other.text()).toBe(`${text}x", "yy`)
      expect(third.text()).toBe(`${text}x","z`)
      expect(one.text().endsWith('"]')).toBe(true)
      expect(one.frames()).toEqual([])
    }
  })
})

test('reset begins anew, with the maxRollback there was', () => {
  const grammar = compile(STRINGS, vocabulary)
  const matcher = grammar.matcher({ maxRollback: 2 })
  const mask = matcher.mask().slice()
  for (const part of ['[', '"', 'a', '"', ']']) matcher.acceptText(part)
  matcher.accept(ends[0]!)
  const fork = matcher.fork()
  matcher.reset()
  expect([matcher.text(), matcher.tokenCount, matcher.isComplete()]).toEqual(['', 0, false])
  expect(matcher.mask()).toEqual(mask)
  expect(() => matcher.rollback(1)).toThrow(RangeError)
  for (const part of ['[', '"', 'b', '"']) matcher.acceptText(part)
  expect(() => matcher.rollback(3)).toThrow(RangeError)
  expect(fork.text()).toBe('["a"]')
  expect(fork.isComplete()).toBe(true)
})

describe('a grammar whose texts have made very many positions', () => {
  test('begins anew where a matcher is reset, as where one is made', () => {
    const grammar = compile({ type: 'array', items: { $ref: '#' }, minItems: 0 }, byteVocabulary(), {
      limits: { maxContexts: 3_000 },
    })
    const matcher = grammar.matcher()
    for (let round = 0; round < 20; round++) {
      for (let depth = 0; depth < 1 + 30 * round; depth++) expect(matcher.accept(0x5b)).toBe(true)
      matcher.reset()
    }
    expect(grammar.sizes.contexts).toBeLessThan(3_000)
  })
})

describe('end tokens that a grammar names', () => {
  const of = Vocabulary.fromBytes(
    ['ok', '<ret>', '<end>', '!'].map((text) => encoder.encode(text)),
    { endTokens: [1, 2], controlTokens: [1, 2] },
  )

  test('complete it and end it', () => {
    const matcher = grammarOf(sequence(literal('ok'), token(1)), of).matcher()
    matcher.accept(0)
    expect([matcher.isComplete(), matcher.mustStop()]).toEqual([false, false])
    expect(idsOf(matcher.mask())).toEqual([1])
    expect(matcher.validatePrefix([1, 1])).toBe(1)
    expect(matcher.accept(2)).toBe(false)
    expect(matcher.accept(1)).toBe(true)
    expect([matcher.isComplete(), matcher.mustStop(), matcher.text()]).toEqual([true, true, 'ok<ret>'])
    expect(idsOf(matcher.mask())).toEqual([])
    matcher.rollback(1)
    expect(idsOf(matcher.mask())).toEqual([1])
  })

  test('end a text that is complete already', () => {
    const matcher = grammarOf(sequence(literal('ok'), optional(token(1))), of).matcher()
    matcher.accept(0)
    expect(idsOf(matcher.mask())).toEqual([1, 2])
    expect(matcher.accept(1)).toBe(true)
    expect(matcher.text()).toBe('ok')
  })

  test('are in the mask of each place that accepts them, in repetitions and choices', () => {
    for (const body of [
      repeat(sequence(literal('ok'), optional(token(1))), 0, 1),
      choice(sequence(literal('ok'), token(1)), literal('ok!')),
      sequence(token(1), repeat(literal('!'), 0, 3)),
    ]) {
      const matcher = grammarOf(body, of).matcher()
      for (let step = 0; step < 3; step++) {
        const allowed = [0, 1, 2, 3].filter((id) => matcher.validatePrefix([id]) === 1)
        expect(allowed).toEqual(idsOf(matcher.mask()))
        if (allowed.length === 0 || !matcher.accept(allowed[0]!)) break
      }
    }
  })

  test('are refused where the text would have to go on', () => {
    for (const body of [
      sequence(token(1), literal('ok')),
      sequence(literal('ok'), repeat(token(2), 2, 3)),
      sequence(choice(literal('!'), token(1)), optional(literal('!')), literal('ok')),
    ])
      expect(() => grammarOf(body, of)).toThrow(VocabularyError)
    expect(() => grammarOf(sequence(token(1), literal('ok')), of)).toThrow(/token 1 \("<ret>"\) ends a text/)
  })

  test('may stand before rules that have the empty text, by way of others too', () => {
    const call = (rule: number): Expr => ({ type: 'call', rule })
    const behind = (last: Expr): CompiledGrammar =>
      grammarOf(
        sequence(token(1), call(1)),
        of,
        choice(sequence(literal('ok'), call(1)), call(2)),
        frame('tag', last),
      )
    expect(
      idsOf(
        behind(repeat(literal('!'), 0, 1))
          .matcher()
          .mask(),
      ),
    ).toEqual([1])
    expect(() => behind(literal('!'))).toThrow(VocabularyError)
  })
})

describe('tokens that a grammar names by id and that have bytes', () => {
  const of = Vocabulary.fromBytes(
    ['a', 'ab', 'b', '<t>', '<end>', '', 'ba'].map((text) => encoder.encode(text)),
    { endTokens: [4], controlTokens: [3] },
  )

  /** What accept takes, which is what the mask must say. */
  function agrees(matcher: Matcher): number[] {
    const allowed = Array.from({ length: of.size }, (_, id) => id).filter(
      (id) => matcher.validatePrefix([id]) === 1,
    )
    expect(idsOf(matcher.mask())).toEqual(allowed)
    return allowed
  }

  test.each<[string, readonly (readonly [readonly number[], readonly number[]])[]]>([
    [
      'root ::= <[1]> "b"',
      [
        [[], [1]],
        [[1], [2]],
      ],
    ],
    [
      'root ::= "a" | <[0]> "b"',
      [
        [[], [0]],
        [[0], [2, 4]],
      ],
    ],
    [
      'root ::= !<[1]>',
      [
        [[], [0, 2, 3, 5, 6]],
        [[5], [4]],
      ],
    ],
    [
      'root ::= "a" !<[3]>* "b"',
      [
        [[], [0, 1]],
        [[0], [0, 1, 2, 5, 6]],
        [
          [0, 6],
          [0, 1, 2, 5, 6],
        ],
        [[1], [4]],
      ],
    ],
    [
      'root ::= [ab]+ <[6]>',
      [
        [[], [0, 1, 2, 6]],
        [
          [0, 6],
          [0, 1, 2, 4, 6],
        ],
      ],
    ],
  ])('%s takes them', (gbnf, states) => {
    const grammar = compileGbnf(gbnf, of)
    for (const [ids, allowed] of states) {
      const matcher = grammar.matcher()
      for (const id of ids) expect(matcher.accept(id)).toBe(true)
      expect(agrees(matcher)).toEqual(allowed)
    }
  })

  test('are not spelled by other bytes, and stay what they were in a restored matcher', () => {
    const grammar = compileGbnf('root ::= <[1]> "b" | "x"', of)
    expect(grammar.matcher().acceptText('ab')).toBe(false)
    const matcher = grammar.matcher({ maxRollback: 1 })
    expect(matcher.accept(1)).toBe(true)
    const restored = grammar.restore(matcher.serialize())
    expect(agrees(restored)).toEqual([2])
    expect(restored.accept(2)).toBe(true)
    expect(restored.text()).toBe('abb')
    restored.rollback(1)
    expect(agrees(grammar.restore(restored.serialize()))).toEqual([2])
  })

  test('and may be read in both ways need no more threads with each token', () => {
    const grammar = compileGbnf('root ::= ([ab] | !<[3]>)*', of, { limits: { maxThreads: 8 } })
    const matcher = grammar.matcher()
    for (let step = 0; step < 200; step++) expect(matcher.accept(step % 3)).toBe(true)
    expect(agrees(matcher)).toEqual([0, 1, 2, 4, 5, 6])
  })

  test('complete the text with the fewest bytes', () => {
    const grammar = compileGbnf('root ::= "a" (<[1]> | <[2]>) !<[5]>', of)
    expect(grammar.matcher().shortestCompletion()).toEqual({ text: 'aba', tokens: 4 })
  })
})

describe('fillMasks', () => {
  const first = compile(STRINGS, vocabulary).matcher()
  const second = compile({ type: 'integer' }, byteVocabulary()).matcher()
  const words = (vocabulary.size + 31) >>> 5

  test('writes a row for each matcher, zero behind a narrow mask, all ones without a matcher', () => {
    const out = new Uint32Array(3 * words).fill(7)
    expect(fillMasks([first, null, second], out)).toEqual([])
    expect(out.subarray(0, words)).toEqual(first.mask())
    expect(out.subarray(words, 2 * words).every((word) => word === 0xffffffff)).toBe(true)
    const narrow = second.mask()
    expect(out.subarray(2 * words, 2 * words + narrow.length)).toEqual(narrow)
    expect(out.subarray(2 * words + narrow.length).every((word) => word === 0)).toBe(true)
  })

  test('goes by the rows and the width it is given, and leaves other rows alone', () => {
    const stride = words + 2
    const out = new Int32Array(4 * stride).fill(7)
    fillMasks([first, second], out, { stride, rows: [2, 0] })
    expect(new Uint32Array(out.buffer, 8 * stride, words)).toEqual(first.mask())
    expect(hasBit(new Uint32Array(out.buffer), 0x31)).toBe(true)
    for (const row of [1, 3])
      expect(out.subarray(row * stride, (row + 1) * stride).every((word) => word === 7)).toBe(true)
  })

  test('says which masks could not be made, and makes the others', () => {
    const hard = compile({ type: 'string', pattern: '^a{50}$' }, byteVocabulary(), {
      limits: { maxStates: 30 },
    })
    const ended = compile({ const: 1 }, byteVocabulary()).matcher()
    for (const id of [0x31, BYTE_END]) ended.accept(id)
    const broken = hard.matcher()
    const mask = broken.mask.bind(broken)
    broken.mask = (out) => {
      mask(out)
      throw new LimitError('states', 30, 31, 'raise it')
    }
    const out = new Uint32Array(3 * words)
    const failed = fillMasks([broken, ended, second], out, { stride: words })
    expect(failed).toEqual([{ row: 0, error: expect.any(LimitError) }])
    expect(out.subarray(0, 2 * words).every((word) => word === 0)).toBe(true)
    expect(hasBit(out.subarray(2 * words), 0x31)).toBe(true)
  })

  test('refuses arrays and rows that do not fit before it writes', () => {
    const out = new Uint32Array(2 * words).fill(7)
    for (const options of [
      { stride: 3 },
      { stride: 1.5 },
      { rows: [0] },
      { rows: [0, 2] },
      { rows: [-1, 0] },
      { rows: [1, 1] },
    ])
      expect(() => fillMasks([first, second], out, options)).toThrow(RangeError)
    expect(() => fillMasks([first, second, first], out)).toThrow(RangeError)
    expect(() => fillMasks([first], out, { row: 1 } as object)).toThrow(TypeError)
    for (const other of [undefined, {}, 7])
      expect(() => fillMasks([first, other as unknown as Matcher], out)).toThrow(
        'matchers[1] is neither a matcher nor null',
      )
    for (const [other, kind] of [
      [first, 'a class instance'],
      [undefined, 'undefined'],
    ] as const)
      expect(() => fillMasks(other as unknown as Matcher[], out)).toThrow(
        `a batch is a list of matchers, not ${kind}`,
      )
    for (const array of [new Uint8Array(999), new Float32Array(words), Array(words).fill(7), null])
      expect(() => fillMasks([first], array as unknown as Uint32Array)).toThrow(
        /^a batch of masks is written to a Uint32Array or Int32Array, not to (Uint8Array|Float32Array|Array|null)$/,
      )
    expect(out.every((word) => word === 7)).toBe(true)
  })
})
