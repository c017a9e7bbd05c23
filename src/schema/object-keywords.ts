/**
 * The keywords of objects, as a record: declared names, the map of all further keys, required names, counts.
 *
 * A name that is declared and matched by patterns has the value that satisfies all of them; `additionalProperties` stands
 * for the keys that are neither. `propertyNames` takes names away: its schema is asked for the language of its strings.
 */
import { PatternError, type SchemaProblem } from '../errors.ts'
import type { KeyPart } from './key-map.ts'
import type { Keywords } from './keywords.ts'
import type { Node } from './node.ts'
import { joinBlocked, type ObjectRecord, propertyAt } from './shape.ts'
import { patternLanguage, patternProblem } from './string-keywords.ts'
import { NO_TIES } from './ties.ts'

/** What the keywords of objects allow. */
export function objectsOf(keywords: Keywords): readonly ObjectRecord[] {
  const { shapes } = keywords.context
  const { nodes, keys, strings } = shapes
  const blocked: SchemaProblem[] = []
  const patterns: KeyPart[] = []
  for (const [source, value] of keywords.object('patternProperties') ?? []) {
    const node = keywords.node(value, 'patternProperties', source)
    const language = patternLanguage(keywords, 'patternProperties', source)
    if (language instanceof PatternError) {
      blocked.push(patternProblem(keywords, 'patternProperties', [source], language))
    } else patterns.push({ keys: language, value: node })
  }
  const properties = new Map<string, Node>()
  for (const [name, value] of keywords.object('properties') ?? []) {
    let node = keywords.node(value, 'properties', name)
    for (const pattern of patterns)
      if (strings.matches(pattern.keys, name)) node = nodes.meet(node, pattern.value)
    properties.set(name, node)
  }
  // Which keys a pattern would leave to it is not known where one cannot be read.
  const written = keywords.get('additionalProperties')
  const additional =
    written === undefined || blocked.length > 0 ? nodes.any : keywords.node(written, 'additionalProperties')
  if (patterns.length > 0) keywords.at = 'patternProperties'
  const others = patterns.length > 0 ? keys.ofPatterns(patterns, additional) : keys.of(additional)
  const record = nameObjects(keywords, {
    properties,
    others,
    required: requiredOf(keywords),
    min: keywords.atLeast('minProperties'),
    max: keywords.atMost('maxProperties'),
    demands: [],
    ties: NO_TIES,
    blocked,
  })
  if (record === null) return []
  const { required, min, max } = record
  const plain = record.properties.size === 0 && record.others === keys.any && required.size === 0
  if (plain && min === 0 && max === Number.POSITIVE_INFINITY && record.blocked.length === 0)
    return [shapes.anyObject]
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

/** Applies `propertyNames`; `null` if it forbids a required name. */
function nameObjects(keywords: Keywords, record: ObjectRecord): ObjectRecord | null {
  const written = keywords.get('propertyNames')
  if (written === undefined) return record
  const { context } = keywords
  const { nodes, keys } = context.shapes
  const names = keywords.node(written, 'propertyNames')
  if (names === nodes.any) return record
  const allowed = context.namesOf(names, keywords.mode)
  const properties = new Map<string, Node>()
  for (const [name, node] of record.properties) properties.set(name, allowed.has(name) ? node : nodes.none)
  for (const name of record.required) if (!allowed.has(name)) return null
  const blocked = joinBlocked(record.blocked, allowed.blocked)
  if (allowed.list === null)
    return { ...record, properties, others: keys.restrict(record.others, allowed.language()), blocked }
  for (const name of allowed.list) if (!properties.has(name)) properties.set(name, propertyAt(record, name))
  return { ...record, properties, others: keys.none, blocked }
}
