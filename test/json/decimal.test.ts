import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LimitError } from '../../src/errors.ts'
import {
  canonicalNumber,
  ceilDecimal,
  compareDecimals,
  containsDecimal,
  floorDecimal,
  formatDecimal,
  hasInteger,
  type Interval,
  intersectIntervals,
  isInteger,
  makeDecimal,
  parseDecimal,
} from '../../src/json/decimal.ts'

const decimals = fc
  .record({ mantissa: fc.bigInt(-2000n, 2000n), exponent: fc.integer({ min: -4, max: 4 }) })
  .map(({ mantissa, exponent }) => makeDecimal(mantissa, exponent))

/** The value times 10^8, exact for the decimals above. */
const scaled = (text: string): bigint => {
  const { mantissa, exponent } = parseDecimal(text)
  return mantissa * 10n ** BigInt(exponent + 8)
}

function interval(text: string): Interval {
  const [min = '', max = ''] = text.slice(1, -1).split(',')
  return {
    min: min === '' ? null : parseDecimal(min),
    minExclusive: text.startsWith('('),
    max: max === '' ? null : parseDecimal(max),
    maxExclusive: text.endsWith(')'),
  }
}

describe('decimals', () => {
  test('are normalised', () => {
    expect(parseDecimal('30.0')).toEqual({ mantissa: 3n, exponent: 1 })
    expect(parseDecimal('-0.0120e2')).toEqual({ mantissa: -12n, exponent: -1 })
    expect(parseDecimal('-0e99')).toEqual({ mantissa: 0n, exponent: 0 })
    expect(canonicalNumber('1.50')).toBe('15e-1')
  })

  test('compare exactly, also where an expansion would fill the memory', () => {
    const order = [
      '-1e400000',
      '-9007199254740993',
      '-9007199254740992',
      '-0.1',
      '0',
      '1e-400000',
      '1e-1',
      '0.11',
      '1',
      '1.0000000000000000000000001',
      '1e308',
      '1e309',
      '9e399999',
      '1e400000',
    ]
    for (const [i, a] of order.entries()) {
      for (const [j, b] of order.entries()) {
        expect([a, b, Math.sign(compareDecimals(parseDecimal(a), parseDecimal(b)))]).toEqual([
          a,
          b,
          Math.sign(i - j),
        ])
      }
    }
  })

  test('print as shortest plain digits, which read back to the same value', () => {
    const cases = [
      ['1e3', '1000'],
      ['-12e-1', '-1.2'],
      ['5e-4', '0.0005'],
      ['-0.0', '0'],
      ['1.50', '1.5'],
      ['100', '100'],
    ]
    for (const [text, digits] of cases) expect(formatDecimal(parseDecimal(text ?? ''))).toBe(digits)
    fc.assert(
      fc.property(decimals, (decimal) => {
        expect(parseDecimal(formatDecimal(decimal))).toEqual(decimal)
      }),
      { seed: 25 },
    )
  })

  test('round to integers', () => {
    fc.assert(
      fc.property(decimals, (decimal) => {
        const value = scaled(formatDecimal(decimal))
        expect(
          ceilDecimal(decimal) * 10n ** 8n >= value && (ceilDecimal(decimal) - 1n) * 10n ** 8n < value,
        ).toBe(true)
        expect(floorDecimal(decimal)).toBe(
          -ceilDecimal({ mantissa: -decimal.mantissa, exponent: decimal.exponent }),
        )
        expect(isInteger(decimal)).toBe(floorDecimal(decimal) === ceilDecimal(decimal))
      }),
      { seed: 26 },
    )
    expect(ceilDecimal(parseDecimal('1e-400000'))).toBe(1n)
    expect(floorDecimal(parseDecimal('-1e-400000'))).toBe(-1n)
  })

  test('are limited where digits would be written out', () => {
    for (const work of [formatDecimal, ceilDecimal, floorDecimal])
      expect(() => work(parseDecimal('1e400000'))).toThrow(LimitError)
    expect(() => formatDecimal(parseDecimal('1e-400000'))).toThrow(LimitError)
    expect(() => parseDecimal('1e99999999999999999999')).toThrow(LimitError)
    expect(() => parseDecimal('1.')).toThrow(RangeError)
  })
})

describe('intervals', () => {
  test('intersect', () => {
    const cases: [a: string, b: string, both: string | null][] = [
      ['[1,5]', '[2,9]', '[2,5]'],
      ['[1,5]', '(1,5)', '(1,5)'],
      ['[1,]', '[,1.0]', '[1,1]'],
      ['(1,]', '[,1]', null],
      ['[1,2]', '[3,4]', null],
      ['(,)', '[1,2)', '[1,2)'],
    ]
    for (const [a, b, both] of cases) {
      const expected = both === null ? null : interval(both)
      expect(intersectIntervals(interval(a), interval(b))).toEqual(expected)
      expect(intersectIntervals(interval(b), interval(a))).toEqual(expected)
    }
  })

  test('contain a number of the intersection exactly if both contain it', () => {
    const intervals = fc
      .tuple(fc.option(decimals), fc.boolean(), fc.option(decimals), fc.boolean())
      .map(([min, minExclusive, max, maxExclusive]) => ({ min, minExclusive, max, maxExclusive }))
      .filter((any) => intersectIntervals(any, any) !== null)
    fc.assert(
      fc.property(intervals, intervals, decimals, (a, b, decimal) => {
        const both = intersectIntervals(a, b)
        expect(both !== null && containsDecimal(both, decimal)).toBe(
          containsDecimal(a, decimal) && containsDecimal(b, decimal),
        )
      }),
      { seed: 27, numRuns: 500 },
    )
  })

  test('know whether they hold an integer', () => {
    const cases: [text: string, has: boolean][] = [
      ['[0.1,0.9]', false],
      ['(0,1)', false],
      ['(0,1]', true],
      ['(0,1.5)', true],
      ['(-0.5,0.5)', true],
      ['(-1,0)', false],
      ['(1e400000,)', true],
      ['[1e400000,2e400000]', true],
    ]
    for (const [text, has] of cases) expect([text, hasInteger(interval(text))]).toEqual([text, has])
  })
})
