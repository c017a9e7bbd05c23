/**
 * Random schemas of objects whose keys are not declared, or not all: keys that an object holds already, and how many it still
 * owes, decide there what completes a text.
 */
import type { Random } from './random.ts'

const NAMES = ['a', 'b', 'x', 'ab', 'é', '', 'x"y']
const KEYS = ['^a', 'b$', '^[x-z]', 'é', '^.$']
const NAMED = [
  { maxLength: 2 },
  { pattern: '^[ab]' },
  { enum: ['a', 'ab', 'é'] },
  { pattern: '^[a-c]{1,2}$' },
  { minLength: 1 },
]

function scalar(random: Random): object {
  return random.pick<object>([
    { type: 'boolean' },
    { type: 'string' },
    { type: 'string', minLength: 2, maxLength: 3 },
    { type: 'string', pattern: '^[ab]{2}$' },
    { enum: ['a', 'b', 'ab'] },
    { type: 'integer', minimum: 8, maximum: 12 },
    { type: 'integer' },
  ])
}

function value(random: Random, depth: number): object | boolean {
  if (depth === 0 || random.chance(0.4)) return scalar(random)
  const inner = () => value(random, depth - 1)
  return random.pick<() => object | boolean>([
    () => true,
    () => freeKeySchema(random, depth - 1),
    () => ({ anyOf: [freeKeySchema(random, depth - 1), inner()] }),
    () => ({ oneOf: [freeKeySchema(random, depth - 1), freeKeySchema(random, depth - 1)] }),
    () => ({ type: 'array', items: inner(), minItems: random.below(3) }),
  ])()
}

/** An object, nested at most so deep. */
export function freeKeySchema(random: Random, depth = 2): object {
  const schema: Record<string, unknown> = { type: 'object' }
  if (random.chance(0.5)) {
    const names = [...new Set([random.pick(NAMES), random.pick(NAMES), random.pick(NAMES)])]
    schema.properties = Object.fromEntries(names.map((name) => [name, value(random, depth)]))
    schema.required = names.filter(() => random.chance(0.5))
  }
  if (random.chance(0.6)) schema.additionalProperties = random.chance(0.3) ? false : value(random, depth)
  if (random.chance(0.4)) schema.patternProperties = { [random.pick(KEYS)]: value(random, depth) }
  if (random.chance(0.5)) schema.minProperties = random.below(5)
  if (random.chance(0.2)) schema.maxProperties = Number(schema.minProperties ?? 0) + random.below(3)
  if (random.chance(0.25)) schema.propertyNames = random.pick(NAMED)
  return schema
}
