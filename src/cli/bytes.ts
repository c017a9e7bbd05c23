/**
 * Text into a matcher, and where it stops: a grammar speaks of bytes, so the way in which a text is cut into tokens does not
 * change what it accepts.
 */
import { hasBit } from '../bits.ts'
import type { Matcher } from '../mask/matcher.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

/**
 * How many bytes behind a place are tried: where no token is one byte alone, nothing leads on from within a token, and yet
 * from its end.
 */
const REACH = 128
/** Tokens that are told by name. */
const MAX_NAMED = 4

/** Gives the matcher all bytes, or up to the first that it refuses; the number it took. */
export function feed(matcher: Matcher, bytes: Uint8Array): number {
  if (matcher.acceptBytes(bytes)) return bytes.length
  let taken = 0
  for (let end = 1; end <= bytes.length && end - taken <= REACH; end++)
    if (matcher.acceptBytes(bytes.subarray(taken, end))) taken = end
  return taken
}

/** What may come next, in words. */
export function followers(matcher: Matcher): string[] {
  const { vocabulary } = matcher
  const mask = matcher.mask().slice()
  const bytes = new Set<number>()
  const named: number[] = []
  for (let id = 0; id < vocabulary.size; id++) {
    if (!hasBit(mask, id) || vocabulary.endTokens.includes(id)) continue
    const token = vocabulary.bytes(id)
    if (token !== null && bytes.has(token[0]!)) continue
    if (token !== null && matcher.fork().acceptBytes(token)) bytes.add(token[0]!)
    else named.push(id)
  }
  const words = describeBytes([...bytes].sort((a, b) => a - b))
  if (named.length > 0) words.push(describeNamed(named, vocabulary))
  if (matcher.isComplete()) words.push('the end')
  return words
}

/** Tokens that no bytes spell here: those that the grammar names. */
function describeNamed(ids: readonly number[], vocabulary: Vocabulary): string {
  if (ids.length > MAX_NAMED) return 'one of the tokens that the grammar names'
  const texts = ids.map((id) => vocabulary.literal(id) ?? `<[${id}]>`)
  return `the token ${texts.join(' or ')}, which the grammar names`
}

/** Bytes in words: printable ASCII as itself, runs as ranges, the rest by what it begins. */
export function describeBytes(bytes: readonly number[]): string[] {
  const words: string[] = []
  const ascii = bytes.filter((byte) => byte < 0x80)
  for (let i = 0; i < ascii.length; ) {
    let end = i
    while (
      end + 1 < ascii.length &&
      ascii[end + 1] === ascii[end]! + 1 &&
      sameKind(ascii[i]!, ascii[end + 1]!)
    )
      end++
    if (end - i >= 2) words.push(`${character(ascii[i]!)}-${character(ascii[end]!)}`)
    else for (let j = i; j <= end; j++) words.push(character(ascii[j]!))
    i = end + 1
  }
  if (bytes.some((byte) => byte >= 0xc2)) words.push('a character beyond ASCII')
  if (bytes.some((byte) => byte >= 0x80 && byte < 0xc0)) words.push('the next byte of this character')
  return words
}

/** Ranges do not run from digits into letters or punctuation. */
function sameKind(a: number, b: number): boolean {
  const kind = (byte: number) => {
    if (byte >= 0x30 && byte <= 0x39) return 0
    if (byte >= 0x41 && byte <= 0x5a) return 1
    if (byte >= 0x61 && byte <= 0x7a) return 2
    return byte < 0x20 ? 3 : 4
  }
  return kind(a) === kind(b)
}

function character(byte: number): string {
  if (byte === 0x20) return 'space'
  if (byte === 0x0a) return 'line feed'
  if (byte === 0x0d) return 'carriage return'
  if (byte === 0x09) return 'tab'
  if (byte < 0x20 || byte === 0x7f) return `0x${byte.toString(16).padStart(2, '0')}`
  return String.fromCharCode(byte)
}
