/**
 * `call`: one strict tool call from a model, or an exact account of what was still open when it was cut.
 */

import type { Constraint } from '../decode/constraint.ts'
import { type Request, RUN_OPTIONS, type RunOptions, splitRunOptions, startRun } from '../decode/generate.ts'
import { type Message, readMessages } from '../decode/messages.ts'
import type { Model } from '../decode/model.ts'
import type { Run } from '../decode/run.ts'
import { compileGrammar } from '../mask/compile.ts'
import { withVocabulary } from '../mask/compile-schema.ts'
import type { Matcher } from '../mask/matcher.ts'
import { type CompileOptions, splitOptions } from '../mask/options.ts'
import { readTools } from './definitions.ts'
import { CLOSE_TAG, callGrammar, readCall } from './hermes.ts'
import { callPrompt } from './prompt.ts'

export interface CallOptions extends RunOptions, CompileOptions {
  /** OpenAI-shaped tools, one or a list, as JSON text (read losslessly) or as values. */
  readonly tools: unknown
  /** The conversation so far, OpenAI-shaped. */
  readonly messages: readonly Message[]
}

/**
 * Asks for one call of one of the tools; the call is required. Iterate the run for events, or await `run.result` alone:
 * its `calls` holds the call, or is empty and `cut` says what was open.
 *
 * Throws `TypeError` and `RangeError` for options, `SchemaError` and `LimitError` for the tools, `ModelError` for a
 * prompt that does not fit the context.
 */
export function call(model: Model, options: CallOptions): Run {
  return startRun(model, prepareCall(model, options))
}

/** What a run of `call` needs. Throws as `call` does. */
function prepareCall(model: Model, options: CallOptions): Request {
  const { run, rest: own } = splitRunOptions(options)
  const { tools: given, messages, ...rest } = own
  const split = splitOptions(rest, ['tools', 'messages', ...RUN_OPTIONS])
  const turns = readMessages(messages)
  const tools = readTools(given)
  const { grammar, report } = callGrammar(tools, model.vocabulary, split.schema)
  const compiled = compileGrammar(grammar, model.vocabulary, split.mask)
  return {
    prompt: callPrompt(model, tools, turns),
    constraint: callConstraint(compiled.matcher({ maxRollback: Number.POSITIVE_INFINITY })),
    options: run,
    readCalls: (text) => [readCall(text)],
    report: withVocabulary(report, model.vocabulary),
  }
}

/** A matcher whose report says what the frame of the call itself needs: its end. */
function callConstraint(matcher: Matcher): Constraint {
  return {
    mask: (out) => matcher.mask(out),
    accept: (id) => matcher.accept(id),
    rollback: (n) => matcher.rollback(n),
    forced: () => matcher.forced(),
    isComplete: () => matcher.isComplete(),
    mustStop: () => matcher.mustStop(),
    shortestCompletion: () => matcher.shortestCompletion(),
    partial: () => matcher.partial(),
    frames: () =>
      matcher
        .frames()
        .map((frame) => (frame.kind === 'tag' ? { ...frame, needs: [...frame.needs, CLOSE_TAG] } : frame)),
  }
}
