import { describe, expect, it } from 'vitest'
import { compile, LimitError, Vocabulary } from '../../src/core.ts'

const encoder = new TextEncoder()
/** All bytes and 20,000 words, so that a mask inside a string is dense. */
const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
for (let n = 0; n < 20_000; n++) tokens.push(encoder.encode(`w${n}`))
const end = tokens.length
const vocabulary = Vocabulary.fromBytes([...tokens, encoder.encode('<eos>')], { endTokens: [end] })

/** Objects of strings of many lengths, so that nearly every position has a mask of its own. */
const schema = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `k${i}`,
      { type: 'string', pattern: `^[a-z]{${i},${i + 3}}x[0-9w]*$` },
    ]),
  ),
}

describe('the bound on memoised masks', () => {
  it('holds, and what is dropped is made again, the same', () => {
    const bounded = compile(schema, vocabulary, { limits: { maxMaskBytes: 50_000 } })
    const free = compile(schema, vocabulary)
    const a = bounded.matcher()
    const b = free.matcher()
    for (let i = 0; i < 40; i++) {
      for (const byte of encoder.encode(`${i === 0 ? '{' : ','}"k${i}":"${'a'.repeat(i + 1)}x7"`)) {
        expect(a.mask()).toEqual(b.mask())
        expect(bounded.sizes.maskBytes).toBeLessThanOrEqual(50_000)
        expect([a.accept(byte), b.accept(byte)]).toEqual([true, true])
      }
    }
    expect(free.sizes.maskBytes).toBeGreaterThan(50_000)
  })
})

describe('limits', () => {
  it('are positive integers', () => {
    expect(() => compile({}, vocabulary, { limits: { maxMaskBytes: -1 } })).toThrow(RangeError)
    expect(() => compile({}, vocabulary, { limits: { maxContexts: Number.NaN } })).toThrow(RangeError)
  })

  it('refuse a schema whose shortest value is too long', () => {
    expect(() => compile({ minLength: 2_000_000, type: 'string' }, vocabulary)).toThrow(LimitError)
    expect(() => compile({ type: 'array', minItems: 1e9 }, vocabulary)).toThrow(LimitError)
  })

  it('stop a text that needs more contexts than allowed', () => {
    const nested = { type: 'array', items: { $ref: '#' } }
    const matcher = compile(nested, vocabulary, { limits: { maxContexts: 100 } }).matcher()
    expect(() => {
      for (let i = 0; i < 1000; i++) {
        matcher.mask()
        matcher.accept(0x5b)
      }
    }).toThrow(LimitError)
  })

  it('stop a text that there are more ways to read than allowed', () => {
    const either = {
      anyOf: Array.from({ length: 12 }, (_, i) => ({
        type: 'object',
        properties: { a: { type: 'string', pattern: `^a*b{${i}}$` } },
      })),
    }
    const read = (maxThreads: number): boolean => {
      const matcher = compile(either, vocabulary, { limits: { maxThreads } }).matcher()
      return [...encoder.encode('{"a":"aabb')].every((byte) => matcher.accept(byte))
    }
    expect(read(12)).toBe(true)
    expect(() => read(11)).toThrow('raise limits.maxThreads')
  })
})
