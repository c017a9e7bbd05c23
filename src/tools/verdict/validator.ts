/**
 * Judges values by a schema: every violation, with the pointer of the value and in words.
 *
 * It knows what the compiler knows: all dialects, references, the formats, and numbers with every digit. It holds no value to
 * what masks merely do not write. Where alternatives all fail, the one that the value is meant for is told, if it can be told.
 * Linear in value and schema, but for alternatives, which are all tried.
 */

import type { Violation } from '../../decode/result.ts'
import { LimitError, SchemaError } from '../../errors.ts'
import { partPointer } from '../../json/pointer.ts'
import { jsonKey, quote } from '../../json/print.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { referenceStandsAlone } from '../../schema/dialect.ts'
import { childPointer } from '../../schema/pointer.ts'
import { REFERENCES } from '../../schema/references.ts'
import { Report } from '../../schema/report.ts'
import { type DynamicScope, DynamicScopes, kindOf, type Place } from '../../schema/resource.ts'
import { NAMED_SCHEMAS, Resources, SCHEMAS } from '../../schema/resources.ts'
import { closestAlternative } from './alternatives.ts'
import { checkCount, checkScalar, countOf, type Read } from './scalars.ts'
import { counted } from './words.ts'

export interface ValidatorOptions {
  readonly formats: 'assert' | 'annotate'
  /** Other documents that references may name. */
  readonly references: ReadonlyMap<string, unknown>
}

/** Deepest nesting that is judged; the call stack is used. */
const MAX_DEPTH = 600

/** The value of a schema, and what is said of it. */
interface At {
  readonly value: JsonValue
  /** Pointer of the value: not a URI fragment, and relative to the arguments. */
  readonly pointer: string
  readonly depth: number
}

/** Which properties and items of a value a schema that holds has spoken of. */
class Evaluated {
  readonly names = new Set<string>()
  readonly items = new Set<number>()

  add({ names, items }: Evaluated): void {
    for (const name of names) this.names.add(name)
    for (const item of items) this.items.add(item)
  }
}

interface Verdict {
  readonly violations: readonly Violation[]
  readonly evaluated: Evaluated
}

const FINE: Verdict = { violations: [], evaluated: new Evaluated() }

export class Validator {
  readonly #resources: Resources
  readonly #report = new Report(false)
  readonly #scopes = new DynamicScopes()
  readonly #options: ValidatorOptions
  readonly #patterns = new Map<string, RegExp>()

  /** Throws `SchemaError` for references that lead nowhere and patterns that are none. */
  constructor(schema: JsonValue, options: ValidatorOptions) {
    this.#resources = new Resources(schema, options.references, this.#report)
    this.#options = options
    this.#checkAll()
    this.#report.throwIfRefused(schema)
  }

