/**
 * Judges values by a schema: every violation, with the pointer of the value and in words.
 *
 * It knows what the compiler knows: all dialects, references, the formats, and numbers with every digit. It holds no value to
 * what masks merely do not write. Where alternatives all fail, the one that the value is meant for is told, if it can be told.
 * Linear in value and schema, but for alternatives, which are all tried.
 */

import type { Violation } from '../../decode/result.ts'
import { SchemaError } from '../../errors.ts'
import { quote } from '../../json/print.ts'
import type { JsonValue } from '../../json/value.ts'
import { childPointer } from '../../schema/pointer.ts'
import { REFERENCES } from '../../schema/references.ts'
import { Report } from '../../schema/report.ts'
import { type DynamicScope, DynamicScopes, kindOf, type Place } from '../../schema/resource.ts'
import { Resources } from '../../schema/resources.ts'
import { NAMED_SCHEMAS, SCHEMAS } from '../../schema/subschemas.ts'
import { type At, Evaluated, Evaluation, type Inner, type Means, type Verdict } from './evaluation.ts'

export interface ValidatorOptions {
  readonly formats: 'assert' | 'annotate'
  /** Other documents that references may name. */
  readonly references: ReadonlyMap<string, unknown>
}

/** Deepest nesting that is judged; the call stack is used. */
const MAX_DEPTH = 600

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

function refused({ pointer }: At, keyword: string | undefined, message: string): Verdict {
  const own = keyword === undefined ? {} : { keyword }
  return { violations: [{ pointer, ...own, message, source: 'schema' }], evaluated: new Evaluated() }
}

function tooDeep(at: At): Verdict {
  return refused(at, undefined, `nested too deeply to be judged (${MAX_DEPTH} levels of value and schema)`)
}
