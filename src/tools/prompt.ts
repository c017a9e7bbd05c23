/**
 * The prompt that asks for a tool call.
 *
 * Where the model's chat template renders tools, it does. For a model that knows none, a system message of ours names
 * the tools in few words and shows the form of a call; earlier calls and results of the conversation are written in
 * that form too. In either case tool definitions and messages are untrusted text.
 */

import { requireChat } from '../decode/generate.ts'
import type { Turn } from '../decode/messages.ts'
import type { Model } from '../decode/model.ts'
import type { PromptPiece } from '../decode/tokenizer.ts'
import type { JsonValue } from '../json/value.ts'
import { type Tool, toolValue } from './definitions.ts'
import { describeProperties } from './describe.ts'
import { CLOSE_TAG, OPEN_TAG, writeCall } from './hermes.ts'

/** Token ids of the prompt. */
export function callPrompt(model: Model, tools: readonly Tool[], turns: readonly Turn[]): number[] {
  const chat = requireChat(model)
  const pieces = model.chat?.rendersTools
    ? chat.render(turns, tools.map(toolValue))
    : chat.render(withTools(tools, turns))
  return model.tokenizer.encode(pieces)
}

/** Says in few words what a schema asks for: a system message for `generate`. */
export function schemaInstructions(schema: JsonValue): string {
  const lines =
    schema instanceof Map
      ? describeProperties(schema)
          .map((line) => `- ${line}\n`)
          .join('')
      : ''
  const fields = lines === '' ? '' : `It has these fields:\n${lines}`
  return `Answer with one JSON document and nothing else. ${fields}Take every value from the request.`
}

const trusted = (text: string): PromptPiece => ({ text, trusted: true })
const untrusted = (text: string): PromptPiece => ({ text, trusted: false })

/** The conversation for a template without tools: ours is the first system message, in front of the caller's own. */
function withTools(tools: readonly Tool[], turns: readonly Turn[]): Turn[] {
  const pieces = [...instructions(tools)]
  const rest: Turn[] = []
  for (const turn of turns) {
    if (turn.role === 'system' || turn.role === 'developer') pieces.push(untrusted(`\n\n${turn.content}`))
    else if (turn.role === 'tool') pushResult(rest, turn)
    else if (turn.calls.length > 0) rest.push(asTurn('assistant', historyCalls(turn)))
    else rest.push(turn)
  }
  return [asTurn('system', pieces), ...rest]
}

function instructions(tools: readonly Tool[]): PromptPiece[] {
  const pieces = [trusted('You call tools. Take every argument from the request.\n\nTools:\n')]
  for (const { name, description, parameters } of tools) {
    const lines = describeProperties(parameters).map((line) => `- ${line}\n`)
    pieces.push(untrusted(`${name}: ${description}\nArguments:\n${lines.join('')}\n`))
  }
  pieces.push(
    trusted('Answer with one call in this form:\n'),
    trusted(OPEN_TAG),
    trusted('\n{"name": "the tool", "arguments": {"argument": "value"}}\n'),
    trusted(CLOSE_TAG),
  )
  return pieces
}

/** Results go to the user's turn, several into one: not every template knows their role, some want roles to alternate. */
function pushResult(rest: Turn[], turn: Turn): void {
  const pieces = [trusted('<tool_response>\n'), untrusted(turn.content), trusted('\n</tool_response>')]
  const last = rest.at(-1)
  if (last?.role === 'user' && last.pieces !== undefined) {
    rest[rest.length - 1] = asTurn('user', [...last.pieces, trusted('\n'), ...pieces])
  } else rest.push(asTurn('user', pieces))
}

function historyCalls(turn: Turn): PromptPiece[] {
  const pieces: PromptPiece[] = turn.content === '' ? [] : [untrusted(turn.content), trusted('\n')]
  turn.calls.forEach((call, index) => {
    if (index > 0) pieces.push(trusted('\n'))
    const body = writeCall(call.name, call.arguments).slice(OPEN_TAG.length, -CLOSE_TAG.length)
    pieces.push(trusted(OPEN_TAG), untrusted(body), trusted(CLOSE_TAG))
  })
  return pieces
}

function asTurn(role: Turn['role'], pieces: readonly PromptPiece[]): Turn {
  return { role, content: pieces.map(({ text }) => text).join(''), pieces, calls: [], callId: undefined }
}
