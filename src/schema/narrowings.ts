/**
 * What a grammar does not write although the schema allows it, whatever the schema says: the values and spellings that
 * the engine leaves out on purpose. The README lists the same, in the same words.
 *
 * Values that JSON Schema cannot tell apart (`1` and `1.0`, two orders of the same entries) are in here too: a reader of
 * the text can.
 */

export interface Narrowing {
  readonly message: string
  /** The option that lifts it, as it is written in a call of `compile`. */
  readonly liftedBy?: string
}

const NARROWINGS = {
  order: {
    message: 'properties come in the order of the schema, then additional ones',
    liftedBy: "propertyOrder: 'any'",
  },
  space: {
    message: 'white space between tokens is what option whitespace puts there',
    liftedBy: "whitespace: 'any'",
  },
  notation: {
    message: 'numbers have one spelling, without exponent or a fraction of zero',
    liftedBy: "numbers: 'any'",
  },
  size: {
    message:
      'numbers have at most 64 digits, or 20 more than the longest bound beside them, and exponents of at most 400',
  },
  spelling: { message: 'strings of enum and const, and keys, have one spelling' },
  surrogates: { message: 'strings have no lone surrogates' },
  bytes: { message: 'what needs a byte that no token of the vocabulary has is not written' },
  fractions: { message: 'numbers like 1.0 are not written where draft-04 tells them from integers' },
  names: {
    message:
      'an object whose further names are of a finite language has at most as many properties as that language has names',
  },
} as const satisfies Record<string, Narrowing>

export type NarrowingName = keyof typeof NARROWINGS

/** All of them, in the order of the README. */
export const NARROWING_NAMES = Object.keys(NARROWINGS) as readonly NarrowingName[]

export function narrowingOf(name: NarrowingName): Narrowing {
  return NARROWINGS[name]
}
