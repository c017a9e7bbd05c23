/**
 * `call`: strict tool calls from a model, or an exact account of what was still open when it was cut.
 */

import type { Constraint } from '../decode/constraint.ts'
import {
  type Request,
  RUN_OPTIONS,
  type RunOptions,
  requireChat,
  splitRunOptions,
  startRun,
} from '../decode/generate.ts'
import { type Message, readMessages, type TextPart } from '../decode/messages.ts'
import type { Model } from '../decode/model.ts'
import type { Run } from '../decode/run.ts'
import { ModelError } from '../errors.ts'
import { compileGrammar } from '../mask/compile.ts'
import { withVocabulary } from '../mask/compile-schema.ts'
import type { Matcher } from '../mask/matcher.ts'
import { type CompileOptions, splitOptions } from '../mask/options.ts'
import { resolveOptions } from '../schema/index.ts'
import { turnGrammar } from './call-grammar.ts'
import { nameCalls } from './call-ids.ts'
import { readTools, type Tool } from './definitions.ts'
import type { CallFormat } from './formats/format.ts'
import { FORMAT_NAMES, FORMATS, type FormatName, recogniseFormat } from './formats/index.ts'
import type { CallOf } from './infer.ts'
import { judgeOf, unknownTool } from './judge.ts'
import type { Judge } from './judgement.ts'
import { LooseReader } from './loose-reader.ts'
import { callPrompt } from './prompt.ts'
import { type ParallelToolCalls, readChoice, type ToolChoice } from './tool-choice.ts'
import { checkSchema, collectErrors, together } from './tool-schemas.ts'
import { TurnReader } from './turn-reader.ts'

export interface CallOptions<Tools = unknown> extends RunOptions, CompileOptions {
  /**
   * Tools in OpenAI's shape or Anthropic's, one or a list, as JSON text (read losslessly) or as values. In the place of a schema
   * there may be a validator (Zod, Valibot, ArkType: Standard Schema). The calls of the run have their types.
   */
  readonly tools: Tools
  /** The conversation so far, in either shape. */
  readonly messages: readonly Message[]
  /** The system text, where it stands beside the messages as in Anthropic's shape. */
  readonly system?: string | readonly TextPart[]
  /** Whether to call: `'auto'` (the default, as the model likes), `'none'`, `'required'`, or the tool `{ name }`. */
  readonly toolChoice?: ToolChoice
  /** Whether a turn may hold several calls (`true`, the default, `false`, or at most `{ max }`). */
  readonly parallelToolCalls?: ParallelToolCalls
  /** How calls are written; `'auto'`, the default, is what the model's template and tokens tell. */
  readonly toolFormat?: FormatName | 'auto'
  /** `false`: no tool has its mask, whatever it says itself; calls are judged and may be rejected. Default: as each tool says. */
  readonly strict?: boolean
  /** Whether the template is asked to let the model think first; default false. Thoughts hold no calls. */
  readonly thinking?: boolean
}

/** The names of what `CallOptions` adds. */
const CALL_OPTIONS = [
  'tools',
  'messages',
  'system',
  'toolChoice',
  'parallelToolCalls',
  'toolFormat',
  'strict',
  'thinking',
] as const

/**
 * Lets the model call tools, or answer in words, as `toolChoice` says. Iterate the run for events, or await `run.result` alone:
 * its `calls` are whole and valid; where it was cut, `cut` says what was open.
 *
 * Throws `TypeError` and `RangeError` for options and messages, `SchemaError` and `LimitError` for the tools, `LimitError`
 * for fewer tokens than `finishWithin` needs, `ModelError` for a prompt that does not fit the context, or a model whose
 * format is not known.
 */
export function call<const Tools>(model: Model, options: CallOptions<Tools>): Run<CallOf<Tools>> {
  return startRun(model, prepareCall(model, options)) as Run<CallOf<Tools>>
}

