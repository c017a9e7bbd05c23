/**
 * Does memory stay bounded over thousands of schemas, and what does one hold?
 *
 * First all of MaskBench runs through one process with one vocabulary, every instance followed and every grammar dropped:
 * what remains is growth, looked at every 250 schemas. Then schemas of a sample are held one at a time and weighed, as compiled and with what their
 * masks have taught them, under the usual bound of memoised masks and under small ones.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { hasBit } from '../src/bits.ts'
import { type CompiledSchema, compile, LimitError, SchemaError, Vocabulary } from '../src/core.ts'
import {
  bytes,
  count,
  data,
  llamaTokenizer,
  type MaskbenchLine,
  machine,
  microseconds,
  positive,
  printTables,
  type RawChart,
  type RawTable,
  Samples,
  sampleMaskbench,
  settledHeapBytes,
  writeRaw,
} from './lib.ts'
import { PeerProcess } from './peers/child.ts'
import { MODE } from './peers/espalier.ts'
import type { Job } from './peers/protocol.ts'
import { openTokens, type Tokens } from './peers/tokens.ts'
import { json, type Options, Progress } from './terminal.ts'

export const summary = 'resident and heap growth over MaskBench, bytes of a schema and of its masks'

/** Schemas between two looks at the memory. */
const STEP = 250
const KIB = 1024
/** Bounds of memoised masks beside the usual one, bytes. */
const BOUNDS = [1024 * KIB, 64 * KIB]

export const options = {
  every: { type: 'string', default: '1', value: 'N', help: 'one schema of N' },
  weigh: { type: 'string', default: '24', value: 'N', help: 'schemas that are weighed one by one' },
  data,
  json,
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const every = positive('--every', values.every)
  const weigh = positive('--weigh', values.weigh)
  const tokens = openTokens(llamaTokenizer)
  const lines: MaskbenchLine[] = []
  for await (const line of sampleMaskbench(values.data, every)) lines.push(line)
  const progress = new Progress()
  const { table: growth, chart } = await grow(lines, tokens, progress)
  const step = Math.max(1, Math.floor(lines.length / weigh))
  const sample = lines.filter((_, at) => at % step === 0).slice(0, weigh)
  // What is weighed is found on a small heap sooner.
  lines.length = 0
  const tables = [growth, ...(await weights(sample, tokens, progress))]
  progress.end()
  printTables(tables)
  console.log(`\n${machine()}`)
  if (values.json !== undefined) writeRaw(values.json, { bench: 'memory', args, tables, charts: [chart] })
}

/** The run: one process, which collects its garbage before each look. */
async function grow(
  lines: readonly MaskbenchLine[],
  { encode, vocabulary }: Tokens,
  progress: Progress,
): Promise<{ table: RawTable; chart: RawChart }> {
  const engine = await PeerProcess.open('espalier', vocabulary)
  const start = engine.opened.memory
  const looks: [schemas: number, resident: number, heap: number][] = [[0, start.resident, start.heap]]
  // The next schema is tokenized while the engine is at one.
  let waiting: Promise<void> = Promise.resolve()
  for (const [at, { id, schema, tests }] of lines.entries()) {
    const collect = (at + 1) % STEP === 0 || at + 1 === lines.length
    const instances = tests.map(({ text }) => encode(text))
    await waiting
    progress.show(`${count(at)} of ${count(lines.length)} schemas, ${bytes(looks.at(-1)![1])} resident`)
    const job: Job = {
      source: schema,
      notation: 'json-schema',
      instances,
      cold: false,
      limitMs: 60_000,
      collect,
    }
    waiting = engine.judge(job).then((judged) => {
      if ('failed' in judged) throw new Error(`${id}: ${judged.failed}`)
      if (collect) looks.push([at + 1, judged.memory.resident, judged.memory.heap])
    })
    // What is thrown is told where it is waited for.
    waiting.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
  }
  await waiting
  engine.close()
  const last = looks.at(-1)!
  const row = (name: string, [schemas, resident, heap]: (typeof looks)[number]): string[] => [
    name,
    count(schemas),
    bytes(resident),
    bytes(resident - start.resident),
    bytes(heap),
    bytes(heap - start.heap),
    schemas === 0 ? '–' : bytes(Math.round((heap - start.heap) / schemas)),
  ]
  const highest = looks.reduce((most, look) => (look[1] > most[1] ? look : most))
  const rows = [row('the vocabulary', looks[0]!)]
  const thousand = looks.find(([schemas]) => schemas === 1000)
  if (thousand !== undefined && thousand !== last) rows.push(row('after 1,000', thousand))
  rows.push(row('at its highest', highest), row('at the end', last))
  return {
    table: {
      title: `One process, ${count(lines.length)} schemas one after another`,
      header: ['', 'schemas', 'resident', 'growth', 'heap and buffers', 'growth', 'growth a schema'],
      rows,
    },
    chart: {
      name: 'growth',
      title: 'Memory of one process over MaskBench, garbage collected',
      x: { label: 'schemas compiled and followed', unit: '', scale: 'linear' },
      y: { label: 'memory', unit: 'B', scale: 'linear' },
      series: [
        { name: 'resident', points: looks.map(([schemas, resident]) => [schemas, resident]) },
        { name: 'heap and buffers', points: looks.map(([schemas, , heap]) => [schemas, heap]) },
      ],
    },
  }
}

