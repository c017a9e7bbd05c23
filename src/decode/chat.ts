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
import { quote } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { JsonValue } from '../json/value.ts'
import { isJson, resultAsJson, type Turn } from './messages.ts'
import { type Names, Placeholders, toTemplateValue } from './placeholders.ts'
import type { PromptPiece, PromptTokenizer } from './tokenizer.ts'

/** What a template can do, found out by rendering and looking for needles. */
interface Abilities {
  readonly system: boolean
  /** The template prints the arguments of earlier calls right when it gets them as JSON text. */
  readonly argumentsAsText: boolean
  /** The template prints the ids of earlier calls, and perhaps nothing else that says their names. */
  readonly callIds: boolean
  /** The template prints results as they are where a JSON value must stand. */
  readonly resultsAsJson: boolean
  /** The template prints a result that is a text as a JSON string, and one that is an object as that. */
  readonly resultsAsValues: boolean
}

export interface RenderOptions {
  /** Said to the template: whether the model is to think first. */
  readonly thinking?: boolean
}

/** A prompt, and the strings of the conversation that are not in it. */
interface Rendered {
  readonly pieces: PromptPiece[]
  readonly lost: readonly string[]
}

/** Ids of calls that are printed as they are: templates look at how long they are, and at their characters. */
const PLAIN_ID = /^[A-Za-z0-9_.:-]{1,64}$/u

