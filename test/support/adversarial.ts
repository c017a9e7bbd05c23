/**
 * Schemas that are hard on a compiler: much of one keyword, products of alternatives, deep or wide references, automata
 * with exponentially many states. Each compiles, or ends at a limit or a refusal that says why; the bench measures them.
 */

type Schema = Record<string, unknown> | boolean

function named<T>(count: number, make: (index: number) => T, prefix = 'p'): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, make(index)]))
}

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** A schema inside another, so many times. */
function nested(depth: number, wrap: (inner: Schema, level: number) => Schema, innermost: Schema): Schema {
  let schema = innermost
  for (let level = 0; level < depth; level++) schema = wrap(schema, level)
  return schema
}

const SHARED = named(20, () => ({ type: 'string' }), 'shared')

export const ADVERSARIAL: readonly (readonly [name: string, schema: () => Schema])[] = [
  [
    '10,000 properties',
    () => ({
      type: 'object',
      properties: named(10_000, () => ({ type: 'integer' })),
      additionalProperties: false,
    }),
  ],
  ['5,000 required names', () => ({ type: 'object', required: list(5_000, (i) => `name ${i}`) })],
  ['5,000 strings of an enum', () => ({ enum: list(5_000, (i) => `value ${i * 7919}`) })],
  ['a million strings of an enum', () => ({ enum: list(1_000_000, (i) => `value ${i * 7919}`) })],
  ['a million integers of an enum', () => ({ enum: list(1_000_000, (i) => i * 7919) })],
  ['1,000 objects of an enum', () => ({ enum: list(1_000, (i) => ({ a: i, b: [i, { c: `${i}` }] })) })],
  [
    '100 branches of anyOf with 20 shared keys',
    () => ({
      anyOf: list(100, (i) => ({ properties: { ...SHARED, kind: { const: i } }, required: ['kind'] })),
    }),
  ],
  [
    '100 branches of oneOf told apart by a name',
    () => ({
      oneOf: list(100, (i) => ({ properties: { ...SHARED, kind: { const: i } }, required: ['kind'] })),
    }),
  ],
  ['40 overlapping branches of oneOf', () => ({ oneOf: list(40, (i) => ({ minimum: i, maximum: i + 20 })) })],
  [
    '30 optional properties that depend on each other',
    () => ({
      type: 'object',
      properties: named(30, () => ({ type: 'integer' })),
      dependentRequired: named(30, (i) => [`p${(i + 7) % 30}`]),
      additionalProperties: false,
    }),
  ],
  [
    '12 dependent schemas',
    () => ({
      type: 'object',
      dependentSchemas: named(12, (i) => ({ properties: { x: { not: { const: i } } } })),
    }),
  ],
  [
    '20 conditions on one object',
    () => ({
      type: 'object',
      allOf: list(20, (i) =>
        Object.fromEntries([
          ['if', { properties: { kind: { const: i } }, required: ['kind'] }],
          ['then', { required: [`p${i}`] }],
        ]),
      ),
    }),
  ],
  [
    '30 times not required',
    () => ({ type: 'object', allOf: list(30, (i) => ({ not: { required: [`p${i}`] } })) }),
  ],
  [
    'a product of 12 pairs of alternatives',
    () => ({
      allOf: list(12, (i) => ({
        anyOf: [{ properties: { [`p${i}`]: { type: 'null' } } }, { required: [`p${i}`, 'x'] }],
      })),
    }),
  ],
  [
    '25 branches that unevaluatedProperties looks at',
    () => ({
      type: 'object',
      anyOf: list(25, (i) => ({ properties: { [`p${i}`]: true }, required: [`p${i}`] })),
      unevaluatedProperties: false,
    }),
  ],
  [
    'two alternatives at each of 40 levels',
    () => ({
      $ref: '#/$defs/p40',
      $defs: named(41, (i) =>
        i === 0
          ? { type: 'integer' }
          : {
              oneOf: ['a', 'b'].map((key) => ({
                type: 'object',
                properties: { [key]: { $ref: `#/$defs/p${i - 1}` } },
                required: [key],
                additionalProperties: false,
              })),
            },
      ),
    }),
  ],
  [
    'a chain of 10,000 references',
    () => ({
      $ref: '#/$defs/p0',
      $defs: named(10_001, (i) => (i === 10_000 ? {} : { $ref: `#/$defs/p${i + 1}` })),
    }),
  ],
  [
    '300 references that each add something',
    () => ({
      $ref: '#/$defs/p0',
      $defs: named(300, (i) => ({ minLength: i, ...(i === 299 ? {} : { $ref: `#/$defs/p${i + 1}` }) })),
    }),
  ],
  [
    '3,000 schemas within each other',
    () => nested(3_000, (items) => ({ type: 'array', items }), { type: 'null' }),
  ],
  ['200 times not', () => nested(200, (not, level) => ({ not, maximum: level }), { type: 'null' })],
  [
    'complements of each other',
    () => ({
      $ref: '#/$defs/p0',
      $defs: {
        p0: { required: ['a'], additionalProperties: { $ref: '#/$defs/p2' } },
        p1: { prefixItems: [{ $ref: '#/$defs/p2' }] },
        p2: {
          not: { $ref: '#/$defs/p0' },
          additionalProperties: Object.fromEntries([
            ['if', { maximum: 1, minProperties: 2, patternProperties: { 'a|b': { $ref: '#/$defs/p0' } } }],
            ['else', { $ref: '#/$defs/p1' }],
          ]),
        },
      },
    }),
  ],
  [
    '40 patterns that share names',
    () => ({ type: 'object', patternProperties: named(40, (i) => ({ minimum: i }), '^[a-z]*x?') }),
  ],
  [
    '12 overlapping patterns of names',
    () => ({
      type: 'object',
      patternProperties: Object.fromEntries(list(12, (i) => [`${'abcdefghijkl'[i]}`, { maxLength: i }])),
    }),
  ],
  ['a pattern of a million characters', () => ({ type: 'string', pattern: '^A{1000000}$' })],
  ['counts within counts', () => ({ type: 'string', pattern: '^(?:(?:a{0,100}b){0,100}c){0,100}$' })],
  ['at most 100,000 characters', () => ({ type: 'string', pattern: '^.{0,100000}$' })],
  [
    'alternatives of alternatives',
    () => ({ type: 'string', pattern: '^(?:(?:a|b|ab|ba|aba)(?:a|aa|b|bb)){1,40}c$' }),
  ],
  ['runs within runs', () => ({ type: 'string', pattern: '^(?:(?:a+)+|(?:a|aa)*)*(?:x+x+)+y$' })],
  [
    'unions of unions of objects',
    () =>
      nested(
        8,
        (inner, level) => ({
          anyOf: [
            inner,
            { type: 'object', properties: { [`k${level}`]: { anyOf: [{ type: 'string' }, inner] } } },
            {
              type: 'array',
              items: { oneOf: [{ type: 'integer' }, { type: 'object', required: [`r${level}`] }] },
            },
          ],
        }),
        { type: 'null' },
      ),
  ],
  [
    'unions of unions that must all hold',
    () => ({
      allOf: list(6, (i) => ({
        anyOf: list(4, (j) => ({
          anyOf: list(4, (k) => ({ properties: { [`p${i}`]: { minimum: j }, [`q${k}`]: { maximum: i } } })),
        })),
      })),
    }),
  ],
  ['2^20 states', () => ({ type: 'string', pattern: '^[ab]*a[ab]{20}$' })],
  ['2^30 states of a pattern that is found anywhere', () => ({ type: 'string', pattern: 'a.{30}b' })],
  [
    'the product of ten patterns',
    () => ({ allOf: list(10, (i) => ({ pattern: `${'abcdefghij'[i]}.{${i + 3}}[0-9]` })) }),
  ],
  ['a string of at least a billion characters', () => ({ type: 'string', minLength: 1_000_000_000 })],
  [
    'an array of at least a million items',
    () => ({ type: 'array', minItems: 1_000_000, items: { type: 'null' } }),
  ],
  ['an array of at most a billion items', () => ({ type: 'array', maxItems: 1_000_000_000 })],
  ['an object of at least a million names', () => ({ type: 'object', minProperties: 1_000_000 })],
  ['the 2,000 first items', () => ({ prefixItems: list(2_000, (i) => ({ const: i })), minItems: 1_000 })],
  ['500 items of a kind', () => ({ type: 'array', contains: { type: 'integer' }, minContains: 500 })],
  [
    'all of 1,000 values, each once',
    () => ({ type: 'array', items: { enum: list(1_000, (i) => i) }, uniqueItems: true, minItems: 1_000 }),
  ],
  [
    'steps without a small common multiple',
    () => ({ allOf: list(12, (i) => ({ multipleOf: 1e-3 * (2 * i + 3) })) }),
  ],
  [
    'numbers that are no multiples',
    () => ({ type: 'integer', not: { anyOf: list(8, (i) => ({ multipleOf: i + 2 })) } }),
  ],
  ['100,000 strings of an enum', () => ({ enum: list(100_000, (i) => `value ${i * 7919}`) })],
  ['4,000 objects of an enum', () => ({ enum: list(4_000, (i) => ({ a: i, b: [i, { c: `${i}` }] })) })],
  [
    'an object of 5,000 properties as the only value',
    () => ({ const: named(5_000, (i) => [i, { a: `${i}` }]) }),
  ],
  [
    'a property that is each of 2,000 objects',
    () => ({
      type: 'object',
      properties: {
        a: {
          anyOf: list(2_000, (i) => ({
            type: 'object',
            properties: { [`p${i % 50}`]: { const: i }, [`q${i % 7}`]: { type: 'string' } },
            required: [`p${i % 50}`],
          })),
        },
      },
      required: ['a'],
    }),
  ],
  [
    'a web of 300 references, each to all',
    () => ({
      $ref: '#/$defs/p0',
      $defs: named(300, (i) => ({
        type: 'object',
        properties: named(20, (j) => ({ $ref: `#/$defs/p${(i * 7 + j * 13) % 300}` }), 'k'),
        additionalProperties: false,
      })),
    }),
  ],
  [
    'a web of alternatives that lead to each other',
    () => ({
      $ref: '#/$defs/p0',
      $defs: named(40, (i) => ({
        anyOf: [
          { type: 'integer' },
          ...list(6, (j) => ({ type: 'array', items: { $ref: `#/$defs/p${(i * 5 + j * 11 + 1) % 40}` } })),
        ],
      })),
    }),
  ],
  [
    'an array of arrays of alternatives, twelve deep',
    () =>
      nested(
        12,
        (inner, level) => ({
          type: 'array',
          items: { anyOf: [inner, { type: 'array', items: inner, maxItems: level + 2 }] },
        }),
        { type: 'integer' },
      ),
  ],
  [
    '2,000 names, all required',
    () => ({
      type: 'object',
      properties: named(2_000, () => ({ type: 'integer' })),
      required: list(2_000, (i) => `p${i}`),
      additionalProperties: false,
    }),
  ],
  [
    '60 disjoint branches of oneOf with patterns',
    () => ({
      oneOf: list(60, (i) => ({ type: 'string', pattern: `^${String(i).padStart(2, '0')}[a-z]{0,${i}}$` })),
    }),
  ],
  [
    '200 values that are not allowed',
    () => ({ not: { enum: list(200, (i) => (i % 2 === 0 ? `v${i}` : { a: i })) } }),
  ],
  [
    '100 objects that are not allowed',
    () => ({
      type: 'object',
      not: {
        anyOf: list(100, (i) => ({ required: [`p${i}`], properties: { [`q${i}`]: { type: 'string' } } })),
      },
    }),
  ],
  [
    '10,000 items of a tuple, each of its own kind',
    () => ({
      type: 'array',
      prefixItems: list(10_000, (i) => ({ type: 'object', properties: { [`p${i}`]: { type: 'integer' } } })),
      minItems: 10,
    }),
  ],
  [
    'a union of 2,000 tuples',
    () => ({
      anyOf: list(2_000, (i) => ({
        type: 'array',
        prefixItems: [{ const: i }, { const: `${i}` }],
        minItems: 2,
        maxItems: 2,
      })),
    }),
  ],
  [
    'nested counts of objects and arrays',
    () =>
      nested(
        30,
        (inner) => ({
          type: 'object',
          properties: { a: { type: 'array', items: inner, minItems: 1, maxItems: 1_000 } },
          minProperties: 1,
          maxProperties: 100,
        }),
        { type: 'string', maxLength: 1_000 },
      ),
  ],
  [
    'counts of counts of a class',
    () => ({ type: 'string', pattern: '^(?:[a-z]{1,500}[0-9]{1,500}-?){1,500}$' }),
  ],
  [
    'many ways to read digits',
    () => ({ type: 'string', pattern: '^(?:[0-9]+|[0-9a-f]+|[0-9]{2,}|(?:[0-9][0-9a-z])+)*(?:[0-9]{3})+z$' }),
  ],
  [
    'an alternation of 10,000 words',
    () => ({ type: 'string', pattern: `^(?:${list(10_000, (i) => `w${(i * 7919) % 100_003}`).join('|')})$` }),
  ],
  [
    'words in any order',
    () => ({ type: 'string', pattern: `^(?=.*alpha)(?=.*beta)(?=.*gamma)(?=.*delta)(?=.*epsilon).{0,400}$` }),
  ],
  [
    'a pattern and a long length',
    () => ({ type: 'string', pattern: '(?:ab|ba)*c', minLength: 20_000, maxLength: 30_000 }),
  ],
  [
    'what no pattern of twelve matches',
    () => ({
      type: 'string',
      not: { anyOf: list(12, (i) => ({ pattern: `${'abcdefghijkl'[i]}[0-9]{2,9}${'lkjihgfedcba'[i]}` })) },
    }),
  ],
  [
    'properties by 30 disjoint patterns',
    () => ({
      type: 'object',
      patternProperties: Object.fromEntries(
        list(30, (i) => [`^x${i}_[a-z]+$`, { type: 'integer', minimum: i }]),
      ),
      additionalProperties: false,
    }),
  ],
  [
    '5 overlapping patterns of names with gaps',
    () => ({
      type: 'object',
      patternProperties: Object.fromEntries(list(5, (i) => [`a.{${i}}b`, { minimum: i }])),
    }),
  ],
  [
    'names of a pattern with many states',
    () => ({
      type: 'object',
      propertyNames: { pattern: '^[ab]*a[ab]{12}$' },
      additionalProperties: { type: 'integer' },
    }),
  ],
  [
    '120 items that must differ, objects of few values',
    () => ({
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { enum: list(100, (i) => i) }, b: { type: 'boolean' } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
      uniqueItems: true,
    }),
  ],
  [
    '500 of 1,000 values that must differ',
    () => ({ type: 'array', items: { enum: list(1_000, (i) => `v${i}`) }, uniqueItems: true, minItems: 500 }),
  ],
  [
    '20 kinds of items, each some times',
    () => ({
      type: 'array',
      allOf: list(8, (i) => ({ contains: { const: i }, minContains: 2, maxContains: 5 })),
    }),
  ],
  [
    'numbers with 900 digits',
    () => ({
      type: 'number',
      minimum: Number('1'.repeat(300)),
      maximum: Number('9'.repeat(300)),
      multipleOf: 0.001,
    }),
  ],
  [
    '30 intervals of numbers that are no multiples',
    () => ({
      anyOf: list(30, (i) => ({
        type: 'number',
        minimum: i * 10,
        maximum: i * 10 + 7,
        multipleOf: 0.01 + i / 1000,
      })),
    }),
  ],
  [
    'a schema inside itself by allOf',
    () => ({
      $ref: '#/$defs/a',
      $defs: {
        a: { type: 'object', properties: { x: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] } } },
        b: { type: 'object', properties: { x: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/c' }] } } },
        c: { required: ['y'], properties: { x: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/c' }] } } },
      },
    }),
  ],
  [
    'conditions within conditions',
    () =>
      nested(
        14,
        (inner, level) =>
          Object.fromEntries([
            ['if', { properties: { [`k${level}`]: { const: level } }, required: [`k${level}`] }],
            ['then', inner],
            ['else', { properties: { [`e${level}`]: inner } }],
          ]),
        { type: 'object' },
      ),
  ],
  [
    '40 types of tools told apart late',
    () => ({
      anyOf: list(40, (i) => ({
        type: 'object',
        properties: {
          ...named(30, (j) => ({ type: j % 2 === 0 ? 'string' : 'integer' }), 'common'),
          last: { const: `tool ${i}` },
          [`own${i}`]: { type: 'array', items: { type: 'string', pattern: `^t${i}` } },
        },
        required: ['last'],
        additionalProperties: false,
      })),
    }),
  ],
]
