/**
 * Chat messages in the OpenAI shape, checked: what comes from callers is untrusted text in known roles.
 *
 * Roles are an allow-list, since templates print them between control tokens; parts that are not text are refused by
 * position, never dropped.
 */
import { isObject } from './folder.ts'
import type { PromptPiece } from './tokenizer.ts'

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A call in the history, as OpenAI writes it: `arguments` is JSON text. */
export interface MessageToolCall {
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface Message {
  readonly role: Role
  readonly content?: string | readonly TextPart[] | null
  readonly tool_calls?: readonly MessageToolCall[]
  readonly tool_call_id?: string
  readonly name?: string
}

/** A message whose parts have been checked and joined. */
export interface Turn {
  readonly role: Role
  readonly content: string
  /** The content with its provenance, where not all of it is untrusted. */
  readonly pieces?: readonly PromptPiece[]
  readonly calls: readonly {
    readonly name: string
    readonly arguments: string
    readonly id: string | undefined
  }[]
  readonly callId: string | undefined
}

const ROLES = new Set<unknown>(['system', 'developer', 'user', 'assistant', 'tool'])

/** Checks messages; a `TypeError` names the one that cannot be read. */
export function readMessages(messages: unknown): Turn[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new TypeError(
      'messages must be a list with at least one message, such as { role: "user", content: "…" }',
    )
  }
  return messages.map((message: unknown, index) => {
    const where = `messages[${index}]`
    if (!isObject(message)) throw new TypeError(`${where} is not an object`)
    if (!ROLES.has(message.role)) {
      throw new TypeError(
        `${where}.role is ${JSON.stringify(message.role)}; known are ${[...ROLES].join(', ')}`,
      )
    }
    const calls = readCalls(message.tool_calls, where)
    return {
      role: message.role as Role,
      content: readContent(message.content, calls.length > 0, where),
      calls,
      callId: typeof message.tool_call_id === 'string' ? message.tool_call_id : undefined,
    }
  })
}

function readContent(content: unknown, optional: boolean, where: string): string {
  if (typeof content === 'string') return content
  if (optional && (content === undefined || content === null)) return ''
  if (!Array.isArray(content)) throw new TypeError(`${where}.content must be text or a list of text parts`)
  return content
    .map((part: unknown, index) => {
      if (isObject(part) && part.type === 'text' && typeof part.text === 'string') return part.text
      throw new TypeError(
        `${where}.content[${index}] is not a text part; only { type: "text", text } can be read`,
      )
    })
    .join('')
}

function readCalls(calls: unknown, where: string): Turn['calls'] {
  if (calls === undefined || calls === null) return []
  if (!Array.isArray(calls)) throw new TypeError(`${where}.tool_calls must be a list`)
  return calls.map((call: unknown, index) => {
    const target = isObject(call) ? call.function : undefined
    if (!isObject(target) || typeof target.name !== 'string' || typeof target.arguments !== 'string') {
      throw new TypeError(
        `${where}.tool_calls[${index}] must be { function: { name, arguments: "JSON text" } }`,
      )
    }
    const id = isObject(call) && typeof call.id === 'string' ? call.id : undefined
    return { name: target.name, arguments: target.arguments, id }
  })
}
