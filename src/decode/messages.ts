/**
 * Chat messages in OpenAI's shape or Anthropic's, checked and made into turns: what comes from callers is untrusted text in
 * known roles.
 *
 * Roles are an allow-list, since templates print them between control tokens; parts that cannot be read are refused by
 * position, never dropped (earlier thoughts are left out, as every template does). Each call has one result, which stands
 * behind it and before anything else is said.
 */
import { JsonError } from '../errors.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson, quote } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { isObject } from './folder.ts'
import type { PromptPiece } from './tokenizer.ts'

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A call in the history, as Anthropic writes it. */
export interface ToolUsePart {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  /** The arguments: a JSON object. */
  readonly input: unknown
}

/** The result of a call, as Anthropic writes it: in a message of the user. */
export interface ToolResultPart {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content?: string | readonly TextPart[]
  /** The call failed: the model reads `Error: ` in front, unless the text says so itself. */
  readonly is_error?: boolean
}

/** Earlier thoughts, which the model is not shown again. */
export interface ThinkingPart {
  readonly type: 'thinking' | 'redacted_thinking'
}

export type MessagePart = TextPart | ToolUsePart | ToolResultPart | ThinkingPart

/** A call in the history, as OpenAI writes it: `arguments` is JSON text. */
export interface MessageToolCall {
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** What the services' own types allow beside that, such as images: refused when it is read. */
interface Foreign {
  readonly type: string
}

export interface Message {
  readonly role: Role | (string & Record<never, never>)
  readonly content?: string | readonly (MessagePart | Foreign)[] | null
  readonly tool_calls?: readonly (MessageToolCall | Foreign)[] | null
  /** Of a message with the role `tool`: the call that it answers; without it, the first that has no result. */
  readonly tool_call_id?: string
  /** Not read: templates get the name of the tool from the call that a result answers. */
  readonly name?: string
}

/** A message whose parts have been checked and joined; one of Anthropic's with results is several. */
export interface Turn {
  readonly role: Role
  readonly content: string
  /** The content with its provenance, where not all of it is untrusted. */
  readonly pieces?: readonly PromptPiece[]
  readonly calls: readonly TurnCall[]
  /** Of a result: the id of its call, and the name of the tool, which some templates print. */
  readonly callId: string | undefined
  readonly toolName?: string
}

export interface TurnCall {
  readonly name: string
  /** Text of a JSON object. */
  readonly arguments: string
  readonly id: string | undefined
}

const ROLES = new Set<unknown>(['system', 'developer', 'user', 'assistant', 'tool'])

/** A turn and where it stands, for errors. */
interface Placed {
  readonly turn: Turn
  readonly where: string
}

/**
 * Checks messages, and the system text that Anthropic keeps beside them. A `TypeError` names the place of what cannot be
 * read, and the id of a call or result that stands alone.
 */
export function readMessages(messages: unknown, system?: unknown): Turn[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new TypeError(
      'messages must be a list with at least one message, such as { role: "user", content: "…" }',
    )
  }
  const placed = messages.flatMap((message: unknown, index) => readMessage(message, `messages[${index}]`))
  if (!placed.some(({ turn }) => turn.role === 'user' || turn.role === 'tool'))
    throw new TypeError('messages have no message of the role "user": there is nothing to answer')
  const turns = paired(placed)
  if (system === undefined || system === null) return turns
  const own = placed.find(({ turn }) => turn.role === 'system')
  if (own !== undefined)
    throw new TypeError(
      `give the system text either as option system or as a message; ${own.where} is one, too`,
    )
  return [plainTurn('system', readText(system, 'system')), ...turns]
}

