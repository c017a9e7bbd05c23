/** Lint: the rules of the two services as they are written, what our own engine refuses, and what makes models err. */
import { describe, expect, it } from 'vitest'
import {
  type Finding,
  JsonError,
  LimitError,
  type LintDialect,
  lintTools,
  SchemaError,
} from '../../src/index.ts'

const DESCRIPTION = 'Use this when the user asks for it.'
const tool = (parameters: unknown, more: object = {}) => ({
  type: 'function',
  function: { name: 'f', description: DESCRIPTION, strict: true, parameters, ...more },
})
const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
})

const of = (tools: unknown, dialect: LintDialect, severity: Finding['severity'] = 'error') =>
  lintTools(tools, { dialect }).filter((finding) => finding.severity === severity)
/** Pointers within the schema of the only tool, and keywords. */
const errors = (parameters: unknown, dialect: LintDialect) =>
  of(tool(parameters), dialect).map(({ pointer, keyword }) => [
    pointer.replace('#/function/parameters', ''),
    keyword,
  ])
const property = (schema: unknown, dialect: LintDialect) =>
  errors(object({ a: schema }), dialect).map(([pointer, keyword]) => [
    pointer?.replace('/properties/a', ''),
    keyword,
  ])

const ANTHROPIC = 'anthropic-strict'
const OPENAI = 'openai-strict'

describe('what both services want', () => {
  it.each([ANTHROPIC, OPENAI] as const)('%s: passes what keeps to the rules', (dialect) => {
    const schema = object(
      {
        a: { type: 'string', format: 'date', description: 'A.' },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        c: { type: 'array', items: { $ref: '#/$defs/c' }, minItems: 1 },
        d: { const: 1 },
      },
      { $defs: { c: object({ e: { enum: ['x', 'y'] } }) } },
    )
    expect(of(tool(schema), dialect)).toEqual([])
  })

  it.each([ANTHROPIC, OPENAI] as const)('%s: an object for the root', (dialect) => {
    expect(errors({ type: 'string' }, dialect)).toEqual([['', 'type']])
    expect(errors({ ...object({}), anyOf: [object({})] }, dialect)).toContainEqual(['/anyOf', 'anyOf'])
  })

  it.each([ANTHROPIC, OPENAI] as const)('%s: closed objects, everywhere', (dialect) => {
    const open = { type: 'object', properties: { x: { type: 'null' } }, required: ['x'] }
    const deep = object(
      { a: { type: 'array', items: open }, b: { anyOf: [open, { ...open, additionalProperties: true }] } },
      { $defs: { d: { ...open, additionalProperties: { type: 'string' } } } },
    )
    expect(errors(deep, dialect)).toEqual([
      ['/properties/a/items', 'additionalProperties'],
      ['/properties/b/anyOf/0', 'additionalProperties'],
      ['/properties/b/anyOf/1/additionalProperties', 'additionalProperties'],
      ['/$defs/d/additionalProperties', 'additionalProperties'],
    ])
  })

  it.each([ANTHROPIC, OPENAI] as const)('%s: no keyword that it refuses', (dialect) => {
    const keywords = {
      ...{
        not: {},
        if: {},
        else: {},
        oneOf: [{ type: 'null' }],
        dependentRequired: {},
        dependentSchemas: {},
      },
      ...{ contains: {}, dependencies: {}, patternProperties: {}, prefixItems: [], propertyNames: {} },
      ...{
        unevaluatedItems: false,
        unevaluatedProperties: false,
        uniqueItems: true,
        minLength: 1,
        maxLength: 2,
      },
    }
    for (const [keyword, value] of Object.entries(keywords))
      expect(property({ type: 'string', [keyword]: value }, dialect), keyword).toContainEqual([
        `/${keyword}`,
        keyword,
      ])
  })

  it.each([ANTHROPIC, OPENAI] as const)(
    '%s: schemas with a type, formats that it knows, references within',
    (dialect) => {
      expect(property(true, dialect)).toEqual([['', undefined]])
      expect(property({}, dialect)).toEqual([['', 'type']])
      expect(property({ type: 'text' }, dialect)).toEqual([['/type', 'type']])
      expect(property({ type: 'string', format: 'iri' }, dialect)).toEqual([['/format', 'format']])
      expect(property({ type: 'string', format: 'uri' }, dialect)).toEqual(
        dialect === OPENAI ? [['/format', 'format']] : [],
      )
      expect(property({ $ref: 'https://example.com/a.json' }, dialect)).toEqual([['/$ref', '$ref']])
      expect(property({ $ref: '#/$defs/nothing' }, dialect)).toEqual([['/$ref', '$ref']])
    },
  )

  it.each([ANTHROPIC, OPENAI] as const)('%s: takes data for data and not for schemas', (dialect) => {
    const value = { type: 'object', minimum: 1 }
    expect(property({ type: 'string', default: value, examples: [value] }, dialect)).toEqual([])
  })

  it.each([ANTHROPIC, OPENAI] as const)('%s: declares what it requires', (dialect) => {
    expect(errors(object({}, { required: ['x'] }), dialect)).toEqual([['/required', 'required']])
  })

  it.each([ANTHROPIC, OPENAI] as const)(
    '%s: holds no tool against the rules that is not strict',
    (dialect) => {
      const loose = tool({ type: 'object', minProperties: 1 }, { strict: false })
      expect(of(loose, dialect)).toEqual([])
      expect(of(loose, dialect, 'note')).toMatchObject([{ keyword: 'strict' }])
      const schemaKey = dialect === ANTHROPIC ? 'input_schema' : 'parameters'
      const silent = { name: 'f', description: DESCRIPTION, [schemaKey]: object({}) }
      expect(of(silent, dialect, 'warning')).toMatchObject([{ keyword: 'strict', pointer: '#' }])
    },
  )
})

