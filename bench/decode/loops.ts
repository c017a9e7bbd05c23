/**
 * Loops that write tokens one by one behind a prompt: a first one as anybody writes it, that of transformers.js, and this
 * package's without a mask and with one. A sample is the time from one token to the next, whatever is in it.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readModelFolder } from '../../src/decode/folder.ts'
import { openGraph } from '../../src/decode/open-graph.ts'
import type { Tensor } from '../../src/decode/runtime.ts'
import { compile, generate, type Model } from '../../src/index.ts'
import { type RawChart, type RawTable, Samples } from '../lib.ts'
import { fromPeers } from '../peers/require.ts'
import type { Progress } from '../terminal.ts'

/** Free strings, patterns, numbers and enums, without an end in sight. */
export const SCHEMA = {
  type: 'array',
  minItems: 100,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['name', 'count', 'kind', 'note'],
    properties: {
      name: { type: 'string', pattern: '^[a-z]{3,9}$' },
      count: { type: 'integer', minimum: 0, maximum: 999 },
      kind: { enum: ['red', 'green', 'blue'] },
      note: { type: 'string', maxLength: 30 },
    },
  },
}

const POSITIONS = [100, 250, 500, 1000]

/** Milliseconds from token to token, and in the mask. */
class Row {
  readonly token = new Samples()
  readonly mask = new Samples()
}

/** Writes `tokens` tokens behind a prompt. */
type Loop = (prompt: readonly number[], tokens: number, row: Row) => Promise<void>

export interface LoopFigures {
  readonly name: string
  readonly positions: number
  readonly tokenMs: { readonly p50: number; readonly p90: number; readonly min: number }
  /** Of the loop with a mask. */
  readonly maskMs?: { readonly p50: number; readonly mean: number }
  /** The mask's part of a token's time, from 0 to 1. */
  readonly maskShare?: number
}

/** `folder` is that of `model`. */
export async function measureLoops(
  model: Model,
  folder: string,
  { tokens, rounds }: { tokens: number; rounds: number },
  progress: Progress,
): Promise<LoopFigures[]> {
  const { loops, release } = await openLoops(model, folder)
  const word = model.tokenizer.encodeText(' word')[0]!
  const rows = new Map(
    [...loops.keys()].flatMap((name) => POSITIONS.map((at) => [`${name} ${at}`, new Row()] as const)),
  )
  const prompts = POSITIONS.map((positions) => new Array<number>(positions).fill(word))
  // The first token of everything that is done once.
  for (const loop of loops.values()) await loop(prompts[0]!, 4, new Row())
  for (let round = 0; round < rounds; round++) {
    for (const prompt of prompts) {
      const order = [...loops]
      // What else the machine does hits another loop first each time.
      for (const [name, loop] of [
        ...order.slice(round % order.length),
        ...order.slice(0, round % order.length),
      ]) {
        progress.show(`loops, round ${round + 1} of ${rounds}: ${name} at ${prompt.length} positions`)
        await loop(prompt, tokens, rows.get(`${name} ${prompt.length}`)!)
      }
    }
  }
  await release()
  return [...loops.keys()].flatMap((name) =>
    POSITIONS.map((positions) => {
      const { token, mask } = rows.get(`${name} ${positions}`)!
      const figures = {
        name,
        positions,
        tokenMs: { p50: token.percentile(50), p90: token.percentile(90), min: token.percentile(0) },
      }
      if (mask.count === 0) return figures
      return {
        ...figures,
        maskMs: { p50: mask.percentile(50), mean: mask.mean },
        maskShare: mask.sum / token.sum,
      }
    }),
  )
}

async function openLoops(
  model: Model,
  folder: string,
): Promise<{ loops: Map<string, Loop>; release: () => Promise<void> }> {
  const bare = await openBare(folder)
  const peer = await openTransformers(folder)
  const loops = new Map<string, Loop>([
    ['bare loop', bare.loop],
    ...(peer === null ? [] : [['transformers.js', peer.loop] as const]),
    ['espalier, no mask', ownLoop(model, false)],
    ['espalier, mask', ownLoop(model, true)],
  ])
  return {
    loops,
    release: async () => {
      await bare.release()
      await peer?.release()
    },
  }
}

function ownLoop(model: Model, isMasked: boolean): Loop {
  const grammar = compile(SCHEMA, model.vocabulary)
  return async (prompt, tokens, row) => {
    const text = ' word'.repeat(prompt.length)
    // The mask's loop is to take a mask for each token.
    const options = { prompt: text, maxTokens: tokens, jumpForward: false }
    let last = 0
    for await (const event of generate(model, isMasked ? { ...options, grammar } : options)) {
      if (event.type !== 'token') continue
      const now = performance.now()
      // The first token comes with the prompt.
      if (last > 0) row.token.add(now - last)
      if (last > 0 && isMasked) row.mask.add(event.maskMs)
      last = now
    }
  }
}

