/**
 * Multiples of a step, told from the digits of a number as they are written.
 *
 * The step is `p * 10 ** exponent`, where p ends in no zero digit: p is a power of two or of five (its *base part*) times a
 * *core* that is coprime to ten. A number `m * 10 ** n` is a multiple exactly if the core divides m, whatever n is, and
 * `n - exponent` is at least what m *needs*: the least power of ten that makes it divisible by the base part. Trailing zeros
 * of m need less, and so the digits before them decide: after a digit other than 0 the need is told by m modulo p.
 *
 * "Any number" is a step of a power of ten finer than any text can tell, "integer" is a step of 1: no caller needs to
 * distinguish them. Remainders are plain numbers, exact below 2^53. A method costs a few divisions.
 */
import { LimitError } from '../errors.ts'
import type { Decimal } from '../json/decimal.ts'

/** The exponent of a step that every text is a multiple of; also stands for "no exponent is too small". */
export const FINEST = -(2 ** 30)

/** Ten times a remainder must be exact. */
const MAX_MANTISSA = 10n ** 14n

export class Step {
  readonly exponent: number
  /** The part of the mantissa that is coprime to ten. */
  readonly core: number
  /** How often two or five divides the mantissa: the most that digits can need. */
  readonly depth: number
  /** `moduli[g]`: the mantissa without what `10 ** g` has in common with it. The first is the mantissa, the last is the core. */
  readonly moduli: readonly number[]

  constructor({ mantissa, exponent }: Decimal) {
    const base = mantissa % 2n === 0n ? 2n : 5n
    const moduli = [mantissa]
    for (let rest = mantissa; rest % base === 0n; moduli.push(rest)) rest /= base
    this.exponent = exponent
    this.moduli = moduli.map(Number)
    this.depth = moduli.length - 1
    this.core = this.moduli[this.depth]!
  }

  /** The remainder after one more digit, modulo the mantissa. */
  append(remainder: number, digit: number): number {
    return (remainder * 10 + digit) % this.moduli[0]!
  }

  /** What a remainder decides once it and its need are known: further digits multiply it by ten. */
  reduce(remainder: number): number {
    return this.depth === 0 ? remainder : remainder % this.moduli[1]!
  }

  /** The least power of ten that makes digits with this remainder, the last of them not 0, divisible by the base part. */
  need(remainder: number): number {
    let power = 0
    while (remainder % (this.moduli[power]! / this.core) !== 0) power++
    return power
  }

  /**
   * Whether, with `count` more digits (at least one, not all of them zeros if `grows`) and then `zeros` zeros, some
   * digits with this remainder become divisible by the mantissa.
   */
  canReach(remainder: number, count: number, zeros: number, grows: boolean): boolean {
    const modulus = this.moduli[Math.min(zeros, this.depth)]!
    let moved = remainder % modulus
    let span = 1
    for (let i = 0; i < count; i++) {
      moved = (moved * 10) % modulus
      span *= 10
      if (span > modulus) return true
    }
    // The digits range over `moved` to `moved + span - 1`.
    const least = moved === 0 ? (grows ? modulus : 0) : modulus - moved
    return least < span
  }
}

/**
 * The step of a number specification.
 *
 * Throws `RangeError` if `multipleOf` is not positive, `LimitError` if it has more than 14 significant digits.
 */
export function stepOf(spec: { integer: boolean; multipleOf?: Decimal }): Decimal {
  const { integer, multipleOf } = spec
  if (multipleOf === undefined) return { mantissa: 1n, exponent: integer ? 0 : FINEST }
  let { mantissa, exponent } = multipleOf
  if (mantissa <= 0n) throw new RangeError(`multipleOf must be greater than 0, found ${mantissa}e${exponent}`)
  if (mantissa >= MAX_MANTISSA) {
    throw new LimitError('digits of multipleOf', 14, mantissa.toString().length, 'round it')
  }
  if (!integer || exponent >= 0) return multipleOf
  // The integers among the multiples of a fraction are the multiples of its numerator in lowest terms.
  for (; exponent < 0 && (mantissa % 2n === 0n || mantissa % 5n === 0n); exponent++) {
    mantissa /= mantissa % 2n === 0n ? 2n : 5n
  }
  return { mantissa, exponent: 0 }
}