interface Weighed {
  /** Bytes of the grammar before its first mask, and after the last. */
  readonly compiled: Samples
  readonly followed: Samples
  /** Bytes of the memoised masks in it, as the grammar counts them. */
  readonly masks: Samples
  /** Mask + accept, microseconds. */
  readonly tokens: Samples
  /** Instances that are accepted: the same whatever the bound. */
  accepted: number
}

async function weights(
  lines: readonly MaskbenchLine[],
  { encode, vocabulary: named }: Tokens,
  progress: Progress,
): Promise<RawTable[]> {
  const vocabulary = Vocabulary.fromTokenizerJson(readFileSync(named.tokenizer, 'utf8'), {
    endTokens: [named.endToken],
  })
  const work = lines.map(({ schema, tests }) => ({
    schema,
    instances: tests.map(({ text }) => encode(text)),
  }))
  for (const { schema, instances } of work) follow(compileAny(schema, vocabulary), instances, new Samples())
  const usual = await weighAll(work, vocabulary, undefined, progress)
  const line = (name: string, samples: Samples): string[] => [
    name,
    ...[samples.mean, samples.percentile(50), samples.percentile(90), samples.max].map((value) =>
      bytes(Math.round(value)),
    ),
  ]
  const bound = (name: string, { masks, tokens, accepted }: Weighed): string[] => [
    name,
    bytes(masks.max),
    microseconds(tokens.mean),
    microseconds(tokens.percentile(50)),
    microseconds(tokens.percentile(99)),
    count(accepted),
  ]
  const bounded: string[][] = []
  for (const maxMaskBytes of BOUNDS) {
    bounded.push(bound(`${maxMaskBytes / KIB} KiB`, await weighAll(work, vocabulary, maxMaskBytes, progress)))
  }
  return [
    {
      title: `What a schema holds (${usual.compiled.count} schemas)`,
      header: ['bytes', 'avg', 'p50', 'p90', 'max'],
      rows: [
        line('compiled', usual.compiled),
        line('after its instances', usual.followed),
        line('of that memoised masks', usual.masks),
      ],
    },
    {
      title: 'Memoised masks at their bound, the same schemas',
      header: ['bound of a grammar', 'most held', 'mask + accept avg', 'p50', 'p99', 'instances accepted'],
      rows: [bound('as it comes', usual), ...bounded],
    },
  ]
}

interface Work {
  readonly schema: string
  readonly instances: readonly (readonly number[])[]
}

async function weighAll(
  work: readonly Work[],
  vocabulary: Vocabulary,
  maxMaskBytes: number | undefined,
  progress: Progress,
): Promise<Weighed> {
  const weighed: Weighed = {
    compiled: new Samples(),
    followed: new Samples(),
    masks: new Samples(),
    tokens: new Samples(),
    accepted: 0,
  }
  const bound = maxMaskBytes === undefined ? 'as it comes' : `at ${maxMaskBytes / KIB} KiB`
  for (const [at, each] of work.entries()) {
    progress.show(`weighing ${at + 1} of ${work.length} schemas, masks ${bound}`)
    await weighOne(each, vocabulary, maxMaskBytes, weighed)
  }
  return weighed
}

/** A function of its own, so that nothing of the schema before is still in a variable. */
async function weighOne(
  { schema, instances }: Work,
  vocabulary: Vocabulary,
  maxMaskBytes: number | undefined,
  weighed: Weighed,
): Promise<void> {
  const before = await settledHeapBytes()
  const grammar = compileAny(schema, vocabulary, maxMaskBytes)
  if (grammar === null) return
  weighed.compiled.add((await settledHeapBytes()) - before)
  weighed.accepted += follow(grammar, instances, weighed.tokens)
  weighed.followed.add((await settledHeapBytes()) - before)
  weighed.masks.add(grammar.sizes.maskBytes)
}

function compileAny(schema: string, vocabulary: Vocabulary, maxMaskBytes?: number): CompiledSchema | null {
  const limits = maxMaskBytes === undefined ? {} : { maxMaskBytes }
  try {
    return compile(schema, vocabulary, { ...MODE, limits })
  } catch (error) {
    if (error instanceof SchemaError || error instanceof LimitError) return null
    throw error
  }
}

/** How many instances are accepted. */
function follow(
  grammar: CompiledSchema | null,
  instances: readonly (readonly number[])[],
  times: Samples,
): number {
  let accepted = 0
  for (const ids of grammar === null ? [] : instances) {
    const matcher = grammar!.matcher()
    const taken = ids.every((id) => {
      const started = performance.now()
      const mask = matcher.mask()
      const allowed = hasBit(mask, id) && matcher.accept(id)
      times.add((performance.now() - started) * 1000)
      return allowed
    })
    if (taken && matcher.isComplete()) accepted++
  }
  return accepted
}
