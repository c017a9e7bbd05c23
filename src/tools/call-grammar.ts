/**
 * The grammar of a turn that may call tools: a call format, the schemas of the tools, and which calls are asked for.
 *
 * Errors in the schemas of several tools come together, each with the name of its tool.
 */

import { anyOf } from '../decode/tokenizer.ts'
import { ModelError } from '../errors.ts'
import { type Expr, type Grammar, GrammarBuilder, type Stop } from '../grammar/grammar.ts'
import { choice, frame, freeText, literal, NOTHING, optional, sequence, token } from '../grammar/parts.ts'
import { quote } from '../json/print.ts'
import { parsePattern } from '../regex/pattern.ts'
import { resolveOptions, type SchemaOptions, type SchemaReport } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Tool } from './definitions.ts'
import type { CallCounts, CallFormat, TurnParts } from './formats/format.ts'
import { ARGUMENTS, ID, joined, NAME, type Piece } from './formats/pieces.ts'
import { addArguments, collectErrors } from './tool-schemas.ts'

export interface CallGrammar {
  readonly grammar: Grammar
  /** What compiling the tools' schemas reported, with pointers into the tools document. */
  readonly report: SchemaReport
}

/** How a model thinks before it answers. */
export interface Thinking {
  readonly open: string
  readonly close: string
  /** Whether the prompt has opened it already. */
  readonly isOpen: boolean
}

export interface TurnOptions extends CallCounts {
  readonly format: CallFormat
  /** Those that may be called. */
  readonly tools: readonly Tool[]
  readonly thinking: Thinking | null
  /** What else is to be done with each tool; a `SchemaError` of it comes together with those of the schemas. */
  readonly check?: (tool: Tool) => void
}

/**
 * The grammar of a turn.
 *
 * @throws SchemaError that names its tool for a schema that is refused; ModelError where the vocabulary lacks a control
 *   token of the format
 */
export function turnGrammar(
  turn: TurnOptions,
  vocabulary: Vocabulary,
  options: SchemaOptions = {},
): CallGrammar {
  const { format, thinking } = turn
  const builder = new GrammarBuilder()
  const controls = new Controls(vocabulary, [
    ...format.controls,
    ...(thinking === null ? [] : [thinking.open, thinking.close]),
  ])
  for (const need of format.needs)
    if (!controls.isToken(need))
      throw new ModelError(
        `the format ${format.name} needs the control token ${need}, which this vocabulary does not have; choose another toolFormat`,
      )
  const root = builder.declare('turn')
  const parts = new Parts(builder, controls, turn, options)
  parts.addTools(turn.max === 0 ? [] : turn.tools, turn.check)
  const body = format.turn(parts, turn)
  builder.define(root, thinking === null ? body : withThinking(body, thinking, format, controls))
  const { report } = parts
  const narrowings = [...report.narrowings, ...turnNarrowings(body, thinking)]
  return {
    grammar: builder.build(root, resolveOptions(options).layout),
    report: { ...report, narrowings },
  }
}

/** What a model could say in words and does not write: what would look like a call, or like the end of its thoughts. */
function turnNarrowings(body: Expr, thinking: Thinking | null): SchemaReport['narrowings'] {
  const stops = stopsOf(body)
  const tags = new Set(stops.filter(({ atStart }) => !atStart).map(({ text }) => quote(text)))
  const messages = stops
    .filter(({ atStart }) => atStart)
    .map(({ text }) => `a turn that begins with ${quote(text)} is a call, and nothing else`)
  if (tags.size > 0) messages.push(`words do not spell ${[...tags].join(', ')} but where a call begins`)
  if (thinking !== null)
    messages.push(
      `thoughts hold no call, no ${quote(thinking.open)}, and ${quote(thinking.close)} at their end alone`,
    )
  return messages.map((message) => ({ pointer: '#', message }))
}

/** The stops of the free texts of a turn; those within calls, if any, are not looked for. */
function stopsOf(expr: Expr): readonly Stop[] {
  if (expr.type === 'free-text') return expr.stops
  if (expr.type === 'sequence') return expr.items.flatMap(stopsOf)
  if (expr.type === 'choice') return expr.options.flatMap(stopsOf)
  return expr.type === 'repeat' ? stopsOf(expr.item) : []
}

/** The control tokens of a format that a vocabulary has. */
class Controls {
  readonly #vocabulary: Vocabulary
  readonly #literals: RegExp | null

  constructor(vocabulary: Vocabulary, literals: readonly string[]) {
    this.#vocabulary = vocabulary
    const source = anyOf(literals.filter((each) => this.isToken(each)))
    this.#literals = source === null ? null : new RegExp(`(${source})`, 'u')
  }

