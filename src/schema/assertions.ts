/**
 * The keywords of one schema object that speak of a value directly, as a shape: `type`, bounds, strings, items and
 * properties. Applicators (`allOf`, `anyOf`, `$ref`, …) are combined with it in `expand.ts`.
 *
 * What cannot be enforced yet blocks the record of its type, so it is refused only where a value of that type may come.
 */
import { PatternError, type SchemaProblem } from '../errors.ts'
import { type Decimal, type Interval, intersectIntervals } from '../json/decimal.ts'
import { formatRegex } from '../regex/formats.ts'
import { parsePatternReport } from '../regex/pattern.ts'
import type { Regex } from '../regex/regex.ts'
import { STANDARD_FORMATS } from './dialect.ts'
import type { Keywords } from './keywords.ts'
import type { Node } from './node.ts'
import { integers, isUnit, meetNumbers, settleNumbers } from './numbers.ts'
import {
  ANY_NUMBER,
  ANY_STRING,
  type ArrayRecord,
  EVERYWHERE,
  type NumberRecord,
  type ObjectRecord,
  type Shape,
  type StringRecord,
} from './shape.ts'

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'])

/** Keywords that give annotations to `unevaluatedProperties` and `unevaluatedItems` beside them. */
const IN_PLACE = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

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
  const minimum = keywords.number('minimum')
  const maximum = keywords.number('maximum')
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
  if (record !== null && step !== undefined) {
    const stepProblem = isUnit(step) ? null : keywords.unsupported('multipleOf')
    record = meetNumbers(record, { ...ANY_NUMBER, intervals: [EVERYWHERE], step, stepProblem })
  }
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
  return keywords.number(keyword)
}

function stepOf(keywords: Keywords): Decimal | undefined {
  const step = keywords.number('multipleOf')
  if (step === undefined || step.mantissa > 0n) return step
  return keywords.invalid('multipleOf', 'must be greater than 0')
}

function stringsOf(keywords: Keywords): readonly StringRecord[] {
  const { strings } = keywords.context.shapes
  let record: StringRecord | null = ANY_STRING
  const min = keywords.atLeast('minLength')
  const max = keywords.atMost('maxLength')
  if (min > 0 || max !== Number.POSITIVE_INFINITY) record = strings.settle({ ...ANY_STRING, min, max })
  const pattern = keywords.string('pattern')
  if (pattern !== undefined && record !== null) {
    const language = patternLanguage(keywords, 'pattern', pattern)
    record =
      language instanceof PatternError
        ? block(record, keywords.problem('pattern', `${language.message}; no regular language equals it`))
        : strings.meet(record, { ...ANY_STRING, language })
  }
  const format = keywords.string('format')
  if (format !== undefined && record !== null) {
    const language = formatLanguage(keywords, format)
    if (language === 'unknown') record = block(record, keywords.problem('format', unknownFormat(format)))
    else if (language !== null) record = strings.meet(record, { ...ANY_STRING, language })
  }
  return record === null ? [] : [record]
}

function unknownFormat(format: string): string {
  return `format ${JSON.stringify(format)} cannot be enforced yet; remove it, or compile with formats: 'annotate'`
}

/** The language of a pattern, searched for anywhere in the string. */
function patternLanguage(keywords: Keywords, keyword: string, source: string): Regex | PatternError {
  const { patterns, report, shapes } = keywords.context
  const known = patterns.get(source)
  if (known !== undefined) return known
  let language: Regex | PatternError
  try {
    const parsed = parsePatternReport(source, shapes.strings.regexes)
    language = parsed.regex
    for (const note of parsed.notes) report.narrowing(keywords.pointerTo(keyword), note)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    language = error
  }
  patterns.set(source, language)
  return language
}

function formatLanguage(keywords: Keywords, format: string): Regex | null | 'unknown' {
  const { report, formats, shapes } = keywords.context
  const name = JSON.stringify(format)
  if (formats === 'annotate') {
    report.ignored(
      keywords.pointerTo('format'),
      'format',
      `format ${name} is not enforced under formats: 'annotate'`,
    )
    return null
  }
  if (!STANDARD_FORMATS.has(format)) {
    report.ignored(
      keywords.pointerTo('format'),
      'format',
      `format ${name} is not one of JSON Schema and constrains nothing`,
    )
    return null
  }
  return formatRegex(format, shapes.strings.regexes) ?? 'unknown'
}

