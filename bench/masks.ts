/**
 * MaskBench: what does a mask cost on real schemas, and is every instance judged rightly; here and in other engines?
 *
 * The protocol is that of the public benchmark (guidance-ai/jsonschemabench): an instance is tokenized, and for each token
 * the time to compute the mask plus the time to accept the token is one sample; it stops at the first refused token. An
 * instance is accepted when every token was allowed and the end is allowed after the last. A grammar stays warm over one
 * schema's instances, or with `--cold` is compiled anew for each. Engines run one thread each in processes of their own
 * and take turns schema by schema, so that whatever else the machine does hits all of them alike. Each has judged some of
 * the schemas that are not measured before, `--warm` of them the engines of JavaScript, whose compiler has to see the code.
 */
import { parseArgs } from 'node:util'
import {
  count,
  data,
  llamaTokenizer,
  type MaskbenchLine,
  machine,
  maskbenchFiles,
  positive,
  readMaskbench,
  UsageError,
  writeRaw,
} from './lib.ts'
import {
  bySource,
  details,
  engines,
  type Measured,
  memory,
  ratios,
  ratioTable,
  refusals,
} from './masks/print.ts'
import { figures } from './masks/raw.ts'
import { EngineRecord } from './masks/record.ts'
import { ENGINES, type EngineName, peers, presentPeers } from './peers/child.ts'
import { type OpenEngine, openEngines } from './peers/open.ts'
import type { Job, Opened } from './peers/protocol.ts'
import { openTokens } from './peers/tokens.ts'
import { json, type Options, Progress } from './terminal.ts'

export const summary =
  'MaskBench: verdicts, mask + accept and compile times, memory; beside other engines with --peers'

/** A schema, and its instances as tokens. */
interface Item {
  readonly source: string
  readonly line: MaskbenchLine
  readonly instances: readonly (readonly number[])[]
}

interface Settings {
  readonly runs: number
  readonly warm: number
  readonly limitMs: number
  readonly cold: boolean
  readonly inProcess: boolean
}

