/**
 * The shipped model: what does a token cost, with a mask and without, and what do jumps, sessions and batches save?
 *
 * Loops and variants take turns, so that what else the machine does hits them alike. transformers.js runs on the same
 * folder where `npm run bench -- setup` has installed it.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadModel } from '../src/index.ts'
import {
  batchTable,
  callTable,
  measureBatch,
  measureCalls,
  measurePrefix,
  prefixTable,
} from './decode/calls.ts'
import { loopTables, measureLoops } from './decode/loops.ts'
import { measureOverlap, overlapTable } from './decode/overlap.ts'
import { machine, positive, printTables, type RawChart, type RawTable, UsageError, writeRaw } from './lib.ts'
import { json, modelFolder, type Options, Progress } from './terminal.ts'

export const summary =
  'the shipped model: a token by positions, masks, jumps, sessions, batches; transformers.js beside it'

const PARTS = ['loops', 'calls', 'prefix', 'batch', 'overlap'] as const
/** Calls in the batch. */
const BATCH = 4

export const options = {
  tokens: { type: 'string', default: '32', value: 'N', help: 'tokens of a loop at each position' },
  rounds: { type: 'string', default: '3', value: 'N', help: 'turns that the loops take' },
  requests: { type: 'string', default: '10', value: 'N', help: 'requests of the calls' },
  parts: { type: 'string', default: PARTS.join(), value: 'A,B', help: 'what is measured' },
  model: modelFolder,
  json,
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const parts = values.parts.split(',')
  for (const part of parts) {
    if (!(PARTS as readonly string[]).includes(part))
      throw new UsageError(`--parts takes some of ${PARTS.join(', ')}, not ${part}`)
  }
  const counts = { tokens: positive('--tokens', values.tokens), rounds: positive('--rounds', values.rounds) }
  const requests = positive('--requests', values.requests)
  const folder = resolve(values.model)
  const model = await loadModel(folder)
  const figures: Record<string, unknown> = {}
  const progress = new Progress()
  const tables: RawTable[] = []
  const charts: RawChart[] = []
  const notes: string[] = []
  const report = (more: { tables: RawTable[]; charts?: RawChart[]; notes?: string[] }): void => {
    progress.end()
    tables.push(...more.tables)
    charts.push(...(more.charts ?? []))
    notes.push(...(more.notes ?? []))
    printTables(more.tables)
    console.log(`${(more.notes ?? []).map((note) => `\n${note}\n`).join('')}`)
  }
  console.log(`${folder.split('/').at(-1)}; ${machine()}\n`)
  if (parts.includes('loops')) {
    const loops = await measureLoops(model, folder, counts, progress)
    figures.loops = loops
    report(loopTables(loops))
  }
  if (parts.includes('calls')) {
    const calls = await measureCalls(model, requests, progress)
    figures.calls = calls
    report(callTable(calls))
  }
  if (parts.includes('prefix')) {
    const prefix = await measurePrefix(model, requests, progress)
    figures.prefix = prefix
    report({ tables: [prefixTable(prefix)] })
  }
  if (parts.includes('batch')) {
    const batch = await measureBatch(model, BATCH, progress)
    figures.batch = batch
    report({ tables: [batchTable(batch)] })
  }
  if (parts.includes('overlap')) {
    const overlap = await measureOverlap(model, folder, counts, progress)
    figures.overlap = overlap
    report({ tables: [overlapTable(overlap)] })
  }
  await model.release()
  if (values.json !== undefined)
    writeRaw(values.json, { bench: 'decode', args, tables, charts, notes, figures })
}
