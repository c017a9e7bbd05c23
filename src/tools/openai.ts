/**
 * Results and streams in the shape of OpenAI's Chat Completions.
 *
 * A whole call is one of `tool_calls`, with the model's own text as its `arguments`; one that was cut or rejected is none,
 * and is told of under `espalier`. Two fields are not OpenAI's: `espalier`, and `reasoning_content` for thoughts, as other
 * servers have it.
 */
import type { Result, RunEvent, StopReason, ToolCall, Usage } from '../decode/result.ts'
import { leavable } from '../decode/run.ts'
import {
  checkWhole,
  type Identity,
  identify,
  identityOf,
  leave,
  reportOf,
  StreamParts,
  type WireOptions,
  type WireReport,
} from './wire.ts'

export interface OpenAIToolCall {
  id: string
  type: 'function'
  /** `arguments` is JSON text, as the model wrote it. */
  function: { name: string; arguments: string }
}

export interface OpenAIMessage {
  role: 'assistant'
  content: string | null
  refusal: null
  tool_calls?: OpenAIToolCall[]
  /** What the model thought before it answered. */
  reasoning_content?: string
}

export interface OpenAIUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: { cached_tokens: number }
}

export type OpenAIFinishReason = 'stop' | 'length' | 'tool_calls'

/** A `ChatCompletion`. */
export interface OpenAICompletion {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: [{ index: 0; message: OpenAIMessage; finish_reason: OpenAIFinishReason; logprobs: null }]
  usage: OpenAIUsage
  espalier: WireReport
}

export interface OpenAIDelta {
  role?: 'assistant'
  content?: string | null
  refusal?: null
  tool_calls?: {
    index: number
    id?: string
    type?: 'function'
    function: { name?: string; arguments: string }
  }[]
  reasoning_content?: string
}

/** A `ChatCompletionChunk`. */
export interface OpenAIChunk {
  id: string
  object: 'chat.completion.chunk'
  created: number
  model: string
  choices: { index: 0; delta: OpenAIDelta; finish_reason: OpenAIFinishReason | null; logprobs: null }[]
  /** With `includeUsage`: null, but in the last chunk, which has no choices. */
  usage?: OpenAIUsage | null
  /** In the chunk that says why the answer is over. */
  espalier?: WireReport
}

export interface OpenAIStreamOptions extends WireOptions {
  /** As `stream_options.include_usage`: one more chunk at the end, with the usage and no choices; default false. */
  readonly includeUsage?: boolean
}

/** A result as a `ChatCompletion`. Throws an `AbortError` (`DOMException`) for a run that was aborted. */
export function toOpenAI(
  result: Result<ToolCall<unknown>>,
  { model = 'espalier' }: WireOptions = {},
): OpenAICompletion {
  checkWhole(result)
  const { id, created } = identityOf(result)
  const tool_calls = result.calls.map(
    (call): OpenAIToolCall => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.argumentsText },
    }),
  )
  const isSilent = tool_calls.length > 0 && result.content.trim() === ''
  const message: OpenAIMessage = {
    role: 'assistant',
    content: isSilent ? null : result.content,
    refusal: null,
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
    ...(result.thinking === undefined ? {} : { reasoning_content: result.thinking }),
  }
  const finish_reason = finishReason(result.stopReason, tool_calls.length > 0)
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason, logprobs: null }],
    usage: usageOf(result.usage),
    espalier: reportOf(result),
  }
}

/**
 * The events of a run as `ChatCompletionChunk`s, as they come; leaving the loop aborts the run.
 *
 * A call that may still be rejected comes when it is whole. One that is cut has come in part, as with the service: then
 * `finish_reason` is `length`, and it must not be run. Throws an `AbortError` where the run is aborted.
 */
export function toOpenAIStream(
  run: AsyncIterable<RunEvent<ToolCall<unknown>>>,
  options: OpenAIStreamOptions = {},
): AsyncGenerator<OpenAIChunk, void, undefined> {
  return leavable(chunks(run, options), () => leave(run))
}

async function* chunks(
  run: AsyncIterable<RunEvent<ToolCall<unknown>>>,
  { model = 'espalier', includeUsage = false }: OpenAIStreamOptions,
): AsyncGenerator<OpenAIChunk, void, undefined> {
  const identity = identityOf(run)
  const parts = new StreamParts()
  let calls = 0
  const chunk = (delta: OpenAIDelta, finish_reason: OpenAIFinishReason | null = null): OpenAIChunk => ({
    ...frame(identity, model),
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    ...(includeUsage ? { usage: null } : {}),
  })
  for await (const event of run)
    for (const part of parts.push(event)) {
      if (part.type === 'start') yield chunk({ role: 'assistant', content: '', refusal: null })
      else if (part.type === 'text') yield chunk({ content: part.text })
      else if (part.type === 'thinking') yield chunk({ reasoning_content: part.text })
      else if (part.type === 'call') {
        const called = { name: part.name, arguments: '' }
        yield chunk({ tool_calls: [{ index: calls++, id: part.id, type: 'function', function: called }] })
      } else if (part.type === 'arguments')
        yield chunk({ tool_calls: [{ index: calls - 1, function: { arguments: part.text } }] })
      else {
        const { result } = part
        identify(result, identity)
        const last = chunk({}, finishReason(result.stopReason, result.calls.length > 0))
        yield { ...last, espalier: reportOf(result) }
        if (includeUsage) yield { ...frame(identity, model), choices: [], usage: usageOf(result.usage) }
      }
    }
}

function frame({ id, created }: Identity, model: string): Omit<OpenAIChunk, 'choices'> {
  return { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created, model }
}

function finishReason(stopReason: StopReason, hasCalls: boolean): OpenAIFinishReason {
  if (stopReason !== 'complete') return 'length'
  return hasCalls ? 'tool_calls' : 'stop'
}

function usageOf({ promptTokens, reusedTokens, tokens }: Usage): OpenAIUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: tokens,
    total_tokens: promptTokens + tokens,
    prompt_tokens_details: { cached_tokens: reusedTokens },
  }
}
