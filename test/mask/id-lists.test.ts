/** Lists of ids lie behind one another in blocks: none may reach into another. */
import { expect, test } from 'vitest'
import { among, countOf, joined, listOf, NO_IDS, without } from '../../src/mask/id-lists.ts'

test('lists of any length keep their ids, whatever is listed after them', () => {
  const wanted: number[][] = []
  const lists: Int32Array[] = []
  for (let length = 0; length < 300; length++) {
    const ids = Array.from({ length: (length * 7) % 150 }, (_, i) => 1_000 * length + i)
    wanted.push(ids)
    lists.push(listOf(ids))
  }
  expect(lists.map((ids) => [...ids])).toEqual(wanted)
  expect(countOf(lists)).toBe(wanted.flat().length)
  expect([...joined(lists)]).toEqual(wanted.flat())
  expect(joined([])).toBe(NO_IDS)
})

test('a list without ids that it has not is the list itself', () => {
  const ids = listOf([3, 1, 2])
  expect(without(ids, among([listOf([4, 5])]))).toBe(ids)
  expect([...without(ids, among([listOf([1]), listOf([4, 3])]))]).toEqual([2])
  const many = listOf([...Array(40).keys()])
  expect([...without(many, among([listOf([...Array(39).keys()])]))]).toEqual([39])
})
