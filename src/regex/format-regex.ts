/**
 * The format `regex`: patterns of ECMA-262 with flag `u`, as a regular language.
 *
 * Groups and lookarounds nest to a fixed depth, so the language is that of the grammar in ECMA-262, section 22.2.1, written
 * out level by level; a level is one node, shared wherever it occurs. What compares two places of a pattern is left out:
 * named groups and references to groups (which must exist), counts `{n,m}` from 100 on (`n` may not be above `m`), ranges of
 * a class whose ends are not plain characters, the first of ASCII (they may not run backwards), and `\0`, which no digit may
 * follow. Of properties the common ones are written; modifiers, which engines learnt late, are not.
 */
import { CharSet } from './charset.ts'
import { parsePattern } from './pattern.ts'
import type { Regex, RegexBuilder } from './regex.ts'

const MAX_DEPTH = 8

const PROPERTIES = [
  'L Lu Ll Lt LC Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn',
  'Letter Uppercase_Letter Lowercase_Letter Mark Number Decimal_Number Punctuation Symbol Separator Other',
  'Alphabetic Any ASCII Assigned Emoji ID_Continue ID_Start Lowercase Uppercase White_Space',
  'Script=Arabic Script=Cyrillic Script=Devanagari Script=Greek Script=Han Script=Hangul Script=Hebrew',
  'Script=Hiragana Script=Katakana Script=Latin Script=Thai',
].flatMap((line) => line.split(' '))

/** Characters that stand for themselves only behind a backslash. */
const SYNTAX = CharSet.from('^$\\.*+?()[]{}|')
const CLASS_SYNTAX = CharSet.from('\\]-')

const HEX = '[0-9A-Fa-f]'
/** Of `\u{…}`: at most 10FFFF. */
const CODE_POINT = `0*(?:${HEX}{1,5}|10${HEX}{4})`
const CHARACTER_ESCAPES = `[fnrtv]|c[A-Za-z]|x${HEX}{2}|u${HEX}{4}|u\\{${CODE_POINT}\\}|[\\^$\\\\.*+?()\\[\\]{}|\\/]`
const CLASS_ESCAPES = `[dDsSwW]|[pP]\\{(?:${PROPERTIES.join('|')})\\}`

/** The language of the format. */
export function regexFormat(builder: RegexBuilder): Regex {
  const pattern = (source: string): Regex => parsePattern(`^(?:${source})$`, builder)
  const repeated = (regex: Regex): Regex => builder.repeat(regex, 0, Number.POSITIVE_INFINITY)
  const quantifier = pattern(`(?:[*+?]|\\{\\d+\\}|\\{\\d+,\\}|\\{(?:${COUNTS})\\})\\??`)
  const optional = builder.repeat(quantifier, 0, 1)
  const atom = builder.or(
    builder.chars(SYNTAX.complement()),
    pattern(`\\.|\\\\(?:${CHARACTER_ESCAPES}|${CLASS_ESCAPES})`),
    characterClass(builder),
  )
  const assertion = pattern('[\\^$]|\\\\[bB]')
  let nested: Regex = builder.none
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const group = builder.concat(pattern('\\((?:\\?:)?'), nested, builder.literal(')'))
    const lookaround = builder.concat(pattern('\\(\\?<?[=!]'), nested, builder.literal(')'))
    const term = builder.or(
      builder.concat(builder.or(atom, group), optional),
      assertion,
      lookaround,
      builder.literal('|'),
    )
    nested = repeated(term)
  }
  return nested
}

/** `n,m` with n up to 99 and no less than n in m. */
const COUNTS = Array.from({ length: 100 }, (_, n) => `${n},(?:${noLess(n)})`).join('|')

/** Decimals that are at least n, which has one digit or two. */
function noLess(n: number): string {
  const [tens, ones] = [Math.floor(n / 10), n % 10]
  const longer = tens === 0 ? '[1-9]\\d+' : '[1-9]\\d{2,}'
  if (tens === 0) return `[${ones}-9]|${longer}`
  return `${tens}[${ones}-9]${tens < 9 ? `|[${tens + 1}-9]\\d` : ''}|${longer}`
}

/** A hyphen stands first or last, or between the ends of a range. */
function characterClass(builder: RegexBuilder): Regex {
  const plain = CLASS_SYNTAX.complement()
  const escaped = parsePattern(`^\\\\(?:${CHARACTER_ESCAPES}|${CLASS_ESCAPES}|[b\\-])$`, builder)
  const ranges: Regex[] = []
  for (let low = 0x20; low < 0x7f; low++) {
    if (!plain.has(low)) continue
    const high = CharSet.of([low, 0x10ffff]).intersect(plain)
    ranges.push(builder.concat(builder.chars(CharSet.single(low)), builder.literal('-'), builder.chars(high)))
  }
  const unit = builder.or(builder.chars(plain), escaped, ...ranges)
  const hyphen = builder.repeat(builder.literal('-'), 0, 1)
  const inverted = builder.repeat(builder.literal('^'), 0, 1)
  return builder.concat(
    builder.literal('['),
    inverted,
    hyphen,
    builder.repeat(unit, 0, Number.POSITIVE_INFINITY),
    hyphen,
    builder.literal(']'),
  )
}
