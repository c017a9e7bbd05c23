/**
 * What to say of a value that fits none of some alternatives: what keeps it from the one that it is meant for.
 *
 * Alternatives of other types are not meant, nor those that a discriminator (a `const` or `enum` of a property) refuses. Of one
 * that is left, its violations are told; of several, that none fits.
 */
import type { Violation } from '../../decode/result.ts'
import type { JsonValue } from '../../json/value.ts'

const TYPE = /^(.*) where (.*) is required$/su

/** `alternatives` are the violations of each; none is empty. */
export function closestAlternative(
  keyword: string,
  { value, pointer }: { readonly value: JsonValue; readonly pointer: string },
  alternatives: readonly (readonly Violation[])[],
): readonly Violation[] {
  const failsAt = (violation: Violation, keywords: readonly string[]): boolean =>
    keywords.includes(violation.keyword ?? '')
  const ofType = alternatives.filter(
    (violations) => !violations.some((each) => each.pointer === pointer && each.keyword === 'type'),
  )
  if (ofType.length === 0) return [joinedTypes(keyword, pointer, alternatives)]
  const depth = pointer.split('/').length + 1
  const meant = ofType.filter(
    (violations) =>
      !violations.some((each) => failsAt(each, ['const', 'enum']) && each.pointer.split('/').length <= depth),
  )
  const [only, ...others] = meant.length === 0 ? ofType : meant
  if (others.length === 0) return only!
  if (!(value instanceof Map) && !Array.isArray(value)) {
    const why = [...new Set((meant.length === 0 ? ofType : meant).flat().map(({ message }) => message))]
    return [{ pointer, keyword, message: why.join('; and '), source: 'schema' }]
  }
  const message = `fits none of the ${alternatives.length} alternatives`
  return [{ pointer, keyword, message, source: 'schema' }]
}

/** `string where an integer or null is required`, from alternatives that all ask for other types. */
function joinedTypes(
  keyword: string,
  pointer: string,
  alternatives: readonly (readonly Violation[])[],
): Violation {
  const parts = alternatives.map((violations) =>
    TYPE.exec(violations.find((each) => each.pointer === pointer && each.keyword === 'type')!.message),
  )
  const found = parts.map((part) => part?.[1]).sort((a, b) => a!.length - b!.length)[0]
  const asked = [...new Set(parts.map((part) => part?.[2]))].join(' or ')
  return { pointer, keyword, message: `${found} where ${asked} is required`, source: 'schema' }
}
