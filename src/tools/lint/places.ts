/** How references join the places of a schema, and which types these speak of. Linear in the schema. */
import { localSteps, resolveLocal } from '../../json/pointer.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'
import { childPointer } from '../../schema/pointer.ts'
import type { Place } from '../places.ts'

/** Pointers of all that references lead to, and of all that holds it; `root` is the pointer of the whole schema. */
export function targetsOf(places: readonly Place[], root: string): Set<string> {
  const targets = new Set<string>()
  for (const { schema } of places) {
    const steps = schema instanceof Map ? localSteps(schema.get('$ref')) : null
    let pointer = root
    for (const step of steps ?? []) {
      pointer = childPointer(pointer, step)
      targets.add(pointer)
    }
  }
  return targets
}

export interface Graph {
  /** Places whose `$ref` leads back to a schema that holds it. */
  readonly recursive: ReadonlySet<Place>
  /** Deepest nesting of objects from the root, along references too, a recursion counted once. */
  readonly levels: number
}

interface Visit {
  readonly place: Place
  /** Where it leads, and whether that is a definition, which is nested nowhere by itself. */
  readonly next: readonly (readonly [Place, boolean])[]
  at: number
  deepest: number
}

/** Follows places and references depth first; linear in both. */
export function graphOf(places: readonly Place[], root: JsonObject): Graph {
  const placeOf = new Map<JsonValue, Place>()
  for (const place of places)
    if (place.schema instanceof Map && !placeOf.has(place.schema)) placeOf.set(place.schema, place)
  const recursive = new Set<Place>()
  const level = new Map<Place, number>()
  const open = new Set<Place>()
  const first = places[0]
  if (first === undefined) return { recursive, levels: 0 }
  const stack: Visit[] = []
  const enter = (place: Place): void => {
    open.add(place)
    const next = place.children.map((child): readonly [Place, boolean] => [
      child,
      child.keyword === '$defs' || child.keyword === 'definitions',
    ])
    if (place.schema instanceof Map) {
      const target = resolveLocal(root, place.schema.get('$ref'))
      const named = target === undefined ? undefined : placeOf.get(target)
      if (named !== undefined) next.push([named, false])
    }
    stack.push({ place, next, at: 0, deepest: 0 })
  }
  enter(first)
  for (;;) {
    const top = stack[stack.length - 1]
    if (top === undefined) return { recursive, levels: level.get(first) ?? 0 }
    const edge = top.next[top.at]
    if (edge === undefined) {
      open.delete(top.place)
      level.set(top.place, top.deepest + (isObjectSchema(top.place.schema) ? 1 : 0))
      stack.pop()
      continue
    }
    const [place, isDefinition] = edge
    const known = level.get(place)
    if (known !== undefined || open.has(place)) {
      top.at++
      if (known === undefined) recursive.add(top.place)
      else if (!isDefinition) top.deepest = Math.max(top.deepest, known)
    } else enter(place)
  }
}

const OBJECT_KEYWORDS = [
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'],
  ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  'unevaluatedProperties',
]

/** Whether the schema speaks of objects: by its type, or by a keyword of objects where it names no type. */
export function isObjectSchema(schema: JsonValue): boolean {
  if (!(schema instanceof Map)) return false
  const type = schema.get('type')
  if (type === undefined) return OBJECT_KEYWORDS.some((keyword) => schema.has(keyword))
  return typesOf(schema).includes('object')
}

/** The names under `type`; none where there is no `type`. */
export function typesOf(schema: JsonObject): readonly JsonValue[] {
  const type = schema.get('type')
  if (type === undefined) return []
  return Array.isArray(type) ? (type as readonly JsonValue[]) : [type]
}
