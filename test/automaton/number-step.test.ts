import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberDfa, type NumberSpec } from '../../src/automaton/number.ts'
import { LimitError } from '../../src/errors.ts'
import { decimal, EVERY_BYTE, expected, Reader, randomSpec, shortNumbers, spec } from './number-oracle.ts'

/** Only multiples of `step`, a number text. */
function multiples(step: string, base: NumberSpec): NumberSpec {
  return { ...base, multipleOf: decimal(step) }
}

const steps = fc.oneof(
  fc.constantFrom(
    '5',
    '0.01',
    '0.25',
    '1e-7',
    '3',
    '7',
    '25',
    '100',
    '0.3',
    '75',
    '32',
    '1e2',
    '0.5',
    '1.5',
    '64e-3',
  ),
  fc
    .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -4, max: 3 }))
    .map(([mantissa, exponent]) => `${mantissa}e${exponent}`),
)
const randomMultiples = fc.tuple(steps, randomSpec).map(([step, random]) => multiples(step, random))

const short = shortNumbers('-0257.eE', 6)

describe('multiples of a step', () => {
  it('are exactly the accepted texts among all short ones', () => {
    fc.assert(
      fc.property(randomMultiples, (random) => {
        const reader = new Reader(random)
        for (const text of short) {
          if (reader.accepts(text) !== expected(random, text)) {
            throw new Error(`${text}: should be ${expected(random, text) ? 'accepted' : 'refused'}`)
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('can be reached from every state that is offered', () => {
    fc.assert(
      fc.property(randomMultiples, fc.infiniteStream(fc.nat()), (random, choices) => {
        const reader = new Reader(random)
        let state = reader.dfa.start
        let text = ''
        for (const choice of choices) {
          if (state === 0) return
          const rest = reader.completion(state)
          if (rest === null) throw new Error(`no end after ${text}`)
          if (!expected(random, text + rest)) throw new Error(`${text + rest} should be refused`)
          const next = reader.successors(state)
          if (next.length === 0) return
          const [character, successor] = next[choice % next.length]!
          text += character
          state = successor
        }
      }),
      { numRuns: 60 },
    )
  })

  it('never lead into a corner', () => {
    fc.assert(
      fc.property(
        randomMultiples,
        fc.array(fc.nat(), { minLength: 300, maxLength: 300 }),
        (random, choices) => {
          const reader = new Reader(random)
          const pending: [number, string][] = reader.dfa.start === 0 ? [] : [[reader.dfa.start, '']]
          const seen = new Set<number>()
          for (const choice of choices) {
            const at = pending.length - 1 - (choice % Math.min(pending.length, 20))
            const [state, text] = pending.splice(at, 1)[0] ?? [0, '']
            if (state === 0) return
            const next = reader.successors(state)
            // Texts are finite: where each state ends or goes on, each can be finished.
            if (next.length === 0 && !reader.dfa.accepting(state)) throw new Error(`nothing follows ${text}`)
            for (const [character, successor] of next) {
              if (seen.has(successor)) continue
              seen.add(successor)
              pending.push([successor, text + character])
            }
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are found by arithmetic where they are found by search', () => {
    // Without `e` the alphabet lacks something, so that liveness is searched for; `E` stands in for it in `any`.
    const lacking = EVERY_BYTE.slice()
    lacking[0x65] = 0
    const few = fc
      .tuple(fc.constantFrom('1', '3', '5', '6', '7e-1', '8', '25', '0.01', '2e3'), randomSpec)
      .map(([step, random]) => multiples(step, random))
    fc.assert(
      fc.property(few, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (random, choices) => {
        const all = new Reader(random)
        const searched = new Reader(random, lacking)
        let pair = [all.dfa.start, searched.dfa.start] as const
        let text = ''
        expect(pair[0] === 0).toBe(pair[1] === 0)
        for (const choice of choices) {
          const offered = all.successors(pair[0]).filter(([character]) => character !== 'e')
          const found = searched.successors(pair[1])
          expect(offered.map(([character]) => character).join(''), text).toBe(
            found.map(([character]) => character).join(''),
          )
          if (offered.length === 0) return
          const at = choice % offered.length
          text += offered[at]![0]
          pair = [offered[at]![1], found[at]![1]]
        }
      }),
      { numRuns: 60, endOnFailure: true },
    )
  })

  it('are told from their neighbours however long they are and wherever the point stands', () => {
    const step = fc.tuple(fc.integer({ min: 1, max: 10 ** 13 }), fc.integer({ min: -20, max: 20 }))
    const factor = fc.stringMatching(/^[1-9][0-9]{0,40}$/)
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom([7919, 0], [625, 2], [1024, -3], [3, -1]), step),
        factor,
        fc.constantFrom(0, 0, 1, -1, 5),
        fc.integer({ min: -30, max: 30 }),
        fc.boolean(),
        ([mantissa, exponent], times, delta, shift, integer) => {
          const whole = (BigInt(mantissa!) * BigInt(times) + BigInt(delta)).toString()
          const random = multiples(`${mantissa}e${exponent}`, spec('any', integer, '(,)'))
          const reader = new Reader(random)
          for (const cut of [0, 1, whole.length >> 1]) {
            const digits = `${whole.slice(0, cut)}.${whole.slice(cut)}`
              .replace(/^\./, '0.')
              .replace(/\.$/, '')
            const written = exponent! + whole.length - cut
            const text = `${digits}e${written}`
            expect(reader.accepts(text), text).toBe(expected(random, text))
            const moved = `${digits}e${written + shift}`
            expect(reader.accepts(moved), moved).toBe(expected(random, moved))
          }
          const padded = `${whole}${'0'.repeat(Math.max(0, shift))}e${exponent! - shift}`
          expect(reader.accepts(padded), padded).toBe(expected(random, padded))
          const plain = new Reader({ ...random, notation: 'plain' })
          const zeros = `${whole}${'0'.repeat(Math.max(0, exponent!))}`
          expect(plain.accepts(zeros), zeros).toBe(expected({ ...random, notation: 'plain' }, zeros))
        },
      ),
      { numRuns: 400 },
    )
  })

  it.each([
    [
      'any',
      false,
      '25',
      ['1e2', '25', '0.25e2', '-50', '100', '75.000', '0', '-0', '2500e-2'],
      ['1e1', '24', '125e-1'],
    ],
    [
      'any',
      false,
      '0.25',
      ['12.50', '125e-1', '0.25', '1e5', '-3', '1.75'],
      ['0.2', '12.51', '125e-3', '1e-1'],
    ],
    ['any', false, '0.01', ['0.01', '12.340', '1e-2', '5E0', '100'], ['0.001', '1.234', '1e-3']],
    ['any', false, '1e-7', ['1e-7', '0.0000001', '3', '12e-7'], ['1e-8', '0.00000015']],
    ['any', true, '0.7', ['7', '14', '-21.0', '70e-1', '7e5'], ['0.7', '1.4', '10']],
    ['any', true, '2.5', ['5', '1e1', '500e-2', '15.0'], ['2.5', '7.5', '1']],
    ['any', false, '3e200', ['3e200', '0', '120e199', '0.6e201'], ['1e200', '3e199', '3', '31e199']],
    ['any', false, '4', ['1e2', '12e0', '1200e-2', '0.4e1', '8'], ['1e1', '2', '14', '120e-3']],
    ['plain', false, '0.01', ['0.01', '12.34', '5', '-0.5', '0'], ['0.001', '0.010', '1.234']],
    ['plain', false, '5', ['5', '-10', '0', '125'], ['1', '5.0', '2.5', '12']],
    ['plain', true, '1.5', ['3', '-6', '0', '111'], ['1.5', '4', '10']],
    ['plain', false, '7919', ['7919', '-15838', '0', '79190000'], ['7918', '7920', '1']],
    ['plain', false, '0.125', ['0.125', '0.25', '3', '7.375'], ['0.12', '0.1', '0.0625']],
  ] as const)('%s, integer %s, of %s', (notation, integer, step, accepted, refused) => {
    const reader = new Reader(multiples(step, spec(notation, integer, '(,)')))
    for (const text of accepted) expect(reader.accepts(text), text).toBe(true)
    for (const text of refused) expect(reader.accepts(text), text).toBe(false)
  })

  it('have no point behind them where only zeros could follow it', () => {
    const reader = new Reader(multiples('1.5', spec('plain', false, '(,)')))
    for (const text of ['3', '6', '0', '1.5']) expect(reader.run(`${text}.`), text).toBe(0)
    for (const text of ['1', '4', '10']) expect(reader.run(`${text}.`), text).not.toBe(0)
  })

  it.each([
    ['plain', true, '7', '[10,13]'],
    ['any', true, '7', '[10,13]'],
    ['any', false, '0.3', '(0,0.3)'],
    ['any', false, '0.25', '(0.5,0.75)'],
    ['any', false, '1e500', '[1,)'],
    ['plain', true, '1e70', '[1,9e69]'],
    ['any', false, '99999999999999', '[1e300,1e300]'],
  ] as const)(
    'leave no start where there is none: %s, integer %s, of %s in %s',
    (notation, integer, step, range) => {
      expect(new NumberDfa(multiples(step, spec(notation, integer, range)), EVERY_BYTE).start).toBe(0)
    },
  )

  it('are written with an exponent in plain notation where digits would exceed the cap', () => {
    const huge = new Reader(multiples('7', spec('plain', true, '[1e100,2e100]')))
    expect(huge.accepts('1.4e100')).toBe(true)
    expect(huge.accepts('1.5e100')).toBe(false)
    const tiny = new Reader(multiples('3e-100', spec('plain', false, '(0,1e-90]')))
    for (const text of ['3e-100', '1.2e-99']) expect(tiny.accepts(text), text).toBe(true)
    for (const text of ['1e-100', '3e-101', '30e-101']) expect(tiny.accepts(text), text).toBe(false)
  })

  it('have no more states than their remainders need', () => {
    const count = (step: string, base: NumberSpec): number => {
      const reader = new Reader(multiples(step, base))
      const pending = [reader.dfa.start]
      const seen = new Set(pending)
      for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
        for (const [, next] of reader.successors(state)) {
          if (seen.has(next)) continue
          seen.add(next)
          pending.push(next)
        }
      }
      return seen.size
    }
    expect(count('0.01', spec('plain', false, '(,)'))).toBeLessThanOrEqual(200)
    expect(count('5', spec('plain', true, '(,)'))).toBeLessThanOrEqual(130)
    expect(count('7', spec('plain', true, '(,)'))).toBeLessThanOrEqual(64 * 7)
    expect(count('5', spec('plain', true, '[0,100]'))).toBeLessThanOrEqual(8)
    expect(count('0.25', spec('plain', false, '[0,1]'))).toBeLessThanOrEqual(12)
  })

  it('are refused beyond 14 digits, and stop at the limit of states', () => {
    const build = (step: string, maxStates?: number): NumberDfa =>
      new NumberDfa(
        multiples(step, spec('plain', true, '(,)')),
        EVERY_BYTE,
        maxStates === undefined ? {} : { maxStates },
      )
    expect(() => build('123456789012345')).toThrow(LimitError)
    expect(build('99999999999999').start).not.toBe(0)
    expect(() => build('0')).toThrow(RangeError)
    expect(() => build('-1')).toThrow(RangeError)
    const dfa = build('7919', 1000)
    expect(() => {
      const pending = [dfa.start]
      for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
        for (let digit = 0x30; digit <= 0x39; digit++) {
          const next = dfa.transition(state, digit)
          if (next !== 0) pending.push(next)
        }
      }
    }).toThrow(LimitError)
  })
})
