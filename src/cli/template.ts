/**
 * `espalier template`: the prompt of a conversation with tools as a model gets it, token by token, and beside it that of
 * another family. Control tokens stand in `⟦…⟧`: all else is text, whatever it looks like.
 */
import { readMessages, type Turn } from '../decode/messages.ts'
import { loadTextModel } from '../decode/model.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson } from '../json/print.ts'
import type { JsonValue } from '../json/value.ts'
import { formatOf } from '../tools/call.ts'
import { readTools } from '../tools/definitions.ts'
import { callPrompt } from '../tools/prompt.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { EXIT } from './exit.ts'
import { readJsonFile, UsageError } from './input.ts'
import { plural, type Terminal } from './terminal.ts'

export interface TemplateFlags {
  readonly model: string
  readonly compare?: string
  readonly tools?: string
  readonly messages?: string
  readonly thinking?: boolean
  readonly vocabularyCache?: boolean
  readonly json?: boolean
}

const TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const CALL = { name: 'get_weather', arguments: '{"city": "Ulm"}' }
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'How is the weather in Ulm?' },
  { role: 'assistant', content: '', tool_calls: [{ id: 'abcdefgh1', type: 'function', function: CALL }] },
  { role: 'tool', tool_call_id: 'abcdefgh1', content: '{"sky": "clear"}' },
]

interface View {
  readonly folder: string
  readonly format: string
  readonly ids: readonly number[]
  readonly text: string
}

export async function runTemplate(flags: TemplateFlags, terminal: Terminal): Promise<number> {
  const tools = flags.tools === undefined ? fromJs([TOOL]) : await readJsonFile(flags.tools)
  const messages = flags.messages === undefined ? MESSAGES : plain(await readJsonFile(flags.messages))
  const folders = [flags.model, ...(flags.compare === undefined ? [] : [flags.compare])]
  const turns = turnsOf(messages)
  const views: View[] = []
  for (const folder of folders) views.push(await view(folder, tools, turns, flags))
  if (flags.json) {
    terminal.result(printJson(fromJs(views)))
    return EXIT.complete
  }
  const width = Math.max(30, Math.floor((terminal.columns - 3 * (views.length - 1)) / views.length))
  const columns = views.map((each) => [
    `${each.folder}`,
    `${each.format} · ${plural(each.ids.length, 'token')}`,
    '',
    ...wrapped(each.text, width),
  ])
  const height = Math.max(...columns.map((lines) => lines.length))
  for (let i = 0; i < height; i++) {
    const cells = columns.map((lines, c) => {
      const line = lines[i] ?? ''
      return c === columns.length - 1 ? line : line + ' '.repeat(Math.max(0, width - [...line].length))
    })
    terminal.result(cells.join(' │ ').trimEnd())
  }
  return EXIT.complete
}

async function view(
  folder: string,
  tools: JsonValue,
  turns: readonly Turn[],
  flags: TemplateFlags,
): Promise<View> {
  const model = await loadTextModel(folder, flags)
  const format = formatOf(model)
  const request = {
    tools: readTools(tools),
    mayTalk: true,
    max: format.maxCalls,
    thinking: flags.thinking === true,
  }
  const { ids } = callPrompt(model, format, request, turns)
  return { folder, format: format.name, ids, text: textOf(model.vocabulary, ids) }
}

function turnsOf(messages: unknown): readonly Turn[] {
  try {
    return readMessages(messages)
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`--messages: ${error.message}`)
    throw error
  }
}

/** What tokens say, with control tokens marked. */
function textOf(vocabulary: Vocabulary, ids: readonly number[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return ids
    .map((id) => {
      const bytes = vocabulary.bytes(id)
      return bytes === null ? `⟦${vocabulary.literal(id) ?? id}⟧` : decoder.decode(bytes, { stream: true })
    })
    .join('')
}

/** The text in lines of at most so many characters. */
function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const characters = [...line.replaceAll('\t', '  ')]
    const lines: string[] = []
    for (let at = 0; at === 0 || at < characters.length; at += width)
      lines.push(characters.slice(at, at + width).join(''))
    return lines
  })
}

/** A lossless value as a plain one; messages hold texts, which lose nothing by it. */
function plain(value: JsonValue): unknown {
  return JSON.parse(printJson(value))
}
