/**
 * Names and addresses with characters beyond ASCII: the formats `idn-hostname` and `idn-email`.
 *
 * IDNA 2008 (RFC 5890 to 5893) asks for more than a regular language can: normal form C, and the length of a label in
 * punycode. A *safe subset* of its U-labels keeps both by construction. It has the letters of the scripts listed below that
 * are stable under compatibility case folding (RFC 5892, section 2), and no combining mark and no joiner, so every text
 * is in normal form. Of the rules for context it has those of middle dot, keraia, geresh, gershayim, katakana middle dot and
 * Arabic digits, and the rule for right-to-left names (RFC 5893, section 2).
 *
 * Lengths: the longest A-label of 20 code points below U+0800 has 63 characters, of 18 below U+1400 63, of 14 below U+D7A4
 * 60, by dynamic programming over every bias and every sum of deltas; an A-label and its dot never have 4.6 characters for
 * each one of the U-label and its dot, so names of 50 stay within 253.
 */
import { CharSet } from './charset.ts'
import { parsePattern } from './pattern.ts'
import type { Regex, RegexBuilder } from './regex.ts'

type Range = readonly [low: number, high: number]

/** Without the Coptic letters in its block. */
const GREEK: readonly Range[] = [
  [0x370, 0x3e1],
  [0x3f0, 0x3ff],
]
/** Latin, Cyrillic, Armenian. */
const BELOW_0800: readonly Range[] = [...GREEK, [0xdf, 0x24f], [0x400, 0x52f], [0x560, 0x587]]
/** The letters of Devanagari to Malayalam, in blocks that are laid out alike, Sinhala, Thai, Lao, Tibetan, Georgian, Ethiopic. */
const BELOW_1400: readonly Range[] = [
  ...[0x904, 0x984, 0xa04, 0xa84, 0xb04, 0xb84, 0xc04, 0xc84, 0xd04].map((low): Range => [low, low + 0x35]),
  [0xd85, 0xdc6],
  [0xe01, 0xe45],
  [0xe81, 0xec4],
  [0xf40, 0xf6c],
  [0x10d0, 0x10fa],
  [0x1200, 0x135a],
]
/** More of Latin and Greek. */
const BELOW_D7A4: readonly Range[] = [[0x1e00, 0x1fff]]
const HEBREW: readonly Range[] = [[0x5d0, 0x5ea]]
const ARABIC: readonly Range[] = [
  [0x620, 0x64a],
  [0x66e, 0x6d5],
  [0x6ee, 0x6ef],
  [0x6fa, 0x6ff],
]

// As far as Unicode 6 has them, and without exception.
const KANA_OR_HAN = CharSet.of(
  [0x3005, 0x3005],
  [0x3007, 0x3007],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x3400, 0x4db5],
  [0x4e00, 0x9fcc],
)
/** The prolonged sound mark, bopomofo, Hangul syllables. */
const OTHER_EAST_ASIAN = CharSet.of([0x30fc, 0x30fc], [0x3105, 0x312d], [0xac00, 0xd7a3])

// RFC 5892, section 2.6: allowed although they are not stable, or no letters.
const SHARP_S = 'ß'
const FINAL_SIGMA = 'ς'
const TSHEG = '\u0f0b'
const SINDHI = '\u06fd\u06fe'

const MIDDLE_DOT = '·'
const KERAIA = '\u0375'
const KATAKANA_DOT = '\u30fb'
/** Geresh and gershayim. */
const HEBREW_MARKS = '\u05f3\u05f4'
/** Digits that count as European ones in the rule for right-to-left names. */
const DIGITS = CharSet.of([0x30, 0x39], [0x6f0, 0x6f9])
const ARABIC_DIGITS = CharSet.of([0x660, 0x669])
const LOWER = CharSet.of([0x61, 0x7a])
const HYPHEN = CharSet.from('-')
const SEPARATORS = CharSet.from('.\u3002\uff0e\uff61')

const MAX_NAME = 50

/** RFC 5890: names of labels that match `label`, a pattern for those of ASCII alone, or of U-labels. */
export function idnHostname(label: string, builder: RegexBuilder): Regex {
  const ascii = parsePattern(`^(?:${label})$`, builder)
  const names = builder.and(separated(ascii, builder), builder.repeat(builder.any, 1, 253))
  return builder.or(names, internationalNames(ascii, builder))
}

/** RFC 6531, section 3.3: any further character in the local part, U-labels in the domain. Both are patterns. */
export function idnEmail(local: string, domain: string, label: string, builder: RegexBuilder): Regex {
  const ascii = parsePattern(`^(?:${label})$`, builder)
  const domains = builder.or(parsePattern(`^(?:${domain})$`, builder), internationalNames(ascii, builder))
  return builder.concat(parsePattern(`^(?:${local})$`, builder), builder.literal('@'), domains)
}

