/**
 * Values that a schema is likely to tell apart: what it names, what lies beside that, and small arrays and objects of such
 * values under the names it has. A search for an instance among these finds what random values never meet.
 */
import type { Random } from '../support/random.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

interface Pool {
  readonly values: readonly Json[]
  readonly names: readonly string[]
}

/** Keywords whose names are those of properties. */
const NAMED = new Set(['properties', 'dependentRequired', 'dependentSchemas'])

function poolOf(schema: Json): Pool {
  const values = new Map<string, Json>()
  const names = new Set(['x'])
  const add = (value: Json): void => {
    values.set(JSON.stringify(value), value)
  }
  for (const value of [null, true, false, 0, 1, '', 'a', 'abc', [], {}, -3, 7.25]) add(value)
  const stack: [string, Json][] = [['', schema]]
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const [keyword, value] = entry
    if (keyword === 'const') add(value)
    if (keyword === 'enum' && Array.isArray(value)) for (const each of value as readonly Json[]) add(each)
    if (typeof value === 'number') for (const near of [value, value + 1, value - 1, value + 0.5]) add(near)
    if (keyword === 'required') for (const name of value as readonly string[]) names.add(name)
    if (typeof value !== 'object' || value === null) continue
    if (NAMED.has(keyword)) for (const name of Object.keys(value)) names.add(name)
    for (const [key, inner] of Object.entries(value)) stack.push([key, inner])
  }
  return { values: [...values.values()], names: [...names] }
}

function draw({ values, names }: Pool, random: Random, depth: number): Json {
  const kind = random.below(depth > 1 ? 1 : 4)
  if (kind < 2) return random.pick(values)
  if (kind === 2) {
    const same = random.chance(0.3) ? draw({ values, names }, random, depth + 1) : undefined
    return Array.from({ length: random.below(5) }, () => same ?? draw({ values, names }, random, depth + 1))
  }
  const chosen = names.filter(() => random.chance(0.5))
  return Object.fromEntries(chosen.map((name) => [name, draw({ values, names }, random, depth + 1)]))
}

/** So many texts, each a value that the schema, given as JSON text, may say something of. */
export function likelyTexts(schema: string, random: Random, count: number): string[] {
  const pool = poolOf(JSON.parse(schema) as Json)
  return Array.from({ length: count }, () => JSON.stringify(draw(pool, random, 0)))
}
