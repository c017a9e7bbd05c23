/**
 * Terminals as bytes: what `grammar-bytes.ts` writes of them, each once.
 *
 * A kind, and then what it has: texts; the number of a language, or a flag that there is none, with bounds; intervals of
 * numbers, each end a flag and a decimal, in order. What is read has that form or is a `DataError`.
 */
import type { ByteReader, ByteWriter } from '../byte-stream.ts'
import { compareDecimals, type Decimal, type Interval } from '../json/decimal.ts'
import type { Regex } from '../regex/regex.ts'
import type { Terminal } from './grammar.ts'

const KINDS: readonly Terminal['kind'][] = ['texts', 'string', 'number', 'text']

/** Digits of a number, as elsewhere. */
const MAX_DIGITS = 100_000

type NumberTerminal = Extract<Terminal, { kind: 'number' }>

/** The language that a terminal names; `null` where it names none. */
export function languageOf(terminal: Terminal): Regex | null {
  return terminal.kind === 'text' || terminal.kind === 'string' ? terminal.language : null
}

/** @param number of a language */
export function writeTerminal(terminal: Terminal, out: ByteWriter, number: (regex: Regex) => number): void {
  out.number(KINDS.indexOf(terminal.kind))
  switch (terminal.kind) {
    case 'texts':
      out.list(terminal.texts, (text) => out.text(text))
      return
    case 'string':
      out.flag(terminal.language !== null)
      if (terminal.language !== null) out.number(number(terminal.language))
      out.number(terminal.minLength)
      out.bound(terminal.maxLength)
      return
    case 'number':
      writeNumber(terminal, out)
      return
    case 'text':
      out.number(number(terminal.language))
  }
}

function writeNumber(terminal: NumberTerminal, out: ByteWriter): void {
  out.flag(terminal.integer)
  out.list(terminal.intervals, ({ min, minExclusive, max, maxExclusive }) => {
    writeEnd(min, out)
    out.flag(minExclusive)
    writeEnd(max, out)
    out.flag(maxExclusive)
  })
  out.flag(terminal.notation === 'any')
  writeEnd(terminal.multipleOf ?? null, out)
  out.list(terminal.notMultiplesOf ?? [], (divisor) => writeDecimal(divisor, out))
}

function writeEnd(decimal: Decimal | null, out: ByteWriter): void {
  out.flag(decimal !== null)
  if (decimal !== null) writeDecimal(decimal, out)
}

function writeDecimal({ mantissa, exponent }: Decimal, out: ByteWriter): void {
  out.text(mantissa.toString())
  out.signed(exponent)
}

/** @throws DataError for what is no terminal */
export function readTerminal(from: ByteReader, languages: readonly Regex[]): Terminal {
  const language = (): Regex => from.oneOf(languages, 'expression')
  const kind = from.oneOf(KINDS, 'kind of terminal')
  switch (kind) {
    case 'texts': {
      const texts = from.distinctTexts()
      if (texts.length === 0) from.fail('a choice of no texts')
      return { kind, texts }
    }
    case 'string': {
      const own = from.flag() ? language() : null
      const { min, max } = from.bounds()
      return { kind, language: own, minLength: min, maxLength: max }
    }
    case 'number':
      return readNumber(from)
    case 'text':
      return { kind, language: language() }
  }
}

function readNumber(from: ByteReader): NumberTerminal {
  const integer = from.flag()
  const intervals: Interval[] = from.list(() => ({
    min: readEnd(from),
    minExclusive: from.flag(),
    max: readEnd(from),
    maxExclusive: from.flag(),
  }))
  intervals.forEach(({ min, max }, i) => {
    const before = i === 0 ? undefined : intervals[i - 1]!.max
    if (before !== undefined && (before === null || min === null || compareDecimals(before, min) > 0))
      from.fail('intervals that are not in order')
    if (min !== null && max !== null && compareDecimals(min, max) > 0) from.fail('an interval that is empty')
  })
  const notation = from.flag() ? 'any' : 'plain'
  const multipleOf = readEnd(from)
  const notMultiplesOf = from.list(() => readDecimal(from))
  for (const divisor of [...notMultiplesOf, ...(multipleOf === null ? [] : [multipleOf])])
    if (divisor.mantissa <= 0n) from.fail('a divisor that is not positive')
  return {
    kind: 'number',
    integer,
    intervals,
    notation,
    ...(multipleOf === null ? {} : { multipleOf }),
    ...(notMultiplesOf.length === 0 ? {} : { notMultiplesOf }),
  }
}

function readEnd(from: ByteReader): Decimal | null {
  return from.flag() ? readDecimal(from) : null
}

function readDecimal(from: ByteReader): Decimal {
  const digits = from.text()
  const exponent = from.signed()
  if (digits.length > MAX_DIGITS || !/^(?:0|-?[1-9]\d*)$/.test(digits)) from.fail('no number')
  if (digits === '0' ? exponent !== 0 : digits.endsWith('0')) from.fail('a number with a zero at its end')
  return { mantissa: BigInt(digits), exponent }
}
