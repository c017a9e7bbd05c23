/**
 * What comes in from the command line: numbers, files, standard input; each checked where it is read, so that the
 * message can say which argument was wrong.
 */
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { JsonError } from '../errors.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'

/** Something about the command line itself: a file that is not there, two arguments that exclude each other. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Parser of a number option within a range. */
export function numberOption(range: string, fits: (value: number) => boolean): (text: string) => number {
  return (given) => {
    const value = given.trim() === '' ? Number.NaN : Number(given)
    if (!fits(value)) throw new InvalidArgumentError(`It must be ${range}.`)
    return value
  }
}

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  numberOption(
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`,
    (value) => Number.isSafeInteger(value) && value >= least && value <= most,
  )

/**
 * Refuses a command line that reads standard input twice: the second reader would find it empty.
 *
 * @param sources what is read, and whether that is from standard input
 */
export function checkStdin(sources: readonly (readonly [what: string, isStdin: boolean])[]): void {
  const asked = sources.filter(([, isStdin]) => isStdin).map(([what]) => what)
  if (asked.length > 1) {
    throw new UsageError(
      `standard input is to be ${asked.join(' and ')}; it can be one of them only, give the others as files or arguments`,
    )
  }
}

/** Reads a text file, or standard input for `-`. */
async function readText(path: string): Promise<string> {
  return decode(await readBytes(path), nameOf(path))
}

/** A file in messages. */
export function nameOf(path: string): string {
  return path === '-' ? 'standard input' : path
}

/** Strict UTF-8 without a byte order mark, which JSON does not have and nobody sees. */
function decode(bytes: Uint8Array, name: string): string {
  let decoded: string
  try {
    decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not UTF-8 text`)
  }
  if (decoded.startsWith('\ufeff'))
    throw new UsageError(`${name} begins with a byte order mark (U+FEFF); save it without`)
  return decoded
}

/** Reads the bytes of a file, or of standard input for `-`. */
export async function readBytes(path: string): Promise<Uint8Array> {
  if (path === '-') return buffer(process.stdin)
  try {
    return await readFile(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const reason = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'that is a folder' : String(error)
    throw new UsageError(`${path}: ${reason}`)
  }
}

/**
 * Reads a JSON document losslessly; where it is not JSON, the error names the file, the line and the column.
 * @param hint what else to say of such a text
 */
export async function readJsonFile(path: string, hint = (_: string): string => ''): Promise<JsonValue> {
  const source = await readText(path)
  try {
    return readJson(source)
  } catch (error) {
    if (error instanceof JsonError) {
      const reason = error.message.replace(/ \(line \d+, column \d+\)$/u, '')
      const said = `${nameOf(path)} is not JSON: ${reason}${hint(source)}`
      throw new JsonError(said, error.offset, error.line, error.column)
    }
    throw error
  }
}

/** Whether the request is read from standard input: there is none among the arguments, or it is `-`. */
export function isRequestOnStdin(words: readonly string[]): boolean {
  const joined = words.join(' ')
  return joined === '' || joined === '-'
}

/** The request: the arguments joined, or standard input. */
export async function readRequest(words: readonly string[]): Promise<string> {
  if (!isRequestOnStdin(words)) return words.join(' ')
  if (words.length === 0 && process.stdin.isTTY)
    throw new UsageError('say what the model is asked, as the last argument')
  const request = (await readText('-')).trim()
  if (request === '')
    throw new UsageError('the request is empty; say what the model is asked, as the last argument')
  return request
}
