/**
 * Reads what was written as an application would, and scores it by the rules of `bench/requests/README.md`.
 *
 * The reading is the library's own of outputs without a mask, and in their favour: tags may be missing, white space is free,
 * and what stands around an object does not matter. Whatever the model was shown, arguments are judged by Ajv against the schema of the
 * application's validator, formats asserted.
 */
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { JsonEnd } from '../../src/tools/formats/json-end.ts'
import { findCalls } from '../../src/tools/loose-calls.ts'
import type { Arguments, ExpectedCall, Request, Tool } from './requests.ts'

/** A call as it was written. */
export interface WrittenCall {
  readonly name: string
  /** `undefined` where they are no JSON value. */
  readonly arguments: unknown
}

/** Calls in an output, and what stands there in place of one. */
interface Output {
  readonly calls: readonly WrittenCall[]
  /** An object was begun and does not end. */
  readonly isOpen: boolean
  /** Why an object is no call, where there is no call. */
  readonly problem: string | null
}

function readOutput(text: string, isCut: boolean): Output {
  const { calls, problem } = findCalls(text, [], isCut)
  return {
    calls: calls.map(({ name, argumentsText }) => ({ name, arguments: parsed(argumentsText) })),
    isOpen: endsOpen(text),
    problem: calls.length > 0 || problem === null ? null : `no call: ${problem}`,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function endsOpen(text: string): boolean {
  for (let start = text.indexOf('{'); start >= 0; ) {
    const end = new JsonEnd()
    const length = end.read(text.slice(start))
    if (!end.isDone) return true
    start = text.indexOf('{', start + length)
  }
  return false
}

/** What is wrong with the arguments of a call, in the words of the schema: `pattern of drawing_set_id`. */
export class Validator {
  readonly #validate = new Map<string, ValidateFunction>()

  constructor(tools: readonly Tool[]) {
    const ajv = new Ajv2020({ allErrors: true, strict: false })
    addFormats.default(ajv)
    for (const { function: tool } of tools) this.#validate.set(tool.name, ajv.compile(tool.parameters))
  }

  violations({ name, arguments: value }: WrittenCall): string[] {
    const validate = this.#validate.get(name)
    if (validate === undefined) return ['no tool of this name']
    if (value === undefined) return ['arguments are not JSON']
    if (validate(value)) return []
    return [...new Set(told(validate.errors ?? []))]
  }
}

/** Of alternatives that all fail, what the one of the right type lacks. */
function told(errors: readonly ErrorObject[]): string[] {
  const isWithin = ({ schemaPath }: ErrorObject): boolean => schemaPath.includes('/anyOf/')
  return errors
    .filter((error) => !isWithin(error))
    .map((error) => {
      const { instancePath, keyword, params } = error
      if (keyword === 'required') return `required ${params.missingProperty}`
      if (keyword === 'additionalProperties') return 'additionalProperties'
      const place = instancePath.slice(1).replaceAll('/', '.')
      const of = place === '' ? '' : ` of ${place}`
      if (keyword !== 'anyOf') return `${keyword}${of}`
      const inner = errors.filter(
        (each) => isWithin(each) && each.instancePath === instancePath && each.keyword !== 'type',
      )
      return `${inner[0]?.keyword ?? 'type'}${of}`
    })
}

/** `written`: what was called; `expected`: what was to be. Free arguments do not count. */
function isExact(written: WrittenCall, expected: ExpectedCall, free: readonly string[]): boolean {
  if (written.name !== expected.name || !isObject(written.arguments)) return false
  const entries = Object.entries(written.arguments).filter(
    ([key]) => !free.includes(`${written.name}.${key}`),
  )
  return isEqual(Object.fromEntries(entries), expected.arguments)
}

/** Whether each expected argument came as it was to be. */
function fieldsOf(written: WrittenCall | undefined, expected: ExpectedCall): Record<string, boolean> {
  const given = isObject(written?.arguments) ? written.arguments : {}
  return Object.fromEntries(
    Object.entries(expected.arguments).map(([key, value]) => [
      key,
      Object.hasOwn(given, key) && isEqual(given[key], value),
    ]),
  )
}

/**
 * What became of a request: the right calls; valid ones that are not the right ones; a call that the validator rejects; one
 * that was open when the tokens ended; no call at all where one was to be.
 */
export type Outcome = 'exact' | 'valid' | 'rejected' | 'cut' | 'none'

export interface Score {
  readonly outcome: Outcome
  readonly calls: readonly WrittenCall[]
  /** Of the calls that are whole. */
  readonly violations: readonly string[]
  /** Calls by the name of a tool that was not asked for; calls that are missing; calls too many. */
  readonly wrongNames: number
  readonly missing: number
  readonly extra: number
  /** Of the first call, argument by argument. */
  readonly fields: Readonly<Record<string, boolean>>
}

/** A text with the reason why it ended, and how many calls the library made of it where it had a mask. */
export interface Answer {
  readonly text: string
  readonly stop: string
  readonly calls?: number
}

export function score({ text, stop, calls: known }: Answer, request: Request, validator: Validator): Score {
  const output = readOutput(text, stop !== 'complete')
  const calls = known === undefined ? output.calls : output.calls.slice(0, known)
  const isCut = stop === 'max_tokens' && (known !== undefined || output.isOpen)
  const violations = [
    ...calls.flatMap((call) => validator.violations(call)),
    ...(known === undefined && !isCut && output.problem !== null ? [output.problem] : []),
  ]
  const expected = request.expected
  const left = [...calls]
  let exact = 0
  for (const each of expected) {
    const at = left.findIndex((call) => isExact(call, each, request.free))
    if (at < 0) continue
    exact++
    left.splice(at, 1)
  }
  const names = difference(
    calls.map(({ name }) => name),
    expected.map(({ name }) => name),
  )
  const wrongNames = Math.min(names.extra, names.missing)
  const isWhole = exact === expected.length && left.length === 0 && !isCut && violations.length === 0
  return {
    outcome: isWhole
      ? 'exact'
      : violations.length > 0
        ? 'rejected'
        : isCut
          ? 'cut'
          : calls.length > 0
            ? 'valid'
            : 'none',
    calls,
    violations,
    wrongNames,
    missing: names.missing - wrongNames,
    extra: names.extra - wrongNames,
    fields: expected.length === 0 ? {} : fieldsOf(isCut ? undefined : calls[0], expected[0]!),
  }
}

/** How many entries of each list the other does not have. */
function difference(given: readonly string[], wanted: readonly string[]): { extra: number; missing: number } {
  const left = [...wanted]
  let extra = 0
  for (const name of given) {
    const at = left.indexOf(name)
    if (at < 0) extra++
    else left.splice(at, 1)
  }
  return { extra, missing: left.length }
}

function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keys in any order, lists in theirs, numbers as numbers, strings by code points. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
    )
  }
  return a === b
}
