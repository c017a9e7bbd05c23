/**
 * Judges the arguments of a whole call: are they JSON, an object, of the tool's schema, and what its validator takes?
 *
 * What a mask has vouched for is not judged again; the refinements of a validator are run in any case.
 */
import type { Violation } from '../decode/result.ts'
import { JsonError, LimitError } from '../errors.ts'
import { quote } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import type { Tool } from './definitions.ts'
import type { Judge, Refine } from './judgement.ts'
import { Validator, type ValidatorOptions } from './verdict/validator.ts'
import { typeOf } from './verdict/words.ts'

/**
 * The judge of a tool's calls; `null` where its mask has said all. Throws `SchemaError` for a schema without a mask that
 * cannot be read.
 */
export function judgeOf(tool: Tool, isMasked: boolean, options: ValidatorOptions): Judge | null {
  const refine = tool.refine === null ? null : named(tool.name, tool.refine)
  if (isMasked) return refine === null ? null : (text) => refine(JSON.parse(text))
  const validator = new Validator(tool.parameters, options)
  return (text) => {
    const read = readArguments(text)
    if ('message' in read) {
      const own = 'values' in read ? { arguments: read.values } : {}
      return { ...own, violations: [parseViolation(read.message)] }
    }
    const values: unknown = JSON.parse(text)
    const violations = validator.violations(read.value)
    if (violations.length > 0) return { arguments: values, violations }
    return refine === null ? { arguments: values, violations } : refine(values)
  }
}

/** What a validator throws is no verdict: it ends the run, and says whose it is. */
function named(name: string, refine: Refine): Refine {
  const fail = (cause: unknown): never => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`the validator of tool ${quote(name)} failed: ${reason}`, { cause })
  }
  return (values) => {
    try {
      const judged = refine(values)
      return judged instanceof Promise ? judged.catch(fail) : judged
    } catch (error) {
      return fail(error)
    }
  }
}

/** That a call cannot be read, or not as one of a tool that there is. */
export function parseViolation(message: string): Violation {
  return { pointer: '', message, source: 'parse' }
}

/** The judge of calls of a tool that is not there. */
export function unknownTool(name: string, tools: readonly Tool[]): Judge {
  const known = tools.map((tool) => JSON.stringify(tool.name)).join(', ')
  return () => ({
    violations: [parseViolation(`there is no tool ${JSON.stringify(name)}; the tools are ${known}`)],
  })
}

type ReadArguments = { readonly value: JsonValue } | { readonly message: string; readonly values?: unknown }

/** What the validator can walk, and the validators of others. */
const MAX_DEPTH = 500

/** Where a key stands twice its last value counts, as for `JSON.parse`. */
function readArguments(text: string): ReadArguments {
  let value: JsonValue
  try {
    value = readJson(text, { duplicateKeys: 'last', maxDepth: MAX_DEPTH })
  } catch (error) {
    if (error instanceof JsonError) return { message: `the arguments are not JSON: ${error.message}` }
    if (error instanceof LimitError) return { message: error.reason }
    throw error
  }
  if (value instanceof Map) return { value }
  return {
    message: `${typeOf(value)} where the arguments, an object, are required`,
    values: JSON.parse(text),
  }
}
