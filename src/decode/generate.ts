/**
 * `generate`: a document of a schema, or text of a grammar, from a model.
 *
 * Everything that can be wrong with a request (settings, schema, messages, a prompt that does not fit) is thrown before
 * the first step, synchronously; what comes back is a run that will end with a result.
 */
import { ModelError } from '../errors.ts'
import type { JsonValue } from '../json/value.ts'
import { compileWith } from '../mask/compile-schema.ts'
import { CompiledGrammar } from '../mask/compiled-grammar.ts'
import { type CompileOptions, splitOptions } from '../mask/options.ts'
import type { SchemaReport } from '../schema/index.ts'
import type { ChatTemplate } from './chat.ts'
import type { Constraint } from './constraint.ts'
import { Jumper } from './jump.ts'
import { decodeLoop } from './loop.ts'
import { type Message, readMessages } from './messages.ts'
import type { Model } from './model.ts'
import type { ToolCall } from './result.ts'
import { Run } from './run.ts'
import { Sampler, type SamplerOptions } from './sampler.ts'
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
}

export interface GenerateOptions extends RunOptions, CompileOptions {
  /** The conversation so far, OpenAI-shaped; rendered by the model's own chat template. */
  readonly messages?: readonly Message[]
  /** In place of messages: text to go on from. As one string it is untrusted: no control token comes of it. */
  readonly prompt?: string | readonly PromptPiece[]
  /** JSON Schema, as text (read losslessly) or as a value. */
  readonly schema?: string | JsonValue | object
  /** In place of a schema: a grammar compiled for this model's vocabulary. With neither, the text is free. */
  readonly grammar?: CompiledGrammar
}

const DEFAULT_MAX_TOKENS = 512

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
] as const
const GENERATE_OPTIONS = ['messages', 'prompt', 'schema', 'grammar', ...RUN_OPTIONS]

/**
 * Generates one document. Iterate the run for events, or await `run.result` alone.
 *
 * Throws `TypeError` and `RangeError` for options, `SchemaError` and `LimitError` for the schema, `ModelError` for a
 * prompt that does not fit the context.
 */
export function generate(model: Model, options: GenerateOptions): Run {
  const {
    messages,
    prompt,
    schema,
    grammar,
    maxTokens,
    signal,
    temperature,
    topK,
    topP,
    minP,
    seed,
    jumpForward,
    ...rest
  } = options
  const split = splitOptions(rest, GENERATE_OPTIONS)
  if ((messages === undefined) === (prompt === undefined))
    throw new TypeError('give either messages or prompt')
  if (schema !== undefined && grammar !== undefined)
    throw new TypeError('give either schema or grammar, not both')
  if (grammar !== undefined && !(grammar instanceof CompiledGrammar)) {
    throw new TypeError('grammar must be a CompiledGrammar, as compile() gives it')
  }
  const [unused] = Object.keys(rest)
  if (schema === undefined && unused !== undefined)
    throw new TypeError(`option ${unused} says how a schema is compiled, and no schema is given`)
  const compiled = schema === undefined ? null : compileWith(schema, model.vocabulary, split)
  const matcher = (compiled ?? grammar)?.matcher() ?? null
  const ids =
    messages === undefined
      ? encodePrompt(model, prompt ?? '')
      : model.tokenizer.encode(requireChat(model).render(readMessages(messages)))
  const run = dropUndefined({ maxTokens, signal, temperature, topK, topP, minP, seed, jumpForward })
  return startRun(model, ids, matcher, run, () => [], compiled?.report)
}

/** The template of a chat model. */
export function requireChat(model: Model): ChatTemplate {
  if (model.chat !== null) return model.chat
  throw new ModelError('the model has no chat template, so it cannot read messages; give it a prompt')
}

function encodePrompt(model: Model, prompt: string | readonly PromptPiece[]): number[] {
  const pieces = typeof prompt === 'string' ? [{ text: prompt, trusted: false }] : prompt
  return model.tokenizer.encode(pieces, true)
}

/** Starts the loop on an encoded prompt; `readCalls` turns a complete output into calls, `report` is the schema's. */
export function startRun(
  model: Model,
  prompt: readonly number[],
  constraint: Constraint | null,
  options: RunOptions,
  readCalls: (text: string) => ToolCall[],
  report?: SchemaReport,
): Run {
  const { maxTokens = DEFAULT_MAX_TOKENS, signal, jumpForward = true } = options
  if (!(Number.isInteger(maxTokens) && maxTokens >= 1)) {
    throw new RangeError(`maxTokens must be a whole number of at least 1, not ${maxTokens}`)
  }
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw new TypeError('signal must be an AbortSignal')
  if (typeof jumpForward !== 'boolean')
    throw new TypeError(`jumpForward must be true or false, not ${JSON.stringify(jumpForward)}`)
  const sampler = new Sampler(model.vocabulary.size, options)
  if (prompt.length === 0) throw new ModelError('the prompt is empty; there is nothing to go on from')
  const room = model.contextLength - prompt.length
  if (room < 1) {
    throw new ModelError(
      `the prompt has ${prompt.length} tokens and the model's context ${model.contextLength}; shorten the messages or the tools`,
    )
  }
  const input = {
    sequence: model.startSequence(),
    vocabulary: model.vocabulary,
    prompt,
    constraint,
    jumper:
      constraint !== null && jumpForward ? new Jumper(constraint, model.vocabulary, model.tokenizer) : null,
    sampler,
    maxTokens: Math.min(maxTokens, room),
    maxTokensLowered: maxTokens > room ? { from: maxTokens, to: room } : undefined,
    readCalls,
  }
  return new Run((emit, stop) => decodeLoop(input, emit, stop), signal, report)
}

/** Options that were given, so that an absent one is absent and not `undefined`. */
export function dropUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never
}
