/**
 * Checksums of words: 128 bits that any damage within one word changes for certain, and other damage but for one case in
 * 2^32 or far fewer. They guard against accidents, not against who would forge them.
 */

/**
 * Four sums over every fourth word, from word `from` on; the rest of the words is a multiple of four. A step is one-to-one in
 * the sum and in the word, so two texts that differ in one word of a lane have different sums.
 */
export function checksum(words: Uint32Array, from = 0): readonly [number, number, number, number] {
  let a = 0x9e3779b1 | 0
  let b = 0x85ebca77 | 0
  let c = 0xc2b2ae3d | 0
  let d = 0x27d4eb2f | 0
  for (let i = from; i < words.length; i += 4) {
    a = Math.imul(a ^ words[i]!, 0x2c1b3c6d)
    b = Math.imul(b ^ words[i + 1]!, 0x2c1b3c6d)
    c = Math.imul(c ^ words[i + 2]!, 0x2c1b3c6d)
    d = Math.imul(d ^ words[i + 3]!, 0x2c1b3c6d)
    a ^= a >>> 15
    b ^= b >>> 15
    c ^= c >>> 15
    d ^= d >>> 15
  }
  return [a >>> 0, b >>> 0, c >>> 0, d >>> 0]
}

/** The checksum of bytes, filled up with zeros to four words, and of how many they are. */
export function checksumOf(...parts: readonly (Uint8Array | Uint32Array | readonly number[])[]): Uint32Array {
  const sums: number[] = []
  for (const part of parts) {
    const bytes =
      part instanceof Uint8Array
        ? part
        : part instanceof Uint32Array
          ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
          : new Uint8Array(Uint32Array.from(part).buffer)
    const words = new Uint32Array(4 * Math.ceil(bytes.length / 16))
    new Uint8Array(words.buffer).set(bytes)
    sums.push(bytes.length, ...checksum(words))
  }
  while (sums.length % 4 !== 0) sums.push(0)
  return Uint32Array.from(checksum(Uint32Array.from(sums)))
}