function readMessage(message: unknown, where: string): Placed[] {
  if (!isObject(message)) throw new TypeError(`${where} is not an object`)
  const role = message.role
  if (!ROLES.has(role)) {
    throw new TypeError(`${where}.role is ${JSON.stringify(role)}; known are ${[...ROLES].join(', ')}`)
  }
  const calls = readCalls(message.tool_calls, where)
  if (calls.length > 0 && role !== 'assistant')
    throw new TypeError(`${where}.tool_calls: only a message of the role "assistant" has calls`)
  if (role === 'tool') {
    const callId = message.tool_call_id
    if (callId !== undefined && typeof callId !== 'string')
      throw new TypeError(`${where}.tool_call_id must be a string`)
    const turn = { role, content: readText(message.content, `${where}.content`), calls, callId } as const
    return [{ turn, where }]
  }
  const { content } = message
  if (Array.isArray(content)) return readParts(role as Role, content, calls, where)
  if (calls.length > 0 && (content === undefined || content === null))
    return [{ turn: { ...plainTurn('assistant', ''), calls }, where }]
  return [{ turn: { ...plainTurn(role as Role, readText(content, `${where}.content`)), calls }, where }]
}

/** Parts in their order: results become turns of their own, between what the user says. */
function readParts(
  role: Role,
  parts: readonly unknown[],
  toolCalls: readonly TurnCall[],
  where: string,
): Placed[] {
  const placed: Placed[] = []
  const calls = [...toolCalls]
  let text: string | null = null
  const flush = (): void => {
    if (text !== null) placed.push({ turn: plainTurn(role, text), where })
    text = null
  }
  parts.forEach((part, index) => {
    const at = `${where}.content[${index}]`
    const type = isObject(part) ? part.type : undefined
    if (isObject(part) && type === 'text' && typeof part.text === 'string') text = (text ?? '') + part.text
    else if (isObject(part) && type === 'tool_use' && role === 'assistant') calls.push(readToolUse(part, at))
    else if (isObject(part) && type === 'tool_result' && role === 'user') {
      flush()
      placed.push({ turn: readToolResult(part, at), where: at })
    } else if (role !== 'assistant' || (type !== 'thinking' && type !== 'redacted_thinking'))
      throw new TypeError(`${at} ${refusal(type, role)}`)
  })
  if (role !== 'assistant') {
    // A message without any part says nothing, and is a turn all the same.
    if (placed.length === 0) text ??= ''
    flush()
    return placed
  }
  return [{ turn: { ...plainTurn(role, text ?? ''), calls }, where }]
}

function refusal(type: unknown, role: Role): string {
  if (type === 'tool_use')
    return `is a tool_use, which only a message of the role "assistant" has, not "${role}"`
  if (type === 'tool_result')
    return `is a tool_result, which only a message of the role "user" has, not "${role}"`
  return 'is not a text part; only { type: "text", text } can be read, and tool_use and tool_result'
}

function readToolUse(part: Readonly<Record<string, unknown>>, at: string): TurnCall {
  const { id, name, input } = part
  if (typeof id !== 'string' || typeof name !== 'string')
    throw new TypeError(`${at} must be { type: "tool_use", id, name, input: {…} }`)
  let value: JsonValue
  try {
    value = fromJs(input)
  } catch (error) {
    throw new TypeError(`${at}.input: ${error instanceof Error ? error.message : error}`)
  }
  if (!(value instanceof Map))
    throw new TypeError(`${at}.input must be a JSON object, not ${printJson(value)}`)
  return { id, name, arguments: printJson(value) }
}

function readToolResult(part: Readonly<Record<string, unknown>>, at: string): Turn {
  const { tool_use_id: callId, content, is_error: isError } = part
  if (typeof callId !== 'string')
    throw new TypeError(`${at} must be { type: "tool_result", tool_use_id, content }`)
  const text = content === undefined || content === null ? '' : readText(content, `${at}.content`)
  const shown = isError === true && !/^\s*error\b/iu.test(text) ? `Error: ${text}` : text
  return { role: 'tool', content: shown, calls: [], callId }
}

/** Text, or parts that are. */
function readText(content: unknown, where: string): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw new TypeError(`${where} must be text or a list of text parts`)
  return content
    .map((part: unknown, index) => {
      if (isObject(part) && part.type === 'text' && typeof part.text === 'string') return part.text
      throw new TypeError(
        `${where}[${index}] is not a text part; only { type: "text", text } can be read here`,
      )
    })
    .join('')
}

