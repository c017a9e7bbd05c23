/**
 * The narrowings: what is allowed and not written, each with the option that lifts it, in the report and in the README
 * alike.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type CompileOptions, compile, Vocabulary } from '../../src/core.ts'
import { NARROWING_NAMES, type NarrowingName, narrowingOf } from '../../src/schema/narrowings.ts'
import { byteVocabulary } from '../support/vocabularies.ts'
import { compileSchema } from './compile.ts'

/** Whether the text is written, byte by byte. */
function writes(schema: string, text: string, options: CompileOptions, vocabulary: Vocabulary): boolean {
  const matcher = compile(schema, vocabulary, options).matcher()
  return Buffer.from(text, 'utf8').every((byte) => matcher.accept(byte)) && matcher.isComplete()
}

function reports(
  name: NarrowingName,
  schema: string,
  options: CompileOptions,
  vocabulary: Vocabulary,
): boolean {
  const { message } = narrowingOf(name)
  const { narrowings } = compile(schema, vocabulary, options).report
  return narrowings.some((entry) => entry.message === message)
}

const bytes = byteVocabulary()
const ascii = Vocabulary.fromBytes(
  Array.from({ length: 128 }, (_, byte) => Uint8Array.of(byte)),
  { endTokens: [0] },
)
const EVERYTHING: CompileOptions = { whitespace: 'any', propertyOrder: 'any', numbers: 'any' }
const OBJECT = '{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}'

interface Case {
  readonly name: NarrowingName
  readonly schema: string
  /** A text that the schema allows and the grammar does not write, and one that says much the same and is written. */
  readonly narrowed: string
  readonly written: string
  /** What lifts it; absent where nothing does. */
  readonly lift?: CompileOptions
  /** A schema that it does not touch. */
  readonly untouched: string
  readonly vocabulary?: Vocabulary
}

const ROOMY = `1.${'0'.repeat(99)}`

const CASES: readonly Case[] = [
  {
    name: 'order',
    schema: OBJECT,
    narrowed: '{"b":1,"a":1}',
    written: '{"a":1,"b":1}',
    lift: { propertyOrder: 'any' },
    untouched: '{"type": "array"}',
  },
  {
    name: 'space',
    schema: OBJECT,
    narrowed: '{\n"a" : 1}',
    written: '{"a": 1}',
    lift: { whitespace: 'any' },
    untouched: '{"type": "string"}',
  },
  {
    name: 'notation',
    schema: '{"type": "number"}',
    narrowed: '1.50e1',
    written: '15',
    lift: { numbers: 'any' },
    untouched: '{"type": "string"}',
  },
  {
    name: 'size',
    schema: '{"type": "number"}',
    narrowed: `0.${'1'.repeat(80)}`,
    written: `0.${'1'.repeat(63)}`,
    untouched: '{"type": "integer", "minimum": 0, "maximum": 9}',
  },
  {
    name: 'spelling',
    schema: '{"enum": ["a", "b"]}',
    narrowed: '"\\u0061"',
    written: '"a"',
    untouched: '{"type": "string"}',
  },
  {
    name: 'surrogates',
    schema: '{"type": "string"}',
    narrowed: '"\\ud834"',
    written: '"\\ud834\\udd1e"',
    untouched: '{"type": "integer"}',
  },
  {
    name: 'bytes',
    schema: '{"enum": ["a", "é"]}',
    narrowed: '"é"',
    written: '"a"',
    vocabulary: ascii,
    untouched: '',
  },
  {
    name: 'fractions',
    schema:
      '{"$schema": "http://json-schema.org/draft-04/schema#", "type": "number", "minimum": 0, "maximum": 2, "not": {"type": "integer"}}',
    narrowed: '1.0',
    written: '1.5',
    untouched: '{"type": "number"}',
  },
  {
    name: 'durations',
    schema: '{"type": "string", "format": "duration"}',
    narrowed: '"pt1h"',
    written: '"PT1H"',
    lift: { formats: 'annotate' },
    untouched: '{"type": "string", "format": "date-time"}',
  },
  {
    name: 'hostnames',
    schema: '{"type": "string", "format": "hostname"}',
    narrowed: '"xn--zca.example"',
    written: '"zca.example"',
    lift: { formats: 'annotate' },
    untouched: '{"type": "string", "format": "email"}',
  },
  {
    name: 'internationalNames',
    schema: '{"type": "string", "format": "idn-hostname"}',
    narrowed: '"\u0928\u0940"',
    written: '"\u0928"',
    lift: { formats: 'annotate' },
    untouched: '{"type": "string", "format": "hostname"}',
  },
  {
    name: 'patterns',
    schema: '{"type": "string", "format": "regex"}',
    narrowed: `"${'('.repeat(9)}a${')'.repeat(9)}"`,
    written: `"${'('.repeat(8)}a${')'.repeat(8)}"`,
    lift: { formats: 'annotate' },
    untouched: '{"type": "string", "pattern": "^a$"}',
  },
]

