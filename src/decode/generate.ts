/**
 * `generate`: a document of a schema, or text of a grammar, from a model.
 *
 * Everything that can be wrong with a request (settings, schema, messages, a prompt that does not fit) is thrown before
 * the first step, synchronously; what comes back is a run that will end with a result.
 */
import { LimitError, ModelError, VocabularyError } from '../errors.ts'
import { isPart, kindOf, type Part, remedyFor } from '../grammar/compose.ts'
import type { JsonValue } from '../json/value.ts'
import { compilePartWith } from '../mask/compile-part.ts'
import { compileWith } from '../mask/compile-schema.ts'
import { CompiledGrammar } from '../mask/compiled-grammar.ts'
import { type CompileOptions, splitOptions } from '../mask/options.ts'
import type { SchemaReport } from '../schema/index.ts'
import { Batch } from './batch.ts'
import type { ChatTemplate } from './chat.ts'
import type { Constraint } from './constraint.ts'
import { Jumper } from './jump.ts'
import { decodeLoop } from './loop.ts'
import { type Message, readMessages } from './messages.ts'
import type { Model } from './model.ts'
import { encodePrompt } from './prompt-size.ts'
import { type OutputEvents, TextEvents } from './reader.ts'
import type { Result, RunEvent } from './result.ts'
import { type Attempted, checkRetry, type RetryOptions, withRetry } from './retry.ts'
import { Run } from './run.ts'
import { Sampler, type SamplerOptions } from './sampler.ts'
import { ALWAYS_READ, Session, type TakenSequence } from './session.ts'
import type { PromptPiece } from './tokenizer.ts'

export interface RunOptions extends SamplerOptions {
  /** Most tokens to generate; default 512. Lowered, and the result says so, where the context has less room. */
  readonly maxTokens?: number
  /** Stops the run between two tokens. */
  readonly signal?: AbortSignal
  /**
   * Whether what the grammar forces is written without asking the model, which is then asked behind it; default true. A
   * forced token counts like any other.
   */
  readonly jumpForward?: boolean
  /**
   * `'budget'`: tokens after which the text could not be completed within `maxTokens` are masked, so that every run ends
   * complete, unless it is aborted. `maxTokens` must then be at least the cost of the shortest text.
   */
  readonly finishWithin?: 'budget'
  /** Whether a run that was cut by `maxTokens` is run again with more; by default it is not. */
  readonly retry?: RetryOptions
  /** What earlier runs have read: where the prompt begins alike it is not read again. */
  readonly session?: Session
  /** Runs with the same batch are read together, a token of each in one run of the model. */
  readonly batch?: Batch
}

export interface GenerateOptions extends RunOptions, CompileOptions {
  /** The conversation so far, OpenAI-shaped; rendered by the model's own chat template. */
  readonly messages?: readonly Message[]
  /** In place of messages: text to go on from. As one string it is untrusted: no control token comes of it. */
  readonly prompt?: string | readonly PromptPiece[]
  /** JSON Schema, as text (read losslessly) or as a value. */
  readonly schema?: string | JsonValue | object
  /**
   * In place of a schema: a grammar put together of parts, or one compiled for this model's vocabulary. With neither, the
   * text is free.
   */
  readonly grammar?: CompiledGrammar | Part
}

/** A run that has not started: what `generate` and `call` make of their options. */
export interface Request {
  readonly prompt: readonly number[]
  readonly constraint: Constraint | null
  readonly options: RunOptions
  /** What makes events of the output; by default all of it is text. */
  readonly makeEvents?: () => OutputEvents
  /** How the calls are written. */
  readonly toolFormat?: string
  /** What compiling the schema said. */
  readonly report?: SchemaReport | undefined
}

export const DEFAULT_MAX_TOKENS = 512

/** The names of `RunOptions`. */
export const RUN_OPTIONS = [
  'maxTokens',
  'signal',
  'temperature',
  'topK',
  'topP',
  'minP',
  'seed',
  'jumpForward',
  'finishWithin',
  'retry',
  'session',
  'batch',
] as const
const GENERATE_OPTIONS = ['messages', 'prompt', 'schema', 'grammar', ...RUN_OPTIONS]

/**
 * Generates one document. Iterate the run for events, or await `run.result` alone.
 *
 * Throws `TypeError` and `RangeError` for options, `SchemaError` and `LimitError` for the schema, `VocabularyError` for a
 * grammar that was compiled for another vocabulary, `LimitError` for fewer tokens than `finishWithin` needs, `ModelError` for
 * a prompt that does not fit the context.
 */
