/** What judges a whole call, and what comes of it. */
import type { Violation } from '../decode/result.ts'

/** The arguments of a whole call, and what is wrong with them. */
export interface Judgement {
  readonly arguments?: unknown
  readonly violations: readonly Violation[]
}

/** Judges the arguments of a call, as they were written. */
export type Judge = (argumentsText: string) => Judgement | Promise<Judgement>

/** Judges arguments that are of the schema: gives them as a validator does, or says what it refuses. */
export type Refine = (values: unknown) => Judgement | Promise<Judgement>