describe('what a grammar does not write although the schema allows it', () => {
  test.each(CASES)('$name: it is narrowed, said so, and lifted by its option', (each) => {
    const { name, schema, narrowed, written, lift, untouched, vocabulary = bytes } = each
    expect(writes(schema, written, {}, vocabulary)).toBe(true)
    expect(writes(schema, narrowed, {}, vocabulary)).toBe(false)
    expect(reports(name, schema, {}, vocabulary)).toBe(true)
    if (untouched !== '') expect(reports(name, untouched, {}, bytes)).toBe(false)
    else expect(reports(name, schema, {}, bytes)).toBe(false)
    const { liftedBy } = narrowingOf(name)
    if (lift === undefined) {
      expect(liftedBy).toBeUndefined()
      expect(writes(schema, narrowed, EVERYTHING, vocabulary)).toBe(false)
      expect(reports(name, schema, EVERYTHING, vocabulary)).toBe(true)
    } else {
      const [option, value] = Object.entries(lift)[0]!
      expect(liftedBy).toBe(`${option}: '${value}'`)
      expect(writes(schema, narrowed, lift, vocabulary)).toBe(true)
      expect(reports(name, schema, lift, vocabulary)).toBe(false)
    }
  })

  test('names: an object has no more properties than its finite language of further names has', () => {
    const schema = {
      type: 'object',
      patternProperties: { '^[0-9]{4}$': { type: 'null' }, '^x': { type: 'boolean' } },
      additionalProperties: false,
    }
    const object = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, true])))
    const { accepts, report } = compileSchema(schema)
    expect([10_000, 10_001].map((count) => accepts(object(count)))).toEqual([true, false])
    expect(report.narrowings).toContainEqual({ pointer: '#', ...narrowingOf('names') })
  })

  test('numbers in any notation have the caps too, counted without the exponent', () => {
    const any: CompileOptions = { numbers: 'any' }
    expect(writes('{"type": "number"}', ROOMY, any, bytes)).toBe(false)
    expect(writes('{"type": "number"}', '1e400', any, bytes)).toBe(true)
    expect(writes('{"type": "number"}', '1e401', any, bytes)).toBe(false)
    // A longer constant makes room beside itself.
    const long = '1'.repeat(60)
    const schema = `{"type": "integer", "minimum": ${long}}`
    expect(writes(schema, `${long}${'0'.repeat(20)}`, {}, bytes)).toBe(true)
    expect(writes(schema, `${long}${'0'.repeat(21)}`, {}, bytes)).toBe(false)
  })

  test('of formats: said at the format, each that is narrowed', () => {
    const formats = 'date duration email hostname idn-email idn-hostname iri regex time uri'.split(' ')
    const { report } = compileSchema({
      properties: Object.fromEntries(formats.map((format) => [format, { format }])),
    })
    expect(report.narrowings.filter(({ pointer }) => pointer.endsWith('/format'))).toEqual([
      { pointer: '#/properties/duration/format', ...narrowingOf('durations') },
      { pointer: '#/properties/hostname/format', ...narrowingOf('hostnames') },
      { pointer: '#/properties/idn-email/format', ...narrowingOf('internationalNames') },
      { pointer: '#/properties/idn-hostname/format', ...narrowingOf('internationalNames') },
      { pointer: '#/properties/regex/format', ...narrowingOf('patterns') },
    ])
  })

  test('of formats that the vocabularies of the schema assert: no option lifts them', () => {
    const uri = 'https://example.com/asserts'
    const core = 'https://json-schema.org/draft/2020-12/vocab/core'
    const assertion = 'https://json-schema.org/draft/2020-12/vocab/format-assertion'
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    const references = { [uri]: { $schema, $id: uri, $vocabulary: { [core]: true, [assertion]: true } } }
    const schema = { $schema: uri, format: 'hostname' }
    const { report, accepts } = compileSchema(schema, { formats: 'annotate', references })
    expect(accepts('"xn--zca.example"')).toBe(false)
    expect(report.narrowings.filter(({ pointer }) => pointer === '#/format')).toEqual([
      { pointer: '#/format', message: narrowingOf('hostnames').message },
    ])
  })

  test('every narrowing has its test', () => {
    expect(new Set([...CASES.map(({ name }) => name), 'names'])).toEqual(new Set(NARROWING_NAMES))
  })
})

describe('the list in the README', () => {
  const readme = readFileSync('README.md', 'utf8')
  const table = /\| narrowing \| lifted by \|\n\|---\|---\|\n((?:\|.*\|\n)+)/.exec(readme)?.[1] ?? ''
  const rows = table
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, message = '', liftedBy = '']) => [message, /^`([^`]*)`/.exec(liftedBy)?.[1]])

  test('is that of the report: the same sentences and the same options', () => {
    expect(rows).toEqual(
      NARROWING_NAMES.map((name) => {
        const { message, liftedBy } = narrowingOf(name)
        return [message, liftedBy]
      }),
    )
  })
})
