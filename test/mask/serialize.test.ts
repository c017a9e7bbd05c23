/**
 * Compiled grammars and matchers as bytes: they come back as they were, or an error says why not. Damage of any byte is
 * found; bytes that somebody made up end in an error or in a grammar, within bounded steps. Restored matchers are walked in
 * `interleaving.test.ts`.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checksumOf } from '../../src/checksum.ts'
import {
  type CompiledGbnf,
  CompiledGrammar,
  compile,
  compileGbnf,
  compileRegex,
  DataError,
  LimitError,
  SchemaError,
  Vocabulary,
  VocabularyError,
} from '../../src/core.ts'
import { decodeGrammar, encodeGrammar } from '../../src/grammar/grammar-bytes.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { chooseToken, idsOf } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { wideSchemas } from '../support/random-schemas.ts'
import { MODES, SCHEMAS } from '../support/schemas.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('serialised')
const { vocabulary, control, ends } = tinyVocabulary()
const load = (bytes: Uint8Array): CompiledGrammar => CompiledGrammar.deserialize(bytes, vocabulary)

/** Walks in both, which must say the same. */
function compareWalks(one: CompiledGrammar, other: CompiledGrammar, random: Random, steps: number): void {
  const matchers = [one.matcher(), other.matcher()] as const
  for (let step = 0; step < steps; step++) {
    const [a, b] = matchers.map((matcher) => ({
      mask: idsOf(matcher.mask()),
      completion: matcher.shortestCompletion(),
      frames: matcher.frames(),
    }))
    expect(b).toEqual(a)
    const id = chooseToken(matchers[0], one.vocabulary, random, step > steps / 2)
    expect(matchers.map((matcher) => matcher.accept(id))).toEqual([true, true])
    if (one.vocabulary.endTokens.includes(id)) break
  }
}

describe('a compiled grammar that was bytes', () => {
  test.each(SCHEMAS.filter((_, i) => (i + seed) % 2 === 0))(
    'says the same of $name',
    ({ schema, options }) => {
      const random = new Random(seed)
      const grammar = compile(schema, vocabulary, { ...random.pick(MODES), ...options })
      const loaded = CompiledGrammar.deserialize(grammar.serialize(), vocabulary)
      expect(loaded.report).toEqual(grammar.report)
      compareWalks(grammar, loaded, random, 8)
    },
  )

  test.each(grammars(control))('says the same of $name', ({ build }) => {
    const grammar = compileGrammar(build(), vocabulary)
    compareWalks(grammar, load(grammar.serialize()), new Random(seed), 12)
  })

  test('says the same of patterns, with counts, classes, assertions and words', () => {
    for (const pattern of [
      '[^a-c]{2,5}é?',
      '(?:ab|c)*\\bx\\w+\\b(?!y).',
      '\\p{Lu}+|[\\s\\S]{3}',
      '(?=.*1)[a1]{0,5}(?<!a)',
    ]) {
      const grammar = compileRegex(pattern, vocabulary)
      compareWalks(grammar, load(grammar.serialize()), new Random(seed), 8)
    }
  })

  test.each([
    'root ::= expr\nexpr ::= expr [-+] term | term\nterm ::= [0-9]{1,3} | "(" expr ")"',
    'root ::= "a" root "b" | "" | unused\nunused ::= "x" never\nnever ::= "y" never',
    'root ::= (!<[97]> | <tool>){2,4} "é𝄞"?',
  ])('says the same of %s', (gbnf) => {
    const grammar = compileGbnf(gbnf, vocabulary)
    const loaded = CompiledGrammar.deserialize<CompiledGbnf['report']>(grammar.serialize(), vocabulary)
    expect(loaded.report).toEqual(grammar.report)
    expect(String(loaded)).toBe(String(grammar))
    compareWalks(grammar, loaded, new Random(seed), 12)
  })

  test('says the same of random schemas, and is the same bytes again', () => {
    const random = new Random(seed)
    for (const schema of fc.sample(wideSchemas, { numRuns: 80, seed })) {
      let grammar: CompiledGrammar
      try {
        grammar = compile(schema as object, vocabulary, random.pick(MODES))
      } catch (error) {
        if (error instanceof SchemaError || error instanceof LimitError) continue
        throw error
      }
      const bytes = grammar.serialize()
      const loaded = load(bytes)
      expect(loaded.serialize()).toEqual(bytes)
      compareWalks(grammar, loaded, random, 5)
    }
  })

  test('keeps texts that are no Unicode, numbers of many digits, bounds without end', () => {
    const schema = `{"type": "object", "properties": {"\\ud800": {"minimum": -1234567890123456789012345.5e-7},
      "é𝄞": {"type": "integer", "multipleOf": 12345678901}, "": {"minItems": 3, "maxItems": 9007199254740991}},
      "maxProperties": 70, "propertyNames": {"pattern": "^[^]{0,2}$"}}`
    const grammar = compile(schema, vocabulary)
    compareWalks(grammar, load(grammar.serialize()), new Random(seed), 10)
  })

  test('has the limits with which it was compiled', () => {
    const grammar = compile({ type: 'string', pattern: '^a{50}$' }, vocabulary, { limits: { maxStates: 30 } })
    expect(() => load(grammar.serialize()).matcher().shortestCompletion()).toThrow(LimitError)
  })

  test('is the same bytes whenever it is compiled, whatever was before', () => {
    const all = SCHEMAS.filter((_, i) => i % 5 === seed % 5)
    const bytes = (): Uint8Array[] =>
      all.map(({ schema, options }) => compile(schema, vocabulary, options).serialize())
    const before = bytes()
    for (const pattern of ['x+y', '\\w+@\\w+'])
      compile({ type: 'string', pattern, format: 'email' }, vocabulary)
    expect(bytes()).toEqual(before)
  })
})

