/**
 * Validators as descriptions of arguments, by the interfaces that they share: Standard Schema, and Standard JSON Schema where it is
 * offered (standardschema.dev). No validator is imported.
 *
 * The schema is that of a validator's *input*, which the model writes; what it makes of that (defaults, transformations) is what
 * a call has as its arguments. Refinements that a schema cannot say are run on the finished value.
 */

import type { Violation } from '../decode/result.ts'
import { fromJs } from '../json/from-js.ts'
import { partPointer } from '../json/pointer.ts'
import type { JsonValue } from '../json/value.ts'
import { closeObjects } from './close-objects.ts'
import type { Judgement, Refine } from './judgement.ts'

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** A validator (`StandardSchemaV1`), perhaps one that can say its JSON Schema (`StandardJSONSchemaV1`). */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a validator makes of a tool. */
export interface ReadStandard {
  readonly schema: JsonValue
  readonly refine: Refine
}

const TARGET = 'draft-2020-12'

export function isStandardSchema(value: unknown): value is StandardSchema {
  // Those of ArkType are functions.
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false
  const standard = (value as Partial<StandardSchema>)['~standard']
  return typeof standard === 'object' && typeof standard?.validate === 'function'
}

/**
 * Reads a validator. `jsonSchema` is its JSON Schema, for one that cannot say it.
 *
 * Throws `TypeError` where it neither says its schema nor is given one; what it throws itself for what JSON Schema cannot say.
 */
export function readStandard(
  validator: StandardSchema,
  jsonSchema: unknown,
  isStrict: boolean,
): ReadStandard {
  const written = fromJs(jsonSchema ?? ownSchema(validator))
  return {
    schema: isStrict && jsonSchema === undefined ? closeObjects(written) : written,
    refine: (values) => {
      const result = validator['~standard'].validate(values)
      return result instanceof Promise
        ? result.then((reached) => judgement(values, reached))
        : judgement(values, result)
    },
  }
}

function judgement(values: unknown, result: StandardResult): Judgement {
  if (result.issues === undefined) return { arguments: result.value, violations: [] }
  return { arguments: values, violations: result.issues.map(violation) }
}

function ownSchema(validator: StandardSchema): unknown {
  const { vendor, jsonSchema } = validator['~standard'] as StandardSchema['~standard'] & {
    readonly jsonSchema?: { readonly input?: (options: { readonly target: string }) => unknown }
  }
  if (typeof jsonSchema?.input === 'function') return jsonSchema.input({ target: TARGET })
  const { toJSONSchema } = validator as { readonly toJSONSchema?: (options: object) => unknown }
  if (typeof toJSONSchema === 'function') return toJSONSchema.call(validator, { io: 'input', target: TARGET })
  throw new TypeError(
    `this validator of ${vendor} does not say its JSON Schema; give it beside parameters as jsonSchema` +
      (vendor === 'valibot'
        ? ', or wrap the validator in toStandardJsonSchema of @valibot/to-json-schema'
        : '') +
      (vendor === 'zod' ? ', as z.toJSONSchema gives it' : ''),
  )
}

function violation({ message, path = [] }: StandardIssue): Violation {
  const steps = path.map((step) => String(typeof step === 'object' ? step.key : step))
  return { pointer: steps.reduce(partPointer, ''), message, source: 'refinement' }
}
