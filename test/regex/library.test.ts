import { describe, expect, test } from 'vitest'
import { PatternError } from '../../src/errors.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { patternOf } from '../../src/regex/library.ts'
import { parsePattern } from '../../src/regex/pattern.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'

const PATTERNS = [
  '^a+$',
  '[^/]{2,9}x',
  '(?:(?=a)|b)*c',
  '^((?!-)[\\w-]{1,3}(?<!-)\\.)*$',
  '^(?:red|green|blue)$',
]
const TEXTS = ['', 'a', 'aaa', 'ab/x', '----x', 'bbac', 'c', 'ab.c-d.', 'a-.', 'green', 'greens', 'red\n']

describe('patternOf', () => {
  test('gives the language of the pattern, the first time and every other time', () => {
    for (const pattern of PATTERNS) {
      for (let time = 0; time < 3; time++) {
        const builder = new RegexBuilder()
        const dfa = new CharDfa(builder, patternOf(pattern, builder).regex)
        const direct = new CharDfa(builder, parsePattern(pattern, builder))
        for (const text of TEXTS) expect(dfa.accepts(text), `${pattern} ${text}`).toBe(direct.accepts(text))
      }
    }
  })

  test('gives the very expression that the builder has', () => {
    const builder = new RegexBuilder()
    expect(patternOf('^a+|b$', builder).regex).toBe(patternOf('^a+|b$', builder).regex)
    expect(patternOf('^a+|b$', builder).regex).toBe(parsePattern('^a+|b$', builder))
  })

  test('says what is to be said of a pattern each time', () => {
    const notes = [1, 2].map(() => patternOf('^\\-$', new RegexBuilder()).notes)
    expect(notes[0]).toHaveLength(1)
    expect(notes[1]).toEqual(notes[0])
    for (let time = 0; time < 2; time++)
      expect(() => patternOf('(a)\\1', new RegexBuilder())).toThrow(PatternError)
  })

  test('forgets patterns beyond its bound and reads them again', () => {
    const long = (index: number): string => `^${index}${'(ab|c)x'.repeat(150)}$`
    for (let index = 0; index < 200; index++) patternOf(long(index), new RegexBuilder())
    const builder = new RegexBuilder()
    const dfa = new CharDfa(builder, patternOf(long(3), builder).regex)
    expect(dfa.accepts(`3${'abx'.repeat(150)}`)).toBe(true)
    expect(dfa.accepts(`4${'abx'.repeat(150)}`)).toBe(false)
  })
})
