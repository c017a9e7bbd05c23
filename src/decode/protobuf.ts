/**
 * The little of Protocol Buffers' wire format that editing an ONNX file takes: walking over the fields of a message, and
 * writing fields. Nothing is copied while reading; a walk costs what it visits, since a field says its length.
 */

/** A field: its number, the offset of its tag, and its content from `start` to `end`. Numbers stand in `value`. */
export interface Field {
  readonly number: number
  readonly tag: number
  readonly start: number
  readonly end: number
  readonly value: number
}

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** The fields of the message from `start` to `end`. Throws `RangeError` where the bytes are no message. */
export function* fieldsOf(bytes: Uint8Array, start = 0, end = bytes.length): Generator<Field> {
  let at = start
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]
      if (byte === undefined || at > end) throw new RangeError('a number goes beyond its message')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  while (at < end) {
    const tag = at
    const key = varint()
    const type = key & 7
    let value = 0
    let length = 0
    if (type === VARINT) value = varint()
    else if (type === BYTES) length = varint()
    else if (type === FIXED32 || type === FIXED64) length = type === FIXED32 ? 4 : 8
    else throw new RangeError(`wire type ${type} is not known`)
    if (at + length > end) throw new RangeError('a field goes beyond its message')
    yield { number: Math.floor(key / 8), tag, start: at, end: at + length, value }
    at += length
  }
}

/** The fields with one number. */
export function* fieldsNumbered(bytes: Uint8Array, { start, end }: Span, number: number): Generator<Field> {
  for (const field of fieldsOf(bytes, start, end)) if (field.number === number) yield field
}

export type Span = Pick<Field, 'start' | 'end'>

export function textOf(bytes: Uint8Array, { start, end }: Span): string {
  return new TextDecoder().decode(bytes.subarray(start, end))
}

/** A field with a whole number of at least 0. */
export function numberField(number: number, value: number): Uint8Array {
  return Uint8Array.of(...varintOf(number * 8 + VARINT), ...varintOf(value))
}

/** A field with a text, bytes, or the fields of a message. */
export function field(number: number, ...content: readonly (string | Uint8Array)[]): Uint8Array {
  const parts = content.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part))
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return joined([Uint8Array.of(...varintOf(number * 8 + BYTES), ...varintOf(length)), ...parts])
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function varintOf(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  return [...bytes, rest]
}
