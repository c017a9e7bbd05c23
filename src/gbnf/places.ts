/** Offsets of a text as lines and columns, and errors that say them. O(text) once, then O(log lines). */
import { GrammarError, type GrammarProblem } from '../errors.ts'

export class Places {
  readonly #text: string
  /** Offsets of the first character of each line; made when first asked for. */
  #lines: readonly number[] | null = null

  constructor(text: string) {
    this.#text = text
  }

  /** Line and column, both from 1. */
  at(offset: number): { readonly line: number; readonly column: number } {
    this.#lines ??= linesOf(this.#text)
    let low = 0
    let high = this.#lines.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#lines[middle]! <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - this.#lines[low]! + 1 }
  }

  problem(message: string, offset: number): GrammarProblem {
    return { message, offset, ...this.at(offset) }
  }

  fail(message: string, offset: number): never {
    throw new GrammarError([this.problem(message, offset)])
  }
}

/** A line ends with LF, CR, or both. */
function linesOf(text: string): number[] {
  const lines = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) lines.push(index + end.length)
  return lines
}
