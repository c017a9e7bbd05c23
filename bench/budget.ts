/**
 * What does a budget cost a mask? MaskBench under Llama's vocabulary, its valid instances token by token, on three grammars
 * compiled alike: masks without a budget, with one that is far away, and with one that is near (the cost of the place and a
 * few tokens more, another at each). Ratios are taken within the run, since machines differ.
 */
import { parseArgs } from 'node:util'
import type { CompiledGrammar, Vocabulary } from '../src/core.ts'
import { compile, LimitError, SchemaError, warmUp } from '../src/core.ts'
import { Random } from '../test/support/random.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
import {
  count,
  machine,
  maskbenchData,
  maskbenchFiles,
  microseconds,
  positive,
  readMaskbench,
  Samples,
  table,
} from './lib.ts'
import type { Options } from './terminal.ts'

export const summary = 'masks with a budget, far and near, beside those without one, over MaskBench'

/** Tokens beyond the cost of a place at which a budget is near. */
const NEAR = 12
/** Tokens at which it is far from all of MaskBench's costs but a few. */
const FAR = 4_000

type Kind = 'without' | 'far' | 'near'
const KINDS: readonly Kind[] = ['without', 'far', 'near']

export const options = {
  every: { type: 'string', default: '20', value: 'N', help: 'takes every Nth schema' },
  from: { type: 'string', default: '1', value: 'N', help: 'from the Nth on' },
  seed: { type: 'string', default: '20261130', value: 'N', help: 'of the random numbers' },
  data: {
    type: 'string',
    default: maskbenchData,
    value: 'DIR',
    help: 'MaskBench: its .jsonl files, or a checkout',
  },
  slow: { type: 'boolean', default: false, help: 'names the places of the slowest masks' },
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const every = positive('--every', values.every)
  const random = new Random(positive('--seed', values.seed))
  const vocabulary = llamaVocabulary()
  warmUp(vocabulary)
  const all = newTimes()
  const unique = newTimes()
  const slow: { us: number; id: string; text: string }[] = []
  let schemas = 0
  const from = positive('--from', values.from) - 1
  let at = 0
  for (const { path } of maskbenchFiles(values.data)) {
    for await (const { id, schema, tests } of readMaskbench(path)) {
      const index = at++
      if (index < from || (index - from) % every !== 0) continue
      const texts = tests.filter(({ valid }) => valid).map(({ text }) => tokensOf(text, vocabulary))
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
  }
  print('', all)
  print('\nwhere items must differ', unique)
  console.log(`\n${count(schemas)} schemas, ${machine()}`)
  if (!values.slow) return
  for (const { us, id, text } of slow.sort((a, b) => b.us - a.us).slice(0, 20))
    console.log(`${microseconds(us)}  ${id}  …${JSON.stringify(text.slice(-60))}`)
}

function newTimes(): Record<Kind, Samples> {
  return { without: new Samples(), far: new Samples(), near: new Samples() }
}

function print(title: string, times: Record<Kind, Samples>): void {
  if (times.without.count === 0) return
  if (title !== '') console.log(title)
  const columns = [
    ['avg', (each: Samples) => each.mean],
    ['p50', (each: Samples) => each.percentile(50)],
    ['p90', (each: Samples) => each.percentile(90)],
    ['p99', (each: Samples) => each.percentile(99)],
    ['p99.9', (each: Samples) => each.percentile(99.9)],
    ['max', (each: Samples) => each.max],
  ] as const
  const rows = KINDS.map((kind) => [
    `mask · ${kind} · Llama 3.1`,
    count(times[kind].count),
    ...columns.map(([, of]) => microseconds(of(times[kind]))),
  ])
  const ratios = KINDS.slice(1).map((kind) => [
    `  ${kind} ÷ without`,
    '',
    ...columns.map(([, of]) => `${(of(times[kind]) / of(times.without)).toFixed(2)} ×`),
  ])
  console.log(table(['budget', 'masks', ...columns.map(([name]) => name)], [...rows, ...ratios]))
}

/** One grammar for each kind, and one to ask for costs, so that none knows what another has learned. */
function compileEach(schema: string, vocabulary: Vocabulary): Record<Kind | 'costs', CompiledGrammar> | null {
  const options = { propertyOrder: 'any', whitespace: 'any', numbers: 'any' } as const
  try {
    const [without, far, near, costs] = [1, 2, 3, 4].map(() => compile(schema, vocabulary, options))
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

/** A text as the longest tokens that fit, again and again. */
function tokensOf(text: string, { trie }: Vocabulary): number[] {
  const bytes = new TextEncoder().encode(text)
  const tokens: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let id = -1
    let end = at + 1
    for (let node = 0, to = at; to < bytes.length; to++) {
      node = trie.child(node, bytes[to]!)
      if (node === 0) break
      if (trie.first[node]! === trie.first[node + 1]!) continue
      id = trie.tokens[trie.first[node]!]!
      end = to + 1
    }
    tokens.push(id)
    at = end
  }
  return tokens
}
