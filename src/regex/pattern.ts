/**
 * Patterns of JSON Schema to regular languages: ECMA-262 syntax, a search unless anchored.
 *
 * A pattern is read with flag `u`; where that is invalid it is read without (Annex B), still over whole code points, and
 * the report says so. What no regular language equals (back-references), and the few assertions that are not translated,
 * is a `PatternError` with the place. Unicode properties are those of the JavaScript engine.
 */
import { type AST, RegExpParser, RegExpSyntaxError } from '@eslint-community/regexpp'
import { LimitError, PatternError } from '../errors.ts'
import { AssertionTranslator } from './assertions.ts'
import type { Regex, RegexBuilder } from './regex.ts'
import { Syntax } from './syntax.ts'

const MAX_LENGTH = 100_000
const MAX_NESTING = 200

export interface PatternReport {
  readonly regex: Regex
  /** What the reader of a schema should know: how the pattern had to be read. */
  readonly notes: readonly string[]
}

/** The texts in which the pattern is found. Throws `PatternError`, or `LimitError` beyond what is read. */
export function parsePattern(source: string, builder: RegexBuilder): Regex {
  return parsePatternReport(source, builder).regex
}

/** The same, with notes. */
export function parsePatternReport(source: string, builder: RegexBuilder): PatternReport {
  return translate(source, builder, (translator, pattern) => translator.search(pattern))
}

/** The texts that match the pattern as a whole, as if it stood between `^(?:` and `)$`. */
export function parseWholePattern(source: string, builder: RegexBuilder): PatternReport {
  return translate(source, builder, (translator, pattern) => translator.whole(pattern))
}

function translate(
  source: string,
  builder: RegexBuilder,
  language: (translator: AssertionTranslator, pattern: AST.Pattern) => Regex,
): PatternReport {
  checkSize(source)
  const { pattern, unicode } = parse(source)
  const syntax = new Syntax(builder, source, unicode)
  const notes = unicode ? [] : ['the pattern is not valid with flag u and was read without it']
  return { regex: language(new AssertionTranslator(syntax, pattern), pattern), notes }
}

const parser = new RegExpParser({ ecmaVersion: 2025 })

function parse(source: string): { readonly pattern: AST.Pattern; readonly unicode: boolean } {
  try {
    return { pattern: parser.parsePattern(source, 0, source.length, { unicode: true }), unicode: true }
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error
    try {
      return { pattern: parser.parsePattern(source, 0, source.length, { unicode: false }), unicode: false }
    } catch {
      const reason = error.message.slice(error.message.lastIndexOf(': ') + 2)
      throw new PatternError(`not a regular expression: ${reason}`, source, error.index)
    }
  }
}

/** Keeps the parser, which recurses into groups, from what it could not stand. */
function checkSize(source: string): void {
  if (source.length > MAX_LENGTH)
    throw new LimitError('length of a pattern', MAX_LENGTH, source.length, 'shorten it')
  let depth = 0
  let inClass = false
  for (let index = 0; index < source.length; index++) {
    const character = source[index]
    if (character === '\\') index++
    else if (inClass) inClass = character !== ']'
    else if (character === '[') inClass = true
    else if (character === '(' && ++depth > MAX_NESTING)
      throw new LimitError('nesting of a pattern', MAX_NESTING, depth, 'nest fewer groups')
    else if (character === ')') depth--
  }
}
