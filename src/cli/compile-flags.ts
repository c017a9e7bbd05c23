/**
 * The options of `compile` as flags, for every command that compiles a schema: one list of names, so that messages of
 * the library that name an option can name the flag too.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CompileOptions } from '../core.ts'
import type { JsonValue } from '../json/value.ts'
import { readJsonFile, wholeNumber } from './input.ts'

/** What the flags hold when commander has read them. */
export interface CompileFlags
  extends Omit<CompileOptions, 'limits' | 'references'>,
    NonNullable<CompileOptions['limits']> {
  readonly reference?: readonly Reference[]
}

interface Reference {
  readonly uri: string
  readonly path: string
}

const LIMITS = [
  ['maxSteps', '--max-steps', 'steps of the schema algebra'],
  ['maxStates', '--max-states', 'states of the automaton of one pattern'],
  ['maxContexts', '--max-contexts', 'positions that differ in what follows'],
  ['maxClosureSteps', '--max-closure-steps', 'steps between two tokens'],
  ['maxThreads', '--max-threads', 'ways to read a text that are followed at once'],
  ['maxMaskBytes', '--max-mask-bytes', 'bytes of remembered masks'],
  ['maxCompletionBytes', '--max-completion-bytes', 'bytes of the shortest value'],
] as const

/** Adds the flags to a command. */
export function withCompileOptions(command: Command): Command {
  command
    .addOption(
      new Option('--whitespace <style>', 'space between JSON tokens').choices([
        'model',
        'compact',
        'pretty',
        'any',
      ]),
    )
    .option('--indent <n>', 'spaces a level under --whitespace pretty', wholeNumber(0, 64))
    .option('--max-whitespace <n>', 'longest run of space under --whitespace any', wholeNumber(1, 100_000))
    .addOption(new Option('--property-order <order>', 'order of properties').choices(['schema', 'any']))
    .addOption(new Option('--numbers <style>', 'spelling of numbers').choices(['plain', 'any']))
    .addOption(new Option('--formats <mode>', 'whether format is enforced').choices(['assert', 'annotate']))
    .option('--lenient', 'compile although a keyword cannot be enforced, and list it')
    .option('--reference <uri=file>', 'another document that $ref may name; may be repeated', addReference)
  for (const [, flag, what] of LIMITS) command.option(`${flag} <n>`, `limit: ${what}`, wholeNumber(1))
  return command
}

function addReference(given: string, before: readonly Reference[] = []): readonly Reference[] {
  const at = given.lastIndexOf('=')
  if (at < 1 || at === given.length - 1)
    throw new InvalidArgumentError('It must be URI=FILE, like https://example.com/a.json=a.json.')
  const path = given.slice(at + 1)
  // Standard input is for what the command is about.
  if (path === '-') throw new InvalidArgumentError('FILE cannot be standard input.')
  return [...before, { uri: given.slice(0, at), path }]
}

/** The options for the flags that were given; reads the documents of `--reference`. */
export async function compileOptions(flags: CompileFlags): Promise<CompileOptions> {
  const names = [
    ...(['whitespace', 'indent', 'maxWhitespace', 'propertyOrder'] as const),
    ...(['numbers', 'formats', 'lenient'] as const),
  ]
  const given = <T extends keyof CompileFlags>(list: readonly T[]) =>
    Object.fromEntries(list.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]))
  const references = new Map<string, JsonValue>()
  for (const { uri, path } of flags.reference ?? []) references.set(uri, await readJsonFile(path))
  const limits = given(LIMITS.map(([name]) => name))
  return {
    ...given(names),
    ...(references.size > 0 ? { references } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  }
}

/** Options of a run that messages of the library name, and their flags. */
const RUN_OPTIONS = [
  ['maxTokens', '--max-tokens'],
  ['finishWithin', '--finish-within'],
  ['toolChoice', '--tool-choice'],
  ['parallelToolCalls', '--parallel'],
  ['toolFormat', '--tool-format'],
] as const

/** How messages of the library call options, and the flags that set them. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/lenient: true/g, '--lenient'],
  [/formats: '(\w+)'/g, '--formats $1'],
  [/propertyOrder: '(\w+)'/g, '--property-order $1'],
  [/whitespace: '(\w+)'/g, '--whitespace $1'],
  [/numbers: '(\w+)'/g, '--numbers $1'],
  [/option references/g, '--reference URI=FILE'],
  [/option whitespace/g, '--whitespace'],
  ...LIMITS.map(([name, flag]) => [new RegExp(`limits\\.${name}`, 'g'), flag] as const),
  ...RUN_OPTIONS.map(([name, flag]) => [new RegExp(`\\b${name}\\b`, 'g'), flag] as const),
]

/**
 * Whether an error says of an option of a run, by its name, that what a flag set does not go with the rest: what the program
 * itself does wrong reads otherwise.
 */
export function isMisuse(error: Error): boolean {
  if (!(error instanceof TypeError || error instanceof RangeError)) return false
  return RUN_OPTIONS.some(([name]) => new RegExp(`^${name} (?!is )`).test(error.message))
}

/** The message with the flag behind each option that it names. */
export function withFlags(message: string): string {
  return SPELLINGS.reduce(
    (text, [option, flag]) => text.replace(option, (found) => `${found} (${found.replace(option, flag)})`),
    message,
  )
}
