/**
 * The formats of JSON Schema as regular languages, from the grammars of their RFCs.
 *
 * Exact, also where a pattern alone is not: days of months and leap years, leap seconds at 23:59:60 UTC in every offset.
 * What is narrowed stands in `schema/narrowings.ts`. The sizes that RFC 5321 wants mail software to bear are not part of `email`.
 *
 * A language is made once, about two milliseconds for those with a time, and transferred to each builder that asks for it.
 */
import { idnEmail, idnHostname } from './format-idn.ts'
import { regexFormat } from './format-regex.ts'
import { parsePattern } from './pattern.ts'
import { type Regex, RegexBuilder } from './regex.ts'
import { copyOf } from './transfer.ts'

const originals = new Map<string, Regex>()
const cache = new WeakMap<RegexBuilder, Map<string, Regex>>()

/** The language of a format that JSON Schema 2020-12 defines; `null` for any other name, which is an annotation. */
export function formatRegex(name: string, builder: RegexBuilder): Regex | null {
  const make = FORMATS.get(name)
  return make === undefined ? null : remember(name, make, builder)
}

/** The same as a language and bounds on the length beside it, which strings are better counted by than by an automaton. */
export function formatWithLength(
  name: string,
  builder: RegexBuilder,
): { readonly language: Regex; readonly min: number; readonly max: number } | null {
  if (name === 'hostname') {
    const language = remember('hostname of any length', anyHostname, builder)
    return { language, min: 1, max: MAX_HOSTNAME }
  }
  const language = formatRegex(name, builder)
  return language === null ? null : { language, min: 0, max: Number.POSITIVE_INFINITY }
}

function remember(name: string, make: Make, builder: RegexBuilder): Regex {
  let made = cache.get(builder)
  if (made === undefined) {
    made = new Map()
    cache.set(builder, made)
  }
  let regex = made.get(name)
  if (regex === undefined) {
    let original = originals.get(name)
    if (original === undefined) {
      const own = new RegexBuilder()
      original = typeof make === 'string' ? whole(make, own) : make(own)
      originals.set(name, original)
    }
    regex = copyOf(original, builder)
    made.set(name, regex)
  }
  return regex
}

function whole(pattern: string, builder: RegexBuilder): Regex {
  return parsePattern(`^(?:${pattern})$`, builder)
}

/** Alternatives as one group. */
function any(...options: readonly string[]): string {
  return `(?:${options.join('|')})`
}

// RFC 3339, section 5.6.
const LEAP_PAIR = any('0[48]', '[2468][048]', '[13579][26]')
const LEAP_YEAR = any(`\\d\\d${LEAP_PAIR}`, '(?:[02468][048]|[13579][26])00')
const DATE = any(
  `\\d{4}-${any(
    '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])',
    '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)',
    '02-(?:0[1-9]|1\\d|2[0-8])',
  )}`,
  `${LEAP_YEAR}-02-29`,
)
const HOUR = '(?:[01]\\d|2[0-3])'
const MINUTE = '[0-5]\\d'
const FRACTION = '(?:\\.\\d+)?'
const OFFSET = any('[Zz]', `[+\\-]${HOUR}:${MINUTE}`)
/** Without second 60. */
const TIME = `${HOUR}:${MINUTE}:${MINUTE}${FRACTION}${OFFSET}`

// RFC 2673, section 3.2; RFC 4291, section 2.2, as the grammar of RFC 3986.
const OCTET = any('25[0-5]', '2[0-4]\\d', '1\\d\\d', '[1-9]?\\d')
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`
const H16 = '[0-9A-Fa-f]{1,4}'
const LS32 = any(`${H16}:${H16}`, IPV4)
const IPV6 = any(
  `(?:${H16}:){6}${LS32}`,
  `::(?:${H16}:){5}${LS32}`,
  `(?:${H16})?::(?:${H16}:){4}${LS32}`,
  `(?:(?:${H16}:){0,1}${H16})?::(?:${H16}:){3}${LS32}`,
  `(?:(?:${H16}:){0,2}${H16})?::(?:${H16}:){2}${LS32}`,
  `(?:(?:${H16}:){0,3}${H16})?::${H16}:${LS32}`,
  `(?:(?:${H16}:){0,4}${H16})?::${LS32}`,
  `(?:(?:${H16}:){0,5}${H16})?::${H16}`,
  `(?:(?:${H16}:){0,6}${H16})?::`,
)

// RFC 5321, section 4.1.2 and 4.1.3: in an address literal `::` stands for two groups or more, and octets may begin with 0.
const SNUM = any('25[0-5]', '2[0-4]\\d', '[01]?\\d?\\d')
const MAIL_IPV4 = `${SNUM}(?:\\.${SNUM}){3}`
const MAIL_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9\\-]*[A-Za-z0-9])?'
const MAIL_IPV6 = any(
  `(?:${H16}:){7}${H16}`,
  ...upTo(6).map(([before, after]) => `${groups(before)}::${groups(after)}`),
  `(?:${H16}:){6}${MAIL_IPV4}`,
  ...upTo(4).map(
    ([before, after]) => `${groups(before)}::${after === 0 ? '' : `${groups(after)}:`}${MAIL_IPV4}`,
  ),
)
const MAIL_DOMAIN = any(
  `${MAIL_LABEL}(?:\\.${MAIL_LABEL})*`,
  `\\[${any(MAIL_IPV4, `[Ii][Pp][Vv]6:${MAIL_IPV6}`)}\\]`,
)

/** The part before `@`, with further characters as in RFC 6531, section 3.3. */
function localPart(extra: string): string {
  const atom = `[A-Za-z0-9!#$%&'*+\\-\\/=?^_\`\\{|\\}~${extra}]+`
  return any(`${atom}(?:\\.${atom})*`, `"(?:[ !#-\\[\\]-~${extra}]|\\\\[ -~])*"`)
}

