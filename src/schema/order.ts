/**
 * The order in which a reader meets what is said of a document: that of its text. Linear in the length of the pointers
 * and in the entries of the objects that they pass.
 */
import { unescapeStep } from '../json/pointer.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'

/** The entries by the place their pointer names; those of other documents come last, as they were. */
export function inDocumentOrder<T extends { readonly pointer: string }>(
  document: JsonValue,
  entries: readonly T[],
): T[] {
  if (entries.length < 2) return [...entries]
  const indices = new Map<JsonObject, Map<string, number>>()
  const indexIn = (object: JsonObject, step: string): number => {
    let known = indices.get(object)
    if (known === undefined) {
      known = new Map([...object.keys()].map((key, index) => [key, index]))
      indices.set(object, known)
    }
    return known.get(step) ?? -1
  }
  const placeOf = (pointer: string): number[] => {
    if (!pointer.startsWith('#')) return [Number.POSITIVE_INFINITY]
    const place: number[] = []
    let value: JsonValue | undefined = document
    for (const encoded of pointer.split('/').slice(1)) {
      const step = unescapeStep(decodeURIComponent(encoded))
      if (value instanceof Map) {
        place.push(indexIn(value, step))
        value = value.get(step)
      } else if (Array.isArray(value)) {
        place.push(Number(step))
        value = value[Number(step)]
      } else break
    }
    return place
  }
  return entries
    .map((entry) => ({ entry, place: placeOf(entry.pointer) }))
    .sort((a, b) => comparePlaces(a.place, b.place))
    .map(({ entry }) => entry)
}

/** Step by step; what holds a place comes before it. */
function comparePlaces(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number)
  return a.length - b.length
}
