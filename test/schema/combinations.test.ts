/** Keywords together: schema, what it accepts, what it refuses. */
import { describe, expect, test } from 'vitest'
import { compileSchema } from './compile.ts'

interface Case {
  readonly title: string
  readonly schema: string
  readonly accept: readonly string[]
  readonly refuse: readonly string[]
}

const draft = (name: string, rest: string): string => `{"$schema": "${name}", ${rest}}`
const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

const CASES: readonly Case[] = [
  {
    title: 'an empty schema allows every value',
    schema: '{}',
    accept: ['null', 'true', '1.5', '"a"', '[1, [2]]', '{"a": {"b": []}}'],
    refuse: [],
  },
  {
    title: 'a list of types, integer and number',
    schema: '{"type": ["integer", "null"]}',
    accept: ['1', 'null', '1.0', '9007199254740993'],
    refuse: ['1.5', '"1"', 'true'],
  },
  {
    title: '1.0 is no integer in draft 4',
    schema: draft(DRAFT_4, '"type": "integer"'),
    accept: ['1', '-3'],
    refuse: ['1.0', '1e2'],
  },
  {
    title: 'bounds beyond the precision of doubles',
    schema: '{"type": "integer", "minimum": 9007199254740993}',
    accept: ['9007199254740993'],
    refuse: ['9007199254740992'],
  },
  {
    title: 'keywords of one type leave the other types alone',
    schema: '{"minLength": 2, "minimum": 3, "required": ["a"], "minItems": 1}',
    accept: ['"ab"', '3', '{"a": 1}', '[0]', 'null', 'true'],
    refuse: ['"a"', '2', '{}', '[]'],
  },
  {
    title: 'enum beside type, by value',
    schema: '{"type": ["integer", "string"], "enum": [1.0, 2.5, "a", null, true]}',
    accept: ['1', '1.0', '"a"'],
    refuse: ['2.5', 'null', 'true', '"b"'],
  },
  {
    title: 'enum of containers beside properties and items',
    schema: `{"enum": [{"a": 1}, {"a": "x"}, [1, 2], [1, "x"]],
      "properties": {"a": {"type": "integer"}}, "items": {"type": "integer"}}`,
    accept: ['{"a": 1}', '{"a": 1.0}', '[1, 2]'],
    refuse: ['{"a": "x"}', '[1, "x"]', '{"a": 1, "b": 1}', '[1]'],
  },
  {
    title: 'enum beside length and minimum',
    schema: '{"enum": ["a", "abc", "𝄞𝄞", 1, 5], "minLength": 2, "maxLength": 2, "minimum": 2}',
    accept: ['"𝄞𝄞"', '5'],
    refuse: ['"a"', '"abc"', '1'],
  },
  {
    title: 'const of every type',
    schema: '{"anyOf": [{"const": null}, {"const": false}, {"const": {"b": [1.0]}}]}',
    accept: ['null', 'false', '{"b": [1]}'],
    refuse: ['true', '{"b": []}', '{}'],
  },
  {
    title: '$ref beside siblings is a conjunction without $schema',
    schema: '{"$defs": {"a": {"type": "integer"}}, "$ref": "#/$defs/a", "minimum": 3}',
    accept: ['3'],
    refuse: ['2', '3.5', '"a"'],
  },
  {
    title: '$ref beside siblings is alone in draft 7',
    schema: draft(
      DRAFT_7,
      '"properties": {"x": {"$ref": "#/definitions/a", "minimum": 3}}, "definitions": {"a": {"type": "integer"}}',
    ),
    accept: ['{"x": 2}'],
    refuse: ['{"x": "a"}'],
  },
  {
    title: 'required names without a declaration take the additional value',
    schema:
      '{"type": "object", "required": ["b"], "properties": {"a": {}}, "additionalProperties": {"type": "integer"}}',
    accept: ['{"b": 1}', '{"a": "x", "b": 1, "c": 2}'],
    refuse: ['{"b": "x"}', '{"a": 1}', '{"b": 1, "c": "x"}'],
  },
  {
    title: 'allOf of closed objects',
    schema: `{"allOf": [
      {"properties": {"a": {"type": "integer"}, "b": {}}, "additionalProperties": false},
      {"properties": {"a": {"minimum": 1}, "c": {}}}]}`,
    accept: ['{"a": 1}', '{"b": null}', '{}', '3'],
    refuse: ['{"a": 0}', '{"c": 1}', '{"a": "x"}'],
  },
  {
    title: 'a property that nothing satisfies is no additional one either',
    schema: '{"type": "object", "properties": {"a": false, "b": {"type": "string", "enum": [1]}}}',
    accept: ['{}', '{"c": 1}'],
    refuse: ['{"a": 1}', '{"b": 1}', '{"b": "x"}'],
  },
  {
    title: 'anyOf beside properties and required',
    schema: `{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
      "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`,
    accept: ['{"a": 1}', '{"b": ""}', '{"a": 1, "b": ""}'],
    refuse: ['{}', '{"a": ""}', '{"a": 1, "b": 1}'],
  },
  {
    title: 'oneOf of branches told apart by a constant',
    schema: `{"oneOf": [
      {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind"]},
      {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind", "y"]}]}`,
    accept: ['{"kind": "a"}', '{"kind": "b", "y": 1}', '{"kind": "a", "x": 1}'],
    refuse: ['{"kind": "b"}', '{"kind": "a", "x": ""}', '{}', '3'],
  },
  {
    title: 'oneOf of numbers that overlap',
    schema: '{"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2, "maximum": 4}]}',
    accept: ['1', '2.5', '5', '3.999'],
    refuse: ['2', '1.5', '3.0', '4.5'],
  },
  {
    title: 'oneOf of branches that require one name each',
    schema: '{"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}',
    accept: ['{"a": 1}', '{"b": 1}'],
    refuse: ['{"a": 1, "b": 1}', '{}'],
  },
  {
    title: 'not of types and values',
    schema: '{"not": {"anyOf": [{"type": ["string", "object"]}, {"enum": [1, [2], null]}]}}',
    accept: ['2', 'true', '[]', '[3]', '[2, 2]'],
    refuse: ['"a"', '{}', '1', '1.0', 'null', '[2]'],
  },
  {
    title: 'if, then and else',
    schema: `{"type": "object", "properties": {"t": {"enum": ["a", "b"]}}, "required": ["t"],
      "if": {"properties": {"t": {"const": "a"}}}, "then": {"required": ["x"]}, "else": {"properties": {"x": false}}}`,
    accept: ['{"t": "a", "x": 1}', '{"t": "b"}'],
    refuse: ['{"t": "a"}', '{"t": "b", "x": 1}', '{"x": 1}'],
  },
  {
    title: 'a property that brings others with it',
    schema: `{"type": "object", "dependentRequired": {"a": ["b"]},
      "dependencies": {"c": {"properties": {"a": {"type": "integer"}}}, "d": ["e"]}}`,
    accept: ['{}', '{"a": 1, "b": 1}', '{"a": "x", "b": 1}', '{"c": 1, "a": 1, "b": 1}', '{"d": 1, "e": 1}'],
    refuse: ['{"a": 1}', '{"c": 1, "a": "x", "b": 1}', '{"d": 1}'],
  },
  {
    title: 'prefixItems and items',
    schema:
      '{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}, "minItems": 1, "maxItems": 3}',
    accept: ['["a"]', '["a", 1]', '["a", 1, null]'],
    refuse: ['[]', '[1]', '["a", 1, 2]', '["a", 1, null, null]', '["a", "b"]'],
  },
  {
    title: 'the older spelling of positions',
    schema: '{"type": "array", "items": [{"type": "string"}], "additionalItems": false, "minItems": 1.0}',
    accept: ['["a"]'],
    refuse: ['[]', '["a", 1]', '[1]'],
  },
  {
    title: 'an array ends where no item can stand',
    schema: '{"type": "array", "prefixItems": [{}, {"type": "string", "maxLength": 2, "pattern": "^...$"}]}',
    accept: ['[]', '[1]'],
    refuse: ['[1, "abc"]', '[1, 2]'],
  },
  {
    title: 'the boolean bounds of draft 4',
    schema:
      '{"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": false}',
    accept: ['1.1', '2'],
    refuse: ['1', '2.1'],
  },
  {
    title: 'the numeric bounds of draft 6',
    schema: draft(
      DRAFT_2020,
      '"type": "number", "minimum": 1, "exclusiveMinimum": 0.5, "exclusiveMaximum": 2',
    ),
    accept: ['1', '1.999'],
    refuse: ['0.7', '2'],
  },
  {
    title: 'pattern, length and format together',
    schema: '{"type": "string", "pattern": "^2", "minLength": 10, "format": "date"}',
    accept: ['"2024-02-29"'],
    refuse: ['"1999-01-01"', '"2023-02-29"', '"2"'],
  },
  {
    title: 'a pattern is searched for',
    schema: '{"type": "string", "pattern": "b+"}',
    accept: ['"abc"', '"b"'],
    refuse: ['"ac"', '""'],
  },
  {
    title: 'recursion through $ref',
    schema:
      '{"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#"}}, "required": ["v"], "additionalProperties": false}',
    accept: ['{"v": 1}', '{"v": 1, "next": {"v": 2, "next": {"v": 3}}}'],
    refuse: ['{"v": 1, "next": {}}', '{"next": {"v": 1}}'],
  },
  {
    title: 'recursion that needs itself without end is never offered',
    schema: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/loop"}},
      "$defs": {"loop": {"type": "object", "required": ["x"], "properties": {"x": {"$ref": "#/$defs/loop"}}}}}`,
    accept: ['{}', '{"b": 1}'],
    refuse: ['{"a": {"x": {}}}', '{"a": {}}'],
  },
  {
    title: 'a reference back inside anyOf adds no alternative',
    schema: '{"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}}}',
    accept: ['1'],
    refuse: ['"a"'],
  },
  {
    title: 'pointers with escapes, anchors, and names that JavaScript knows',
    schema: `{"properties": {"p": {"$ref": "#/$defs/a~1b%25~0"}, "q": {"$ref": "#here"}, "__proto__": {"type": "null"}, "constructor": {"type": "null"}},
      "$defs": {"a/b%~": {"type": "integer"}, "c": {"$anchor": "here", "type": "string"}}, "type": "object"}`,
    accept: ['{"p": 1, "q": "x", "__proto__": null}', '{"constructor": null}'],
    refuse: ['{"p": "x"}', '{"q": 1}', '{"__proto__": 1}', '{"constructor": 1}'],
  },
  {
    title: 'a document that names itself, and embedded documents',
    schema: `{"$id": "https://example.com/root.json", "properties": {"a": {"$ref": "root.json#/$defs/n"}, "b": {"$ref": "item.json"}},
      "$defs": {"n": {"type": "integer"}, "m": {"$id": "item.json", "$ref": "#/$defs/s", "$defs": {"s": {"type": "string"}}}}}`,
    accept: ['{"a": 1, "b": "x"}'],
    refuse: ['{"a": "x"}', '{"b": 1}'],
  },
  {
    title: 'forms that impose nothing',
    schema: `{"uniqueItems": false, "minProperties": 0, "minContains": 3, "patternProperties": {}, "propertyNames": true,
      "dependentRequired": {}, "contains": {"type": "string"}, "type": "string", "unevaluatedProperties": true}`,
    accept: ['"a"'],
    refuse: ['1'],
  },
  {
    title: 'counts of properties that the declarations decide',
    schema:
      '{"type": "object", "properties": {"a": {}, "b": {}}, "additionalProperties": false, "minProperties": 2, "maxProperties": 2}',
    accept: ['{"a": 1, "b": 1}'],
    refuse: ['{"a": 1}', '{}'],
  },
  {
    title: 'property names from a list',
    schema:
      '{"type": "object", "propertyNames": {"enum": ["a", "b"]}, "properties": {"c": {}, "a": {"type": "integer"}}}',
    accept: ['{}', '{"a": 1, "b": "x"}'],
    refuse: ['{"c": 1}', '{"a": "x"}', '{"d": 1}'],
  },
  {
    title: 'a few multiples',
    schema: '{"type": "integer", "minimum": 0, "maximum": 1, "multipleOf": 0.5}',
    accept: ['0', '1'],
    refuse: ['0.5', '2'],
  },
  {
    title: 'multiples within bounds',
    schema: '{"multipleOf": 0.01, "minimum": 0.005, "exclusiveMaximum": 0.04}',
    accept: ['0.01', '0.02', '0.03', '"x"'],
    refuse: ['0.04', '0.015', '0'],
  },
]

describe('keywords together', () => {
  test.each(CASES)('$title', ({ schema, accept, refuse }) => {
    const { accepts } = compileSchema(schema)
    expect(accept.filter((text) => !accepts(text))).toEqual([])
    expect(refuse.filter((text) => accepts(text))).toEqual([])
  })
})
