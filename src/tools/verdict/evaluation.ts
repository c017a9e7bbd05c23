/**
 * One schema object against one value: every keyword's part of the verdict, and which properties and items it has spoken of.
 *
 * Schemas within are judged by the validator, which knows where they stand and what references lead to.
 */
import type { Violation } from '../../decode/result.ts'
import { LimitError } from '../../errors.ts'
import { partPointer } from '../../json/pointer.ts'
import { jsonKey, quote } from '../../json/print.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { referenceStandsAlone } from '../../schema/dialect.ts'
import { childPointer } from '../../schema/pointer.ts'
import { REFERENCES } from '../../schema/references.ts'
import { type DynamicScope, kindOf, type Place } from '../../schema/resource.ts'
import { closestAlternative } from './alternatives.ts'
import { checkCount, checkScalar, countOf, type Read } from './scalars.ts'
import { counted } from './words.ts'

/** The value of a schema, and what is said of it. */
export interface At {
  readonly value: JsonValue
  /** Pointer of the value: not a URI fragment, and relative to the arguments. */
  readonly pointer: string
  readonly depth: number
}

/** Which properties and items of a value a schema that holds has spoken of. */
export class Evaluated {
  readonly names = new Set<string>()
  readonly items = new Set<number>()

  add({ names, items }: Evaluated): void {
    for (const name of names) this.names.add(name)
    for (const item of items) this.items.add(item)
  }
}

export interface Verdict {
  readonly violations: readonly Violation[]
  readonly evaluated: Evaluated
}

/** A schema within another, or that one refers to. */
export interface Inner {
  readonly place: Place
  readonly scope: DynamicScope
}

/** What judging one schema needs of the rest. */
export interface Means {
  judge(place: Place, scope: DynamicScope, at: At): Verdict
  child(place: Place, scope: DynamicScope, value: JsonValue, steps: readonly string[]): Inner
  target(keyword: string, reference: string, place: Place, scope: DynamicScope): Inner
  pattern(source: string, pointer: string): RegExp
  asserts(place: Place): boolean
}

/** One schema object and one value. */
export class Evaluation {
  readonly #place: Place
  readonly #scope: DynamicScope
  readonly #at: At
  readonly #means: Means
  readonly #read: Read
  readonly #violations: Violation[] = []
  readonly #evaluated = new Evaluated()

  constructor(schema: JsonObject, place: Place, scope: DynamicScope, at: At, means: Means) {
    this.#place = place
    this.#scope = scope
    this.#at = at
    this.#means = means
    const { resource } = place
    const isAlone = typeof schema.get('$ref') === 'string' && referenceStandsAlone(resource.dialect)
    this.#read = (keyword) =>
      (isAlone && keyword !== '$ref') || kindOf(keyword, resource) !== 'assertion'
        ? undefined
        : schema.get(keyword)
  }

  verdict(): Verdict {
    const { value } = this.#at
    for (const keyword of REFERENCES) {
      const reference = this.#read(keyword)
      if (typeof reference !== 'string') continue
      const { place, scope } = this.#means.target(keyword, reference, this.#place, this.#scope)
      this.#adopt(this.#means.judge(place, scope, { ...this.#at, depth: this.#at.depth + 1 }))
    }
    this.#scalar()
    this.#combined()
    if (value instanceof Map) this.#object(value)
    else if (Array.isArray(value)) this.#array(value)
    return { violations: this.#violations, evaluated: this.#evaluated }
  }

  #tell(keyword: string, message: string, steps: readonly string[] = []): void {
    const pointer = steps.reduce(partPointer, this.#at.pointer)
    this.#violations.push({ pointer, keyword, message, source: 'schema' })
  }

  /** One by one: there may be more than a call takes arguments. */
  #add(violations: readonly Violation[]): void {
    for (const violation of violations) this.#violations.push(violation)
  }

