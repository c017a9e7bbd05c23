import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberTerminal } from '../../src/automaton/number-terminal.ts'
import type { Decimal } from '../../src/json/decimal.ts'
import { decimal, EVERY_BYTE, expected, randomSpec, shortNumbers, spec } from './number-oracle.ts'

const steps = fc.array(fc.constantFrom('1', '2', '3', '5', '10', '0.5', '0.25', '7', '1e2', '0.01'), {
  minLength: 1,
  maxLength: 3,
})
const short = shortNumbers('-0125.e', 5)

type Spec = Parameters<typeof expected>[0]

function terminal(base: Spec, excluded: readonly Decimal[]): NumberTerminal {
  return new NumberTerminal({ kind: 'number', ...base, notMultiplesOf: excluded }, EVERY_BYTE)
}

function isExpected(base: Spec, excluded: readonly Decimal[], text: string): boolean {
  if (!expected(base, text)) return false
  return excluded.every(
    (multipleOf) => !expected({ ...base, integer: false, notation: 'any', multipleOf }, text),
  )
}

function accepts(dfa: NumberTerminal, text: string): boolean {
  let state = dfa.start
  for (let i = 0; i < text.length && state !== 0; i++) state = dfa.next(state, text.charCodeAt(i))
  return state !== 0 && dfa.tag(state) !== 0
}

describe('numbers without the multiples of some steps', () => {
  it('are exactly the accepted texts among all short ones', () => {
    fc.assert(
      fc.property(randomSpec, steps, (base, written) => {
        const excluded = written.map(decimal)
        const dfa = terminal(base, excluded)
        for (const text of short)
          if (accepts(dfa, text) !== isExpected(base, excluded, text)) throw new Error(`wrong about ${text}`)
      }),
      { numRuns: 60, seed: 20261130 },
    )
  })

  it('can be finished in every state that is offered', () => {
    fc.assert(
      fc.property(
        randomSpec,
        steps,
        fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
        (base, written, choices) => {
          const excluded = written.map(decimal)
          const dfa = terminal(base, excluded)
          let state = dfa.start
          let text = ''
          for (const choice of choices) {
            if (state === 0) return
            const rest = Buffer.from(dfa.shortest(state, 1)).toString()
            if (!isExpected(base, excluded, text + rest)) throw new Error(`${text}${rest} should be refused`)
            const next = [...dfa.edges(state)].filter((byte) => dfa.next(state, byte) !== 0)
            if (next.length === 0) return
            const byte = next[choice % next.length]!
            text += String.fromCharCode(byte)
            state = dfa.next(state, byte)
          }
        },
      ),
      { numRuns: 60, seed: 20261130 },
    )
  })

  it('leave nothing where all are multiples', () => {
    expect(terminal(spec('any', true, '(,)'), [decimal('1')]).start).toBe(0)
    expect(terminal(spec('plain', false, '[2,2]'), [decimal('0.5')]).start).toBe(0)
  })
})
