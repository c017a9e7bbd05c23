/**
 * `espalier check`: what a schema compiles to, or why it is refused; and whether an instance belongs to it, breaks it at
 * a byte, or is the beginning of one that does.
 */
import { type CompiledSchema, compile, type SchemaReport } from '../core.ts'
import { readCut } from '../decode/loop.ts'
import { loadVocabulary } from '../decode/model.ts'
import { SchemaError } from '../errors.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson } from '../json/print.ts'
import type { Matcher } from '../mask/matcher.ts'
import { ByteFeeder, byteVocabulary, describeBytes } from './bytes.ts'
import { EXIT } from './exit.ts'
import { readBytes, readJsonFile } from './input.ts'
import { excerptStart, renderCompletion, renderFrames, visible } from './report.ts'
import { plural, type Style, type Terminal } from './terminal.ts'

export interface CheckFlags {
  readonly model?: string
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
  const schema = await readJsonFile(schemaPath)
  const vocabulary = flags.model === undefined ? byteVocabulary() : await loadVocabulary(flags.model)
  const feeder = new ByteFeeder(vocabulary)
  let grammar: CompiledSchema
  try {
    grammar = compile(schema, vocabulary, { whitespace: 'any', propertyOrder: 'any', numbers: 'any' })
  } catch (error) {
    if (flags.json && error instanceof SchemaError)
      terminal.result(printJson(fromJs({ errors: error.errors })))
    throw error
  }
  if (instancePath === undefined) {
    const summary = summarise(grammar, feeder)
    if (flags.json) terminal.result(printJson(fromJs({ ...summary, ...grammar.report })))
    else
      for (const line of describeSchema(schemaPath, summary, grammar.report, terminal.style))
        terminal.result(line)
    return EXIT.complete
  }
  const bytes = await readBytes(instancePath)
  const result = judge(grammar.matcher(), feeder, bytes)
  if (flags.json) terminal.result(printJson(fromJs(result)))
  else for (const line of describeVerdict(instancePath, bytes, result, terminal.style)) terminal.result(line)
  return { accepted: EXIT.complete, refused: EXIT.refused, incomplete: EXIT.cut }[result.verdict]
}

interface Summary {
  /** The shortest instance, the contexts that it goes through, and the states of the whole schema. */
  readonly shortest: string
  readonly contexts: number
  readonly states: number
}

/** Contexts are made when a text first gets there: the shortest instance is read, so that there are some to count. */
function summarise(grammar: CompiledSchema, feeder: ByteFeeder): Summary {
  const matcher = grammar.matcher()
  const { text } = matcher.shortestCompletion()
  feeder.feed(matcher, new TextEncoder().encode(text))
  const { contexts, nodes } = grammar.sizes
  return { shortest: text, contexts, states: nodes }
}

function describeSchema(path: string, summary: Summary, report: SchemaReport, style: Style): string[] {
  const { shortest, contexts, states } = summary
  const lines = [
    `${style.green('compiles')}  ${path}: ${plural(states, 'state')}`,
    `  ${style.dim('shortest instance')}  ${excerptStart(shortest)}  ${style.dim(`through ${plural(contexts, 'context')}`)}`,
  ]
  const list = (title: string, entries: readonly { pointer: string; message: string }[]) => {
    if (entries.length > 0) lines.push(style.bold(title))
    for (const { pointer, message } of entries)
      lines.push(`  ${visible(pointer)}  ${style.dim(visible(message))}`)
  }
  list('ignored, as annotations', report.annotations)
  list('narrower than the schema', report.narrowings)
  list('not enforced', report.unenforced)
  return lines
}

/** White space around the root belongs to no grammar; it is stepped over. */
function judge(matcher: Matcher, feeder: ByteFeeder, bytes: Uint8Array): Verdict {
  const isSpace = (byte: number | undefined) =>
    byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
  let start = 0
  while (isSpace(bytes[start])) start++
  let end = bytes.length
  while (end > start && isSpace(bytes[end - 1])) end--
  const taken = feeder.feed(matcher, bytes.subarray(start, end))
  if (taken < end - start) {
    const expected = describeBytes(feeder.next(matcher))
    if (matcher.isComplete()) expected.push('the end')
    const byte = start + taken
    return { verdict: 'refused', byte, ...position(bytes, byte), expected, cut: readCut(matcher) }
  }
  return matcher.isComplete() ? { verdict: 'accepted' } : { verdict: 'incomplete', cut: readCut(matcher) }
}

function position(bytes: Uint8Array, byte: number): { line: number; column: number } {
  const before = new TextDecoder().decode(bytes.subarray(0, byte))
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 }
}

function describeVerdict(path: string, bytes: Uint8Array, result: Verdict, style: Style): string[] {
  const name = path === '-' ? 'the instance' : path
  const { cut } = result
  if (result.verdict === 'accepted' || cut === undefined) return [`${style.green('accepted')}  ${name}`]
  if (result.verdict === 'incomplete') {
    return [
      `${style.yellow('incomplete')}  ${name}`,
      ...indent(renderFrames(cut.frames, style)),
      ...indent(renderCompletion(cut, style)),
    ]
  }
  const { byte = 0, line, column, expected = [] } = result
  const decoder = new TextDecoder()
  const before = visible(
    decoder.decode(bytes.subarray(Math.max(0, byte - 40), byte)).replace(/^\uFFFD+/u, ''),
  )
  const after = visible(decoder.decode(bytes.subarray(byte, byte + 24)))
  return [
    `${style.red('refused')}  ${name} at byte ${byte} (line ${line}, column ${column})`,
    `  ${before}${style.red(after)}`,
    `  ${' '.repeat([...before].length)}${style.red('^')}`,
    `  ${style.dim('could have followed:')} ${expected.join('  ')}`,
    ...indent(renderFrames(cut.frames, style)),
  ]
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
