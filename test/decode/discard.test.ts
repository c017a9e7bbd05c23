import { expect, it } from 'vitest'
import { discard } from '../../src/decode/discard.ts'

it('frees the buffers of what was returned at once, and keeps those that are ours', () => {
  const ours = new Float32Array(8)
  const returned = new Float32Array(8)
  discard(
    { a: { dims: [8], data: returned }, b: { dims: [8], data: ours }, c: { dims: [1], data: 'text' } },
    { a: { dims: [8], data: new Float32Array(8) }, b: { dims: [8], data: ours } },
  )
  expect(returned.buffer.byteLength).toBe(0)
  expect(ours.length).toBe(8)
})

it('leaves memory alone that cannot be let go', () => {
  const { buffer } = Buffer.from('part of a pool')
  discard({ a: { dims: [1], data: new Uint8Array(buffer) } }, {})
  expect(buffer.byteLength).toBeGreaterThan(0)
})
