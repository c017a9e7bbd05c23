/** Fixing: what comes out passes the same lint, and is no looser than the list of changes says. */
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, fixTools, type LintDialect, lintTools } from '../../src/index.ts'
import { Random, seedOf } from '../support/random.ts'
import { guess, type Schema, type Value, validatorOf, wideSchemas } from '../support/random-schemas.ts'

const SERVICES = ['anthropic-strict', 'openai-strict'] as const
const DIALECTS: readonly LintDialect[] = [...SERVICES, 'json-schema']

const errorsOf = (tools: unknown, dialect: LintDialect) =>
  lintTools(tools, { dialect }).filter(({ severity }) => severity === 'error')

/** The fixed schema of one tool whose schema this is, the changes, and the keywords that are left. */
function fix(schema: object, dialect: LintDialect) {
  const tool = {
    type: 'function',
    function: { name: 'f', description: 'Use this when asked.', parameters: schema },
  }
  const { tools, changes, left } = fixTools(JSON.stringify(tool), { dialect })
  const fixed = JSON.parse(tools).function.parameters as Record<string, unknown>
  return {
    tools,
    fixed,
    changes,
    effects: changes.map(({ effect }) => effect),
    left: left.map((each) => each.keyword),
  }
}

const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

describe('what a fix says in descriptions', () => {
  const parameters = object(
    {
      bounded: { type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true },
      formed: { type: 'string', pattern: '^(?!x)(red|green)(a)\\1$' },
      told: { type: 'integer', description: 'How many (optional).', multipleOf: 5, maximum: 9 },
      left: { type: 'string', maxLength: 9 },
    },
    { required: ['bounded', 'formed', 'told'] },
  )

  it.each(DIALECTS)('%s: hides no warning, and makes none', (dialect) => {
    const tool = {
      type: 'function',
      function: { name: 'f', description: 'Use this when asked.', parameters },
    }
    const warnings = (tools: unknown): string[] =>
      lintTools(tools, { dialect })
        .filter(({ severity, tool }) => severity === 'warning' && tool === 'f')
        .map(({ pointer, keyword }) => `${pointer} ${keyword}`)
    const before = warnings(tool)
    expect(before).toEqual([
      '#/function/parameters/properties/bounded description',
      '#/function/parameters/properties/told/description required',
      '#/function/parameters/properties/left description',
    ])
    expect(warnings(fixTools(tool, { dialect }).tools)).toEqual(before)
  })
})

describe('for both services', () => {
  it.each(SERVICES)('%s: closes objects, and says that this is narrower', (dialect) => {
    const { fixed, changes, left } = fix(
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      dialect,
    )
    expect(fixed).toMatchObject({ additionalProperties: false })
    expect(changes).toContainEqual({
      effect: 'narrower',
      pointer: '#/function/parameters',
      keyword: 'additionalProperties',
      tool: 'f',
      message: 'the object is closed: no properties but those that are declared',
    })
    expect(left).toEqual([])
  })

  it.each(SERVICES)('%s: leaves maps of free keys, which closed could hold nothing', (dialect) => {
    const { fixed, left } = fix(
      object({ a: { type: 'object', additionalProperties: { type: 'string' } } }),
      dialect,
    )
    expect(fixed).toMatchObject({ properties: { a: { additionalProperties: { type: 'string' } } } })
    expect(left).toEqual(['additionalProperties'])
    const patterns = {
      type: 'object',
      patternProperties: { '^a': { type: 'null' } },
      additionalProperties: false,
    }
    expect(fix(object({ a: patterns }), dialect).left).toEqual(['patternProperties'])
  })

  it.each(SERVICES)(
    '%s: says that patterns of names beside properties are not allowed any more',
    (dialect) => {
      const { effects } = fix(object({ a: { type: 'null' } }, { patternProperties: { '^x-': {} } }), dialect)
      expect(effects).toContain('different')
    },
  )

  it.each(SERVICES)('%s: makes one schema of allOf with a reference', (dialect) => {
    const { fixed, effects, left } = fix(
      object(
        { a: { description: 'The colour.', allOf: [{ $ref: '#/$defs/colour' }] } },
        { $defs: { colour: { type: 'string', enum: ['red'], description: 'Of it.' } } },
      ),
      dialect,
    )
    expect(fixed.properties).toEqual({ a: { description: 'The colour.', type: 'string', enum: ['red'] } })
    expect(new Set(effects)).toEqual(new Set(['same']))
    expect(left).toEqual([])
  })

  it.each(SERVICES)('%s: copies no recursive definition into itself', (dialect) => {
    const list = object({ next: { allOf: [{ $ref: '#/$defs/list' }] } })
    const { left } = fix(object({ a: { allOf: [{ $ref: '#/$defs/list' }] } }, { $defs: { list } }), dialect)
    expect(new Set(left)).toEqual(new Set(dialect === 'openai-strict' ? [] : ['$ref']))
  })

  it.each(SERVICES)('%s: closes no object that is one of several schemas of the same value', (dialect) => {
    const either = object({
      a: {
        type: 'object',
        properties: { x: { type: 'string' } },
        required: ['x'],
        anyOf: [{ required: ['y'] }],
      },
    })
    const { fixed, left } = fix(either, dialect)
    expect(JSON.stringify(fixed)).not.toContain('"y"],"additionalProperties"')
    expect(left).toContain('additionalProperties')
  })

  it.each(SERVICES)('%s: moves nothing that a reference leads into', (dialect) => {
    const { fixed, left } = fix(
      object({ a: { oneOf: [{ type: 'string' }, { type: 'null' }] }, b: { $ref: '#/properties/a/oneOf/0' } }),
      dialect,
    )
    expect(fixed).toMatchObject({ properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } } })
    expect(left).toEqual(['oneOf'])
  })

  it.each(SERVICES)(
    '%s: makes tuples arrays of any of their items, with the tuple in the description',
    (dialect) => {
      const tuple = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }
      const { fixed, left, effects } = fix(object({ a: tuple }), dialect)
      const { a } = fixed.properties as { a: Record<string, unknown> }
      expect(a.items).toEqual({ anyOf: [{ type: 'string' }, { type: 'integer' }] })
      expect(a.description).toContain('prefixItems: [{"type": "string"}, {"type": "integer"}]')
      expect(effects).toContain('looser')
      expect(left).toEqual([])
    },
  )

  it.each(SERVICES)(
    '%s: leaves a tool that says strict: false, and says strict: true in the others',
    (dialect) => {
      const loose = {
        name: 'a',
        strict: false,
        parameters: { type: 'object', properties: { n: { not: {} } } },
      }
      const tight = { type: 'function', function: { name: 'b', parameters: object({}) } }
      const { tools, left } = fixTools([loose, tight], { dialect })
      expect(JSON.parse(tools)).toEqual([
        loose,
        { type: 'function', function: { ...tight.function, strict: true } },
      ])
      expect(left).toEqual([])
    },
  )
})