describe('Anthropic', () => {
  it('refuses bounds, and sizes of arrays but minItems 0 and 1', () => {
    for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'])
      expect(property({ type: 'number', [keyword]: 1 }, ANTHROPIC)).toEqual([[`/${keyword}`, keyword]])
    const array = (more: object) => property({ type: 'array', items: { type: 'null' }, ...more }, ANTHROPIC)
    expect(array({ minItems: 0 })).toEqual([])
    expect(array({ minItems: 1 })).toEqual([])
    expect(array({ minItems: 2 })).toEqual([['/minItems', 'minItems']])
    expect(array({ maxItems: 2 })).toEqual([['/maxItems', 'maxItems']])
  })

  it('refuses recursion, be it direct, over several definitions, or of the root', () => {
    const next = (to: string) => object({ next: { anyOf: [{ $ref: to }, { type: 'null' }] } })
    const two = { $defs: { a: next('#/$defs/b'), b: next('#/$defs/a') } }
    expect(errors(object({ x: { $ref: '#/$defs/a' } }, two), ANTHROPIC)).toEqual([
      ['/$defs/b/properties/next/anyOf/0/$ref', '$ref'],
    ])
    expect(errors(next('#'), ANTHROPIC)).toEqual([['/properties/next/anyOf/0/$ref', '$ref']])
    expect(errors(next('#'), OPENAI)).toEqual([])
    const twice = object({ x: { $ref: '#/$defs/a' }, y: { $ref: '#/$defs/a' } }, { $defs: { a: object({}) } })
    expect(errors(twice, ANTHROPIC)).toEqual([])
  })

  it('refuses complex values of enum and const, $ref in allOf, and patterns with assertions', () => {
    expect(property({ enum: ['a', [1]] }, ANTHROPIC)).toEqual([['/enum', 'enum']])
    expect(property({ const: { a: 1 } }, ANTHROPIC)).toEqual([['/const', 'const']])
    expect(
      errors(
        object({ a: { allOf: [{ $ref: '#/$defs/a' }] } }, { $defs: { a: { type: 'null' } } }),
        ANTHROPIC,
      ),
    ).toEqual([['/properties/a/allOf/0', 'allOf']])
    for (const pattern of ['(?=a)', '(?<!a)b', '(a)\\1', '\\bx', '('])
      expect(property({ type: 'string', pattern }, ANTHROPIC), pattern).toEqual([['/pattern', 'pattern']])
    expect(property({ type: 'string', pattern: '^[A-Z]{2}-\\d+(a|b)?$' }, ANTHROPIC)).toEqual([])
  })

  it('sums 20 tools, 24 optional parameters and 16 unions over the request', () => {
    const named = (count: number, schema: object) =>
      Array.from({ length: count }, (_, i) => tool(schema, { name: `t${i}` }))
    const limits = (tools: unknown) =>
      of(tools, ANTHROPIC).map(({ pointer, why }) => [pointer, why.split(' ', 3).join(' ')])
    expect(limits(named(20, object({})))).toEqual([])
    expect(limits(named(21, object({})))).toEqual([['#', '21 strict tools']])
    expect(limits([...named(20, object({})), tool({}, { name: 'loose', strict: false })])).toEqual([])
    const optional = {
      ...object({ a: object({ b: { type: 'null' } }, { required: [] }), c: { type: 'null' } }),
      required: ['a'],
    }
    expect(limits(named(12, optional))).toEqual([])
    expect(limits(named(13, optional))).toEqual([['#', '26 optional parameters']])
    const union = object({ a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'null' }] } })
    expect(limits(named(8, union))).toEqual([])
    expect(limits(named(9, union))).toEqual([['#', '18 parameters of']])
  })

  it('wants input_schema', () => {
    expect(of({ name: 'f', type: 'custom', strict: true }, ANTHROPIC)).toMatchObject([
      { keyword: 'input_schema', pointer: '#/input_schema' },
    ])
  })
})

