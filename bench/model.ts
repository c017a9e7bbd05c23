/**
 * The shipped model: what does a token cost at which length, and how much of it is the mask?
 *
 * Three loops read the same prompt and then write tokens one by one: the bare loop that hands the runtime's outputs back
 * as inputs, this package's loop without a mask, and with one. Rows are *loop · positions · vocabulary*; the rounds go
 * through all rows in turn, so that what else the machine does hits them alike.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readModelFolder } from '../src/decode/folder.ts'
import { openGraph } from '../src/decode/open-graph.ts'
import type { Tensor } from '../src/decode/runtime.ts'
import { compile, generate, loadModel } from '../src/index.ts'
import { machine, percent, root, Samples, table, UsageError } from './lib.ts'

export const summary = 'milliseconds a token at 100, 500 and 1,000 positions, with and without a mask'

/** Free strings, patterns, numbers and enums, without an end in sight. */
const SCHEMA = {
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

interface Row {
  readonly model: Samples
  readonly mask: Samples
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      tokens: { type: 'string', default: '48' },
      rounds: { type: 'string', default: '2' },
      model: { type: 'string', default: join(root, 'models', 'smollm2-135m-instruct') },
    },
  })
  const tokens = Number(values.tokens)
  const rounds = Number(values.rounds)
  if (!(Number.isInteger(tokens) && tokens > 1))
    throw new UsageError(`--tokens takes a number above 1, not ${values.tokens}`)
  if (!(Number.isInteger(rounds) && rounds > 0))
    throw new UsageError(`--rounds takes a positive number, not ${values.rounds}`)
  const model = await loadModel(values.model)
  const bare = await openBare(values.model)
  const grammar = compile(SCHEMA, model.vocabulary)
  const word = model.tokenizer.encodeText(' word')[0]!
  const rows = new Map<string, Row>()
  const rowOf = (name: string): Row => {
    const row = rows.get(name) ?? { model: new Samples(), mask: new Samples() }
    rows.set(name, row)
    return row
  }
  for (let round = 0; round < rounds; round++) {
    for (const positions of [100, 500, 1000]) {
      await bare(
        new Array<number>(positions).fill(word),
        tokens,
        rowOf(`bare loop · ${positions} · ${model.vocabulary.size}`),
      )
      for (const masked of [false, true]) {
        const name = `${masked ? 'with' : 'without'} a mask · ${positions} · ${model.vocabulary.size}`
        const prompt = ' word'.repeat(positions)
        const { model: modelTimes, mask } = rowOf(name)
        const options = { prompt, maxTokens: tokens, temperature: 1, seed: 1 }
        for await (const event of generate(model, masked ? { ...options, grammar } : options)) {
          // The first token comes with the prompt, and what a grammar does only once is in it.
          if (event.type !== 'token' || event.modelMs === 0) continue
          modelTimes.add(event.modelMs)
          mask.add(event.maskMs)
        }
      }
    }
  }
  console.log(`${values.model.split('/').at(-1)}, ${tokens} tokens, ${rounds} rounds; ${machine()}\n`)
  const ms = (value: number) => value.toFixed(value < 10 ? 2 : 1)
  console.log(
    table(
      [
        'loop · positions · vocabulary',
        'model p50',
        'p90',
        'mean ms',
        'mask p50',
        'mean ms',
        'mask of the token',
      ],
      [...rows].map(([name, { model: times, mask }]) => [
        name,
        ms(times.percentile(50)),
        ms(times.percentile(90)),
        ms(times.mean),
        name.startsWith('with ') ? mask.percentile(50).toFixed(3) : '',
        name.startsWith('with ') ? mask.mean.toFixed(3) : '',
        name.startsWith('with ') ? percent(mask.mean, times.mean + mask.mean) : '',
      ]),
    ),
  )
}

/** A loop as one writes it first: every output of a step is an input of the next. */
async function openBare(
  folder: string,
): Promise<(prompt: number[], tokens: number, row: Row) => Promise<void>> {
  const graph = await openGraph(await readModelFolder(folder), undefined, true)
  const { session, runtime, caches } = graph
  const int64 = (values: readonly number[], dims: readonly number[]) =>
    new runtime.Tensor('int64', BigInt64Array.from(values, BigInt), dims)
  return async (prompt, tokens, row) => {
    let past: Record<string, Tensor> = {}
    for (const { input, heads, width } of caches) {
      past[input] = new runtime.Tensor('float32', new Float32Array(0), [1, heads, 0, width])
    }
    let ids = prompt
    let length = 0
    for (let i = 0; i < tokens; i++) {
      const start = performance.now()
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
      if (i > 0) row.model.add(performance.now() - start)
    }
  }
}