/** All pairs of numbers of groups that add up to at most `most`, the larger second ones only. */
function upTo(most: number): (readonly [before: number, after: number])[] {
  return Array.from({ length: most + 1 }, (_, before) =>
    Array.from({ length: most - before + 1 }, (_, after) => [before, after] as const),
  ).flat()
}

function groups(count: number): string {
  return count === 0 ? '' : `(?:${H16}:){${count - 1}}${H16}`
}

const MAX_HOSTNAME = 253
const LABEL = '(?!..--)[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?'

// RFC 3339, appendix A.
const TIME_PART = any('\\d+H(?:\\d+M(?:\\d+S)?)?', '\\d+M(?:\\d+S)?', '\\d+S')
const DAY_PART = any('\\d+Y(?:\\d+M(?:\\d+D)?)?', '\\d+M(?:\\d+D)?', '\\d+D')
const DURATION = `P${any(`${DAY_PART}(?:T${TIME_PART})?`, `T${TIME_PART}`, '\\d+W')}`

// RFC 3986, appendix A, and RFC 3987, section 2.2, which adds characters to the unreserved ones and to queries. Marks of
// direction (U+200E, U+200F, U+202A to U+202E) are left out, as its section 4.1 forbids them.
const UCSCHAR = `\\xA0-\\u200D\\u2010-\\u2029\\u202F-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFEF${planes(1, 13, 0)}\\u{E1000}-\\u{EFFFD}`
const IPRIVATE = `\\uE000-\\uF8FF${planes(15, 16, 0)}`
const PERCENT = '%[0-9A-Fa-f]{2}'
const SUB_DELIMITERS = "!$&'()*+,;="

/** `\u{10000}-\u{1FFFD}` and so on: each plane without its two last code points. */
function planes(first: number, last: number, from: number): string {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const plane = (first + index) * 0x10000
    return `\\u{${(plane + from).toString(16)}}-\\u{${(plane + 0xfffd).toString(16)}}`
  }).join('')
}

function uri(extra: string, extraInQuery: string, relative: boolean): string {
  const unreserved = `A-Za-z0-9\\-._~${extra}`
  const run = (characters: string): string => `(?:[${characters}]|${PERCENT})`
  const pchar = run(`${unreserved}${SUB_DELIMITERS}:@`)
  const literal = `\\[${any(IPV6, `[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~${SUB_DELIMITERS}:]+`)}\\]`
  const host = any(literal, `${run(`${unreserved}${SUB_DELIMITERS}`)}*`)
  const authority = `(?:${run(`${unreserved}${SUB_DELIMITERS}:`)}*@)?${host}(?::\\d*)?`
  const rooted = any(`\\/\\/${authority}(?:\\/${pchar}*)*`, `\\/(?:${pchar}+(?:\\/${pchar}*)*)?`)
  const query = `(?:\\?${run(`${unreserved}${SUB_DELIMITERS}:@\\/?${extraInQuery}`)}*)?`
  const fragment = `(?:#${run(`${unreserved}${SUB_DELIMITERS}:@\\/?`)}*)?`
  const absolute = `[A-Za-z][A-Za-z0-9+\\-.]*:(?:${rooted}|${pchar}+(?:\\/${pchar}*)*)?`
  const noScheme = `${run(`${unreserved}${SUB_DELIMITERS}@`)}+(?:\\/${pchar}*)*`
  return `${relative ? any(absolute, `(?:${rooted}|${noScheme})?`) : absolute}${query}${fragment}`
}

