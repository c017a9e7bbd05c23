/**
 * What number automata are compared with: numbers evaluated as `BigInt * 10 ** exponent`, and readers that walk an automaton
 * as the engine does. Nothing here is shared with the automata.
 */
import fc from 'fast-check'
import {
  digitCap,
  MAX_EXPONENT,
  MAX_EXPONENT_DIGITS,
  NumberDfa,
  type NumberSpec,
} from '../../src/automaton/number.ts'
import type { Decimal, Interval } from '../../src/json/decimal.ts'

export const EVERY_BYTE = new Uint8Array(256).fill(1)
const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?)([0-9]+))?$/
const PLAIN = /^(?:0|-?(?:[1-9][0-9]*|(?:0|[1-9][0-9]*)\.[0-9]*[1-9]))$/

interface Parsed {
  mantissa: bigint
  exponent: number
  digits: number
  withinCaps: boolean
}

/** The exact value of a number text, `null` when it is none. Shares nothing with the automaton. */
function evaluate(text: string, cap: number): Parsed | null {
  const match = NUMBER.exec(text)
  if (match === null) return null
  const [, sign, whole = '', fraction = '', exponentSign, exponentDigits = ''] = match
  const written = Number(exponentDigits) * (exponentSign === '-' ? -1 : 1)
  const magnitude = BigInt(whole + fraction)
  return {
    mantissa: sign === '-' ? -magnitude : magnitude,
    exponent: written - fraction.length,
    digits: whole.length + fraction.length,
    withinCaps:
      whole.length + fraction.length <= cap &&
      exponentDigits.length <= MAX_EXPONENT_DIGITS &&
      Math.abs(written) <= MAX_EXPONENT,
  }
}

