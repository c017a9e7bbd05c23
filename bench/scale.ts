/**
 * What does it cost when one thing grows, and is it what it should be?
 *
 * A figure is the best of a few grammars that are compiled anew, so that what remains is the work and not the machine. The
 * median mask is to grow at most twofold from the smallest to the largest, and at most in proportion to a vocabulary; the
 * time to compile at most in proportion.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { hasBit } from '../src/bits.ts'
import { compile, LimitError, SchemaError, Vocabulary } from '../src/core.ts'
import { compileGrammar } from '../src/mask/compile.ts'
import type { CompiledGrammar } from '../src/mask/compiled-grammar.ts'
import { splitOptions } from '../src/mask/options.ts'
import { turnGrammar } from '../src/tools/call-grammar.ts'
import { readTools } from '../src/tools/definitions.ts'
import { hermes } from '../src/tools/formats/hermes.ts'
import {
  bytes,
  count,
  llamaTokenizer,
  machine,
  microseconds,
  printTables,
  type RawChart,
  type RawTable,
  Samples,
  settledHeapBytes,
  UsageError,
  writeRaw,
} from './lib.ts'
import { openTokens } from './peers/tokens.ts'
import { DIMENSIONS, VOCABULARY_SIZES, VOCABULARY_WORKLOAD, type Workload } from './scale/dimensions.ts'
import { json, type Options } from './terminal.ts'

export const summary =
  'what properties, enum values, branches, depth, lengths, tools, tokens cost as they grow'

/** Grammars that are compiled for one figure, fewer where they take long together. */
const REPETITIONS = 5
const ENOUGH_MS = 3000

/** Microseconds and bytes. */
interface Point {
  readonly n: number
  readonly tokens: number
  readonly compile: number
  readonly median: number
  readonly max: number
  readonly held: number
}

interface Result {
  readonly name: string
  readonly points: readonly Point[]
  /** The sizes that were refused, and why. */
  readonly refused: readonly (readonly [n: number, reason: string])[]
}

export const options = {
  only: { type: 'string', value: 'PART', help: 'what grows and has this in its name' },
  json,
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const names = [...DIMENSIONS.map(({ name }) => name), 'vocabulary']
  const only = values.only
  if (only !== undefined && !names.some((name) => name.includes(only)))
    throw new UsageError(`nothing that grows is named '${only}'; there are ${names.join(', ')}`)
  const wanted = (name: string): boolean => only === undefined || name.includes(only)

  const tokens = openTokens(llamaTokenizer)
  const vocabulary = Vocabulary.fromTokenizerJson(readFileSync(llamaTokenizer, 'utf8'), {
    endTokens: [tokens.vocabulary.endToken],
  })
  const results: Result[] = []
  for (const { name, sizes, anyOrder = false, make } of DIMENSIONS) {
    if (!wanted(name)) continue
    const points: Point[] = []
    const refused: [number, string][] = []
    for (const n of sizes) {
      const workload = make(n)
      const point = await measure(n, workload, tokens.encode(workload.text), vocabulary, anyOrder)
      if (typeof point === 'string') refused.push([n, point])
      else points.push(point)
    }
    results.push({ name, points, refused })
  }
  if (wanted('vocabulary')) {
    const points: Point[] = []
    for (const n of [...VOCABULARY_SIZES, vocabulary.size]) {
      const part = n === vocabulary.size ? vocabulary : firstTokens(vocabulary, n)
      const ids = greedy(part, VOCABULARY_WORKLOAD.text)
      const point = await measure(n, VOCABULARY_WORKLOAD, ids, part, false)
      if (typeof point !== 'string') points.push(point)
    }
    results.push({ name: 'vocabulary', points, refused: [] })
  }

  const tables = [pointTable(results), verdictTable(results)]
  printTables(tables)
  console.log(`\n${machine()}`)
  if (values.json !== undefined) {
    writeRaw(values.json, { bench: 'scale', args, tables, charts: charts(results), figures: results })
  }
}

/** A point, or why the schema was refused. */
async function measure(
  n: number,
  workload: Workload,
  ids: readonly number[],
  vocabulary: Vocabulary,
  anyOrder: boolean,
): Promise<Point | string> {
  try {
    // The first time is the compiler's of JavaScript.
    follow(compileWorkload(workload, vocabulary, anyOrder), ids)
    let best: Omit<Point, 'held' | 'n'> | undefined
    const begun = performance.now()
    for (let i = 0; i < REPETITIONS && (i < 2 || performance.now() - begun < ENOUGH_MS); i++) {
      const started = performance.now()
      const grammar = compileWorkload(workload, vocabulary, anyOrder)
      const compiled = (performance.now() - started) * 1000
      const times = follow(grammar, ids)
      best = {
        tokens: ids.length,
        compile: Math.min(best?.compile ?? compiled, compiled),
        median: Math.min(best?.median ?? Number.POSITIVE_INFINITY, times.percentile(50)),
        max: Math.min(best?.max ?? Number.POSITIVE_INFINITY, times.max),
      }
    }
    return { n, ...best!, held: await weigh(workload, ids, vocabulary, anyOrder) }
  } catch (error) {
    if (!(error instanceof LimitError || error instanceof SchemaError)) throw error
    return `${error.name}: ${error.message}`
  }
}

function compileWorkload(
  { schema, tools = false }: Workload,
  vocabulary: Vocabulary,
  anyOrder: boolean,
): CompiledGrammar {
  const propertyOrder = anyOrder ? 'any' : 'schema'
  if (!tools) return compile(schema, vocabulary, { propertyOrder })
  const options = splitOptions({ propertyOrder })
  const turn = { format: hermes, tools: readTools(schema), mayTalk: false, max: 1, thinking: null }
  return compileGrammar(turnGrammar(turn, vocabulary, options.schema).grammar, vocabulary, options.mask)
}