  #adopt({ violations, evaluated }: Verdict): void {
    this.#add(violations)
    if (violations.length === 0) this.#evaluated.add(evaluated)
  }

  /** What a schema under a keyword says of the same value. */
  #same(schema: JsonValue, ...steps: readonly string[]): Verdict {
    const { place, scope } = this.#means.child(this.#place, this.#scope, schema, steps)
    return this.#means.judge(place, scope, { ...this.#at, depth: this.#at.depth + 1 })
  }

  /** What it says of a part of the value. */
  #part(schema: JsonValue, steps: readonly string[], value: JsonValue, step: string): Verdict {
    const { place, scope } = this.#means.child(this.#place, this.#scope, schema, steps)
    const { pointer, depth } = this.#at
    return this.#means.judge(place, scope, { value, pointer: partPointer(pointer, step), depth: depth + 1 })
  }

  #scalar(): void {
    const { pointer, resource } = this.#place
    const options = {
      dialect: resource.dialect,
      assertFormats: this.#means.asserts(this.#place),
      pattern: (source: string) => this.#means.pattern(source, childPointer(pointer, 'pattern')),
    }
    try {
      checkScalar(this.#at.value, this.#read, options, (keyword, message) => this.#tell(keyword, message))
    } catch (error) {
      if (!(error instanceof LimitError)) throw error
      this.#tell('type', `the number cannot be judged: ${error.reason}`)
    }
  }

  /** The keywords that combine schemas on one value. */
  #combined(): void {
    this.#list('allOf')?.forEach((schema, i) => {
      this.#adopt(this.#same(schema, 'allOf', String(i)))
    })
    for (const keyword of ['anyOf', 'oneOf']) {
      const verdicts = this.#list(keyword)?.map((schema, i) => this.#same(schema, keyword, String(i)))
      if (verdicts === undefined) continue
      const fitting = verdicts.flatMap(({ violations }, i) => (violations.length === 0 ? [i] : []))
      for (const i of fitting) this.#evaluated.add(verdicts[i]!.evaluated)
      if (fitting.length === 0) {
        const all = verdicts.map(({ violations }) => violations)
        this.#add(closestAlternative(keyword, this.#at, all))
      } else if (keyword === 'oneOf' && fitting.length > 1)
        this.#tell(keyword, `fits ${fitting.length} alternatives where exactly one is allowed`)
    }
    const not = this.#read('not')
    if (not !== undefined && this.#same(not, 'not').violations.length === 0)
      this.#tell('not', 'is what must not be here')
    this.#condition()
  }

  #condition(): void {
    const condition = this.#read('if')
    if (condition === undefined) return
    const verdict = this.#same(condition, 'if')
    const holds = verdict.violations.length === 0
    if (holds) this.#evaluated.add(verdict.evaluated)
    const branch = holds ? 'then' : 'else'
    const schema = this.#read(branch)
    if (schema !== undefined) this.#adopt(this.#same(schema, branch))
  }

  #list(keyword: string): readonly JsonValue[] | undefined {
    const list = this.#read(keyword)
    return Array.isArray(list) ? list : undefined
  }

  #object(value: JsonObject): void {
    const tell = (keyword: string, message: string): void => this.#tell(keyword, message)
    for (const name of this.#list('required') ?? [])
      if (typeof name === 'string' && !value.has(name)) tell('required', `missing required ${quote(name)}`)
    checkCount(value.size, 'property', 'Properties', this.#read, tell)
    this.#dependencies(value)
    for (const [name, item] of value) this.#property(name, item)
    const unevaluated = this.#read('unevaluatedProperties')
    if (unevaluated === undefined) return
    for (const [name, item] of value) {
      if (this.#evaluated.names.has(name)) continue
      this.#entry(name, item, unevaluated, ['unevaluatedProperties'])
    }
  }

  /** A property by its name, and by every schema that speaks of it. */
  #property(name: string, item: JsonValue): void {
    const names = this.#read('propertyNames')
    if (names !== undefined)
      for (const { message } of this.#part(names, ['propertyNames'], name, name).violations)
        this.#tell('propertyNames', `the name of the property: ${message}`, [name])
    let isDeclared = false
    const judged = (schema: JsonValue, ...steps: readonly string[]): void => {
      isDeclared = true
      this.#entry(name, item, schema, steps)
    }
    const properties = this.#read('properties')
    const declared = properties instanceof Map ? properties.get(name) : undefined
    if (declared !== undefined) judged(declared, 'properties', name)
    const patterns = this.#read('patternProperties')
    if (patterns instanceof Map)
      for (const [source, schema] of patterns) {
        const pointer = childPointer(this.#place.pointer, 'patternProperties')
        if (this.#means.pattern(source, pointer).test(name)) judged(schema, 'patternProperties', source)
      }
    const rest = this.#read('additionalProperties')
    if (!isDeclared && rest !== undefined) judged(rest, 'additionalProperties')
  }

  /** A property by one schema, whose keyword is the first of the steps. */
  #entry(name: string, item: JsonValue, schema: JsonValue, steps: readonly string[]): void {
    this.#evaluated.names.add(name)
    if (schema === false) this.#tell(steps[0]!, `unexpected property ${quote(name)}`, [name])
    else this.#add(this.#part(schema, steps, item, name).violations)
  }

  #dependencies(value: JsonObject): void {
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const dependencies = this.#read(keyword)
      if (!(dependencies instanceof Map)) continue
      for (const [name, needs] of dependencies) {
        if (!value.has(name)) continue
        if (!Array.isArray(needs)) this.#adopt(this.#same(needs, keyword, name))
        else
          for (const need of needs)
            if (typeof need === 'string' && !value.has(need))
              this.#tell(keyword, `missing ${quote(need)}, which ${quote(name)} requires`)
      }
    }
  }

  #array(value: readonly JsonValue[]): void {
    const tell = (keyword: string, message: string): void => this.#tell(keyword, message)
    checkCount(value.length, 'item', 'Items', this.#read, tell)
    const [written, items] = [this.#read('prefixItems'), this.#read('items')]
    const prefixKeyword = Array.isArray(written) ? 'prefixItems' : 'items'
    const prefix = Array.isArray(written) ? written : Array.isArray(items) ? items : []
    const restKeyword = Array.isArray(items) ? 'additionalItems' : 'items'
    const rest = this.#read(restKeyword)
    value.forEach((item: JsonValue, i) => {
      const own = prefix[i]
      const schema = own ?? rest
      if (schema === undefined) return
      this.#item(i, item, schema, own === undefined ? [restKeyword] : [prefixKeyword, String(i)])
    })
    this.#unique(value)
    this.#contains(value)
    const unevaluated = this.#read('unevaluatedItems')
    if (unevaluated === undefined) return
    value.forEach((item: JsonValue, i) => {
      if (!this.#evaluated.items.has(i)) this.#item(i, item, unevaluated, ['unevaluatedItems'])
    })
  }

  /** An item by one schema, whose keyword is the first of the steps. */
  #item(i: number, item: JsonValue, schema: JsonValue, steps: readonly string[]): void {
    this.#evaluated.items.add(i)
    if (schema === false) this.#tell(steps[0]!, 'unexpected item', [String(i)])
    else this.#add(this.#part(schema, steps, item, String(i)).violations)
  }

  #unique(value: readonly JsonValue[]): void {
    if (this.#read('uniqueItems') !== true) return
    const seen = new Map<string, number>()
    value.forEach((item: JsonValue, i) => {
      const key = jsonKey(item)
      const first = seen.get(key)
      if (first === undefined) seen.set(key, i)
      else this.#tell('uniqueItems', `the item is equal to item ${first}`, [String(i)])
    })
  }

  #contains(value: readonly JsonValue[]): void {
    const contains = this.#read('contains')
    if (contains === undefined) return
    const matching = value.flatMap((item: JsonValue, i) =>
      this.#part(contains, ['contains'], item, String(i)).violations.length === 0 ? [i] : [],
    )
    const { dialect } = this.#place.resource
    if (dialect === 2020 || dialect === 0) for (const i of matching) this.#evaluated.items.add(i)
    const least = countOf(this.#read('minContains')) ?? 1
    const most = countOf(this.#read('maxContains')) ?? Number.POSITIVE_INFINITY
    const found = `${counted(matching.length, 'item')} of the kind that contains asks for`
    if (matching.length < least)
      this.#tell(least === 1 ? 'contains' : 'minContains', `${found}, where at least ${least} are required`)
    if (matching.length > most) this.#tell('maxContains', `${found}, where at most ${most} are allowed`)
  }
}
