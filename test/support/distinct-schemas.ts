/** Random schemas of arrays whose items must differ, of few values each: all their texts can be written down. */
import type { Random } from './random.ts'

function scalar(random: Random): object {
  return random.pick<object>([
    { enum: ['a', 'ab', 'b', 1, 12, true, null] },
    { enum: ['a', 'b'] },
    { type: 'boolean' },
    { const: 1 },
    { enum: [1, 2, 'x'] },
    { enum: ['é', '𝄞', '"', '\\', '/', '\n', ''] },
    { type: 'integer', minimum: 8, maximum: 12 },
    { type: 'integer', minimum: -1, maximum: 1 },
    { type: 'number', minimum: 0, maximum: 2, multipleOf: 0.5 },
    { type: 'string', pattern: '^[aé]?$' },
    { enum: [[1], [2], { a: 1 }, 1] },
    { enum: [[], {}, '', 0] },
    { const: ['a', 1] },
    { enum: [1, 2, 10, 100] },
  ])
}

function distinct(random: Random, probability: number): object {
  return random.chance(probability) ? { uniqueItems: true } : {}
}

function value(random: Random, depth: number): object {
  if (depth === 0 || random.chance(0.5)) return scalar(random)
  return random.pick<() => object>([
    () => ({ anyOf: [value(random, depth - 1), value(random, depth - 1)] }),
    () => ({
      type: 'object',
      properties: { a: scalar(random), ...(random.chance(0.5) ? { b: scalar(random) } : {}) },
      required: random.chance(0.6) ? ['a'] : [],
      additionalProperties: false,
    }),
    () => ({
      type: 'array',
      items: scalar(random),
      minItems: random.below(2),
      maxItems: 1 + random.below(2),
      ...distinct(random, 0.6),
    }),
    () => ({
      type: 'array',
      prefixItems: [scalar(random), scalar(random)],
      items: false,
      minItems: random.below(3),
      ...distinct(random, 0.6),
    }),
  ])()
}

/** An array whose items must differ, by itself or in something else. */
export function distinctSchema(random: Random): object {
  const own = random.pick<() => object>([
    () => ({ items: value(random, 2), maxItems: 2 + random.below(2) }),
    () => ({ items: value(random, 1), minItems: 1 + random.below(2), maxItems: 3 }),
    () => ({
      prefixItems: [value(random, 1), value(random, 1)],
      items: random.chance(0.5) ? false : scalar(random),
      minItems: random.below(4),
      maxItems: 3,
    }),
    () => ({ items: scalar(random), maxItems: 3, contains: scalar(random) }),
  ])()
  const one = { type: 'array', uniqueItems: true, ...own }
  return random.pick<() => object>([
    () => one,
    () => one,
    () => ({ anyOf: [one, { type: 'array', items: scalar(random), maxItems: 2 }] }),
    () => ({ anyOf: [one, { type: 'array', uniqueItems: true, items: value(random, 1), maxItems: 2 }] }),
    () => ({
      type: 'object',
      properties: { a: one, b: scalar(random) },
      required: ['a'],
      additionalProperties: false,
    }),
    () => ({
      type: 'array',
      prefixItems: [one, one],
      items: false,
      minItems: 1,
      ...distinct(random, 0.5),
    }),
  ])()
}
