/**
 * `espalier check`: what a schema or grammar compiles to, or why it is refused; and whether an instance belongs to it, breaks it at
 * a byte, or is the beginning of one that does.
 */
import { type CompiledGrammar, type CompileOptions, compile, type SchemaReport } from '../core.ts'
import { readCut } from '../decode/loop.ts'
import { loadVocabulary } from '../decode/model.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson } from '../json/print.ts'
import type { JsonValue } from '../json/value.ts'
import type { Matcher } from '../mask/matcher.ts'
import { inDocumentOrder } from '../schema/order.ts'
import { byteVocabulary } from '../vocab/byte-vocabulary.ts'
import { feed, followers } from './bytes.ts'
import { type CompileFlags, compileOptions, withFlags } from './compile-flags.ts'
import { EXIT } from './exit.ts'
import {
  checkNoRoot,
  compileGrammarFile,
  isGrammarFile,
  type RootFlag,
  readSchemaFile,
} from './grammar-file.ts'
import { checkStdin, nameOf, readBytes } from './input.ts'
import { excerptStart, renderCompletion, renderFrames, visible } from './report.ts'
import { plural, type Style, type Terminal } from './terminal.ts'

export interface CheckFlags extends CompileFlags, RootFlag {
  readonly model?: string
  readonly vocabularyCache?: boolean
  readonly json?: boolean
}

/** Where an instance stands when its bytes have been read. */
interface Verdict {
  readonly verdict: 'accepted' | 'refused' | 'incomplete'
  /** Of a refusal: the byte, and its line and column in characters, from 1. */
  readonly byte?: number
  readonly line?: number
  readonly column?: number
  readonly expected?: readonly string[]
  readonly cut?: ReturnType<typeof readCut>
}

export async function runCheck(
  schemaPath: string,
  instancePath: string | undefined,
  flags: CheckFlags,
  terminal: Terminal,
): Promise<number> {
  checkStdin([
    ['the schema', schemaPath === '-'],
    ['the instance', instancePath === '-'],
  ])
  const options = await compileOptions(flags)
  if (isGrammarFile(schemaPath)) return checkGrammar(schemaPath, instancePath, flags, options, terminal)
  checkNoRoot(schemaPath, flags)
  const schema = await readSchemaFile(schemaPath)
  const vocabulary = flags.model === undefined ? byteVocabulary() : await loadVocabulary(flags.model, flags)
  const { resultStyle } = terminal
  if (instancePath === undefined) {
    // As a generation would have it, so that the narrowings are those that apply there.
    const grammar = compile(schema, vocabulary, options)
    const summary = summarise(grammar)
    const report = inOrder(schema, grammar.report)
    if (flags.json) terminal.result(printJson(fromJs({ ...summary, ...report })))
    else for (const line of describeSchema(schemaPath, summary, report, resultStyle)) terminal.result(line)
    return EXIT.complete
  }
  const grammar = compile(schema, vocabulary, {
    whitespace: 'any',
    propertyOrder: 'any',
    numbers: 'any',
    ...options,
  })
  const bytes = await readBytes(instancePath)
  return tell(instancePath, bytes, judge(grammar.matcher(), bytes), flags, terminal)
}

/** The same for a grammar: of its texts every byte counts, space at their ends too. */
async function checkGrammar(
  path: string,
  textPath: string | undefined,
  flags: CheckFlags,
  options: CompileOptions,
  terminal: Terminal,
): Promise<number> {
  const vocabulary = flags.model === undefined ? byteVocabulary() : await loadVocabulary(flags.model, flags)
  const grammar = await compileGrammarFile(path, vocabulary, options, flags)
  if (textPath !== undefined) {
    const bytes = await readBytes(textPath)
    return tell(textPath, bytes, judge(grammar.matcher(), bytes, false), flags, terminal, false)
  }
  const summary = summarise(grammar)
  const { notes } = grammar.report
  if (flags.json) {
    terminal.result(printJson(fromJs({ ...summary, notes })))
    return EXIT.complete
  }
  const { resultStyle: style } = terminal
  for (const line of describeSummary(path, summary, 'text', style)) terminal.result(line)
  if (notes.length > 0) terminal.result(style.bold('perhaps not meant'))
  for (const { line, column, message } of notes)
    terminal.result(`  line ${line}, column ${column}  ${style.dim(visible(message))}`)
  return EXIT.complete
}

function tell(
  path: string,
  bytes: Uint8Array,
  result: Verdict,
  flags: CheckFlags,
  terminal: Terminal,
  isJson = true,
): number {
  if (flags.json) terminal.result(printJson(fromJs(result)))
  else
    for (const line of describeVerdict(path, bytes, result, terminal.resultStyle, isJson))
      terminal.result(line)
  return { accepted: EXIT.complete, refused: EXIT.refused, incomplete: EXIT.cut }[result.verdict]
}

