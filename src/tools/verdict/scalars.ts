/**
 * The keywords that look at a value alone: types, values, numbers, texts. Numbers are compared as they were written, with
 * every digit.
 */
import { compareDecimals, type Decimal, isInteger, parseDecimal } from '../../json/decimal.ts'
import { equalJson } from '../../json/print.ts'
import { JsonNumber, type JsonValue } from '../../json/value.ts'
import type { Dialect } from '../../schema/dialect.ts'
import { formatTest } from './formats.ts'
import { anyType, anyValue, counted, shown, typeOf } from './words.ts'

/** Says what a keyword refuses. */
export type Tell = (keyword: string, message: string) => void

/** A keyword's value, where the dialect has it. */
export type Read = (keyword: string) => JsonValue | undefined

export interface ScalarOptions {
  readonly dialect: Dialect
  readonly assertFormats: boolean
  readonly pattern: (source: string) => RegExp
}

/** Tells what is wrong with a value by itself. */
export function checkScalar(value: JsonValue, read: Read, options: ScalarOptions, tell: Tell): void {
  checkType(value, read, options.dialect, tell)
  const list = read('enum')
  if (Array.isArray(list) && !list.some((each) => equalJson(each, value)))
    tell('enum', `${shown(value)} where ${anyValue(list)} is required`)
  const only = read('const')
  if (only !== undefined && !equalJson(only, value))
    tell('const', `${shown(value)} where ${shown(only)} is required`)
  if (value instanceof JsonNumber) checkNumber(value, read, tell)
  else if (typeof value === 'string') checkText(value, read, options, tell)
}

/** The types that a schema names. */
function typesOf(type: JsonValue | undefined): readonly string[] | null {
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter((each): each is string => typeof each === 'string') : null
}

function checkType(value: JsonValue, read: Read, dialect: Dialect, tell: Tell): void {
  const types = typesOf(read('type'))
  if (types === null || types.some((type) => hasType(value, type, dialect))) return
  const isFraction = value instanceof JsonNumber && types.includes('integer')
  tell('type', `${isFraction ? shown(value) : typeOf(value)} where ${anyType(types)} is required`)
}

function hasType(value: JsonValue, type: string, dialect: Dialect): boolean {
  if (type !== 'integer') return typeOf(value) === type
  if (!(value instanceof JsonNumber)) return false
  return dialect === 4 ? /^-?\d+$/u.test(value.text) : isInteger(parseDecimal(value.text))
}

function checkNumber(value: JsonNumber, read: Read, tell: Tell): void {
  const number = parseDecimal(value.text)
  const bound = (keyword: string): { readonly order: number; readonly text: string } | null => {
    const limit = read(keyword)
    if (!(limit instanceof JsonNumber)) return null
    return { order: compareDecimals(number, parseDecimal(limit.text)), text: limit.text }
  }
  const [min, max] = [bound('minimum'), bound('maximum')]
  if (min !== null && min.order < 0) tell('minimum', `${value.text} is less than ${min.text}`)
  if (max !== null && max.order > 0) tell('maximum', `${value.text} is more than ${max.text}`)
  const above = read('exclusiveMinimum') === true ? min : bound('exclusiveMinimum')
  const below = read('exclusiveMaximum') === true ? max : bound('exclusiveMaximum')
  if (above !== null && above.order <= 0 && (above !== min || above.order === 0))
    tell('exclusiveMinimum', `${value.text} is not more than ${above.text}`)
  if (below !== null && below.order >= 0 && (below !== max || below.order === 0))
    tell('exclusiveMaximum', `${value.text} is not less than ${below.text}`)
  const step = read('multipleOf')
  if (step instanceof JsonNumber && !isMultipleOf(number, parseDecimal(step.text)))
    tell('multipleOf', `${value.text} is not a multiple of ${step.text}`)
}

/** Exact, and without writing either out: exponents may lie as far apart as they like. */
function isMultipleOf(number: Decimal, step: Decimal): boolean {
  if (number.mantissa === 0n) return true
  const shift = number.exponent - step.exponent
  // Mantissas do not end in a zero.
  if (shift < 0 || step.mantissa === 0n) return false
  const size = step.mantissa < 0n ? -step.mantissa : step.mantissa
  return ((number.mantissa % size) * powerOfTen(shift, size)) % size === 0n
}

/** `10 ** exponent`, modulo. */
function powerOfTen(exponent: number, modulus: bigint): bigint {
  let result = 1n
  let base = 10n
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * base) % modulus
    base = (base * base) % modulus
  }
  return result % modulus
}

function checkText(value: string, read: Read, options: ScalarOptions, tell: Tell): void {
  const length = Array.from(value).length
  checkCount(length, 'character', 'Length', read, tell)
  const pattern = read('pattern')
  if (typeof pattern === 'string' && !options.pattern(pattern).test(value))
    tell('pattern', `${shown(value)} does not match ${pattern}`)
  const format = read('format')
  if (typeof format === 'string' && options.assertFormats && formatTest(format)?.(value) === false)
    tell('format', `${shown(value)} does not have the format ${format}`)
}

/** `minItems` and `maxItems`, and the like. */
export function checkCount(count: number, noun: string, suffix: string, read: Read, tell: Tell): void {
  const least = countOf(read(`min${suffix}`))
  if (least !== null && count < least)
    tell(`min${suffix}`, `${counted(count, noun)} where at least ${least} are required`)
  const most = countOf(read(`max${suffix}`))
  if (most !== null && count > most)
    tell(`max${suffix}`, `${counted(count, noun)} where at most ${most} are allowed`)
}

/** A count that a keyword gives. */
export function countOf(value: JsonValue | undefined): number | null {
  return value instanceof JsonNumber ? Number(value.text) : null
}