function block<R extends { readonly blocked: readonly SchemaProblem[] }>(
  record: R,
  problem: SchemaProblem,
): R {
  return { ...record, blocked: [...record.blocked, problem] }
}

function arraysOf(keywords: Keywords): readonly ArrayRecord[] {
  const { shapes } = keywords.context
  const { any } = shapes.nodes
  let { prefix, rest } = itemsOf(keywords)
  let min = keywords.atLeast('minItems')
  let max = keywords.atMost('maxItems')
  const unique = keywords.get('uniqueItems')
  if (unique !== undefined && typeof unique !== 'boolean')
    keywords.invalid('uniqueItems', 'must be a boolean')
  const blocked: SchemaProblem[] = []

  const contains = keywords.get('contains')
  if (contains !== undefined) {
    const node = keywords.node(contains, 'contains')
    const least = keywords.get('minContains') === undefined ? 1 : keywords.atLeast('minContains')
    const most = keywords.atMost('maxContains')
    if (node === any) {
      min = Math.max(min, least)
      max = Math.min(max, most)
    } else if (node === shapes.nodes.none) {
      if (least > 0) return []
    } else if (least > 0 || most !== Number.POSITIVE_INFINITY) {
      min = Math.max(min, least)
      blocked.push(keywords.unsupported('contains'))
    }
  }

  const unevaluated = keywords.get('unevaluatedItems')
  if (unevaluated !== undefined) {
    const node = keywords.node(unevaluated, 'unevaluatedItems')
    const items = keywords.get('items')
    const evaluatesAll = Array.isArray(items)
      ? keywords.get('additionalItems') !== undefined
      : items !== undefined
    if (node !== any && !evaluatesAll) {
      if (contains === undefined && !IN_PLACE.some((keyword) => keywords.get(keyword) !== undefined))
        rest = node
      else blocked.push(keywords.unsupported('unevaluatedItems'))
    }
  }

  const plain = prefix.length === 0 && rest === any && min === 0 && max === Number.POSITIVE_INFINITY
  if (plain && unique !== true && blocked.length === 0) return [shapes.anyArray]
  const record = shapes.settleArray({
    prefix,
    rest,
    min,
    max,
    unique: unique === true ? keywords.unsupported('uniqueItems') : null,
    blocked,
  })
  return record === null ? [] : [record]
}

function itemsOf(keywords: Keywords): { prefix: Node[]; rest: Node } {
  const { any } = keywords.context.shapes.nodes
  const items = keywords.get('items')
  const positions = keywords.array('prefixItems')
  const prefix = (positions ?? []).map((value, index) => keywords.node(value, 'prefixItems', String(index)))
  if (!Array.isArray(items))
    return { prefix, rest: items === undefined ? any : keywords.node(items, 'items') }
  if (keywords.atom.resource.dialect === 2020) {
    keywords.invalid('items', 'must be a schema in 2020-12; the schemas of positions stand in prefixItems')
  } else if (positions !== undefined) {
    keywords.invalid('items', 'must be a schema beside prefixItems')
  }
  const additional = keywords.get('additionalItems')
  return {
    prefix: items.map((value, index) => keywords.node(value, 'items', String(index))),
    rest: additional === undefined ? any : keywords.node(additional, 'additionalItems'),
  }
}

