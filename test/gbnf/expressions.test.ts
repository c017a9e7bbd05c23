/** The normal form of expressions: smaller, and of the same language. */
import { describe, expect, test } from 'vitest'
import { choiceOf, keyOf, NEVER, repeatOf, sequenceOf, texts } from '../../src/gbnf/expressions.ts'
import type { Expr } from '../../src/grammar/grammar.ts'
import { NOTHING } from '../../src/grammar/parts.ts'

const call = (rule: number): Expr => ({ type: 'call', rule })
const any = (item: Expr): Expr => repeatOf(item, 0, Number.POSITIVE_INFINITY)

describe('what is repeated any number of times', () => {
  test('loses the options that are rounds of others', () => {
    expect(any(choiceOf([sequenceOf([call(1), call(1)]), call(1)]))).toEqual(any(call(1)))
    expect(any(choiceOf([repeatOf(call(1), 2, 3), call(1), call(2)]))).toEqual(
      any(choiceOf([call(1), call(2)])),
    )
  })

  test('keeps one of several equal options, repetitions among them', () => {
    const some = repeatOf(call(1), 2, 3)
    expect(any(choiceOf([some, some, call(2)]))).toEqual(any(choiceOf([some, call(2)])))
    expect(any(choiceOf([some, some]))).toEqual(any(some))
    expect(any(choiceOf([call(1), call(1)]))).toEqual(any(call(1)))
  })
})

test('different expressions have different keys', () => {
  const all = [
    NOTHING,
    NEVER,
    call(1),
    texts(['1']),
    repeatOf(call(1), 2, 3),
    sequenceOf([call(1), call(2)]),
    choiceOf([call(1), call(2)]),
    sequenceOf([call(1), choiceOf([call(2), call(3)])]),
    choiceOf([sequenceOf([call(1), call(2)]), call(3)]),
    choiceOf([call(1), sequenceOf([call(2), call(3)])]),
  ]
  expect(new Set(all.map(keyOf)).size).toBe(all.length)
  expect(keyOf(sequenceOf([call(1), texts(['a'])]))).toBe(keyOf(sequenceOf([call(1), texts(['a'])])))
})
