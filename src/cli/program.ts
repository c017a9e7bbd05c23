/**
 * The command line: `espalier call | generate | check | mask | grammar | lint | template | demo`.
 *
 * stdout is the result and nothing else, stderr is for people; `exit.ts` has the exit codes.
 */
import { readFile } from 'node:fs/promises'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_MAX_TOKENS } from '../decode/generate.ts'
import { MAX_THREADS } from '../decode/open-graph.ts'
import { DEFAULT_FACTOR, type RetryOptions } from '../decode/retry.ts'
import { fromJs } from '../json/from-js.ts'
import { printJson } from '../json/print.ts'
import { FORMAT_NAMES } from '../tools/formats/index.ts'
import { LINT_DIALECTS } from '../tools/lint/finding.ts'
import { type CheckFlags, runCheck } from './check.ts'
import { withCompileOptions } from './compile-flags.ts'
import { runDemo } from './demo.ts'
import { EXIT, explain } from './exit.ts'
import { type GrammarFlags, runGrammar } from './grammar.ts'
import { numberOption, wholeNumber } from './input.ts'
import { type LintFlags, runLint } from './lint.ts'
import { type MaskFlags, runMask } from './mask.ts'
import { type CallFlags, type GenerateFlags, runCall, runGenerate } from './run.ts'
import { runTemplate, type TemplateFlags } from './template.ts'
import { Terminal } from './terminal.ts'

/** What keeps the vocabulary from being read anew each time, for every command that takes a model. */
function withVocabularyCache(command: Command): Command {
  return command.option('--vocabulary-cache', 'keep the vocabulary in a binary file beside tokenizer.json')
}

/** Where a grammar begins, for every command that takes one. */
function withRoot(command: Command): Command {
  return command.option('--root <rule>', 'of a grammar: the rule whose texts are meant (default: root)')
}

/** Options of the commands that run a model. */
function withRunOptions(command: Command): Command {
  withVocabularyCache(
    command.requiredOption('--model <folder>', 'model folder: config.json, tokenizer.json, onnx/*.onnx'),
  )
    .option('--dtype <type>', 'which graph of the folder: fp32, fp16, q8, q4, …')
    .option('--threads <n>', 'threads inside an operator (default: all cores)', wholeNumber(1, MAX_THREADS))
    .option('--max-tokens <n>', `most tokens to generate (default: ${DEFAULT_MAX_TOKENS})`, wholeNumber(1))
    .option(
      '--temperature <t>',
      '0, the default, always takes the best token',
      numberOption('a number of at least 0', (t) => t >= 0 && t < Infinity),
    )
    .option('--top-k <k>', 'keep the k best tokens', wholeNumber(0))
    .option(
      '--top-p <p>',
      'keep the best tokens up to this share',
      numberOption('above 0 and at most 1', (p) => p > 0 && p <= 1),
    )
    .option(
      '--min-p <p>',
      'keep tokens with this share of the best one',
      numberOption('from 0 to 1', (p) => p >= 0 && p <= 1),
    )
    .option('--seed <n>', 'repeat a sampled run', wholeNumber(0))
    .addOption(
      new Option(
        '--finish-within <what>',
        'budget: write nothing that could not be completed in --max-tokens',
      ).choices(['budget']),
    )
    .option(
      '--retry <cap>',
      `generate again what was cut, with ${DEFAULT_FACTOR} times the tokens (FACTOR:CAP: so many), up to the cap`,
      retryOption,
    )
    .option('--no-jump-forward', 'ask the model for every token, those that the grammar forces too')
    .option('--system <text>', 'system message, behind the instructions of ours that there are')
    .option('--json', 'print the whole result, or the error, as JSON')
  return withCompileOptions(command)
}

