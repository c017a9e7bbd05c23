import { describe, expect, it } from 'vitest'
import { JsonError, SchemaError } from '../../src/errors.ts'
import { printJson } from '../../src/json/print.ts'
import { readJson } from '../../src/json/read.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { readTools, toolValue } from '../../src/tools/definitions.ts'
import { describeProperties } from '../../src/tools/describe.ts'

const tool = (name: unknown, parameters?: unknown) => ({ type: 'function', function: { name, parameters } })
const text = (value: unknown) => JSON.stringify(value)

describe('readTools', () => {
  it('reads one tool, a list, the flat shape, JSON text and values', () => {
    const parameters = { type: 'object', properties: {} }
    const flat = { type: 'function', name: 'f', description: 'd', parameters }
    const nested = { type: 'function', function: { name: 'f', description: 'd', parameters } }
    for (const input of [flat, nested, [flat], [nested], text(flat), text([nested])]) {
      const [only, ...rest] = readTools(input)
      expect(rest).toEqual([])
      expect(only).toMatchObject({ name: 'f', description: 'd' })
      expect(printJson(only!.parameters)).toBe(text(parameters))
    }
  })

  it("reads Anthropic's shape, and whether a tool is strict in all of them", () => {
    const schema = { type: 'object', properties: {} }
    const shapes = (strict: unknown) => [
      { name: 'f', description: 'd', input_schema: schema, strict },
      { type: 'custom', name: 'f', description: 'd', input_schema: schema, strict },
      { name: 'f', description: 'd', inputSchema: schema, strict },
      { type: 'function', name: 'f', description: 'd', parameters: schema, strict },
      { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict } },
    ]
    for (const strict of [true, false, null]) {
      for (const shape of shapes(strict)) {
        const [only] = readTools([shape])
        expect(only).toMatchObject({ name: 'f', description: 'd', strict: strict !== false })
        expect(printJson(only!.parameters)).toBe(text(schema))
      }
    }
    expect(readTools({ name: 'f', input_schema: schema })[0]).toMatchObject({
      strict: true,
      pointer: '#/input_schema',
    })
  })

  it('keeps the order and the digits of a schema that comes as text', () => {
    const parameters =
      '{"type":"object","properties":{"10":{"maximum":9007199254740993},"2":{},"__proto__":{}}}'
    const [only] = readTools(`{"type": "function", "function": {"name": "f", "parameters": ${parameters}}}`)
    expect(printJson(only!.parameters)).toBe(parameters)
    expect(printJson(toolValue(only!))).toContain(parameters)
  })

  it('takes a tool without parameters for one without arguments, and adds the type that arguments have', () => {
    const read = (parameters: string) => printJson(readTools(`{"name": "f"${parameters}}`)[0]!.parameters)
    expect(read('')).toBe('{"type":"object","properties":{},"additionalProperties":false}')
    expect(read(', "parameters": true')).toBe('{"type":"object"}')
    expect(read(', "parameters": {"properties": {}}')).toBe('{"properties":{},"type":"object"}')
  })

  it('says which tool is wrong, and where', () => {
    const cases: [unknown, RegExp, string][] = [
      [[tool('a'), tool('b'), tool('a')], /"a" is defined twice \(first at #\/0/, '#/2/function/parameters'],
      [tool('get weather'), /"get weather" cannot be used/, '#/function/name'],
      [[tool('a.b')], /"a\.b" cannot be used/, '#/0/function/name'],
      [tool(''), /1 to 64/, '#/function/name'],
      [tool('x'.repeat(65)), /1 to 64/, '#/function/name'],
      [tool(undefined), /needs a "name"/, '#/function/name'],
      [[1], /must be an object/, '#/0'],
      [{ type: 'retrieval' }, /must be "function"/, '#/type'],
      [{ type: 'function', function: [] }, /must be an object/, '#/function'],
      [
        tool('a', { type: 'array' }),
        /"a": the parameters must have the type "object"/,
        '#/function/parameters/type',
      ],
      [tool('a', false), /"a": the parameters must be a JSON Schema/, '#/function/parameters'],
      [{ type: 'custom', name: 'a' }, /must be "function", not "custom"/, '#/type'],
      [{ type: 'web_search_20260209', name: 'a' }, /not "web_search_20260209"/, '#/type'],
      [{ name: 'a', strict: 'yes' }, /"a": strict must be true or false/, '#/strict'],
      [{ name: 'a', parameters: {}, input_schema: {} }, /"a": give its schema as/, '#/input_schema'],
      [
        { name: 'a', input_schema: { type: 'string' } },
        /"a": the parameters must have the type "object"/,
        '#/input_schema/type',
      ],
      [{ name: 'a', description: 5 }, /"a": the description/, '#/description'],
    ]
    for (const [input, message, pointer] of cases) {
      const given = text(input)
      expect(() => readTools(given), given).toThrow(SchemaError)
      expect(() => readTools(given), given).toThrow(message)
      expect(() => readTools(given), given).toThrow(expect.objectContaining({ pointer }))
    }
    expect(() => readTools('[{"name": ]')).toThrow(JsonError)
  })
})

describe('describeProperties', () => {
  it('says in few words what each argument is', () => {
    const schema = readJson(`{
      "type": "object", "required": ["a", "b"],
      "$defs": {"p": {"type": "object", "properties": {"x": {"type": "number"}}}, "loop": {"$ref": "#/$defs/loop"}},
      "properties": {
        "a": {"type": "integer", "minimum": 0, "description": "How many."},
        "b": {"enum": ["red", null]},
        "c": {"anyOf": [{"type": "string", "pattern": "^a$"}, {"type": "null"}]},
        "d": {"type": "array", "items": {"$ref": "#/$defs/p"}},
        "e": {"type": ["string", "null"], "maxLength": 4},
        "f": {"type": "string", "format": "date"},
        "g": true, "h": {"const": 1}, "i": {"$ref": "#/$defs/loop"}, "j": {"$ref": "#/nowhere"}
      }}`) as JsonObject
    expect(describeProperties(schema)).toEqual([
      'a (integer from 0): How many.',
      'b ("red" or null)',
      'c (string like ^a$ or null, optional)',
      'd (list of {"x": number}, optional)',
      'e (string of at most 4 characters or null, optional)',
      'f (date, optional)',
      'g (any value, optional)',
      'h (1, optional)',
      'i (value, optional)',
      'j (value, optional)',
    ])
  })

  it('stays short on a schema that branches without end', () => {
    const wide = Array.from({ length: 30 }, () => '{"$ref": "#/$defs/a"}').join()
    const schema = readJson(
      `{"$defs": {"a": {"type": "object", "properties": {"x": {"anyOf": [${wide}]}}}}, "properties": {"p": {"$ref": "#/$defs/a"}}}`,
    )
    expect(describeProperties(schema as JsonObject).join().length).toBeLessThan(10_000)
  })
})

describe('several tools that are wrong', () => {
  it('are told together, each with its place', () => {
    const given = [
      { name: 'fine' },
      { name: 'a b' },
      { name: 'no', parameters: { type: 'array' } },
      { name: 'fine' },
    ]
    let error: unknown
    try {
      readTools(given)
    } catch (thrown) {
      error = thrown
    }
    expect((error as SchemaError).errors.map(({ pointer }) => pointer)).toEqual([
      '#/1/name',
      '#/2/parameters/type',
      '#/3/parameters',
    ])
    expect(() => readTools(undefined)).toThrow(/tools are missing/)
    expect(readTools([{ name: 'f', parameters: { type: ['object'] } }])).toHaveLength(1)
  })
})
