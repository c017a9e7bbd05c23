/** What is wrong with several tools, or with one of them in several ways, thrown as one `SchemaError`. */
import { SchemaError, type SchemaProblem } from '../errors.ts'

export class Problems {
  readonly #found: { readonly problem: SchemaProblem; readonly index: number }[] = []

  get any(): boolean {
    return this.#found.length > 0
  }

  /** The places at which something is wrong. */
  get pointers(): ReadonlySet<string> {
    return new Set(this.#found.map(({ problem }) => problem.pointer))
  }

  /**
   * What is made, or the other where a `SchemaError` says that it cannot be.
   *
   * @param told what is to be told of a problem
   * @param index of the tool, where they are not asked in their order
   */
  of<T>(
    make: () => T,
    otherwise: T,
    told: (problem: SchemaProblem) => SchemaProblem | null = (problem) => problem,
    index = 0,
  ): T {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      for (const each of error.errors) {
        const problem = told(each)
        if (problem !== null) this.#found.push({ problem, index })
      }
      return otherwise
    }
  }

  /** Throws all, in the order of the tools; nothing where there are none. */
  check(): void {
    const all = this.#found.toSorted((a, b) => a.index - b.index).map(({ problem }) => problem)
    const [first] = all
    if (first !== undefined) throw new SchemaError(first.message, first.pointer, first.keyword, all)
  }
}
