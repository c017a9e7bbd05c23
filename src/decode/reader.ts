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
  /** No more will come, and nothing is being judged. */
  end(stopReason: StopReason): ReadOutput | Promise<ReadOutput>
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
