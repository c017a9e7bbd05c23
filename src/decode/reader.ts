/**
 * What makes sense of an output while it grows: text for one reader, calls for another (`tools/turn-reader.ts`).
 */
import type { RejectedCall, RunEvent, StopReason, ToolCall } from './result.ts'

/** What a whole output was, or one that was cut. */
export interface ReadOutput {
  /** Events that were still held back. */
  readonly events: readonly RunEvent[]
  /** Text that is no part of a call, and no thought. */
  readonly content: string
  readonly thinking?: string
  /** The calls that are whole. */
  readonly calls: readonly ToolCall[]
  /** Those that are whole and wrong. */
  readonly rejected: readonly RejectedCall[]
}

export interface OutputEvents {
  /** Whole characters, and control tokens by their literals. */
  push(text: string): readonly RunEvent[]
  /** Where a call is being judged: a promise of the events held back meanwhile, `null` where none is. */
  judged(): Promise<readonly RunEvent[]> | null
  /** No more will come; what is still being judged when the run is aborted is left out. */
  end(stopReason: StopReason, signal: AbortSignal): ReadOutput | Promise<ReadOutput>
}

/** What a promise gives; `null` where the signal is aborted first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(null)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
    if (signal.aborted) stop()
  })
}

/** An output that is all text. */
export class TextEvents implements OutputEvents {
  #content = ''

  push(text: string): readonly RunEvent[] {
    this.#content += text
    return [{ type: 'text', text }]
  }

  judged(): null {
    return null
  }

  end(): ReadOutput {
    return { events: [], content: this.#content, calls: [], rejected: [] }
  }
}