/** Names of which each label is ASCII or a U-label. Where one is written from right to left, all keep the rule for that. */
function internationalNames(ascii: Regex, builder: RegexBuilder): Regex {
  const left = builder.or(ascii, leftToRight(builder))
  const lettersFirst = DIGITS.union(CharSet.from(KATAKANA_DOT)).complement()
  const beside = builder.and(
    left,
    builder.concat(builder.chars(lettersFirst), builder.all),
    builder.concat(builder.all, builder.chars(CharSet.from(KATAKANA_DOT).complement())),
  )
  const mixed = separated(builder.or(beside, rightToLeft(builder)), builder)
  return builder.and(builder.or(separated(left, builder), mixed), builder.repeat(builder.any, 1, MAX_NAME))
}

function leftToRight(builder: RegexBuilder): Regex {
  const common = LOWER.union(DIGITS)
    .union(HYPHEN)
    .union(CharSet.from(MIDDLE_DOT + KERAIA))
  const low = common.union(letters(BELOW_0800)).union(CharSet.from(SHARP_S + FINAL_SIGMA))
  const middle = low.union(letters(BELOW_1400)).union(CharSet.from(TSHEG))
  const high = middle
    .union(letters(BELOW_D7A4))
    .union(KANA_OR_HAN)
    .union(OTHER_EAST_ASIAN)
    .union(CharSet.from(KATAKANA_DOT))
  const greek = letters(GREEK).union(CharSet.from(FINAL_SIGMA))
  const isKatakanaDot = builder.chars(CharSet.from(KATAKANA_DOT))
  return builder.and(
    builder.or(
      builder.repeat(builder.chars(low), 1, 20),
      builder.repeat(builder.chars(middle), 1, 18),
      builder.repeat(builder.chars(high), 1, 14),
    ),
    hyphensInside(builder),
    parsePattern(`^(?:[^${MIDDLE_DOT}]|(?<=l)${MIDDLE_DOT}(?=l))*$`, builder),
    onlyBefore(CharSet.from(KERAIA), greek, builder),
    builder.or(
      builder.not(builder.concat(builder.all, isKatakanaDot, builder.all)),
      builder.concat(builder.all, builder.chars(KANA_OR_HAN), builder.all),
    ),
  )
}

/** Digits of two kinds do not stand in one label. */
function rightToLeft(builder: RegexBuilder): Regex {
  const hebrew = letters(HEBREW)
  const first = hebrew.union(letters(ARABIC)).union(CharSet.from(SINDHI))
  const marks = CharSet.from(HEBREW_MARKS)
  const rest = (digits: CharSet): Regex =>
    builder.repeat(builder.chars(first.union(marks).union(HYPHEN).union(digits)), 0, 19)
  return builder.and(
    builder.concat(builder.chars(first), builder.or(rest(DIGITS), rest(ARABIC_DIGITS))),
    hyphensInside(builder),
    onlyAfter(marks, hebrew.union(marks), builder),
  )
}

/** RFC 5891, section 4.2.3: no hyphen at an edge, no two in third and fourth place. */
function hyphensInside(builder: RegexBuilder): Regex {
  return parsePattern('^(?!-)(?!..--)[^]*(?<!-)$', builder)
}

/** Texts in which each character of `what` stands right before one of `next`. */
function onlyBefore(what: CharSet, next: CharSet, builder: RegexBuilder): Regex {
  const { all, epsilon } = builder
  const wrong = builder.or(epsilon, builder.concat(builder.chars(next.complement()), all))
  return builder.not(builder.concat(all, builder.chars(what), wrong))
}

function onlyAfter(what: CharSet, before: CharSet, builder: RegexBuilder): Regex {
  const { all, epsilon } = builder
  const wrong = builder.or(epsilon, builder.concat(all, builder.chars(before.complement())))
  return builder.not(builder.concat(wrong, builder.chars(what), all))
}

function separated(label: Regex, builder: RegexBuilder): Regex {
  return builder.concat(
    label,
    builder.repeat(builder.concat(builder.chars(SEPARATORS), label), 0, Number.POSITIVE_INFINITY),
  )
}

const LETTER = /^(?!\p{Changes_When_NFKC_Casefolded})[\p{Ll}\p{Lo}]$/u

/** The letters in the ranges that stay as they are under compatibility case folding. */
function letters(ranges: readonly Range[]): CharSet {
  const found: Range[] = []
  for (const [low, high] of ranges) {
    for (let point = low; point <= high; point++) {
      if (LETTER.test(String.fromCodePoint(point))) found.push([point, point])
    }
  }
  return CharSet.of(...found)
}