export function generate(model: Model, options: GenerateOptions): Run {
  return startRun(model, prepareGenerate(model, options))
}

/** What a run of `generate` needs. Throws as `generate` does. */
function prepareGenerate(model: Model, options: GenerateOptions): Request {
  const { run, rest: own } = splitRunOptions(options)
  const { messages, prompt, schema, grammar, ...rest } = own
  const split = splitOptions(rest, GENERATE_OPTIONS)
  if ((messages === undefined) === (prompt === undefined))
    throw new TypeError('give either messages or prompt')
  if (schema !== undefined && grammar !== undefined)
    throw new TypeError('give either schema or grammar, not both')
  const isCompiled = grammar instanceof CompiledGrammar
  if (!isCompiled && grammar !== undefined && !isPart(grammar))
    throw new TypeError(
      `grammar must be a CompiledGrammar, as compile() gives it, or a part, as sequence() does, not ${kindOf(grammar)}${remedyFor(grammar)}`,
    )
  if (isCompiled && !grammar.vocabulary.equals(model.vocabulary))
    throw new VocabularyError(
      'the grammar was compiled for another vocabulary than the model has, or with other end tokens or size: compile it with model.vocabulary',
    )
  const [unused] = Object.keys(rest)
  if (schema === undefined && (isCompiled || grammar === undefined) && unused !== undefined)
    throw new TypeError(`option ${unused} says how a schema is compiled, and no schema is given`)
  const { vocabulary } = model
  const compiled =
    schema !== undefined
      ? compileWith(schema, vocabulary, split)
      : grammar !== undefined && !isCompiled
        ? compilePartWith(grammar, vocabulary, split)
        : null
  return {
    prompt:
      messages === undefined
        ? encodePrompt(model, readPrompt(prompt), true)
        : encodePrompt(model, requireChat(model).render(readMessages(messages))),
    // A run has maxTokens tokens at most, and what was forced before the first of the model's may be all of it.
    constraint:
      (compiled ?? (isCompiled ? grammar : null))?.matcher({ maxRollback: Number.POSITIVE_INFINITY }) ?? null,
    options: run,
    report: compiled?.report,
  }
}

/** The pieces of a prompt. Throws `TypeError` for what is none: what is trusted has to be said, and not guessed. */
function readPrompt(prompt: unknown): readonly PromptPiece[] {
  if (typeof prompt === 'string') return [{ text: prompt, trusted: false }]
  const isPiece = (piece: Partial<PromptPiece> | null): boolean =>
    typeof piece?.text === 'string' && typeof piece.trusted === 'boolean'
  if (!Array.isArray(prompt)) throw new TypeError('prompt must be text or a list of { text, trusted }')
  const wrong = prompt.findIndex((piece) => !isPiece(piece))
  if (wrong < 0) return prompt
  throw new TypeError(`prompt[${wrong}] must be { text, trusted: true or false }`)
}

/** The template of a chat model. */
export function requireChat(model: Pick<Model, 'chat'>): ChatTemplate {
  if (model.chat !== null) return model.chat
  throw new ModelError('the model has no chat template, so it cannot read messages; give it a prompt')
}