  /** Looks through the schemas of the document, so that nothing is found wrong when a value has come. */
  #checkAll(): void {
    const { root } = this.#resources
    const open: Place[] = [{ value: root.root, pointer: '#', label: 'root', resource: root }]
    const seen = new Set<JsonValue>()
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      const { value, pointer } = place
      if (typeof value === 'boolean' || seen.has(value)) continue
      seen.add(value)
      if (!(value instanceof Map)) {
        this.#report.invalid(pointer, undefined, 'a schema is an object or a boolean')
        continue
      }
      const resource = this.#resources.embedded(value) ?? place.resource
      const add = (child: JsonValue, at: string): void => {
        open.push({ value: child, pointer: at, label: '', resource })
      }
      for (const [keyword, content] of value) {
        if (kindOf(keyword, resource) !== 'assertion') continue
        const at = childPointer(pointer, keyword)
        if (REFERENCES.includes(keyword) && typeof content === 'string') {
          const target = this.#resources.find(content, { ...place, resource }, keyword)
          if (target !== null) open.push(target)
        } else if (keyword === 'pattern' && typeof content === 'string') this.#pattern(content, at)
        else if (NAMED_SCHEMAS.has(keyword) && content instanceof Map) {
          for (const [name, child] of content) {
            if (keyword === 'patternProperties') this.#pattern(name, childPointer(at, name))
            // What `dependencies` hold may be a list of names.
            if (!Array.isArray(child)) add(child, childPointer(at, name))
          }
        } else if (SCHEMAS.has(keyword)) {
          if (!Array.isArray(content)) add(content, at)
          else for (const [i, child] of content.entries()) add(child, `${at}/${i}`)
        }
      }
    }
  }

  /** Everything that is wrong with a value; empty where nothing is. */
  violations(value: JsonValue): Violation[] {
    const { root } = this.#resources
    const scope = this.#scopes.enter(this.#scopes.empty, root)
    const place = { value: root.root, pointer: '#', label: 'root', resource: root }
    const { violations } = this.#judge(place, scope, { value, pointer: '', depth: 0 })
    const seen = new Set<string>()
    return violations.filter(({ pointer, message }) => {
      const key = `${pointer} ${message}`
      return seen.has(key) ? false : seen.add(key)
    })
  }

  #judge(place: Place, scope: DynamicScope, at: At): Verdict {
    const schema = place.value
    if (schema === true || at.depth > MAX_DEPTH) return at.depth > MAX_DEPTH ? tooDeep(at) : FINE
    if (schema === false) return refused(at, undefined, 'no value is allowed here')
    if (!(schema instanceof Map)) throw new SchemaError('a schema is an object or a boolean', place.pointer)
    return new Evaluation(schema, place, scope, at, this.#means).verdict()
  }

  readonly #means: Means = {
    judge: (place, scope, at) => this.#judge(place, scope, at),
    child: (place, scope, value, steps) => this.#child(place, scope, value, steps),
    target: (keyword, reference, place, scope) => this.#target(keyword, reference, place, scope),
    pattern: (source, pointer) => this.#pattern(source, pointer),
    asserts: ({ resource }) => this.#options.formats === 'assert' || resource.vocabularies.assertFormat,
  }

  #child(place: Place, scope: DynamicScope, value: JsonValue, steps: readonly string[]): Inner {
    const resource = this.#resources.embedded(value) ?? place.resource
    const pointer = steps.reduce(childPointer, place.pointer)
    const inner = resource === place.resource ? scope : this.#scopes.enter(scope, resource)
    return { place: { value, pointer, label: '', resource }, scope: inner }
  }

  #target(keyword: string, reference: string, from: Place, scope: DynamicScope): Inner {
    let place = this.#find(keyword, reference, from)
    if (keyword !== '$ref') {
      // Where the target is a dynamic anchor, the outermost resource that has one of this name decides.
      const anchor = keyword === '$recursiveRef' ? '' : reference.slice(reference.indexOf('#') + 1)
      if (place.resource.dynamicAnchors.get(anchor)?.value === place.value)
        place = scope.targets.get(anchor) ?? place
    }
    const { resource } = place
    return { place, scope: resource === from.resource ? scope : this.#scopes.enter(scope, resource) }
  }

  #find(keyword: string, reference: string, from: Place): Place {
    const place = this.#resources.find(reference, from, keyword)
    if (place !== null) return place
    this.#report.throwIfRefused(from.value)
    throw new SchemaError(`${keyword} ${quote(reference)} leads nowhere`, from.pointer, keyword)
  }

  /** As the compiler reads it: with flag `u`, without it where that is invalid. */
  #pattern(source: string, pointer: string): RegExp {
    let pattern = this.#patterns.get(source)
    if (pattern !== undefined) return pattern
    try {
      pattern = readPattern(source)
    } catch (error) {
      this.#report.invalid(pointer, 'pattern', error instanceof Error ? error.message : String(error))
      pattern = /(?:)/u
    }
    this.#patterns.set(source, pattern)
    return pattern
  }
}

function readPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

/** A schema within another, or that one refers to. */
interface Inner {
  readonly place: Place
  readonly scope: DynamicScope
}

/** What judging one schema needs of the rest. */
interface Means {
  judge(place: Place, scope: DynamicScope, at: At): Verdict
  child(place: Place, scope: DynamicScope, value: JsonValue, steps: readonly string[]): Inner
  target(keyword: string, reference: string, place: Place, scope: DynamicScope): Inner
  pattern(source: string, pointer: string): RegExp
  asserts(place: Place): boolean
}

