/**
 * Random schemas of alternatives that overlap: objects that share names with different values, bounds and demands, arrays and
 * tuples of such, recursion, exclusion. Most texts of them can be read in several ways.
 */
import type { Random } from './random.ts'

const NAMES = ['a', 'b', 'x', 'é', 'a"']
const PATTERNS = ['^a', '^[a-c]$', 'x$', '^(a|b|c)$', '.']

function scalar(random: Random): object {
  return random.pick<object>([
    { type: 'string' },
    { type: 'integer' },
    { type: 'number', minimum: 0, maximum: 12 },
    { const: 'x' },
    { enum: ['a', 'ab', 1, null] },
    { type: 'boolean' },
    { type: ['string', 'integer'] },
    { type: 'string', pattern: '^a*b?$' },
    { type: 'string', maxLength: 2 },
    {},
  ])
}

function value(random: Random, depth: number): object {
  if (depth === 0 || random.chance(0.6)) return scalar(random)
  const choices: (() => object)[] = [
    () => ({ $ref: '#/$defs/r' }),
    () => object(random, depth - 1),
    () => alternatives(random, depth - 1),
    () => list(random, depth - 1),
  ]
  return random.pick(choices)()
}

function list(random: Random, depth: number): object {
  if (random.chance(0.4))
    return {
      type: 'array',
      prefixItems: Array.from({ length: 1 + random.below(3) }, () => value(random, depth)),
      ...random.pick<object>([{}, { items: false }, { minItems: 2 }, { items: scalar(random) }]),
    }
  return {
    type: 'array',
    items: value(random, depth),
    ...random.pick<object>([{}, { maxItems: 2 }, { minItems: 1 }, { contains: scalar(random) }]),
  }
}

function object(random: Random, depth: number): object {
  const used = NAMES.filter(() => random.chance(0.4))
  const bounds = random.pick<object>([
    {},
    {},
    {},
    { minProperties: 1 + random.below(2) },
    { maxProperties: 1 + random.below(3) },
    { dependentRequired: { a: ['b'] } },
    { propertyNames: { maxLength: 1 + random.below(2) } },
    { propertyNames: { enum: ['a', 'ab', 'b', ':'] } },
  ])
  const further = random.pick<() => object>([
    () => ({}),
    () => ({}),
    () => ({ additionalProperties: false }),
    () => ({ additionalProperties: value(random, depth) }),
    () => ({ patternProperties: { [random.pick(PATTERNS)]: scalar(random) } }),
    () => ({ patternProperties: { [random.pick(PATTERNS)]: scalar(random) }, additionalProperties: false }),
  ])()
  return {
    type: 'object',
    properties: Object.fromEntries(used.map((name) => [name, value(random, depth)])),
    required: used.filter(() => random.chance(0.2)),
    ...further,
    ...bounds,
  }
}

function alternatives(random: Random, depth: number): object {
  const options = Array.from({ length: 2 + random.below(3) }, () =>
    random.chance(0.8) ? object(random, depth) : value(random, depth),
  )
  const kind = random.below(10)
  if (kind === 0) return { oneOf: options }
  if (kind === 1)
    return {
      anyOf: options,
      not: random.pick<object>([{ required: ['x'] }, { const: {} }, { type: 'null' }]),
    }
  if (kind === 2)
    return { anyOf: options, unevaluatedProperties: random.pick<unknown>([false, { type: 'string' }]) }
  return { anyOf: options }
}

/** One whole schema. */
export function overlappingSchema(random: Random): object {
  const r = alternatives(random, random.below(3))
  const root = random.pick<() => object>([
    () => r,
    () => r,
    () => ({ type: 'array', items: r }),
    () => ({ anyOf: [r, { type: 'string' }] }),
    () => alternatives(random, 2),
    () => list(random, 3),
  ])()
  return { ...root, $defs: { r } }
}