/** Starts the loop on an encoded prompt. */
export function startRun(model: Model, request: Request): Run {
  const { prompt, constraint, options, report, toolFormat, makeEvents = () => new TextEvents() } = request
  const { maxTokens = DEFAULT_MAX_TOKENS, signal, jumpForward = true, finishWithin, session, batch } = options
  checkRun(options, maxTokens, constraint)
  const retry = options.retry === undefined ? null : checkRetry(options.retry, maxTokens)
  const sampler = new Sampler(model.vocabulary.size, options)
  if (prompt.length === 0) throw new ModelError('the prompt is empty; there is nothing to go on from')
  const limit = session?.maxPositions ?? model.contextLength
  const room = limit - prompt.length
  if (room < 1) {
    const whose = session === undefined ? "the model's context" : 'the session'
    throw new ModelError(
      `the prompt has ${prompt.length} tokens and ${whose} ${limit}; shorten the messages or the tools`,
    )
  }
  const most = Math.min(maxTokens, room)
  if (finishWithin !== undefined) checkBudget(constraint!, most, maxTokens)
  const take = (): TakenSequence => session?.take(model, prompt) ?? batch?.join(model) ?? fresh(model)
  let taken = take()
  const attempt: Attempted = (attemptTokens, emit, stop, before) => {
    if (before !== null) {
      constraint?.rollback(before.usage.tokens)
      taken = session === undefined && batch === undefined ? again(taken, prompt) : retake(taken, take)
    }
    const input = {
      sequence: taken.sequence,
      reused: taken.reused,
      vocabulary: model.vocabulary,
      prompt,
      constraint,
      jumper:
        constraint !== null && jumpForward ? new Jumper(constraint, model.vocabulary, model.tokenizer) : null,
      sampler,
      maxTokens: attemptTokens,
      isWithin: finishWithin !== undefined,
      maxTokensLowered: maxTokens > room ? { from: maxTokens, to: room } : undefined,
      makeEvents,
    }
    return decodeLoop(input, emit, stop)
  }
  const work = (emit: (event: RunEvent) => void, stop: AbortSignal): Promise<Result> =>
    retry === null ? attempt(most, emit, stop, null) : withRetry(attempt, retry, most, room, emit, stop)
  return new Run((emit, stop) => work(emit, stop).finally(() => taken.release()), signal, {
    report,
    toolFormat,
  })
}

/** Throws `TypeError` and `RangeError` for options of a run that are none, or that do not go together. */
function checkRun(
  { signal, jumpForward, finishWithin, session, batch }: RunOptions,
  maxTokens: number,
  constraint: Constraint | null,
): void {
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    throw new RangeError(`maxTokens must be a whole number of at least 1, not ${maxTokens}`)
  }
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new TypeError('signal must be an AbortSignal')
  if (jumpForward !== undefined && typeof jumpForward !== 'boolean')
    throw new TypeError(`jumpForward must be true or false, not ${JSON.stringify(jumpForward)}`)
  if (session !== undefined && !(session instanceof Session))
    throw new TypeError('session must be a Session, as new Session(model) gives it')
  if (batch !== undefined && !(batch instanceof Batch))
    throw new TypeError('batch must be a Batch, as new Batch(model) gives it')
  if (session !== undefined && batch !== undefined)
    throw new TypeError('give either session or batch: a batch keeps nothing from one run to the next')
  if (finishWithin !== undefined && finishWithin !== 'budget')
    throw new TypeError(`finishWithin must be "budget" or absent, not ${JSON.stringify(finishWithin)}`)
  if (finishWithin !== undefined && constraint === null)
    throw new TypeError(
      'finishWithin needs a mask: give a schema, a grammar, or a tool that is not strict: false',
    )
}

/** @throws LimitError where the shortest text that the grammar allows takes more tokens than there are */
function checkBudget(constraint: Constraint, most: number, maxTokens: number): void {
  const { tokens: needed } = constraint.shortestCompletion()
  if (needed <= most) return
  const hint =
    most < maxTokens
      ? `the context has room for ${most} tokens only: shorten the prompt`
      : `the shortest output is counted as ${needed} tokens: raise maxTokens to that, or leave finishWithin out`
  throw new LimitError('max_tokens', most, needed, hint)
}

/** Gives a sequence back and takes one anew, before anybody else can. */
function retake({ release }: TakenSequence, take: () => TakenSequence): TakenSequence {
  release()
  return take()
}

/** The same text taken back to the end of its prompt, as far as a session would reuse it. */
function again({ sequence, release }: TakenSequence, prompt: readonly number[]): TakenSequence {
  const reused = Math.max(0, Math.min(sequence.length, prompt.length - ALWAYS_READ))
  sequence.truncate(reused)
  return { sequence, reused, release }
}

/** A text of its own, for a run without a session. */
function fresh(model: Model): TakenSequence {
  return { sequence: model.startSequence(), reused: 0, release: () => {} }
}

/** The options of a run that were given, an absent one being absent and not `undefined`, and all others. */
export function splitRunOptions<T extends RunOptions>(
  options: T,
): { run: RunOptions; rest: Omit<T, keyof RunOptions> } {
  const isRun = (name: string) => (RUN_OPTIONS as readonly string[]).includes(name)
  const entries = Object.entries(options)
  return {
    run: Object.fromEntries(entries.filter(([name, value]) => isRun(name) && value !== undefined)),
    rest: Object.fromEntries(entries.filter(([name]) => !isRun(name))) as Omit<T, keyof RunOptions>,
  }
}
