/** Random schemas over the keywords that are enforced, and random values that often come close to them. */
import fc from 'fast-check'

type Schema = boolean | Record<string, unknown>

const NAMES = ['a', 'b', 'c']
const STRINGS = ['', 'a', 'ab', 'b', 'abc', '𝄞', 'aa']
const NUMBERS = [-1, 0, 0.5, 1, 1.5, 2, 3, 1e3]
const PATTERNS = ['^a', 'b$', '^a*$', 'a|b', '^.$', 'c']
const DEFINITIONS = 3

export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      fc.constantFrom<unknown>(null, true, false),
      fc.constantFrom(...STRINGS),
      fc.constantFrom(...NUMBERS),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, 'd', 'ab', 'cb'), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value

const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'string', 'integer')
const count = fc.nat({ max: 3 })

/** Which keywords there are besides the plain ones. */
export interface Kinds {
  /** Those that take away: `not`, `if`, `dependentRequired`. */
  readonly hard: boolean
  /** Those that hang on what others evaluate. */
  readonly unevaluated: boolean
  /** Those that count: `contains` with bounds. */
  readonly counted: boolean
  /** Also what Ajv judges otherwise than the specification, for judges that do not. */
  readonly beyondAjv?: boolean
}

export function anySchema({ hard, unevaluated, counted, beyondAjv = false }: Kinds): fc.Arbitrary<Schema> {
  // Definitions may refer to earlier ones in place, and to all of them behind a property or an item.
  const build = (depth: number, before: number): fc.Arbitrary<Schema> => {
    const consumed =
      depth === 0
        ? leaf(DEFINITIONS)
        : fc.oneof(leaf(DEFINITIONS), fc.boolean(), build(depth - 1, DEFINITIONS))
    const inPlace = depth === 0 ? leaf(before) : fc.oneof(leaf(before), build(depth - 1, before))
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      enum: fc.array(anyValue, { minLength: 1, maxLength: 4 }),
      const: anyValue,
      properties: fc.dictionary(fc.constantFrom(...NAMES), consumed, { maxKeys: 3, noNullPrototype: true }),
      required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
      additionalProperties: consumed,
      // Beside the unevaluated keywords Ajv compiles some of them to code that throws.
      ...(unevaluated && !beyondAjv
        ? {}
        : {
            patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), consumed, {
              maxKeys: 2,
              noNullPrototype: true,
            }),
          }),
      propertyNames: inPlace,
      minProperties: count,
      maxProperties: count,
      multipleOf: fc.constantFrom(0.5, 1, 1.5, 2),
      items: consumed,
      prefixItems: fc.array(consumed, { minLength: 1, maxLength: 2 }),
      minItems: count,
      maxItems: count,
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom(...PATTERNS),
      minimum: fc.constantFrom(...NUMBERS),
      maximum: fc.constantFrom(...NUMBERS),
      exclusiveMinimum: fc.constantFrom(...NUMBERS),
      exclusiveMaximum: fc.constantFrom(...NUMBERS),
      anyOf: fc.array(inPlace, { minLength: 1, maxLength: 3 }),
      allOf: fc.array(inPlace, { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(inPlace, { minLength: 1, maxLength: 3 }),
      ...(before > 0 ? { $ref: reference(before) } : {}),
      ...(counted ? { contains: consumed, minContains: count, maxContains: count } : {}),
      ...(unevaluated
        ? {
            unevaluatedProperties: consumed,
            // Ajv takes the items that a branch evaluates for evaluated although the branch fails.
            ...(beyondAjv ? { unevaluatedItems: consumed } : {}),
          }
        : {}),
      ...(hard
        ? {
            not: inPlace,
            // Ajv takes what an `if` alone evaluates for unevaluated.
            ...(unevaluated && !beyondAjv
              ? {}
              : Object.fromEntries(['if', 'then', 'else'].map((name) => [name, inPlace]))),
            dependentRequired: fc.dictionary(
              fc.constantFrom(...NAMES),
              fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
              { maxKeys: 2, noNullPrototype: true },
            ),
          }
        : {}),
    }
    return fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 4 })
      .chain((names) =>
        fc.record(Object.fromEntries(names.map((name) => [name, keywords[name] as fc.Arbitrary<unknown>]))),
      )
  }
  return fc
    .tuple(build(3, DEFINITIONS), ...Array.from({ length: DEFINITIONS }, (_, index) => build(2, index)))
    .map(([root, ...definitions]) => ({
      ...(root as Record<string, unknown>),
      $defs: Object.fromEntries(definitions.map((definition, index) => [`d${index}`, definition])),
    }))
}

function reference(before: number): fc.Arbitrary<string> {
  return fc.nat({ max: before - 1 }).map((index) => `#/$defs/d${index}`)
}

function leaf(before: number): fc.Arbitrary<Schema> {
  const plain: fc.Arbitrary<Schema> = fc.oneof(
    type.map((name) => ({ type: name })),
    anyValue.map((value) => ({ const: value })),
  )
  return before === 0
    ? plain
    : fc.oneof(
        plain,
        reference(before).map(($ref) => ({ $ref })),
      )
}
