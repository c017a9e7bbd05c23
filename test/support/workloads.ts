/**
 * What the work of the engine is counted on: schemas that between them ask for each of its parts, and texts that they
 * accept, spaced as the option `whitespace: 'model'` has it.
 */

export interface Workload {
  readonly name: string
  readonly schema: unknown
  readonly texts: readonly string[]
  readonly anyOrder?: boolean
}

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const PERSON = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    active: { type: 'boolean' },
    notes: { type: ['string', 'null'], maxLength: 200 },
  },
  required: ['name', 'age'],
  additionalProperties: false,
}

const NAMES = list(300, (i) => `${['user', 'order', 'item', 'page'][i % 4]}_${(i * 7919) % 1000}_${i}`)

const CONDITION = Object.fromEntries([
  ['if', { properties: { kind: { const: 'a' } } }],
  ['then', { required: ['x'] }],
  ['else', { required: ['y'] }],
])

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'a closed object',
    schema: PERSON,
    texts: [
      '{"name": "Ada Lovelace", "age": 36, "active": true, "notes": null}',
      '{"name":"é 語 \\n","age":7}',
    ],
  },
  {
    name: 'a closed object in any order',
    schema: PERSON,
    anyOrder: true,
    texts: ['{"active": false, "age": 150, "notes": "two \\"words\\"", "name": "x"}'],
  },
  {
    name: 'an open object',
    schema: { type: 'object', properties: { id: { type: 'integer' }, identity: { type: 'string' } } },
    texts: ['{"id": 5, "identity": "a", "identification": [1, {"b": "c"}], "other": null}'],
  },
  {
    name: 'a map of numbers',
    schema: { type: 'object', additionalProperties: { type: 'number' }, minProperties: 2 },
    texts: ['{"first": 1.5, "second": -20, "third": 0.001}'],
  },
  {
    name: '300 properties',
    schema: {
      type: 'object',
      properties: Object.fromEntries(NAMES.map((name) => [name, { type: 'integer' }])),
      additionalProperties: false,
    },
    anyOrder: true,
    texts: [`{${[7, 250, 31, 118].map((i) => `"${NAMES[i]}": ${i}`).join(', ')}}`],
  },
  {
    name: 'an enum of 300 strings',
    schema: { type: 'array', items: { enum: NAMES } },
    texts: [`[${[7, 250, 31].map((i) => `"${NAMES[i]}"`).join(', ')}]`],
  },
  {
    name: 'values of all kinds in an enum',
    schema: { type: 'array', items: { enum: ['one', 2, null, true, { three: [3] }, [4, 'four']] } },
    texts: ['["one", 2, null, true, {"three": [3]}, [4, "four"]]'],
  },
  {
    name: 'patterns',
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', pattern: '^(/[^/]+)+$' },
        code: { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4,6}$' },
        words: { type: 'string', pattern: '^\\w+( \\w+)*$', maxLength: 60 },
        found: { type: 'string', pattern: 'needle' },
      },
      additionalProperties: false,
    },
    texts: [
      '{"path": "/usr/lib/x", "code": "ABC-12345", "words": "some words of it", "found": "a needle here"}',
    ],
  },
  {
    name: 'names of patterns',
    schema: {
      type: 'object',
      patternProperties: { '^x-': { type: 'string' }, '^[0-9]+$': { type: 'integer' } },
      additionalProperties: false,
    },
    texts: ['{"x-first": "a", "12": 12, "x-second": "b"}'],
  },
  {
    name: 'formats',
    schema: {
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time' },
        on: { type: 'string', format: 'date' },
        by: { type: 'string', format: 'email' },
        id: { type: 'string', format: 'uuid' },
        see: { type: 'string', format: 'uri' },
        host: { type: 'string', format: 'ipv4' },
      },
      additionalProperties: false,
    },
    texts: [
      '{"at": "2027-03-14T15:09:26Z", "on": "2027-03-14", "by": "ada@example.org", "id": "123e4567-e89b-12d3-a456-426614174000", "see": "https://example.org/a?b=c#d", "host": "192.168.0.1"}',
    ],
  },
  {
    name: 'numbers within bounds',
    schema: {
      type: 'array',
      items: {
        anyOf: [
          { type: 'integer', minimum: 100, maximum: 99_999 },
          { type: 'number', exclusiveMinimum: -1.5, maximum: 1.25 },
        ],
      },
    },
    texts: ['[100, 54321, -1.25, 0, 1.2, 777]'],
  },
  {
    name: 'multiples',
    schema: { type: 'array', items: { type: 'number', multipleOf: 0.05, minimum: 0, maximum: 1000 } },
    texts: ['[0.05, 12.35, 999.95, 17]'],
  },
  {
    name: 'strings of limited length',
    schema: { type: 'array', items: { type: 'string', minLength: 3, maxLength: 12 } },
    texts: ['["abc", "some words", "é語é", "abcdefghijkl"]'],
  },
  {
    name: 'a union told apart by a name',
    schema: {
      type: 'array',
      items: {
        anyOf: list(12, (i) => ({
          type: 'object',
          properties: {
            kind: { const: `kind_${i}` },
            [`field_${i}`]: { type: 'string' },
            size: { type: 'integer' },
          },
          required: ['kind', `field_${i}`],
          additionalProperties: false,
        })),
      },
    },
    texts: ['[{"kind": "kind_3", "field_3": "text", "size": 4}, {"kind": "kind_11", "field_11": "more"}]'],
  },
  {
    name: 'a union of types',
    schema: {
      type: 'array',
      items: { anyOf: [{ type: 'string', pattern: '^a' }, { type: 'number' }, { type: 'null' }, PERSON] },
    },
    texts: ['["abc", 1.5, null, {"name": "b", "age": 1}, -3]'],
  },
  {
    name: 'conditions',
    schema: {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, x: { type: 'integer' }, y: { type: 'string' } },
      required: ['kind'],
      additionalProperties: false,
      allOf: [CONDITION],
    },
    texts: ['{"kind": "a", "x": 1}', '{"kind": "b", "x": 2, "y": "z"}'],
  },
  {
    name: 'a tree',
    schema: {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: {
            value: { type: 'integer' },
            children: { type: 'array', items: { $ref: '#/$defs/node' } },
          },
          required: ['value'],
          additionalProperties: false,
        },
      },
    },
    texts: [
      '{"value": 1, "children": [{"value": 2, "children": []}, {"value": 3, "children": [{"value": 4, "children": [{"value": 5}]}]}]}',
    ],
  },
  {
    name: 'items at their places',
    schema: {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }],
      items: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
      minItems: 3,
      maxItems: 6,
    },
    texts: ['["a", 1, true, [1.5, 2], [3, 4]]'],
  },
  {
    name: 'items that must differ',
    schema: {
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        days: { type: 'array', items: { enum: ['mon', 'tue', 'wed', 'thu', 'fri'] }, uniqueItems: true },
        numbers: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 9 }, uniqueItems: true },
      },
      additionalProperties: false,
    },
    texts: ['{"tags": ["one", "on", "two"], "days": ["fri", "mon", "thu"], "numbers": [1, 5, 9, 2]}'],
  },
  {
    name: 'items that are counted',
    schema: { type: 'array', contains: { type: 'integer' }, minContains: 2, maxContains: 3, maxItems: 6 },
    texts: ['["a", 1, null, 2, {"b": 3}]'],
  },
  {
    name: 'any value',
    schema: {},
    texts: [
      '{"a": [1, "two", {"three": null}], "b": {"c": {"d": -1.5}}, "e": "a longer piece of text, with commas"}',
    ],
  },
]

/** The same for a grammar in GBNF. */
export interface GrammarWorkload {
  readonly name: string
  readonly gbnf: string
  readonly texts: readonly string[]
}

export const GRAMMAR_WORKLOADS: readonly GrammarWorkload[] = [
  {
    name: 'words and what may be anything behind them',
    gbnf: 'root ::= (word | " " | list | ";" [^\\n]* "\\n")+\nlist ::= "(" root? ")"\nword ::= [a-zA-Z*/<=>!?_%&$^~+-]+',
    texts: ['(define (square x) (* x x)); a remark\n(square a-number)'],
  },
]