describe('OpenAI', () => {
  it('wants every property required, and nothing beside a reference', () => {
    expect(errors({ ...object({ a: { type: 'null' } }), required: [] }, OPENAI)).toEqual([
      ['/properties/a', 'required'],
    ])
    const beside = object({ a: { $ref: '#/$defs/a', description: 'A.' } }, { $defs: { a: { type: 'null' } } })
    expect(errors(beside, OPENAI)).toEqual([['/properties/a/$ref', '$ref']])
    expect(errors(beside, ANTHROPIC)).toEqual([])
  })

  it('takes bounds of numbers and arrays, refuses allOf and arrays without items', () => {
    expect(property({ type: 'number', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 }, OPENAI)).toEqual([])
    expect(property({ type: 'array', items: { type: 'null' }, minItems: 3, maxItems: 9 }, OPENAI)).toEqual([])
    expect(property({ allOf: [{ type: 'null' }] }, OPENAI)).toEqual([['/allOf', 'allOf']])
    expect(property({ type: 'array' }, OPENAI)).toEqual([['', 'items']])
  })

  it('takes 5,000 properties, 1,000 values of enum and 120,000 characters', () => {
    const why = (schema: object) => of(tool(schema), OPENAI).map((finding) => finding.why)
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'null' }]))
    expect(why(object(many(5_000)))).toEqual([])
    expect(why(object(many(5_001)))).toEqual([expect.stringMatching(/^5001 properties/)])
    const values = (count: number, width: number) =>
      object({ a: { enum: Array.from({ length: count }, (_, i) => String(i).padStart(width, '0')) } })
    expect(why(values(1_000, 4))).toEqual([])
    expect(why(values(1_001, 4))).toEqual([expect.stringMatching(/^1001 values of enum/)])
    expect(why(values(250, 400))).toEqual([])
    expect(why(values(251, 60))).toEqual([expect.stringMatching(/^15060 characters in an enum of 251/)])
    expect(why(object({ a: { const: 'x'.repeat(119_999) } }))).toEqual([])
    expect(why(object({ a: { const: 'x'.repeat(120_000) } }))).toEqual([
      expect.stringMatching(/^120001 characters/),
    ])
  })

  it('takes 10 levels of objects, along references too', () => {
    const levels = (count: number): object => (count === 1 ? object({}) : object({ a: levels(count - 1) }))
    expect(errors(levels(10), OPENAI)).toEqual([])
    expect(errors(levels(11), OPENAI)).toEqual([['', undefined]])
    const referred = object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: levels(10) } })
    expect(errors(referred, OPENAI)).toEqual([['', undefined]])
  })
})