function follow(grammar: CompiledGrammar, ids: readonly number[]): Samples {
  const matcher = grammar.matcher()
  const times = new Samples()
  for (const [at, id] of ids.entries()) {
    const started = performance.now()
    const mask = matcher.mask()
    const taken = hasBit(mask, id) && matcher.accept(id)
    times.add((performance.now() - started) * 1000)
    if (!taken) throw new Error(`token ${at} of the text is refused`)
  }
  if (!matcher.isComplete()) throw new Error('the text is not complete')
  return times
}

/** Bytes of the grammar and of what its masks have taught it. */
async function weigh(
  workload: Workload,
  ids: readonly number[],
  vocabulary: Vocabulary,
  anyOrder: boolean,
): Promise<number> {
  const before = await settledHeapBytes()
  const grammar = compileWorkload(workload, vocabulary, anyOrder)
  follow(grammar, ids)
  const held = (await settledHeapBytes()) - before
  // Read after the weighing, so that it is held until then.
  return grammar.sizes.contexts > 0 ? Math.max(0, held) : 0
}

/** A vocabulary of the first n tokens, which are the commonest: single bytes first, then merges as they were learnt. */
function firstTokens(vocabulary: Vocabulary, n: number): Vocabulary {
  const tokens = Array.from({ length: n }, (_, id) => vocabulary.bytes(id))
  return Vocabulary.fromBytes([...tokens, new TextEncoder().encode('<end>')], { endTokens: [n] })
}

/** The text in the longest tokens that fit, from the left. */
function greedy(vocabulary: Vocabulary, text: string): number[] {
  const ids = new Map<string, number>()
  for (let id = 0; id < vocabulary.size; id++) {
    const token = vocabulary.bytes(id)
    if (token !== null) ids.set(Buffer.from(token).toString('latin1'), id)
  }
  let longest = 1
  for (const key of ids.keys()) longest = Math.max(longest, key.length)
  const bytes = Buffer.from(text).toString('latin1')
  const chosen: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let length = Math.min(longest, bytes.length - at)
    while (!ids.has(bytes.slice(at, at + length))) length--
    chosen.push(ids.get(bytes.slice(at, at + length))!)
    at += length
  }
  return chosen
}

function pointTable(results: readonly Result[]): RawTable {
  return {
    title: 'Mask + accept, compile and bytes held, as one thing grows',
    header: ['what · n', 'tokens', 'compile', 'mask p50', 'mask max', 'held'],
    rows: results.flatMap(({ name, points, refused }) => [
      ...points.map(({ n, tokens, compile, median, max, held }) => [
        `${name} · ${count(n)}`,
        count(tokens),
        ...[compile, median, max].map(microseconds),
        bytes(held),
      ]),
      ...refused.map(([n, reason]) => [`${name} · ${count(n)}`, reason]),
    ]),
  }
}

/** Below this a mask is as cheap as copying it, and what is measured is the clock: microseconds. */
const FLOOR = 1
/** What no mask is to take: microseconds. */
const LONGEST_MASK = 50_000
/** Part that a ratio may be above what it should be, for the noise of the machine. */
const TOLERANCE = 1.25

function verdictTable(results: readonly Result[]): RawTable {
  const rows = results
    .filter(({ points }) => points.length > 1)
    .map(({ name, points }) => {
      const first = points[0]!
      const last = points.at(-1)!
      const larger = last.n / first.n
      const mask = Math.max(last.median, FLOOR) / Math.max(first.median, FLOOR)
      const allowed = name === 'vocabulary' ? larger : 2
      // Between the largest: what a compilation always costs hides the growth of small ones.
      const before = points.findLast(({ n }) => n * 5 <= last.n) ?? first
      const steps = Math.log10(last.n / before.n)
      const exponent = Math.log10(last.compile / before.compile) / steps
      const linear = last.compile / before.compile <= (last.n / before.n) * TOLERANCE
      return [
        `${name}, ${count(first.n)} to ${count(last.n)}`,
        `${mask.toFixed(2)} ×`,
        mask <= allowed * TOLERANCE ? 'as it should be' : `more than ${allowed.toFixed(0)} ×`,
        `n^${exponent.toFixed(2)}`,
        linear ? 'as it should be' : 'more than in proportion',
        microseconds(Math.max(...points.map(({ max }) => max))),
        points.every(({ max }) => max <= LONGEST_MASK)
          ? 'as it should be'
          : `more than ${microseconds(LONGEST_MASK)}`,
      ]
    })
  return {
    title: 'Is it as it should be?',
    header: ['what', 'median mask', '', 'compile, largest step', '', 'largest mask', ''],
    rows,
  }
}

function charts(results: readonly Result[]): RawChart[] {
  const one = (
    name: string,
    title: string,
    label: string,
    of: (point: Point) => number,
    unit: 'µs' | 'B',
  ) => ({
    name,
    title,
    x: { label: 'n', unit: '', scale: 'log' } as const,
    y: { label, unit, scale: 'log' } as const,
    series: results.map((result) => ({
      name: result.name,
      // What cannot be weighed beside the rest of the heap is not drawn.
      points: result.points.map((point) => [point.n, of(point)] as const).filter(([, value]) => value > 0),
    })),
  })
  return [
    one('mask', 'Median mask as one thing grows', 'mask + accept', ({ median }) => median, 'µs'),
    one('compile', 'Compiling as one thing grows', 'compile', ({ compile }) => compile, 'µs'),
    one('held', 'Bytes held as one thing grows', 'grammar and masks', ({ held }) => held, 'B'),
  ]
}
