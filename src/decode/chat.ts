/**
 * Messages and tools to a prompt, through the model's own Jinja template, with the provenance of every character.
 *
 * The template is rendered twice: with names in place of untrusted strings (placeholders.ts), which gives the pieces,
 * and with the strings themselves, which shows whether it treats them in some way of its own (trims them, looks for
 * `</think>`). Where both agree, that is the prompt. Where they do not, the plain rendering is used only if no
 * string holds a control token's text and the control tokens come out the same; else what is safe wins.
 */
import { Template } from '@huggingface/jinja'
import { ModelError } from '../errors.ts'
import { readJson } from '../json/read.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'
import type { Turn } from './messages.ts'
import { type Names, Placeholders, toTemplateValue } from './placeholders.ts'
import type { PromptPiece, PromptTokenizer } from './tokenizer.ts'

/** What a template can do, found out by rendering and looking for needles. */
interface Abilities {
  readonly tools: boolean
  readonly system: boolean
  /** The template prints the arguments of earlier calls right when it gets them as JSON text. */
  readonly argumentsAsText: boolean
}

const NEEDLE = 'needle7f3a'

export class ChatTemplate {
  readonly #template: Template
  readonly #toolTemplate: Template
  readonly #tokenizer: PromptTokenizer
  readonly #context: Readonly<Record<string, unknown>>
  /** The source of the template that renders tools. */
  readonly toolSource: string
  #abilities: Abilities | null = null

  /** `context` holds what templates expect beside the messages: `bos_token`, `eos_token`. */
  constructor(
    source: string,
    toolSource: string,
    tokenizer: PromptTokenizer,
    context: Readonly<Record<string, unknown>>,
  ) {
    this.#template = parse(source)
    this.#toolTemplate = toolSource === source ? this.#template : parse(toolSource)
    this.#tokenizer = tokenizer
    this.toolSource = toolSource
    this.#context = context
  }

  /** Whether the template renders tool definitions itself. */
  get rendersTools(): boolean {
    return this.#probe().tools
  }

  /** The prompt that asks for the next answer. `tools` are OpenAI-shaped definitions; `thinking` is said to the template. */
  render(
    turns: readonly Turn[],
    tools: readonly JsonValue[] = [],
    { thinking = false }: { readonly thinking?: boolean } = {},
  ): PromptPiece[] {
    const { system } = this.#probe()
    const usable = system ? turns : withoutSystem(turns)
    const names = new Placeholders()
    const unnamed = this.#tryRender(usable, tools, names.plain, thinking)
    if (unnamed instanceof Error) {
      throw new ModelError(`the model's chat template refuses these messages: ${unnamed.message}`)
    }
    const plain = joined(names.restore(unnamed))
    const named = this.#tryRender(usable, tools, names, thinking)
    const harmless = names.texts().every((text) => !this.#tokenizer.hasControlLiteral(text))
    if (named instanceof Error) {
      if (harmless) return [{ text: plain, trusted: true }]
      throw new ModelError(
        `the model's chat template cannot be rendered without trusting the messages: ${named.message}`,
      )
    }
    for (const change of [(text: string) => text, (text: string) => text.trim()]) {
      const pieces = names.restore(named, change)
      if (joined(pieces) === plain) return pieces
    }
    const pieces = names.restore(named)
    const scaffold = pieces.flatMap(({ text, trusted }) => (trusted ? this.#tokenizer.controlsIn(text) : []))
    const same = harmless && this.#tokenizer.controlsIn(plain).join() === scaffold.join()
    return same ? [{ text: plain, trusted: true }] : pieces
  }

  #tryRender(
    turns: readonly Turn[],
    tools: readonly JsonValue[],
    names: Names,
    thinking: boolean,
  ): string | Error {
    const asText = turns.every((turn) => turn.calls.length === 0) || this.#probe().argumentsAsText
    const messages = turns.map((turn) => templateMessage(turn, names, asText))
    return this.#renderRaw(
      messages,
      tools.map((tool) => toTemplateValue(tool, names)),
      thinking,
    )
  }

  #renderRaw(messages: readonly unknown[], tools: readonly unknown[], thinking = false): string | Error {
    try {
      const template = tools.length > 0 ? this.#toolTemplate : this.#template
      const variables = {
        ...this.#context,
        enable_thinking: thinking,
        messages,
        add_generation_prompt: true,
      }
      // Some templates print a preamble for an empty list of tools: the key is absent then.
      return template.render(tools.length > 0 ? { ...variables, tools } : variables)
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  #probe(): Abilities {
    if (this.#abilities !== null) return this.#abilities
    const user = { role: 'user', content: 'a' }
    const parameters = { type: 'object', properties: {}, required: [] }
    const tool = { type: 'function', function: { name: NEEDLE, description: 'a', parameters } }
    const shows = (rendered: string | Error, needle: string) =>
      typeof rendered === 'string' && rendered.includes(needle)
    const text = `{"${NEEDLE}": 1}`
    const call = { type: 'function', id: 'call12345', function: { name: 'f', arguments: text } }
    const history = [user, { role: 'assistant', content: '', tool_calls: [call] }, user]
    this.#abilities = {
      tools: shows(this.#renderRaw([user], [tool]), NEEDLE),
      system: shows(this.#renderRaw([{ role: 'system', content: NEEDLE }, user], []), NEEDLE),
      argumentsAsText: shows(this.#renderRaw(history, [tool]), text),
    }
    return this.#abilities
  }
}

function joined(pieces: readonly PromptPiece[]): string {
  return pieces.map(({ text }) => text).join('')
}

function parse(source: string): Template {
  try {
    return new Template(source)
  } catch (error) {
    throw new ModelError(
      `the model's chat template cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

function templateMessage(turn: Turn, names: Names, argumentsAsText: boolean): Record<string, unknown> {
  const message: Record<string, unknown> = {
    role: turn.role,
    content: names.string(turn.content, turn.pieces),
  }
  if (turn.callId !== undefined) message.tool_call_id = names.string(turn.callId)
  if (turn.calls.length > 0) {
    message.tool_calls = turn.calls.map((call) => ({
      type: 'function',
      ...(call.id === undefined ? {} : { id: names.string(call.id) }),
      function: {
        name: names.string(call.name),
        arguments: argumentsAsText
          ? names.string(call.arguments)
          : toTemplateValue(argumentsObject(call.arguments), names),
      },
    }))
  }
  return message
}

/** Arguments as an object, for templates that print them with `tojson`. */
function argumentsObject(text: string): JsonValue {
  const value = readJson(text === '' ? '{}' : text)
  if (value instanceof Map) return value
  throw new TypeError(
    `the arguments of a call must be a JSON object, not ${value instanceof JsonNumber ? value.text : text}`,
  )
}

/** For templates without a system role: its text goes before the first user turn. */
function withoutSystem(turns: readonly Turn[]): Turn[] {
  const isSystem = (turn: Turn) => turn.role === 'system' || turn.role === 'developer'
  const pieces = turns
    .filter(isSystem)
    .flatMap((turn) => [...piecesOf(turn), { text: '\n\n', trusted: false }])
  const rest = turns.filter((turn) => !isSystem(turn))
  const first = rest.findIndex((turn) => turn.role === 'user')
  if (pieces.length === 0 || first < 0) return rest
  const merged = [...pieces, ...piecesOf(rest[first]!)]
  const content = merged.map(({ text }) => text).join('')
  return rest.with(first, { ...rest[first]!, content, pieces: merged })
}

function piecesOf(turn: Turn): readonly PromptPiece[] {
  return turn.pieces ?? [{ text: turn.content, trusted: false }]
}