export const options = {
  every: { type: 'string', default: '1', value: 'N', help: 'one schema of N' },
  source: { type: 'string', value: 'NAME', help: 'schemas of one source only' },
  tokenizer: { type: 'string', default: llamaTokenizer, value: 'FILE', help: 'a tokenizer.json' },
  data,
  'end-token': { type: 'string', value: 'TEXT', help: 'where it is not found by its usual names' },
  peers,
  runs: { type: 'string', default: '1', value: 'N', help: 'times that all is measured; medians are shown' },
  warm: { type: 'string', default: '200', value: 'N', help: 'schemas that are judged before, not measured' },
  limit: { type: 'string', default: '60', value: 'S', help: 'seconds for a schema' },
  cold: { type: 'boolean', default: false, help: 'compiles anew for each instance' },
  'in-process': {
    type: 'boolean',
    default: false,
    help: 'measures this engine in this process, for a profiler',
  },
  json,
  verbose: { type: 'boolean', default: false, help: 'names every refusal and finding' },
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const every = positive('--every', values.every)
  const settings: Settings = {
    runs: positive('--runs', values.runs),
    warm: positive('--warm', values.warm),
    limitMs: positive('--limit', values.limit) * 1000,
    cold: values.cold,
    inProcess: values['in-process'],
  }
  const present = presentPeers(values.peers)
  if (present.includes('hf') && every < 10)
    throw new UsageError('hf takes a tenth of a second a token: measure it with --every 10 or more')

  const tokens = openTokens(values.tokenizer, values['end-token'])
  const { vocabulary } = tokens
  const encode = (line: MaskbenchLine): readonly (readonly number[])[] =>
    line.tests.map((test) => tokens.encode(test.text))
  const items: Item[] = []
  const rest: MaskbenchLine[] = []
  let index = -1
  for (const { source, path } of maskbenchFiles(values.data)) {
    if (values.source !== undefined && source !== values.source) continue
    for await (const line of readMaskbench(path)) {
      if (++index % every === 0) items.push({ source, line, instances: encode(line) })
      else rest.push(line)
    }
  }
  if (items.length === 0) throw new UsageError('no schema is left: see --source and --every')
  // Where every schema is measured, those that warm up are among them.
  const others = rest.length > 0 ? rest : items.map(({ line }) => line)
  const warm = spaced(others, settings.warm).map((line) => ({ source: line.schema, instances: encode(line) }))

  const measured = new Map<EngineName, EngineRecord[]>()
  const opened = new Map<EngineName, Opened>()
  const progress = new Progress()
  for (let pass = 0; pass < settings.runs; pass++) {
    const open = await openEngines(['espalier', ...present], vocabulary, settings.inProcess)
    for (const engine of open) {
      opened.set(engine.name, engine.opened)
      await warmUp(engine, warm, settings)
      measured.set(engine.name, [...(measured.get(engine.name) ?? []), new EngineRecord()])
    }
    for (const [number, item] of items.entries()) {
      progress.show(`run ${pass + 1}, ${number + 1} of ${items.length} schemas`)
      // Nobody always comes first.
      for (let turn = 0; turn < open.length; turn++) {
        const engine = open[(number + turn) % open.length]!
        const job = jobOf(engine.name, item.line.schema, item.instances, settings)
        const judged = await engine.judge({
          ...job,
          forget: number === 0,
          collect: number === items.length - 1,
        })
        measured.get(engine.name)!.at(-1)!.add(item.line.id, item.line.tests, judged)
      }
    }
    progress.end()
    for (const engine of open) engine.close()
  }

  const all: Measured[] = [...measured].map(([name, runs]) => ({ name, runs }))
  const [ours, ...theirs] = all
  const record = ours!.runs[0]!
  console.log(
    bySource(
      record,
      items.map(({ source }) => source),
    ),
  )
  if (record.refusals.size > 0) console.log(`\n${refusals(record, values.verbose)}`)
  const findings = values.verbose ? record.findings : record.findings.slice(0, 12)
  if (findings.length > 0) console.log(`\nwrong: ${findings.join('\n       ')}`)
  console.log(`\n${details(ours!)}`)
  const compared = ratios(ours!, theirs)
  if (theirs.length > 0) {
    const shared = (schema: number): boolean => all.every(({ runs }) => runs[0]!.compiled(schema))
    const sharedCount = record.verdicts.filter((_, schema) => shared(schema)).length
    console.log(`\nall ${count(items.length)} schemas, each engine over those that it compiles\n`)
    console.log(engines(all))
    console.log(`\nthe ${count(sharedCount)} schemas that every engine compiles\n`)
    console.log(engines(all, shared))
    console.log(`\n${ratioTable(compared)}`)
    if (values.verbose)
      for (const { name, runs } of theirs) console.log(`\n${name}\n${refusals(runs[0]!, true)}`)
  }
  console.log(
    `\n${machine()}; ${count(vocabulary.size)} tokens; ${settings.runs} run${settings.runs > 1 ? 's' : ''}`,
  )
  for (const [name, { version, settings: own, overheadNs }] of opened) {
    console.log(`${name} ${version}: ${own}; measuring itself is ${overheadNs} ns of each time`)
  }
  console.log('resident memory')
  for (const { name, runs } of all) {
    console.log(`  ${memory(name, opened.get(name as EngineName)!.memory.resident, runs[0]!)}`)
  }
  if (values.json !== undefined) {
    writeRaw(values.json, {
      bench: 'masks',
      args,
      figures: figures({
        every,
        cold: settings.cold,
        vocabulary: vocabulary.size,
        sources: items.map(({ source }) => source),
        ids: items.map(({ line }) => line.id),
        engines: all.map(({ name, runs }) => ({ name, runs, opened: opened.get(name as EngineName)! })),
        ratios: compared,
      }),
    })
  }
}

function jobOf(name: EngineName, source: string, instances: Item['instances'], settings: Settings): Job {
  const { limit } = ENGINES[name]
  const limitMs = limit === undefined ? settings.limitMs : limit * 1000
  return { source, notation: 'json-schema', instances, cold: settings.cold, limitMs }
}

async function warmUp(
  engine: OpenEngine,
  warm: readonly { source: string; instances: Item['instances'] }[],
  settings: Settings,
): Promise<void> {
  const some = spaced(warm, Math.ceil(warm.length * ENGINES[engine.name].warm))
  await engine.warmUp(
    some.map(({ source, instances }) => {
      const job = jobOf(engine.name, source, instances, settings)
      return { ...job, limitMs: Math.min(job.limitMs, 5000) }
    }),
  )
}

/** So many of them, from the beginning to the end. */
function spaced<T>(all: readonly T[], wanted: number): T[] {
  const step = Math.max(1, all.length / wanted)
  const chosen: T[] = []
  for (let at = 0; at < all.length && chosen.length < wanted; at += step) chosen.push(all[Math.floor(at)]!)
  return chosen
}
