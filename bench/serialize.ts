/**
 * A compiled grammar from its bytes: how much sooner than from its schema, and in how many bytes?
 *
 * Each schema of the sample is compiled, written, and read again, the vocabulary known; so is the place of a matcher in the middle
 * of its first instance. Compiling and loading take turns, several times each; of each schema the least time counts, since
 * what other programs do on the machine only adds to it. In both what is made lazily is made later, at the first mask: that
 * is timed from either.
 */
import { parseArgs } from 'node:util'
import { CompiledGrammar, compile, LimitError, SchemaError, type Vocabulary } from '../src/core.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
import {
  bytes,
  count,
  data,
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
import { json, type Options, Progress } from './terminal.ts'

export const summary = 'compiled grammars and matchers as bytes: loading beside compiling, sizes'

export const options = {
  every: { type: 'string', default: '100', value: 'N', help: 'one schema of N' },
  rounds: { type: 'string', default: '5', value: 'N', help: 'times that each is compiled and loaded' },
  data,
  json,
} satisfies Options

/** What is measured of each schema. */
const MEASURES = [
  'compile',
  'load',
  'compile + mask',
  'load + mask',
  'write',
  'write matcher',
  'restore',
] as const
type Measure = (typeof MEASURES)[number]

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const every = positive('--every', values.every)
  const rounds = positive('--rounds', values.rounds)
  const vocabulary = llamaVocabulary()
  const times = Object.fromEntries(MEASURES.map((name) => [name, new Samples()])) as Record<Measure, Samples>
  const sizes = { schema: new Samples(), grammar: new Samples(), text: new Samples(), matcher: new Samples() }
  const ratios = new Samples()
  const progress = new Progress()
  for await (const { schema, tests } of sampleMaskbench(values.data, every)) {
    progress.show(`${count(times.compile.count)} schemas`)
    const least = measure(schema, tests.find(({ valid }) => valid)?.text ?? '', vocabulary, rounds, sizes)
    if (least === null) continue
    for (const name of MEASURES) if (least[name] < Number.POSITIVE_INFINITY) times[name].add(least[name])
    ratios.add(least.compile / least.load)
  }
  progress.end()
  const spread = (samples: Samples, show: (value: number) => string): string[] => [
    count(samples.count),
    ...[50, 90, 99].map((p) => show(samples.percentile(p))),
    show(samples.max),
    show(samples.sum),
  ]
  const tables: RawTable[] = [
    {
      title: 'Time',
      header: ['', 'samples', 'p50', 'p90', 'p99', 'max', 'sum'],
      rows: [
        ...MEASURES.map((name) => [name, ...spread(times[name], microseconds)]),
        [
          'compile / load, of one schema',
          count(ratios.count),
          ...[50, 90, 99].map((p) => `${ratios.percentile(p).toFixed(1)} ×`),
          `${ratios.max.toFixed(1)} ×`,
          '',
        ],
      ],
    },
    {
      title: 'Size',
      header: ['', 'samples', 'p50', 'p90', 'p99', 'max', 'sum'],
      rows: [
        ['schema', ...spread(sizes.schema, bytes)],
        ['compiled grammar', ...spread(sizes.grammar, bytes)],
        ['text of a matcher', ...spread(sizes.text, bytes)],
        ['matcher', ...spread(sizes.matcher, bytes)],
      ],
    },
  ]
  printTables(tables)
  console.log(`\n${machine()}`)
  if (values.json !== undefined) writeRaw(values.json, { bench: 'serialize', args, tables })
}

/** The least times of one schema, in microseconds; `null` where it is refused. */
function measure(
  schema: string,
  instance: string,
  vocabulary: Vocabulary,
  rounds: number,
  sizes: Record<'schema' | 'grammar' | 'text' | 'matcher', Samples>,
): Record<Measure, number> | null {
  const least = Object.fromEntries(MEASURES.map((name) => [name, Number.POSITIVE_INFINITY])) as Record<
    Measure,
    number
  >
  const timed = <T>(name: Measure, work: () => T): T => {
    const start = performance.now()
    const made = work()
    least[name] = Math.min(least[name], (performance.now() - start) * 1e3)
    return made
  }
  const text = Buffer.from(instance, 'utf8')
  const half = text.subarray(0, text.length >> 1)
  for (let round = 0; round < rounds; round++) {
    let grammar: CompiledGrammar
    try {
      grammar = timed('compile', () => compile(schema, vocabulary, MODE))
    } catch (error) {
      if (error instanceof SchemaError || error instanceof LimitError) return null
      throw error
    }
    const written = timed('write', () => grammar.serialize())
    const loaded = timed('load', () => CompiledGrammar.deserialize(written, vocabulary))
    timed('compile + mask', () => compile(schema, vocabulary, MODE).matcher().mask())
    timed('load + mask', () => CompiledGrammar.deserialize(written, vocabulary).matcher().mask())
    const matcher = loaded.matcher()
    const isRead = matcher.acceptBytes(half)
    const place = timed('write matcher', () => matcher.serialize())
    if (isRead) timed('restore', () => grammar.restore(place))
    if (round > 0) continue
    sizes.schema.add(Buffer.byteLength(schema))
    sizes.grammar.add(written.length)
    if (!isRead) continue
    sizes.text.add(half.length)
    sizes.matcher.add(place.length)
  }
  return least
}
