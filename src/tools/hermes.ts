/**
 * The Hermes call format, as one grammar for "one of these tools with its arguments", and its reading.
 *
 *     <tool_call>
 *     {"name": "NAME", "arguments": {...}}
 *     </tool_call>
 *
 * Envelope, arguments and end are one automaton, since tokens straddle every seam. Where the vocabulary has the tags as
 * control tokens they are matched by id, and cannot be spelled; elsewhere they are plain text. Spacing is the one that
 * models of this family were trained on.
 */

import type { ToolCall } from '../decode/result.ts'
import { SchemaError } from '../errors.ts'
import { type Expr, type FrameKind, type Grammar, GrammarBuilder } from '../grammar/grammar.ts'
import { readJson } from '../json/read.ts'
import { addSchema, resolveOptions, type SchemaOptions, type SchemaReport } from '../schema/index.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Tool } from './definitions.ts'

export const OPEN_TAG = '<tool_call>'
export const CLOSE_TAG = '</tool_call>'
const BEFORE_NAME = '\n{"name": "'
const BEFORE_ARGUMENTS = '", "arguments": '
const AFTER_ARGUMENTS = '}\n'

export interface CallGrammar {
  readonly grammar: Grammar
  /** What compiling the tools' schemas reported, with pointers into the tools document. */
  readonly report: SchemaReport
}

/** The grammar of one call. A schema that is refused is a `SchemaError` that names its tool. */
export function callGrammar(
  tools: readonly Tool[],
  vocabulary: Vocabulary,
  options: SchemaOptions = {},
): CallGrammar {
  const { layout } = resolveOptions(options)
  const builder = new GrammarBuilder()
  const reports: SchemaReport[] = []
  const root = builder.declare('call')
  const choices = tools.map((tool): Expr => {
    const { expr, report } = addTool(builder, tool, options)
    reports.push(report)
    return sequence(text(`${tool.name}${BEFORE_ARGUMENTS}`, 'literal'), expr)
  })
  const name = choices.length === 1 ? choices[0]! : ({ type: 'choice', options: choices } as const)
  const open = tagId(vocabulary, OPEN_TAG)
  const close = tagId(vocabulary, CLOSE_TAG)
  const body = sequence(
    ...(open === null
      ? [text(OPEN_TAG + BEFORE_NAME, 'literal')]
      : [token(open), text(BEFORE_NAME, 'literal')]),
    name,
    ...(close === null
      ? [text(AFTER_ARGUMENTS + CLOSE_TAG, 'literal')]
      : [text(AFTER_ARGUMENTS, 'literal'), token(close)]),
  )
  builder.define(root, { type: 'frame', kind: 'tag', body })
  const report: SchemaReport = {
    annotations: reports.flatMap(({ annotations }) => annotations),
    narrowings: reports.flatMap(({ narrowings }) => narrowings),
    unenforced: reports.flatMap(({ unenforced }) => unenforced),
  }
  return { grammar: builder.build(root, layout), report }
}

/** The id of a tag that is one control token; `null` where it is text. */
function tagId(vocabulary: Vocabulary, tag: string): number | null {
  const id = vocabulary.idOf(tag)
  return id !== undefined && vocabulary.isControl(id) ? id : null
}

function addTool(builder: GrammarBuilder, tool: Tool, options: SchemaOptions): ReturnType<typeof addSchema> {
  // What stands in another document has its URI in front.
  const moved = <T extends { readonly pointer: string }>(entry: T): T =>
    entry.pointer.startsWith('#') ? { ...entry, pointer: tool.pointer + entry.pointer.slice(1) } : entry
  try {
    const { expr, report } = addSchema(builder, builder.regexes, tool.parameters, options, tool.name)
    const { annotations, narrowings, unenforced } = report
    return {
      expr,
      report: {
        annotations: annotations.map(moved),
        narrowings: narrowings.map(moved),
        unenforced: unenforced.map(moved),
      },
    }
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    const problems = error.errors.map((problem) => ({
      ...moved(problem),
      message: `tool "${tool.name}": ${problem.message}`,
    }))
    const first = problems[0]!
    throw new SchemaError(first.message, first.pointer, error.keyword, problems)
  }
}

/** Reads the call out of a complete output of the grammar. */
export function readCall(output: string): ToolCall {
  const start = (OPEN_TAG + BEFORE_NAME).length
  const nameEnd = output.indexOf(BEFORE_ARGUMENTS, start)
  const argumentsText = output.slice(
    nameEnd + BEFORE_ARGUMENTS.length,
    output.length - (AFTER_ARGUMENTS + CLOSE_TAG).length,
  )
  // The grammar wrote it, so it is JSON; reading it once more keeps that from being an assumption.
  readJson(argumentsText)
  return { name: output.slice(start, nameEnd), arguments: JSON.parse(argumentsText), argumentsText }
}

/** One call as the format writes it, for prompts. */
export function writeCall(name: string, argumentsText: string): string {
  return OPEN_TAG + BEFORE_NAME + name + BEFORE_ARGUMENTS + argumentsText + AFTER_ARGUMENTS + CLOSE_TAG
}

function text(value: string, frame: FrameKind): Expr {
  return { type: 'terminal', terminal: { kind: 'texts', texts: [value] }, frame }
}

function token(id: number): Expr {
  return { type: 'token', ids: [id], frame: 'tag' }
}

function sequence(...items: Expr[]): Expr {
  return { type: 'sequence', items }
}
