/**
 * The prompt that asks for a tool call.
 *
 * Where the model's chat template renders tools, and loses nothing of the conversation, it does. Else a system message of ours names
 * the tools in few words and shows the form of a call; earlier calls and results of the conversation are written in
 * that form too. In either case tool definitions and messages are untrusted text.
 */

import type { ChatTemplate } from '../decode/chat.ts'
import { requireChat } from '../decode/generate.ts'
import { resultAsJson, type Turn } from '../decode/messages.ts'
import type { Model } from '../decode/model.ts'
import { encodePrompt, type PromptReader } from '../decode/prompt-size.ts'
import type { PromptPiece } from '../decode/tokenizer.ts'
import { ModelError } from '../errors.ts'
import type { JsonValue } from '../json/value.ts'
import type { Thinking } from './call-grammar.ts'
import { nameCalls, numberOf } from './call-ids.ts'
import { type Tool, toolValue } from './definitions.ts'
import { describeProperties } from './describe.ts'
import type { CallFormat } from './formats/format.ts'
import { CONTENT_AS_JSON, ID } from './formats/pieces.ts'

export interface CallPrompt {
  readonly ids: number[]
  /** How the model may think first; `null` where it may not. */
  readonly thinking: Thinking | null
}

const THINK = '<think>'
const THOUGHT = '</think>'

/** What a prompt asks for. */
export interface CallRequest {
  readonly tools: readonly Tool[]
  /** Whether the model may answer in words. */
  readonly mayTalk: boolean
  /** Most calls of the answer. */
  readonly max: number
  readonly thinking?: boolean
}

/**
 * The prompt of a turn with these tools, perhaps none.
 *
 * @throws ModelError where the template refuses the messages, or leaves out some, however they are handed to it
 */
export function callPrompt(
  model: PromptReader & Pick<Model, 'chat'>,
  format: CallFormat,
  request: CallRequest,
  turns: readonly Turn[],
): CallPrompt {
  const pieces = promptPieces(requireChat(model), format, request, turns)
  const end = pieces.findLast(({ text }) => text.trim() !== '')
  const isOpen = end?.trusted === true && end.text.trimEnd().endsWith(THINK)
  const mayThink = isOpen || (request.thinking === true && model.vocabulary.idOf(THINK) !== undefined)
  return {
    ids: encodePrompt(model, pieces),
    thinking: mayThink ? { open: THINK, close: THOUGHT, isOpen } : null,
  }
}

/** The template's own rendering if it holds all there is; else ours: tools in the system message, calls and results as text. */
export function promptPieces(
  chat: ChatTemplate,
  format: CallFormat,
  request: CallRequest,
  turns: readonly Turn[],
): PromptPiece[] {
  const { tools, thinking = false } = request
  const { turns: known } = nameCalls(turns, format)
  const native = chat.renderWhole(known, tools.map(toolValue), { thinking })
  if (!(native instanceof ModelError)) return native
  const own = chat.renderWhole(withTools(format, request, known), [], { thinking })
  if (own instanceof ModelError) throw own
  return own
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
function withTools(format: CallFormat, request: CallRequest, turns: readonly Turn[]): Turn[] {
  const pieces = request.tools.length === 0 ? [] : [...instructions(format, request)]
  const rest: Turn[] = []
  for (const turn of turns) {
    if (turn.role === 'system' || turn.role === 'developer')
      pieces.push(...(pieces.length === 0 ? [] : [trusted('\n\n')]), untrusted(turn.content))
    else if (turn.role === 'tool') pushResult(format, rest, turn)
    else if (turn.calls.length > 0) rest.push(asTurn('assistant', historyCalls(format, turn)))
    else rest.push(turn)
  }
  return pieces.length === 0 ? rest : [asTurn('system', pieces), ...rest]
}

function instructions(format: CallFormat, { tools, mayTalk, max }: CallRequest): PromptPiece[] {
  const pieces = [trusted('You call tools. Take every argument from the request.\n\nTools:\n')]
  for (const { name, description, parameters } of tools) {
    const lines = describeProperties(parameters).map((line) => `- ${line}\n`)
    pieces.push(untrusted(`${name}: ${description}\nArguments:\n${lines.join('')}\n`))
  }
  const example = { id: '', name: 'the tool', argumentsText: '{"argument": "value"}' }
  const calls = max > 1 && format.maxCalls > 1 ? 'calls' : 'one call'
  const lead = mayTalk
    ? `Answer in words${format.words === undefined ? '' : `, as ${format.words}`}, or with ${calls} in this form:\n`
    : `Answer with ${calls} in this form:\n`
  pieces.push(trusted(lead), trusted(format.write([example])))
  return pieces
}

/** Results go to the user's turn, several into one: not every template knows their role, some want roles to alternate. */
function pushResult({ result }: CallFormat, rest: Turn[], turn: Turn): void {
  const pieces = result.map((piece) => {
    if (typeof piece === 'string') return trusted(piece)
    if (piece === ID) return untrusted(turn.callId ?? '')
    return untrusted(piece === CONTENT_AS_JSON ? resultAsJson(turn.content) : turn.content)
  })
  const last = rest.at(-1)
  if (last?.role === 'user' && last.pieces !== undefined) {
    rest[rest.length - 1] = asTurn('user', [...last.pieces, trusted('\n'), ...pieces])
  } else rest.push(asTurn('user', pieces))
}

function historyCalls(format: CallFormat, turn: Turn): PromptPiece[] {
  const pieces: PromptPiece[] = turn.content === '' ? [] : [untrusted(turn.content), trusted('\n')]
  // The caller's own text is put in behind, so that nothing in it counts as the format's.
  const texts = turn.calls.flatMap(({ name, arguments: text, id = '' }) => [name, text, id])
  const { ids } = format
  const marks = turn.calls.map(({ id }, i) => {
    const number = ids === undefined || id === undefined ? undefined : numberOf(ids, id)
    return {
      name: mark(3 * i),
      argumentsText: mark(3 * i + 1),
      id: mark(3 * i + 2),
      ...(number === undefined ? {} : { number }),
    }
  })
  format
    .write(marks)
    .split(MARK)
    .forEach((part, i) => {
      pieces.push(i % 2 === 0 ? trusted(part) : untrusted(texts[Number(part)]!))
    })
  return pieces
}

const MARK = /\ue000(\d+)\ue000/u

function mark(index: number): string {
  return `\ue000${index}\ue000`
}

function asTurn(role: Turn['role'], pieces: readonly PromptPiece[]): Turn {
  return { role, content: pieces.map(({ text }) => text).join(''), pieces, calls: [], callId: undefined }
}
