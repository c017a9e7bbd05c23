/**
 * Results and streams in the shape of Anthropic's Messages.
 *
 * A whole call is a block `tool_use`, with the arguments that the model wrote as `input`, whatever a validator made of them; one
 * that was cut or rejected is none, and is told of under `espalier`, the one field that is not Anthropic's.
 */
import type { Result, RunEvent, StopReason, ToolCall, Usage } from '../decode/result.ts'
import { leavable } from '../decode/run.ts'
import {
  checkWhole,
  identify,
  identityOf,
  leave,
  reportOf,
  StreamParts,
  type WireOptions,
  type WireReport,
} from './wire.ts'

export interface AnthropicText {
  type: 'text'
  text: string
  citations: null
}

/** What the model thought; nobody signed it. */
export interface AnthropicThinking {
  type: 'thinking'
  thinking: string
  signature: string
}

export interface AnthropicToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
  caller: { type: 'direct' }
}

export type AnthropicBlock = AnthropicText | AnthropicThinking | AnthropicToolUse

export interface AnthropicUsage {
  /** Those that were read for this answer; others are under `cache_read_input_tokens`. */
  input_tokens: number
  output_tokens: number
  cache_read_input_tokens: number | null
  cache_creation_input_tokens: null
  cache_creation: null
  inference_geo: null
  output_tokens_details: null
  server_tool_use: null
  service_tier: null
  speed: null
}

export type AnthropicStopReason = 'end_turn' | 'tool_use' | 'max_tokens'

/** A `Message`. */
export interface AnthropicMessage {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: AnthropicBlock[]
  stop_reason: AnthropicStopReason | null
  stop_sequence: null
  stop_details: null
  container: null
  diagnostics: null
  usage: AnthropicUsage
  /** Absent where the message only begins. */
  espalier?: WireReport
}

/** A `RawMessageStreamEvent`. */
export type AnthropicStreamEvent =
  | { type: 'message_start'; message: AnthropicMessage }
  | { type: 'content_block_start'; index: number; content_block: AnthropicBlock }
  | {
      type: 'content_block_delta'
      index: number
      delta:
        | { type: 'text_delta'; text: string }
        | { type: 'thinking_delta'; thinking: string }
        | { type: 'input_json_delta'; partial_json: string }
    }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta'
      delta: { stop_reason: AnthropicStopReason; stop_sequence: null; stop_details: null; container: null }
      usage: Pick<
        AnthropicUsage,
        | 'input_tokens'
        | 'output_tokens'
        | 'cache_read_input_tokens'
        | 'cache_creation_input_tokens'
        | 'output_tokens_details'
        | 'server_tool_use'
      >
      espalier: WireReport
    }
  | { type: 'message_stop' }

/** A result as a `Message`. Throws an `AbortError` (`DOMException`) for a run that was aborted. */
export function toAnthropic(
  result: Result<ToolCall<unknown>>,
  { model = 'espalier' }: WireOptions = {},
): AnthropicMessage {
  checkWhole(result)
  const { thinking, content, calls } = result
  const blocks: AnthropicBlock[] = []
  if (thinking !== undefined) blocks.push({ type: 'thinking', thinking, signature: '' })
  // The service refuses blocks of blanks when they come back.
  if (content.trim() !== '' || (calls.length === 0 && content !== ''))
    blocks.push({ type: 'text', text: content, citations: null })
  for (const call of calls) blocks.push(toolUse(call.id, call.name, JSON.parse(call.argumentsText)))
  return {
    ...begun(identityOf(result).id, model),
    content: blocks,
    stop_reason: stopReasonOf(result.stopReason, calls.length > 0),
    usage: usageOf(result.usage),
    espalier: reportOf(result),
  }
}

/**
 * The events of a run as `RawMessageStreamEvent`s, as they come; leaving the loop aborts the run.
 *
 * A call that may still be rejected comes when it is whole. One that is cut has come in part, as with the service: then
 * `stop_reason` is `max_tokens`, and it must not be run. Throws an `AbortError` where the run is aborted.
 */
export function toAnthropicStream(
  run: AsyncIterable<RunEvent<ToolCall<unknown>>>,
  options: WireOptions = {},
): AsyncGenerator<AnthropicStreamEvent, void, undefined> {
  return leavable(streamEvents(run, options), () => leave(run))
}

async function* streamEvents(
  run: AsyncIterable<RunEvent<ToolCall<unknown>>>,
  { model = 'espalier' }: WireOptions,
): AsyncGenerator<AnthropicStreamEvent, void, undefined> {
  const identity = identityOf(run)
  const parts = new StreamParts()
  /** The block that is open, and its place. */
  let open: AnthropicBlock['type'] | null = null
  let index = -1
  function* close(): Generator<AnthropicStreamEvent> {
    if (open !== null) yield { type: 'content_block_stop', index }
    open = null
  }
  function* begin(content_block: AnthropicBlock): Generator<AnthropicStreamEvent> {
    yield* close()
    open = content_block.type
    yield { type: 'content_block_start', index: ++index, content_block }
  }
  for await (const event of run)
    for (const part of parts.push(event)) {
      if (part.type === 'start') {
        const message = begun(identity.id, model)
        // How much of it a session had read already is known at the end: `message_delta` says it.
        message.usage.input_tokens = part.promptTokens
        yield { type: 'message_start', message }
      } else if (part.type === 'text') {
        if (open !== 'text') yield* begin({ type: 'text', text: '', citations: null })
        yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: part.text } }
      } else if (part.type === 'thinking') {
        if (open !== 'thinking') yield* begin({ type: 'thinking', thinking: '', signature: '' })
        yield { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: part.text } }
      } else if (part.type === 'call') yield* begin(toolUse(part.id, part.name, {}))
      else if (part.type === 'arguments')
        yield {
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: part.text },
        }
      else {
        const { result } = part
        identify(result, identity)
        yield* close()
        const { input_tokens, output_tokens, cache_read_input_tokens } = usageOf(result.usage)
        yield {
          type: 'message_delta',
          delta: {
            stop_reason: stopReasonOf(result.stopReason, result.calls.length > 0),
            stop_sequence: null,
            stop_details: null,
            container: null,
          },
          usage: {
            input_tokens,
            output_tokens,
            cache_read_input_tokens,
            cache_creation_input_tokens: null,
            output_tokens_details: null,
            server_tool_use: null,
          },
          espalier: reportOf(result),
        }
        yield { type: 'message_stop' }
      }
    }
}

/** A message of which nothing has been said. */
function begun(id: string, model: string): AnthropicMessage {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: usageOf({ promptTokens: 0, reusedTokens: 0, tokens: 0 }),
  }
}

function toolUse(id: string, name: string, input: unknown): AnthropicToolUse {
  // The service takes letters, digits, - and _.
  const own = id.startsWith('toolu_') ? id : `toolu_${id.replace(/^call_/u, '').replaceAll(/[^\w-]/gu, '_')}`
  return { type: 'tool_use', id: own, name, input, caller: { type: 'direct' } }
}

function stopReasonOf(stopReason: StopReason, hasCalls: boolean): AnthropicStopReason {
  if (stopReason !== 'complete') return 'max_tokens'
  return hasCalls ? 'tool_use' : 'end_turn'
}

function usageOf({
  promptTokens,
  reusedTokens,
  tokens,
}: Pick<Usage, 'promptTokens' | 'reusedTokens' | 'tokens'>): AnthropicUsage {
  return {
    input_tokens: promptTokens - reusedTokens,
    output_tokens: tokens,
    cache_read_input_tokens: reusedTokens,
    cache_creation_input_tokens: null,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
  }
}
