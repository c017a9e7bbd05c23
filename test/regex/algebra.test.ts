import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LimitError } from '../../src/errors.ts'
import { CharDfa, isEmpty } from '../../src/regex/chardfa.ts'
import { CharSet } from '../../src/regex/charset.ts'
import { formatRegex } from '../../src/regex/formats.ts'
import { hasLength, leastLength } from '../../src/regex/lengths.ts'
import { parsePattern } from '../../src/regex/pattern.ts'
import { type Regex, RegexBuilder } from '../../src/regex/regex.ts'
import { transfer } from '../../src/regex/transfer.ts'

/** An expression as it is written, so that membership can be decided without any of the code under test. */
type Term =
  | { readonly kind: 'chars'; readonly characters: string }
  | { readonly kind: 'texts'; readonly values: readonly string[] }
  | { readonly kind: 'concat' | 'or' | 'and'; readonly terms: readonly Term[] }
  | { readonly kind: 'not'; readonly term: Term }
  | { readonly kind: 'repeat'; readonly term: Term; readonly min: number; readonly max: number }

const LETTERS = ['a', 'b', '😀']

const terms = fc.letrec<{ term: Term }>((tie) => ({
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'ab', '😀', 'a😀').map((characters): Term => ({ kind: 'chars', characters })),
    fc
      .array(fc.constantFrom('', 'a', 'ab', 'aab', 'b😀', '😀', 'ba'), { maxLength: 4 })
      .map((values): Term => ({ kind: 'texts', values })),
    fc
      .tuple(
        fc.constantFrom('concat' as const, 'or' as const, 'and' as const),
        fc.array(tie('term'), { maxLength: 3 }),
      )
      .map(([kind, parts]): Term => ({ kind, terms: parts })),
    tie('term').map((term): Term => ({ kind: 'not', term })),
    fc
      .tuple(tie('term'), fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY))
      .map(([term, min, more]): Term => ({ kind: 'repeat', term, min, max: min + more })),
  ),
})).term

function build(builder: RegexBuilder, term: Term): Regex {
  switch (term.kind) {
    case 'chars':
      return builder.chars(CharSet.from(term.characters))
    case 'texts':
      return builder.texts(term.values)
    case 'concat':
    case 'or':
    case 'and':
      return builder[term.kind](...term.terms.map((part) => build(builder, part)))
    case 'not':
      return builder.not(build(builder, term.term))
    case 'repeat':
      return builder.repeat(build(builder, term.term), term.min, term.max)
  }
}

/** Where a match of the term that begins at `from` may end. */
function ends(term: Term, text: readonly string[], from: number): Set<number> {
  switch (term.kind) {
    case 'chars':
      return new Set(from < text.length && term.characters.includes(text[from] ?? '') ? [from + 1] : [])
    case 'texts': {
      const rest = (value: string): boolean => text.slice(from, from + [...value].length).join('') === value
      return new Set(term.values.filter(rest).map((value) => from + [...value].length))
    }
    case 'concat': {
      let reached = new Set([from])
      for (const part of term.terms)
        reached = new Set([...reached].flatMap((start) => [...ends(part, text, start)]))
      return reached
    }
    case 'or':
      return new Set(term.terms.flatMap((part) => [...ends(part, text, from)]))
    case 'and': {
      const all = Array.from({ length: text.length - from + 1 }, (_, length) => from + length)
      return new Set(all.filter((end) => term.terms.every((part) => ends(part, text, from).has(end))))
    }
    case 'not': {
      const inside = ends(term.term, text, from)
      const all = Array.from({ length: text.length - from + 1 }, (_, length) => from + length)
      return new Set(all.filter((end) => !inside.has(end)))
    }
    case 'repeat': {
      const found = new Set<number>()
      let reached = new Set([from])
      const rounds = Math.min(term.max, term.min + text.length + 1)
      for (let round = 0; round <= rounds; round++) {
        if (round >= term.min) for (const end of reached) found.add(end)
        reached = new Set([...reached].flatMap((start) => [...ends(term.term, text, start)]))
      }
      return found
    }
  }
}

