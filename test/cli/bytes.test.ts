/** How far a matcher takes a text, and what may follow it there, in words. */
import { describe, expect, it } from 'vitest'
import { describeBytes, feed, followers } from '../../src/cli/bytes.ts'
import { compile, Vocabulary } from '../../src/core.ts'
import { byteVocabulary } from '../../src/vocab/byte-vocabulary.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('a text byte by byte', () => {
  it('is taken up to the byte that is refused', () => {
    const matcher = compile({ enum: ['ab', 'abcd'] }, byteVocabulary()).matcher()
    expect(feed(matcher, utf8('"abc!'))).toBe(4)
    expect(matcher.text()).toBe('"abc')
    expect(followers(matcher)).toEqual(['d'])
    expect(feed(matcher, utf8('d"'))).toBe(2)
    expect(followers(matcher)).toEqual(['the end'])
  })

  it('is taken up to the last place from which tokens lead on, where bytes are no tokens of their own', () => {
    const tokens = ['"ab', 'cd"', '"', 'ab', 'cd'].map(utf8)
    const vocabulary = Vocabulary.fromBytes([...tokens, null], { endTokens: [tokens.length] })
    const matcher = compile({ enum: ['ab', 'abcd'] }, vocabulary).matcher()
    expect(feed(matcher, utf8('"abc!'))).toBe(3)
    expect(followers(matcher)).toEqual(['"', 'c'])
    expect(feed(matcher, utf8('cd"'))).toBe(3)
    expect(followers(matcher)).toEqual(['the end'])
  })
})

describe('bytes in words', () => {
  it('are characters, ranges within one kind, and what bytes beyond ASCII begin', () => {
    expect(describeBytes([...utf8(' 0123acAB/')])).toEqual(['space', '0-3', 'a', 'c', 'A', 'B', '/'])
    expect(describeBytes([9, 10, 13, 0x1f, 0x7f])).toEqual([
      'tab',
      'line feed',
      'carriage return',
      '0x1f',
      '0x7f',
    ])
    expect(describeBytes([0xc3, 0xe2])).toEqual(['a character beyond ASCII'])
    expect(describeBytes([0x80, 0x81])).toEqual(['the next byte of this character'])
  })
})
