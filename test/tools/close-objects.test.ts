/** What is closed is narrower, and still has values. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compile } from '../../src/core.ts'
import { fromJs } from '../../src/json/from-js.ts'
import { printJson } from '../../src/json/print.ts'
import { closeObjects } from '../../src/tools/close-objects.ts'
import { readTools } from '../../src/tools/definitions.ts'
import { byteVocabulary } from '../../src/vocab/byte-vocabulary.ts'

const OBJECT = { type: 'object', properties: { a: { type: 'string' } } }
const CLOSED = { ...OBJECT, additionalProperties: false }

function closed(schema: unknown): unknown {
  return JSON.parse(printJson(closeObjects(fromJs(schema))))
}

describe('closeObjects', () => {
  it('closes objects wherever parts of a value are described, and alternatives that stand alone', () => {
    for (const around of [
      (one: object) => one,
      (one: object) => ({ type: 'object', properties: { b: one }, additionalProperties: false }),
      (one: object) => ({ type: 'object', additionalProperties: one }),
      (one: object) => ({ type: 'object', patternProperties: { '^x': one } }),
      (one: object) => ({ type: 'array', items: one, prefixItems: [one] }),
      (one: object) => ({ anyOf: [one, { type: 'null' }] }),
      (one: object) => ({ $defs: { d: one }, oneOf: [{ $ref: '#/$defs/d' }, { type: 'null' }] }),
    ])
      expect(closed(around(OBJECT))).toEqual(around(CLOSED))
  })

  it('leaves objects that share their value with others, also by reference, and data', () => {
    for (const schema of [
      { type: 'object', allOf: [OBJECT, { properties: { b: OBJECT } }] },
      { $defs: { d: OBJECT }, allOf: [{ $ref: '#/$defs/d' }, { anyOf: [OBJECT, { $ref: '#/$defs/d' }] }] },
      { ...OBJECT, anyOf: [{ properties: { b: {} } }, { properties: { c: {} } }] },
      { ...OBJECT, if: OBJECT, else: OBJECT },
      { not: OBJECT },
      { ...OBJECT, patternProperties: {} },
      { const: OBJECT, enum: [OBJECT], default: OBJECT },
    ])
      expect(closed(schema)).toEqual(schema)
  })

  it('leaves values to a validator that joins objects which have names, and closes those in maps', () => {
    const a = z.object({ a: z.string() }).meta({ id: 'A' })
    const b = z.object({ b: z.string() }).meta({ id: 'B' })
    const parameters = z.object({ map: z.record(z.string(), a), both: z.intersection(a, b) })
    const [tool] = readTools({ name: 'f', parameters })
    const grammar = compile(tool!.parameters, byteVocabulary())
    expect(grammar.matcher().shortestCompletion().text).toBe('{"map":{},"both":{"a":"","b":""}}')
    const maps = z.object({ map: z.record(z.string(), z.object({ a: z.string() })) })
    const [other] = readTools({ name: 'f', parameters: maps })
    expect(JSON.parse(printJson(other!.parameters)).properties.map.additionalProperties).toMatchObject({
      additionalProperties: false,
    })
  })
})
