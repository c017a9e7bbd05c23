import { describe, expect, it } from 'vitest'
import { hasBit, wordCount } from '../../src/bits.ts'
import { compile, Vocabulary } from '../../src/core.ts'

const encoder = new TextEncoder()
const tokens = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
for (const text of ['app', 'app_id', 'app_id"', 'app_id":', 'contexts', 'x_', '"app', '{"app'])
  tokens.push(encoder.encode(text))
const end = tokens.length
const vocabulary = Vocabulary.fromBytes([...tokens, encoder.encode('<eos>')], { endTokens: [end] })

/** The tokens whose bit is set, and those that are accepted: they must be the same. */
function allowed(schema: object, prefix: string): { mask: string[]; accepted: string[] } {
  const matcher = compile(schema, vocabulary, { whitespace: 'compact' }).matcher()
  for (const byte of encoder.encode(prefix)) expect(matcher.accept(byte)).toBe(true)
  const mask = matcher.mask().slice()
  const decoder = new TextDecoder()
  const mine: string[] = []
  const accepted: string[] = []
  tokens.forEach((token, id) => {
    if (hasBit(mask, id)) mine.push(decoder.decode(token))
    if (matcher.accept(id)) {
      accepted.push(decoder.decode(token))
      matcher.rollback(1)
    }
  })
  return { mask: mine, accepted }
}

describe('declared names beside keys by pattern', () => {
  const schema = {
    type: 'object',
    properties: { app_id: { type: 'integer' }, name: {} },
    patternProperties: { '^contexts_': { type: 'array' } },
    additionalProperties: false,
  }

  it.each(['{', '{"', '{"a', '{"app', '{"contexts_x":[],"'])(
    'may be written in pieces that fit no pattern: after %s',
    (prefix) => {
      const { mask, accepted } = allowed(schema, prefix)
      expect(mask).toEqual(accepted)
    },
  )

  it('are offered whole and in part', () => {
    expect(allowed(schema, '{"').mask).toEqual(
      expect.arrayContaining(['app', 'app_id', 'app_id"', 'app_id":', 'contexts', 'n']),
    )
  })
})

describe('free keys of which a declared name is one', () => {
  const values = { patternProperties: { '^(a|b+)$': { type: 'integer' } }, additionalProperties: false }

  it.each([
    [{ type: 'object', properties: { a: { type: 'integer' } }, ...values }, '{"a":0,"'],
    [{ type: 'object', properties: { a: false }, ...values }, '{"'],
  ])('are not begun where only that name could end them: %j after %s', (schema, prefix) => {
    const { mask, accepted } = allowed(schema, prefix)
    expect(mask).toEqual(accepted)
    expect(mask).toContain('b')
    expect(mask).not.toContain('a')
  })
})

describe('a mask in a longer array', () => {
  it('leaves no bit behind', () => {
    const matcher = compile({ type: 'string' }, vocabulary).matcher()
    matcher.accept(0x22)
    const out = new Uint32Array(40).fill(0xffffffff)
    matcher.mask(out)
    expect([...out.subarray(wordCount(vocabulary.size))].every((word) => word === 0)).toBe(true)
  })
})

it('completes hundreds of further entries with the least keys that are not held', () => {
  const schema = { type: 'object', additionalProperties: { const: 1 }, minProperties: 300 }
  const matcher = compile(schema, vocabulary, { whitespace: 'compact' }).matcher()
  for (const byte of Buffer.from('{"b":1,"\u20ac":1')) expect(matcher.accept(byte)).toBe(true)
  const keys = Object.keys(JSON.parse(matcher.text() + matcher.shortestCompletion().text) as object)
  expect(keys).toHaveLength(300)
  const added = keys.filter((key) => key !== 'b' && key !== '\u20ac')
  const bytes = added.map((key) => Buffer.byteLength(JSON.stringify(key)))
  // One key of no character, and all but one of those of one byte that need no escape, are shorter than the rest.
  expect(bytes.filter((length) => length === 2)).toHaveLength(1)
  expect(bytes.filter((length) => length === 3)).toHaveLength(0x7f - 0x20 + 1 - 2 - 1)
  expect(Math.max(...bytes)).toBe(4)
})

describe('keys that are held while a token opens more containers than there were positions', () => {
  const deep = `${'[{"k":'.repeat(90)}1${'}]'.repeat(90)}`
  const one = encoder.encode(`{"a":${deep},"b":${deep}}`)
  const twice = encoder.encode(`{"a":${deep},"a":1}`)
  const own = Vocabulary.fromBytes([...tokens.slice(0, 256), one, twice, encoder.encode('<eos>')], {
    endTokens: [258],
  })

  it('are those of the object they stand in', () => {
    const matcher = compile({}, own, { whitespace: 'compact' }).matcher()
    expect(matcher.accept(257)).toBe(false)
    expect(matcher.accept(256)).toBe(true)
    expect(matcher.isComplete()).toBe(true)
    expect(matcher.text()).toBe(`{"a":${deep},"b":${deep}}`)
  })
})
