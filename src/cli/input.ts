/**
 * What comes in from the command line: numbers, files, standard input; each checked where it is read, so that the
 * message can say which argument was wrong.
 */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { JsonError } from '../errors.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { UsageError } from './exit.ts'

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

/** Reads a file, or standard input for `-`. */
async function readInput(path: string): Promise<string> {
  const bytes = await readBytes(path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new UsageError(`${path} is not UTF-8 text`)
  }
}

export async function readBytes(path: string): Promise<Uint8Array> {
  if (path === '-') return new TextEncoder().encode(await text(process.stdin))
  try {
    return await readFile(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const reason = code === 'ENOENT' ? 'no such file' : code === 'EISDIR' ? 'that is a folder' : String(error)
    throw new UsageError(`${path}: ${reason}`)
  }
}

/** Reads a JSON document losslessly; where it is not JSON, the error names the file, the line and the column. */
export async function readJsonFile(path: string): Promise<JsonValue> {
  const source = await readInput(path)
  try {
    return readJson(source)
  } catch (error) {
    if (error instanceof JsonError) {
      const reason = error.message.replace(/ \(line \d+, column \d+\)$/u, '')
      throw new JsonError(`${path} is not JSON: ${reason}`, error.offset, error.line, error.column)
    }
    throw error
  }
}

/** The request: the arguments joined, or standard input where there is none or it is `-`. */
export async function readRequest(words: readonly string[]): Promise<string> {
  const joined = words.join(' ')
  if (joined !== '' && joined !== '-') return joined
  if (joined === '' && process.stdin.isTTY)
    throw new UsageError('say what the model is asked, as the last argument')
  const request = (await text(process.stdin)).trim()
  if (request === '')
    throw new UsageError('the request is empty; say what the model is asked, as the last argument')
  return request
}