function contains(term: Term, text: string): boolean {
  const characters = [...text]
  return ends(term, characters, 0).has(characters.length)
}

const shortTexts: readonly string[] = (() => {
  const all = ['']
  for (let index = 0; index < all.length && (all[index] as string).length < 8; index++) {
    if ([...(all[index] as string)].length < 4)
      for (const letter of LETTERS) all.push((all[index] as string) + letter)
  }
  return all
})()

describe('the algebra', () => {
  test('an expression that is transferred to another builder comes back as itself', () => {
    fc.assert(
      fc.property(terms, terms, (term, before) => {
        const builder = new RegexBuilder()
        const other = new RegexBuilder()
        // Ids, and so the order of options, differ.
        build(other, before)
        const regex = build(builder, term)
        expect(transfer(transfer(regex, other), builder)).toBe(regex)
      }),
      { numRuns: 2_000 },
    )
  })

  test('decides membership as the definitions do', () => {
    fc.assert(
      fc.property(terms, (term) => {
        const builder = new RegexBuilder()
        const dfa = new CharDfa(builder, build(builder, term))
        for (const text of shortTexts) {
          if (dfa.accepts(text) !== contains(term, text))
            expect.fail(`${dfa.regexOf(dfa.start)} on ${JSON.stringify(text)}`)
        }
      }),
      { numRuns: 1500, seed: 40 },
    )
  })

  test('has a text for every state but the dead one, and says empty only where nothing matches', () => {
    fc.assert(
      fc.property(terms, (term) => {
        const builder = new RegexBuilder()
        const regex = build(builder, term)
        const dfa = new CharDfa(builder, regex)
        expect(isEmpty(builder, regex)).toBe(dfa.isEmpty())
        if (dfa.isEmpty()) expect(shortTexts.filter((text) => contains(term, text))).toEqual([])
        for (let state = 1; state < Math.min(dfa.stateCount, 200); state++)
          expect(reachesAcceptance(dfa, state)).toBe(true)
      }),
      { numRuns: 500, seed: 41 },
    )
  })

  test('keeps its promises about lengths', () => {
    fc.assert(
      fc.property(terms, (term) => {
        const builder = new RegexBuilder()
        const regex = build(builder, term)
        for (const text of shortTexts) {
          if (!contains(term, text)) continue
          const { length } = [...text]
          if (length < regex.minLength || length > regex.maxLength)
            expect.fail(`${regex} has ${JSON.stringify(text)}`)
        }
      }),
      { numRuns: 500, seed: 42 },
    )
  })

  test('sees equalities', () => {
    const builder = new RegexBuilder()
    const { all, epsilon, none, any } = builder
    const a = builder.literal('a')
    const b = builder.literal('b')
    const y = builder.not(a)
    const x = builder.concat(a, builder.or(b, builder.repeat(a, 2, 5)))
    const equal: [left: Regex, right: Regex][] = [
      [builder.or(a, b), builder.or(b, a, none, a)],
      [builder.or(a, b), builder.chars(CharSet.from('ba'))],
      [builder.or(x, all), all],
      [builder.or(x, builder.not(x)), all],
      [builder.and(x, builder.not(x)), none],
      [builder.and(x, all), x],
      [builder.and(x, builder.or(x, builder.literal('ba'))), x],
      [builder.and(builder.repeat(any, 2, 5), builder.repeat(any, 3, 9)), builder.repeat(any, 3, 5)],
      [builder.not(builder.not(x)), x],
      [builder.and(builder.not(a), builder.not(x)), builder.not(builder.or(a, x))],
      [builder.concat(x, epsilon), x],
      [builder.concat(x, none), none],
      [builder.concat(builder.repeat(x, 0, 3), all), all],
      [builder.concat(all, builder.repeat(a, 2, 50), all), builder.concat(all, a, a, all)],
      [builder.repeat(builder.repeat(a, 0, 3), 0, 4), builder.repeat(a, 0, 12)],
      [builder.repeat(builder.repeat(a, 2, 3), 3, 3), builder.repeat(a, 6, 9)],
      [builder.concat(a, builder.repeat(a, 2, 3)), builder.repeat(a, 3, 4)],
      [builder.or(builder.repeat(x, 0, 5), builder.repeat(x, 0, 4)), builder.repeat(x, 0, 5)],
      [builder.or(builder.concat(builder.repeat(a, 0, 5), x), x), builder.concat(builder.repeat(a, 0, 5), x)],
      [builder.or(builder.concat(a, y), builder.concat(b, y)), builder.concat(builder.or(a, b), y)],
      [builder.texts(['ab']), builder.literal('ab')],
      [builder.texts(['b', 'a', 'a']), builder.texts(['a', 'b'])],
      [builder.texts([]), none],
    ]
    for (const [left, right] of equal) expect(String(left)).toBe(String(right))
    for (const [left, right] of equal) expect(left === right).toBe(true)
  })

  test('keeps (x{2,2}){0,2} apart from x{0,4}', () => {
    const builder = new RegexBuilder()
    const a = builder.literal('a')
    const dfa = new CharDfa(builder, builder.repeat(builder.repeat(a, 2, 2), 0, 2))
    expect(['', 'a', 'aa', 'aaa', 'aaaa', 'aaaaaa'].map((text) => dfa.accepts(text))).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
    ])
  })

  test('defines a language by itself', () => {
    const builder = new RegexBuilder()
    const list = builder.reference(false)
    list.define(builder.or(builder.literal('b'), builder.concat(builder.literal('a'), list.regex)))
    const dfa = new CharDfa(builder, list.regex)
    expect(['b', 'ab', 'aaab', '', 'a', 'ba'].map((text) => dfa.accepts(text))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
    expect(() => list.define(builder.none)).toThrow(TypeError)
    const endless = builder.reference(false)
    endless.define(builder.concat(builder.literal('a'), endless.regex))
    expect(isEmpty(builder, endless.regex)).toBe(true)
  })
})