export function compare(
  a: { mantissa: bigint; exponent: number },
  b: { mantissa: bigint; exponent: number },
): number {
  const shift = Math.min(a.exponent, b.exponent)
  const difference =
    a.mantissa * 10n ** BigInt(a.exponent - shift) - b.mantissa * 10n ** BigInt(b.exponent - shift)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function isMember(interval: Interval, value: Parsed): boolean {
  const low = interval.min === null ? 1 : compare(value, interval.min)
  const high = interval.max === null ? -1 : compare(value, interval.max)
  return (
    (low > 0 || (low === 0 && !interval.minExclusive)) && (high < 0 || (high === 0 && !interval.maxExclusive))
  )
}

function isMultiple({ mantissa, exponent }: Parsed, step: Decimal): boolean {
  const shift = exponent - step.exponent
  if (mantissa === 0n || shift >= 0)
    return (mantissa * 10n ** BigInt(Math.max(0, shift))) % step.mantissa === 0n
  return shift > -2000 && mantissa % (step.mantissa * 10n ** BigInt(-shift)) === 0n
}

/** What the language should hold, where no interval needs an exponent in `plain`. */
export function expected(spec: NumberSpec, text: string, cap = digitCap(spec.intervals)): boolean {
  const value = evaluate(text, cap)
  if (value === null || !value.withinCaps) return false
  if (spec.notation === 'plain' && !PLAIN.test(text)) return false
  if (spec.integer && !isMultiple(value, { mantissa: 1n, exponent: 0 })) return false
  if (spec.multipleOf !== undefined && !isMultiple(value, spec.multipleOf)) return false
  return spec.intervals.some((interval) => isMember(interval, value))
}

/** A DFA with remembered rows, as the engine uses it. */
export class Reader {
  readonly dfa: NumberDfa
  readonly #rows: (Int32Array | undefined)[] = []
  constructor(spec: NumberSpec, alphabet: Uint8Array = EVERY_BYTE) {
    this.dfa = new NumberDfa(spec, alphabet)
  }
  step(state: number, byte: number): number {
    if (state === 0) return 0
    let row = this.#rows[state]
    if (row === undefined) {
      row = new Int32Array(128).fill(-1)
      this.#rows[state] = row
    }
    if (row[byte]! < 0) row[byte] = this.dfa.transition(state, byte)
    return row[byte]!
  }
  run(text: string): number {
    let state = this.dfa.start
    for (let i = 0; i < text.length && state !== 0; i++) state = this.step(state, text.charCodeAt(i))
    return state
  }
  accepts(text: string): boolean {
    const state = this.run(text)
    return state !== 0 && this.dfa.accepting(state)
  }
  successors(state: number): [string, number][] {
    const out: [string, number][] = []
    for (let byte = 0; byte < 128; byte++) {
      const next = this.step(state, byte)
      if (next !== 0) out.push([String.fromCharCode(byte), next])
    }
    return out
  }
  /** The first text in breadth-first order that leads to acceptance, `null` where there is none. */
  completion(state: number): string | null {
    let layer = new Map([[state, '']])
    const seen = new Set([state])
    while (layer.size > 0) {
      for (const [id, text] of layer) if (this.dfa.accepting(id)) return text
      const next = new Map<number, string>()
      for (const [id, text] of layer) {
        for (const [character, successor] of this.successors(id)) {
          if (seen.has(successor)) continue
          seen.add(successor)
          next.set(successor, text + character)
        }
      }
      layer = next
    }
    return null
  }
}

export function decimal(text: string): Decimal {
  const value = evaluate(text, Number.POSITIVE_INFINITY)!
  let { mantissa, exponent } = value
  if (mantissa === 0n) return { mantissa, exponent: 0 }
  while (mantissa % 10n === 0n) {
    mantissa /= 10n
    exponent++
  }
  return { mantissa, exponent }
}

/** Reads `[1, 2)`, `(0.1, )`, `(, 5]`. */
export function interval(text: string): Interval {
  const [, open, min = '', max = '', close] = /^([[(])(.*),\s*(.*)([\])])$/.exec(text)!
  return {
    min: min === '' ? null : decimal(min),
    minExclusive: min !== '' && open === '(',
    max: max === '' ? null : decimal(max),
    maxExclusive: max !== '' && close === ')',
  }
}

export function spec(notation: 'plain' | 'any', integer: boolean, ...intervals: string[]): NumberSpec {
  return { notation, integer, intervals: intervals.map(interval) }
}

/** Every text over the characters up to a length that is the beginning of a number and a number. */
export function shortNumbers(characters: string, length: number): string[] {
  const beginning = /^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:(?<=[0-9])[eE][+-]?[0-9]*)?)?$/
  const out: string[] = []
  let layer = ['']
  for (let i = 0; i < length; i++) {
    layer = layer
      .flatMap((text) => [...characters].map((c) => text + c))
      .filter((text) => beginning.test(text))
    for (const text of layer) if (NUMBER.test(text)) out.push(text)
  }
  return out
}

const smallDecimal = fc
  .tuple(fc.integer({ min: -260, max: 260 }), fc.constantFrom(-3, -2, -1, 0, 0, 0, 1, 2, 5))
  .map(([mantissa, exponent]) => decimal(`${mantissa}e${exponent}`))

const randomInterval = fc
  .record({
    a: smallDecimal,
    b: smallDecimal,
    open: fc.integer({ min: 0, max: 3 }),
    ends: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ a, b, open, ends }): Interval => {
    const [min, max] = compare(a, b) <= 0 ? [a, b] : [b, a]
    if (ends === 0) return { min: null, minExclusive: false, max, maxExclusive: (open & 1) === 1 }
    if (ends === 1) return { min, minExclusive: (open & 1) === 1, max: null, maxExclusive: false }
    if (ends === 2 || compare(a, b) === 0) return { min, minExclusive: false, max: min, maxExclusive: false }
    return { min, minExclusive: (open & 1) === 1, max, maxExclusive: (open & 2) === 2 }
  })

export const randomSpec = fc.record({
  integer: fc.boolean(),
  notation: fc.constantFrom('plain' as const, 'any' as const),
  intervals: fc.array(randomInterval, { minLength: 1, maxLength: 3 }),
})
