/**
 * `compilePart`: what parts mean, by an interpreter of them over whole texts and by the oracle's masks; what is refused, and
 * where. Random parts come with `SEED`.
 */
import { describe, expect, test } from 'vitest'
import {
  choice,
  compilePart,
  freeText,
  GrammarError,
  gbnf,
  jsonSchema,
  LimitError,
  literal,
  optional,
  type Part,
  PatternError,
  regex,
  repeat,
  rule,
  SchemaError,
  sequence,
  token,
  VocabularyError,
} from '../../src/core.ts'
import { GrammarBuilder } from '../../src/grammar/grammar.ts'
import { lowerPart } from '../../src/mask/lower-parts.ts'
import { idsOf, judgeMasks } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { accepts } from '../support/suite.ts'
import { byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('compilePart')
const { vocabulary, control, ends } = tinyVocabulary()
const bytes = byteVocabulary()

/** The ends of all texts of a part that begin at `from`: rules that begin with themselves, and numbers, are not asked. */
function endsOf(part: Part, text: string, from: number): Set<number> {
  const each = (starts: Iterable<number>, next: Part): Set<number> =>
    new Set([...starts].flatMap((at) => [...endsOf(next, text, at)]))
  const tails = (fits: (piece: string) => boolean): Set<number> =>
    new Set(
      Array.from({ length: text.length - from + 1 }, (_, length) => from + length).filter((to) =>
        fits(text.slice(from, to)),
      ),
    )
  switch (part.type) {
    case 'literal':
      return tails((piece) => piece === part.text)
    case 'regex':
      return tails((piece) => new RegExp(`^(?:${part.pattern})$`, 'u').test(piece))
    case 'jsonSchema':
      return tails((piece) => (part.schema as string[]).some((value) => piece === JSON.stringify(value)))
    case 'freeText':
      return tails((piece) =>
        part.until.every((stop) => stop.type !== 'literal' || !piece.includes(stop.text)),
      )
    case 'sequence':
      return part.parts.reduce(each, new Set([from]))
    case 'choice':
      return new Set(part.options.flatMap((option) => [...endsOf(option, text, from)]))
    case 'repeat': {
      const all = new Set<number>()
      let at = new Set([from])
      for (let count = 0; count <= Math.min(part.max, part.min + text.length + 1) && at.size > 0; count++) {
        if (count >= part.min) for (const end of at) all.add(end)
        at = each(at, part.part)
      }
      return all
    }
    case 'rule':
      return endsOf(part.body() as Part, text, from)
    case 'token':
    case 'gbnf':
      return new Set()
  }
}

const LETTERS = ['a', 'b', 'c']
const TEXTS = [0, 1, 2, 3, 4].flatMap((length) =>
  Array.from({ length: LETTERS.length ** length }, (_, n) =>
    Array.from({ length }, (_, i) => LETTERS[Math.floor(n / LETTERS.length ** i) % LETTERS.length]).join(''),
  ),
)

function randomPart(random: Random, depth: number): Part {
  const text = (): string => Array.from({ length: 1 + random.below(2) }, () => random.pick(LETTERS)).join('')
  const inner = (): Part => randomPart(random, depth - 1)
  const kind = depth === 0 ? random.below(4) : random.below(9)
  if (kind === 0) return literal(random.chance(0.1) ? '' : text())
  if (kind === 1) return regex(random.pick(['[ab]', 'a|bc', '[^a]{1,2}', 'a*', '(?!ab)[a-c]{2}', 'c?b']))
  if (kind === 2) return freeText({ until: [text(), text()] })
  if (kind === 3) return random.chance(0.5) ? freeText() : literal(text())
  if (kind < 6) return sequence(...Array.from({ length: 1 + random.below(3) }, inner))
  if (kind < 8) return choice(...Array.from({ length: 1 + random.below(3) }, inner))
  const min = random.below(3)
  return repeat(inner(), { min, max: random.pick([min, min + 2, Number.POSITIVE_INFINITY]) })
}

const nest = rule('nest', () => choice('x', sequence('[', nest, ']')))
const shared = sequence('"a"', optional(': '))
const PARTS: readonly (readonly [name: string, part: Part])[] = [
  ['texts one behind the other', sequence('{"', literal('a'), '": ', 'true')],
  ['one of some texts', choice('true', 'tr', 'red', sequence('re', 'd1'))],
  ['a text or nothing', sequence(optional('aa'), choice('', 'b'))],
  ['a schema within texts', sequence('[', jsonSchema({ enum: ['a', 'b', 1] }), ']')],
  ['a schema twice', sequence(jsonSchema({ type: 'array' }), jsonSchema({ type: 'boolean' }))],
  ['a part used three times', sequence(shared, shared, repeat(shared, { max: 2 }))],
  ['a counted repetition', repeat(choice('a', 'ab', '"'), { min: 2, max: 5 })],
  ['a pattern that may be empty, again and again', repeat(regex('(?:aa)*'), { min: 3 })],
  ['free text up to texts', sequence(freeText({ until: ['"a', 'aa'] }), choice('"a"', 'aaa'))],
  [
    'free text between tags',
    repeat(sequence(freeText({ until: '{' }), '{', jsonSchema({ type: 'integer' }), '}')),
  ],
  ['free text to the end', sequence('1', freeText())],
  [
    'a token between texts',
    sequence(freeText({ until: token(control) }), repeat(sequence(token('<tool>'), 'a'))),
  ],
  ['a part that holds itself', nest],
  [
    'a grammar in GBNF',
    sequence('[', gbnf('root ::= "a" | root "," "1"'), choice(']', gbnf('b ::= "b"*', { root: 'b' }))),
  ],
  [
    'a part that may be empty, counted',
    sequence(repeat(optional(choice('a', '1')), { min: 2, max: 1_000_000 }), '"'),
  ],
  ['a token that ends the text, in the end', sequence('1', choice('a', token(ends[0]!)))],
  ['an empty sequence beside others', choice(sequence(), 'aa')],
]

function oracle(part: Part, over = vocabulary): Recogniser {
  const builder = new GrammarBuilder()
  const root = builder.declare('root')
  builder.define(root, lowerPart(part, builder, over, {}).expr)
  return new Recogniser(builder.build(root, { whitespace: 'model', indent: 2, maxWhitespace: 64 }))
}

describe('compilePart', () => {
  test.each(PARTS)('masks what the oracle masks: %s', (name, part) => {
    const random = new Random(seed ^ name.length)
    const compiled = compilePart(part, vocabulary)
    const wrong = Array.from({ length: 6 }, () => judgeMasks(compiled, oracle(part), random, 12)).flat()
    expect(wrong).toEqual([])
  })

  test('accepts the texts of random parts, and no others', () => {
    const random = new Random(seed)
    for (let run = 0; run < 60; run++) {
      const part = randomPart(random, 3)
      const compiled = compilePart(part, bytes)
      const wrong = TEXTS.filter((text) => accepts(compiled, text) !== endsOf(part, text, 0).has(text.length))
      expect([wrong, JSON.stringify(part)]).toEqual([[], JSON.stringify(part)])
    }
  })

  test('masks what the oracle masks of random parts', () => {
    const random = new Random(seed ^ 1)
    for (let run = 0; run < 30; run++) {
      const part = randomPart(random, 2)
      const wrong = judgeMasks(compilePart(part, vocabulary), oracle(part), random, 6)
      expect([wrong, JSON.stringify(part)]).toEqual([[], JSON.stringify(part)])
    }
  })

  test('a part is a frozen value of no vocabulary, used as often as one likes', () => {
    const call = sequence(token('<tool>'), jsonSchema('{"type": "boolean"}'))
    expect(Object.isFrozen(call)).toBe(true)
    expect(() => (call as unknown as { parts: unknown[] }).parts.push('a')).toThrow(TypeError)
    const copy = structuredClone(call)
    const twice = sequence(call, ' ', copy)
    expect(compilePart(twice, vocabulary).matcher().accept(control)).toBe(true)
    expect(compilePart(choice(call, call), vocabulary).matcher().accept(control)).toBe(true)
    expect(() => compilePart(twice, bytes)).toThrow(VocabularyError)
  })

  test('takes a copy of a schema that is given as a value', () => {
    const schema = { enum: ['a'] }
    const part = jsonSchema(schema)
    schema.enum.push('b')
    expect(['"a"', '"b"'].map((text) => accepts(compilePart(part, bytes), text))).toEqual([true, false])
  })

  test('takes the options of compile for its schemas, and reports by part', () => {
    const part = sequence(
      'x',
      repeat(jsonSchema({ type: 'array', title: 'A', items: { title: 'B' } })),
      regex('\\-'),
    )
    const compiled = compilePart(part, bytes, { whitespace: 'compact', limits: { maxSteps: 1000 } })
    expect(compiled.report.annotations.map(({ pointer }) => pointer)).toEqual([
      'sequence[1].repeat.jsonSchema#/title',
      'sequence[1].repeat.jsonSchema#/items/title',
    ])
    expect(compiled.report.narrowings).toContainEqual({
      pointer: 'sequence[2].regex',
      message: 'the pattern is not valid with flag u and was read without it',
    })
    expect(['x[1,2]-', 'x[1, 2]-'].map((text) => accepts(compiled, text))).toEqual([true, false])
    expect(() => compilePart(part, bytes, { white: 'compact' } as object)).toThrow('unknown option "white"')
  })

  test('shares what is used twice, so that a grammar is as large as what was written', () => {
    let part: Part = literal('a')
    for (let i = 0; i < 40; i++) part = choice(sequence(part, part), 'b')
    const { sizes } = compilePart(part, bytes)
    expect(sizes.nodes).toBeLessThan(500)
  })

  test('takes parts that begin with themselves, hidden ones too', () => {
    const sum: Part = rule('sum', () => choice(sequence(sum, '+', regex('[0-9]')), regex('[0-9]')))
    expect(TEXTS.length).toBe(121)
    const one = compilePart(sum, bytes)
    expect(['1', '1+2', '1+2+3', '', '+', '1+', '12'].map((text) => accepts(one, text))).toEqual([
      ...[true, true, true],
      ...[false, false, false, false],
    ])
    const pairs: Part = rule('pairs', () => choice(sequence(pairs, pairs), 'a', sequence()))
    const hidden: Part = rule('hidden', () => choice(sequence(optional('b'), hidden, 'c'), 'a'))
    const ping: Part = rule('ping', () => choice(sequence(pong, 'b'), 'a'))
    const pong: Part = rule('pong', () => choice(sequence(ping, 'c'), 'c'))
    const words: Part = rule('words', () => choice(sequence(freeText({ until: 'b' }), words, 'b'), 'a'))
    const read: Part = rule('read', () => choice(sequence(gbnf('root ::= "c"?'), read, 'b'), 'a'))
    // What comes no times is no beginning, and is nothing beside what is more.
    const none: Part = rule('none', () => choice(sequence(repeat(none, { max: 0 }), 'b'), 'a'))
    const skipped: Part = rule('skipped', () => choice(repeat('c', { max: 0 }), sequence('a', skipped)))
    const around: Part = rule('around', () => choice('b', '', sequence(around, skipped, around)))
    const expected: readonly (readonly [part: Part, pattern: string])[] = [
      [none, 'a|b'],
      [around, '[ab]*'],
      [words, 'a|[ac]*ab|[ac]*abb|[ac]*abbb'],
      [read, 'a|c?ab|c{0,2}abb|c{0,3}abbb'],
      [repeat(freeText({ until: 'bc' }), { min: 2, max: 1_000_000 }), '[abc]*'],
      [repeat(gbnf('root ::= "c"?'), { min: 2, max: 1_000_000 }), 'c*'],
      [pairs, 'a*'],
      [hidden, 'ac*|b?ac|b{0,2}acc|b{0,3}accc'],
      [ping, '(?:a|cb)(?:cb)*'],
    ]
    for (const [part, pattern] of expected) {
      const compiled = compilePart(part, bytes)
      const regexp = new RegExp(`^(?:${pattern})$`)
      expect(TEXTS.filter((text) => accepts(compiled, text) !== regexp.test(text))).toEqual([])
    }
  })

  test('counts without unrolling', () => {
    const compiled = compilePart(sequence(repeat('ab', { min: 3, max: 1_000_000 }), '.'), bytes)
    expect([2, 3, 900].map((n) => accepts(compiled, `${'ab'.repeat(n)}.`))).toEqual([false, true, true])
    expect(compiled.sizes.nodes).toBeLessThan(20)
  })

  test('frees what follows a stop from the stop: one may begin in the text and end behind it', () => {
    const compiled = compilePart(sequence(freeText({ until: 'ab' }), 'b'), bytes)
    expect(['ab', 'b', 'aab', 'abb'].map((text) => accepts(compiled, text))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test('takes a token that is text by its id, and no other spelling of it', () => {
    const red = vocabulary.idOf('red')!
    const matcher = compilePart(sequence('1', token('red'), optional('a')), vocabulary).matcher()
    expect(matcher.accept('1'.charCodeAt(0))).toBe(true)
    expect(idsOf(matcher.mask())).toEqual([red])
    expect(matcher.accept(red)).toBe(true)
    expect([matcher.isComplete(), matcher.text()]).toEqual([true, '1red'])
  })

  test('lets no text spell a token that is a stop', () => {
    const compiled = compilePart(
      sequence(freeText({ until: token(control) }), optional(token(control))),
      vocabulary,
    )
    const matcher = compiled.matcher()
    for (const byte of Buffer.from('<tool')) expect(matcher.accept(byte)).toBe(true)
    expect(matcher.accept('>'.charCodeAt(0))).toBe(false)
    expect(matcher.accept(control)).toBe(true)
    expect(matcher.mustStop()).toBe(true)
  })
})

describe('what compilePart refuses', () => {
  test('the schemas of all parts together, each with its part', () => {
    const part = sequence(
      jsonSchema({ properties: { x: { pattern: '(a)\\1' } } }),
      choice('a', repeat(jsonSchema({ type: 'integer', minimum: 2, maximum: 1 }))),
    )
    let thrown: unknown
    try {
      compilePart(part, bytes)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(SchemaError)
    const { errors, message } = thrown as SchemaError
    expect(errors[0]!.pointer).toBe('sequence[0].jsonSchema#/properties/x/pattern')
    expect(
      errors.slice(1).every(({ pointer }) => pointer.startsWith('sequence[1].choice[1].repeat.jsonSchema#')),
    ).toBe(true)
    expect(message).toContain('more problem')
    expect(() => compilePart(jsonSchema(false), bytes)).toThrow('(jsonSchema#)')
  })

  test('limits and patterns, with their part', () => {
    const refused = (part: Part, options = {}): unknown => {
      try {
        compilePart(part, bytes, options)
      } catch (error) {
        return error
      }
      return null
    }
    const limit = refused(sequence('a', jsonSchema({ anyOf: [{ minimum: 1 }, { maximum: 9 }] })), {
      limits: { maxSteps: 1 },
    })
    expect(limit).toBeInstanceOf(LimitError)
    expect((limit as LimitError).pointer).toMatch(/^sequence\[1\]\.jsonSchema#/)
    const pattern = refused(repeat(regex('(a)\\1')))
    expect(pattern).toBeInstanceOf(PatternError)
    expect(pattern).toMatchObject({ offset: 3, part: 'repeat.regex' })
    expect(refused(regex('a(?=b)'))).toMatchObject({
      message: expect.stringMatching(/^no text matches .*in regex\)$/),
    })
    expect(refused(choice('a', freeText({ until: 'x'.repeat(20_000) })))).toBeInstanceOf(LimitError)
    const grammar = refused(sequence('a', gbnf('root ::= "a\n')))
    expect(grammar).toBeInstanceOf(GrammarError)
    expect(grammar).toMatchObject({
      line: 1,
      column: 10,
      message: expect.stringMatching(/^sequence\[1\]\.gbnf: /),
    })
  })

  test('tokens that the vocabulary lacks, that end a text, or that are text, by their name', () => {
    const refuses = (part: Part, message: string): void => {
      expect(() => compilePart(part, vocabulary)).toThrow(VocabularyError)
      expect(() => compilePart(part, vocabulary)).toThrow(message)
    }
    refuses(
      sequence('a', token('<tools>')),
      'sequence[1].token: the vocabulary has no token "<tools>"; texts name added tokens, others are named by their ids',
    )
    refuses(token(999_999), 'token: the vocabulary has no token 999999')
    refuses(token(-1), 'no token -1')
    refuses(sequence(token(ends[0]!), 'a'), `token ${ends[0]} ("<end>") ends a text`)
    refuses(freeText({ until: token('<think>') }), 'freeText: the vocabulary has no token "<think>"')
  })

  test('what is no part, where it is made', () => {
    const wrong: readonly (readonly [make: () => unknown, error: typeof Error, message: string])[] = [
      [() => sequence('a', 1 as never), TypeError, 'not of 1'],
      [() => sequence(['a'] as never), TypeError, 'not of a list'],
      [() => sequence(undefined as never), TypeError, 'undefined'],
      [
        () => choice({ type: 'object' } as never),
        TypeError,
        'a choice is made of parts and strings, not of an object: a schema is jsonSchema(schema)',
      ],
      [() => sequence('a', /a/ as never), TypeError, 'an expression is regex(expression.source)'],
      [() => choice(), RangeError, 'at least one option'],
      [() => repeat('a', { min: 3, max: 2 }), RangeError, 'from min (3) on'],
      [() => repeat('a', { min: -1 }), RangeError, 'min is a whole number'],
      [() => repeat('a', { max: Number.NaN }), RangeError, 'not NaN'],
      [() => repeat('a', { min: Number.POSITIVE_INFINITY }), RangeError, 'not Infinity'],
      [() => repeat('a', { min: '1' as never }), RangeError, 'not 1'],
      [() => repeat('a', { times: 3 } as never), TypeError, 'unknown option "times"'],
      [() => repeat('a', 3 as never), TypeError, 'must be an object, not 3'],
      [() => literal(1 as never), TypeError, 'is a string, not 1'],
      [() => literal('\ud800'), RangeError, 'lone surrogate'],
      [() => regex(/a/ as never), TypeError, 'pass the source'],
      [() => token(1.5), TypeError, 'by its text or its id'],
      [() => freeText({ until: [] }), RangeError, 'lists no stop'],
      [() => freeText({ until: '' }), RangeError, 'a stop of free text is empty'],
      [() => freeText({ until: regex('a') as never }), TypeError, 'a text or a token, not regex'],
      [() => freeText({ stop: 'a' } as never), TypeError, 'unknown option "stop"'],
      [() => freeText('a' as never), TypeError, 'must be an object, not string'],
      [() => gbnf(1 as never), TypeError, 'is its text, not 1'],
      [() => gbnf('a', { root: 1 as never }), TypeError, 'the name of a rule'],
      [() => rule('', () => 'a'), TypeError, 'has a name'],
      [() => rule('a', 'a' as never), TypeError, 'is a function'],
      [() => jsonSchema({ a: () => 1 }), TypeError, '/a'],
    ]
    for (const [make, error, message] of wrong) {
      expect(make).toThrow(error)
      expect(make).toThrow(message)
    }
  })

  test('what is made by hand and is no part, with its place', () => {
    const cyclic = { type: 'sequence', parts: [] as Part[] } as const
    cyclic.parts.push(repeat(cyclic))
    expect(() => compilePart(cyclic, bytes)).toThrow(
      'sequence contains itself; give what it repeats as a rule(name, () => …)',
    )
    const inner = { type: 'repeat', part: literal('a'), min: 2, max: 1 } as const
    expect(() => compilePart(sequence('a', inner), bytes)).toThrow(
      'sequence[1].repeat: max is a whole number',
    )
    expect(() => compilePart({ type: 'sequence', parts: 'a' } as never, bytes)).toThrow(
      'a sequence is a list',
    )
    for (const [given, kind] of [
      [{ type: 'x' }, 'an object'],
      [['a'], 'a list'],
      [null, 'null'],
    ] as const) {
      expect(() => compilePart(given as never, bytes)).toThrow(`put together of parts, not of ${kind}`)
      expect(() =>
        compilePart(
          rule('r', () => given as never),
          bytes,
        ),
      ).toThrow(`gives no part, but ${kind}`)
    }
    expect(() => compilePart('a', null as never)).toThrow(TypeError)
  })

  test('nesting without end, whichever way', () => {
    let deep: Part = literal('a')
    for (let i = 0; i < 100_000; i++) deep = sequence('(', deep, ')')
    expect(() => compilePart(deep, bytes)).toThrow('nesting of parts: 501 exceeds the limit of 500')
    let most: Part = literal('a')
    for (let i = 0; i < 499; i++) most = repeat(sequence('(', most, ')'), { min: 1, max: 2 })
    expect(() => compilePart(most, bytes)).toThrow(LimitError)
    most = literal('a')
    for (let i = 0; i < 499; i++) most = sequence('(', most, ')')
    expect(accepts(compilePart(most, bytes), `${'('.repeat(499)}a${')'.repeat(499)}`)).toBe(true)
    const fresh = (): Part => rule('more', () => optional(fresh()))
    expect(() => compilePart(fresh(), bytes)).toThrow(LimitError)
    const chain = Array.from({ length: 3_000 }, (_, i): Part => rule(`r${i}`, () => chain[i + 1] ?? 'a'))
    expect(accepts(compilePart(chain[0]!, bytes), 'a')).toBe(true)
  })

  test('rules that each need the one before: in a time that is linear, wherever they are met first', () => {
    const rules: Part[] = []
    for (let i = 0; i < 20_000; i++)
      rules.push(rule(`r${i}`, () => (i === 0 ? 'x' : sequence('y', rules[i - 1]!))))
    for (const all of [rules, rules.toReversed()])
      expect(accepts(compilePart(choice(...all), bytes), 'yyx')).toBe(true)
  })

  test('rules that never end, and grammars without a text', () => {
    const endless: Part = rule('endless', () => sequence('a', endless))
    expect(() => compilePart(choice('b', endless), bytes)).toThrow('rule endless never ends')
    const itself: Part = rule('itself', () => itself)
    expect(() => compilePart(itself, bytes)).toThrow(RangeError)
    const ping: Part = rule('ping', () => choice(sequence('a', pong), sequence('b', pong)))
    const pong: Part = rule('pong', () => repeat(ping, { min: 1 }))
    expect(() => compilePart(ping, bytes)).toThrow('rule ping never ends')
    expect(() =>
      compilePart(
        rule('none', () => undefined as never),
        bytes,
      ),
    ).toThrow('gives no part')
  })
})