const NEEDLE = 'needle7f3a'
/** A needle behind a key, without quotes of its own. */
const RESULT_AS_VALUE = new RegExp(`"\\s*:\\s*${NEEDLE}`, 'u')
/** A JSON string that is all there is of a result, and no entry of anything. */
const RESULT_AS_STRING = new RegExp(`(?<![:,[{]\\s*)"${NEEDLE}"`, 'u')
const RESULT_AS_OBJECT = new RegExp(`\\{\\s*"${NEEDLE}"\\s*:\\s*1\\s*\\}`, 'u')
/** Nine letters and digits, which every template takes. */
const ID_NEEDLE = 'call7f3a5'

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

  /** The prompt that asks for the next answer. `tools` are OpenAI-shaped definitions; `thinking` is said to the template. */
  render(
    turns: readonly Turn[],
    tools: readonly JsonValue[] = [],
    { thinking = false }: RenderOptions = {},
  ): PromptPiece[] {
    const { system } = this.#probe()
    const rendered = this.#render(system ? turns : withoutSystem(turns), tools, thinking)
    if (rendered instanceof Error) throw rendered
    return rendered.pieces
  }

  /**
   * The same where all of the conversation and every tool gets into the prompt; else why not. Where the template has no place for
   * a system message, or loses it, the first user message begins with it.
   */
  renderWhole(
    turns: readonly Turn[],
    tools: readonly JsonValue[],
    { thinking = false }: RenderOptions = {},
  ): PromptPiece[] | ModelError {
    let reason: ModelError | null = null
    for (const usable of [turns, withoutSystem(turns)]) {
      const rendered = this.#render(usable, tools, thinking)
      if (rendered instanceof Error) reason ??= rendered
      else if (rendered.lost.length === 0) return rendered.pieces
      else
        reason ??= new ModelError(
          `the model's chat template leaves out ${quote(shortened(rendered.lost[0]!))}`,
        )
    }
    return reason!
  }

  #render(turns: readonly Turn[], tools: readonly JsonValue[], thinking: boolean): Rendered | ModelError {
    const names = new Placeholders()
    const unnamed = this.#tryRender(turns, tools, names.plain, thinking)
    if (unnamed instanceof Error)
      return new ModelError(`the model's chat template refuses these messages: ${unnamed.message}`)
    const plain = joined(names.restore(unnamed))
    const named = this.#tryRender(turns, tools, names, thinking)
    const harmless = names.texts().every((text) => !this.#tokenizer.hasControlLiteral(text))
    const whole = [{ text: plain, trusted: true }]
    if (named instanceof Error) {
      if (harmless) return { pieces: whole, lost: names.lostInPlain(plain) }
      return new ModelError(
        `the model's chat template cannot be rendered without trusting the messages: ${named.message}`,
      )
    }
    const lost = names.lostIn(named)
    for (const change of [(text: string) => text, (text: string) => text.trim()]) {
      const pieces = names.restore(named, change)
      if (joined(pieces) === plain) return { pieces, lost }
    }
    const pieces = names.restore(named)
    const scaffold = pieces.flatMap(({ text, trusted }) => (trusted ? this.#tokenizer.controlsIn(text) : []))
    const same = harmless && this.#tokenizer.controlsIn(plain).join() === scaffold.join()
    return { pieces: same ? whole : pieces, lost }
  }

  #tryRender(
    turns: readonly Turn[],
    tools: readonly JsonValue[],
    names: Names,
    thinking: boolean,
  ): string | Error {
    const abilities = turns.every((turn) => turn.calls.length === 0) ? NO_CALLS : this.#probe()
    const messages = turns.map((turn) => templateMessage(turn, names, abilities))
    return this.#renderRaw(
      messages,
      tools.map((tool) => templateTool(tool, names)),
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
    const shows = (rendered: string | Error, needle: string) =>
      typeof rendered === 'string' && rendered.includes(needle)
    const text = `{"${NEEDLE}": 1}`
    const call = { type: 'function', id: ID_NEEDLE, function: { name: 'f', arguments: text } }
    const asked = [user, { role: 'assistant', content: '', tool_calls: [call] }]
    const history = this.#renderRaw([...asked, user], [])
    const matches = (content: unknown, pattern: RegExp): boolean => {
      const rendered = this.#renderRaw([...asked, { role: 'tool', tool_call_id: ID_NEEDLE, content }], [])
      return typeof rendered === 'string' && pattern.test(rendered)
    }
    this.#abilities = {
      system: shows(this.#renderRaw([{ role: 'system', content: NEEDLE }, user], []), NEEDLE),
      argumentsAsText: shows(history, text),
      callIds: shows(history, ID_NEEDLE),
      resultsAsJson: matches(NEEDLE, RESULT_AS_VALUE),
      resultsAsValues: matches(NEEDLE, RESULT_AS_STRING) && matches({ [NEEDLE]: 1 }, RESULT_AS_OBJECT),
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

type CallAbilities = Omit<Abilities, 'system'>

/** For turns that it does not matter to. */
const NO_CALLS: CallAbilities = {
  argumentsAsText: true,
  callIds: false,
  resultsAsJson: false,
  resultsAsValues: false,
}

function templateMessage(
  turn: Turn,
  names: Names,
  { argumentsAsText, callIds, resultsAsJson, resultsAsValues }: CallAbilities,
): Record<string, unknown> {
  const isResult = turn.role === 'tool'
  const content = resultsAsJson && isResult ? resultAsJson(turn.content) : turn.content
  const message: Record<string, unknown> = {
    role: turn.role,
    content:
      resultsAsValues && isResult && isJson(content)
        ? names.value(content.trim(), true)
        : names.string(content, turn.pieces, true),
  }
  const id = (text: string): string => (PLAIN_ID.test(text) ? text : names.string(text))
  if (turn.callId !== undefined) message.tool_call_id = id(turn.callId)
  if (turn.toolName !== undefined) message.name = names.string(turn.toolName)
  if (turn.calls.length > 0) {
    message.tool_calls = turn.calls.map((call) => ({
      type: 'function',
      ...(call.id === undefined ? {} : { id: id(call.id) }),
      function: {
        // An id may say it in its place, as those of Kimi do.
        name: names.string(call.name, undefined, !(callIds && call.id?.split(/[.:]/u).includes(call.name))),
        arguments: argumentsAsText
          ? names.string(call.arguments, undefined, true)
          : // Read as `readMessages` has checked them.
            toTemplateValue(readJson(call.arguments, { duplicateKeys: 'last' }), vital(names)),
      },
    }))
  }
  return message
}

/** A tool's definition, which is not in the prompt unless its name is. */
function templateTool(tool: JsonValue, names: Names): unknown {
  const target = tool instanceof Map ? tool.get('function') : undefined
  const name = target instanceof Map ? target.get('name') : undefined
  const value = toTemplateValue(tool, names)
  if (typeof name === 'string')
    (value as { function: { name: unknown } }).function.name = names.string(name, undefined, true)
  return value
}

/** Names of which every one is vital. */
function vital(names: Names): Names {
  return {
    string: (text, pieces) => names.string(text, pieces, true),
    key: (text) => names.key(text),
    value: (text) => names.value(text, true),
  }
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
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
