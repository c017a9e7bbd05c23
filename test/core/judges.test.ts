/**
 * The judges themselves: the plain validator against the official suite, and the three judges against each other, where
 * every difference must be one that `test/support/disagreements.ts` explains.
 */
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sampleMaskbench } from '../../bench/lib.ts'
import { anySchema, anyValue } from '../schema/random.ts'
import { DISAGREEMENTS, disagreementOn } from '../support/disagreements.ts'
import { hyperjumpOf } from '../support/hyperjump.ts'
import { ajvOf, isExact } from '../support/judges.ts'
import { Random, seedOf } from '../support/random.ts'
import { guess, type Schema, wideSchemas } from '../support/random-schemas.ts'
import { DRAFTS, hasSuite, readSuite, suiteFolder } from '../support/suite.ts'
import { ourFormats, Unjudged, Validator } from '../support/validator.ts'

const seed = seedOf('judges')
const suite = suiteFolder('.')
const maskbench = process.env.MASKBENCH ?? '../shared/maskbench/dev'
if (!hasSuite(suite)) process.stdout.write(`the official suite is not at ${suite}: skipped\n`)
if (!existsSync(maskbench)) process.stdout.write(`MaskBench is not at ${maskbench}: skipped\n`)

const formats = ourFormats()

function verdictOf(validator: Validator, text: string): boolean | undefined {
  try {
    return validator.accepts(text)
  } catch (error) {
    if (error instanceof Unjudged) return undefined
    throw error
  }
}

/** Differences between the judges that nothing explains, and how many verdicts were compared. */
async function compare(
  schema: string,
  texts: readonly string[],
): Promise<{ compared: number; unexplained: string[] }> {
  const own = new Validator(schema, formats)
  const ajv = ajvOf(schema)
  const hyperjump = await hyperjumpOf(schema)
  const unexplained: string[] = []
  let compared = 0
  for (const text of texts) {
    const right = verdictOf(own, text)
    if (right === undefined || !isExact(text)) continue
    for (const [judge, verdict] of [
      ['ajv', ajv?.(JSON.parse(text))],
      ['hyperjump', hyperjump?.(text)],
    ] as const) {
      if (verdict === undefined) continue
      compared++
      if (verdict !== right && disagreementOn(schema, judge) === undefined)
        unexplained.push(`${judge} says ${verdict} of ${text} under ${schema}`)
    }
  }
  return { compared, unexplained }
}

describe.skipIf(!hasSuite(suite)).each(DRAFTS)('the plain validator on %s', (draft) => {
  /** Files about what it does not know: given meta-schemas, content, and formats that the engine narrows. */
  const UNKNOWN =
    /^(?:vocabulary|optional\/(?:content|format-assertion|format\/(?:idn-.*|hostname|(?:ecmascript-)?regex)))$/

  test('judges as the official suite does, or not at all', () => {
    const wrong: string[] = []
    const counts = { judged: 0, not: 0 }
    for (const { name, cases } of readSuite(suite, draft)) {
      if (UNKNOWN.test(name)) continue
      for (const { description, schema, tests } of cases) {
        const validator = new Validator(schema, name.startsWith('optional/format/') ? formats : new Map())
        for (const { text, valid, description: instance } of tests) {
          const verdict = verdictOf(validator, text)
          counts[verdict === undefined ? 'not' : 'judged']++
          if ((verdict ?? valid) !== valid) wrong.push(`${name}: ${description}: ${instance}`)
        }
      }
    }
    expect(wrong).toEqual([])
    expect(counts.not).toBeLessThan(counts.judged / 5)
  })
})

describe('the judges agree, but for what is known', () => {
  const RUNS = process.env.ESPALIER_CI ? 600 : 150

  test.each([
    ['of all keywords', wideSchemas as fc.Arbitrary<unknown>, seed],
    ['that count', anySchema({ hard: true, unevaluated: false, counted: true }), seed + 1],
    ['that leave unevaluated', anySchema({ hard: false, unevaluated: true, counted: false }), seed + 2],
  ])('on random schemas %s', async (_, arbitrary, from) => {
    const random = new Random(from)
    const values = fc.sample(anyValue, { seed: from, numRuns: RUNS * 6 })
    let total = 0
    for (const [index, schema] of fc.sample(arbitrary, { seed: from, numRuns: RUNS }).entries()) {
      const texts = values.slice(index * 6, index * 6 + 6).map((value) => JSON.stringify(value))
      for (let i = 0; i < 6; i++)
        texts.push(JSON.stringify(guess(schema as Schema, schema as Schema, random)))
      const { compared, unexplained } = await compare(JSON.stringify(schema), texts)
      expect(unexplained).toEqual([])
      total += compared
    }
    expect(total).toBeGreaterThan(RUNS * 6)
  })

  test.skipIf(!existsSync(maskbench))('on schemas of MaskBench', async () => {
    const every = process.env.ESPALIER_CI ? 10 : 100
    const found: string[] = []
    for await (const { schema, tests } of sampleMaskbench(maskbench, every, seed)) {
      const texts = tests.map(({ text }) => text)
      found.push(...(await compare(schema, texts)).unexplained)
    }
    expect(found).toEqual([])
  })
})

test.each([
  [
    'ajv',
    '{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": {}}}',
    '2',
  ],
  ['ajv', '{"required": [""]}', '{}'],
  ['ajv', '{"properties": {"__proto__": {"type": "null"}}}', '{"__proto__": 1}'],
  ['ajv', '{"if": {"properties": {"a": true}}, "unevaluatedProperties": false}', '{"a": 1}'],
  ['ajv', '{"prefixItems": [{"type": "null"}], "contains": {"type": "string"}}', '[]'],
  ['ajv', '{"type": "string", "nullable": true}', 'null'],
  ['hyperjump', '{"multipleOf": 1e-8}', '1.5e-8'],
  ['hyperjump', '{"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}', '1.0'],
  ['hyperjump', '{"$schema": "http://json-schema.org/draft-04/schema#", "format": "date"}', '"2023-02-29"'],
] as const)('what is listed still holds: %s on %s', async (judge, schema, text) => {
  const right = new Validator(schema, formats).accepts(text)
  const verdict = judge === 'ajv' ? ajvOf(schema)?.(JSON.parse(text)) : (await hyperjumpOf(schema))?.(text)
  expect(verdict).toBe(!right)
  expect(disagreementOn(schema, judge)?.why).toBeDefined()
})

test('each disagreement is shown by an example above', () => {
  expect(DISAGREEMENTS).toHaveLength(9)
})
