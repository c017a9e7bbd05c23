/**
 * What the decode loop needs of a matcher. `Matcher` is one; the seam lets the loop run with none, and lets tests drive
 * it with a few lines.
 */
import type { FrameKind } from '../grammar/grammar.ts'
import type { MaskOptions } from '../mask/matcher.ts'

/** Something that was open when a generation stopped. */
export interface OpenFrame {
  readonly kind: FrameKind
  /** JSON pointer of the value, relative to the JSON document in which the frame stands. */
  readonly pointer: string
  /** What has been written of it. */
  readonly text: string
  /** What it still needs, in words: missing required keys, `"`, `}`. */
  readonly needs: readonly string[]
}

export interface Constraint {
  /** A bit for each token that may come next; with a budget, for those after which the text can be completed in time. */
  mask(out?: Uint32Array, options?: MaskOptions): Uint32Array
  /** Takes a token; `false`, and no change, where it is refused. */
  accept(id: number): boolean
  /** Takes back the last `n` tokens. */
  rollback(n: number): void
  /** The bytes that must come next; empty where there is a choice, or the text may end. */
  forced(): Uint8Array
  /** An end token is allowed now. */
  isComplete(): boolean
  /** Nothing but an end token is. */
  mustStop(): boolean
  /** From the outside in. */
  frames(): readonly OpenFrame[]
  shortestCompletion(): { readonly text: string; readonly tokens: number }
  /** The values that were closed, as JavaScript values; `undefined` where there are none. */
  partial(): unknown
}
