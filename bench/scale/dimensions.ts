/**
 * Schemas in which one thing grows, and a text that each of them accepts.
 *
 * The texts of one dimension are alike but for what grows: ten properties out of n, ten values out of n. They are spaced as
 * the option `whitespace: 'model'` has it.
 */

export interface Dimension {
  readonly name: string
  readonly sizes: readonly number[]
  readonly anyOrder?: boolean
  make(n: number): Workload
}

export interface Workload {
  /** JSON text; for tools a list of them. */
  readonly schema: string
  readonly text: string
  readonly tools?: boolean
}

const SIZES = [10, 100, 1000, 10_000]

/** Ten numbers below n, the first and the last among them. */
function ten(n: number): number[] {
  return Array.from({ length: 10 }, (_, i) => Math.round((i * (n - 1)) / 9))
}

function list<T>(n: number, make: (index: number) => T): T[] {
  return Array.from({ length: n }, (_, index) => make(index))
}

/** Words of seven letters that share few beginnings. */
function word(index: number): string {
  let value = (index + 1) * 2_654_435_761
  let text = ''
  for (let i = 0; i < 7; i++) {
    text += String.fromCharCode(97 + (value % 26))
    value = Math.floor(value / 26)
  }
  return text
}

/** `["a", "b"]` with the spaces that models write. */
function array(items: readonly string[]): string {
  return `[${items.join(', ')}]`
}

const properties = (n: number): Workload => ({
  schema: JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(list(n, (i) => [`${word(i)}_${i}`, { type: 'integer' }])),
    additionalProperties: false,
  }),
  text: `{${ten(n)
    .map((i) => `"${word(i)}_${i}": ${i}`)
    .join(', ')}}`,
})

/** An object that most models have to fill in some time. */
const PERSON = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    email: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 } },
    kind: { enum: ['person', 'company', 'other'] },
  },
  required: ['name', 'kind'],
  additionalProperties: false,
}

export const DIMENSIONS: readonly Dimension[] = [
  { name: 'properties', sizes: SIZES, make: properties },
  { name: 'properties, any order', sizes: SIZES, anyOrder: true, make: properties },
  {
    name: 'enum values',
    sizes: SIZES,
    make: (n) => ({
      schema: JSON.stringify({ type: 'array', items: { enum: list(n, (i) => `${word(i)} ${i}`) } }),
      text: array(ten(n).map((i) => `"${word(i)} ${i}"`)),
    }),
  },
  {
    name: 'union branches',
    sizes: SIZES.slice(0, 3),
    make: (n) => ({
      schema: JSON.stringify({
        type: 'array',
        items: {
          anyOf: list(n, (i) => ({
            type: 'object',
            properties: {
              kind: { const: word(i) },
              size: { type: 'integer' },
              [word(i)]: { type: 'string' },
            },
            required: ['kind', 'size'],
            additionalProperties: false,
          })),
        },
      }),
      text: array(ten(n).map((i) => `{"kind": "${word(i)}", "size": ${i}, "${word(i)}": "some text"}`)),
    }),
  },
  {
    name: 'nested schemas',
    sizes: SIZES.slice(0, 3),
    make: (n) => ({
      schema: `${'{"type":"object","required":["a"],"properties":{"a":'.repeat(n)}{"type":"integer"}${'}}'.repeat(n)}`,
      text: `${'{"a": '.repeat(n)}1${'}'.repeat(n)}`,
    }),
  },
  {
    name: 'nested values',
    sizes: SIZES,
    make: (n) => ({
      schema: '{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false}',
      text: `${'{"a": '.repeat(n - 1)}{}${'}'.repeat(n - 1)}`,
    }),
  },
  {
    name: 'maxLength',
    sizes: [...SIZES, 100_000],
    make: (n) => ({
      schema: JSON.stringify({ type: 'string', maxLength: n }),
      text: `"${'Some words of a text, and é or 語. '.repeat(20).slice(0, Math.min(n, 400))}"`,
    }),
  },
  {
    name: 'maxItems',
    sizes: [...SIZES, 100_000],
    make: (n) => ({
      schema: JSON.stringify({ type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: n }),
      text: array(list(Math.min(n, 100), (i) => String(i * 37))),
    }),
  },
  {
    name: 'tools',
    sizes: SIZES.slice(0, 3),
    make: (n) => ({
      tools: true,
      schema: JSON.stringify(
        list(n, (i) => ({ type: 'function', function: { name: `${word(i)}_${i}`, parameters: PERSON } })),
      ),
      text: `<tool_call>\n{"name": "${word(n >> 1)}_${n >> 1}", "arguments": {"name": "Some one", "age": 42, "kind": "person"}}\n</tool_call>`,
    }),
  },
]

/** What the vocabulary's size is measured with. */
export const VOCABULARY_SIZES: readonly number[] = [1000, 10_000, 100_000]
export const VOCABULARY_WORKLOAD: Workload = {
  schema: JSON.stringify({ type: 'array', items: PERSON }),
  text: array(
    list(
      5,
      (i) =>
        `{"name": "Name ${i}", "email": "a${i}@example.org", "age": ${i * 9}, "tags": ["one", "two"], "kind": "other"}`,
    ),
  ),
}
