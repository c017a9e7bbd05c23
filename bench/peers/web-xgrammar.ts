/**
 * `@mlc-ai/web-xgrammar`: XGrammar as WebAssembly.
 *
 * The package calls itself ES modules and its file is CommonJS, which Node refuses to load as it lies there: a copy that
 * ends in `.cjs` is loaded instead. Its errors call `abort()`, after which the module is not to be trusted.
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Engine, LoadEngine, Opening } from './protocol.ts'
import { fromPeers } from './require.ts'

/** The part of its interface that is used. */
interface WebXGrammar {
  TokenizerInfo: {
    createTokenizerInfo(
      tokens: string[],
      type: string,
      prependSpace: boolean,
      size: number,
      stopTokens: number[],
    ): Promise<object>
  }
  GrammarCompiler: { createGrammarCompiler(info: object): Promise<WebCompiler> }
  GrammarMatcher: { createGrammarMatcher(grammar: WebGrammar): Promise<WebMatcher> }
}

interface WebGrammar {
  dispose(): void
}

interface WebCompiler {
  dispose(): void
  compileGrammar(ebnf: string): Promise<WebGrammar>
  compileJSONSchema(
    schema: string,
    anyWhitespace: boolean,
    indent: undefined,
    separators: undefined,
    strict: boolean,
  ): Promise<WebGrammar>
}

interface WebMatcher {
  getNextTokenBitmask(): Promise<Int32Array>
  acceptToken(id: number): boolean
  dispose(): void
}

export const loadWebXGrammar: LoadEngine = () => {
  const { engine, version } = load()
  return (opening) => open(engine, version, opening)
}

async function open(
  engine: WebXGrammar,
  version: string,
  { tokenizer, endId, size }: Opening,
): Promise<Engine> {
  const info = await engine.TokenizerInfo.createTokenizerInfo(
    tokenTexts(tokenizer, size),
    'byte_level',
    false,
    size,
    [endId],
  )
  let compiler = await engine.GrammarCompiler.createGrammarCompiler(info)
  return {
    version,
    settings: 'any white space, not strict',
    async forget() {
      compiler.dispose()
      compiler = await engine.GrammarCompiler.createGrammarCompiler(info)
    },
    broken: (error) => error instanceof Error && error.name === 'RuntimeError',
    async compile(source, notation) {
      const grammar =
        notation === 'gbnf'
          ? await compiler.compileGrammar(source)
          : await compiler.compileJSONSchema(source, true, undefined, undefined, false)
      return {
        dispose: () => grammar.dispose(),
        async matcher() {
          const matcher = await engine.GrammarMatcher.createGrammarMatcher(grammar)
          return {
            async step(id) {
              const mask = await matcher.getNextTokenBitmask()
              return ((mask[id >>> 5]! >>> (id & 31)) & 1) === 1 && matcher.acceptToken(id)
            },
            async ended() {
              const mask = await matcher.getNextTokenBitmask()
              return ((mask[endId >>> 5]! >>> (endId & 31)) & 1) === 1
            },
            dispose: () => matcher.dispose(),
          }
        },
      }
    },
  }
}

function load(): { engine: WebXGrammar; version: string } {
  const file = fromPeers.resolve('@mlc-ai/web-xgrammar')
  let folder = dirname(file)
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const copies = mkdtempSync(join(tmpdir(), 'web-xgrammar-'))
  try {
    copyFileSync(file, join(copies, 'index.cjs'))
    const module = fromPeers(join(copies, 'index.cjs')) as WebXGrammar & { default?: WebXGrammar }
    return { engine: module.default ?? module, version }
  } finally {
    rmSync(copies, { recursive: true })
  }
}

/** The texts of the tokens by id, as the tokenizer spells them. */
function tokenTexts(path: string, size: number): string[] {
  const { model, added_tokens: added } = JSON.parse(readFileSync(path, 'utf8')) as {
    model: { vocab: Record<string, number> }
    added_tokens: { id: number; content: string }[]
  }
  const texts = new Array<string>(size).fill('')
  for (const [text, id] of Object.entries(model.vocab)) texts[id] = text
  for (const { id, content } of added) texts[id] = content
  return texts
}
