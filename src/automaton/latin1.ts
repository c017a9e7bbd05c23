/** Bytes as strings of one UTF-16 unit a byte: they compare, concatenate and serve as keys as bytes do. */

/** At once this many: arguments of one call. */
const CHUNK = 4096

export function latin1(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i += CHUNK)
    text += String.fromCharCode(...bytes.subarray(i, Math.min(i + CHUNK, end)))
  return text
}

/** The UTF-8 bytes of a text. */
export function latin1Of(text: string): string {
  const bytes = encoder.encode(text)
  return latin1(bytes, 0, bytes.length)
}

export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (unit) => unit.charCodeAt(0))
}

const encoder = new TextEncoder()
