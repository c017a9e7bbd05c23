/**
 * Which characters can still come of the first bytes of one: UTF-8, the escapes of a JSON string, the one spelling that
 * a key has. Written from RFC 3629 and RFC 8259, for the recogniser; shares nothing with the engine.
 */

/** `json`: in a string value. `key`: as `JSON.stringify` writes it. `raw`: plain UTF-8. */
export type Spelling = 'json' | 'key' | 'raw'

export interface Pending {
  /** Whether the bytes are a whole character; `ranges` then holds it alone. */
  readonly whole: boolean
  /** Code points, inclusive, without surrogates. */
  readonly ranges: readonly (readonly [number, number])[]
}

const BACKSLASH = 0x5c
const SHORT = new Map([
  ['"', 0x22],
  ['\\', 0x5c],
  ['/', 0x2f],
  ['b', 0x08],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
])
/** Every character that a key writes as an escape, and how. */
const KEY_ESCAPES: readonly (readonly [number, string])[] = [...Array(0x20).keys(), 0x22, 0x5c].map(
  (codePoint) => [codePoint, JSON.stringify(String.fromCharCode(codePoint)).slice(1, -1)],
)

/** The characters that begin with `bytes` (at least one); `null` if there is none. */
export function pendingCharacter(bytes: readonly number[], spelling: Spelling): Pending | null {
  const first = bytes[0] as number
  if (first === BACKSLASH && spelling !== 'raw') {
    const text = String.fromCharCode(...bytes)
    return spelling === 'key' ? keyEscape(text) : jsonEscape(text)
  }
  if (first < 0x80) {
    if (spelling !== 'raw' && (first < 0x20 || first === 0x22)) return null
    return { whole: true, ranges: [[first, first]] }
  }
  return utf8(bytes)
}

function utf8(bytes: readonly number[]): Pending | null {
  const first = bytes[0] as number
  const length =
    first >= 0xc2 && first <= 0xdf
      ? 2
      : first >= 0xe0 && first <= 0xef
        ? 3
        : first >= 0xf0 && first <= 0xf4
          ? 4
          : 0
  if (length === 0 || bytes.length > length) return null
  let low = first & (0xff >> (length + 1))
  let high = low
  for (let i = 1; i < length; i++) {
    const byte = bytes[i]
    if (byte !== undefined && (byte & 0xc0) !== 0x80) return null
    low = (low << 6) | (byte === undefined ? 0 : byte & 0x3f)
    high = (high << 6) | (byte === undefined ? 0x3f : byte & 0x3f)
  }
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000
  return some(bytes.length === length, withoutSurrogates(Math.max(low, least), Math.min(high, 0x10ffff)))
}

function keyEscape(text: string): Pending | null {
  const fitting = KEY_ESCAPES.filter(([, spelled]) => spelled.startsWith(text))
  return some(
    fitting.length === 1 && fitting[0]?.[1] === text,
    fitting.map(([codePoint]) => [codePoint, codePoint] as const),
  )
}

function jsonEscape(text: string): Pending | null {
  if (text.length === 1) return some(false, withoutSurrogates(0, 0x10ffff))
  const short = SHORT.get(text.slice(1))
  if (short !== undefined) return { whole: true, ranges: [[short, short]] }
  const unit = hexUnit(text.slice(0, 6))
  if (unit === null) return null
  const [low, high] = unit
  if (text.length < 6) {
    const ranges = [...withoutSurrogates(low, high)]
    const from = Math.max(low, 0xd800)
    const to = Math.min(high, 0xdbff)
    if (from <= to) ranges.push([pair(from, 0xdc00), pair(to, 0xdfff)])
    return some(false, ranges)
  }
  if (low < 0xd800 || low > 0xdfff) return text.length === 6 ? { whole: true, ranges: [[low, low]] } : null
  if (low > 0xdbff) return null
  const second = text.slice(6)
  if (second === '' || second === '\\')
    return { whole: false, ranges: [[pair(low, 0xdc00), pair(low, 0xdfff)]] }
  const next = hexUnit(second)
  if (next === null) return null
  const from = Math.max(next[0], 0xdc00)
  const to = Math.min(next[1], 0xdfff)
  return from > to ? null : { whole: second.length === 6, ranges: [[pair(low, from), pair(low, to)]] }
}

/** The UTF-16 units that `\u` and up to four digits may become. */
function hexUnit(text: string): readonly [number, number] | null {
  const match = /^\\u([0-9a-fA-F]{0,4})$/.exec(text)
  if (match === null) return null
  const digits = match[1] as string
  return [Number.parseInt(digits.padEnd(4, '0'), 16), Number.parseInt(digits.padEnd(4, 'f'), 16)]
}

function pair(high: number, low: number): number {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
}

function withoutSurrogates(low: number, high: number): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [
    [low, Math.min(high, 0xd7ff)],
    [Math.max(low, 0xe000), high],
  ]
  return ranges.filter(([from, to]) => from <= to)
}

function some(whole: boolean, ranges: readonly (readonly [number, number])[]): Pending | null {
  return ranges.length === 0 ? null : { whole, ranges }
}
