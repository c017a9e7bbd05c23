/**
 * What a service would refuse in one schema of a strict tool, with the counts that it limits.
 *
 * What stands under a keyword that is refused as a whole is not looked into: it goes with the keyword.
 */

import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { localSteps, resolveLocal } from '../../json/pointer.ts'
import { printJson, quote } from '../../json/print.ts'
import { type JsonArray, JsonNumber, type JsonObject, type JsonValue } from '../../json/value.ts'
import { TYPES } from '../../schema/dialect.ts'
import { childPointer } from '../../schema/pointer.ts'
import { type Place, placesOf } from '../places.ts'
import type { LintTool } from './document.ts'
import type { Finding } from './finding.ts'
import { graphOf, isObjectSchema, typesOf } from './places.ts'
import { OPENAI_LIMITS, RULES, refusal, type Service } from './rules.ts'

/** What Anthropic counts over the request. */
export interface Counts {
  readonly optional: number
  readonly unions: number
}

type Say = (pointer: string, keyword: string | undefined, why: string, instead: string) => void

/** Adds the errors of one tool's schema. */
export function checkSchema(tool: LintTool, service: Service, findings: Finding[]): Counts {
  const { schema: root, schemaPointer } = tool
  const { name: serviceName } = RULES[service]
  const say: Say = (pointer, keyword, why, instead) => {
    findings.push({
      severity: 'error',
      pointer,
      ...(keyword === undefined ? {} : { keyword }),
      tool: tool.name,
      why,
      instead,
    })
  }
  if (root === undefined) {
    if (tool.schemaKey === 'input_schema' && !tool.definition.has('input_schema'))
      say(schemaPointer, 'input_schema', `${serviceName} refuses a tool without input_schema`, EMPTY_OBJECT)
    return { optional: 0, unions: 0 }
  }
  checkRoot(root, schemaPointer, service, say)
  const places = placesOf(root, schemaPointer, (keyword) => isEntered(keyword, service))
  const graph = graphOf(places, root)
  let optional = 0
  let unions = 0
  for (const place of places) {
    checkPlace(place, root, service, say)
    if (place.keyword === 'properties' && !requiredOf(place.parent?.schema).has(place.name)) optional++
    if (isUnion(place.schema)) unions++
    if (service === 'anthropic-strict' && graph.recursive.has(place)) {
      const why = 'Anthropic refuses recursive schemas; this reference leads back to what holds it'
      const instead = 'write the levels that are needed out, or take a list of steps instead of a tree'
      say(`${place.pointer}/$ref`, '$ref', why, instead)
    }
  }
  if (service === 'openai-strict') checkSizes(places, graph.levels, schemaPointer, say)
  return { optional, unions }
}

const EMPTY_OBJECT = 'write {"type": "object", "properties": {}, "additionalProperties": false}'

/** Keywords whose schemas count: those that are taken, and those that become something that is. */
export function isEntered(keyword: string, service: Service): boolean {
  if (keyword === 'additionalProperties') return false
  const refused = refusal(keyword, service)
  return refused === null || refused.remedy === 'union' || keyword === 'prefixItems'
}

/** By the list, which is asked for each property. */
const required = new WeakMap<JsonArray, ReadonlySet<JsonValue>>()

/** The names that the schema requires. */
export function requiredOf(schema: JsonValue | undefined): ReadonlySet<JsonValue> {
  const list = schema instanceof Map ? schema.get('required') : undefined
  if (!Array.isArray(list)) return new Set()
  const known = required.get(list)
  if (known !== undefined) return known
  const names = new Set(list as JsonArray)
  required.set(list, names)
  return names
}

function isUnion(schema: JsonValue): boolean {
  return schema instanceof Map && (schema.has('anyOf') || typesOf(schema).length > 1)
}

function checkRoot(root: JsonObject, pointer: string, service: Service, say: Say): void {
  const { name } = RULES[service]
  if (root.get('type') !== 'object')
    say(pointer, 'type', `${name} wants "type": "object" at the root`, 'make the arguments one object')
  const combinations = service === 'openai-strict' ? ['anyOf'] : ['anyOf', 'oneOf', 'allOf']
  for (const keyword of combinations) {
    if (root.has(keyword)) {
      const instead = 'put the alternatives under a property, or make each a tool of its own'
      say(`${pointer}/${keyword}`, keyword, `${name} refuses ${keyword} at the root`, instead)
    }
  }
}

