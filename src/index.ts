/**
 * Everything a program needs to use a local model strictly: the core (`espalier/core`) and what runs a model.
 */
export * from './core.ts'
export { Batch, type BatchOptions } from './decode/batch.ts'
export type { Constraint, OpenFrame } from './decode/constraint.ts'
export { type GenerateOptions, generate, type RunOptions } from './decode/generate.ts'
export type {
  Message,
  MessagePart,
  MessageToolCall,
  Role,
  TextPart,
  ToolResultPart,
  ToolUsePart,
} from './decode/messages.ts'
export { type LoadOptions, loadModel, type Model } from './decode/model.ts'
export type {
  Attempt,
  Cut,
  RejectedCall,
  Result,
  RunEvent,
  StopReason,
  ToolCall,
  Usage,
  Violation,
} from './decode/result.ts'
export type { RetryOptions } from './decode/retry.ts'
export type { Run } from './decode/run.ts'
export type { SamplerOptions } from './decode/sampler.ts'
export type { TokenBatch, TokenSequence } from './decode/sequence.ts'
export { Session, type SessionOptions } from './decode/session.ts'
export type { PromptPiece, PromptTokenizer } from './decode/tokenizer.ts'
export {
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicStreamEvent,
  toAnthropic,
  toAnthropicStream,
} from './tools/anthropic.ts'
export { type CallOptions, call } from './tools/call.ts'
export { defineTool } from './tools/definitions.ts'
export type { FormatName } from './tools/formats/index.ts'
export type { CallOf, FromSchema, ToolArguments } from './tools/infer.ts'
export type { Change, Effect, Finding, LintDialect, Severity } from './tools/lint/finding.ts'
export { type FixedTools, fixTools } from './tools/lint/fix.ts'
export { type LintOptions, lintTools } from './tools/lint/lint.ts'
export {
  type OpenAIChunk,
  type OpenAICompletion,
  type OpenAIMessage,
  type OpenAIStreamOptions,
  toOpenAI,
  toOpenAIStream,
} from './tools/openai.ts'
export type { StandardIssue, StandardSchema } from './tools/standard-schema.ts'
export type { ParallelToolCalls, ToolChoice } from './tools/tool-choice.ts'
export type { WireOptions, WireReport } from './tools/wire.ts'
