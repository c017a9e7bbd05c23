/**
 * What an engine is asked and what it answers, a line of JSON each way, whether it runs in this process, in another Node
 * or in Python (`driver.py` speaks the same lines).
 *
 * The first line is an `Opening` and answered by `Opened`; each further one is a `Job` and answered by `Judged`. Times are
 * whole nanoseconds. An answer `{ "error": … }` ends the process.
 */

/** What a job's grammar is written in: JSON Schema, or the notation of llama.cpp. */
export type Notation = 'json-schema' | 'gbnf'

/** Which engine, and the vocabulary that all of them have. */
export interface Opening {
  readonly engine: string
  /** Path of a `tokenizer.json`. */
  readonly tokenizer: string
  readonly endToken: string
  readonly endId: number
  /** Width of the logits. */
  readonly size: number
}

export interface Opened {
  readonly version: string
  /** What the engine was set to, where that differs from what it does by itself. */
  readonly settings: string
  /** From the path of the vocabulary to an engine that can compile, its code being loaded. */
  readonly loadMs: number
  /** Median of the same measuring loop around calls that do nothing: in each time of a token. */
  readonly overheadNs: number
  readonly memory: Memory
}

export interface Job {
  /** The schema, or the grammar. */
  readonly source: string
  readonly notation: Notation
  /** Token ids of each instance, without an end token. */
  readonly instances: readonly (readonly number[])[]
  /** Compile anew for each instance. */
  readonly cold: boolean
  /** Between two tokens of a schema that took longer, it is stopped. */
  readonly limitMs: number
  /** Forget what was compiled before this one, where the engine keeps them. */
  readonly forget?: boolean
  /** Collect garbage before the memory is looked at, where that is possible. */
  readonly collect?: boolean
}

/** Resident bytes, and bytes in use on the JavaScript heap and in buffers where there is one. */
export interface Memory {
  readonly resident: number
  readonly heap: number
}

export interface JudgedInstance {
  /** Every token was allowed, and the end after the last. */
  readonly accepted: boolean
  /** Why it was given up, or null. */
  readonly stopped: string | null
  /** Mask + accept of each token, the refused one included. */
  readonly ns: readonly number[]
}

export interface Judged {
  /** Why the source did not compile, or null. */
  readonly refused: string | null
  /** The first compilation, also of what was refused. */
  readonly compileNs: number
  readonly instances: readonly JudgedInstance[]
  readonly memory: Memory
}

/** A compiled schema or grammar. */
export interface Compiled {
  /** A matcher at the beginning of a text. */
  matcher(): PeerMatcher | Promise<PeerMatcher>
  dispose?(): void
}

export interface PeerMatcher {
  /** Computes the mask and, where the token is in it, accepts the token: what is timed. */
  step(id: number): boolean | Promise<boolean>
  /** What has to be done before a step and is not timed. */
  prepare?(): void
  /** Whether the text may end here. */
  ended(): boolean | Promise<boolean>
  dispose?(): void
}

/** An engine under JavaScript. */
export interface Engine {
  readonly version: string
  readonly settings: string
  /** Throws what a refusal is. */
  compile(source: string, notation: Notation): Compiled | Promise<Compiled>
  /** Whether what was thrown leaves the engine unusable: its process is then replaced. */
  broken?(error: unknown): boolean
  forget?(): void | Promise<void>
}

/** What a module of an engine exports: loading its code is one thing, opening a vocabulary, which is timed, another. */
export type LoadEngine = () => (opening: Opening) => Engine | Promise<Engine>