/** The format that `toolFormat` names, or that the model writes. Throws `TypeError` and `ModelError`. */
export function formatOf(
  model: Pick<Model, 'vocabulary' | 'chat'>,
  name: FormatName | 'auto' = 'auto',
): CallFormat {
  if (name !== 'auto') {
    if (!Object.hasOwn(FORMATS, name))
      throw new TypeError(
        `toolFormat must be "auto" or one of ${FORMAT_NAMES.join(', ')}, not ${JSON.stringify(name)}`,
      )
    return FORMATS[name]
  }
  const { vocabulary } = model
  const isToken = (literal: string): boolean => vocabulary.hasControl(literal)
  const known = recogniseFormat({ template: requireChat(model).toolSource, isToken })
  if (known === null)
    throw new ModelError(
      `neither the model's chat template nor its tokens tell how it writes calls; choose toolFormat: ${FORMAT_NAMES.join(', ')}`,
    )
  return FORMATS[known]
}

/** What a run of `call` needs. Throws as `call` does. */
function prepareCall(model: Model, options: CallOptions): Request {
  const { run, rest: own } = splitRunOptions(options)
  const {
    tools: given,
    messages,
    system,
    toolChoice,
    parallelToolCalls,
    toolFormat,
    strict,
    thinking = false,
    ...rest
  } = own
  const split = splitOptions(rest, [...CALL_OPTIONS, ...RUN_OPTIONS])
  if (typeof thinking !== 'boolean')
    throw new TypeError(`thinking must be true or false, not ${JSON.stringify(thinking)}`)
  if (strict !== undefined && typeof strict !== 'boolean')
    throw new TypeError(`strict must be true or false, not ${JSON.stringify(strict)}`)
  const turns = readMessages(messages, system)
  const format = formatOf(model, toolFormat)
  const known = readTools(given, strict, (tool) => {
    collectErrors([tool], (each) => checkSchema(each, split.schema))
  })
  const choice = readChoice(toolChoice, parallelToolCalls, known, format)
  const { tools } = choice
  const prompt = callPrompt(model, format, { ...choice, thinking }, turns)
  const judges = new Map<string, Judge>()
  const { formats, references } = resolveOptions(split.schema)
  const check = (tool: Tool): void => {
    const judge = (): void => {
      const own = judgeOf(tool, tool.strict, { formats, references })
      if (own !== null) judges.set(tool.name, own)
    }
    // The validator reads no more of a schema than it needs; what else is wrong with it is wrong all the same.
    if (tool.strict) judge()
    else together(judge, () => checkSchema(tool, split.schema))
  }
  const { next: firstNumber } = nameCalls(turns, format)
  const reading = { format, thinking: prompt.thinking, firstNumber }
  if (tools.length > 0 && !tools.some((tool) => tool.strict)) {
    collectErrors(tools, check)
    const byName = (name: string): Judge => judges.get(name) ?? unknownTool(name, tools)
    const makeEvents = () => new LooseReader({ ...reading, judgeOf: byName, mayTalk: choice.mayTalk })
    return { prompt: prompt.ids, constraint: null, options: run, makeEvents, toolFormat: format.name }
  }
  const turn = { ...choice, firstNumber, format, thinking: prompt.thinking, check }
  const { grammar, report } = turnGrammar(turn, model.vocabulary, split.schema)
  const compiled = compileGrammar(grammar, model.vocabulary, split.mask)
  return {
    prompt: prompt.ids,
    constraint: callConstraint(compiled.matcher({ maxRollback: Number.POSITIVE_INFINITY }), format),
    options: run,
    toolFormat: format.name,
    makeEvents: () => new TurnReader({ ...reading, judgeOf: (name) => judges.get(name) ?? null }),
    report: withVocabulary(report, model.vocabulary),
  }
}

/** A matcher whose report says what the frame of the call itself needs: its end. */
function callConstraint(matcher: Matcher, { closing }: CallFormat): Constraint {
  return {
    mask: (out, options) => matcher.mask(out, options),
    accept: (id) => matcher.accept(id),
    rollback: (n) => matcher.rollback(n),
    forced: () => matcher.forced(),
    isComplete: () => matcher.isComplete(),
    mustStop: () => matcher.mustStop(),
    shortestCompletion: () => matcher.shortestCompletion(),
    partial: () => matcher.partial(),
    frames: () => {
      const frames = matcher.frames()
      if (closing === '') return frames
      return frames.map((frame) =>
        frame.kind === 'tag' ? { ...frame, needs: [...frame.needs, closing] } : frame,
      )
    },
  }
}
