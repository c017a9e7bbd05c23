/**
 * Exit codes, and which error means which. An error that is not known here is a fault of the program: its stack is
 * printed and the code is 70.
 */
import {
  GrammarError,
  JsonError,
  LimitError,
  ModelError,
  PatternError,
  SchemaError,
  VocabularyError,
} from '../errors.ts'
import { isMisuse, withFlags } from './compile-flags.ts'
import { UsageError } from './input.ts'
import { visible } from './report.ts'

export const EXIT = {
  complete: 0,
  /** An instance that the schema refuses, tools with errors, a call that is rejected, a prefix or token that may not come. */
  refused: 1,
  usage: 2,
  /** A generation that was cut, an instance that is incomplete. */
  cut: 3,
  schema: 4,
  model: 5,
  /** A fault of this program. */
  fault: 70,
  interrupted: 130,
} as const

/** A known error in both forms: for people, and as what `--json` prints. */
export interface Explained {
  readonly code: number
  readonly message: string
  readonly json: Readonly<Record<string, unknown>>
}

/** The explanation of a known error; `null` for any other. */
export function explain(error: unknown): Explained | null {
  const code = codeOf(error)
  if (code === null || !(error instanceof Error)) return null
  const message = withFlags(error.message)
  const name = code === EXIT.usage && isMisuse(error) ? 'UsageError' : error.name
  const json = { error: name, message, exitCode: code, ...detailsOf(error) }
  if (!(error instanceof SchemaError) || error.errors.length < 2)
    return { code, message: visible(message), json }
  const lines = error.errors.map(
    (problem) => `  ${visible(`${problem.pointer}  ${withFlags(problem.message)}`)}`,
  )
  return { code, message: `the schema is refused:\n${lines.join('\n')}`, json }
}

function codeOf(error: unknown): number | null {
  if (error instanceof UsageError) return EXIT.usage
  if (error instanceof Error && isMisuse(error)) return EXIT.usage
  if (error instanceof SchemaError || error instanceof JsonError || error instanceof GrammarError)
    return EXIT.schema
  // The tokens that were allowed, and no size of the schema.
  if (error instanceof LimitError && error.what === 'max_tokens') return EXIT.usage
  if (error instanceof PatternError || error instanceof LimitError) return EXIT.schema
  if (error instanceof ModelError || error instanceof VocabularyError) return EXIT.model
  return null
}

function detailsOf(error: Error): object {
  if (error instanceof SchemaError) {
    const errors = error.errors.map((problem) => ({ ...problem, message: withFlags(problem.message) }))
    return { pointer: error.pointer, errors }
  }
  if (error instanceof JsonError || error instanceof GrammarError)
    return { offset: error.offset, line: error.line, column: error.column }
  if (error instanceof PatternError) return { pattern: error.pattern, offset: error.offset }
  if (error instanceof LimitError) {
    const { what, limit, actual, pointer } = error
    return { what, limit, actual, ...(pointer === undefined ? {} : { pointer }) }
  }
  return {}
}
