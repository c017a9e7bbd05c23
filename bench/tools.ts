/**
 * What do 1, 12 and 60 tools cost before the first token, and at each token of a call?
 *
 * A call of a tool in the middle is written, behind a few words where the model may talk. Every run compiles anew; the
 * vocabulary, Llama 3.1, is warmed up, and so is the code. Then the shipped model reads the prompt that names the tools.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { hasBit } from '../src/bits.ts'
import { loadModel } from '../src/index.ts'
import { compileGrammar } from '../src/mask/compile.ts'
import { warmUp } from '../src/mask/warm-up.ts'
import { turnGrammar } from '../src/tools/call-grammar.ts'
import { readTools } from '../src/tools/definitions.ts'
import { FORMATS } from '../src/tools/formats/index.ts'
import type { Vocabulary } from '../src/vocab/vocabulary.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
import { llamaTokenizer, machine, microseconds, positive, printTables, Samples, writeRaw } from './lib.ts'
import { openTokens } from './peers/tokens.ts'
import { json, modelFolder, type Options, Progress } from './terminal.ts'
import { firstTokenTable, measureFirstTokens } from './tools/first-token.ts'
import { repeatedTools } from './tools/repeated.ts'

export const summary =
  '1, 12 and 60 tools: compile, first mask, masks of a call; the first token of the shipped model'

export const options = {
  runs: {
    type: 'string',
    default: '15',
    value: 'N',
    help: 'times that each grammar is compiled and followed',
  },
  prompts: {
    type: 'string',
    default: '3',
    value: 'N',
    help: 'times that the model reads the prompt of the tools',
  },
  model: modelFolder,
  json,
} satisfies Options

const COUNTS = [1, 12, 60]
const WORDS = 'Sure, let me see.\n'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const runs = positive('--runs', values.runs)
  const prompts = positive('--prompts', values.prompts)
  const { encode } = openTokens(llamaTokenizer)
  const vocabulary = llamaVocabulary()
  warmUp(vocabulary)
  const rows = COUNTS.flatMap((count) =>
    (['hermes', 'llama'] as const).flatMap((name) =>
      [false, true].map((mayTalk) => {
        const figures = measure(count, name, mayTalk, vocabulary, encode, runs)
        const { compile, first, masks } = figures
        return [
          `${count} · ${name} · ${mayTalk ? 'auto' : 'required'}`,
          microseconds(compile.percentile(50)),
          microseconds(first.percentile(50)),
          microseconds(masks.percentile(50)),
          microseconds(masks.percentile(99)),
          microseconds(masks.max),
        ]
      }),
    ),
  )
  const table = {
    title: `tools · format · choice, ${runs} runs each`,
    header: ['', 'compile p50', 'to the first mask p50', 'mask + accept p50', 'p99', 'max'],
    rows,
  }
  printTables([table])
  const progress = new Progress()
  const model = await loadModel(resolve(values.model))
  const first = firstTokenTable(
    await measureFirstTokens(model, COUNTS, prompts, progress),
    model.contextLength,
  )
  progress.end()
  await model.release()
  console.log('')
  printTables([first])
  console.log(`\n${machine()}`)
  if (values.json !== undefined)
    writeRaw(values.json, { bench: 'tools', args, tables: [table, first], notes: NOTES })
}

const NOTES = [
  'The tools of `bench/requests/tools.json`, repeated under other names. *To the first mask* holds the compilation; the prompt that names the tools is not in it. Each run compiles anew, so that every mask of a call is met for the first time in its grammar.',
]

function measure(
  count: number,
  name: 'hermes' | 'llama',
  mayTalk: boolean,
  vocabulary: Vocabulary,
  encode: (text: string) => readonly number[],
  runs: number,
): { compile: Samples; first: Samples; masks: Samples } {
  const format = FORMATS[name]
  const tools = readTools(repeatedTools(count))
  const { name: called } = tools[count >> 1]!
  const call = format.write([{ id: '', name: called, argumentsText: '{}' }])
  // Up to the arguments: what they are is the schema's own affair, and `masks` measures it.
  const ids = encode((mayTalk && name === 'hermes' ? WORDS : '') + call.slice(0, call.lastIndexOf('{}')))
  const [compile, first, masks] = [new Samples(), new Samples(), new Samples()]
  for (let i = -2; i < runs; i++) {
    const begun = performance.now()
    const turn = { format, tools, mayTalk, max: format.maxCalls, thinking: null }
    const grammar = compileGrammar(turnGrammar(turn, vocabulary).grammar, vocabulary)
    const compiled = performance.now()
    const matcher = grammar.matcher()
    matcher.mask()
    const masked = performance.now()
    for (const id of ids) {
      const start = performance.now()
      const isAllowed = hasBit(matcher.mask(), id) && matcher.accept(id)
      if (i >= 0) masks.add((performance.now() - start) * 1000)
      if (!isAllowed) throw new Error(`token ${id} of a call is refused`)
    }
    if (i < 0) continue
    compile.add((compiled - begun) * 1000)
    first.add((masked - begun) * 1000)
  }
  return { compile, first, masks }
}
