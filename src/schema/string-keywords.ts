/**
 * The keywords of strings, as a record: lengths, `pattern` and `format`, which all apply to the decoded string.
 *
 * A pattern is a search unless it is anchored. One that no regular language equals blocks the record.
 */
import { PatternError, type SchemaProblem } from '../errors.ts'
import { formatWithLength } from '../regex/formats.ts'
import { patternOf } from '../regex/library.ts'
import type { Regex } from '../regex/regex.ts'
import type { Keywords } from './keywords.ts'
import { narrowingOf, narrowingOfFormat } from './narrowings.ts'
import type { Refusal } from './report.ts'
import { ANY_STRING, type StringRecord } from './shape.ts'

/** What the keywords of strings allow. */
export function stringsOf(keywords: Keywords): readonly StringRecord[] {
  const { strings } = keywords.context.shapes
  let record: StringRecord | null = ANY_STRING
  const min = keywords.atLeast('minLength')
  const max = keywords.atMost('maxLength')
  if (min > 0 || max !== Number.POSITIVE_INFINITY) record = strings.settle({ ...ANY_STRING, min, max })
  const pattern = keywords.string('pattern')
  if (pattern !== undefined && record !== null) {
    const language = patternLanguage(keywords, 'pattern', pattern)
    record =
      language instanceof PatternError
        ? block(record, patternProblem(keywords, 'pattern', [], language))
        : strings.meet(record, { ...ANY_STRING, language })
  }
  const format = keywords.string('format')
  if (format !== undefined && record !== null) {
    const language = formatLanguage(keywords, format)
    if (language !== null) record = strings.meet(record, { ...ANY_STRING, ...language })
  }
  return record === null ? [] : [record]
}

/** Why a pattern is refused; its error says what is not supported, and often what to write instead. */
export function patternProblem(
  keywords: Keywords,
  keyword: string,
  steps: readonly string[],
  { message }: PatternError,
): Refusal {
  const problem = keywords.problem(keyword, `${message}: it cannot be enforced`, 'rewrite the pattern')
  return { ...problem, pointer: keywords.pointerTo(keyword, ...steps) }
}

/** The language of a pattern, searched for anywhere in the string. */
export function patternLanguage(keywords: Keywords, keyword: string, source: string): Regex | PatternError {
  const { patterns, report, shapes } = keywords.context
  const known = patterns.get(source)
  if (known !== undefined) return known
  let language: Regex | PatternError
  try {
    const parsed = patternOf(source, shapes.strings.regexes)
    language = parsed.regex
    for (const note of parsed.notes) report.narrowing(keywords.pointerTo(keyword), { message: note })
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    language = error
  }
  patterns.set(source, language)
  return language
}

function formatLanguage(keywords: Keywords, format: string): ReturnType<typeof formatWithLength> {
  const { report, formats, shapes } = keywords.context
  const { assertFormat } = keywords.atom.resource.vocabularies
  const name = JSON.stringify(format)
  if (formats === 'annotate' && !assertFormat) {
    report.ignored(
      keywords.pointerTo('format'),
      'format',
      `format ${name} is not enforced under formats: 'annotate'`,
    )
    return null
  }
  const language = formatWithLength(format, shapes.strings.regexes)
  if (language === null) {
    report.ignored(
      keywords.pointerTo('format'),
      'format',
      `format ${name} is not one of JSON Schema and constrains nothing`,
    )
    return null
  }
  const narrowed = narrowingOfFormat(format)
  if (narrowed !== undefined) {
    const narrowing = narrowingOf(narrowed)
    // What the vocabularies of a schema assert, no option lifts.
    const said = assertFormat ? { message: narrowing.message } : narrowing
    report.narrowing(keywords.pointerTo('format'), said)
  }
  return language
}

function block(record: StringRecord, problem: SchemaProblem): StringRecord {
  return { ...record, blocked: [...record.blocked, problem] }
}
