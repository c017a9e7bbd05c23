/**
 * The places of a schema at which schemas stand.
 *
 * Literal values (`enum`, `const`, `default`, `examples`) are no places, whatever they look like. Linear in the schema.
 */
import type { JsonValue } from '../json/value.ts'
import { childPointer } from '../schema/pointer.ts'
import { NAMED_SCHEMAS, SCHEMA_LISTS, SINGLE_SCHEMAS } from '../schema/subschemas.ts'

export interface Place {
  /** An object or a boolean where the schema is sound. */
  readonly schema: JsonValue
  readonly pointer: string
  /** The keyword under which it stands; empty for the root. */
  readonly keyword: string
  /** Of a property or a definition: its name. */
  readonly name: string
  readonly parent: Place | null
  readonly children: Place[]
}

/** All places, each before those within it, in the order of the text. `enters` tells which keywords are looked into. */
export function placesOf(
  root: JsonValue,
  pointer: string,
  enters: (keyword: string) => boolean = () => true,
): Place[] {
  const places: Place[] = []
  const stack: Place[] = [{ schema: root, pointer, keyword: '', name: '', parent: null, children: [] }]
  while (stack.length > 0) {
    const place = stack.pop() as Place
    places.push(place)
    place.parent?.children.push(place)
    if (!(place.schema instanceof Map)) continue
    const below: Place[] = []
    for (const [keyword, value] of place.schema) {
      if (!enters(keyword)) continue
      const at = childPointer(place.pointer, keyword)
      const add = (schema: JsonValue, at: string, name: string): void => {
        below.push({ schema, pointer: at, keyword, name, parent: place, children: [] })
      }
      if (SCHEMA_LISTS.has(keyword) && Array.isArray(value)) {
        for (const [index, item] of (value as readonly JsonValue[]).entries()) add(item, `${at}/${index}`, '')
      } else if (NAMED_SCHEMAS.has(keyword) && value instanceof Map) {
        // `dependencies` names properties, too.
        for (const [name, item] of value) if (!Array.isArray(item)) add(item, childPointer(at, name), name)
      } else if (SINGLE_SCHEMAS.has(keyword) && !Array.isArray(value)) add(value, at, '')
    }
    for (const child of below.reverse()) stack.push(child)
  }
  return places
}
