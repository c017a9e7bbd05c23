/** Matchers: what accepting, refusing, taking back and forking change, and what they do not. */
import { describe, expect, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { compile, LimitError, type Matcher, type Vocabulary } from '../../src/core.ts'
import { compileGrammar } from '../../src/mask/compile.ts'
import { grammars } from '../support/grammars.ts'
import { chooseToken, idsOf } from '../support/masks.ts'
import { Random, seedOf } from '../support/random.ts'
import { Recogniser } from '../support/recogniser.ts'
import { MODES, SCHEMAS } from '../support/schemas.ts'
import { BYTE_END, byteVocabulary, tinyVocabulary } from '../support/vocabularies.ts'

const seed = seedOf('matchers')
const { vocabulary, control, ends } = tinyVocabulary()

/** All that a caller can see of a matcher. */
function snapshot(matcher: Matcher): unknown {
  return {
    mask: idsOf(matcher.mask()),
    bytes: [...matcher.bytes()],
    text: matcher.text(),
    complete: matcher.isComplete(),
    mustStop: matcher.mustStop(),
    tokens: matcher.tokenCount,
    frames: matcher.frames(),
    completion: matcher.shortestCompletion(),
    forced: [...matcher.forced()],
  }
}

/** Calls `visit` in every state of random walks over every other schema, one way of writing each. */
function everywhere(
  steps: number,
  visit: (matcher: Matcher, random: Random, recogniser: Recogniser, state: number) => void,
): void {
  SCHEMAS.forEach(({ schema, options }, i) => {
    if ((i + seed) % 2 === 0) return
    const random = new Random(seed + i)
    const mode = { ...random.pick(MODES), ...options }
    const matcher = compile(schema, vocabulary, mode).matcher()
    const recogniser = Recogniser.ofSchema(schema, mode)
    let state = recogniser.start
    const finishAfter = random.below(steps)
    for (let step = 0; step < steps; step++) {
      visit(matcher, random, recogniser, state)
      const id = chooseToken(matcher, vocabulary, random, step >= finishAfter)
      expect(matcher.accept(id)).toBe(true)
      if (ends.includes(id)) break
      state = recogniser.run(state, vocabulary.bytes(id)!)
    }
  })
}

describe('accept', () => {
  test('takes exactly the tokens of the mask', () => {
    everywhere(6, (matcher) => {
      const mask = matcher.mask().slice()
      for (let id = 0; id < vocabulary.size; id++) {
        const taken = matcher.accept(id)
        if (taken) matcher.rollback(1)
        if (taken !== hasBit(mask, id)) expect({ id, taken }).toEqual({ id, taken: hasBit(mask, id) })
      }
    })
  })

  test('is for ids: a number that is none is refused, and what is no number is an error', () => {
    const matcher = compile({ type: 'integer' }, byteVocabulary()).matcher()
    for (const id of [Number.NaN, -1, 0x31 + 0.5, 2 ** 32 + 0x31, Number.POSITIVE_INFINITY])
      expect([id, matcher.accept(id), matcher.validatePrefix([id])]).toEqual([id, false, 0])
    for (const id of ['49', 49n, [49], null, undefined]) {
      const given = id as unknown as number
      expect(() => matcher.accept(given)).toThrow(`a token is its id, a number, not ${typeof id}`)
      expect(() => matcher.validatePrefix([given])).toThrow(TypeError)
    }
    for (const [ids, kind] of [
      ['49', 'string'],
      [undefined, 'undefined'],
      [49, '49'],
      [{}, 'an object'],
    ] as const)
      expect(() => matcher.validatePrefix(ids as unknown as number[])).toThrow(
        `validatePrefix takes a list of token ids, not ${kind}`,
      )
    expect([matcher.tokenCount, matcher.validatePrefix([0x31, 0x32])]).toEqual([0, 2])
  })

  test('a refused token changes nothing', () => {
    everywhere(5, (matcher, random) => {
      const before = snapshot(matcher)
      const mask = matcher.mask().slice()
      const refused = Array.from({ length: vocabulary.size }, (_, id) => id).filter((id) => !hasBit(mask, id))
      const sample = [
        ...Array.from({ length: 12 }, () => random.pick(refused)),
        control,
        -1,
        vocabulary.size,
        1e9,
        0.5,
        Number.NaN,
      ]
      for (const id of sample) if (!hasBit(mask, id)) expect(matcher.accept(id)).toBe(false)
      expect(snapshot(matcher)).toEqual(before)
    })
  })
})

describe('mask', () => {
  test('is never empty until an end token is accepted', () => {
    everywhere(20, (matcher) => {
      expect(idsOf(matcher.mask()).length).toBeGreaterThan(0)
    })
  })

  test('fills the array it is given, whatever was in it', () => {
    everywhere(5, (matcher) => {
      const own = matcher.mask().slice()
      const given = new Uint32Array(own.length).fill(0xffffffff)
      expect(matcher.mask(given)).toBe(given)
      expect(given).toEqual(own)
      expect(matcher.mask()).toEqual(own)
    })
  })

  test('refuses an array that is too short', () => {
    const matcher = compile({}, vocabulary).matcher()
    expect(() => matcher.mask(new Uint32Array(2))).toThrow(RangeError)
  })

  test('refuses arrays of other elements, which would lose bits, and options that are none', () => {
    const matcher = compile({}, vocabulary).matcher()
    for (const array of [
      new Uint8Array(9999),
      new Uint16Array(9999),
      new Float64Array(99),
      Array(99).fill(0),
      null,
    ])
      expect(() => matcher.mask(array as unknown as Uint32Array)).toThrow(
        /^a mask is written to a Uint32Array or Int32Array, not to /,
      )
    for (const options of [null, 5, { budgt: 3 }])
      expect(() => matcher.mask(undefined, options as object)).toThrow(TypeError)
    const words = new Int32Array(matcher.mask().length)
    matcher.mask(words as unknown as Uint32Array)
    expect(new Uint32Array(words.buffer)).toEqual(matcher.mask())
  })

  test('never holds ids without a token, control tokens or padding', () => {
    everywhere(5, (matcher) => {
      for (const id of idsOf(matcher.mask()))
        expect(vocabulary.bytes(id) !== null || ends.includes(id)).toBe(true)
    })
  })

  test('does not depend on what another matcher of the grammar asked before', () => {
    const grammar = compile(SCHEMAS.find(({ name }) => name === 'tool call')!.schema, vocabulary)
    const random = new Random(seed)
    const fresh = (): Matcher =>
      compile(SCHEMAS.find(({ name }) => name === 'tool call')!.schema, vocabulary).matcher()
    for (let walk = 0; walk < 10; walk++) {
      const matcher = grammar.matcher()
      const other = fresh()
      for (let step = 0; step < 12; step++) {
        expect(idsOf(matcher.mask())).toEqual(idsOf(other.mask()))
        const id = chooseToken(matcher, vocabulary, random, step > 6)
        matcher.accept(id)
        other.accept(id)
      }
    }
  })
})

describe('the end', () => {
  test('an end token is allowed exactly where the text is complete', () => {
    everywhere(12, (matcher, _, recogniser, state) => {
      expect(matcher.isComplete()).toBe(recogniser.isComplete(state))
      for (const id of ends) expect(hasBit(matcher.mask(), id)).toBe(recogniser.isComplete(state))
    })
  })

  test('mustStop says that nothing but an end token is allowed', () => {
    everywhere(12, (matcher) => {
      expect(matcher.mustStop()).toBe(idsOf(matcher.mask()).every((id) => ends.includes(id)))
    })
  })

  test.each(ends)('behind end token %i nothing is allowed, and it can be taken back', (end) => {
    const matcher = compile({ type: 'integer' }, vocabulary).matcher()
    matcher.accept(0x31)
    const before = snapshot(matcher)
    expect(matcher.accept(end)).toBe(true)
    expect(idsOf(matcher.mask())).toEqual([])
    expect(matcher.isComplete()).toBe(true)
    expect(matcher.mustStop()).toBe(true)
    expect(matcher.frames()).toEqual([])
    expect(matcher.shortestCompletion()).toEqual({ text: '', tokens: 0 })
    expect(matcher.forced()).toHaveLength(0)
    for (let id = 0; id < vocabulary.size; id++) expect(matcher.accept(id)).toBe(false)
    matcher.rollback(1)
    expect(snapshot(matcher)).toEqual(before)
  })

  test('an end token is never content, even where its bytes would fit', () => {
    const matcher = compile({ type: 'string' }, vocabulary).matcher()
    matcher.accept(0x22)
    for (const id of [...ends, control]) expect(matcher.accept(id)).toBe(false)
  })
})

describe('rollback', () => {
  test('leads to the same place as never having gone on', () => {
    everywhere(4, (matcher, random) => {
      const before = snapshot(matcher)
      let taken = 0
      for (; taken < 6; taken++) {
        const id = chooseToken(matcher, vocabulary, random, random.chance(0.3))
        matcher.accept(id)
        if (ends.includes(id)) {
          taken++
          break
        }
      }
      matcher.rollback(taken)
      expect(snapshot(matcher)).toEqual(before)
    })
  })

  test('to every point of a walk gives the masks of that walk', () => {
    for (const { schema } of SCHEMAS.filter((_, i) => i % 4 === seed % 4)) {
      const random = new Random(seed)
      const grammar = compile(schema, vocabulary)
      const matcher = grammar.matcher()
      const masks: Uint32Array[] = []
      const ids: number[] = []
      for (let step = 0; step < 12; step++) {
        masks.push(matcher.mask().slice())
        const id = chooseToken(matcher, vocabulary, random, step > 8)
        matcher.accept(id)
        ids.push(id)
        if (ends.includes(id)) break
      }
      for (let i = ids.length - 1; i >= 0; i--) {
        matcher.rollback(1)
        expect(matcher.mask()).toEqual(masks[i])
      }
      for (const id of ids) expect(matcher.accept(id)).toBe(true)
    }
  })

  test.each([-1, 2, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('by %d of one token is a RangeError', (n) => {
    const matcher = compile({}, vocabulary).matcher()
    matcher.accept(0x5b)
    expect(() => matcher.rollback(n)).toThrow(RangeError)
    expect(matcher.text()).toBe('[')
  })
})

describe('fork', () => {
  test('gives a matcher that goes its own way', () => {
    everywhere(8, (matcher, random) => {
      const before = snapshot(matcher)
      const fork = matcher.fork()
      expect(snapshot(fork)).toEqual(before)
      for (let i = 0; i < 4 && !fork.mustStop(); i++)
        fork.accept(chooseToken(fork, vocabulary, random, false))
      const ahead = snapshot(fork)
      expect(snapshot(matcher)).toEqual(before)
      const second = matcher.fork()
      if (!second.mustStop()) second.accept(chooseToken(second, vocabulary, random, false))
      expect(snapshot(fork)).toEqual(ahead)
      fork.rollback(fork.tokenCount - matcher.tokenCount)
      expect(snapshot(fork)).toEqual(before)
    })
  })
})

describe('forced', () => {
  /** The bytes after which some text goes on. */
  function following(recogniser: Recogniser, state: number): number[] {
    return Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => recogniser.step(state, byte) !== 0)
  }

  test('is the longest run of bytes without a choice', () => {
    everywhere(10, (matcher, _, recogniser, start) => {
      let state = start
      const expected: number[] = []
      while (!recogniser.isComplete(state) && expected.length < 300) {
        const next = following(recogniser, state)
        if (next.length !== 1) break
        expected.push(next[0]!)
        state = recogniser.step(state, next[0]!)
      }
      expect([...matcher.forced()].slice(0, 300)).toEqual(expected)
    })
  })

  test('ends where a token must be named', () => {
    const named = grammars(control).find(({ name }) => name === 'one call or several')!
    const matcher = compileGrammar(named.build(), vocabulary).matcher()
    expect(matcher.forced()).toHaveLength(0)
    matcher.accept(control)
    expect(Buffer.from(matcher.forced()).toString()).toBe('\n{"name": "on", "arguments": {"a":')
  })
})

describe('texts', () => {
  test('the text so far ends at the last whole character', () => {
    const matcher = compile({ type: 'string' }, byteVocabulary()).matcher()
    for (const byte of [0x22, 0x61, 0xe2, 0x82]) matcher.accept(byte)
    expect(matcher.text()).toBe('"a')
    expect([...matcher.bytes()]).toEqual([0x22, 0x61, 0xe2, 0x82])
  })

  test('a text of a hundred thousand bytes is accepted byte by byte', () => {
    const single: Vocabulary = byteVocabulary()
    const matcher = compile({ type: 'array', items: { type: 'string' } }, single).matcher()
    const text = Buffer.from(JSON.stringify(Array.from({ length: 8000 }, (_, i) => `item ${i}`)))
    for (const byte of text) if (!matcher.accept(byte)) throw new Error('refused')
    expect(matcher.isComplete()).toBe(true)
    expect(matcher.accept(BYTE_END)).toBe(true)
  })

  test('nesting of ten thousand levels is accepted, cut and completed', () => {
    const matcher = compile({}, byteVocabulary()).matcher()
    for (let i = 0; i < 10_000; i++) if (!matcher.accept(0x5b)) throw new Error(`refused at ${i}`)
    expect(matcher.shortestCompletion()).toEqual({ text: ']'.repeat(10_000), tokens: 10_001 })
    expect(idsOf(matcher.mask()).length).toBeGreaterThan(0)
    expect(matcher.frames()).toHaveLength(10_000)
  })
})

test('says what is forced beyond the bytes it has room for, where items must differ', () => {
  const long = 'a'.repeat(252)
  const schema = {
    type: 'array',
    prefixItems: [{ const: long }, { type: 'string' }],
    uniqueItems: true,
    minItems: 2,
    maxItems: 2,
  }
  const matcher = compile(schema, byteVocabulary(), { whitespace: 'compact' }).matcher()
  expect(Buffer.from(matcher.forced()).toString()).toBe(`["${long}","`)
})

test('meets a limit again where it met it once', () => {
  const grammar = compile({ type: 'string', pattern: '^a{50}$' }, byteVocabulary(), {
    limits: { maxStates: 30 },
  })
  const matcher = grammar.matcher()
  for (let i = 0; i < 2; i++) expect(() => matcher.shortestCompletion()).toThrow(LimitError)
  expect(() => matcher.frames()).toThrow(LimitError)
})