function objectsOf(keywords: Keywords): readonly ObjectRecord[] {
  const { shapes } = keywords.context
  const { nodes } = shapes
  const properties = new Map<string, Node>()
  for (const [name, value] of keywords.object('properties') ?? []) {
    properties.set(name, keywords.node(value, 'properties', name))
  }
  const written = keywords.get('additionalProperties')
  let additional = written === undefined ? nodes.any : keywords.node(written, 'additionalProperties')
  const blocked: SchemaProblem[] = []

  const patterns: Node[] = []
  let everyName: Node | null = null
  for (const [source, value] of keywords.object('patternProperties') ?? []) {
    const node = keywords.node(value, 'patternProperties', source)
    const language = patternLanguage(keywords, 'patternProperties', source)
    if (language instanceof PatternError) {
      blocked.push(
        keywords.problem('patternProperties', `${language.message}; no regular language equals it`),
      )
      continue
    }
    const record = { ...ANY_STRING, language }
    for (const [name, own] of properties) {
      if (shapes.strings.accepts(record, name)) properties.set(name, nodes.meet(own, node))
    }
    if (shapes.strings.settle(record) === null) continue
    if (shapes.strings.isEverything(language))
      everyName = everyName === null ? node : nodes.meet(everyName, node)
    else patterns.push(node)
  }
  additional = everyName ?? additional
  if (patterns.some((node) => (everyName === null ? node : nodes.meet(everyName, node)) !== additional)) {
    // A name that is not declared has the value of a pattern or the additional one: no bound but any.
    blocked.push(keywords.unsupported('patternProperties'))
  }
  if (blocked.length > 0) additional = nodes.any

  const unevaluated = keywords.get('unevaluatedProperties')
  if (unevaluated !== undefined && written === undefined) {
    const node = keywords.node(unevaluated, 'unevaluatedProperties')
    if (node !== nodes.any) {
      const patterns = keywords.get('patternProperties') !== undefined
      if (!patterns && !IN_PLACE.some((keyword) => keywords.get(keyword) !== undefined)) additional = node
      else blocked.push(keywords.unsupported('unevaluatedProperties'))
    }
  }

  const required = requiredOf(keywords)
  let min = keywords.atLeast('minProperties')
  const max = keywords.atMost('maxProperties')
  if (min <= required.size) min = 0
  const record = nameObjects(keywords, {
    properties,
    additional,
    required,
    min,
    max,
    minProblem: min > 0 ? keywords.unsupported('minProperties') : null,
    maxProblem: max !== Number.POSITIVE_INFINITY ? keywords.unsupported('maxProperties') : null,
    blocked,
  })
  if (record === null) return []
  const plain = properties.size === 0 && additional === nodes.any && required.size === 0
  if (
    plain &&
    min === 0 &&
    max === Number.POSITIVE_INFINITY &&
    record.blocked.length === 0 &&
    record.additional === nodes.any
  ) {
    return [shapes.anyObject]
  }
  const settled = shapes.settleObject(record)
  return settled === null ? [] : [settled]
}

function requiredOf(keywords: Keywords): ReadonlySet<string> {
  const names = new Set<string>()
  for (const name of keywords.array('required') ?? []) {
    if (typeof name === 'string') names.add(name)
    else keywords.invalid('required', 'must be an array of strings')
  }
  return names
}

/** Applies `propertyNames`. */
function nameObjects(keywords: Keywords, record: ObjectRecord): ObjectRecord | null {
  const written = keywords.get('propertyNames')
  if (written === undefined) return record
  const { context } = keywords
  const { nodes } = context.shapes
  const names = keywords.node(written, 'propertyNames')
  if (names === nodes.any) return record
  const properties = new Map<string, Node>()
  const blocked = [...record.blocked]
  const unsupported = keywords.unsupported('propertyNames')
  const allows = (name: string): boolean => {
    const allowed = names === nodes.none ? false : context.allowsName(names, name, keywords.mode)
    if (allowed === null && !blocked.includes(unsupported)) blocked.push(unsupported)
    return allowed ?? true
  }
  for (const [name, node] of record.properties) properties.set(name, allows(name) ? node : nodes.none)
  for (const name of record.required) if (!allows(name)) return null
  if (record.additional === nodes.none || names === nodes.none) {
    return { ...record, properties, additional: nodes.none, blocked }
  }
  const finite = context.namesOf(names, keywords.mode)
  if (finite === null) {
    blocked.push(unsupported)
    return { ...record, properties, blocked }
  }
  for (const name of finite) if (!properties.has(name)) properties.set(name, record.additional)
  return { ...record, properties, additional: nodes.none, blocked }
}