describe('the automaton', () => {
  test('has a dead state for surrogates and finds every class by its ranges', () => {
    const builder = new RegexBuilder()
    const dfa = new CharDfa(builder, builder.not(builder.literal('x')))
    expect(dfa.rangeStarts[0]).toBe(0)
    for (const codePoint of [0, 0x77, 0x78, 0x79, 0xd7ff, 0xe000, 0x10ffff]) {
      let range = dfa.rangeStarts.length - 1
      while ((dfa.rangeStarts[range] as number) > codePoint) range--
      expect(dfa.classOf(codePoint)).toBe(dfa.rangeClass[range])
    }
    expect(dfa.next(dfa.start, dfa.classOf(0xd800))).toBe(0)
    expect(dfa.next(0, dfa.classOf(0x41))).toBe(0)
    expect(dfa.accepts('\ud800')).toBe(false)
    expect(dfa.accepts('y')).toBe(true)
    expect(dfa.universal(dfa.next(dfa.start, dfa.classOf(0x41)))).toBe(true)
    expect(dfa.universal(dfa.start)).toBe(false)
  })

  test('reads five thousand texts without unfolding them', () => {
    const builder = new RegexBuilder()
    const values = Array.from({ length: 5000 }, (_, index) => `entry ${(index * 7919) % 100_003} of many`)
    const dfa = new CharDfa(builder, builder.texts(values))
    expect(dfa.accepts('entry 7919 of many')).toBe(true)
    expect(dfa.accepts('entry 7918 of many')).toBe(false)
    expect(builder.size).toBeLessThan(500)
    const others = builder.and(builder.repeat(builder.any, 1, 30), builder.not(builder.texts(values)))
    expect(new CharDfa(builder, others).accepts('entry 7919 of many')).toBe(false)
    expect(new CharDfa(builder, others).accepts('entry 7918 of many')).toBe(true)
  })

  test('counts nodes, nesting, states and steps against limits', () => {
    const small = new RegexBuilder({ maxNodes: 50 })
    expect(() => small.literal('abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz')).toThrow(
      'regular expression nodes: 51 exceeds the limit of 50',
    )
    const builder = new RegexBuilder()
    let nested = builder.literal('a')
    expect(() => {
      for (let level = 0; level < 2000; level++)
        nested = builder.not(builder.concat(nested, builder.literal('b')))
    }).toThrow(LimitError)
    const counted = builder.repeat(builder.literal('a'), 0, 1000)
    expect(() => new CharDfa(builder, counted, { maxStates: 10 }).accepts('a'.repeat(20))).toThrow(
      'regular expression states',
    )
    const { letters, far } = farLetters(builder)
    const hard = builder.and(
      builder.repeat(letters, 14, Infinity),
      builder.not(far(12, 'a')),
      builder.not(far(11, 'b')),
    )
    expect(() => isEmpty(builder, hard, { maxSteps: 20 })).toThrow('regular expression search steps')
    expect(isEmpty(builder, hard)).toBe(false)
  })

  test('decides intersections by the size of the expressions, not of their determinised forms', () => {
    const builder = new RegexBuilder()
    const { far } = farLetters(builder)
    expect(isEmpty(builder, builder.and(far(200, 'a'), far(200, 'b')), { maxSteps: 2_000 })).toBe(true)
    expect(isEmpty(builder, builder.and(far(200, 'a'), far(199, 'b')), { maxSteps: 2_000 })).toBe(false)
    // One side asks for what the other never has, however large it is.
    const time = formatRegex('date-time', builder) as Regex
    for (const pattern of ['é|n', 'a*n+', '(?:x|y)(?:z|é)']) {
      const both = builder.and(time, parsePattern(pattern, builder))
      expect(isEmpty(builder, both, { maxSteps: 1 })).toBe(true)
    }
  })

  test('knows lengths without a search where they are a few intervals', () => {
    fc.assert(
      fc.property(terms, fc.nat(6), fc.nat(4), (term, from, more) => {
        const builder = new RegexBuilder()
        const regex = build(builder, term)
        const found = hasLength(regex, from, from + more)
        if (found === null || from + more > 4) return
        const lengths = shortTexts.filter((text) => contains(term, text)).map((text) => [...text].length)
        expect([String(regex), lengths.some((length) => length >= from && length <= from + more)]).toEqual([
          String(regex),
          found,
        ])
        const least = leastLength(regex, from)
        for (const length of lengths)
          if (length >= from && length < least) expect.fail(`${regex} has ${length}`)
      }),
      { numRuns: 2000, seed: 43 },
    )
  })
})

/** `far(n, x)`: texts of a and b with x before the last n letters, whose automaton has 2^n states. */
function farLetters(builder: RegexBuilder): {
  letters: Regex
  far: (count: number, letter: string) => Regex
} {
  const letters = builder.chars(CharSet.from('ab'))
  const far = (count: number, letter: string): Regex =>
    builder.concat(
      builder.repeat(letters, 0, Infinity),
      builder.literal(letter),
      builder.repeat(letters, count, count),
    )
  return { letters, far }
}

function reachesAcceptance(dfa: CharDfa, from: number): boolean {
  const seen = new Set([from])
  for (const state of seen) {
    if (dfa.accepting(state)) return true
    for (let cls = 0; cls < dfa.classCount; cls++) {
      const next = dfa.next(state, cls)
      if (next !== 0) seen.add(next)
    }
  }
  return false
}
