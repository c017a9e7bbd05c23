import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isWellFormed } from '../../src/json/read.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { formatRegex, knownFormats } from '../../src/regex/formats.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'

const SUITE = new URL(
  '../../../shared/json-schema-test-suite/tests/draft2020-12/optional/format/',
  import.meta.url,
)

/** Known formats without a language of their own. */
const NOT_REGULAR = ['idn-email', 'idn-hostname', 'regex']

function compile(name: string): CharDfa {
  const builder = new RegexBuilder()
  const regex = formatRegex(name, builder)
  if (regex === null) throw new Error(`${name} has no language`)
  return new CharDfa(builder, regex)
}

interface SuiteGroup {
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** What `formats.ts` documents as narrowed. */
function isNarrowed(name: string, text: string): boolean {
  return name === 'hostname' && /(^|\.)..--/.test(text)
}

describe('formats', () => {
  const reason = existsSync(SUITE) ? '' : ' (skipped: no official suite beside the checkout)'
  for (const name of knownFormats) {
    if (NOT_REGULAR.includes(name)) continue
    test.skipIf(reason !== '')(`${name} judges as the official suite does${reason}`, () => {
      const dfa = compile(name)
      const groups = JSON.parse(readFileSync(new URL(`${name}.json`, SUITE), 'utf8')) as SuiteGroup[]
      const wrong: string[] = []
      for (const { description, data, valid } of groups.flatMap((group) => group.tests)) {
        if (typeof data !== 'string' || !isWellFormed(data)) continue
        if (dfa.accepts(data) !== valid && !(valid && isNarrowed(name, data)))
          wrong.push(`${description}: ${data}`)
      }
      expect(wrong).toEqual([])
    })
  }

  test('are null where the name is not known or the format has no language', () => {
    const builder = new RegexBuilder()
    for (const name of [...NOT_REGULAR, 'phone', 'Date', '']) expect(formatRegex(name, builder)).toBeNull()
    for (const name of NOT_REGULAR) expect(knownFormats.has(name)).toBe(true)
    expect(knownFormats.has('phone')).toBe(false)
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
        ['a@b', '"a\\"b"@c.d', 'a@[IPv6:1::2:3]', 'a@[IPv6:::1.2.3.4]'],
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
      ['iri', ['http://ä.example/ö?\ue000'], ['http://a/\ue000', 'ä']],
      ['duration', ['PT1H', 'P1Y'], ['P1H', 'p1d', 'P1Y1D']],
      [
        'hostname',
        ['a', '1.2', `${'a'.repeat(63)}.b`],
        ['a_b', 'ab--c', `${'a'.repeat(64)}`, `${'a.'.repeat(127)}a`],
      ],
      ['json-pointer', ['', '/', '/~0~1/😀'], ['a', '/~', '/~2']],
      ['relative-json-pointer', ['0', '1#', '2/a'], ['', '#', '00', '1##']],
      ['uri-template', ['{a,b*}', '{?x:3}', "'"], ['{', '{a b}', '{a:0}', '%4']],
    ]
    for (const [name, accepted, refused] of cases) {
      const dfa = compile(name)
      expect([name, accepted.filter((text) => !dfa.accepts(text))]).toEqual([name, []])
      expect([name, refused.filter((text) => dfa.accepts(text))]).toEqual([name, []])
    }
  })
})
