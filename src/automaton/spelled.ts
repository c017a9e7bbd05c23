/** What a JSON string spells as far as it was written: its whole characters, and the bytes of one that is not. */
import { bytesOf } from './latin1.ts'

/** @param typed what stands behind the opening quote, one byte a unit */
export function readTyped(typed: string): { readonly text: string; readonly pending: string } {
  let end = 0
  while (end < typed.length) {
    const length = lengthAt(typed, end)
    if (end + length > typed.length) break
    end += length
  }
  return { text: charactersOf(typed.slice(0, end)), pending: typed.slice(end) }
}

/** Bytes of the character that begins at an offset, as many as are certain. */
function lengthAt(typed: string, at: number): number {
  const lead = typed.charCodeAt(at)
  if (lead !== 0x5c) return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  if (typed[at + 1] !== 'u') return 2
  // A high surrogate is one half of a character.
  const high = Number.parseInt(typed.slice(at + 2, at + 6), 16)
  return at + 6 <= typed.length && high >= 0xd800 && high < 0xdc00 ? 12 : 6
}

/** The characters that these bytes spell in a JSON string. */
export function charactersOf(bytes: string): string {
  if (bytes.length === 1 && bytes !== '\\' && bytes < '\x80') return bytes
  const text = decoder.decode(bytesOf(bytes))
  return bytes.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Whether these bytes can be the beginning of the first character of a text, of which two UTF-16 units are given. */
export function maySpell(bytes: string, units: string): boolean {
  if (units === '') return false
  if (bytes.startsWith('\\')) {
    // `\uXXXX`; what follows is the other half of a pair.
    const digits = bytes.slice(2, 6).toLowerCase()
    return units.charCodeAt(0).toString(16).padStart(4, '0').startsWith(digits)
  }
  const code = units.codePointAt(0)!
  const length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  for (let i = 0; i < bytes.length; i++) {
    const lead = length === 1 ? 0 : (0xf0 << (4 - length)) & 0xff
    const own = code >> (6 * (length - 1 - i))
    if (bytes.charCodeAt(i) !== (i === 0 ? lead | own : 0x80 | (own & 0x3f))) return false
  }
  return true
}