describe('our own engine', () => {
  it('says every refusal with its pointer, and what the report says as notes', () => {
    const findings = lintTools([
      tool(
        object({
          a: { type: 'string', pattern: '(a)\\1', 'x-unit': 1 },
          b: { type: 'string', pattern: '(b)\\1' },
        }),
      ),
    ])
    expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
      { pointer: '#/0/function/parameters/properties/a/pattern', keyword: 'pattern', tool: 'f' },
      { pointer: '#/0/function/parameters/properties/b/pattern', keyword: 'pattern' },
    ])
    const notes = of(tool(object({ a: { type: 'string', 'x-unit': 1 } })), 'json-schema', 'note')
    expect(notes).toContainEqual(expect.objectContaining({ keyword: 'x-unit', tool: 'f' }))
    expect(of(tool(object({ a: { enum: [] } })), 'json-schema')).not.toEqual([])
    expect(errors({ type: 'array' }, 'json-schema')).toEqual([['/type', 'type']])
  })

  it('says once for all tools what hangs on none', () => {
    const notes = of(
      [tool(object({}), { name: 'a' }), tool(object({}), { name: 'b' })],
      'json-schema',
      'note',
    )
    expect(new Set(notes.map(({ why }) => why)).size).toBe(notes.length)
  })
})