// RFC 6570, section 2, with erratum 6937 (the apostrophe is a literal).
const VARCHAR = `(?:[A-Za-z0-9_]|${PERCENT})`
const VARSPEC = `${VARCHAR}(?:\\.?${VARCHAR})*(?::[1-9]\\d{0,3}|\\*)?`
const TEMPLATE = `(?:[!#$&-;=?-\\[\\]_a-z~${UCSCHAR}\\u200E\\u200F\\u202A-\\u202E${IPRIVATE}]|${PERCENT}|\\{[+#.\\/;?&=,!@|]?${VARSPEC}(?:,${VARSPEC})*\\})*`

// RFC 6901, section 3.
const POINTER = '(?:\\/(?:[^\\/~]|~[01])*)*'

/** A pattern of the whole, or what makes the language. */
type Make = string | ((builder: RegexBuilder) => Regex)

const FORMATS: ReadonlyMap<string, Make> = new Map<string, Make>([
  ['date', DATE],
  ['time', time],
  ['date-time', dateTime],
  ['duration', DURATION],
  ['email', `${localPart('')}@${MAIL_DOMAIN}`],
  ['idn-email', (builder) => idnEmail(localPart('\\x80-\\u{10FFFF}'), MAIL_DOMAIN, LABEL, builder)],
  ['hostname', hostname],
  ['idn-hostname', (builder) => idnHostname(LABEL, builder)],
  ['ipv4', IPV4],
  ['ipv6', IPV6],
  ['uuid', '[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}'],
  ['uri', uri('', '', false)],
  ['uri-reference', uri('', '', true)],
  ['iri', uri(UCSCHAR, IPRIVATE, false)],
  ['iri-reference', uri(UCSCHAR, IPRIVATE, true)],
  ['uri-template', TEMPLATE],
  ['json-pointer', POINTER],
  ['relative-json-pointer', `(?:0|[1-9]\\d*)(?:#|${POINTER})`],
  ['regex', regexFormat],
])

/** The formats that JSON Schema 2020-12 defines. */
export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()]

function time(builder: RegexBuilder): Regex {
  const { sameDay, nextDay } = leapSecond(builder)
  return builder.or(whole(TIME, builder), sameDay, nextDay)
}

/** RFC 3339, section 5.7: leap seconds end a June or a December, in UTC. */
function dateTime(builder: RegexBuilder): Regex {
  const { sameDay, nextDay } = leapSecond(builder)
  return builder.or(
    whole(`${DATE}[Tt]${TIME}`, builder),
    builder.concat(whole('\\d{4}-(?:06-30|12-31)[Tt]', builder), sameDay),
    builder.concat(whole('\\d{4}-(?:07-01|01-01)[Tt]', builder), nextDay),
  )
}

/**
 * Second 60, where the time is 23:59 UTC: local time minus offset is 1,439 minutes modulo a day. With `+` the offset's
 * minutes are one more than the local ones, carrying into the hours, and the local day is the next one, but for +00:00; with
 * `-` both add up to 23:59. Hours and minutes are related each by itself, and the relations intersected.
 */
function leapSecond(builder: RegexBuilder): { readonly sameDay: Regex; readonly nextDay: Regex } {
  const hour = whole(HOUR, builder)
  const minute = whole(MINUTE, builder)
  const colon = builder.literal(':')
  const second = whole(`:60${FRACTION}`, builder)
  const digits = (value: number): Regex => builder.literal(String(value).padStart(2, '0'))
  const local = (
    hours: Regex,
    minutes: Regex,
    sign: string,
    offsetHours: Regex,
    offsetMinutes: Regex,
  ): Regex =>
    builder.concat(hours, colon, minutes, second, builder.literal(sign), offsetHours, colon, offsetMinutes)
  const hours = Array.from({ length: 24 }, (_, index) => index)
  const minutes = Array.from({ length: 60 }, (_, index) => index)
  const ahead = builder.or(
    ...hours.slice(0, 23).map((value) => local(digits(value), digits(59), '+', digits(value + 1), digits(0))),
    builder.and(
      builder.or(...hours.map((value) => local(digits(value), minute, '+', digits(value), minute))),
      builder.or(
        ...minutes.slice(0, 59).map((value) => local(hour, digits(value), '+', hour, digits(value + 1))),
      ),
    ),
  )
  const behind = builder.and(
    builder.or(...hours.map((value) => local(digits(value), minute, '-', digits(23 - value), minute))),
    builder.or(...minutes.map((value) => local(hour, digits(value), '-', hour, digits(59 - value)))),
  )
  const sameDay = builder.or(whole(`23:59:60${FRACTION}(?:[Zz]|[+]00:00)`, builder), behind)
  return { sameDay, nextDay: ahead }
}

/** RFC 1123, section 2.1: labels of at most 63 characters, 253 in all. */
function hostname(builder: RegexBuilder): Regex {
  return builder.and(anyHostname(builder), builder.repeat(builder.any, 1, MAX_HOSTNAME))
}

function anyHostname(builder: RegexBuilder): Regex {
  return whole(`${LABEL}(?:\\.${LABEL})*`, builder)
}
