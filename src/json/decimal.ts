/**
 * Exact decimal numbers: `mantissa * 10 ** exponent` with a BigInt mantissa, and intervals of them. No float arithmetic
 * anywhere: bounds of schemas are compared as they were written.
 *
 * Numbers are never expanded to compare them, so `1e400000` costs what its text costs. Where digits must be written out
 * (`formatDecimal`, `ceilDecimal`, `floorDecimal`), `LimitError` guards the memory.
 */
import { LimitError } from '../errors.ts'

/** Normalised: the mantissa does not end in a zero digit, or the number is `0n * 10 ** 0`. */
export interface Decimal {
  readonly mantissa: bigint
  readonly exponent: number
}

/** An interval of decimals; `null` is an infinite end. Never empty. */
export interface Interval {
  readonly min: Decimal | null
  readonly minExclusive: boolean
  readonly max: Decimal | null
  readonly maxExclusive: boolean
}

/** Largest |exponent| of a decimal; arithmetic on exponents stays exact far beyond it. */
const MAX_EXPONENT = 1_000_000_000
/** Most digits a number is expanded to. */
const MAX_DIGITS = 100_000

/**
 * Reads the text of a JSON number.
 *
 * Throws `RangeError` for other texts, `LimitError` for an exponent beyond ±10^9.
 */
export function parseDecimal(text: string): Decimal {
  const { negative, digits, exponent } = scan(text)
  const small = Number(exponent)
  if (Math.abs(small) > MAX_EXPONENT)
    throw new LimitError('decimal exponent', MAX_EXPONENT, Math.abs(small), 'write a smaller exponent')
  const mantissa = BigInt(digits)
  return { mantissa: negative ? -mantissa : mantissa, exponent: small }
}

/** `mantissa * 10 ** exponent`, normalised. */
export function makeDecimal(mantissa: bigint, exponent = 0): Decimal {
  return parseDecimal(`${mantissa}e${exponent}`)
}

/** The one spelling of a number's value, `15e-1` or `0`: equal texts if and only if equal values. Never throws on JSON numbers. */
export function canonicalNumber(text: string): string {
  const { negative, digits, exponent } = scan(text)
  return digits === '0' ? '0' : `${negative ? '-' : ''}${digits}e${exponent}`
}

/** Negative, zero or positive as `a` is below, at or above `b`. Costs digits, not exponents. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.exponent === b.exponent) return compareBigints(a.mantissa, b.mantissa)
  const sign = compareBigints(a.mantissa, 0n)
  if (sign !== compareBigints(b.mantissa, 0n) || sign === 0)
    return compareBigints(a.mantissa, 0n) - compareBigints(b.mantissa, 0n)
  const magnitude = digitCount(a.mantissa) + a.exponent - (digitCount(b.mantissa) + b.exponent)
  if (magnitude !== 0) return magnitude > 0 ? sign : -sign
  // Same magnitude: the exponents differ by no more than the digits that are there.
  const shift = a.exponent - b.exponent
  return shift > 0
    ? compareBigints(a.mantissa * 10n ** BigInt(shift), b.mantissa)
    : compareBigints(a.mantissa, b.mantissa * 10n ** BigInt(-shift))
}

/** Whether the value is an integer, however it was written. */
export function isInteger(decimal: Decimal): boolean {
  return decimal.exponent >= 0
}

/** Shortest plain digits: no exponent, no trailing zeros after the point, `-0` is `0`. */
export function formatDecimal(decimal: Decimal): string {
  const { mantissa, exponent } = decimal
  const digits = absolute(mantissa).toString()
  checkDigits(digits.length + Math.abs(exponent))
  const sign = mantissa < 0n ? '-' : ''
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`
  const padded = digits.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}

/** The least integer that is not below. */
export function ceilDecimal(decimal: Decimal): bigint {
  const { mantissa, exponent } = decimal
  const truncated = truncate(decimal)
  return exponent < 0 && mantissa > 0n ? truncated + 1n : truncated
}

/** The greatest integer that is not above. */
export function floorDecimal(decimal: Decimal): bigint {
  const { mantissa, exponent } = decimal
  const truncated = truncate(decimal)
  return exponent < 0 && mantissa < 0n ? truncated - 1n : truncated
}

/** What lies in both, `null` if nothing does. */
export function intersectIntervals(a: Interval, b: Interval): Interval | null {
  let { min, minExclusive, max, maxExclusive } = a
  if (b.min !== null) {
    const order = min === null ? 1 : compareDecimals(b.min, min)
    if (order > 0 || (order === 0 && b.minExclusive)) ({ min, minExclusive } = b)
  }
  if (b.max !== null) {
    const order = max === null ? -1 : compareDecimals(b.max, max)
    if (order < 0 || (order === 0 && b.maxExclusive)) ({ max, maxExclusive } = b)
  }
  if (min !== null && max !== null) {
    const order = compareDecimals(min, max)
    if (order > 0 || (order === 0 && (minExclusive || maxExclusive))) return null
  }
  return { min, minExclusive, max, maxExclusive }
}

export function containsDecimal(interval: Interval, decimal: Decimal): boolean {
  const { min, minExclusive, max, maxExclusive } = interval
  if (min !== null) {
    const order = compareDecimals(decimal, min)
    if (order < 0 || (order === 0 && minExclusive)) return false
  }
  if (max !== null) {
    const order = compareDecimals(decimal, max)
    if (order > 0 || (order === 0 && maxExclusive)) return false
  }
  return true
}

/** Whether an integer lies in the interval. */
export function hasInteger(interval: Interval): boolean {
  const { min, minExclusive, max, maxExclusive } = interval
  if (min === null || max === null) return true
  if (isInteger(min) && !minExclusive) return true
  if (isInteger(max) && !maxExclusive) return true
  const least = isInteger(min) ? ceilDecimal(min) + 1n : ceilDecimal(min)
  return containsDecimal(interval, makeDecimal(least))
}

interface Scanned {
  readonly negative: boolean
  /** Without leading and trailing zeros; `0` for zero. */
  readonly digits: string
  readonly exponent: bigint
}

const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

function scan(text: string): Scanned {
  const match = NUMBER.exec(text)
  if (match === null) throw new RangeError(`not a JSON number: ${JSON.stringify(text)}`)
  const fraction = match[3] ?? ''
  const all = `${match[2] ?? ''}${fraction}`
  let start = 0
  while (all.charCodeAt(start) === 0x30) start++
  if (start === all.length) return { negative: false, digits: '0', exponent: 0n }
  let end = all.length
  while (all.charCodeAt(end - 1) === 0x30) end--
  const written = (match[4] ?? '0').replace('+', '')
  const exponent = BigInt(written.startsWith('-') ? written.slice(1) : written)
  const shift = BigInt(all.length - end - fraction.length)
  return {
    negative: match[1] === '-',
    digits: all.slice(start, end),
    exponent: (written.startsWith('-') ? -exponent : exponent) + shift,
  }
}

function truncate({ mantissa, exponent }: Decimal): bigint {
  if (exponent >= 0) {
    checkDigits(exponent)
    return mantissa * 10n ** BigInt(exponent)
  }
  return -exponent >= digitCount(mantissa) ? 0n : mantissa / 10n ** BigInt(-exponent)
}

function checkDigits(count: number): void {
  if (count > MAX_DIGITS)
    throw new LimitError('digits of a number', MAX_DIGITS, count, 'write a smaller exponent or fewer digits')
}

function digitCount(value: bigint): number {
  return absolute(value).toString().length
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
