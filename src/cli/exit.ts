/**
 * Exit codes, and which error means which. An error that is not known here is a fault of the program: its stack is
 * printed and the code is 1, as Node does it.
 */
import { JsonError, LimitError, ModelError, PatternError, SchemaError, VocabularyError } from '../errors.ts'

export const EXIT = {
  complete: 0,
  /** An instance that the schema refuses (`check`). */
  refused: 1,
  usage: 2,
  /** A generation that was cut, an instance that is incomplete. */
  cut: 3,
  schema: 4,
  model: 5,
  interrupted: 130,
} as const

/** Something about the command line itself: a file that is not there, two arguments that exclude each other. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The message and the code of a known error; `null` for any other. */
export function explain(error: unknown): { readonly code: number; readonly message: string } | null {
  if (error instanceof UsageError) return { code: EXIT.usage, message: error.message }
  if (error instanceof SchemaError) {
    const list = error.errors.map(({ pointer, message }) => `  ${pointer}  ${message}`)
    return {
      code: EXIT.schema,
      message: list.length < 2 ? error.message : `the schema is refused:\n${list.join('\n')}`,
    }
  }
  if (error instanceof JsonError || error instanceof PatternError || error instanceof LimitError) {
    return { code: EXIT.schema, message: error.message }
  }
  if (error instanceof ModelError || error instanceof VocabularyError)
    return { code: EXIT.model, message: error.message }
  return null
}