describe('serialised data', () => {
  const grammar = compile(
    { type: 'object', properties: { a: { type: 'integer' }, b: { enum: ['x', 'y'] } }, required: ['a'] },
    vocabulary,
  )
  const matcher = grammar.matcher({ maxRollback: 3 })
  matcher.acceptText('{"a": 12')
  for (const text of [',', ' "', 'bc"', ': [']) matcher.acceptText(text)
  const kinds = [
    { kind: 'compiled grammar', bytes: grammar.serialize(), read: load },
    { kind: 'matcher', bytes: matcher.serialize(), read: (bytes: Uint8Array) => grammar.restore(bytes) },
  ]

  const refusal = (read: () => unknown): string => {
    try {
      read()
    } catch (error) {
      if (error instanceof DataError) return error.message
      throw error
    }
    return 'read'
  }

  test.each(kinds)('of a $kind: each byte that is altered is found, and said', ({ kind, bytes, read }) => {
    const random = new Random(seed)
    const reason = (at: number): RegExp => {
      if (at < 4) return new RegExp(`^these bytes are no serialised ${kind}, or of a machine with another`)
      if (at < 8)
        return new RegExp(`^a serialised ${kind} of version \\d+, and this is version 1: make it anew`)
      if (at >= 12 && at < 16)
        return new RegExp(`^a serialised ${kind} of \\d+ bytes, of which there are|altered`)
      return new RegExp(`^a serialised ${kind} that was altered`)
    }
    for (let at = 0; at < bytes.length; at++) {
      const altered = bytes.slice()
      altered[at]! ^= 1 + random.below(255)
      expect(
        refusal(() => read(altered)),
        `byte ${at}`,
      ).toMatch(reason(at))
    }
  })

  test.each(kinds)(
    'of a $kind: what was cut off or put behind is found, and said',
    ({ kind, bytes, read }) => {
      for (let length = 0; length < bytes.length; length++) {
        const message = refusal(() => read(bytes.slice(0, length)))
        if (length < 32) expect(message).toBe(`these ${length} bytes are no serialised ${kind}`)
        else
          expect(message).toBe(`a serialised ${kind} of ${bytes.length} bytes, of which there are ${length}`)
      }
      for (const more of [1, 4, 16]) {
        const longer = new Uint8Array(bytes.length + more)
        longer.set(bytes)
        expect(refusal(() => read(longer))).toBe(
          `a serialised ${kind} of ${bytes.length} bytes, of which there are ${longer.length}`,
        )
      }
    },
  )

  test.each(kinds)('of a $kind may begin anywhere in a buffer', ({ bytes, read }) => {
    const buffer = new Uint8Array(bytes.length + 3)
    buffer.set(bytes, 3)
    expect(read(buffer.subarray(3))).toBeDefined()
    expect(read(Buffer.from(bytes))).toBeDefined()
  })

  test('is one thing or the other', () => {
    expect(() => grammar.restore(grammar.serialize())).toThrow(
      /no serialised matcher, but a compiled grammar/,
    )
    expect(() => load(matcher.serialize())).toThrow(DataError)
    expect(() => load('{}' as unknown as Uint8Array)).toThrow(TypeError)
    expect(() => CompiledGrammar.deserialize(grammar.serialize(), {} as Vocabulary)).toThrow(TypeError)
  })

  test('is of one vocabulary, its end tokens and size', () => {
    const bytes = grammar.serialize()
    const tokens = Array.from({ length: vocabulary.size }, (_, id) => vocabulary.bytes(id))
    const like = (endTokens: number[], size: number): Vocabulary =>
      Vocabulary.fromBytes(tokens, { endTokens, controlTokens: [control, ...ends], size })
    for (const other of [
      byteVocabulary(),
      like([ends[0]!], vocabulary.size),
      like([...ends], vocabulary.size + 1),
    ])
      expect(() => CompiledGrammar.deserialize(bytes, other)).toThrow(/another vocabulary/)
  })

  test('of a matcher is of one grammar, however that was come by', () => {
    const bytes = matcher.serialize()
    const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { enum: ['x', 'y'] } } }
    expect(() => compile(schema, vocabulary).restore(bytes)).toThrow(/another grammar/)
    const again = compile({ ...schema, required: ['a'], title: 'again' }, vocabulary).restore(bytes)
    expect([again.text(), again.tokenCount]).toEqual([matcher.text(), matcher.tokenCount])
    expect(() => again.rollback(4)).toThrow(RangeError)
    again.rollback(3)
    expect(again.text()).toBe('{"a": 12,')
  })

  test('of a matcher is small', () => {
    const long = compile({ type: 'array', items: { type: 'string' } }, vocabulary).matcher()
    long.acceptText('["')
    for (let i = 0; i < 10_000; i++) long.accept(0x61)
    expect(long.serialize().length).toBeLessThan(10_002 + 4_096 + 200)
  })
})

