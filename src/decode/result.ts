/**
 * What a generation gives: events while it runs, a result at its end, and a report where it was cut.
 */
import type { OpenFrame } from './constraint.ts'

/** A tool call that is complete and valid. Nothing that was cut ever becomes one. */
export interface ToolCall<Arguments = Readonly<Record<string, unknown>>> {
  /** Unique: a result of the tool says by it which call it answers. */
  readonly id: string
  readonly name: string
  /** `argumentsText` as JavaScript values (numbers are doubles there), or what the tool's validator makes of them. */
  readonly arguments: Arguments
  /** The model's own bytes. */
  readonly argumentsText: string
}

/** One thing that is wrong with the arguments of a call. */
export interface Violation {
  /** JSON pointer of the value in the arguments: `/items/0/count`, `''` for the arguments as a whole. */
  readonly pointer: string
  /** The keyword of the schema that refuses it, where it is one. */
  readonly keyword?: string
  readonly message: string
  /** What refuses it: it is no JSON in the call's frame, its schema does, or the validator's own refinement. */
  readonly source: 'parse' | 'schema' | 'refinement'
}

/**
 * A call that is whole and must not be run: of a tool without its mask (`strict: false`), or refused by a refinement. Or no
 * call at all, of a turn without a mask that was to hold one.
 */
export interface RejectedCall {
  readonly id: string
  /** As it was written; a tool of this name may not exist. Empty where no call could be read. */
  readonly name: string
  readonly argumentsText: string
  /** The text as JavaScript values, where it is JSON. */
  readonly arguments?: unknown
  /** At least one. */
  readonly violations: readonly Violation[]
}

/** What was open when a generation stopped early. */
export interface Cut {
  /** Open frames from the outside in. */
  readonly frames: readonly OpenFrame[]
  /** The shortest text that makes the output whole: `text + completion` is valid. */
  readonly completion: string
  /**
   * The cost of the completion: the fewest tokens that spell it piece by piece, and one end token. So many more would have sufficed. A run stops by itself
   * where nothing may follow, as behind the end of a call or of a document, and then has one left over.
   */
  readonly completionTokens: number
  /** The values that were closed, as JavaScript values; absent where nothing was begun. */
  readonly partial?: unknown
}

/** What a run took; where `retry` was given, all attempts together, each with its prompt. */
export interface Usage {
  readonly promptTokens: number
  /** Those of them that were not read again: the session had read them, or the attempt before. */
  readonly reusedTokens: number
  /** Tokens generated, an end token included. */
  readonly tokens: number
  /** Those of them that the grammar forced, and that the model was not asked for. */
  readonly forcedTokens: number
  /** Milliseconds in the model, reading the prompt included. */
  readonly modelMs: number
  /** Milliseconds in masks, in accepting tokens, and in finding out what is forced. */
  readonly maskMs: number
}

/** One run of the model for a result, where cut ones are tried again. */
export interface Attempt {
  /** What it was allowed. */
  readonly maxTokens: number
  readonly stopReason: StopReason
  /** What this attempt took by itself. */
  readonly usage: Usage
  /** Milliseconds from its beginning to its end. */
  readonly ms: number
}

export type StopReason = 'complete' | 'max_tokens' | 'aborted'

/** `Call` are the calls of the tools that were given. */
export interface Result<Call extends ToolCall<unknown> = ToolCall> {
  readonly stopReason: StopReason
  /** What was written, up to the last whole character. */
  readonly text: string
  /** The part of it that is no call and no thought. */
  readonly content: string
  /** What the model thought before that, if it did. */
  readonly thinking?: string
  /** The calls that are whole; where the output was cut, those before the one that was open. */
  readonly calls: readonly Call[]
  /** The calls that are whole and wrong; none where every tool has its mask and no validator has refinements. */
  readonly rejected: readonly RejectedCall[]
  readonly usage: Usage
  /** Of a sampled run: with it the same is said again. */
  readonly seed?: number
  /** Only where a constrained generation stopped early. */
  readonly cut?: Cut
  /** Only where the prompt left less room in the context than `maxTokens` asked for. */
  readonly maxTokensLowered?: { readonly from: number; readonly to: number }
  /** Where `finishWithin` was on: the masks kept completions within `maxTokens`. */
  readonly finishWithin?: 'budget'
  /** Where `retry` was given: all attempts, the one that this is the result of last. */
  readonly attempts?: readonly Attempt[]
}

export type RunEvent<Call extends ToolCall<unknown> = ToolCall> =
  /** The prompt has been read; the first token comes next. */
  | {
      readonly type: 'start'
      readonly promptTokens: number
      readonly maxTokens: number
      readonly seed: number
      readonly promptMs: number
    }
  /**
   * A token was chosen, or forced by the grammar. `modelMs` is 0 for a forced one, and for the first that was asked for,
   * which comes with the prompt.
   */
  | {
      readonly type: 'token'
      readonly id: number
      readonly forced: boolean
      readonly modelMs: number
      readonly maskMs: number
    }
  /** Characters of the text that is no call and no thought, as they come. All of them make the result's content. */
  | { readonly type: 'text'; readonly text: string }
  /** The same of thoughts. */
  | { readonly type: 'thinking'; readonly text: string }
  /** A call has begun: the `index`-th of this turn, from 0. `provisional`: when it is whole it may still be rejected. */
  | {
      readonly type: 'call-start'
      readonly index: number
      readonly id: string
      readonly name: string
      readonly provisional?: true
    }
  /** Characters of its arguments, as they come. */
  | { readonly type: 'call-arguments'; readonly index: number; readonly id: string; readonly text: string }
  /** It is whole. */
  | { readonly type: 'call'; readonly index: number; readonly call: Call }
  /** It is whole, and rejected. */
  | { readonly type: 'call-rejected'; readonly index: number; readonly rejected: RejectedCall }
  /** The output was cut; no call that was open becomes one. */
  | { readonly type: 'cut'; readonly cut: Cut }
  /** An attempt was cut and is forgotten, its tokens too; the next one, numbered from 2, has begun. */
  | { readonly type: 'retry'; readonly attempt: number; readonly maxTokens: number; readonly cut?: Cut }
  | { readonly type: 'end'; readonly result: Result<Call> }
