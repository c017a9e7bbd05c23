/**
 * `espalier call` and `espalier generate`: a model, a request, a result.
 *
 * Progress goes to stderr while the run goes on; Ctrl-C stops it between two tokens and gives the report of what was
 * open. Before the first token, and a second time, it ends the program at once.
 */

import { DEFAULT_MAX_TOKENS, splitRunOptions } from '../decode/generate.ts'
import {
  type CallOptions,
  call,
  type FormatName,
  generate,
  loadModel,
  type Message,
  type Model,
  type Result,
  type Run,
  type RunEvent,
  type RunOptions,
  type SchemaReport,
} from '../index.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import { schemaInstructions } from '../tools/prompt.ts'
import { type CompileFlags, compileOptions, withFlags } from './compile-flags.ts'
import { EXIT } from './exit.ts'
import { checkNoRoot, compileGrammarFile, type RootFlag, readSchemaFile } from './grammar-file.ts'
import { checkStdin, isRequestOnStdin, readJsonFile, readRequest, UsageError } from './input.ts'
import { renderCut, renderRejected, visible } from './report.ts'
import { duration, plural, type Terminal } from './terminal.ts'

/** Columns of the status line. */
const WIDTH = 70

/** Flags that `call` and `generate` share; a run takes its options as they are. */
export interface RunFlags extends CompileFlags, Omit<RunOptions, 'signal' | 'session' | 'batch'> {
  readonly model: string
  readonly dtype?: string
  readonly threads?: number
  readonly vocabularyCache?: boolean
  readonly json?: boolean
  readonly system?: string
}

/** Flags of `call` alone. */
export interface CallFlags extends RunFlags {
  readonly tools: string
  readonly toolChoice: string
  readonly parallel: number | 'all'
  readonly toolFormat: FormatName | 'auto'
  readonly thinking?: boolean
}

export async function runCall(
  flags: CallFlags,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  checkStdin([
    ['the tools', flags.tools === '-'],
    ['the request', isRequestOnStdin(words)],
  ])
  const tools = await readJsonFile(flags.tools)
  const request = await readRequest(words)
  const system: Message[] = flags.system === undefined ? [] : [{ role: 'system', content: flags.system }]
  const messages: Message[] = [...system, { role: 'user', content: request }]
  return runModel(
    flags,
    terminal,
    (model, options) => call(model, { ...options, ...callOptions(flags), tools, messages }),
    (result) => {
      for (const { name, argumentsText } of result.calls) {
        terminal.result(`{"name":${JSON.stringify(name)},"arguments":${argumentsText}}`)
      }
      if (result.calls.length + result.rejected.length === 0) terminal.result(result.content)
    },
  )
}

/** Flags of `generate` alone: one of the two. */
export interface GenerateFlags extends RunFlags, RootFlag {
  readonly schema?: string
  readonly grammar?: string
}

export async function runGenerate(
  flags: GenerateFlags,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { schema: schemaPath, grammar: grammarPath } = flags
  if ((schemaPath === undefined) === (grammarPath === undefined))
    throw new UsageError('give either --schema or --grammar')
  checkStdin([
    ['the schema', schemaPath === '-'],
    ['the grammar', grammarPath === '-'],
    ['the request', isRequestOnStdin(words)],
  ])
  const print = (result: Result): void => terminal.result(result.text)
  const system: Message[] = flags.system === undefined ? [] : [{ role: 'system', content: flags.system }]
  if (grammarPath !== undefined) {
    const request = await readRequest(words)
    const messages: Message[] = [...system, { role: 'user', content: request }]
    const start = async (model: Model, options: RunOptions): Promise<Run> => {
      const { run, rest } = splitRunOptions(options)
      const grammar = await compileGrammarFile(grammarPath, model.vocabulary, rest, flags)
      return generate(model, { ...run, grammar, messages })
    }
    return runModel(flags, terminal, start, print)
  }
  checkNoRoot(schemaPath!, flags)
  const schema = await readSchemaFile(schemaPath!, 'what --grammar takes')
  const request = await readRequest(words)
  const messages: Message[] = [
    // One message: not every template takes two.
    { role: 'system', content: [schemaInstructions(schema), flags.system ?? []].flat().join('\n\n') },
    { role: 'user', content: request },
  ]
  return runModel(
    flags,
    terminal,
    (model, options) => generate(model, { ...options, schema, messages }),
    print,
  )
}

