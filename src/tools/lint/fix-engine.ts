/**
 * A schema without what our own engine cannot enforce, which the description says instead: what `lenient` would leave
 * out. A schema that is malformed, or that nothing satisfies, stays as it is.
 */

import { LimitError, SchemaError } from '../../errors.ts'
import { localSteps, resolveLocal } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { compile } from '../../mask/compile-schema.ts'
import { placesOf } from '../places.ts'
import { withRules } from './describe-rules.ts'
import type { LintTool } from './document.ts'
import { anyVocabulary, argumentsOf } from './engine.ts'
import type { Change } from './finding.ts'
import { targetsOf } from './places.ts'

/** What is left out may uncover more. */
const MAX_ROUNDS = 20

/** Under these, leaving something out of a schema lets less through. */
const TURNED = [
  'not',
  'if',
  'oneOf',
  'contains',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
]

export function withoutRefused(tool: LintTool, schema: JsonObject, changes: Change[]): JsonObject {
  let current = argumentsOf(schema)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let unenforced: readonly { readonly pointer: string; readonly keyword: string }[]
    try {
      unenforced = compile(current, anyVocabulary(), { lenient: true }).report.unenforced
    } catch (error) {
      if (error instanceof SchemaError || error instanceof LimitError) return current
      throw error
    }
    const before = current
    const places = placesOf(current, '#')
    const targets = targetsOf(places, '#')
    const pointers = new Set(places.map(({ pointer }) => pointer))
    for (const { pointer, keyword } of unenforced) {
      const isPlace = pointers.has(pointer.slice(0, pointer.lastIndexOf('/')))
      if (isPlace && !targets.has(pointer)) current = leaveOut(current, pointer, keyword, tool, changes)
    }
    if (current === before) return current
  }
  return current
}

/** The schema without the keyword at the pointer. */
function leaveOut(
  root: JsonObject,
  pointer: string,
  keyword: string,
  tool: LintTool,
  changes: Change[],
): JsonObject {
  const steps = localSteps(pointer)
  if (steps === null || steps.at(-1) !== keyword) return root
  const place = resolveLocal(root, pointer.slice(0, pointer.lastIndexOf('/')))
  const value = place instanceof Map ? place.get(keyword) : undefined
  if (!(place instanceof Map) || value === undefined) return root
  const rest = new Map(place)
  rest.delete(keyword)
  const schema = withRules(rest, [[keyword, value]])
  changes.push({
    effect: steps.some((step) => TURNED.includes(step)) ? 'different' : 'looser',
    pointer: tool.schemaPointer + pointer.slice(1),
    keyword,
    tool: tool.name,
    message: `${keyword} is left out, since it cannot be enforced; the description says it instead`,
  })
  return replaceAt(root, steps.slice(0, -1), schema) as JsonObject
}

/** The document with another value at a place; what is not on the way is shared. */
function replaceAt(value: JsonValue, steps: readonly string[], replacement: JsonValue): JsonValue {
  const [step, ...others] = steps
  if (step === undefined) return replacement
  if (value instanceof Map)
    return new Map(value).set(step, replaceAt(value.get(step) as JsonValue, others, replacement))
  const items = [...(value as readonly JsonValue[])]
  items[Number(step)] = replaceAt(items[Number(step)] as JsonValue, others, replacement)
  return items
}
