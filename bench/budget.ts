/**
 * What does a budget cost a mask? MaskBench under Llama's vocabulary, its valid instances token by token, on three grammars
 * compiled alike: masks without a budget, with one that is far away, and with one that is near (the cost of the place and a
 * few tokens more, another at each). Ratios are taken within the run, since machines differ.
 */
import { parseArgs } from 'node:util'
import {
  type CompiledGrammar,
  compile,
  LimitError,
  SchemaError,
  type Vocabulary,
  warmUp,
} from '../src/core.ts'
import { Random } from '../test/support/random.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
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
import { MODE } from './peers/espalier.ts'
import { openTokens } from './peers/tokens.ts'
import { json, type Options } from './terminal.ts'

export const summary = 'masks with a budget, far and near, beside those without one, over MaskBench'

/** Tokens beyond the cost of a place at which a budget is near. */
const NEAR = 12
/** Tokens at which it is far from all of MaskBench's costs but a few. */
const FAR = 4_000

type Kind = 'without' | 'far' | 'near'
const KINDS: readonly Kind[] = ['without', 'far', 'near']
const LABELS: Readonly<Record<Kind, string>> = {
  without: 'without a budget',
  far: 'with one that is far',
  near: 'with one that is near',
}

export const options = {
  every: { type: 'string', default: '20', value: 'N', help: 'one schema of N' },
  from: { type: 'string', default: '1', value: 'N', help: 'which of each N, from 1 on' },
  seed: { type: 'string', default: '20261130', value: 'N', help: 'of the random numbers' },
  data,
  slow: { type: 'boolean', default: false, help: 'names the places of the slowest masks' },
  json,
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const every = positive('--every', values.every)
  const from = positive('--from', values.from)
  const random = new Random(positive('--seed', values.seed))
  const vocabulary = llamaVocabulary()
  const { encode } = openTokens(llamaTokenizer)
  warmUp(vocabulary)
  const all = newTimes()
  const unique = newTimes()
  const slow: { us: number; id: string; text: string }[] = []
  let schemas = 0
  for await (const { id, schema, tests } of sampleMaskbench(values.data, every, from - 1)) {
    const texts = tests.filter(({ valid }) => valid).map(({ text }) => encode(text))
    const grammars = compileEach(schema, vocabulary)
    if (grammars === null) continue
    schemas++
    // Those that are read otherwise: what is there decides what may come.
    const times = schema.includes('"uniqueItems"') ? unique : all
    const costs = texts.map((tokens) => costsAlong(grammars.costs, tokens, random))
    for (const kind of schemas % 2 === 0 ? KINDS : [...KINDS].reverse()) {
      texts.forEach((tokens, i) => {
        timeMasks(grammars[kind], tokens, kind, costs[i]!, times[kind], (us, text) => {
          if (kind === 'near') slow.push({ us, id, text })
        })
      })
    }
  }
  const tables = [
    ...tableOf(`${count(schemas)} schemas: a mask`, all),
    ...tableOf('A mask where items must differ', unique),
  ]
  printTables(tables)
  console.log(`\n${machine()}`)
  if (values.json !== undefined) writeRaw(values.json, { bench: 'budget', args, tables })
  if (!values.slow) return
  for (const { us, id, text } of slow.sort((a, b) => b.us - a.us).slice(0, 20))
    console.log(`${microseconds(us)}  ${id}  …${JSON.stringify(text.slice(-60))}`)
}

function newTimes(): Record<Kind, Samples> {
  return { without: new Samples(), far: new Samples(), near: new Samples() }
}

/** No table where nothing was measured. */
function tableOf(title: string, times: Record<Kind, Samples>): RawTable[] {
  if (times.without.count === 0) return []
  const columns = [
    ['avg', (each: Samples) => each.mean],
    ['p50', (each: Samples) => each.percentile(50)],
    ['p90', (each: Samples) => each.percentile(90)],
    ['p99', (each: Samples) => each.percentile(99)],
    ['p99.9', (each: Samples) => each.percentile(99.9)],
    ['max', (each: Samples) => each.max],
  ] as const
  const measured = KINDS.map((kind) => [
    LABELS[kind],
    count(times[kind].count),
    ...columns.map(([, of]) => microseconds(of(times[kind]))),
  ])
  const ratios = KINDS.slice(1).map((kind) => [
    `${kind} ÷ without`,
    '',
    ...columns.map(([, of]) => `${(of(times[kind]) / of(times.without)).toFixed(2)} ×`),
  ])
  return [{ title, header: ['', 'masks', ...columns.map(([name]) => name)], rows: [...measured, ...ratios] }]
}

/** One grammar for each kind, and one to ask for costs, so that none knows what another has learned. */
function compileEach(schema: string, vocabulary: Vocabulary): Record<Kind | 'costs', CompiledGrammar> | null {
  try {
    const [without, far, near, costs] = [1, 2, 3, 4].map(() => compile(schema, vocabulary, MODE))
    return { without: without!, far: far!, near: near!, costs: costs! }
  } catch (error) {
    if (error instanceof SchemaError || error instanceof LimitError) return null
    throw error
  }
}

/** Budgets that are near at each place of a text. */
function costsAlong(grammar: CompiledGrammar, tokens: readonly number[], random: Random): number[] {
  const matcher = grammar.matcher()
  const budgets: number[] = []
  for (const token of tokens) {
    budgets.push(matcher.shortestCompletion().tokens + random.below(NEAR))
    if (!matcher.accept(token)) break
  }
  return budgets
}

function timeMasks(
  grammar: CompiledGrammar,
  tokens: readonly number[],
  kind: Kind,
  near: readonly number[],
  samples: Samples,
  note: (us: number, text: string) => void,
): void {
  const matcher = grammar.matcher()
  for (let i = 0; i < near.length; i++) {
    const budget = kind === 'without' ? Number.POSITIVE_INFINITY : kind === 'far' ? FAR : near[i]!
    const start = performance.now()
    matcher.mask(undefined, { budget })
    const us = 1_000 * (performance.now() - start)
    samples.add(us)
    if (us > 500) note(us, matcher.text())
    if (!matcher.accept(tokens[i]!)) break
  }
}