describe('for Anthropic', () => {
  it('moves bounds into the description', () => {
    const { fixed, effects, left } = fix(
      object({
        n: { type: 'integer', description: 'How many.', minimum: 1, maximum: 200, multipleOf: 5 },
        s: { type: 'string', minLength: 1, maxLength: 80, format: 'iri' },
        a: { type: 'array', items: { type: 'string' }, minItems: 3, maxItems: 9, uniqueItems: true },
      }),
      'anthropic-strict',
    )
    expect(fixed.properties).toEqual({
      n: { type: 'integer', description: 'How many. Rules: at least 1; at most 200; a multiple of 5.' },
      s: {
        type: 'string',
        description: 'Rules: at least 1 character; at most 80 characters; in the format iri.',
      },
      a: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Rules: at least 3 items; at most 9 items; no item twice.',
      },
    })
    expect(effects.filter((effect) => effect !== 'same')).toEqual(Array(9).fill('looser'))
    expect(left).toEqual([])
  })

  it.each([
    ['How many', 'How many. Rules: at most 5.'],
    ['How many.  \n', 'How many. Rules: at most 5.'],
    ['How many (about)', 'How many (about). Rules: at most 5.'],
    ['Say "how many."', 'Say "how many." Rules: at most 5.'],
    ['How many?', 'How many? Rules: at most 5.'],
    ['いくつ。', 'いくつ。 Rules: at most 5.'],
    ['  ', 'Rules: at most 5.'],
  ])('ends the description %j before that with a full stop', (description, expected) => {
    const a = { type: 'integer', description, maximum: 5 }
    const { fixed } = fix(object({ a }), 'anthropic-strict')
    expect(fixed.properties).toEqual({ a: { type: 'integer', description: expected } })
  })

  it('keeps optional parameters, and reads and writes input_schema', () => {
    const tool = {
      name: 'f',
      input_schema: { type: 'object', properties: { a: { type: 'string', maxLength: 5 } } },
    }
    const { tools, left } = fixTools(tool, { dialect: 'anthropic-strict' })
    expect(JSON.parse(tools)).toEqual({
      name: 'f',
      input_schema: {
        type: 'object',
        properties: { a: { type: 'string', description: 'Rules: at most 5 characters.' } },
        additionalProperties: false,
      },
      strict: true,
    })
    expect(left).toEqual([])
  })
})

describe('for OpenAI', () => {
  it('requires every property, and lets what was optional be null', () => {
    const { fixed, left } = fix(
      {
        type: 'object',
        properties: {
          a: { type: 'string' },
          b: { enum: ['x'] },
          c: { const: 1 },
          d: { $ref: '#/$defs/d', description: 'D.' },
          e: { type: ['integer', 'null'] },
        },
        $defs: { d: { type: 'string' } },
      },
      'openai-strict',
    )
    const description = 'Write null to leave it out.'
    expect(fixed.properties).toEqual({
      a: { type: ['string', 'null'], description },
      b: { enum: ['x', null], description },
      c: { description, anyOf: [{ const: 1 }, { type: 'null' }] },
      d: { description: `D. ${description}`, anyOf: [{ $ref: '#/$defs/d' }, { type: 'null' }] },
      e: { type: ['integer', 'null'] },
    })
    expect(fixed.required).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(left).toEqual([])
  })

  it('keeps the digits of numbers and the order of keys', () => {
    const text = `{"name": "f", "parameters": {"type": "object", "properties": {"2": {"type": "number", "minimum": 1.00},
      "1": {"type": "integer", "maximum": 12345678901234567890}}, "required": ["2", "1"], "additionalProperties": false}}`
    const { tools } = fixTools(text, { dialect: 'openai-strict' })
    expect(tools).toContain('1.00')
    expect(tools).toContain('12345678901234567890')
    expect(tools.indexOf('"2"')).toBeLessThan(tools.indexOf('"1"'))
  })
})

