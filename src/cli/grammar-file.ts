/**
 * What a command compiles: a JSON Schema, or a grammar in GBNF where the name of the file ends in `.gbnf`.
 */
import {
  type CompiledGbnf,
  type CompiledSchema,
  type CompileOptions,
  compile,
  compileGbnf,
  type Vocabulary,
} from '../core.ts'
import { GrammarError } from '../errors.ts'
import type { JsonValue } from '../json/value.ts'
import { nameOf, readBytes, readJsonFile, UsageError } from './input.ts'

/** Tokens of the vocabulary that stands in for that of a model. */
const BYTES_AND_END = 257

/** Where the texts of a grammar begin. */
export interface RootFlag {
  readonly root?: string
}

/** Whether a file holds a grammar and no schema. */
export function isGrammarFile(path: string): boolean {
  return path.endsWith('.gbnf')
}

/** What a file of either kind compiles to. */
export async function compileFile(
  path: string,
  vocabulary: Vocabulary,
  options: CompileOptions,
  flags: RootFlag,
): Promise<CompiledSchema | CompiledGbnf> {
  if (isGrammarFile(path)) return compileGrammarFile(path, vocabulary, options, flags)
  checkNoRoot(path, flags)
  return compile(await readSchemaFile(path), vocabulary, options)
}

/** @throws UsageError for a root where there are no rules */
export function checkNoRoot(path: string, { root }: RootFlag): void {
  if (root !== undefined)
    throw new UsageError(`--root names a rule of a grammar, and ${nameOf(path)} is a schema`)
}

/**
 * Reads a schema. What is no JSON and looks like a grammar was perhaps meant as one.
 * @param where how this command is given a grammar
 */
export function readSchemaFile(path: string, where = 'a file whose name ends in .gbnf'): Promise<JsonValue> {
  return readJsonFile(path, (source) => (source.includes('::=') ? `; a grammar in GBNF is ${where}` : ''))
}

/**
 * Compiles a grammar in GBNF.
 * @throws UsageError for options that say how a schema is compiled; GrammarError that names the file
 */
export async function compileGrammarFile(
  path: string,
  vocabulary: Vocabulary,
  { limits, ...others }: CompileOptions,
  { root }: RootFlag,
): Promise<CompiledGbnf> {
  const [unused] = Object.keys(others)
  if (unused !== undefined)
    throw new UsageError(`option ${unused} says how a schema is compiled, and ${nameOf(path)} is a grammar`)
  const text = await readBytes(path)
  try {
    return compileGbnf(text, vocabulary, {
      ...(limits === undefined ? {} : { limits }),
      ...(root === undefined ? {} : { root }),
    })
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error
    const [first, ...more] = error.errors
    const isOfModel = vocabulary.size <= BYTES_AND_END && first.message.includes('has no token')
    const isOfRoot = root === undefined && first.message.includes('; the rules are ')
    const hint = isOfModel
      ? '; tokens are those of a model: --model'
      : isOfRoot
        ? '; --root names another'
        : ''
    throw new GrammarError([{ ...first, message: `${nameOf(path)}: ${first.message}${hint}` }, ...more])
  }
}