/** One schema object and one value. */
class Evaluation {
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

  #adopt({ violations, evaluated }: Verdict): void {
    this.#violations.push(...violations)
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
        this.#violations.push(...closestAlternative(keyword, this.#at, all))
      } else if (keyword === 'oneOf' && fitting.length > 1)
        this.#tell(keyword, `fits ${fitting.length} alternatives where exactly one is allowed`)
    }
    const not = this.#read('not')
    if (not !== undefined && this.#same(not, 'not').violations.length === 0)
      this.#tell('not', 'is what must not be here')
    const condition = this.#read('if')
    if (condition !== undefined) {
      const verdict = this.#same(condition, 'if')
      const holds = verdict.violations.length === 0
      if (holds) this.#evaluated.add(verdict.evaluated)
      const branch = holds ? 'then' : 'else'
      const schema = this.#read(branch)
      if (schema !== undefined) this.#adopt(this.#same(schema, branch))
    }
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
    const names = this.#read('propertyNames')
    const properties = this.#read('properties')
    const patterns = this.#read('patternProperties')
    const rest = this.#read('additionalProperties')
    for (const [name, item] of value) {
      if (names !== undefined)
        for (const { message } of this.#part(names, ['propertyNames'], name, name).violations)
          this.#tell('propertyNames', `the name of the property: ${message}`, [name])
      let isDeclared = false
      const judged = (schema: JsonValue, ...steps: readonly string[]): void => {
        isDeclared = true
        this.#evaluated.names.add(name)
        if (schema === false) this.#tell(steps[0]!, `unexpected property ${quote(name)}`, [name])
        else this.#violations.push(...this.#part(schema, steps, item, name).violations)
      }
      const declared = properties instanceof Map ? properties.get(name) : undefined
      if (declared !== undefined) judged(declared, 'properties', name)
      if (patterns instanceof Map)
        for (const [source, schema] of patterns) {
          const pointer = childPointer(this.#place.pointer, 'patternProperties')
          if (this.#means.pattern(source, pointer).test(name)) judged(schema, 'patternProperties', source)
        }
      if (!isDeclared && rest !== undefined) judged(rest, 'additionalProperties')
    }
    const unevaluated = this.#read('unevaluatedProperties')
    if (unevaluated === undefined) return
    for (const [name, item] of value) {
      if (this.#evaluated.names.has(name)) continue
      this.#evaluated.names.add(name)
      if (unevaluated === false)
        this.#tell('unevaluatedProperties', `unexpected property ${quote(name)}`, [name])
      else this.#violations.push(...this.#part(unevaluated, ['unevaluatedProperties'], item, name).violations)
    }
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
      this.#evaluated.items.add(i)
      const keyword = own === undefined ? restKeyword : prefixKeyword
      if (schema === false) this.#tell(keyword, 'unexpected item', [String(i)])
      else {
        const steps = own === undefined ? [restKeyword] : [prefixKeyword, String(i)]
        this.#violations.push(...this.#part(schema, steps, item, String(i)).violations)
      }
    })
    this.#unique(value)
    this.#contains(value)
    const unevaluated = this.#read('unevaluatedItems')
    if (unevaluated === undefined) return
    value.forEach((item: JsonValue, i) => {
      if (this.#evaluated.items.has(i)) return
      this.#evaluated.items.add(i)
      if (unevaluated === false) this.#tell('unevaluatedItems', 'unexpected item', [String(i)])
      else this.#violations.push(...this.#part(unevaluated, ['unevaluatedItems'], item, String(i)).violations)
    })
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

function refused({ pointer }: At, keyword: string | undefined, message: string): Verdict {
  const own = keyword === undefined ? {} : { keyword }
  return { violations: [{ pointer, ...own, message, source: 'schema' }], evaluated: new Evaluated() }
}

function tooDeep(at: At): Verdict {
  return refused(at, undefined, `nested too deeply to be judged (${MAX_DEPTH} levels of value and schema)`)
}
