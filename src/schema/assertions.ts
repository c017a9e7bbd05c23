/**
 * The keywords of one schema object that speak of a value directly, as a shape: `type` and the bounds of numbers here,
 * those of strings, arrays and objects in files of their own. Applicators (`allOf`, `anyOf`, `$ref`, …) are combined with
 * it in `expand.ts`.
 *
 * What cannot be enforced yet blocks the record of its type, so it is refused only where a value of that type may come.
 */
import { type Decimal, type Interval, intersectIntervals } from '../json/decimal.ts'
import { arraysOf } from './array-keywords.ts'
import { TYPES } from './dialect.ts'
import type { Keywords } from './keywords.ts'
import { integers, meetNumbers, settleNumbers } from './numbers.ts'
import { objectsOf } from './object-keywords.ts'
import { ANY_NUMBER, EVERYWHERE, type NumberRecord, type Shape } from './shape.ts'
import { stringsOf } from './string-keywords.ts'

/** What `type` and the keywords of each type allow. */
export function ownShape(keywords: Keywords): Shape {
  const { any } = keywords.context.shapes
  const types = typesOf(keywords)
  const has = (type: string): boolean => types === null || types.has(type)
  let numbers: readonly NumberRecord[] = []
  if (has('number')) numbers = numbersOf(keywords, ANY_NUMBER)
  else if (has('integer')) numbers = numbersOf(keywords, integers(keywords.atom.resource.dialect === 4))
  return {
    nulls: has('null') ? any.nulls : null,
    trues: has('boolean') ? any.trues : null,
    falses: has('boolean') ? any.falses : null,
    numbers,
    strings: has('string') ? stringsOf(keywords) : [],
    arrays: has('array') ? arraysOf(keywords) : [],
    objects: has('object') ? objectsOf(keywords) : [],
  }
}

function typesOf(keywords: Keywords): ReadonlySet<string> | null {
  const written = keywords.get('type')
  if (written === undefined) return null
  const list = Array.isArray(written) ? written : [written]
  const types = new Set<string>()
  for (const type of list) {
    if (typeof type !== 'string' || !TYPES.has(type)) {
      const shown = typeof type === 'string' ? JSON.stringify(type) : 'a value that is no string'
      keywords.invalid('type', `is one or a list of ${[...TYPES].join(', ')}, not ${shown}`)
      return null
    }
    types.add(type)
  }
  return types
}

function numbersOf(keywords: Keywords, base: NumberRecord): readonly NumberRecord[] {
  let interval: Interval | null = EVERYWHERE
  const bound = (side: Partial<Interval>): void => {
    if (interval !== null) interval = intersectIntervals(interval, { ...EVERYWHERE, ...side })
  }
  const minimum = keywords.lowerBound('minimum')
  const maximum = keywords.upperBound('maximum')
  if (minimum !== undefined) {
    bound({ min: minimum, minExclusive: excludes(keywords, 'exclusiveMinimum') })
  }
  if (maximum !== undefined) {
    bound({ max: maximum, maxExclusive: excludes(keywords, 'exclusiveMaximum') })
  }
  const above = exclusiveBound(keywords, 'exclusiveMinimum')
  const below = exclusiveBound(keywords, 'exclusiveMaximum')
  if (above !== undefined) bound({ min: above, minExclusive: true })
  if (below !== undefined) bound({ max: below, maxExclusive: true })
  const step = stepOf(keywords)
  if (interval === null) return []
  if (interval === EVERYWHERE && step === undefined) return [base]
  let record: NumberRecord | null = settleNumbers({ ...base, intervals: [interval] })
  if (record !== null && step !== undefined) record = meetNumbers(record, { ...ANY_NUMBER, step })
  return record === null ? [] : [record]
}

/** The boolean form of draft 4, which turns `minimum` or `maximum` around. */
function excludes(keywords: Keywords, keyword: string): boolean {
  const { dialect } = keywords.atom.resource
  return (dialect === 4 || dialect === 0) && keywords.get(keyword) === true
}

function exclusiveBound(keywords: Keywords, keyword: string): Decimal | undefined {
  const { dialect } = keywords.atom.resource
  const value = keywords.get(keyword)
  if (typeof value === 'boolean' && (dialect === 4 || dialect === 0)) return undefined
  if (dialect === 4 && value !== undefined) return keywords.invalid(keyword, 'must be a boolean in draft-04')
  return keyword === 'exclusiveMinimum' ? keywords.lowerBound(keyword) : keywords.upperBound(keyword)
}

function stepOf(keywords: Keywords): Decimal | undefined {
  const step = keywords.number('multipleOf')
  if (step === undefined || step.mantissa > 0n) return step
  return keywords.invalid('multipleOf', 'must be greater than 0')
}