describe('bytes that somebody made up', () => {
  /** The same content in a whole envelope. */
  function resealed(bytes: Uint8Array): Uint8Array {
    const words = new Uint32Array(bytes.slice().buffer)
    words.set(checksumOf(words.subarray(1, 4), words.subarray(8)), 4)
    return new Uint8Array(words.buffer)
  }

  const some = [
    ...SCHEMAS.filter((_, i) => (i + seed) % 12 === 0).map(({ schema, options }) =>
      compile(schema, vocabulary, options),
    ),
    ...grammars(control)
      .filter((_, i) => (i + seed) % 4 === 0)
      .map(({ build }) => compileGrammar(build(), vocabulary)),
    compileGbnf('root ::= (!<[97]> | <tool> root){2,4} "é"?', vocabulary),
    compileRegex('[^a-c]{2,5}(?:ab|c)*\\bx(?!y).', vocabulary),
  ]

  test('end in an error or in a grammar', () => {
    const random = new Random(seed)
    let errors = 0
    for (const grammar of some) {
      const bytes = grammar.serialize()
      for (let round = 0; round < 150; round++) {
        const altered = bytes.slice()
        for (let n = 1 + random.below(3); n > 0; n--)
          altered[32 + random.below(bytes.length - 32)] = random.pick([
            0,
            1,
            0x7f,
            0x80,
            0xff,
            random.below(256),
          ])
        try {
          load(resealed(altered))
        } catch (error) {
          if (!(error instanceof DataError || error instanceof VocabularyError)) throw error
          errors++
        }
      }
    }
    expect(errors).toBeGreaterThan(50 * some.length)
  })

  test('name no place of a text that does not exist, and no token', () => {
    const random = new Random(seed)
    const grammar = some.at(-2)!
    const matcher = grammar.matcher({ maxRollback: 4 })
    for (let step = 0; step < 8 && !matcher.mustStop(); step++)
      matcher.accept(chooseToken(matcher, vocabulary, random, false))
    const bytes = matcher.serialize()
    for (let round = 0; round < 500; round++) {
      const altered = bytes.slice()
      altered[64 + random.below(bytes.length - 64)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
      try {
        const restored = grammar.restore(resealed(altered))
        restored.mask()
        restored.frames()
      } catch (error) {
        if (!(error instanceof DataError)) throw error
      }
    }
  })

  test('announce no more than they have', () => {
    const grammar = compileGrammar(grammars(control)[0]!.build(), vocabulary)
    const bytes = encodeGrammar(grammars(control)[0]!.build())
    for (let at = 0; at < bytes.length; at++) {
      const huge = Uint8Array.from([
        ...bytes.subarray(0, at),
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0xff,
        0x0f,
        ...bytes.subarray(at + 1),
      ])
      try {
        decodeGrammar(huge)
      } catch (error) {
        expect(error).toBeInstanceOf(DataError)
      }
    }
    expect(grammar.serialize().length).toBeGreaterThan(bytes.length)
  })

  test('are not nested beyond what can be read', () => {
    const builder = grammars(control)[0]!.build()
    let body = builder.rules[0]!.body
    for (let depth = 0; depth < 1_001; depth++) body = { type: 'frame', kind: 'tag', body }
    expect(() => encodeGrammar({ ...builder, rules: [{ name: 'root', body }] })).toThrow(LimitError)
  })
})