interface Summary {
  /** The shortest instance, the contexts that it goes through, and the states of the whole schema. */
  readonly shortest: string
  readonly contexts: number
  readonly states: number
}

/** The report in the order of the schema. */
function inOrder(schema: JsonValue, report: SchemaReport): SchemaReport {
  return {
    annotations: inDocumentOrder(schema, report.annotations),
    narrowings: inDocumentOrder(schema, report.narrowings),
    unenforced: inDocumentOrder(schema, report.unenforced),
  }
}

/** Contexts are made when a text first gets there: the shortest instance is read, so that there are some to count. */
function summarise(grammar: CompiledGrammar): Summary {
  const matcher = grammar.matcher()
  const { text } = matcher.shortestCompletion()
  feed(matcher, new TextEncoder().encode(text))
  const { contexts, nodes } = grammar.sizes
  return { shortest: text, contexts, states: nodes }
}

function describeSummary(path: string, summary: Summary, what: string, style: Style): string[] {
  const { shortest, contexts, states } = summary
  return [
    `${style.green('compiles')}  ${nameOf(path)}: ${plural(states, 'state')}`,
    `  ${style.dim(`shortest ${what}`)}  ${excerptStart(shortest)}  ${style.dim(`through ${plural(contexts, 'context')}`)}`,
  ]
}

function describeSchema(path: string, summary: Summary, report: SchemaReport, style: Style): string[] {
  const lines = describeSummary(path, summary, 'instance', style)
  const list = (title: string, entries: readonly { pointer: string; message: string }[]) => {
    if (entries.length > 0) lines.push(style.bold(title))
    for (const { pointer, message } of entries)
      lines.push(`  ${visible(pointer)}  ${style.dim(visible(withFlags(message)))}`)
  }
  list('ignored, as annotations', report.annotations)
  list(
    'narrower than the schema',
    report.narrowings.map(({ pointer, message, liftedBy }) => ({
      pointer,
      message: liftedBy === undefined ? message : `${message}; ${liftedBy} lifts it`,
    })),
  )
  list('not enforced', report.unenforced)
  return lines
}

/** White space around a JSON document belongs to no schema; it is stepped over. */
function judge(matcher: Matcher, bytes: Uint8Array, isJson = true): Verdict {
  const isSpace = (byte: number | undefined) =>
    isJson && (byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d)
  let start = 0
  while (isSpace(bytes[start])) start++
  let end = bytes.length
  while (end > start && isSpace(bytes[end - 1])) end--
  const taken = feed(matcher, bytes.subarray(start, end))
  if (taken < end - start) {
    const expected = followers(matcher)
    const byte = start + taken
    return { verdict: 'refused', byte, ...position(bytes, byte), expected, cut: readCut(matcher) }
  }
  return matcher.isComplete() ? { verdict: 'accepted' } : { verdict: 'incomplete', cut: readCut(matcher) }
}

function position(bytes: Uint8Array, byte: number): { line: number; column: number } {
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, byte))
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 }
}

function describeVerdict(
  path: string,
  bytes: Uint8Array,
  result: Verdict,
  style: Style,
  isJson: boolean,
): string[] {
  const name = path === '-' ? 'the instance' : path
  const { cut } = result
  if (result.verdict === 'accepted' || cut === undefined) return [`${style.green('accepted')}  ${name}`]
  if (result.verdict === 'incomplete') {
    return [
      `${style.yellow('incomplete')}  ${name}`,
      ...indent(renderFrames(cut.frames, textOf(bytes, isJson), false, style)),
      ...indent(renderCompletion(cut, style)),
    ]
  }
  const { byte = 0, line, column, expected = [] } = result
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const before = visible(
    decoder.decode(bytes.subarray(Math.max(0, byte - 40), byte)).replace(/^\uFFFD+/u, ''),
  )
  const after = visible(decoder.decode(bytes.subarray(byte, byte + 24)))
  return [
    `${style.red('refused')}  ${name} at byte ${byte} (line ${line}, column ${column})`,
    `  ${before}${style.red(after)}`,
    `  ${' '.repeat([...before].length)}${style.red('^')}`,
    `  ${style.dim('could have followed:')} ${expected.join('  ')}`,
    ...indent(
      renderFrames(cut.frames, textOf(bytes.subarray(0, byte), isJson), cut.completion === '', style),
    ),
  ]
}

/** What is there; of JSON besides the white space around it. */
function textOf(bytes: Uint8Array, isJson: boolean): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return isJson ? text.trim() : text
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
