/**
 * Formats of texts that are there already. They are the languages that masks enforce, and beyond them what these leave out
 * because it is not written (narrowings): that is not wrong.
 */
import { CharDfa } from '../../regex/chardfa.ts'
import { formatRegex } from '../../regex/formats.ts'
import { RegexBuilder } from '../../regex/regex.ts'

const tests = new Map<string, ((text: string) => boolean) | null>()

/** Whether a text has the format; `null` for a format that is not known, which asks for nothing. */
export function formatTest(name: string): ((text: string) => boolean) | null {
  let test = tests.get(name)
  if (test === undefined) {
    test = makeTest(name)
    tests.set(name, test)
  }
  return test
}

function makeTest(name: string): ((text: string) => boolean) | null {
  if (name === 'regex') return isRegex
  const builder = new RegexBuilder()
  const language = formatRegex(name, builder)
  if (language === null) return null
  const dfa = new CharDfa(builder, language)
  const accepts = (text: string) => text.isWellFormed() && dfa.accepts(text)
  if (name === 'duration') return (text) => accepts(text.toUpperCase())
  // Labels with `--` in third and fourth place are not written; one with a letter there is judged in their place.
  if (name === 'hostname') return (text) => accepts(text.replace(/(?<=^|\.)([^.]{2})--/gu, '$1a-'))
  if (name.startsWith('idn-')) return (text) => accepts(text) || /[^\0-\x7f]|xn--/iu.test(text)
  return accepts
}

function isRegex(text: string): boolean {
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    return false
  }
}
