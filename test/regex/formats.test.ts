import { existsSync, readFileSync } from 'node:fs'
import { domainToASCII } from 'node:url'
import { describe, expect, test } from 'vitest'
import { isWellFormed } from '../../src/json/read.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { formatRegex } from '../../src/regex/formats.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'
import { Random, seedOf } from '../support/random.ts'

const SUITE = new URL(
  '../../../shared/json-schema-test-suite/tests/draft2020-12/optional/format/',
  import.meta.url,
)

/** All formats of 2020-12, each with the files that the suite has for it. */
const FILES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...(
    'date time date-time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference ' +
    'uri-template uuid json-pointer relative-json-pointer'
  )
    .split(' ')
    .map((name) => [name, [name]] as const),
  ['regex', ['regex', 'ecmascript-regex']],
])

function compile(name: string): CharDfa {
  const builder = new RegexBuilder()
  const regex = formatRegex(name, builder)
  if (regex === null) throw new Error(`${name} has no language`)
  return new CharDfa(builder, regex)
}

interface SuiteGroup {
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** Whether a narrowing says that the format leaves the text out. */
function isNarrowed(name: string, text: string): boolean {
  switch (name) {
    case 'hostname':
      return /(^|\.)..--/.test(text)
    case 'idn-email':
      return /\p{M}/u.test(text)
    case 'idn-hostname':
      return (
        /^..--|[\p{M}\u200c\u200d]/u.test(text) ||
        text.split(/[.。．｡]/).some((label) => [...label].length > 20)
      )
    case 'regex':
      return text.includes('(?<n')
    default:
      return false
  }
}

describe('formats', () => {
  const reason = existsSync(SUITE) ? '' : ' (skipped: no official suite beside the checkout)'
  for (const [name, files] of FILES) {
    test.skipIf(reason !== '')(`${name} judges as the official suite does${reason}`, () => {
      const dfa = compile(name)
      const groups = files.flatMap(
        (file) => JSON.parse(readFileSync(new URL(`${file}.json`, SUITE), 'utf8')) as SuiteGroup[],
      )
      const wrong: string[] = []
      for (const { description, data, valid } of groups.flatMap((group) => group.tests)) {
        if (typeof data !== 'string' || !isWellFormed(data)) continue
        if (dfa.accepts(data) !== valid && !(valid && isNarrowed(name, data)))
          wrong.push(`${description}: ${data}`)
      }
      expect(wrong).toEqual([])
    })
  }

  test('are null where the name is not one of JSON Schema', () => {
    const builder = new RegexBuilder()
    for (const name of ['phone', 'Date', '']) expect(formatRegex(name, builder)).toBeNull()
  })

  test('an international name has an A-label in bounds, also where the alphabet costs most', () => {
    const dfa = compile('idn-hostname')
    const far = ['߀', 'ß', 'ԯ', 'և', 'ა', 'ጚ', 'ऄ', '가', '힣', '一', '鿌', 'ꀀ']
    for (const a of far) {
      for (const b of far) {
        for (let length = 1; length <= 25; length++) {
          const name = Array.from({ length }, (_, index) => (index % 2 === 0 ? a : b)).join('')
          if (!dfa.accepts(name)) continue
          const ascii = domainToASCII(name)
          if (ascii === '' || ascii.length > 63) expect.fail(`${name} is ${ascii}`)
        }
      }
    }
    expect(dfa.accepts('ქართული.ge')).toBe(true)
    expect(dfa.accepts(`${'가'.repeat(14)}.${'ü'.repeat(20)}.example.com`)).toBe(true)
    expect(dfa.accepts('가'.repeat(15))).toBe(false)
  })

  test('a text of format regex is a pattern for RegExp, wherever a random walk through the language ends', () => {
    const dfa = compile('regex')
    const random = new Random(seedOf('format regex'))
    for (let run = 0; run < 3000; run++) {
      const text = walk(dfa, random)
      try {
        new RegExp(text, 'u')
      } catch (error) {
        expect.fail(`${JSON.stringify(text)}: ${error}`)
      }
    }
  })

  test('are made once for each builder', () => {
    const builder = new RegexBuilder()
    expect(formatRegex('date', builder)).toBe(formatRegex('date', builder))
  })

  test('a date has the days that its month has', () => {
    const dfa = compile('date')
    const two = (value: number): string => String(value).padStart(2, '0')
    for (const year of [0, 4, 100, 400, 1900, 2000, 2023, 2024, 9999]) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const date = new Date(Date.UTC(2000, 0, 1))
          date.setUTCFullYear(year, month - 1, day)
          const exists =
            month >= 1 && month <= 12 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
          if (dfa.accepts(text) !== exists) expect.fail(text)
        }
      }
    }
  })

  test('a leap second is 23:59:60 UTC in every offset', () => {
    const dfa = compile('time')
    const two = (value: number): string => String(value).padStart(2, '0')
    for (let local = 0; local < 1440; local += 7) {
      for (let offset = 0; offset < 1440; offset++) {
        for (const sign of [1, -1]) {
          const isLeap = (((local - sign * offset) % 1440) + 1440) % 1440 === 1439
          const time = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
          const text = `${time(local)}:60${sign > 0 ? '+' : '-'}${time(offset)}`
          if (dfa.accepts(text) !== isLeap) expect.fail(text)
        }
      }
    }
  })

  test('go by their RFCs where the suite is silent', () => {
    const cases: [name: string, accepted: string[], refused: string[]][] = [
      [
        'email',
        ['a@b', '"a\\"b"@c.d', 'a@[IPv6:1::2:3]', 'a@[ipv6:::1.2.3.4]', 'a@[001.02.3.255]'],
        ['a@-b', 'a@b-', 'a@b..c', '"a"b"@c', 'a@[1.2.3]', 'a@[IPv6:1:2:3:4:5:6:7::]'],
      ],
      [
        'ipv6',
        ['::', '1::', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8'],
        ['1::2::3', '1:2:3:4:5:6:7', ':::', '1:2:3:4:5:6:7:8::'],
      ],
      [
        'uri',
        ['a:', 'a:/', 'a://', 'a:b//c', 'urn:x?y#z', 'a://[v1.x:y]:'],
        ['a:%', 'a://b:c', 'a:#[', '://a', 'a:b#c#d'],
      ],
      ['uri-reference', ['a/b:c', '?', '#'], ['a:b[', 'ä']],
      ['iri', ['http://ä.example/ö?\ue000'], ['http://a/\ue000', 'ä', 'a:\u200e', 'a:\u202b']],
      [
        'date-time',
        [
          '2016-12-31T23:59:60Z',
          '2015-06-30t19:59:60.5-04:00',
          '2017-01-01T05:29:60+05:30',
          '2015-06-30T23:59:60+00:00',
        ],
        [
          '2016-12-30T23:59:60Z',
          '2015-07-01T19:59:60-04:00',
          '2016-12-31T05:29:60+05:30',
          '2015-07-01T23:59:60+00:00',
        ],
      ],
      ['duration', ['PT1H', 'P1Y'], ['P1H', 'p1d', 'P1Y1D']],
      [
        'hostname',
        ['a', '1.2', `${'a'.repeat(63)}.b`],
        ['a_b', 'ab--c', `${'a'.repeat(64)}`, `${'a.'.repeat(127)}a`],
      ],
      ['json-pointer', ['', '/', '/~0~1/😀'], ['a', '/~', '/~2']],
      ['relative-json-pointer', ['0', '1#', '2/a'], ['', '#', '00', '1##']],
      [
        'idn-hostname',
        ['straße.de', 'l·l', 'אב0.ab', '例え。テスト', 'بب٠', 'Example.COM'],
        ['Straße.de', 'a·l', '0a.אב', 'אa', 'ß--', 'ab--ß', 'ｅ', 'بب٠۰', 'xn--zca', 'ｱ', 'ᄀ', 'ﬀ', 'ª'],
      ],
      [
        'idn-email',
        ['δ@例え.jp', '"é "@a', 'a@[IPv6:::1]', 'a@[ipv6:::1.2.3.04]'],
        ['δ', 'é @a', 'a@-é', 'a@É', 'a@[1.2.3.256]', '"\\é"@a'],
      ],
      [
        'regex',
        [
          '',
          '|',
          '(?:a|)*?',
          '[]',
          '[^]',
          '[-a-z]',
          '[a-]',
          '[\\d-]',
          '\\u{10FFFF}',
          'a{10,99}',
          '(?<!a)b',
          '\\p{Lu}',
        ],
        [
          'a{2,1}',
          '[z-a]',
          '[\\d-a]',
          '(?=a)*',
          '^*',
          '{',
          '}',
          ']',
          'a**',
          '\\-',
          '\\u{110000}',
          '\\1',
          '(?<a',
          '\\p{X}',
        ],
      ],
      ['uri-template', ['{a,b*}', '{?x:3}', "'", '\u200e'], ['{', '{a b}', '{a:0}', '%4']],
    ]
    for (const [name, accepted, refused] of cases) {
      const dfa = compile(name)
      expect([name, accepted.filter((text) => !dfa.accepts(text))]).toEqual([name, []])
      expect([name, refused.filter((text) => dfa.accepts(text))]).toEqual([name, []])
    }
  })
})

/** A text of the language: some characters at random, then the shortest way out. */
function walk(dfa: CharDfa, random: Random): string {
  let text = ''
  let state = dfa.start
  const options = (): { readonly to: number; readonly codePoint: number }[] =>
    Array.from(dfa.rangeStarts, (low, range) => {
      const size = (dfa.rangeStarts[range + 1] ?? 0x110000) - low
      const to = dfa.next(state, dfa.rangeClass[range] as number)
      return { to, codePoint: low + random.below(size) }
    }).filter(({ to }) => to !== 0)
  for (let left = random.below(40); left > 0 || !dfa.accepting(state); left--) {
    const { to, codePoint } =
      left > 0
        ? random.pick(options())
        : options().reduce((a, b) => (dfa.regexOf(b.to).minLength < dfa.regexOf(a.to).minLength ? b : a))
    text += String.fromCodePoint(codePoint)
    state = to
  }
  return text
}
