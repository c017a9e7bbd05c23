/**
 * Random schemas in the spellings of every dialect: those of `random.ts` rewritten to what a draft has for the same thing,
 * some of it left as it is, so that keywords of other dialects stand there, too.
 */
import fc from 'fast-check'
import { Random } from '../support/random.ts'
import { anySchema } from './random.ts'

export const DIALECTS = [4, 6, 7, 2019, 2020, 0] as const
export type DialectId = (typeof DIALECTS)[number]

const URIS = new Map<DialectId, string>([
  ...([4, 6, 7] as const).map((draft) => [draft, `http://json-schema.org/draft-0${draft}/schema#`] as const),
  [2019, 'https://json-schema.org/draft/2019-09/schema'],
  [2020, 'https://json-schema.org/draft/2020-12/schema'],
])

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A schema object of 2020-12 as the dialect spells it. */
function respell(schema: Json, dialect: DialectId, random: Random): Json {
  if (typeof schema === 'boolean' && dialect === 4) return schema ? {} : { not: {} }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  const result: { [key: string]: Json } = {}
  const old = dialect !== 0 && dialect <= 7
  /** Without `$schema` every spelling will do. */
  const respelled = dialect === 0 ? random.chance(0.5) : random.chance(0.85)
  const within = (value: Json): Json => respell(value, dialect, random)
  for (const [keyword, value] of Object.entries(schema)) {
    if (['enum', 'const', 'required', 'dependentRequired'].includes(keyword)) {
      if (keyword === 'const' && dialect === 4 && respelled) result.enum = [value]
      else result[keyword === 'dependentRequired' && old && respelled ? 'dependencies' : keyword] = value
    } else if (['properties', 'patternProperties', '$defs'].includes(keyword)) {
      result[keyword === '$defs' && old ? 'definitions' : keyword] = Object.fromEntries(
        Object.entries(value as object).map(([name, inner]) => [name, within(inner as Json)]),
      )
    } else if (keyword === 'prefixItems' && dialect !== 2020 && respelled) {
      result.items = (value as Json[]).map(within)
      if ('items' in schema) result.additionalItems = within(schema.items as Json)
    } else if (keyword === 'items' && 'items' in result) {
      // Written already, as additionalItems.
    } else if (/^exclusive/.test(keyword) && (dialect === 4 || dialect === 0) && respelled) {
      const bound = keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum'
      result[bound] = value
      result[keyword] = true
    } else if (keyword === '$ref' && typeof value === 'string') {
      result.$ref = old ? value.replace('$defs', 'definitions') : value
    } else if (Array.isArray(value)) result[keyword] = value.map(within)
    else result[keyword] = within(value)
  }
  if (dialect === 4) {
    // Booleans without their bound, or bounds as numbers, are no schemas of draft 4.
    for (const [keyword, bound] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof result[keyword] === 'number' || !(bound in result)) delete result[keyword]
    }
  }
  // Both spellings of a tuple at once are nobody's.
  if (Array.isArray(result.items)) delete result.prefixItems
  return result
}

/** Schemas of the dialect as JSON text. */
export function dialectSchemas(dialect: DialectId, seed: number, count: number): string[] {
  const random = new Random(seed)
  const kinds = [
    anySchema({ hard: false, unevaluated: false, counted: false }),
    anySchema({ hard: true, unevaluated: false, counted: true }),
    anySchema({ hard: false, unevaluated: true, counted: false, beyondAjv: true }),
    anySchema({ hard: true, unevaluated: true, counted: true, beyondAjv: true }),
  ]
  return kinds
    .flatMap((kind, index) =>
      fc.sample(kind, { seed: seed + index, numRuns: Math.ceil(count / kinds.length) }),
    )
    .map((schema) => {
      const respelled = respell(schema as unknown as Json, dialect, random)
      const uri = URIS.get(dialect)
      const head = uri === undefined ? {} : { $schema: uri }
      return JSON.stringify(typeof respelled === 'object' ? { ...head, ...respelled } : respelled)
    })
}

/** The text with some of its numbers in another spelling of the same value. */
export function otherNumbers(text: string, random: Random): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?/g, (token) => {
    if (token.startsWith('"') || !random.chance(0.3)) return token
    const [whole = '', fraction = ''] = token.split('.')
    const digits = `${whole}${fraction}`.replace(/^(-?)0+(?=\d)/, '$1')
    if (fraction === '') return random.pick([`${token}.0`, `${token}e0`, `${token}.00E+0`, `${digits}e-0`])
    return random.pick([`${token}0`, `${token}E0`, `${digits}e-${fraction.length}`])
  })
}