function checkPlace({ schema, pointer }: Place, root: JsonObject, service: Service, say: Say): void {
  const { name, formats } = RULES[service]
  if (!(schema instanceof Map)) {
    const what = typeof schema === 'boolean' ? `the schema ${schema}` : 'what is no schema'
    say(pointer, undefined, `${name} refuses ${what}`, 'write a schema with a type')
    return
  }
  for (const keyword of schema.keys()) {
    const refused = refusal(keyword, service)
    if (refused !== null) say(childPointer(pointer, keyword), keyword, refused.why, refused.instead)
  }
  checkTypes(schema, pointer, service, say)
  checkReference(schema, pointer, root, service, say)
  if (isObjectSchema(schema)) checkObject(schema, pointer, service, say)
  const { minItems, items, format, pattern } = Object.fromEntries(schema)
  if (Array.isArray(items)) {
    const instead = 'use one schema for all items, or an object with a property for each place'
    say(`${pointer}/items`, 'items', `${name} refuses a list of schemas under items`, instead)
  }
  if (service === 'openai-strict' && typesOf(schema).includes('array') && items === undefined)
    say(pointer, 'items', 'OpenAI refuses an array without items', 'say what the items are')
  if (service === 'anthropic-strict' && minItems !== undefined && !isSmall(minItems)) {
    const instead = 'use 0 or 1, say the bound in the description, and check it when the call comes'
    say(`${pointer}/minItems`, 'minItems', 'Anthropic takes only 0 and 1 for minItems', instead)
  }
  if (format !== undefined && !(typeof format === 'string' && formats.has(format))) {
    const instead = `use one of ${[...formats].join(', ')}, or say it in the description`
    say(`${pointer}/format`, 'format', `${name} does not know this format`, instead)
  }
  if (pattern !== undefined && service === 'anthropic-strict') {
    const problem = patternProblem(pattern)
    const instead = 'write it without, or say it in the description'
    if (problem !== null) say(`${pointer}/pattern`, 'pattern', `Anthropic refuses ${problem}`, instead)
  }
}

/** 0 or 1. */
export function isSmall(value: JsonValue): boolean {
  return value instanceof JsonNumber && (Number(value.text) === 0 || Number(value.text) === 1)
}

function checkTypes(schema: JsonObject, pointer: string, service: Service, say: Say): void {
  const { name } = RULES[service]
  for (const type of typesOf(schema)) {
    if (typeof type !== 'string' || !TYPES.has(type))
      say(
        `${pointer}/type`,
        'type',
        `${typeof type === 'string' ? quote(type) : 'this'} is no type`,
        TYPE_NAMES,
      )
  }
  const says = ['type', 'enum', 'const', 'anyOf', 'allOf', 'oneOf', '$ref']
  if (!says.some((keyword) => schema.has(keyword)))
    say(pointer, 'type', `${name} refuses a schema without a type`, 'give it a type, or enum, anyOf or $ref')
  if (service === 'openai-strict') return
  const values = schema.get('enum')
  const list: readonly [string, JsonValue][] = [
    ...(Array.isArray(values) ? (values as JsonArray).map((v): [string, JsonValue] => ['enum', v]) : []),
    ...(schema.has('const') ? [['const', schema.get('const') as JsonValue] as [string, JsonValue]] : []),
  ]
  const complex = list.find(([, v]) => Array.isArray(v) || v instanceof Map)
  if (complex !== undefined) {
    const [keyword] = complex
    const why = `Anthropic takes only strings, numbers, booleans and null in ${keyword}`
    say(`${pointer}/${keyword}`, keyword, why, 'use an object with a const for each property, or short names')
  }
}

const TYPE_NAMES = `use one of ${[...TYPES].join(', ')}`

function checkReference(
  schema: JsonObject,
  pointer: string,
  root: JsonObject,
  service: Service,
  say: Say,
): void {
  const reference = schema.get('$ref')
  if (reference !== undefined) {
    const target = resolveLocal(root, reference)
    const at = `${pointer}/$ref`
    if (localSteps(reference) === null) {
      const why = `${RULES[service].name} follows only references within the schema`
      say(at, '$ref', why, 'copy what it names into $defs and write #/$defs/…')
    } else if (target === undefined || !(target instanceof Map || typeof target === 'boolean'))
      say(at, '$ref', 'nothing stands where the reference leads', 'define it in $defs')
    const beside = [...schema.keys()].filter((keyword) => keyword !== '$ref' && !keyword.startsWith('$'))
    if (service === 'openai-strict' && beside.length > 0) {
      const why = `OpenAI refuses keywords beside $ref: ${beside.map((keyword) => quote(keyword)).join(', ')}`
      say(at, '$ref', why, 'put the reference under anyOf, as its only alternative, and the rest beside that')
    }
  }
  const all = schema.get('allOf')
  if (service === 'anthropic-strict' && Array.isArray(all)) {
    for (const [index, item] of (all as JsonArray).entries()) {
      if (item instanceof Map && item.has('$ref')) {
        const why = 'Anthropic refuses $ref within allOf'
        say(`${pointer}/allOf/${index}`, 'allOf', why, 'write one schema with the keywords of all')
      }
    }
  }
}

