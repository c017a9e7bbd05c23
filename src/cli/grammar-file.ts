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
import { readBytes, readJsonFile, UsageError } from './input.ts'

/** Tokens of the vocabulary that stands in for that of a model. */
const BYTES_AND_END = 257

/** Whether a file holds a grammar and no schema. */
export function isGrammarFile(path: string): boolean {
  return path.endsWith('.gbnf')
}

/** What a file of either kind compiles to. */
export async function compileFile(
  path: string,
  vocabulary: Vocabulary,
  options: CompileOptions,
): Promise<CompiledSchema | CompiledGbnf> {
  return isGrammarFile(path)
    ? compileGrammarFile(path, vocabulary, options)
    : compile(await readSchemaFile(path), vocabulary, options)
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
): Promise<CompiledGbnf> {
  const [unused] = Object.keys(others)
  if (unused !== undefined)
    throw new UsageError(`option ${unused} says how a schema is compiled, and ${path} is a grammar`)
  const text = await readBytes(path)
  try {
    return compileGbnf(text, vocabulary, limits === undefined ? {} : { limits })
  } catch (error) {
    if (!(error instanceof GrammarError)) throw error
    const [first, ...more] = error.errors
    const isOfModel = vocabulary.size <= BYTES_AND_END && first.message.includes('has no token')
    const hint = isOfModel ? '; tokens are those of a model: --model' : ''
    throw new GrammarError([{ ...first, message: `${path}: ${first.message}${hint}` }, ...more])
  }
}