/** `--retry`: `2048`, or with a factor of its own `2:2048`. */
function retryOption(text: string): RetryOptions {
  const parts = text.split(':')
  if (parts.length > 2)
    throw new InvalidArgumentError('It must be the most tokens of an attempt, as in 2048, or FACTOR:CAP.')
  const cap = numberOption(
    'the most tokens of an attempt, as in 2048, perhaps with a factor in front, as in 2:2048',
    (n) => Number.isSafeInteger(n) && n >= 1,
  )
  const above = numberOption('a factor above 1 and a cap, as in 2:2048', (n) => n > 1 && n < Infinity)
  const maxTokensCap = cap(parts.at(-1)!)
  return parts.length === 1 ? { maxTokensCap } : { factor: above(parts[0]!), maxTokensCap }
}

/** `--parallel`: a number of calls, or `all`. */
function callCount(text: string): number | 'all' {
  return text === 'all' ? text : wholeNumber(1)(text)
}

/** Gets the exit code of the command that ran. */
type Finish = (code: number) => void

/** `call` and `generate`: what runs a model. */
function addRuns(program: Command, terminal: Terminal, finish: Finish): void {
  withRunOptions(program.command('call'))
    .description('ask for a tool call; stdout is {"name","arguments"}, a line for each')
    .argument('[request...]', 'what the model is asked; from stdin if absent or -')
    .requiredOption('--tools <file>', "tools in OpenAI's shapes or Anthropic's, one or a list; - for stdin")
    .option(
      '--tool-choice <choice>',
      'auto (a call or an answer in words), none, required, or the name of a tool',
      'required',
    )
    .option('--parallel <n>', 'most calls of one answer; all: any number', callCount, 1)
    .addOption(
      new Option('--tool-format <format>', "how calls are written; auto: as the model's template tells")
        .choices(['auto', ...FORMAT_NAMES])
        .default('auto'),
    )
    .option('--thinking', 'ask the template to let the model think first')
    .action(async (words: string[], flags: CallFlags) => finish(await runCall(flags, words, terminal)))
  withRoot(withRunOptions(program.command('generate')))
    .description('ask for a JSON document of a schema, or a text of a grammar')
    .argument('[request...]', 'what the model is asked; from stdin if absent or -')
    .option('--schema <file>', 'JSON Schema; - for stdin')
    .option('--grammar <file>', 'in place of a schema: a grammar in GBNF; - for stdin')
    .action(async (words: string[], flags: GenerateFlags) =>
      finish(await runGenerate(flags, words, terminal)),
    )
}

/** `check`, `mask` and `grammar`: what a schema compiles to. */
function addGrammars(program: Command, terminal: Terminal, finish: Finish): void {
  withRoot(withVocabularyCache(withCompileOptions(program.command('check'))))
    .description(
      'what a schema compiles to, or why it is refused; with an instance: accepted, refused, or incomplete',
    )
    .argument('<schema>', 'JSON Schema, or a grammar where the name ends in .gbnf; - for a schema from stdin')
    .argument(
      '[instance]',
      'JSON document, in any order, spelling and spacing; of a grammar the text, byte for byte; - for stdin',
    )
    .option('--model <folder>', "check over this model's vocabulary instead of over bytes")
    .option('--json', 'print the answer as JSON')
    .action(async (schema: string, instance: string | undefined, flags: CheckFlags) =>
      finish(await runCheck(schema, instance, flags, terminal)),
    )
  withRoot(withVocabularyCache(withCompileOptions(program.command('mask'))))
    .description('which tokens may follow a prefix')
    .argument('<schema>', 'JSON Schema, or a grammar where the name ends in .gbnf; - for a schema from stdin')
    .requiredOption('--model <folder>', 'model folder, for its vocabulary')
    .option('--prefix <text>', 'what has been written so far', '')
    .option('--token <text>', 'say why this token may or may not follow')
    .option('--json', 'print the answer as JSON')
    .action(async (schema: string, flags: MaskFlags) => finish(await runMask(schema, flags, terminal)))
  withRoot(withVocabularyCache(withCompileOptions(program.command('grammar'))))
    .description('print what a schema or a grammar compiles to, as GBNF')
    .argument('<file>', 'JSON Schema, or a grammar where the name ends in .gbnf; - for a schema from stdin')
    .option('--model <folder>', "compile for this model's vocabulary instead of for bytes")
    .action(async (path: string, flags: GrammarFlags) => finish(await runGrammar(path, flags, terminal)))
}

