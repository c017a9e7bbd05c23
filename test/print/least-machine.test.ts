/** The least automaton of random ones: the same words, and of no two states the same. `SEED` gives others. */
import { expect, test } from 'vitest'
import { leastStates, type Machine, type State } from '../../src/print/least-machine.ts'
import { CharSet } from '../../src/regex/charset.ts'
import { Random, seedOf } from '../support/random.ts'

const seed = seedOf('least automata')
const LETTERS = ['a', 'b', 'c']
const MAX_WORD = 7

/** Words of a state, each with what follows it: as long ones as tell all states of a small automaton apart. */
function wordsOf(states: readonly State[], state: number, length = 0): string {
  const { accepting, steps } = states[state]!
  const own = accepting ? '.' : ''
  if (length === MAX_WORD) return own
  const behind = LETTERS.map((letter) => {
    const target = [...steps].find(([, set]) => set.has(letter.codePointAt(0)!))?.[0]
    const words = target === undefined ? '' : wordsOf(states, target, length + 1)
    return words === '' ? '' : `${letter}(${words})`
  })
  return own + behind.join('')
}

/** @param isOrdered whether states lead to later ones alone, or to themselves */
function randomStates(random: Random, isOrdered: boolean): State[] {
  const count = 1 + random.below(MAX_WORD)
  return Array.from({ length: count }, (_, state) => {
    const steps = new Map<number, CharSet>()
    for (const letter of LETTERS) {
      const target = isOrdered ? state + random.below(count - state) : random.below(count)
      const set = CharSet.from(letter)
      if (random.below(4) > 0) steps.set(target, steps.get(target)?.union(set) ?? set)
    }
    return { accepting: random.below(2) === 0, steps }
  })
}

test.each([
  ['lead on, and to themselves', true],
  ['lead anywhere', false],
] as const)('states that %s are as few as tell the same words apart', (_, isOrdered) => {
  const random = new Random(seed)
  for (let round = 0; round < 300; round++) {
    const states = randomStates(random, isOrdered)
    const machine: Machine = {
      start: 0,
      accepting: (state) => states[state]!.accepting,
      steps: (state) => states[state]!.steps,
    }
    const least = leastStates(machine, states.length)
    expect(wordsOf(least, 0)).toBe(wordsOf(states, 0))
    const alive = least.map((_each, state) => wordsOf(least, state)).filter((words) => words !== '')
    expect(new Set(alive).size).toBe(alive.length)
  }
})