  isToken(text: string): boolean {
    return this.#vocabulary.hasControl(text)
  }

  /** A text with its control tokens by id; those that end a turn anyway are left to do so. */
  written(text: string): Expr {
    if (this.#literals === null) return literal(text)
    const parts = text
      .split(this.#literals)
      .map((part, i) => (i % 2 === 0 ? literal(part) : this.#token(part)))
    return sequence(...parts)
  }

  #token(text: string): Expr {
    const id = this.#vocabulary.idOf(text)!
    return this.#vocabulary.endTokens.includes(id) ? NOTHING : token(id)
  }
}

class Parts implements TurnParts {
  readonly #builder: GrammarBuilder
  readonly #controls: Controls
  readonly #options: SchemaOptions
  readonly #reports: SchemaReport[] = []
  #tools: readonly { readonly tool: Tool; readonly value: Expr }[] = []
  readonly text: Expr
  readonly notAtStart: readonly string[]
  readonly string: Expr = {
    type: 'terminal',
    terminal: { kind: 'string', language: null, minLength: 0, maxLength: Number.POSITIVE_INFINITY },
    frame: 'string',
  }

  constructor(
    builder: GrammarBuilder,
    controls: Controls,
    { format, thinking }: TurnOptions,
    options: SchemaOptions,
  ) {
    this.#builder = builder
    this.#controls = controls
    this.#options = options
    this.notAtStart = thinking === null ? [] : ['\n', thinking.open]
    const spelled = format.controls.filter((each) => controls.isToken(each))
    this.text = freeText(
      spelled.map((text) => ({ text, atStart: false, leadsTo: null })),
      true,
    )
  }

  /** Compiles the schemas of all tools; what is wrong with any is thrown together. */
  addTools(tools: readonly Tool[], check: (tool: Tool) => void = () => {}): void {
    this.#tools = collectErrors(tools, (tool) => {
      check(tool)
      const { expr: value, report } = addArguments(this.#builder, tool, this.#options)
      this.#reports.push(report)
      return { tool, value }
    })
  }

  get report(): SchemaReport {
    return {
      annotations: this.#reports.flatMap(({ annotations }) => annotations),
      narrowings: this.#reports.flatMap(({ narrowings }) => narrowings),
      unenforced: this.#reports.flatMap(({ unenforced }) => unenforced),
    }
  }

  isToken(text: string): boolean {
    return this.#controls.isToken(text)
  }
  written(text: string): Expr {
    return this.#controls.written(text)
  }

  call(pieces: readonly Piece[]): Expr {
    const whole = joined(pieces)
    const name = whole.indexOf(NAME)
    const end = whole.indexOf(ARGUMENTS)
    const options = this.#tools.map(({ tool, value }) => {
      const named = joined(whole.slice(name, end).map((piece) => (piece === NAME ? tool.name : piece)))
      return sequence(...named.map((piece) => this.#piece(piece)), value)
    })
    const before = whole.slice(0, name).map((piece) => this.#piece(piece))
    const behind = whole.slice(end + 1).map((piece) => this.#piece(piece))
    return frame('tag', sequence(...before, choice(...options), ...behind))
  }

  #piece(piece: Piece): Expr {
    if (typeof piece === 'string') return this.written(piece)
    if (typeof piece === 'object') return optional(this.written(piece.maybe))
    if (piece !== ID) throw new RangeError(`a call has its ${String(piece.description)} in one place`)
    const language = parsePattern('^[A-Za-z0-9]{9}$', this.#builder.regexes)
    return { type: 'terminal', terminal: { kind: 'text', language }, frame: 'text' }
  }
}

/** Thoughts in front of the turn, in which no call can begin. */
function withThinking(body: Expr, thinking: Thinking, format: CallFormat, controls: Controls): Expr {
  const { open, close, isOpen } = thinking
  // What counts at the start of the turn only is text here.
  const triggers = format.triggers.filter(({ atStart }) => !atStart).map(({ text }) => text)
  const forbidden = [...new Set([...triggers, open])]
  const isToken = controls.isToken(close)
  const leadsTo = sequence(isToken ? controls.written(close) : NOTHING, optional(literal('\n\n')), body)
  const stops = forbidden.map((text) => ({ text, atStart: false, leadsTo: null }))
  const thoughts = isToken
    ? sequence(freeText([...stops, { text: close, atStart: false, leadsTo: null }], true), leadsTo)
    : freeText([...stops, { text: close, atStart: false, leadsTo }], false)
  if (isOpen) return thoughts
  return choice(sequence(controls.written(open), thoughts), body)
}
