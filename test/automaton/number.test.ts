import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberDfa, type NumberSpec } from '../../src/automaton/number.ts'
import { LimitError } from '../../src/errors.ts'
import {
  compare,
  decimal,
  EVERY_BYTE,
  expected,
  interval,
  Reader,
  randomSpec,
  shortNumbers,
  spec,
} from './number-oracle.ts'

const SCIENTIFIC = /^-?[1-9](?:\.[0-9]*[1-9])?e-?[1-9][0-9]*$/

const short = shortNumbers('-0125.eE+', 6)

describe('number automata', () => {
  it('accepts exactly the texts whose value lies in the intervals, over all short texts', () => {
    fc.assert(
      fc.property(randomSpec, (random) => {
        const reader = new Reader(random)
        for (const text of short) {
          if (reader.accepts(text) !== expected(random, text)) {
            throw new Error(`${text}: should be ${expected(random, text) ? 'accepted' : 'refused'}`)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('reads nothing that is not the beginning of a number', () => {
    const reader = new Reader(spec('any', false, '(,)'))
    for (const text of [
      '+1',
      '01',
      '-01',
      '.5',
      '1.e5',
      '1e',
      '1e+',
      '--1',
      '1.2.3',
      '1e5.',
      'e5',
      ' 1',
      '1 ',
      '1e5e5',
    ]) {
      expect(reader.accepts(text), text).toBe(false)
    }
    expect(reader.successors(reader.dfa.start).map(([c]) => c)).toEqual([...'-0123456789'])
    expect(reader.successors(reader.run('-0')).map(([c]) => c)).toEqual([...'.Ee'])
  })

  it('leads to acceptance from every state it offers', () => {
    fc.assert(
      fc.property(randomSpec, fc.infiniteStream(fc.nat()), (random, choices) => {
        const reader = new Reader(random)
        let state = reader.dfa.start
        let text = ''
        for (const choice of choices) {
          if (state === 0) return
          const rest = reader.completion(state)
          if (rest === null) throw new Error(`no end after ${text}`)
          if (!expected(random, text + rest)) throw new Error(`${text + rest} should be refused`)
          const next = reader.successors(state)
          if (next.length === 0) return
          const [character, successor] = next[choice % next.length]!
          text += character
          state = successor
        }
      }),
      { numRuns: 100 },
    )
  })

  it('judges long digit strings around long bounds', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,34}$/)
    const change = fc.tuple(fc.nat(40), fc.integer({ min: -1, max: 1 }))
    fc.assert(
      fc.property(
        digits,
        digits,
        fc.integer({ min: -45, max: 45 }),
        fc.boolean(),
        change,
        fc.integer({ min: -420, max: 420 }),
        (a, b, scale, integer, [at, delta], shift) => {
          const ends = [decimal(`${a}e${scale}`), decimal(`${b}e${scale}`)].sort(compare)
          const random: NumberSpec = {
            integer,
            notation: 'any',
            intervals: [
              {
                min: ends[0]!,
                minExclusive: false,
                max: ends[1]!,
                maxExclusive: compare(ends[0]!, ends[1]!) !== 0,
              },
            ],
          }
          const reader = new Reader(random)
          // A neighbour of a bound, its digits and its exponent spread over the spelling.
          const mantissa = BigInt(a) * 10n ** BigInt(at) + BigInt(delta)
          const text = `${mantissa}e${scale - at}`
          expect(reader.accepts(text), text).toBe(expected(random, text))
          const whole = mantissa.toString()
          for (const cut of [1, Math.ceil(whole.length / 2), whole.length - 1]) {
            if (cut < 1 || cut >= whole.length) continue
            const pointed = `${whole.slice(0, cut)}.${whole.slice(cut)}e${scale - at + whole.length - cut}`
            expect(reader.accepts(pointed), pointed).toBe(expected(random, pointed))
          }
          const moved = `0.${'0'.repeat(Math.abs(shift) % 30)}${whole}e${shift}`
          expect(reader.accepts(moved), moved).toBe(expected(random, moved))
        },
      ),
      { numRuns: 400 },
    )
  })

  it.each([
    [
      'plain',
      false,
      ['(,)'],
      ['0', '-1', '0.5', '123.25'],
      ['-0', '1.0', '0.50', '5e-1', '1e2', '-0.0', '-'],
    ],
    ['plain', true, ['(,)'], ['0', '-1', '10'], ['-0', '1.0', '1e2', '0.5']],
    [
      'any',
      true,
      ['(,)'],
      ['1.0', '100e-2', '1.5e1', '1E+02', '-0', '0e5', '0.0e-400', '10e-1', '1e0400'],
      ['15e-1', '1.05e1', '1e401', '1e00005', '0.5'],
    ],
    [
      'any',
      false,
      ['[0,1e308]'],
      ['1e308', '0.1e309', '100e306', '-0', '9.99e307'],
      ['1e309', '1.0000001e308', '-1'],
    ],
    ['plain', false, ['[0,1e308]'], ['0', '5', '0.001'], ['1e308', '-1']],
    ['any', false, ['(0.1,)'], ['0.10000001', '1', '1e400', '11e-2'], ['0.1', '0.10', '1e-1', '10e-2', '0']],
    ['plain', false, ['(0.1,)'], ['0.10000001', '1', '99'], ['0.1', '0', '-5']],
    ['plain', false, ['[1e308,1e308]'], ['1e308'], ['10e307', '1E308', '1e+308', '1.0e308']],
    ['plain', false, ['(0,1e-300)'], ['9.5e-301', '1e-400'], ['1e-300', '0', '9.50e-301', '1e-401']],
    [
      'plain',
      true,
      ['[-12e300,-1e300]'],
      ['-1e300', '-1.2e301', '-1.15e301'],
      ['-1.25e301', '-9e299', '-12e300'],
    ],
    [
      'any',
      true,
      ['[1e400,1e401]'],
      ['1e400', '10e400', '0001e400'.slice(3), '100e399'],
      ['1e401', '101e400', '9e399'],
    ],
    ['any', false, ['[0,1e999999999]'], ['0', '1e400', '123'], ['-1']],
    ['any', false, ['[-1e-999999999,0]'], ['0', '-0'], ['1', '-1e-400']],
    ['plain', false, ['[5,5]'], ['5'], ['5.0', '55', '50', '-5', '4']],
    ['plain', false, ['[-1,-1]', '[0,0]', '(2,3)'], ['-1', '0', '2.5'], ['2', '3', '-0', '1']],
    ['any', false, ['[0,0]'], ['0', '-0', '0.000', '0e12', '-0.0E-7'], ['1', '0.01']],
    ['plain', true, ['[0.5,2.5]'], ['1', '2'], ['0', '3']],
    [
      'plain',
      true,
      ['[123456789012345678901234567890,123456789012345678901234567893)'],
      ['123456789012345678901234567891'],
      ['123456789012345678901234567889', '123456789012345678901234567893'],
    ],
  ] as const)('%s, integer %s, %j', (notation, integer, intervals, accepted, refused) => {
    const reader = new Reader(spec(notation, integer, ...intervals))
    for (const text of accepted) expect(reader.accepts(text), text).toBe(true)
    for (const text of refused) expect(reader.accepts(text), text).toBe(false)
  })

  it.each([
    ['plain', true, ['(1,2)']],
    ['any', true, ['(1,2)']],
    ['any', true, ['[0.1,0.9]', '(-1,0)']],
    ['any', false, ['[1e500,)']],
    ['plain', false, []],
  ] as const)('has no start where no text qualifies: %s, integer %s, %j', (notation, integer, intervals) => {
    expect(new NumberDfa(spec(notation, integer, ...intervals), EVERY_BYTE).start).toBe(0)
  })

  it('caps the digits at 64, or at 20 more than the longest constant', () => {
    const unbounded = new Reader(spec('plain', true, '(,)'))
    expect(unbounded.accepts('9'.repeat(64))).toBe(true)
    expect(unbounded.accepts('9'.repeat(65))).toBe(false)
    const fraction = new Reader(spec('plain', false, '(,)'))
    expect(fraction.accepts(`0.${'0'.repeat(62)}1`)).toBe(true)
    expect(fraction.run(`0.${'0'.repeat(63)}`)).toBe(0)
    const long = new Reader(spec('plain', true, `[${'1'.repeat(50)},)`))
    expect(long.accepts('9'.repeat(70))).toBe(true)
    expect(long.accepts('9'.repeat(71))).toBe(false)
  })

  it('refuses bounds that are too long to follow', () => {
    expect(() => new NumberDfa(spec('any', false, `[${'7'.repeat(1001)},)`), EVERY_BYTE)).toThrow(LimitError)
    expect(
      new Reader(spec('plain', true, `[${'7'.repeat(1000)},${'7'.repeat(1000)}]`)).accepts('7'.repeat(1000)),
    ).toBe(true)
  })

  it('stays alive with an alphabet that lacks characters', () => {
    const alphabet = (characters: string): Uint8Array => {
      const bytes = new Uint8Array(256)
      for (const character of characters) bytes[character.charCodeAt(0)] = 1
      return bytes
    }
    const text = (random: NumberSpec, characters: string): string | null => {
      const reader = new Reader(random, alphabet(characters))
      return reader.dfa.start === 0 ? null : reader.completion(reader.dfa.start)
    }
    expect(text(spec('any', false, '(5,6)'), '05')).toBe(null)
    expect(text(spec('any', false, '(5,6)'), '05.')).toBe('5.5')
    expect(text(spec('any', true, '[30,31]'), '0123456789.e')).toBe('30')
    expect(text(spec('any', true, '[30,31]'), '.e12356789')).toBe('31')
    expect(text(spec('any', true, '[30,30]'), '.e12356789')).toBe('3e1')
    expect(text(spec('any', false, '[-3,-3]'), '.e0123456789')).toBe(null)
    expect(text(spec('any', true, '[1,1]'), '0e')).toBe(null)
  })

  it('has few states where little is asked', () => {
    const walkAll = (random: NumberSpec): number => {
      const reader = new Reader(random)
      const pending = [reader.dfa.start]
      const seen = new Set(pending)
      for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
        for (const [, next] of reader.successors(state)) {
          if (seen.has(next)) continue
          seen.add(next)
          pending.push(next)
        }
      }
      return seen.size
    }
    expect(walkAll(spec('plain', true, '(,)'))).toBeLessThanOrEqual(70)
    expect(walkAll(spec('plain', false, '(,)'))).toBeLessThanOrEqual(270)
    expect(walkAll(spec('any', false, '(,)'))).toBeLessThanOrEqual(220)
    expect(walkAll(spec('plain', true, '[0,100]'))).toBeLessThanOrEqual(8)
  })

  it('writes an exponent in plain notation where no digits within the cap would do, and nowhere else', () => {
    const end = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.boolean())
    const exponent = fc.oneof(fc.integer({ min: 70, max: 405 }), fc.integer({ min: -405, max: -70 }))
    const spelled = shortNumbers('-125.', 5)
    fc.assert(
      fc.property(
        fc.boolean(),
        end,
        end,
        exponent,
        fc.integer({ min: -4, max: 2 }),
        (integer, a, b, scale, shift) => {
          const [low, high] = a[0] <= b[0] ? [a, b] : [b, a]
          const open = low[0] !== high[0]
          const reader = new Reader(
            spec(
              'plain',
              integer,
              `${open && low[1] ? '(' : '['}${low[0]}e${scale},${high[0]}e${scale}${open && high[1] ? ')' : ']'}`,
            ),
          )
          const any: NumberSpec = {
            notation: 'any',
            integer,
            intervals: [
              interval(
                `${open && low[1] ? '(' : '['}${low[0]}e${scale},${high[0]}e${scale}${open && high[1] ? ')' : ']'}`,
              ),
            ],
          }
          for (const mantissa of spelled) {
            const text = `${mantissa}e${scale - shift}`
            expect(reader.accepts(text), text).toBe(SCIENTIFIC.test(text) && expected(any, text))
          }
        },
      ),
      { numRuns: 60 },
    )
    const mixed = new Reader(spec('plain', false, '[1,2]', '[1e100,2e100]'))
    for (const text of ['1', '1.5', '2', '1e100', '1.5e100', '2e100'])
      expect(mixed.accepts(text), text).toBe(true)
    for (const text of ['15e-1', '1e0', '2.5e100', '3']) expect(mixed.accepts(text), text).toBe(false)
  })
})
