/**
 * Who judges finished texts: Ajv with exactly our formats first; beside it the plain validator of `validator.ts`, which
 * alone judges what Ajv cannot (numbers that doubles do not hold, draft 4, schemas that Ajv does not compile). Where they
 * differ, `disagreements.ts` must say who is right and why; a difference that is not listed throws.
 */
import { Ajv, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { dialectOf } from '../../src/schema/dialect.ts'
import { disagreementOn } from './disagreements.ts'
import { ourFormats, Unjudged, Validator } from './validator.ts'

type Predicate = (value: unknown) => boolean | undefined

const formats = ourFormats()

/** Whether doubles, the only numbers that Ajv knows, say every number of the text exactly enough. */
export function isExact(text: string): boolean {
  const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []
  return numbers.every((number) => {
    const digits = number.replace(/[eE].*$/, '').replace(/\D/g, '')
    const size = Math.abs(Number(number))
    return /^0*$/.test(digits) || (digits.length <= 14 && size < 1e15 && size > 1e-15)
  })
}

/** Ajv's verdicts; `null` where it does not compile the schema, or not by the dialect of the schema. */
export function ajvOf(text: string): Predicate | null {
  const schema = JSON.parse(text) as boolean | Record<string, unknown>
  const uri = typeof schema === 'object' ? schema.$schema : undefined
  const dialect = typeof uri === 'string' ? dialectOf(uri) : 0
  if (dialect === 4 || dialect === null || !isExact(text)) return null
  // With it the answer would be a promise.
  if (typeof schema === 'object' && '$async' in schema) return null
  const options: Options = {
    strict: false,
    logger: false,
    meta: false,
    validateSchema: false,
    formats: Object.fromEntries(formats),
  }
  const ajv =
    dialect === 6 || dialect === 7
      ? new Ajv(options)
      : dialect === 2019
        ? new Ajv2019({ ...options, unevaluated: true })
        : new Ajv2020({ ...options, unevaluated: true })
  let validate: ReturnType<typeof ajv.compile>
  try {
    validate = ajv.compile(schema)
  } catch {
    return null
  }
  return (value) => {
    try {
      return validate(value)
    } catch (error) {
      // Some schemas it compiles to code that throws.
      if (error instanceof TypeError || error instanceof RangeError) return undefined
      throw error
    }
  }
}

/** Judges that differ where nobody knows why. */
export class Disagreed extends Error {
  override readonly name = 'Disagreed'
}

export class Judge {
  readonly #schema: string
  readonly #ajv: Predicate | null
  readonly #validator: Validator

  /** @param schema JSON text */
  constructor(schema: string) {
    this.#schema = schema
    this.#ajv = ajvOf(schema)
    this.#validator = new Validator(schema, formats)
  }

  /** Whether the text is an instance; `null` where no judge can say. Throws where the judges disagree unheard of. */
  verdict(text: string): boolean | null {
    const ajv = this.#ajv === null || !isExact(text) ? undefined : this.#ajv(JSON.parse(text))
    const own = this.#own(text)
    if (ajv === undefined || own === undefined || ajv === own) return own ?? ajv ?? null
    const known = disagreementOn(this.#schema, 'ajv')
    if (known === undefined) {
      const sides = `Ajv ${ajv ? 'accepts' : 'refuses'}, the plain validator does not`
      throw new Disagreed(`${sides}: ${text} under ${this.#schema}; see test/support/disagreements.ts`)
    }
    return own
  }

  #own(text: string): boolean | undefined {
    try {
      return this.#validator.accepts(text)
    } catch (error) {
      if (error instanceof Unjudged) return undefined
      throw error
    }
  }
}
