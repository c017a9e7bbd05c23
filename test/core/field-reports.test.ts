/**
 * Faults that users of other engines reported, with texts to accept and to refuse: each runs as the list says, in every
 * layout, and from each prefix of an accepted text the completion is valid. The list lies beside the checkout (or where
 * `FIELD_REPORTS` says); the kinds of fault that matter have tests of their own beside this one.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  type CompiledSchema,
  compile,
  compileRegex,
  LimitError,
  SchemaError,
  type SchemaOptions,
} from '../../src/core.ts'
import { Judge } from '../support/judges.ts'
import { restOfCompletion } from '../support/masks.ts'
import { byteVocabulary } from '../support/vocabularies.ts'

const path = process.env.FIELD_REPORTS ?? '../shared/cases/field-reports.jsonl'
const present = existsSync(path)
if (!present) process.stdout.write(`the field reports are not at ${path}: skipped\n`)

interface FieldReport {
  readonly id: string
  readonly symptom: string
  readonly input_type: 'json_schema' | 'gbnf' | 'regex' | 'api'
  readonly input: string
  readonly accept: readonly string[]
  readonly reject: readonly string[]
  readonly expect: string
}

/** Texts that are valid and refused: what a generator does not write although the schema allows it. */
const NARROWED = new Map([['R57 "\\u732b"', 'values of enum and const in one spelling']])

/** The layouts beside `any` in which the same texts must be refused. */
const LAYOUTS: readonly SchemaOptions[] = [
  {},
  { whitespace: 'compact' },
  { whitespace: 'pretty', numbers: 'any' },
  { whitespace: 'any', propertyOrder: 'any', numbers: 'any' },
]
const ANY = LAYOUTS[3] as SchemaOptions

/** The schema of a report as JSON text, or why there is none to run. */
function schemaOf({ input_type: type, input }: FieldReport): { schema: string } | { skipped: string } {
  if (type === 'json_schema') return { schema: input }
  if (type === 'regex') return { schema: JSON.stringify({ type: 'string', pattern: input }) }
  if (type === 'gbnf') return { skipped: 'a grammar in GBNF, which is not read' }
  const expression = /^js:json_schema (.*)$/s.exec(input)?.[1]
  if (expression !== undefined) return { schema: JSON.stringify(evaluate(expression)) }
  if (input.startsWith('js:')) return { skipped: 'a loop, run below' }
  const api = JSON.parse(input) as { json_schema?: object; gbnf?: string; prefix?: string }
  if (api.gbnf !== undefined) return { skipped: 'a grammar in GBNF, which is not read' }
  if (api.prefix !== undefined) return { skipped: 'a cut, run below' }
  if (api.json_schema === undefined) return { skipped: 'tokenizers and stop tokens: test/vocab, test/mask' }
  return { schema: JSON.stringify(api.json_schema) }
}

/** Expressions of the list, which is as trusted as the tests are. */
function evaluate(expression: string): unknown {
  return runInNewContext(`(${expression})`)
}

function textOf({ input_type: type }: FieldReport, written: string): string {
  if (type === 'regex') return JSON.stringify(written)
  return written.startsWith('js:') ? String(evaluate(written.slice('js:'.length))) : written
}

function refusal(schema: string, options: SchemaOptions): SchemaError | LimitError | CompiledSchema {
  try {
    return compile(schema, byteVocabulary(), options)
  } catch (error) {
    if (error instanceof SchemaError || error instanceof LimitError) return error
    throw error
  }
}

/** How far a text is read, and whether it is whole there; on the way the completions that the judge refuses. */
function read(
  grammar: CompiledSchema,
  text: string,
  judge: Judge | null,
): { whole: boolean; wrong: string[] } {
  const matcher = grammar.matcher()
  const wrong: string[] = []
  const bytes = Buffer.from(text, 'utf8')
  for (const [index, byte] of bytes.entries()) {
    if (judge !== null && index < 400) {
      const whole = Buffer.concat([bytes.subarray(0, index), restOfCompletion(matcher)]).toString('utf8')
      if (judge.verdict(whole) === false) wrong.push(whole)
    }
    if (!matcher.accept(byte)) return { whole: false, wrong }
  }
  return { whole: matcher.isComplete(), wrong }
}

const reports = present
  ? readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as FieldReport)
  : []

describe.skipIf(!present)('field reports', () => {
  for (const report of reports) {
    const { id, symptom, accept, reject, expect: code } = report
    const input = schemaOf(report)
    const title = `${id} ${symptom}`
    if ('skipped' in input) {
      test.skip(`${title} (${input.skipped})`, () => {})
      continue
    }
    const { schema } = input
    test(title, () => {
      for (const options of LAYOUTS) {
        const grammar = refusal(schema, options)
        if (grammar instanceof Error) {
          // A refusal is clear, and allowed only where the list says so or nothing is to be accepted.
          expect(accept.length === 0 || code.startsWith('EXACT-OR-ERROR')).toBe(true)
          if (grammar instanceof SchemaError) expect(grammar.pointer).toMatch(/^#/)
          continue
        }
        expect(code).not.toMatch(/^ERROR/)
        for (const text of reject.map((written) => textOf(report, written))) {
          expect({ text, accepted: read(grammar, text, null).whole }).toEqual({ text, accepted: false })
        }
        if (options !== ANY) continue
        const judge = new Judge(schema)
        for (const text of accept.map((written) => textOf(report, written))) {
          const { whole, wrong } = read(grammar, text, judge)
          expect({ text, whole }).toEqual({ text, whole: !NARROWED.has(`${id} ${text}`) })
          expect(wrong).toEqual([])
        }
      }
    })
  }

  for (const { id, symptom, input, accept, reject } of reports.filter(
    (each) => each.input_type === 'regex',
  )) {
    test(`${id} ${symptom}, as a whole text`, () => {
      // Nowhere but in R94 and R95 may a pattern be refused, and those are regular, too.
      const grammar = compileRegex(input, byteVocabulary())
      expect(accept.filter((text) => !read(grammar, text, null).whole)).toEqual([])
      expect(reject.filter((text) => read(grammar, text, null).whole)).toEqual([])
    })
  }

  test('R111: a cut text is completed with what is still required', () => {
    for (const { input } of reports.filter(({ id }) => id === 'R111')) {
      const { json_schema: schema, prefix } = JSON.parse(input) as { json_schema: object; prefix: string }
      const matcher = compile(schema, byteVocabulary()).matcher()
      for (const byte of Buffer.from(prefix, 'utf8')) expect(matcher.accept(byte)).toBe(true)
      const whole = prefix + matcher.shortestCompletion().text
      expect(new Judge(JSON.stringify(schema)).verdict(whole)).toBe(true)
    }
  })

  test('R115: compiled grammars that nobody holds are not kept', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const compileSome = (from: number, to: number): number => {
      for (let index = from; index < to; index++) {
        const name = `k${index}`
        const schema = { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] }
        compile({ ...schema, additionalProperties: false }, byteVocabulary())
          .matcher()
          .mask()
      }
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = compileSome(0, 500)
    expect(compileSome(500, 3000) - before).toBeLessThan(4_000_000)
  })
})
