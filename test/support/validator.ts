/**
 * A plain validator, keyword by keyword as the specification says, on values that lost no digit: the judge where doubles
 * cannot say (numbers of many digits, `multipleOf: 0.01`), for draft 4, and for schemas without `$schema`, which have the
 * keywords of every dialect. It shares with the engine how JSON is read, the table of dialects and the formats, nothing
 * else. References lead to pointers within the document only; what else there is ends in `Unjudged`.
 */
import { readJson } from '../../src/json/read.ts'
import { JsonNumber, type JsonValue } from '../../src/json/value.ts'
import { CharDfa } from '../../src/regex/chardfa.ts'
import { FORMAT_NAMES, formatRegex } from '../../src/regex/formats.ts'
import { RegexBuilder } from '../../src/regex/regex.ts'
import { type Dialect, dialectOf, keywordKind, referenceStandsAlone } from '../../src/schema/dialect.ts'

/** What this judge does not know. */
export class Unjudged extends Error {
  override readonly name = 'Unjudged'
}

/** Whether a text has the format, by the languages that the engine uses; by name. */
export function ourFormats(): ReadonlyMap<string, (text: string) => boolean> {
  const builder = new RegexBuilder()
  const formats = new Map<string, (text: string) => boolean>()
  for (const name of FORMAT_NAMES) {
    const language = formatRegex(name, builder)
    if (language === null) continue
    const dfa = new CharDfa(builder, language)
    formats.set(name, (text) => dfa.accepts(text))
  }
  return formats
}

type Schema = Map<string, JsonValue>

/** Which properties and items of a value a schema has spoken of; only the sets of a schema that holds count. */
interface Evaluated {
  readonly names: Set<string>
  readonly items: Set<number>
}

interface Exact {
  readonly mantissa: bigint
  readonly exponent: number
}

function exact({ text }: JsonNumber): Exact {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const exponent = Number(power) - fraction.length
  if (Math.abs(exponent) > 2000) throw new Unjudged('a number of more than 2000 digits')
  return { mantissa: BigInt(`${sign}${whole}${fraction}`), exponent }
}

/** Both as integers of the same unit. */
function aligned(a: Exact, b: Exact): [bigint, bigint] {
  const least = Math.min(a.exponent, b.exponent)
  return [a.mantissa * 10n ** BigInt(a.exponent - least), b.mantissa * 10n ** BigInt(b.exponent - least)]
}

function isWhole(value: JsonNumber): boolean {
  const [scaled, one] = aligned(exact(value), { mantissa: 1n, exponent: 0 })
  return scaled % one === 0n
}

/** A text that equal values, and only they, have in common. */
function key(value: JsonValue): string {
  if (value instanceof JsonNumber) {
    let { mantissa, exponent } = exact(value)
    if (mantissa === 0n) return '0'
    while (mantissa % 10n === 0n) {
      mantissa /= 10n
      exponent++
    }
    return `${mantissa}e${exponent}`
  }
  if (Array.isArray(value)) return `[${value.map(key).join(',')}]`
  if (value instanceof Map) {
    const entries = [...value].map(([name, item]) => `${JSON.stringify(name)}:${key(item)}`)
    return `{${entries.sort().join(',')}}`
  }
  return JSON.stringify(value)
}

function typesOf(value: JsonValue, dialect: Dialect): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  if (value instanceof Map) return ['object']
  if (!(value instanceof JsonNumber)) return [typeof value]
  const integer = dialect === 4 ? /^-?\d+$/.test(value.text) : isWhole(value)
  return integer ? ['number', 'integer'] : ['number']
}

export class Validator {
  readonly #root: JsonValue
  readonly #dialect: Dialect
  readonly #formats: ReadonlyMap<string, (text: string) => boolean>
  readonly #patterns = new Map<string, RegExp>()

  constructor(schema: string, formats: ReadonlyMap<string, (text: string) => boolean>) {
    this.#root = readJson(schema)
    this.#formats = formats
    const uri = this.#root instanceof Map ? this.#root.get('$schema') : undefined
    this.#dialect = typeof uri === 'string' ? (dialectOf(uri) ?? 0) : 0
  }

  /** Whether the text is an instance. Throws `Unjudged`. */
  accepts(text: string): boolean {
    return this.#evaluate(this.#root, readJson(text), 0) !== null
  }