/** A loop as one writes it first: every output of a step is an input of the next. */
async function openBare(folder: string): Promise<{ loop: Loop; release: () => Promise<void> }> {
  const graph = await openGraph(await readModelFolder(folder), undefined, true)
  const { session, runtime, caches } = graph
  const int64 = (values: readonly number[], dims: readonly number[]) =>
    new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), dims)
  const loop: Loop = async (prompt, tokens, row) => {
    let past: Record<string, Tensor> = {}
    for (const { input, heads, width } of caches) {
      past[input] = new runtime.Tensor('float32', new Float32Array(0), [1, heads, 0, width])
    }
    let ids: readonly number[] = prompt
    let length = 0
    let last = 0
    for (let i = 0; i < tokens; i++) {
      const positions = ids.map((_, j) => length + j)
      length += ids.length
      const feeds: Record<string, Tensor> = {
        ...past,
        input_ids: int64(ids, [1, ids.length]),
        attention_mask: int64(new Array<number>(length).fill(1), [1, length]),
        position_ids: int64(positions, [1, ids.length]),
      }
      if (graph.keepDims !== null) feeds.num_logits_to_keep = int64([1], graph.keepDims)
      const outputs = await session.run(feeds, {})
      past = Object.fromEntries(caches.map(({ input, output }) => [input, outputs[output]!]))
      const logits = outputs.logits!.data as Float32Array
      let best = 0
      for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[best]!) best = id
      ids = [best]
      const now = performance.now()
      if (last > 0) row.token.add(now - last)
      last = now
    }
  }
  return { loop, release: () => session.release() }
}

/** The parts of transformers.js that are used here. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  readonly AutoModelForCausalLM: {
    from_pretrained(
      name: string,
      options: object,
    ): Promise<{ generate(options: object): Promise<unknown>; dispose(): Promise<unknown> }>
  }
  readonly BaseStreamer: new () => object
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => object
}

/** `null` where `npm run bench -- setup` has not installed it. */
async function openTransformers(
  folder: string,
): Promise<{ loop: Loop; release: () => Promise<void> } | null> {
  let path: string
  try {
    path = fromPeers.resolve('@huggingface/transformers')
  } catch {
    console.error('transformers.js is not installed and left out: npm run bench -- setup')
    return null
  }
  const { env, AutoModelForCausalLM, BaseStreamer, Tensor } = (await import(
    pathToFileURL(path).href
  )) as Transformers
  env.allowRemoteModels = false
  env.localModelPath = join(folder, '..')
  const model = await AutoModelForCausalLM.from_pretrained(folder.split('/').at(-1)!, {
    dtype: 'q4',
    local_files_only: true,
    session_options: { logSeverityLevel: 3 },
  })
  const loop: Loop = async (prompt, tokens, row) => {
    let last = 0
    let calls = 0
    class Clock extends BaseStreamer {
      put(): void {
        const now = performance.now()
        // First the prompt is put, then the token that came with it.
        if (++calls > 2) row.token.add(now - last)
        last = now
      }
      end(): void {}
    }
    const row64 = (values: readonly number[]) =>
      new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
    await model.generate({
      inputs: row64(prompt),
      attention_mask: row64(prompt.map(() => 1)),
      max_new_tokens: tokens,
      do_sample: false,
      streamer: new Clock(),
    })
  }
  return {
    loop,
    release: async () => {
      await model.dispose()
    },
  }
}

export function loopTables(figures: readonly LoopFigures[]): { tables: RawTable[]; charts: RawChart[] } {
  const names = [...new Set(figures.map(({ name }) => name))]
  const at = (name: string, positions: number) =>
    figures.find((each) => each.name === name && each.positions === positions)!
  const rows = figures.map((each) => {
    const peer = names.includes('transformers.js') ? at('transformers.js', each.positions) : null
    const mask = each.maskMs
    return [
      `${each.name} · ${each.positions}`,
      each.tokenMs.p50.toFixed(1),
      each.tokenMs.p90.toFixed(1),
      each.tokenMs.min.toFixed(1),
      (1000 / each.tokenMs.p50).toFixed(1),
      peer === null ? '' : `${(peer.tokenMs.p50 / each.tokenMs.p50).toFixed(2)} ×`,
      mask === undefined ? '' : mask.p50.toFixed(3),
      mask === undefined ? '' : mask.mean.toFixed(3),
      each.maskShare === undefined ? '' : `${(100 * each.maskShare).toFixed(2)} %`,
    ]
  })
  return {
    tables: [
      {
        title: 'A token, by loop and positions in the cache',
        header: [
          'loop · positions',
          'ms p50',
          'p90',
          'min',
          'tokens/s',
          'of transformers.js',
          'mask ms p50',
          'mean',
          'of the token',
        ],
        rows,
      },
    ],
    charts: [
      {
        name: 'positions',
        title: 'Time of a token, median',
        x: { label: 'positions in the cache', unit: '', scale: 'linear' },
        y: { label: 'a token', unit: 'µs', scale: 'linear' },
        series: names.map((name) => ({
          name,
          points: POSITIONS.map((positions) => [positions, 1000 * at(name, positions).tokenMs.p50] as const),
        })),
      },
    ],
  }
}
