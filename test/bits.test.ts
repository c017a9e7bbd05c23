import { expect, it } from 'vitest'
import {
  addBits,
  bitCount,
  clearBit,
  clearBits,
  emptyBits,
  hasBit,
  lowestBit,
  setBit,
  setBits,
} from '../src/bits.ts'

const membersOf = (bits: Uint32Array): number[] =>
  Array.from({ length: 32 * bits.length }, (_, member) => member).filter((member) => hasBit(bits, member))

it('holds what was added and not taken out', () => {
  const bits = emptyBits(70)
  expect(bits.length).toBe(3)
  for (const member of [0, 31, 32, 63, 69]) setBit(bits, member)
  clearBit(bits, 32)
  clearBit(bits, 1)
  expect(membersOf(bits)).toEqual([0, 31, 63, 69])
})

it('adds and takes out lists, whole or in part', () => {
  const bits = emptyBits(64)
  const members = Int32Array.of(3, 31, 40, 63)
  setBits(bits, members)
  clearBits(bits, members, 1, 3)
  expect(membersOf(bits)).toEqual([3, 63])
  setBits(bits, members, 2)
  expect(membersOf(bits)).toEqual([3, 40, 63])
  clearBits(bits, members)
  expect(membersOf(bits)).toEqual([])
})

it('adds a shorter set', () => {
  const bits = emptyBits(64)
  setBit(bits, 40)
  addBits(bits, Uint32Array.of(0x8000_0001))
  expect(membersOf(bits)).toEqual([0, 31, 40])
})

it('counts the bits of a word and finds the lowest', () => {
  const words = [1, 0x8000_0000, 0xffff_ffff, 0x0001_0000, 0x00f0_0100, -1, -2]
  expect(words.map(bitCount)).toEqual([1, 1, 32, 1, 5, 32, 31])
  expect(words.map(lowestBit)).toEqual([0, 31, 0, 16, 8, 0, 1])
  expect(bitCount(0)).toBe(0)
})
