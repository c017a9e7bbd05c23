/**
 * What a compile says besides the grammar: annotations, narrowings, constraints that `lenient` left out, and the
 * problems that refuse the schema. Each is said once for each place.
 */
import { SchemaError, type SchemaProblem } from '../errors.ts'
import { type Dialect, dialectName } from './dialect.ts'

export interface SchemaReport {
  /** Keywords that constrain nothing. */
  readonly annotations: { pointer: string; keyword: string; message: string }[]
  /** What the schema allows and the grammar does not write. */
  readonly narrowings: { pointer: string; message: string }[]
  /** Constraints that are not enforced; only under `lenient`. */
  readonly unenforced: { pointer: string; keyword: string; message: string }[]
}

/** Notes said of the document as a whole. */
const ROOT = '#'

export class Report {
  readonly #lenient: boolean
  readonly #problems: SchemaProblem[] = []
  readonly #annotations: SchemaReport['annotations'] = []
  readonly #narrowings: SchemaReport['narrowings'] = []
  readonly #unenforced: SchemaReport['unenforced'] = []
  readonly #said = new Set<string>()

  constructor(lenient: boolean) {
    this.#lenient = lenient
  }

  annotation(pointer: string, keyword: string, dialect: Dialect): void {
    this.ignored(pointer, keyword, `${keyword} constrains nothing in ${dialectName(dialect)}`)
  }

  ignored(pointer: string, keyword: string, message: string): void {
    if (this.#once(`annotation ${pointer} ${keyword} ${message}`)) {
      this.#annotations.push({ pointer, keyword, message })
    }
  }

  narrowing(pointer: string, message: string): void {
    if (this.#once(`narrowing ${pointer} ${message}`)) this.#narrowings.push({ pointer, message })
  }

  /** Said once, whatever the place. */
  generalNarrowing(message: string): void {
    this.narrowing(ROOT, message)
  }

  /** The schema is not one: refused in any case. */
  invalid(pointer: string, keyword: string | undefined, message: string): void {
    if (this.#once(`invalid ${pointer} ${message}`)) {
      this.#problems.push({ pointer, message, ...(keyword === undefined ? {} : { keyword }) })
    }
  }

  /** A constraint that cannot be enforced where a value may come under it. */
  unenforceable(problem: SchemaProblem): void {
    if (!this.#once(`refused ${problem.pointer} ${problem.message}`)) return
    if (this.#lenient) {
      const { pointer, message, keyword = '' } = problem
      this.#unenforced.push({ pointer, keyword, message })
    } else {
      this.#problems.push(problem)
    }
  }

  get refused(): boolean {
    return this.#problems.length > 0
  }

  /** Throws what has been collected, if anything. */
  throwIfRefused(): void {
    const first = this.#problems[0]
    if (first === undefined) return
    const more = this.#problems.length - 1
    const message =
      more === 0 ? first.message : `${first.message}, and ${more} more problem${more > 1 ? 's' : ''}`
    throw new SchemaError(message, first.pointer, first.keyword, this.#problems)
  }

  finish(): SchemaReport {
    return { annotations: this.#annotations, narrowings: this.#narrowings, unenforced: this.#unenforced }
  }

  #once(key: string): boolean {
    if (this.#said.has(key)) return false
    this.#said.add(key)
    return true
  }
}
