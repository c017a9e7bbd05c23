/** Which calls a request asks for: `toolChoice` and `parallelToolCalls`, in the shapes of both services. */
import { SchemaError } from '../errors.ts'
import { quote } from '../json/print.ts'
import type { Tool } from './definitions.ts'
import type { CallCounts, CallFormat } from './formats/format.ts'

/**
 * Whether the model is to call: as it likes, not at all, at least once, or this tool. OpenAI's
 * `{ type: 'function', function: { name } }` and Anthropic's `{ type: 'auto' | 'none' | 'any' | 'tool', name }` are read, too,
 * the latter with its `disable_parallel_tool_use`, which counts where `parallelToolCalls` is not given.
 */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'none' }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }

/** Whether a turn may hold several calls, and how many. */
export type ParallelToolCalls = boolean | { readonly max: number }

export interface ReadChoice extends CallCounts {
  /** The tools that may be called; those that the prompt names. */
  readonly tools: readonly Tool[]
}

/**
 * Checks a choice.
 *
 * Throws `TypeError` and `RangeError` that say what there is to choose from, `SchemaError` where there are no tools to
 * call.
 */
export function readChoice(
  choice: unknown,
  parallel: unknown,
  tools: readonly Tool[],
  format: CallFormat,
): ReadChoice {
  const asked = normalised(choice ?? 'auto')
  const max = Math.min(mostCalls(parallel ?? !isAlone(choice), format), format.maxCalls)
  if (asked === 'none') return { tools: [], mayTalk: true, max: 0 }
  if (tools.length === 0) {
    if (asked === 'auto') return { tools, mayTalk: true, max: 0 }
    const which = asked === 'required' ? '' : ` of ${quote(asked.name)}`
    throw new SchemaError(`no tools are given, and toolChoice asks for a call${which}`, '#')
  }
  if (typeof asked === 'string') return { tools, mayTalk: asked === 'auto', max }
  const named = tools.filter(({ name }) => name === asked.name)
  if (named.length === 0) {
    const names = tools.map(({ name }) => quote(name)).join(', ')
    throw new TypeError(`toolChoice names the tool ${quote(asked.name)}, and the tools are ${names}`)
  }
  return { tools: named, mayTalk: false, max }
}

const CHOICES =
  '"auto", "none", "required" or { name: "a tool" }; ' +
  'or OpenAI\'s { type: "function", function: { name: "a tool" } }; ' +
  'or Anthropic\'s { type: "auto" | "none" | "any" } or { type: "tool", name: "a tool" }'

function normalised(choice: unknown): 'auto' | 'none' | 'required' | { readonly name: string } {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  if (typeof choice === 'object' && choice !== null) {
    const { type, name, function: target } = choice as Readonly<Record<string, unknown>>
    const inner =
      typeof target === 'object' && target !== null ? (target as { name?: unknown }).name : undefined
    const own = inner ?? name
    const isNamed = type === undefined || type === 'function' || type === 'tool'
    if (isNamed && typeof own === 'string') return { name: own }
    if (own === undefined && (type === 'auto' || type === 'none' || type === 'any')) return normalised(type)
  }
  throw new TypeError(`toolChoice must be ${CHOICES}, not ${inWords(choice)}`)
}

/** Anthropic's shape has the choice of one call at most beside that of the tool. */
function isAlone(choice: unknown): boolean {
  if (typeof choice !== 'object' || choice === null) return false
  const { disable_parallel_tool_use: alone = false } = choice as { disable_parallel_tool_use?: unknown }
  if (typeof alone === 'boolean') return alone
  throw new TypeError(`toolChoice.disable_parallel_tool_use must be true or false, not ${inWords(alone)}`)
}

function mostCalls(parallel: unknown, { maxCalls, name }: CallFormat): number {
  if (parallel === true) return maxCalls
  if (parallel === false) return 1
  const max =
    typeof parallel === 'object' && parallel !== null ? (parallel as { max?: unknown }).max : undefined
  if (typeof max !== 'number' || !Number.isInteger(max) || max < 1)
    throw new TypeError(
      `parallelToolCalls must be true, false or { max: a whole number of at least 1 }, not ${inWords(parallel)}`,
    )
  if (max > maxCalls)
    throw new RangeError(
      `parallelToolCalls asks for up to ${max} calls, and the format ${name} writes ${maxCalls}`,
    )
  return max
}

/** What was given, for an error; it may be no JSON at all. */
function inWords(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}
