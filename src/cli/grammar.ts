/**
 * `espalier grammar`: what a schema, or a grammar in GBNF, compiles to, as GBNF that can be read.
 */
import { loadVocabulary } from '../decode/model.ts'
import { byteVocabulary } from '../vocab/byte-vocabulary.ts'
import { type CompileFlags, compileOptions } from './compile-flags.ts'
import { EXIT } from './exit.ts'
import { compileFile, type RootFlag } from './grammar-file.ts'
import type { Terminal } from './terminal.ts'

export interface GrammarFlags extends CompileFlags, RootFlag {
  readonly model?: string
  readonly vocabularyCache?: boolean
}

export async function runGrammar(path: string, flags: GrammarFlags, terminal: Terminal): Promise<number> {
  const options = await compileOptions(flags)
  const vocabulary = flags.model === undefined ? byteVocabulary() : await loadVocabulary(flags.model, flags)
  const compiled = await compileFile(path, vocabulary, options, flags)
  terminal.result(compiled.toString().trimEnd())
  return EXIT.complete
}
