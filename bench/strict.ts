/**
 * What does strict do, and what can it not do? The requests of `bench/requests` on the shipped model, with a hand-written or
 * a generated schema, mask off or on, and within a budget; then requests for twelve tools.
 *
 * Greedy, a call required, the same prompt for all ways but for the schema. What was written is kept line by line, so that a
 * run can be stopped and go on (`--resume`), and scored afterwards: `--from` scores a run that was kept.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadModel } from '../src/index.ts'
import { machine, positive, printTables, UsageError } from './lib.ts'
import { type Line, MAX_TOKENS, runWays, WAYS } from './strict/run.ts'
import { strictTables } from './strict/tables.ts'
import { modelFolder, type Options, Progress } from './terminal.ts'

export const summary =
  'the requests of bench/requests on the shipped model: two schemas, mask off and on, within a budget'

export const options = {
  ways: {
    type: 'string',
    default: WAYS.map(({ name }) => name).join(),
    value: 'A,B',
    help: 'which ways are run',
  },
  every: { type: 'string', default: '1', value: 'N', help: 'takes every N-th request' },
  model: modelFolder,
  json: { type: 'string', value: 'FILE', help: 'keeps what was written, a line for each answer' },
  resume: { type: 'boolean', default: false, help: 'goes on with what that file holds' },
  from: { type: 'string', value: 'FILE', help: 'shows a run that was kept, without the model' },
} satisfies Options

/** The first line of a run that is kept. */
export interface Head {
  readonly bench: 'strict'
  readonly model: string
  readonly maxTokens: number
  readonly every: number
  readonly machine: string
  readonly date: string
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  if (values.from !== undefined) {
    const { head, lines } = readRun(values.from)
    console.log(`${head.model}; ${head.date}, ${head.machine}\n`)
    printTables(strictTables(lines))
    return
  }
  const every = positive('--every', values.every)
  const ways = values.ways.split(',').map((name) => {
    const way = WAYS.find((each) => each.name === name)
    if (way === undefined)
      throw new UsageError(`--ways takes some of ${WAYS.map((each) => each.name).join(', ')}, not ${name}`)
    return way
  })
  const file = values.json
  if (values.resume && file === undefined) throw new UsageError('--resume goes with --json FILE')
  const folder = resolve(values.model)
  const head: Head = {
    bench: 'strict',
    model: folder.split('/').at(-1)!,
    maxTokens: MAX_TOKENS,
    every,
    machine: machine(),
    date: new Date().toISOString().slice(0, 10),
  }
  let known: readonly Line[] = []
  if (values.resume && existsSync(file!)) {
    const before = readRun(file!)
    for (const key of ['model', 'maxTokens', 'every'] as const)
      if (before.head[key] !== head[key])
        throw new UsageError(
          `${file} holds a run with ${key} ${before.head[key]}, and this one has ${head[key]}`,
        )
    known = before.lines
    // A line that was being written when the run was stopped is left out.
    writeFileSync(file!, [before.head, ...known].map((line) => `${JSON.stringify(line)}\n`).join(''))
  } else if (file !== undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify(head)}\n`)
  }
  const model = await loadModel(folder)
  const lines = await runWays(model, { ways, every, known, file }, new Progress())
  await model.release()
  console.log(`${head.model}; ${head.machine}\n`)
  printTables(strictTables(lines))
}

/** A run that was kept; its last line may be half written. */
export function readRun(file: string): { head: Head; lines: Line[] } {
  let texts: string[]
  try {
    texts = readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  texts.pop()
  const [head, ...lines] = texts.map((text) => JSON.parse(text) as unknown)
  if ((head as Head | undefined)?.bench !== 'strict')
    throw new UsageError(`${file} holds no run of this experiment`)
  return { head: head as Head, lines: lines as Line[] }
}
