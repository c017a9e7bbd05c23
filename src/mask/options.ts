/**
 * The options of a compile as callers give them: those of the schema, and the limits of the schema and of the engine in
 * one object. Whatever compiles for a caller takes them apart here, so that all entries know the same.
 */
import { type Limits, SCHEMA_LIMITS, SCHEMA_OPTIONS, type SchemaOptions } from '../schema/options.ts'
import { Vocabulary } from '../vocab/vocabulary.ts'
import { MASK_LIMITS, type MaskLimits } from './limits.ts'

export interface CompileOptions extends Omit<SchemaOptions, 'limits'> {
  /** Deterministic budgets, in steps and sizes; beyond them a `LimitError`. */
  readonly limits?: Partial<Limits> & MaskLimits
}

const LIMITS: ReadonlySet<string> = new Set([...SCHEMA_LIMITS, ...MASK_LIMITS])

/**
 * What the schema compiler takes, and what the engine does. `others` are the options that the caller has taken for
 * itself: messages list them.
 *
 * @throws TypeError for an option or a limit that is not known
 */
export function splitOptions(
  options: CompileOptions,
  others: readonly string[] = [],
): { readonly schema: SchemaOptions; readonly mask: MaskLimits } {
  checkNames(options, [...others, ...SCHEMA_OPTIONS])
  const { limits, ...schema } = options
  const split = splitLimits(limits)
  return { schema: { ...schema, limits: split.schema }, mask: split.mask }
}

/** @throws TypeError for an option that is not known, or for options that are no object */
export function checkNames(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object')
  for (const name of Object.keys(options)) {
    if (!known.includes(name))
      throw new TypeError(`unknown option ${JSON.stringify(name)}; known are ${known.join(', ')}`)
  }
}

/**
 * An array of other elements would hold other bits, and say nothing of it.
 * @throws TypeError for what are no words of 32 bits
 */
export function checkWords(out: unknown, what: string): void {
  if (out instanceof Uint32Array || out instanceof Int32Array) return
  const kind = out instanceof Object ? out.constructor.name : String(out)
  throw new TypeError(`${what} is written to a Uint32Array or Int32Array, not to ${kind}`)
}

/** The limits of the schema's algebra, and those of the engine. */
export function splitLimits(limits: CompileOptions['limits']): {
  readonly schema: Partial<Limits>
  readonly mask: MaskLimits
} {
  if (limits === undefined) return { schema: {}, mask: {} }
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits))
    throw new TypeError('option limits must be an object of numbers')
  const mask: Record<string, number> = {}
  const rest: Record<string, number> = {}
  for (const [name, limit] of Object.entries(limits)) {
    if (!LIMITS.has(name))
      throw new TypeError(`unknown limit ${JSON.stringify(name)}; known are ${[...LIMITS].join(', ')}`)
    // Both count the states of patterns.
    if (MASK_LIMITS.includes(name)) mask[name] = limit
    if (SCHEMA_LIMITS.includes(name)) rest[name] = limit
  }
  return { schema: rest, mask }
}

/** What is no vocabulary is told apart before it is asked for tokens. */
export function checkVocabulary(vocabulary: unknown): void {
  if (!(vocabulary instanceof Vocabulary))
    throw new TypeError('the vocabulary is not one: make it with Vocabulary.fromTokenizerJson or fromBytes')
}
