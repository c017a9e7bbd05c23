/**
 * Numbers as GBNF: by their automaton, which has their bounds, steps and caps on digits. Texts of a number are bounded, so it
 * has no cycles. A fraction that may be any is told from its states and written as one: digits of which the last is not 0.
 */
import { NumberTerminal } from '../automaton/number-terminal.ts'
import { LimitError } from '../errors.ts'
import type { Terminal } from '../grammar/grammar.ts'
import { CharSet } from '../regex/charset.ts'
import { keyOf, type Machine, type State } from './least-machine.ts'
import { printMachine } from './machine.ts'
import { choiceOf, classOf, literalOf, type Piece, repeatOf, sequenceOf } from './notation.ts'
import type { Rules } from './rules.ts'

type NumberSpec = Extract<Terminal, { kind: 'number' }>

/** States that are worth showing: a number without bounds has some 200. */
const MAX_STATES = 600
const EVERY_BYTE = new Uint8Array(256).fill(1)
const BYTES = [...'+-.0123456789Ee'].map((character) => character.charCodeAt(0))
const ZERO = CharSet.from('0')
const OTHERS = CharSet.of([0x31, 0x39])
const DIGITS = CharSet.of([0x30, 0x39])
const SOME_DIGITS = repeatOf(classOf(DIGITS), 1, Number.POSITIVE_INFINITY)
const EXPONENT: Piece = sequenceOf([
  classOf(CharSet.from('eE')),
  repeatOf(classOf(CharSet.from('+-')), 0, 1),
  SOME_DIGITS,
])
/** Any number, also with an exponent: what is far away has one in the shortest spelling, too. */
const ANY_NUMBER: Piece = sequenceOf([
  repeatOf(literalOf('-'), 0, 1),
  choiceOf([
    literalOf('0'),
    sequenceOf([classOf(OTHERS), repeatOf(classOf(DIGITS), 0, Number.POSITIVE_INFINITY)]),
  ]),
  repeatOf(sequenceOf([literalOf('.'), SOME_DIGITS]), 0, 1),
  repeatOf(EXPONENT, 0, 1),
])

/** What cannot be shown, such as multiples of a number of many digits, is any number, which the print says. */
export function printNumber(spec: NumberSpec, rules: Rules, name: string): Piece {
  try {
    return printExactly(spec, rules, name)
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    rules.leaveOut('bounds, steps and digits of some numbers')
    return rules.shared('any-number', ANY_NUMBER)
  }
}

function printExactly(spec: NumberSpec, rules: Rules, name: string): Piece {
  const dfa = new NumberTerminal(spec, EVERY_BYTE)
  const machine: Machine = {
    start: dfa.start,
    accepting: (state) => dfa.tag(state) !== 0,
    *steps(state) {
      const byTarget = new Map<number, number[]>()
      for (const byte of BYTES) {
        const target = dfa.next(state, byte)
        if (target === 0) continue
        const bytes = byTarget.get(target)
        if (bytes === undefined) byTarget.set(target, [byte])
        else bytes.push(byte)
      }
      for (const [target, bytes] of byTarget) yield [target, CharSet.from(String.fromCharCode(...bytes))]
    },
  }
  return printMachine(machine, classOf, rules, name, { maxStates: MAX_STATES, known: fractions })
}

/** The states before `k` more digits at most of which the last is not 0, and those at which there need be none. */
function fractions(states: readonly State[]): ReadonlyMap<number, Piece> {
  const known = new Map<number, Piece>()
  const byTargets = new Map<string, number>()
  states.forEach(({ accepting, steps }, state) => {
    byTargets.set(keyOf(accepting, steps), state)
  })
  let ended = byTargets.get(keyOf(true, []))
  let open: number | undefined
  for (let most = 1; ended !== undefined; most++) {
    const steps: (readonly [number, CharSet])[] = [[ended, OTHERS]]
    // Before the last digit there is no room behind a 0.
    if (open !== undefined) steps.push([open, ZERO])
    const next = byTargets.get(keyOf(false, steps))
    const both = byTargets.get(keyOf(true, steps))
    if (next === undefined) return known
    const digits = sequenceOf([repeatOf(classOf(DIGITS), 0, most - 1), classOf(OTHERS)])
    known.set(next, digits)
    if (both !== undefined) known.set(both, repeatOf(digits, 0, 1))
    ended = both
    open = next
  }
  return known
}