  /** What the schema speaks of where it holds, `null` where it does not. */
  #evaluate(schema: JsonValue | undefined, value: JsonValue, depth: number): Evaluated | null {
    const evaluated: Evaluated = { names: new Set(), items: new Set() }
    if (schema === undefined || schema === true) return evaluated
    if (schema === false) return null
    if (!(schema instanceof Map)) throw new Unjudged('a schema that is none')
    if (depth > 200) throw new Unjudged('schemas within schemas')
    if (schema.has(this.#dialect === 4 ? 'id' : '$id') && schema !== this.#root)
      throw new Unjudged('a document within the document')
    const has = this.#reader(schema)
    const holds = (part: JsonValue | undefined, at: JsonValue = value): boolean =>
      this.#evaluate(part, at, depth + 1) !== null
    const adopt = (part: JsonValue | undefined): boolean => {
      const inner = this.#evaluate(part, value, depth + 1)
      for (const name of inner?.names ?? []) evaluated.names.add(name)
      for (const item of inner?.items ?? []) evaluated.items.add(item)
      return inner !== null
    }
    if (has('$recursiveRef') !== undefined || has('$dynamicRef') !== undefined)
      throw new Unjudged('a reference that depends on where it is met')
    const reference = has('$ref')
    if (reference !== undefined && !adopt(this.#target(reference))) return null
    if (!this.#plain(has, value)) return null
    if (!this.#combined(has, holds, adopt, value)) return null
    if (value instanceof Map && !this.#object(has, holds, value, evaluated)) return null
    if (Array.isArray(value) && !this.#array(has, holds, value, evaluated)) return null
    return evaluated
  }

  /** The keywords that the dialect has and that are not silenced. */
  #reader(schema: Schema): (keyword: string) => JsonValue | undefined {
    const alone = schema.has('$ref') && referenceStandsAlone(this.#dialect)
    return (keyword) =>
      (alone && keyword !== '$ref') || keywordKind(keyword, this.#dialect) !== 'assertion'
        ? undefined
        : schema.get(keyword)
  }

  #target(reference: JsonValue): JsonValue {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw new Unjudged('a reference out of the document')
    let place: JsonValue | undefined = this.#root
    for (const step of decodeURIComponent(reference).split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (place instanceof Map && place.has('$id') && place !== this.#root)
        throw new Unjudged('a document within the document')
      place = place instanceof Map ? place.get(name) : Array.isArray(place) ? place[Number(name)] : undefined
    }
    if (place === undefined) throw new Unjudged('a reference to nothing')
    return place
  }

  #pattern(source: string): RegExp {
    let expression = this.#patterns.get(source)
    if (expression === undefined) {
      try {
        expression = new RegExp(source, 'u')
      } catch {
        expression = new RegExp(source)
      }
      this.#patterns.set(source, expression)
    }
    return expression
  }

  /** The keywords without schemas in them. */
  #plain(has: (keyword: string) => JsonValue | undefined, value: JsonValue): boolean {
    const type = has('type')
    const types = typesOf(value, this.#dialect)
    if (type !== undefined && ![type].flat().some((name) => types.includes(String(name)))) return false
    const list = has('enum')
    if (Array.isArray(list) && !list.some((each) => key(each) === key(value))) return false
    const only = has('const')
    if (only !== undefined && key(only) !== key(value)) return false
    if (value instanceof JsonNumber) return this.#number(has, value)
    const count = (keyword: string, fallback: number): number => {
      const bound = has(keyword)
      return bound instanceof JsonNumber ? Number(bound.text) : fallback
    }
    const between = (what: string, size: number): boolean =>
      size >= count(`min${what}`, 0) && size <= count(`max${what}`, Number.POSITIVE_INFINITY)
    if (Array.isArray(value)) return between('Items', value.length)
    if (value instanceof Map) return between('Properties', value.size)
    if (typeof value !== 'string') return true
    const [pattern, format] = [has('pattern'), has('format')]
    if (typeof pattern === 'string' && !this.#pattern(pattern).test(value)) return false
    if (typeof format === 'string' && this.#formats.get(format)?.(value) === false) return false
    return between('Length', [...value].length)
  }

  #number(has: (keyword: string) => JsonValue | undefined, value: JsonNumber): boolean {
    const compare = (keyword: string): number | undefined => {
      const bound = has(keyword)
      if (!(bound instanceof JsonNumber)) return undefined
      const [left, right] = aligned(exact(value), exact(bound))
      return left < right ? -1 : left > right ? 1 : 0
    }
    const [low, high] = [compare('minimum') ?? 1, compare('maximum') ?? -1]
    if (low < 0 || (low === 0 && has('exclusiveMinimum') === true)) return false
    if (high > 0 || (high === 0 && has('exclusiveMaximum') === true)) return false
    if ((compare('exclusiveMinimum') ?? 1) <= 0 || (compare('exclusiveMaximum') ?? -1) >= 0) return false
    const step = has('multipleOf')
    if (!(step instanceof JsonNumber)) return true
    const [scaled, unit] = aligned(exact(value), exact(step))
    return scaled % unit === 0n
  }

  /** The keywords that combine schemas on one value. */
  #combined(
    has: (keyword: string) => JsonValue | undefined,
    holds: (part: JsonValue) => boolean,
    adopt: (part: JsonValue | undefined) => boolean,
    value: JsonValue,
  ): boolean {
    const list = (keyword: string): readonly JsonValue[] | undefined => {
      const parts = has(keyword)
      return Array.isArray(parts) ? parts : undefined
    }
    // Every part is looked at: those that hold speak of properties and items.
    if (list('allOf')?.map(adopt).includes(false)) return false
    if (list('anyOf')?.map(adopt).includes(true) === false) return false
    const one = list('oneOf')
    if (one !== undefined && one.map(adopt).filter(Boolean).length !== 1) return false
    const not = has('not')
    if (not !== undefined && holds(not)) return false
    const condition = has('if')
    if (condition !== undefined && !adopt(adopt(condition) ? has('then') : has('else'))) return false
    if (!(value instanceof Map)) return true
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const dependencies = has(keyword)
      if (!(dependencies instanceof Map)) continue
      for (const [name, needs] of dependencies) {
        if (!value.has(name)) continue
        if (Array.isArray(needs) ? needs.some((need) => !value.has(String(need))) : !adopt(needs))
          return false
      }
    }
    return true
  }

  #object(
    has: (keyword: string) => JsonValue | undefined,
    holds: (part: JsonValue, at: JsonValue) => boolean,
    value: Schema,
    evaluated: Evaluated,
  ): boolean {
    const required = has('required')
    if (Array.isArray(required) && required.some((name) => !value.has(String(name)))) return false
    const names = has('propertyNames')
    if (names !== undefined && [...value.keys()].some((name) => !holds(names, name))) return false
    const [properties, patterns] = [has('properties'), has('patternProperties')]
    const here = new Set<string>()
    for (const [name, item] of value) {
      const schemas: JsonValue[] = []
      const declared = properties instanceof Map ? properties.get(name) : undefined
      if (declared !== undefined) schemas.push(declared)
      if (patterns instanceof Map) {
        for (const [pattern, schema] of patterns) if (this.#pattern(pattern).test(name)) schemas.push(schema)
      }
      const rest = has('additionalProperties')
      if (schemas.length === 0 && rest !== undefined) schemas.push(rest)
      if (schemas.length > 0) here.add(name)
      if (schemas.some((schema) => !holds(schema, item))) return false
    }
    for (const name of here) evaluated.names.add(name)
    const unevaluated = has('unevaluatedProperties')
    if (unevaluated === undefined) return true
    for (const [name, item] of value) {
      if (!evaluated.names.has(name) && !holds(unevaluated, item)) return false
      evaluated.names.add(name)
    }
    return true
  }

  #array(
    has: (keyword: string) => JsonValue | undefined,
    holds: (part: JsonValue, at: JsonValue) => boolean,
    value: readonly JsonValue[],
    evaluated: Evaluated,
  ): boolean {
    const [written, items] = [has('prefixItems'), has('items')]
    const prefix = Array.isArray(written) ? written : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? has('additionalItems') : items
    for (const [index, item] of value.entries()) {
      const schema = prefix[index] ?? rest
      if (schema === undefined) continue
      if (!holds(schema, item)) return false
      evaluated.items.add(index)
    }
    if (has('uniqueItems') === true && new Set(value.map(key)).size < value.length) return false
    const contains = has('contains')
    if (contains !== undefined) {
      const found = value.flatMap((item, index) => (holds(contains, item) ? [index] : []))
      const [min, max] = [has('minContains'), has('maxContains')]
      if (found.length < (min instanceof JsonNumber ? Number(min.text) : 1)) return false
      if (max instanceof JsonNumber && found.length > Number(max.text)) return false
      // Since 2020-12 what is contained is evaluated.
      if (this.#dialect === 2020 || this.#dialect === 0) for (const index of found) evaluated.items.add(index)
    }
    const unevaluated = has('unevaluatedItems')
    if (unevaluated === undefined) return true
    for (const [index, item] of value.entries()) {
      if (!evaluated.items.has(index) && !holds(unevaluated, item)) return false
      evaluated.items.add(index)
    }
    return true
  }
}