function readCalls(calls: unknown, where: string): TurnCall[] {
  if (calls === undefined || calls === null) return []
  if (!Array.isArray(calls)) throw new TypeError(`${where}.tool_calls must be a list`)
  return calls.map((call: unknown, index) => {
    const at = `${where}.tool_calls[${index}]`
    const target = isObject(call) ? call.function : undefined
    if (!isObject(target) || typeof target.name !== 'string' || typeof target.arguments !== 'string')
      throw new TypeError(`${at} must be { function: { name, arguments: "JSON text" } }`)
    const id = isObject(call) ? (call.id ?? undefined) : undefined
    if (id !== undefined && typeof id !== 'string') throw new TypeError(`${at}.id must be a string`)
    return { name: target.name, arguments: argumentsText(target.arguments, `${at}.function.arguments`), id }
  })
}

/** The text of a JSON object; an empty one, which services write for no arguments, is `{}`. */
function argumentsText(text: string, where: string): string {
  if (text.trim() === '') return '{}'
  let value: JsonValue
  try {
    value = readJson(text, { duplicateKeys: 'last' })
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new TypeError(`${where} must be the text of a JSON object: ${error.message}`)
  }
  if (value instanceof Map) return text
  throw new TypeError(`${where} must be the text of a JSON object, not ${text}`)
}

/** Whether a result is the text of a JSON value. */
export function isJson(content: string): boolean {
  try {
    readJson(content, { duplicateKeys: 'last' })
    return true
  } catch {
    return false
  }
}

/** A result where a JSON value must stand: as it is where it is one, else as a string. */
export function resultAsJson(content: string): string {
  return isJson(content) ? content : quote(content)
}

/** Finds the call of each result. */
function paired(placed: readonly Placed[]): Turn[] {
  /** Calls whose results are awaited. */
  let open: { readonly call: TurnCall; readonly where: string }[] = []
  const ids = new Set<string>()
  const answered = new Set<string>()
  const close = (before: string): void => {
    const [first] = open
    if (first === undefined) return
    throw new TypeError(
      `${first.where}: the call ${named(first.call)} has no result ${before}; answer each call, if only to say that it failed`,
    )
  }
  const turns = placed.map(({ turn, where }) => {
    if (turn.role === 'tool') {
      const { callId } = turn
      const at = callId === undefined ? 0 : open.findIndex(({ call }) => call.id === callId)
      const found = open[at]
      if (found === undefined) throw new TypeError(`${where} ${loneResult(callId, answered, ids)}`)
      open.splice(at, 1)
      if (found.call.id !== undefined) answered.add(found.call.id)
      return { ...turn, callId: found.call.id, toolName: found.call.name }
    }
    close(`before ${where}`)
    open = turn.calls.map((call) => ({ call, where }))
    for (const { id } of turn.calls) {
      if (id === undefined) continue
      if (ids.has(id)) throw new TypeError(`${where}: two calls have the id ${quote(id)}`)
      ids.add(id)
    }
    return turn
  })
  close('in the messages')
  return turns
}

function loneResult(
  callId: string | undefined,
  answered: ReadonlySet<string>,
  ids: ReadonlySet<string>,
): string {
  if (callId === undefined) return 'is a result, and no call before it awaits one'
  if (answered.has(callId)) return `is a second result for the call ${quote(callId)}`
  const known = ids.size === 0 ? 'there are no calls' : `the calls are ${[...ids].map(quote).join(', ')}`
  return `is the result of a call ${quote(callId)} that no message before it makes; ${known}`
}

function named({ id, name }: TurnCall): string {
  return id === undefined ? `of ${quote(name)}` : `${quote(id)} of ${quote(name)}`
}

function plainTurn(role: Role, content: string): Turn {
  return { role, content, calls: [], callId: undefined }
}
