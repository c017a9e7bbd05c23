/**
 * What becomes of a schema at which a limit is met: the error says the place; under `lenient` the keyword is left out and
 * reported, and the budget goes on for some steps more.
 *
 * A keyword is left out together with those that would allow less without it, so what is left is an upper bound. It marks
 * what it would have constrained, as all that is not enforced does (`shape.ts`).
 */
import { LimitError, type SchemaProblem } from '../errors.ts'
import type { Budget } from './options.ts'

/** To a keyword those that allow less where it is left out. */
const LEFT_OUT_WITH: ReadonlyMap<string, readonly string[]> = new Map([
  ['properties', ['additionalProperties']],
  ['patternProperties', ['additionalProperties']],
  ['prefixItems', ['items']],
  ['items', ['additionalItems']],
  ['contains', ['minContains', 'maxContains']],
  ['minContains', ['contains', 'maxContains']],
  ['maxContains', ['contains', 'minContains']],
  ['if', ['then', 'else']],
  ['then', ['if', 'else']],
  ['else', ['if', 'then']],
])

/** All that is left out with a keyword, itself among them: what it evaluates is not known without it. */
export function leftOutWith(keyword: string): readonly string[] {
  return [keyword, ...(LEFT_OUT_WITH.get(keyword) ?? []), 'unevaluatedProperties', 'unevaluatedItems']
}

export class Limited {
  readonly #lenient: boolean
  readonly #budget: Budget

  constructor(lenient: boolean, budget: Budget) {
    this.#lenient = lenient
    this.#budget = budget
  }

  /**
   * What cannot be enforced because of an error met at a place.
   *
   * Throws the error where it is no limit, and a limit with its place where work must not go on.
   */
  problem(error: unknown, pointer: string, keyword = ''): SchemaProblem {
    if (!(error instanceof LimitError)) throw error
    const placed = error.at(pointer)
    if (!this.#lenient || !this.#budget.extend()) throw placed
    return { pointer: placed.pointer!, keyword, message: placed.reason }
  }
}
