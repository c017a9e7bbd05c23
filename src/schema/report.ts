/**
 * What a compile says besides the grammar: annotations, narrowings, constraints that `lenient` left out, and the
 * problems that refuse the schema. Each is said once for each place.
 */
import { SchemaError, type SchemaProblem } from '../errors.ts'
import type { JsonValue } from '../json/value.ts'
import { type Dialect, dialectName, isKeyword } from './dialect.ts'
import { type Narrowing, type NarrowingName, narrowingOf } from './narrowings.ts'
import { inDocumentOrder } from './order.ts'
import { childPointer } from './pointer.ts'

export interface SchemaReport {
  /** Keywords that constrain nothing. */
  readonly annotations: { pointer: string; keyword: string; message: string }[]
  /** What the schema allows and the grammar does not write, with the option that lifts it where there is one. */
  readonly narrowings: { pointer: string; message: string; liftedBy?: string }[]
  /** Constraints that are not enforced; only under `lenient`. */
  readonly unenforced: { pointer: string; keyword: string; message: string }[]
}

/** A constraint that cannot be enforced, and what can be done about it. */
export interface Refusal extends SchemaProblem {
  readonly help?: string
}

/** Notes said of the document as a whole. */
const ROOT = '#'

/** What every dialect has for readers alone. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema'],
])

export class Report {
  readonly #lenient: boolean
  /** The problems of one contradiction stay together, those that say most first. */
  readonly #problems: (readonly SchemaProblem[])[] = []
  readonly #annotations: SchemaReport['annotations'] = []
  readonly #narrowings: SchemaReport['narrowings'] = []
  readonly #unenforced: SchemaReport['unenforced'] = []
  readonly #said = new Set<string>()
  readonly #general = new Set<NarrowingName>()

  constructor(lenient: boolean) {
    this.#lenient = lenient
  }

  /** A keyword of the schema at the pointer that constrains nothing. */
  annotation(pointer: string, keyword: string, dialect: Dialect): void {
    const place = childPointer(pointer, keyword)
    if (ANNOTATIONS.has(keyword)) this.ignored(place, keyword, `${keyword} constrains nothing`)
    else if (isKeyword(keyword)) {
      this.ignored(place, keyword, `${keyword} constrains nothing in ${dialectName(dialect)}`)
    } else
      this.ignored(place, keyword, `${shown(keyword)} is no keyword of JSON Schema and constrains nothing`)
  }

  /** `pointer` is that of the keyword. */
  ignored(pointer: string, keyword: string, message: string): void {
    if (this.#once(`annotation ${pointer} ${message}`)) this.#annotations.push({ pointer, keyword, message })
  }

  /** One that hangs on the keyword at the pointer. */
  narrowing(pointer: string, narrowing: Narrowing): void {
    if (this.#once(`narrowing ${pointer} ${narrowing.message}`))
      this.#narrowings.push({ pointer, ...narrowing })
  }

  /** One that does not hang on what the schema says in some place: said once. */
  generalNarrowing(name: NarrowingName): void {
    if (this.#general.has(name)) return
    this.#general.add(name)
    this.#narrowings.push({ pointer: ROOT, ...narrowingOf(name) })
  }

  /** The schema is not one: refused in any case. */
  invalid(pointer: string, keyword: string | undefined, message: string): void {
    if (this.#once(`invalid ${pointer} ${message}`)) {
      this.#problems.push([{ pointer, message, ...(keyword === undefined ? {} : { keyword }) }])
    }
  }

  /** A constraint that cannot be enforced where a value may come under it. */
  unenforceable({ help, ...problem }: Refusal): void {
    if (!this.#once(`refused ${problem.pointer} ${problem.message}`)) return
    const { pointer, message, keyword = '' } = problem
    if (this.#lenient) this.#unenforced.push({ pointer, keyword, message })
    else this.#problems.push([{ ...problem, message: help === undefined ? message : `${message}; ${help}` }])
  }

  /** Places that leave no value together: refused in any case. Not empty. */
  contradiction(problems: readonly SchemaProblem[]): void {
    if (this.#once(`contradiction ${problems.map(({ pointer }) => pointer).join()}`))
      this.#problems.push(problems)
  }

  get refused(): boolean {
    return this.#problems.length > 0
  }

  /** Throws what has been collected, if anything, in the order of the document. */
  throwIfRefused(document: JsonValue): void {
    const groups = this.#problems.map((problems) => ({ pointer: problems[0]?.pointer ?? ROOT, problems }))
    const problems = inDocumentOrder(document, groups).flatMap((group) => group.problems)
    if (problems.length > 0) throw refusalOf(problems, groups.length)
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

/**
 * One error for several problems, at least one, which says the first.
 * @param count of the problems, those that one place cannot have together counted once
 */
export function refusalOf(problems: readonly SchemaProblem[], count: number): SchemaError {
  const { message, pointer, keyword } = problems[0]!
  const others = count === 1 ? '' : `, and ${count - 1} more problem${count > 2 ? 's' : ''}`
  return new SchemaError(message + others, pointer, keyword, problems)
}

/** A keyword as part of a sentence: what is not a plain word is quoted. */
function shown(keyword: string): string {
  return /^[\w$-]+$/.test(keyword) ? keyword : JSON.stringify(keyword)
}
