/** Which calls a request asks for: `toolChoice` and `parallelToolCalls`, in the shapes of both services. */
import { SchemaError } from '../errors.ts'
import { quote } from '../json/print.ts'
import type { Tool } from './definitions.ts'
import type { CallCounts, CallFormat } from './formats/format.ts'

/**
 * Whether the model is to call: as it likes, not at all, at least once, or this tool. OpenAI's
 * `{ type: 'function', function: { name } }` and `{ type: 'allowed_tools', … }` and Anthropic's
 * `{ type: 'auto' | 'none' | 'any' | 'tool', name }` are read, too, the latter with its `disable_parallel_tool_use`, which counts
 * where `parallelToolCalls` is not given.
 */
export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  | { readonly type: 'function'; readonly function: { readonly name: string } }
  | { readonly type: 'allowed_tools'; readonly allowed_tools: AllowedTools }
  | ({ readonly type: 'allowed_tools' } & AllowedTools)
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'none' }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }

/** Some of the tools, each as `{ type: 'function', name }` or `{ type: 'function', function: { name } }`. */
export interface AllowedTools {
  readonly mode: 'auto' | 'required'
  readonly tools: readonly { readonly [key: string]: unknown }[]
}

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
  const max = mostCalls(parallel ?? !isAlone(choice), format)
  const { mode, names } = asked
  if (mode === 'none') return { tools: [], mayTalk: true, max: 0 }
  if (tools.length === 0) {
    if (mode === 'auto' && names === null) return { tools, mayTalk: true, max: 0 }
    const which = names === null ? '' : ` of ${names.map(quote).join(' or ')}`
    throw new SchemaError(`no tools are given, and toolChoice asks for a call${which}`, '#')
  }
  const unknown = names?.find((name) => !tools.some((tool) => tool.name === name))
  if (unknown !== undefined) {
    const known = tools.map(({ name }) => quote(name)).join(', ')
    throw new TypeError(`toolChoice names the tool ${quote(unknown)}, and the tools are ${known}`)
  }
  const allowed = names === null ? tools : tools.filter(({ name }) => names.includes(name))
  return { tools: allowed, mayTalk: mode === 'auto', max }
}

const CHOICES =
  '"auto", "none", "required" or { name: "a tool" }; ' +
  'or OpenAI\'s { type: "function", function: { name: "a tool" } } or ' +
  '{ type: "allowed_tools", mode: "auto" | "required", tools: […] }; ' +
  'or Anthropic\'s { type: "auto" | "none" | "any" } or { type: "tool", name: "a tool" }'

/** What a choice asks for: a call or not, and of which tools; `null` is of any. */
interface Asked {
  readonly mode: 'auto' | 'none' | 'required'
  readonly names: readonly string[] | null
}

function normalised(choice: unknown): Asked {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { mode: choice, names: null }
  if (choice === 'any') return { mode: 'required', names: null }
  if (typeof choice === 'object' && choice !== null) {
    const { type, ...rest } = choice as Readonly<Record<string, unknown>>
    const name = nameIn(rest)
    const isNamed = type === undefined || type === 'function' || type === 'tool'
    if (isNamed && name !== null) return { mode: 'required', names: [name] }
    if (type === 'allowed_tools') return allowed(choice, rest.allowed_tools ?? rest)
    if (name === null && (type === 'auto' || type === 'none' || type === 'any')) return normalised(type)
  }
  return refuse(choice)
}

function allowed(choice: unknown, given: unknown): Asked {
  const { mode, tools } = (given ?? {}) as Readonly<Record<string, unknown>>
  if ((mode !== 'auto' && mode !== 'required') || !Array.isArray(tools) || tools.length === 0)
    return refuse(choice)
  return { mode, names: tools.map((tool) => nameIn(tool) ?? refuse(choice)) }
}

/** The name of `{ name }` or `{ function: { name } }`. */
function nameIn(tool: unknown): string | null {
  if (typeof tool !== 'object' || tool === null) return null
  const { name, function: inner } = tool as Readonly<Record<string, unknown>>
  if (inner !== undefined) return nameIn(inner)
  return typeof name === 'string' ? name : null
}

function refuse(choice: unknown): never {
  throw new TypeError(`toolChoice must be ${CHOICES}, not ${inWords(choice)}`)
}

/** Anthropic's shape has the choice of one call at most beside that of the tool. */
function isAlone(choice: unknown): boolean {
  if (typeof choice !== 'object' || choice === null) return false
  const { disable_parallel_tool_use: alone = false } = choice as { disable_parallel_tool_use?: unknown }
  if (typeof alone === 'boolean') return alone
  throw new TypeError(`toolChoice.disable_parallel_tool_use must be true or false, not ${inWords(alone)}`)
}

/** At most what the format writes. */
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
    const spelled = (_: string, part: unknown): unknown =>
      typeof part === 'number' && !Number.isFinite(part) ? String(part) : part
    return JSON.stringify(value, spelled) ?? String(value)
  } catch {
    return String(value)
  }
}
