/**
 * Processes that have compiled nothing yet, asked one schema each and then the same one again: what `cold` and `warm` print.
 *
 * Schemas are spaced over MaskBench; the instance is the first valid one with ten tokens. Engines come in turn, each in a
 * process of its own that starts with the file of the vocabulary.
 */
import { parseArgs } from 'node:util'
import {
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
} from '../lib.ts'
import { type EngineName, PeerProcess, peers, presentPeers } from '../peers/child.ts'
import type { Job, Judged, Opening } from '../peers/protocol.ts'
import { openTokens, type Tokens } from '../peers/tokens.ts'
import { json, type Options } from '../terminal.ts'

/** Tokens of an instance that are followed. */
const TOKENS = 10
/** How often the same schema is asked again, each time from its text on. */
const REPETITIONS = 5

/** What is measured, in the order of the rows; microseconds. */
const PHASES = ['vocabulary', 'compile', 'first mask', 'first ten masks', 'compile + first mask'] as const
type Times = Record<(typeof PHASES)[number], Samples>

function newTimes(): Times {
  return Object.fromEntries(PHASES.map((phase) => [phase, new Samples()])) as Times
}

type Question = Pick<Job, 'source' | 'instances'>

export const options = {
  schemas: { type: 'string', default: '20', value: 'N', help: 'schemas, a new process for each' },
  peers,
  data,
  json,
} satisfies Options

export async function runFresh(which: 'cold' | 'warm', args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const tokens = openTokens(llamaTokenizer)
  const questions = await choose(values.data, positive('--schemas', values.schemas), tokens)
  const names: EngineName[] = ['espalier', ...presentPeers(values.peers)]
  const measured = new Map(names.map((name) => [name, newTimes()]))
  for (const question of questions) {
    for (const name of names) await ask(which, name, tokens.vocabulary, question, measured.get(name)!)
  }
  const result: RawTable = {
    title:
      which === 'cold'
        ? `A new process and a new schema, ${questions.length} times`
        : `The same schema again in that process: ${questions.length} schemas, ${REPETITIONS} times each`,
    header: ['engine · phase', 'samples', 'p50', 'p90', 'max'],
    rows: [...measured].flatMap(([name, times]) =>
      PHASES.filter((phase) => times[phase].count > 0).map((phase) => {
        const samples = times[phase]
        const figures = [samples.percentile(50), samples.percentile(90), samples.max]
        return [`${name} · ${phase}`, String(samples.count), ...figures.map(microseconds)]
      }),
    ),
  }
  printTables([result])
  console.log(`\n${machine()}`)
  if (values.json !== undefined) writeRaw(values.json, { bench: which, args, tables: [result] })
}

/** So many schemas from the beginning of MaskBench to its end that have a valid instance of enough tokens. */
async function choose(folder: string, wanted: number, { encode }: Tokens): Promise<Question[]> {
  const able: Question[] = []
  for await (const { schema, tests } of sampleMaskbench(folder)) {
    const text = tests.find(({ valid, text }) => valid && text.length > 3 * TOKENS)?.text
    if (text === undefined) continue
    const ids = encode(text).slice(0, TOKENS)
    if (ids.length === TOKENS) able.push({ source: schema, instances: [ids] })
  }
  return Array.from({ length: wanted }, (_, i) => able[Math.floor(((i + 0.5) * able.length) / wanted)]!)
}

async function ask(
  which: 'cold' | 'warm',
  name: EngineName,
  vocabulary: Omit<Opening, 'engine'>,
  question: Question,
  times: Times,
): Promise<void> {
  const engine = await PeerProcess.open(name, vocabulary)
  const job: Job = { ...question, notation: 'json-schema', cold: false, limitMs: 60_000 }
  const add = (answer: Judged | { readonly failed: string }): void => {
    if ('failed' in answer || answer.refused !== null) return
    const { ns } = answer.instances[0]!
    if (ns.length < TOKENS) return
    times.compile.add(answer.compileNs / 1000)
    times['first mask'].add(ns[0]! / 1000)
    times['first ten masks'].add(ns.reduce((sum, time) => sum + time, 0) / 1000)
    times['compile + first mask'].add((answer.compileNs + ns[0]!) / 1000)
  }
  const first = await engine.judge(job)
  if (which === 'cold') {
    times.vocabulary.add(engine.opened.loadMs * 1000)
    add(first)
  } else {
    for (let i = 0; i < REPETITIONS; i++) add(await engine.judge(job))
  }
  engine.close()
}
