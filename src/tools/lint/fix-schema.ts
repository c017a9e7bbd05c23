/**
 * The schema of one tool, changed until a service takes it; what cannot be changed without losing what the schema is for
 * stays, and lint says so again.
 *
 * Every change is listed with what it does to the arguments that are allowed. Nothing is made looser but by leaving out
 * what the service refuses, and that is said in the description. A place that a reference leads into is not moved.
 */

import { LimitError } from '../../errors.ts'
import { resolveLocal } from '../../json/pointer.ts'
import { jsonKey } from '../../json/print.ts'
import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts'
import { isKeyword } from '../../schema/dialect.ts'
import { childPointer } from '../../schema/pointer.ts'
import { placesOf } from '../places.ts'
import { NULL_FOR_NOTHING, withRules, withSentence } from './describe-rules.ts'
import type { LintTool } from './document.ts'
import type { Change, Effect } from './finding.ts'
import { ANNOTATIONS, mergeSchemas } from './merge.ts'
import { acceptsNull } from './nullable.ts'
import { isObjectSchema, targetsOf, typesOf } from './places.ts'
import { RULES, refusal, type Service } from './rules.ts'
import { isRefusedPattern, isSmall, requiredOf } from './services.ts'

/** Definitions that are copied in may multiply. */
const MAX_PLACES = 100_000

export class SchemaFixer {
  readonly #service: Service
  readonly #root: JsonObject
  readonly #rootPointer: string
  readonly #tool: string
  readonly #changes: Change[]
  /** Pointers of what references lead to, and of all that holds them. */
  readonly #targets: ReadonlySet<string>
  /** Schemas that are being changed, from the outside in, so that none is copied into itself. */
  readonly #open = new Set<JsonValue>()
  #places = 0

  constructor(tool: LintTool, root: JsonObject, service: Service, changes: Change[]) {
    this.#service = service
    this.#root = root
    this.#rootPointer = tool.schemaPointer
    this.#tool = tool.name
    this.#changes = changes
    this.#targets = targetsOf(placesOf(root, this.#rootPointer), this.#rootPointer)
  }

  fixed(): JsonObject {
    return this.#fix(this.#root, this.#rootPointer, false) as JsonObject
  }