/** `template`, `lint` and `demo`. */
function addOthers(program: Command, terminal: Terminal, finish: Finish): void {
  withVocabularyCache(program.command('template'))
    .description(
      'the prompt of a conversation with tools, as a model gets it; beside it that of another model',
    )
    .requiredOption('--model <folder>', 'model folder, for its chat template and vocabulary')
    .option('--compare <folder>', 'another model folder, shown beside it')
    .option('--tools <file>', "tools in OpenAI's shapes or Anthropic's (default: one that tells the weather)")
    .option('--messages <file>', 'messages in either shape (default: a question, a call and its result)')
    .option('--thinking', 'ask the templates to let the models think first')
    .option('--json', 'print texts and token ids as JSON')
    .action(async (flags: TemplateFlags) => finish(await runTemplate(flags, terminal)))
  program
    .command('lint')
    .description('what a service or our own engine refuses in tools, and what makes models err')
    .argument('<tools>', "tools in OpenAI's shapes or Anthropic's, one or a list; - for stdin")
    .addOption(new Option('--dialect <dialect>', 'whose rules').choices(LINT_DIALECTS).default('json-schema'))
    .option('--fix', 'write the tools that pass; what was changed is on stderr')
    .option('--output <file>', 'with --fix: write them to this file instead of stdout')
    .option('--json', 'print the findings as JSON; with --fix: { tools, changes, left }')
    .action(async (tools: string, flags: LintFlags) => finish(await runLint(tools, flags, terminal)))
  program
    .command('demo')
    .description('a strict call, the same request without the mask, and a call that is cut')
    .option('--model <folder>', 'model folder (default: the one of this repository)')
    .action(async (flags: { model?: string }) => finish(await runDemo(flags.model, terminal)))
}

/** The program with all its commands. */
function makeProgram(terminal: Terminal, version: string, finish: Finish): Command {
  const program = new Command('espalier')
    .description(
      'Strict tool calls and JSON from a local model, and an exact account of what was open when it was cut.',
    )
    .version(version, '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.result(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    })
  for (const add of [addRuns, addGrammars, addOthers]) add(program, terminal, finish)
  return program
}

/** Runs one command and gives its exit code. */
export async function main(args: readonly string[], terminal: Terminal = new Terminal()): Promise<number> {
  let code: number = EXIT.complete
  // An error is printed as JSON too, whatever is wrong with the rest of the line.
  const end = args.indexOf('--')
  const json = args.slice(0, end < 0 ? args.length : end).includes('--json')
  const printError = (error: Readonly<Record<string, unknown>>): void => {
    if (json) terminal.result(printJson(fromJs(error)))
  }
  try {
    await makeProgram(terminal, await readVersion(), (result) => {
      code = result
    }).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.complete
      const message = error.message.replace(/^error: /u, '')
      printError({ error: 'UsageError', message, exitCode: EXIT.usage })
      return EXIT.usage
    }
    const known = explain(error)
    if (known === null) {
      const fault = error instanceof Error ? error : new Error(String(error))
      terminal.note(`this is a fault of espalier: please report it\n${fault.stack ?? fault.message}`)
      printError({ error: fault.name, message: fault.message, exitCode: EXIT.fault })
      return EXIT.fault
    }
    terminal.note(`${terminal.style.red('error:')} ${known.message}`)
    printError(known.json)
    return known.code
  }
}

/** The package's own version; its folder holds package.json, be it run from src/ or from dist/. */
async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
