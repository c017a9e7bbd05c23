/**
 * What would it give to make the mask of the next token while the model runs?
 *
 * The mask needs the last token only, so a thread of its own could make it in that time; the runtime keeps this thread busy.
 * One loop makes the mask and then runs the model, the other has a worker with a matcher of its own make it meanwhile. Both
 * write the same tokens.
 */
import { Worker } from 'node:worker_threads'
import { wordCount } from '../../src/bits.ts'
import { Sampler } from '../../src/decode/sampler.ts'
import { compile, type Model } from '../../src/index.ts'
import { type RawTable, Samples } from '../lib.ts'
import type { Progress } from '../terminal.ts'
import { SCHEMA } from './loops.ts'
import { ASKED, type Shared } from './overlap-worker.ts'

export interface OverlapFigures {
  readonly positions: number
  readonly maskMs: number
  readonly inTurnMs: number
  readonly overlappedMs: number
}

const POSITIONS = 250

export async function measureOverlap(
  model: Model,
  folder: string,
  { tokens, rounds }: { tokens: number; rounds: number },
  progress: Progress,
): Promise<OverlapFigures> {
  const words = wordCount(model.vocabulary.size)
  const shared: Shared = {
    state: new Int32Array(new SharedArrayBuffer(8)),
    mask: new Uint32Array(new SharedArrayBuffer(4 * words)),
  }
  const worker = new Worker(new URL('./overlap-worker.js', import.meta.url), {
    workerData: { folder, schema: SCHEMA, shared },
  })
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  const grammar = compile(SCHEMA, model.vocabulary)
  const prompt = model.tokenizer.encodeText(' word'.repeat(POSITIONS))
  const mask = new Samples()
  const inTurn = new Samples()
  const overlapped = new Samples()
  const run = async (isOverlapped: boolean, samples: Samples): Promise<string> => {
    const sampler = new Sampler(model.vocabulary.size)
    const sequence = model.startSequence()
    const matcher = grammar.matcher()
    const own = new Uint32Array(words)
    const ids: number[] = []
    let logits = (await sequence.append(prompt))!
    if (isOverlapped) ask(shared, -1)
    for (let i = 0; i < tokens; i++) {
      const start = performance.now()
      if (isOverlapped) Atomics.wait(shared.state, 0, ASKED)
      else {
        matcher.mask(own)
        mask.add(performance.now() - start)
      }
      const id = sampler.sample(logits, isOverlapped ? shared.mask : own, i)
      ids.push(id)
      if (isOverlapped) ask(shared, id)
      else matcher.accept(id)
      logits = (await sequence.append([id]))!
      samples.add(performance.now() - start)
    }
    if (isOverlapped) Atomics.wait(shared.state, 0, ASKED)
    return ids.join()
  }
  for (let round = 0; round < rounds + 1; round++) {
    progress.show(`overlap: round ${round + 1} of ${rounds + 1}`)
    // The first round warms both up.
    const texts = [
      await run(false, round === 0 ? new Samples() : inTurn),
      await run(true, round === 0 ? new Samples() : overlapped),
    ]
    if (texts[0] !== texts[1]) throw new Error('the worker makes other masks')
  }
  await worker.terminate()
  return {
    positions: POSITIONS,
    maskMs: mask.percentile(50),
    inTurnMs: inTurn.percentile(50),
    overlappedMs: overlapped.percentile(50),
  }
}

/** Has the worker take a token (-1: begin again) and make the mask behind it. */
function ask({ state }: Shared, id: number): void {
  state[1] = id
  Atomics.store(state, 0, ASKED)
  Atomics.notify(state, 0)
}

export function overlapTable({ positions, maskMs, inTurnMs, overlappedMs }: OverlapFigures): RawTable {
  return {
    title: `Making the mask while the model runs, from ${positions} positions on`,
    header: ['loop', 'ms/token p50', 'mask ms p50', 'at most saved'],
    rows: [
      [
        'mask, then model',
        inTurnMs.toFixed(2),
        maskMs.toFixed(3),
        `${((100 * maskMs) / inTurnMs).toFixed(2)} %`,
      ],
      ['a worker makes the mask', overlappedMs.toFixed(2), '', ''],
    ],
  }
}
