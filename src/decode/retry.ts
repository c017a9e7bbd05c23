/**
 * Runs again what was cut, with more room, up to a cap.
 *
 * An attempt has the prompt, the seed and the grammar of the one before, so it says what a run with its `maxTokens` would have
 * said; the prompt is not read again where the sequence can be taken back to it. What an attempt writes is shown once it is
 * known to stay: nobody runs a call twice, or takes one that was cut for a whole one. The last attempt that the cap allows
 * is shown as it is written, as a run without `retry` is.
 */
import { checkNames } from '../mask/options.ts'
import type { Attempt, Result, RunEvent, Usage } from './result.ts'

export interface RetryOptions {
  /** By which `maxTokens` grows from one attempt to the next; above 1, default 4. */
  readonly factor?: number
  /** The most `maxTokens` of an attempt. */
  readonly maxTokensCap: number
}

export const DEFAULT_FACTOR = 4

/** Throws `TypeError` and `RangeError` for options that are none. */
export function checkRetry(retry: RetryOptions, maxTokens: number): Required<RetryOptions> {
  if (typeof retry !== 'object' || retry === null)
    throw new TypeError(
      `retry must be an object { maxTokensCap, factor? }, as { maxTokensCap: 2048 }, not ${JSON.stringify(retry)}`,
    )
  checkNames(retry, ['factor', 'maxTokensCap'])
  const { factor = DEFAULT_FACTOR, maxTokensCap } = retry
  if (!(typeof factor === 'number' && factor > 1 && factor < Number.POSITIVE_INFINITY))
    throw new RangeError(`retry.factor must be a number above 1 (default ${DEFAULT_FACTOR}), not ${factor}`)
  if (maxTokensCap === undefined)
    throw new TypeError('retry.maxTokensCap is missing: the most tokens of an attempt, such as 2048')
  if (!(Number.isInteger(maxTokensCap) && maxTokensCap >= maxTokens))
    throw new RangeError(
      `retry.maxTokensCap must be a whole number of at least maxTokens, ${maxTokens}, not ${maxTokensCap}`,
    )
  return { factor, maxTokensCap }
}

/** One run of the decode loop with so many tokens; `before` is the one that was cut, which is to be taken back first. */
export type Attempted = (
  maxTokens: number,
  emit: (event: RunEvent) => void,
  stop: AbortSignal,
  before: Result | null,
) => Promise<Result>

/** @param room tokens that there is room for */
export async function withRetry(
  attempt: Attempted,
  retry: Required<RetryOptions>,
  first: number,
  room: number,
  emit: (event: RunEvent) => void,
  stop: AbortSignal,
): Promise<Result> {
  const most = Math.min(retry.maxTokensCap, room)
  const attempts: Attempt[] = []
  let before: Result | null = null
  for (let maxTokens = first; ; ) {
    const next = Math.min(most, Math.ceil(maxTokens * retry.factor))
    const isLast = next <= maxTokens
    const held: RunEvent[] = []
    const isFirst = before === null
    const started = performance.now()
    const tell = (event: RunEvent): void => {
      if (event.type === 'start') {
        if (isFirst) emit(event)
      } else if (isLast || event.type === 'token') emit(event)
      else held.push(event)
    }
    const result: Result = await attempt(maxTokens, tell, stop, before)
    const { stopReason, usage, cut } = result
    attempts.push({ maxTokens, stopReason, usage, ms: performance.now() - started })
    if (isLast || stopReason !== 'max_tokens') {
      for (const event of held) emit(event)
      return { ...result, usage: sumOf(attempts.map((each) => each.usage)), attempts }
    }
    emit({
      type: 'retry',
      attempt: attempts.length + 1,
      maxTokens: next,
      ...(cut === undefined ? {} : { cut }),
    })
    before = result
    maxTokens = next
  }
}

/** What several attempts cost together. */
function sumOf(usages: readonly Usage[]): Usage {
  const total = (field: keyof Usage): number => usages.reduce((sum, usage) => sum + usage[field], 0)
  return {
    promptTokens: total('promptTokens'),
    reusedTokens: total('reusedTokens'),
    tokens: total('tokens'),
    forcedTokens: total('forcedTokens'),
    modelMs: total('modelMs'),
    maskMs: total('maskMs'),
  }
}
