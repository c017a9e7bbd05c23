import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NumberSpec } from '../../src/automaton/number.ts'
import { NumberTerminal } from '../../src/automaton/number-terminal.ts'
import { decimal, EVERY_BYTE, expected, Reader, randomSpec, spec } from './number-oracle.ts'

function terminal(random: NumberSpec): NumberTerminal {
  return new NumberTerminal({ kind: 'number', ...random }, EVERY_BYTE)
}

function run(dfa: NumberTerminal, text: string): number {
  let state = dfa.start
  for (let i = 0; i < text.length && state !== 0; i++) state = dfa.next(state, text.charCodeAt(i))
  return state
}

function shortest(dfa: NumberTerminal, text: string): string {
  return String.fromCharCode(...dfa.shortest(run(dfa, text), 1))
}

const steps = fc.option(fc.constantFrom('1', '5', '0.25', '7', '0.03', '24', '110', '3e-3'), {
  nil: undefined,
})
const anySpec = fc
  .tuple(steps, randomSpec)
  .map(([text, random]) => (text === undefined ? random : { ...random, multipleOf: decimal(text) }))

describe('number terminals', () => {
  it('end in the shortest text with the lowest bytes, as breadth-first search finds it', () => {
    fc.assert(
      fc.property(anySpec, fc.array(fc.nat(), { maxLength: 12 }), (random, choices) => {
        const dfa = terminal(random)
        const reader = new Reader(random)
        let state = reader.dfa.start
        let text = ''
        if (state === 0) return
        for (const choice of choices) {
          const next = reader.successors(state)
          if (next.length === 0) break
          const [character, successor] = next[choice % next.length]!
          text += character
          state = successor
        }
        expect(shortest(dfa, text), text).toBe(reader.completion(state))
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['1048576', 'plain', true, '[1,)', '12', '582912'],
    ['99999999999999', 'plain', true, '(,)', '12', '99999999999987'],
    ['7919', 'any', false, '[1e300,2e300]', '', '15838E296'],
    ['7919', 'plain', false, '[1e300,2e300]', '', '1.5838e300'],
    ['99999999999999', 'any', true, '[1e300,2e300]', '', '199999999999998E286'],
  ] as const)(
    'find multiples of %s that lie far apart: %s, integer %s, %s, after "%s"',
    (step, notation, integer, range, text, end) => {
      const random = { ...spec(notation, integer, range), multipleOf: decimal(step) }
      expect(shortest(terminal(random), text)).toBe(end)
      expect(expected({ ...random, notation: 'any' }, text + end)).toBe(true)
    },
  )

  it('are final where nothing can follow', () => {
    const hundred = terminal(spec('plain', true, '[0,100]'))
    for (const text of ['100', '0', '42']) expect(hundred.final(run(hundred, text)), text).toBe(true)
    for (const text of ['10', '4']) expect(hundred.final(run(hundred, text)), text).toBe(false)
    expect(hundred.next(run(hundred, '4'), 0x41)).toBe(0)
  })
})