async function runModel(
  flags: RunFlags,
  terminal: Terminal,
  start: (model: Model, options: Omit<CallOptions, 'tools' | 'messages'>) => Run | Promise<Run>,
  print: (result: Result) => void,
): Promise<number> {
  const {
    model: folder,
    dtype,
    threads,
    vocabularyCache,
    json,
    retry,
    maxTokens = DEFAULT_MAX_TOKENS,
  } = flags
  if (retry !== undefined && retry.maxTokensCap < maxTokens)
    throw new UsageError(
      `--retry allows ${retry.maxTokensCap} tokens at most, and --max-tokens is ${maxTokens}`,
    )
  const options = { ...splitRunOptions(flags).run, ...(await compileOptions(flags)) }
  const controller = new AbortController()
  let stage: string | null = 'loading the model'
  const interrupt = () => {
    if (stage !== null) {
      // Between tokens a run can be stopped, before the first one only waited for; there is nothing to report yet.
      const message = `stopped while ${stage}`
      terminal.note(message)
      if (json)
        terminal.result(printJson(fromJs({ error: 'Interrupted', message, exitCode: EXIT.interrupted })))
      process.exit(EXIT.interrupted)
    }
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort()
  }
  process.on('SIGINT', interrupt)
  try {
    terminal.status(`loading ${folder}`)
    const model = await loadModel(folder, {
      ...(dtype === undefined ? {} : { dtype }),
      ...(threads === undefined ? {} : { threads }),
      ...(vocabularyCache === undefined ? {} : { vocabularyCache }),
    })
    const run = await start(model, { ...options, signal: controller.signal })
    stage = 'reading the prompt'
    terminal.status(stage)
    const result = await follow(run, terminal, () => {
      stage = null
    })
    const unenforced = run.report?.unenforced ?? []
    if (json) terminal.result(resultJson(result, unenforced))
    else if (result.stopReason === 'complete') print(result)
    note(result, terminal, json === true, run.toolFormat)
    if (!json)
      for (const { pointer, message } of unenforced)
        terminal.note(`not enforced: ${visible(pointer)}  ${visible(withFlags(message))}`)
    if (result.stopReason === 'complete') return result.rejected.length === 0 ? EXIT.complete : EXIT.refused
    return result.stopReason === 'aborted' ? EXIT.interrupted : EXIT.cut
  } finally {
    process.off('SIGINT', interrupt)
    terminal.clearStatus()
  }
}

function callOptions({ toolChoice, parallel, toolFormat, thinking }: CallFlags): Partial<CallOptions> {
  const isKind = toolChoice === 'auto' || toolChoice === 'none' || toolChoice === 'required'
  return {
    toolChoice: isKind ? toolChoice : { name: toolChoice },
    parallelToolCalls: parallel === 'all' ? true : parallel === 1 ? false : { max: parallel },
    toolFormat,
    ...(thinking === undefined ? {} : { thinking }),
  }
}

/** Shows a run on the status line, and gives its result; calls `started` when the prompt has been read. */
export async function follow(run: Run, terminal: Terminal, started = () => {}): Promise<Result> {
  let tail = ''
  for await (const event of run) {
    if (event.type === 'start') started()
    const progress = progressOf(event)
    if (progress === '') continue
    tail = (tail + visible(progress)).slice(-WIDTH)
    terminal.status(tail)
  }
  terminal.clearStatus()
  return run.result
}

/** What an event adds to the status line. */
function progressOf(event: RunEvent): string {
  switch (event.type) {
    case 'text':
    case 'thinking':
    case 'call-arguments':
      return event.text
    case 'call-start':
      return ` ${event.name} `
    case 'retry':
      return ` cut, again with ${event.maxTokens} tokens `
    default:
      return ''
  }
}

function note(result: Result, terminal: Terminal, json: boolean, toolFormat?: string): void {
  const { style } = terminal
  const { maxTokensLowered: lowered } = result
  if (lowered !== undefined) {
    terminal.note(`--max-tokens lowered from ${lowered.from} to ${lowered.to}: the context has no more room`)
  }
  for (const { maxTokens, usage, ms } of result.attempts?.slice(0, -1) ?? [])
    terminal.note(
      `cut by --max-tokens ${maxTokens} after ${plural(usage.tokens, 'token')} (${duration(ms)}); tried again`,
    )
  if (result.stopReason !== 'complete' && !json) terminal.note(renderCut(result, style))
  if (result.rejected.length > 0 && !json) terminal.note(renderRejected(result.rejected, style))
  if (!json) terminal.note(style.dim(usageLine(result, true, toolFormat)))
}

/** `24 tokens (6 forced) in 2 attempts from a prompt of 310 · model 2.1 s · mask 3.2 ms · calls as hermes · seed 17`. */
export function usageLine(
  { usage, attempts = [], seed }: Result,
  masked = true,
  toolFormat?: string,
): string {
  const { tokens, forcedTokens, modelMs, maskMs } = usage
  const { promptTokens } = attempts.at(-1)?.usage ?? usage
  const forced = forcedTokens > 0 ? ` (${forcedTokens} forced)` : ''
  const tries = attempts.length > 1 ? ` in ${attempts.length} attempts` : ''
  const written = `${plural(tokens, 'token')}${forced}${tries} from a prompt of ${promptTokens}`
  const mask = masked ? ` · mask ${duration(maskMs)}` : ''
  const format = toolFormat === undefined ? '' : ` · calls as ${toolFormat}`
  const drawn = seed === undefined ? '' : ` · seed ${seed}`
  return `${written} · model ${duration(modelMs)}${mask}${format}${drawn}`
}

/**
 * The result as JSON, with what `--lenient` left out if anything; the arguments keep the digits and the order of the
 * model's own text.
 */
function resultJson(result: Result, unenforced: SchemaReport['unenforced']): string {
  const calls = result.calls.map((one) => ({ ...one, arguments: readJson(one.argumentsText) }))
  const rejected = result.rejected.map((one) =>
    one.arguments === undefined
      ? one
      : { ...one, arguments: readJson(one.argumentsText, { duplicateKeys: 'last' }) },
  )
  return printJson(fromJs({ ...result, calls, rejected, ...(unenforced.length > 0 ? { unenforced } : {}) }))
}
