/** JSON pointers as URI fragments: `#/properties/a`, or `https://example.com/item#/items` in another document. */
import { escapeStep } from '../json/pointer.ts'

/** The pointer of an entry. */
export function childPointer(pointer: string, step: string): string {
  if (/^[\w$-]*$/.test(step)) return `${pointer}/${step}`
  const escaped = escapeStep(step)
  // RFC 3986 fragment characters stay; lone surrogates have no encoding and become U+FFFD.
  const encoded = encodeURI(escaped.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('#', '%23')
  return `${pointer}/${encoded}`
}
