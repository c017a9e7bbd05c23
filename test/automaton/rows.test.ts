import { expect, test } from 'vitest'
import { StringDfa } from '../../src/automaton/string-dfa.ts'
import { Random, seedOf } from '../support/random.ts'

test('an automaton with more states than rows goes on, and back to where its rows are gone', () => {
  const random = new Random(seedOf('rows'))
  const make = (): StringDfa =>
    new StringDfa({ chars: null, minLength: 0, maxLength: 30_000 }, 'json', new Uint8Array(256).fill(1))
  const dfa = make()
  const states = [dfa.start]
  const step = (byte: number): number => dfa.next(states.at(-1)!, byte)
  states.push(step(0x22))
  while (states.length < 20_000) states.push(step(0x61))
  expect(new Set(states).size).toBe(states.length)
  for (let i = 0; i < 2_000; i++) {
    const at = 1 + random.below(states.length - 2)
    expect(dfa.next(states[at]!, 0x62)).toBe(states[at + 1])
    expect(dfa.next(states[at]!, 0x0a)).toBe(0)
  }
  expect(dfa.next(states[0]!, 0x22)).toBe(states[1])
})