  #say(effect: Effect, pointer: string, keyword: string, message: string): void {
    this.#changes.push({ effect, pointer, keyword, tool: this.#tool, message })
  }

  /** @param partial whether it is one of several schemas that speak of the same object, so that it cannot be closed */
  #fix(value: JsonValue, pointer: string, partial: boolean): JsonValue {
    if (!(value instanceof Map)) return value
    if (++this.#places > MAX_PLACES)
      throw new LimitError(
        'places of a schema that is fixed',
        MAX_PLACES,
        this.#places,
        'lint fewer tools, or use fewer allOf and $ref',
      )
    const isRoot = value === this.#root
    const opened: JsonValue[] = this.#open.has(value) ? [] : [value]
    this.#open.add(value)
    let schema = this.#flat(value, pointer, isRoot, opened)
    schema = this.#union(schema, pointer)
    schema = this.#tuple(schema, pointer)
    schema = this.#bare(schema, pointer, isRoot)
    if (!partial) schema = this.#typed(schema, pointer, isRoot)
    schema = this.#described(schema, pointer)
    // What is left may speak of one type alone.
    if (!partial) schema = this.#typed(schema, pointer, isRoot)
    schema = this.#children(schema, pointer, partial)
    if (!partial) schema = this.#closed(schema, pointer, isRoot)
    for (const each of opened) this.#open.delete(each)
    return this.#reference(schema)
  }

  /** `allOf`, and a reference at the root, as one schema. What is copied in is added to `opened`. */
  #flat(given: JsonObject, pointer: string, isRoot: boolean, opened: JsonValue[]): JsonObject {
    let schema = given
    const copied = (part: JsonValue): JsonValue => {
      if (!(part instanceof Map) || part.size !== 1 || !part.has('$ref')) return part
      const target = resolveLocal(this.#root, part.get('$ref'))
      if (!(target instanceof Map) || this.#open.has(target)) return part
      this.#open.add(target)
      opened.push(target)
      return target
    }
    while (isRoot && schema.has('$ref')) {
      const rest = without(schema, '$ref')
      const merged = mergeSchemas([rest, copied(new Map([['$ref', schema.get('$ref') as JsonValue]]))])
      if (merged === null || merged.get('$ref') === schema.get('$ref')) break
      this.#say('same', `${pointer}/$ref`, '$ref', 'what the root refers to is copied to the root')
      schema = merged
    }
    for (;;) {
      const all = schema.get('allOf')
      if (!Array.isArray(all) || this.#targets.has(`${pointer}/allOf`)) return schema
      const merged = mergeSchemas([without(schema, 'allOf'), ...(all as JsonArray).map(copied)])
      if (merged === null || (merged.has('$ref') && [...merged.keys()].some(constrainsBeside))) return schema
      this.#say('same', `${pointer}/allOf`, 'allOf', 'allOf is one schema with the keywords of all')
      schema = merged
    }
  }

  #union(schema: JsonObject, pointer: string): JsonObject {
    const at = `${pointer}/oneOf`
    if (!schema.has('oneOf') || schema.has('anyOf') || this.#targets.has(at)) return schema
    this.#say('looser', at, 'oneOf', 'oneOf is anyOf: more than one of the alternatives may hold')
    return new Map([...schema].map(([keyword, value]) => [keyword === 'oneOf' ? 'anyOf' : keyword, value]))
  }

  /** Items that are listed one by one become alternatives of every item. */
  #tuple(schema: JsonObject, pointer: string): JsonObject {
    const keyword = schema.has('prefixItems') ? 'prefixItems' : 'items'
    const list = schema.get(keyword)
    const rest = schema.get(keyword === 'prefixItems' ? 'items' : 'additionalItems')
    if (!Array.isArray(list) || list.length === 0 || Array.isArray(rest)) return schema
    if (!(rest instanceof Map) && rest !== false) return schema
    const at = `${pointer}/${keyword}`
    if ([at, `${pointer}/items`].some((place) => this.#targets.has(place))) return schema
    const alternatives = [...(list as JsonArray), ...(rest === false ? [] : [rest])]
    const different = [...new Map(alternatives.map((each) => [jsonKey(each), each])).values()]
    const items = different.length === 1 ? different[0]! : new Map<string, JsonValue>([['anyOf', different]])
    const most = rest === false ? list.length : Number.POSITIVE_INFINITY
    const given = schema.get('maxItems')
    const bare = new Map([...schema].filter(([key]) => key !== keyword && key !== 'additionalItems'))
    bare.set('items', items)
    if (most < (given instanceof JsonNumber ? Number(given.text) : Number.POSITIVE_INFINITY))
      bare.set('maxItems', new JsonNumber(String(most)))
    this.#say(
      'looser',
      at,
      keyword,
      'each item may be any of those that were listed by place; the description says which',
    )
    return withRules(bare, [[keyword, list]])
  }

  /** A type of object beside alternatives that all are objects says nothing, and would have to be closed. */
  #bare(schema: JsonObject, pointer: string, isRoot: boolean): JsonObject {
    const all = schema.get('anyOf')
    if (isRoot || schema.get('type') !== 'object' || !Array.isArray(all)) return schema
    if (isObjectSchema(without(schema, 'type'))) return schema
    if (!(all as JsonArray).every((each) => each instanceof Map && each.get('type') === 'object'))
      return schema
    this.#say('same', `${pointer}/type`, 'type', 'the type is left to the alternatives, which all have it')
    return without(schema, 'type')
  }

  /** Leaves out what is refused and says it in the description. */
  #described(given: JsonObject, pointer: string): JsonObject {
    const rules: [string, JsonValue][] = []
    let schema = given
    for (const [keyword, value] of given) {
      const at = childPointer(pointer, keyword)
      if (!this.#isRefused(keyword, value, given) || this.#targets.has(at)) continue
      if (keyword === 'minItems') schema = new Map(schema).set(keyword, new JsonNumber('1'))
      else schema = without(schema, keyword)
      if (keyword === 'additionalItems') {
        this.#say('same', at, keyword, 'additionalItems is left out: it says nothing where items is no list')
        continue
      }
      rules.push([keyword, value])
      const kept = keyword === 'minItems' ? 'is 1 now' : 'is left out'
      // additionalProperties, which is false in the end, then speaks of what it let through.
      const effect = keyword === 'patternProperties' ? 'different' : 'looser'
      this.#say(effect, at, keyword, `${keyword} ${kept}; the description says it instead`)
    }
    return rules.length === 0 ? schema : withRules(schema, rules)
  }

  #isRefused(keyword: string, value: JsonValue, schema: JsonObject): boolean {
    const { formats } = RULES[this.#service]
    const isAnthropic = this.#service === 'anthropic-strict'
    if (keyword === 'format') return !(typeof value === 'string' && formats.has(value))
    if (keyword === 'minItems' && isAnthropic) return value instanceof JsonNumber && !isSmall(value)
    if (keyword === 'pattern' && isAnthropic) return isRefusedPattern(value)
    // Without properties of its own it is a map, which could hold nothing any more.
    if (keyword === 'patternProperties' && !hasEntries(schema.get('properties'))) return false
    // It could be anyOf, if there were none beside it.
    if (keyword === 'oneOf') return schema.has('anyOf')
    if (keyword === 'additionalItems') return !Array.isArray(schema.get('items'))
    if (refusal(keyword, this.#service)?.remedy === 'describe') return true
    return !isAnthropic && schema.has('$ref') && constrainsBeside(keyword) && isKeyword(keyword)
  }

  /** A type for what speaks of one type only. */
  #typed(schema: JsonObject, pointer: string, isRoot: boolean): JsonObject {
    if (isRoot) {
      if (schema.has('type')) return schema
      this.#say('same', pointer, 'type', 'the arguments of a call are an object, and now it says so')
      return new Map<string, JsonValue>([['type', 'object'], ...schema])
    }
    if (TYPE_SAID.some((keyword) => schema.has(keyword))) return schema
    const types = SPOKEN_OF.filter(([, keywords]) => keywords.some((keyword) => schema.has(keyword)))
    const type = isObjectSchema(schema) ? 'object' : types[0]?.[0]
    if (type === undefined || types.length + (isObjectSchema(schema) ? 1 : 0) > 1) return schema
    this.#say('narrower', pointer, 'type', `only values of type ${type}, of which its keywords speak`)
    return new Map<string, JsonValue>([['type', type], ...schema])
  }

  #children(schema: JsonObject, pointer: string, partial: boolean): JsonObject {
    const joint = partial || isObjectSchema(without(schema, 'type')) || schema.get('type') === 'object'
    const result = new Map(schema)
    for (const [keyword, value] of schema) {
      const at = childPointer(pointer, keyword)
      if (keyword === 'items' && !Array.isArray(value)) result.set(keyword, this.#fix(value, at, false))
      else if ((keyword === 'items' || keyword === 'prefixItems') && Array.isArray(value)) {
        const each = (value as JsonArray).map((item, index) => this.#fix(item, `${at}/${index}`, false))
        result.set(keyword, each)
      } else if ((keyword === 'anyOf' || keyword === 'allOf') && Array.isArray(value)) {
        const isJoint = joint || keyword === 'allOf'
        const each = (value as JsonArray).map((item, index) => this.#fix(item, `${at}/${index}`, isJoint))
        result.set(keyword, each)
      } else if (['properties', '$defs', 'definitions'].includes(keyword) && value instanceof Map) {
        const entries = [...value].map(([name, item]): [string, JsonValue] => [
          name,
          this.#fix(item, childPointer(at, name), false),
        ])
        result.set(keyword, new Map(entries))
      }
    }
    return result
  }

  /** No further properties; and for OpenAI every property required, null where it was absent. */
  #closed(schema: JsonObject, pointer: string, isRoot: boolean): JsonObject {
    if (!isObjectSchema(schema) || ['anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => schema.has(keyword)))
      return schema
    const extra = schema.get('additionalProperties')
    const properties = schema.get('properties')
    const names = properties instanceof Map ? properties : new Map<string, JsonValue>()
    const isDeclared = [...requiredOf(schema)].every((name) => typeof name === 'string' && names.has(name))
    // What has no properties of its own is a map: closed, it could hold nothing.
    if (!isDeclared || (names.size === 0 && !(isRoot && extra === undefined)) || typesOf(schema).length === 0)
      return schema
    const result = new Map(schema)
    if (extra !== false) {
      const at = `${pointer}/additionalProperties`
      if (this.#targets.has(at)) return schema
      const message = 'the object is closed: no properties but those that are declared'
      this.#say('narrower', extra === undefined ? pointer : at, 'additionalProperties', message)
      result.set('additionalProperties', false)
    }
    return this.#service === 'openai-strict' && names.size > 0
      ? this.#required(result, names, pointer)
      : result
  }

  #required(schema: JsonObject, names: JsonObject, pointer: string): JsonObject {
    const given = requiredOf(schema)
    const required: JsonValue[] = [...given]
    const entries = new Map(names)
    for (const [name, property] of names) {
      if (given.has(name)) continue
      const at = childPointer(`${pointer}/properties`, name)
      const accepts = acceptsNull(property, this.#root)
      // Others refer to it, and would let null through, too.
      if (!accepts && (this.#targets.has(at) || !(property instanceof Map))) continue
      required.push(name)
      if (accepts) this.#say('narrower', at, 'required', 'is required now; it could be null before')
      else {
        entries.set(name, nullable(property as JsonObject))
        this.#say('different', at, 'required', 'is required now, and null where it was left out')
      }
    }
    const result = new Map(schema).set('properties', entries)
    return required.length > 0 ? result.set('required', required) : result
  }

  /** For OpenAI a reference stands alone, so what describes it stands around it. */
  #reference(schema: JsonObject): JsonObject {
    const { $ref } = Object.fromEntries(schema)
    if (this.#service !== 'openai-strict' || $ref === undefined || schema.has('anyOf')) return schema
    const rest = without(schema, '$ref')
    if ([...rest.keys()].every((keyword) => keyword.startsWith('$'))) return schema
    return new Map<string, JsonValue>([...rest, ['anyOf', [new Map([['$ref', $ref]])]]])
  }
}

const TYPE_SAID = ['type', 'enum', 'const', 'anyOf', 'allOf', 'oneOf', '$ref']
const SPOKEN_OF: readonly (readonly [string, readonly string[]])[] = [
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

function hasEntries(value: JsonValue | undefined): boolean {
  return value instanceof Map && value.size > 0
}

function without(schema: JsonObject, keyword: string): JsonObject {
  const rest = new Map(schema)
  rest.delete(keyword)
  return rest
}

/** The schema or null, and the description says what null means. */
function nullable(schema: JsonObject): JsonObject {
  const described = withSentence(schema, NULL_FOR_NOTHING)
  const values = schema.get('enum')
  const alternatives = schema.get('anyOf')
  const isPlain = ['const', 'anyOf', 'oneOf', 'allOf', '$ref'].every((keyword) => !schema.has(keyword))
  if (isPlain && (values === undefined || Array.isArray(values))) {
    const result = new Map(described)
    const types = typesOf(schema)
    if (types.length > 0 && !types.includes('null')) result.set('type', [...types, 'null'])
    if (Array.isArray(values) && !(values as JsonArray).includes(null))
      result.set('enum', [...(values as JsonArray), null])
    return result
  }
  const nothing = new Map([['type', 'null']])
  const own = [...schema.keys()].filter((keyword) => !ANNOTATIONS.has(keyword))
  if (own.length === 1 && Array.isArray(alternatives))
    return new Map(described).set('anyOf', [...(alternatives as JsonArray), nothing])
  const inner = new Map([...schema].filter(([keyword]) => !ANNOTATIONS.has(keyword)))
  const outer = [...described].filter(([keyword]) => ANNOTATIONS.has(keyword))
  return new Map<string, JsonValue>([...outer, ['anyOf', [inner, nothing]]])
}

function constrainsBeside(keyword: string): boolean {
  return keyword !== '$ref' && !keyword.startsWith('$') && !ANNOTATIONS.has(keyword)
}
