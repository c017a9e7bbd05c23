/** What judges a whole call, and what comes of it. */
import type { RunEvent, ToolCall, Violation } from '../decode/result.ts'

/** The arguments of a whole call, and what is wrong with them. */
export interface Judgement {
  readonly arguments?: unknown
  readonly violations: readonly Violation[]
}

/** What becomes of a whole call. */
export type Outcome = Extract<RunEvent, { readonly type: 'call' | 'call-rejected' }>

/** The outcome for the `index`-th call of a turn. */
export function outcomeOf(
  index: number,
  written: Pick<ToolCall, 'id' | 'name' | 'argumentsText'>,
  { arguments: values, violations }: Judgement,
): Outcome {
  if (violations.length === 0)
    return { type: 'call', index, call: { ...written, arguments: values as ToolCall['arguments'] } }
  const read = values === undefined ? {} : { arguments: values }
  return { type: 'call-rejected', index, rejected: { ...written, ...read, violations } }
}

/** Judges the arguments of a call, as they were written. */
export type Judge = (argumentsText: string) => Judgement | Promise<Judgement>

/** Judges arguments that are of the schema: gives them as a validator does, or says what it refuses. */
export type Refine = (values: unknown) => Judgement | Promise<Judgement>
