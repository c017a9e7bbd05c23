/**
 * The options of `compile` as flags, for every command that compiles a schema, and how messages of the library that name an
 * option name its flag, too. A flag is called as its option is, so that what commander reads is what the library takes.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CompileOptions } from '../core.ts'
import type { JsonValue } from '../json/value.ts'
import { SCHEMA_OPTIONS } from '../schema/options.ts'
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

/** What each limit counts. */
const LIMITS: Readonly<Record<keyof NonNullable<CompileOptions['limits']>, string>> = {
  maxSteps: 'steps of the schema algebra',
  maxStates: 'states of the automaton of one pattern',
  maxContexts: 'positions that differ in what follows',
  maxClosureSteps: 'steps between two tokens',
  maxThreads: 'ways to read a text that are followed at once',
  maxMaskBytes: 'bytes of remembered masks',
  maxCompletionBytes: 'bytes of the shortest value',
}

/** The flag of an option. */
function flagOf(name: string): string {
  if (name === 'references') return '--reference URI=FILE'
  if (name === 'parallelToolCalls') return '--parallel'
  return `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`
}

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
  for (const [name, what] of Object.entries(LIMITS))
    command.option(`${flagOf(name)} <n>`, `limit: ${what}`, wholeNumber(1))
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
  const given = (names: readonly string[]) =>
    Object.fromEntries(
      Object.entries(flags).filter(([name, value]) => names.includes(name) && value !== undefined),
    )
  const references = new Map<string, JsonValue>()
  for (const { uri, path } of flags.reference ?? []) references.set(uri, await readJsonFile(path))
  const limits = given(Object.keys(LIMITS))
  return {
    ...given(SCHEMA_OPTIONS),
    ...(references.size > 0 ? { references } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  }
}

/** Options of a run that messages of the library name. */
const RUN_OPTIONS = ['maxTokens', 'finishWithin', 'toolChoice', 'parallelToolCalls', 'toolFormat'].join('|')

/** How messages of the library call options. */
const NAMED = new RegExp(
  [
    `(?:\\boption )?\\b(${SCHEMA_OPTIONS.join('|')}): (?:'(\\w+)'|true)`,
    `\\boption (${SCHEMA_OPTIONS.join('|')})\\b`,
    `\\blimits\\.(${Object.keys(LIMITS).join('|')})\\b`,
    `\\b(${RUN_OPTIONS})\\b`,
  ].join('|'),
  'gu',
)

/** The message with the flag behind each option that it names. */
export function withFlags(message: string): string {
  return message.replace(NAMED, (found, set?: string, value?: string, ...names: (string | undefined)[]) => {
    const name = set ?? names.slice(0, 3).find((each) => each !== undefined)!
    return `${found} (${flagOf(name)}${value === undefined ? '' : ` ${value}`})`
  })
}

const MISUSE = new RegExp(`^(?:${RUN_OPTIONS}) (?!is )`, 'u')

/**
 * Whether an error says of an option of a run, by its name, that what a flag set does not go with the rest: what the program
 * itself does wrong reads otherwise.
 */
export function isMisuse(error: Error): boolean {
  return (error instanceof TypeError || error instanceof RangeError) && MISUSE.test(error.message)
}