function checkObject(schema: JsonObject, pointer: string, service: Service, say: Say): void {
  const { name } = RULES[service]
  const extra = schema.get('additionalProperties')
  const properties = schema.get('properties')
  const names = properties instanceof Map ? properties : new Map<string, JsonValue>()
  if (extra !== false) {
    const why = `${name} wants "additionalProperties": false for every object`
    const instead =
      names.size > 0
        ? 'close the object'
        : 'declare its properties; for free keys use an array of objects with a key and a value'
    const at = extra === undefined ? pointer : `${pointer}/additionalProperties`
    say(at, 'additionalProperties', why, instead)
  }
  if (properties !== undefined && !(properties instanceof Map))
    say(`${pointer}/properties`, 'properties', 'properties is no object', 'write {"name": schema, …}')
  const list = schema.get('required')
  if (list !== undefined && !Array.isArray(list))
    say(`${pointer}/required`, 'required', 'required is no list', 'list the names of properties')
  const given = requiredOf(schema)
  const undeclared = [...given].filter((key) => typeof key !== 'string' || !names.has(key))
  if (undeclared.length > 0) {
    const what = undeclared.map((key) => (typeof key === 'string' ? quote(key) : 'no name')).join(', ')
    say(
      `${pointer}/required`,
      'required',
      `required, but not declared: ${what}`,
      'declare them in properties',
    )
  }
  if (service !== 'openai-strict') return
  for (const key of names.keys()) {
    if (given.has(key)) continue
    const instead = 'list it in required, and let it be null where it was absent'
    say(
      childPointer(`${pointer}/properties`, key),
      'required',
      'OpenAI wants every property required',
      instead,
    )
  }
}

const parser = new RegExpParser({ ecmaVersion: 2025 })

export function isRefusedPattern(pattern: JsonValue): boolean {
  return patternProblem(pattern) !== null
}

/** What Anthropic does not take in a pattern. */
function patternProblem(pattern: JsonValue): string | null {
  if (typeof pattern !== 'string') return 'a pattern that is no string'
  let found: string | null = null
  try {
    visitRegExpAST(parser.parsePattern(pattern, 0, pattern.length, { unicode: false }), {
      onAssertionEnter({ kind }) {
        if (kind === 'word') found = 'word boundaries (\\b, \\B)'
        else if (kind === 'lookahead' || kind === 'lookbehind') found = 'lookahead and lookbehind'
      },
      onBackreferenceEnter() {
        found = 'back-references'
      },
    })
  } catch {
    return 'a pattern that is no regular expression'
  }
  return found
}

function checkSizes(places: readonly Place[], levels: number, pointer: string, say: Say): void {
  let properties = 0
  let characters = 0
  let values = 0
  for (const { schema, pointer: at, keyword, name } of places) {
    if (keyword === 'properties') properties++
    if (['properties', '$defs', 'definitions'].includes(keyword)) characters += name.length
    if (!(schema instanceof Map)) continue
    const list = schema.get('enum')
    const choices = Array.isArray(list) ? (list as JsonArray) : []
    const sizes = choices.map(sizeOf).reduce((sum, size) => sum + size, 0)
    values += choices.length
    characters += sizes + (schema.has('const') ? sizeOf(schema.get('const') as JsonValue) : 0)
    const { longEnum, longEnumCharacters } = OPENAI_LIMITS
    const isLong = choices.length > longEnum && choices.every((choice) => typeof choice === 'string')
    if (isLong && sizes > longEnumCharacters) {
      const why = `${sizes} characters in an enum of ${choices.length} strings: OpenAI takes ${longEnumCharacters} where there are more than ${longEnum}`
      say(`${at}/enum`, 'enum', why, 'use shorter names, or a string that is checked when the call comes')
    }
  }
  const limit = (what: string, actual: number, most: number): void => {
    const why = `${actual} ${what}: OpenAI takes ${most} in a schema`
    if (actual > most)
      say(pointer, undefined, why, 'split the tool in two, or leave out what it can do without')
  }
  limit('properties', properties, OPENAI_LIMITS.properties)
  limit('levels of objects within each other', levels, OPENAI_LIMITS.levels)
  limit('characters of names, enum and const', characters, OPENAI_LIMITS.characters)
  limit('values of enum', values, OPENAI_LIMITS.enumValues)
}

function sizeOf(value: JsonValue): number {
  return typeof value === 'string' ? value.length : printJson(value).length
}
