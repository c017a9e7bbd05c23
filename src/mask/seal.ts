/**
 * The envelope of what is written as bytes: what it is, in which version, and whether it is whole.
 *
 * Words of 32 bits in the machine's byte order: mark, version, kind, bytes of the content; four words of checksum over all that
 * follows and the three words before; the content, filled up with zeros to four words. Each byte is compared with what it
 * must be or covered by the checksum.
 */
import type { ByteReader, ByteWriter } from '../byte-stream.ts'
import { checksumOf } from '../checksum.ts'
import { DataError } from '../errors.ts'

const MARK = 0x44505345
/** To be raised with every change of what is written, or of what it means. */
const VERSION = 1
const HEADER = 8

/** What an envelope may hold. */
const KINDS = ['compiled grammar', 'matcher'] as const
type Kind = (typeof KINDS)[number]

export function seal(kind: Kind, content: Uint8Array): Uint8Array {
  const words = new Uint32Array(HEADER + 4 * Math.ceil(content.length / 16))
  const bytes = new Uint8Array(words.buffer)
  words.set([MARK, VERSION, KINDS.indexOf(kind), content.length])
  bytes.set(content, 4 * HEADER)
  words.set(checksumOf(words.subarray(1, 4), words.subarray(HEADER)), 4)
  return bytes
}

/** Writes four words, a fingerprint. */
export function writeWords(words: Uint32Array, out: ByteWriter): void {
  out.raw(new Uint8Array(words.buffer, words.byteOffset, words.byteLength))
}

/** Whether these words come next. */
export function isNext(from: ByteReader, words: Uint32Array): boolean {
  const own = new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
  return from.raw(own.length).every((byte, i) => byte === own[i])
}

/** The content. @throws DataError, with the reason, for what is not such an envelope as it was made; TypeError for no bytes */
export function unseal(kind: Kind, sealed: Uint8Array): Uint8Array {
  if (!(sealed instanceof Uint8Array)) throw new TypeError(`a serialised ${kind} is a Uint8Array`)
  if (sealed.length < 4 * HEADER)
    throw new DataError(`these ${sealed.length} bytes are no serialised ${kind}`)
  // Copied, so that words begin where words can.
  const bytes = sealed.length % 4 === 0 ? new Uint8Array(sealed) : new Uint8Array([...sealed, 0, 0, 0])
  const words = new Uint32Array(bytes.buffer, 0, bytes.length >>> 2)
  const [mark, version, found, length] = words as unknown as [number, number, number, number]
  if (mark !== MARK)
    throw new DataError(`these bytes are no serialised ${kind}, or of a machine with another byte order`)
  if (version !== VERSION)
    throw new DataError(
      `a serialised ${kind} of version ${version}, and this is version ${VERSION}: make it anew`,
    )
  const expected = 4 * HEADER + 16 * Math.ceil(length / 16)
  if (sealed.length !== expected)
    throw new DataError(`a serialised ${kind} of ${expected} bytes, of which there are ${sealed.length}`)
  const sum = checksumOf(words.subarray(1, 4), words.subarray(HEADER))
  if (sum.some((word, i) => word !== words[4 + i]))
    throw new DataError(`a serialised ${kind} that was altered`)
  if (KINDS[found] !== kind)
    throw new DataError(`no serialised ${kind}, but a ${KINDS[found] ?? 'thing unknown'}`)
  return bytes.subarray(4 * HEADER, 4 * HEADER + length)
}