describe('for our own engine', () => {
  it('moves what cannot be enforced into the description', () => {
    const { fixed, effects, left } = fix(
      object({ a: { type: 'string', pattern: '(a)\\1' }, b: { type: 'string', pattern: '^b' } }),
      'json-schema',
    )
    expect(fixed.properties).toEqual({
      a: { type: 'string', description: 'Rules: matches the regular expression (a)\\1.' },
      b: { type: 'string', pattern: '^b' },
    })
    expect(effects).toEqual(['looser'])
    expect(left).toEqual([])
  })

  it('leaves what nothing satisfies', () => {
    expect(fix(object({ a: { enum: [] } }), 'json-schema').left).not.toEqual([])
  })
})

/** Keywords that a fix always finds a way for, where no reference leads into them. */
const FIXABLE = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...[
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'maxProperties',
    'pattern',
    'format',
    'not',
    'if',
  ],
  ...['then', 'else', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems'],
]

/** Two schemas over the same definitions as the parameters of a tool. */
const parameters = fc
  .tuple(wideSchemas, wideSchemas, fc.boolean(), fc.subarray(['p', 'q']))
  .map(([p, q, isRoot, required]) => {
    const { $defs, ...a } = p as { $defs: Schema }
    const { $defs: _, ...b } = q as { $defs: Schema }
    return isRoot ? { ...p, type: 'object' } : { $defs, type: 'object', properties: { p: a, q: b }, required }
  })

const SEED = seedOf('lint-fix')
const RUNS = process.env.ESPALIER_CI ? 200 : 100

describe('over random schemas', () => {
  it.each(DIALECTS)(
    '%s: a fix leaves nothing that it could fix, and changes nothing the second time',
    (dialect) => {
      fc.assert(
        fc.property(parameters, (schema) => {
          const { tools, left, changes } = fix(schema, dialect)
          expect(errorsOf(tools, dialect).map(({ keyword }) => keyword)).toEqual(left)
          if (dialect !== 'json-schema')
            expect(left.filter((keyword) => FIXABLE.includes(keyword ?? ''))).toEqual([])
          const again = fixTools(tools, { dialect })
          expect(again.changes.map(({ message }) => message)).toEqual([])
          expect(again.tools).toBe(tools)
          if (changes.length === 0 && left.length === 0)
            expect(errorsOf([{ name: 'f', parameters: schema }], dialect)).toEqual([])
        }),
        { seed: SEED, numRuns: RUNS },
      )
    },
  )

  it.each(DIALECTS)(
    '%s: what the list of changes does not call looser is no looser, and so for narrower',
    (dialect) => {
      const random = new Random(SEED)
      const says = (changes: readonly Change[], effect: Change['effect']) =>
        changes.some((change) => change.effect === effect || change.effect === 'different')
      let tried = 0
      fc.assert(
        fc.property(parameters, (schema) => {
          const { fixed, changes } = fix(schema, dialect)
          const before = validatorOf({ ...schema, type: 'object' })
          const after = validatorOf(fixed)
          for (let i = 0; i < 12; i++) {
            const value: Value = guess(
              (i % 2 === 0 ? fixed : schema) as Schema,
              (i % 2 === 0 ? fixed : schema) as Schema,
              random,
            )
            const [was, is] = [before(value), after(value)]
            const shown = JSON.stringify({ schema, fixed, value, changes })
            if (is && !was) expect(says(changes, 'looser'), shown).toBe(true)
            if (was && !is) expect(says(changes, 'narrower'), shown).toBe(true)
            if (is || was) tried++
          }
        }),
        { seed: SEED, numRuns: RUNS },
      )
      expect(tried).toBeGreaterThan(100)
    },
  )
})

describe('the requests beside the checkout', () => {
  const read = (name: string) => readFile(`../shared/requests/${name}`, 'utf8').catch(() => null)

  it('are fixed for every dialect; what is left is recursion, which Anthropic refuses', async ({ skip }) => {
    for (const name of ['tools.json', 'stamp-tool.json', 'stamp-tool-handwritten.json']) {
      const text = await read(name)
      if (text === null) skip('../shared/requests is not there')
      for (const dialect of DIALECTS) {
        const { tools, left } = fixTools(text, { dialect })
        const recursive = name === 'tools.json' && dialect === 'anthropic-strict'
        expect(
          left.map(({ keyword }) => keyword),
          `${name} ${dialect}`,
        ).toEqual(recursive ? Array(3).fill('$ref') : [])
        expect(errorsOf(tools, dialect)).toEqual(left)
      }
    }
  })
})
