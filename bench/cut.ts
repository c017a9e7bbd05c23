/**
 * Why a grammar does not guarantee completion: one strict call, cut after each number of tokens, and what was open then;
 * then the same call when it has to finish within its budget.
 *
 * The shipped model writes the call once, greedily. `--html` writes a page that steps through it.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { loadModel } from '../src/index.ts'
import { cutPage } from './cut/page.ts'
import { budgetLines, curve, cutInFull, withinLines } from './cut/print.ts'
import { REQUEST, sceneOf } from './cut/scene.ts'
import { type Trace, traceCall } from './cut/trace.ts'
import { positive, UsageError } from './lib.ts'
import { modelFolder, type Options, Progress } from './terminal.ts'

export const summary =
  'one strict call, cut after each number of tokens: what was open, and what it would have taken'

export const options = {
  request: { type: 'string', default: REQUEST, value: 'TEXT', help: 'what is asked for' },
  full: { type: 'string', default: '20', value: 'N', help: 'shows every N-th cut in full' },
  model: modelFolder,
  html: { type: 'string', value: 'FILE', help: 'writes a page that steps through the call' },
  json: { type: 'string', value: 'FILE', help: 'keeps what was found' },
  from: { type: 'string', value: 'FILE', help: 'shows what was kept, without the model' },
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const every = positive('--full', values.full)
  const trace =
    values.from === undefined ? await traced(values.model, values.request) : readTrace(values.from)
  if (values.json !== undefined) write(values.json, `${JSON.stringify({ bench: 'cut', trace })}\n`)
  if (values.html !== undefined) write(values.html, cutPage(trace))
  const { steps, within } = trace
  console.log(`${wrapped(`request  ${trace.request}`, 9)}\ntool     ${trace.tool}\n`)
  console.log(`${curve(trace)}\n\n${budgetLines(trace)}\n`)
  for (let count = every; count < steps.length - 1; count += every)
    console.log(`${cutInFull(steps[count]!, count)}\n`)
  console.log(
    wrapped(
      `Every token was legal. The call had ${steps.length - 1} tokens; the shortest call of this tool costs ${steps[0]!.cost}, the end token included.\n`,
      0,
    ),
  )
  if (within.length > 0)
    console.log(`finishWithin: 'budget', from the least budget on\n\n${withinLines(within)}\n`)
}

async function traced(folder: string, request: string): Promise<Trace> {
  const model = await loadModel(resolve(folder))
  const name = resolve(folder).split('/').at(-1)!
  try {
    return await traceCall(model, name, sceneOf(request), new Progress())
  } finally {
    await model.release()
  }
}

/** A trace that was kept. */
export function readTrace(file: string): Trace {
  try {
    const { bench, trace } = JSON.parse(readFileSync(file, 'utf8')) as { bench: string; trace: Trace }
    if (bench !== 'cut') throw new Error('it is of another benchmark')
    return trace
  } catch (error) {
    throw new UsageError(`${file} holds no call that was traced: ${(error as Error).message}`)
  }
}

/** Words on lines of a terminal; those behind the first are indented. */
function wrapped(text: string, indent: number): string {
  return text
    .replace(/(.{1,70})(?: |$)/gu, '$1\n')
    .trimEnd()
    .replaceAll('\n', `\n${' '.repeat(indent)}`)
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