describe('definitions', () => {
  it('are read in four shapes', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } }
    for (const [shape, pointer] of [
      [tool(schema), '#/function/parameters/additionalProperties'],
      [[tool(schema)], '#/0/function/parameters/additionalProperties'],
      [
        { type: 'function', name: 'f', strict: true, parameters: schema },
        '#/parameters/additionalProperties',
      ],
      [[{ name: 'f', strict: true, input_schema: schema }], '#/0/input_schema/additionalProperties'],
    ] as const) {
      for (const input of [shape, JSON.stringify(shape)])
        expect(of(input, ANTHROPIC).map((finding) => finding.pointer)).toEqual([pointer])
    }
  })

  it('are wrong without a name, with one that is refused, with one that is taken', () => {
    const keywords = (tools: unknown) =>
      of(tools, 'json-schema').map(({ pointer, keyword }) => [pointer, keyword])
    expect(keywords({ input_schema: object({}) })).toEqual([['#/name', 'name']])
    expect(keywords({ name: 'get weather', input_schema: object({}) })).toEqual([['#/name', 'name']])
    expect(keywords([tool(object({})), tool(object({}))])).toEqual([['#/1/function/name', 'name']])
    expect(keywords({ name: 'a', description: 7, parameters: [] })).toEqual([
      ['#/description', 'description'],
      ['#/parameters', 'parameters'],
    ])
  })

  it('in the shape of the other service are a warning that says what to write', () => {
    const anthropic = [{ name: 'f', description: DESCRIPTION, strict: true, input_schema: object({}) }]
    const flat = {
      type: 'function',
      name: 'g',
      description: DESCRIPTION,
      strict: true,
      parameters: object({}),
    }
    const shapes = (tools: unknown, dialect: LintDialect) =>
      of(tools, dialect, 'warning').filter(({ why }) => why.startsWith('in the shape'))
    for (const tools of [
      anthropic,
      { name: 'f', input_schema: object({}), description: DESCRIPTION, strict: true },
    ])
      expect(shapes(tools, ANTHROPIC)).toEqual([])
    for (const tools of [tool(object({})), flat]) expect(shapes(tools, OPENAI)).toEqual([])
    for (const tools of [anthropic, flat, tool(object({}))]) expect(shapes(tools, 'json-schema')).toEqual([])
    expect(shapes([tool(object({})), ...anthropic], OPENAI)).toMatchObject([
      {
        pointer: '#/1',
        keyword: 'input_schema',
        why: "in the shape of Anthropic's tools, which OpenAI does not read: f",
        instead: expect.stringContaining('write {"type": "function", "function": {"name": …'),
      },
    ])
    expect(shapes([tool(object({})), flat], ANTHROPIC)).toMatchObject([
      {
        pointer: '#/0/function',
        keyword: 'parameters',
        why: "in the shape of OpenAI's tools, which Anthropic does not read: f, g",
        instead: expect.stringContaining('"input_schema": {…}}'),
      },
    ])
    const mcp = { name: 'm', description: DESCRIPTION, strict: true, inputSchema: object({}) }
    expect(shapes([mcp, ...anthropic], OPENAI).map(({ pointer, why }) => [pointer, why])).toEqual([
      ['#/1', "in the shape of Anthropic's tools, which OpenAI does not read: f"],
      ['#/0', "in the shape of the Model Context Protocol's tools, which OpenAI does not read: m"],
    ])
    expect(errors({ ...object({}), minProperties: 1 }, OPENAI)).toEqual(
      of({ ...mcp, inputSchema: { ...object({}), minProperties: 1 } }, OPENAI).map(({ pointer, keyword }) => [
        pointer.replace('#/inputSchema', ''),
        keyword,
      ]),
    )
    // What is neither's shape, or no tool of ours, is told of otherwise.
    expect(shapes([{ name: 'f', description: DESCRIPTION, strict: true }], OPENAI)).toEqual([])
  })

  it('of tools that the service brings have nothing to look at', () => {
    const hosted = [{ type: 'web_search_20250305', name: 'web_search' }, { type: 'code_interpreter' }]
    for (const dialect of [ANTHROPIC, OPENAI, 'json-schema'] as const) {
      expect(lintTools(hosted, { dialect }).map(({ severity }) => severity)).toEqual(['note', 'note'])
    }
  })

  it('that are none are errors that say so', () => {
    expect(() => lintTools('[1]')).toThrow(SchemaError)
    expect(() => lintTools('{"function": 3}')).toThrow(/"function" must be an object/)
    expect(() => lintTools('{')).toThrow(JsonError)
    expect(() => lintTools([], { dialect: 'gemini' as LintDialect })).toThrow(/unknown dialect "gemini"/)
    expect(() => lintTools([], { strict: true } as object)).toThrow(TypeError)
    expect(lintTools([])).toEqual([])
  })

  it('beyond the limits are a LimitError, whatever they hold', () => {
    const deep = `${'{"items":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    expect(() => lintTools(`{"name": "f", "parameters": ${deep}}`)).toThrow(LimitError)
    let shared: object = { type: 'object' }
    for (let i = 0; i < 100; i++) shared = { a: shared, b: shared }
    expect(() => lintTools(tool({ ...object({}), default: shared }))).toThrow(LimitError)
    expect(() => lintTools(Array(1_001).fill(tool(object({}))))).toThrow(LimitError)
    const long = {
      $defs: Object.fromEntries(
        Array.from({ length: 20_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
      ),
    }
    expect(of(tool(object({ a: { $ref: '#/$defs/d0' } }, long)), ANTHROPIC)).toMatchObject([
      { keyword: '$ref' },
    ])
  })
})
