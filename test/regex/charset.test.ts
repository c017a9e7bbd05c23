import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ANY, CharSet } from '../../src/regex/charset.ts'

const codePoint = fc.oneof(
  fc.integer({ min: 0x40, max: 0x50 }),
  fc.constantFrom(0, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0x10ffff),
)
const sets = fc.array(
  fc.tuple(codePoint, codePoint).map(([a, b]) => (a < b ? ([a, b] as const) : ([b, a] as const))),
  { maxLength: 4 },
)
const probes = [
  0,
  0x3f,
  ...Array.from({ length: 18 }, (_, index) => 0x40 + index),
  0xd7ff,
  0xd800,
  0xdc00,
  0xe000,
  0xe001,
  0x10ffff,
]

describe('CharSet', () => {
  test('has what was put in, surrogates excepted, and its operations are those of sets', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const inside = (ranges: typeof a, point: number): boolean =>
          (point < 0xd800 || point > 0xdfff) && ranges.some(([low, high]) => low <= point && point <= high)
        const left = CharSet.of(...a)
        const right = CharSet.of(...b)
        for (const point of probes) {
          const scalar = point < 0xd800 || point > 0xdfff
          expect(left.has(point)).toBe(inside(a, point))
          expect(left.union(right).has(point)).toBe(inside(a, point) || inside(b, point))
          expect(left.intersect(right).has(point)).toBe(inside(a, point) && inside(b, point))
          expect(left.complement().has(point)).toBe(scalar && !inside(a, point))
        }
        expect(left.complement().complement().key).toBe(left.key)
        expect(left.union(left.complement()).key).toBe(ANY.key)
        expect(left.intersect(left.complement()).isEmpty).toBe(true)
        expect(CharSet.of(...b, ...a).key).toBe(left.union(right).key)
      }),
      { seed: 50, numRuns: 300 },
    )
  })

  test('prints as a character class', () => {
    expect(CharSet.from('a').toString()).toBe('a')
    expect(CharSet.from('cab-').toString()).toBe('[\\-a-c]')
    expect(CharSet.from('a').complement().toString()).toBe('[^a]')
    expect(CharSet.from('\n').toString()).toBe('[\\u{a}]')
    expect(ANY.toString()).toBe('[^]')
  })
})
