/**
 * The grammars of the repository: what does a mask cost in each, and is every sample judged rightly; here and in other engines?
 *
 * A sample is the mask before a token of a text and the acceptance of the token, until the first that is refused, as in
 * `masks`. The texts are those that the tests hold the grammars to; where there is MaskBench, its instances stand beside
 * them as texts for `json.gbnf`, which is to accept each that is JSON. Every engine reads the same GBNF, llguidance by
 * the script that it brings; the engines take turns in processes of their own, and each has judged everything once before.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { grammarNames, grammarSamples, grammarText } from '../test/support/grammar-samples.ts'
import {
  count,
  data,
  llamaTokenizer,
  machine,
  microseconds,
  positive,
  printTables,
  type RawTable,
  Samples,
  sampleMaskbench,
  writeRaw,
} from './lib.ts'
import { type EngineName, peers, presentPeers } from './peers/child.ts'
import { openEngines } from './peers/open.ts'
import type { Judged } from './peers/protocol.ts'
import { openTokens, type Tokens } from './peers/tokens.ts'
import { json, type Options, Progress } from './terminal.ts'

export const summary =
  'the grammars of the repository: verdicts, mask + accept and compile times, beside other engines'

/** One MaskBench schema of so many gives its instances. */
const DOCUMENTS = 40

export const options = {
  peers,
  only: { type: 'string', default: '', value: 'PART', help: 'grammars whose name has this in it' },
  runs: {
    type: 'string',
    default: '5',
    value: 'N',
    help: 'times that everything is measured, compiled anew',
  },
  tokenizer: { type: 'string', default: llamaTokenizer, value: 'FILE', help: 'a tokenizer.json' },
  data,
  json,
} satisfies Options

/** A grammar and its texts. */
interface Workload {
  readonly name: string
  readonly source: string
  readonly texts: readonly { readonly ids: readonly number[]; readonly valid: boolean }[]
}

/** What was found of one engine with one grammar. */
class Found {
  readonly compile = new Samples()
  readonly tokens = new Samples()
  refusal: string | null = null
  validRefused = 0
  invalidAccepted = 0
  stopped = 0

  add(answer: Judged | { readonly failed: string }, { texts }: Workload): void {
    if ('failed' in answer || answer.refused !== null) {
      this.refusal = 'failed' in answer ? answer.failed : answer.refused
      return
    }
    this.compile.add(answer.compileNs / 1000)
    this.validRefused = 0
    this.invalidAccepted = 0
    this.stopped = 0
    for (const [i, { accepted, stopped, ns }] of answer.instances.entries()) {
      const { valid } = texts[i]!
      if (stopped !== null) this.stopped++
      else if (valid && !accepted) this.validRefused++
      else if (!valid && accepted) this.invalidAccepted++
      for (const time of ns) this.tokens.add(time / 1000)
    }
  }
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const runs = positive('--runs', values.runs)
  const tokens = openTokens(values.tokenizer)
  const workloads = (await allWorkloads(tokens, values.data)).filter(({ name }) => name.includes(values.only))
  const names: EngineName[] = ['espalier', ...presentPeers(values.peers)]
  const engines = await openEngines(names, tokens.vocabulary)
  const found = new Map(
    workloads.map((workload) => [workload, new Map(engines.map(({ name }) => [name, new Found()]))]),
  )
  const progress = new Progress()
  for (let pass = 0; pass <= runs; pass++) {
    for (const [number, workload] of workloads.entries()) {
      progress.show(`run ${pass} of ${runs}, ${workload.name}`)
      // Nobody always comes first.
      for (let turn = 0; turn < engines.length; turn++) {
        const engine = engines[(number + pass + turn) % engines.length]!
        const answer = await engine.judge({
          source: workload.source,
          notation: 'gbnf',
          instances: workload.texts.map(({ ids }) => ids),
          cold: false,
          limitMs: 60_000,
          forget: true,
        })
        if (pass > 0) found.get(workload)!.get(engine.name)!.add(answer, workload)
      }
    }
  }
  progress.end()
  for (const engine of engines) engine.close()

  const result: RawTable = {
    title: `Grammars in GBNF, ${count(tokens.vocabulary.size)} tokens, ${runs} runs`,
    header: [
      'grammar · engine',
      'texts',
      'valid refused · invalid accepted · stopped',
      'compile p50',
      'samples',
      'mask + accept avg',
      'p50',
      'p99',
      'max',
    ],
    rows: [...found].flatMap(([workload, byEngine]) =>
      [...byEngine].map(([name, own]) => [`${workload.name} · ${name}`, ...cells(own, workload)]),
    ),
  }
  printTables([result])
  for (const [{ name }, byEngine] of found)
    for (const [engine, { refusal }] of byEngine)
      if (refusal !== null) console.log(`${engine} refuses ${name}: ${refusal.slice(0, 200)}`)
  console.log(`\n${machine()}`)
  for (const { name, opened } of engines)
    console.log(`${name} ${opened.version}; measuring itself is ${opened.overheadNs} ns of each time`)
  if (values.json !== undefined) writeRaw(values.json, { bench: 'grammars', args, tables: [result] })
}

async function allWorkloads({ encode }: Tokens, folder: string): Promise<Workload[]> {
  const workloads: Workload[] = grammarNames.map((name) => ({
    name,
    source: grammarText(name),
    texts: grammarSamples(name).map(({ text, expected }) => ({
      ids: encode(text),
      valid: expected === 'accept',
    })),
  }))
  if (!existsSync(folder)) return workloads
  const texts: { ids: readonly number[]; valid: boolean }[] = []
  for await (const { tests } of sampleMaskbench(folder, DOCUMENTS))
    for (const { text } of tests) texts.push({ ids: encode(text), valid: isJson(text) })
  return [...workloads, { name: 'json (MaskBench)', source: grammarText('json'), texts }]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function cells(
  { refusal, compile, tokens, validRefused, invalidAccepted, stopped }: Found,
  { texts }: Workload,
): string[] {
  const times = [tokens.mean, tokens.percentile(50), tokens.percentile(99), tokens.max].map(microseconds)
  return refusal !== null
    ? [count(texts.length), 'refused', '–', '–', '–', '–', '–', '–']
    : [
        count(texts.length),
        `${validRefused} · ${invalidAccepted} · ${stopped}`,
        microseconds(compile.percentile(50)),
        count(tokens.count),
        ...times,
      ]
}
