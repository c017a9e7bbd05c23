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

const FORMATS = "formats: 'annotate'"

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
  durations: { message: 'durations have their letters in upper case', liftedBy: FORMATS },
  hostnames: {
    message: 'host names have no label with -- in third and fourth place (xn--)',
    liftedBy: FORMATS,
  },
  internationalNames: {
    message:
      'international host names have letters of common scripts, without combining marks, joiners and labels that have -- in third and fourth place (xn--): labels of at most 20 characters (18 from U+0800 on, 14 from U+1400 on), names of 50',
    liftedBy: FORMATS,
  },
  patterns: {
    message:
      'patterns of format regex nest groups 8 deep, without named groups, back-references, modifiers, \\0 and {n,m} with n from 100 on, with class ranges between plain characters and the common properties only',
    liftedBy: FORMATS,
  },
} as const satisfies Record<string, Narrowing>

export type NarrowingName = keyof typeof NARROWINGS

/** All of them, in the order of the README. */
export const NARROWING_NAMES = Object.keys(NARROWINGS) as readonly NarrowingName[]

const OF_FORMATS: ReadonlyMap<string, NarrowingName> = new Map([
  ['duration', 'durations'],
  ['hostname', 'hostnames'],
  ['idn-email', 'internationalNames'],
  ['idn-hostname', 'internationalNames'],
  ['regex', 'patterns'],
])

/** What of a format is not written although its specification allows it; `undefined` where nothing is left out. */
export function narrowingOfFormat(format: string): NarrowingName | undefined {
  return OF_FORMATS.get(format)
}

export function narrowingOf(name: NarrowingName): Narrowing {
  return NARROWINGS[name]
}
