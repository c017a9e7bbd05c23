/**
 * JSON pointers (RFC 6901): steps that are escaped, pointers of parts of values, and what local references name.
 */
import type { JsonObject, JsonValue } from './value.ts'

/** A step as a pointer has it. */
export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A step of a pointer as the key that it names. */
export function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** The pointer of a part of a value. */
export function partPointer(pointer: string, step: string): string {
  return `${pointer}/${escapeStep(step)}`
}

/** The steps of a local reference, a pointer as a URI fragment; `null` for any other reference. */
export function localSteps(reference: JsonValue | undefined): string[] | null {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return null
  let pointer: string
  try {
    pointer = decodeURIComponent(reference.slice(1))
  } catch {
    return null
  }
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return null
  return pointer.slice(1).split('/').map(unescapeStep)
}

/** What a local reference names in a document; `undefined` where there is nothing, or where it is not local. */
export function resolveLocal(root: JsonObject, reference: JsonValue | undefined): JsonValue | undefined {
  const steps = localSteps(reference)
  if (steps === null) return undefined
  let value: JsonValue | undefined = root
  for (const step of steps) {
    if (value instanceof Map) value = value.get(step)
    else if (Array.isArray(value))
      value = (value as readonly JsonValue[])[/^\d+$/.test(step) ? Number(step) : -1]
    else return undefined
  }
  return value
}
