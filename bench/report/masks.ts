/** The part of the report that `masks` gives: verdicts, times beside other engines, and three charts. */
import { bytes, count, microseconds, percent } from '../lib.ts'
import type { Ratio, Spread } from '../masks/print.ts'
import type { EngineFigures, MasksFigures } from '../masks/raw.ts'
import { type Chart, linearAxis, logAxis, percentileAxis, type Series } from './svg.ts'

/** Cells of a Markdown table. */
export interface MarkdownTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function engineTable({ engines, schemas, runs }: MasksFigures): MarkdownTable {
  return {
    header: [
      'engine',
      'passing',
      'refused · failed · stopped',
      'valid refused · invalid accepted',
      'mask + accept: avg · p50 · p99 · p99.9 · max',
      'compile: p50 · p99 · max',
    ],
    rows: engines.map((engine) => [
      `${engine.name} ${engine.version}`,
      percent(engine.counts.passing, schemas),
      [engine.counts.refused, engine.counts.failed, engine.counts.stopped].map(count).join(' · '),
      [engine.counts.validRefused, engine.counts.invalidAccepted].map(count).join(' · '),
      timesOf(engine.tokens, ['mean', 'p50', 'p99', 'p999', 'max'], runs),
      timesOf(engine.compile, ['p50', 'p99', 'max'], runs),
    ]),
  }
}

export function sharedTable({ shared, runs }: MasksFigures): MarkdownTable {
  return {
    header: ['engine', 'mask + accept: avg · p50 · p99 · p99.9 · max', 'compile: p50 · p99 · max'],
    rows: shared.engines.map(({ name, tokens, compile }) => [
      name,
      timesOf(tokens, ['mean', 'p50', 'p99', 'p999', 'max'], runs),
      timesOf(compile, ['p50', 'p99', 'max'], runs),
    ]),
  }
}

export function ratioRows(ratios: readonly Ratio[]): MarkdownTable {
  return {
    header: ['peer ÷ Espalier, where both compile', 'schemas', 'avg', 'p50', 'p99', 'compile p50'],
    rows: ratios.map(({ peer, schemas, mean, p50, p99, compileP50 }) => [
      peer,
      count(schemas),
      ...[mean, p50, p99, compileP50].map(factor),
    ]),
  }
}

/** What engines were set to, and what measuring adds. */
export function settings({ engines }: MasksFigures): string[] {
  return engines.map(
    ({ name, version, settings: own, overheadNs }) =>
      `- ${name} ${version}: ${own}. The measuring itself is ${(overheadNs / 1000).toFixed(2)} µs of each of its times.`,
  )
}

export function maskChart(figures: MasksFigures): Chart {
  const samples = Math.max(...figures.engines.map(({ tokens }) => tokens.count.median))
  const series = figures.engines.map(
    (engine): Series => ({ name: engine.name, points: fromHistogram(engine) }),
  )
  const times = series.flatMap(({ points }) => points.map(([, time]) => time))
  return {
    title: `Mask + accept of a token, ${figures.cold ? 'grammar compiled for each instance' : 'grammar warm'}`,
    x: percentileAxis('tokens that took no longer', samples),
    y: logAxis('time of a token', powerBelow(times), powerAbove(times), microsecondsShort),
    series,
  }
}

export function compileChart(figures: MasksFigures): Chart {
  const series = figures.engines.map(
    ({ name, compileTimes }): Series => ({
      name,
      points: compileTimes.map((time, index) => [(index + 0.5) / compileTimes.length, time]),
    }),
  )
  const times = series.flatMap(({ points }) => points.map(([, time]) => time))
  return {
    title: 'Compiling a schema',
    x: percentileAxis('schemas that took no longer', Math.max(...series.map(({ points }) => points.length))),
    y: logAxis('time of a schema', powerBelow(times), powerAbove(times), microsecondsShort),
    series,
  }
}

export function memoryChart(figures: MasksFigures): Chart {
  const series = figures.engines.map(
    ({ name, memory }): Series => ({
      name,
      points: memory.map(([schemas, resident]) => [schemas, resident]),
    }),
  )
  const most = Math.max(...series.flatMap(({ points }) => points.map(([, resident]) => resident)))
  return {
    title: 'Resident memory of the process over the run',
    x: linearAxis('schemas compiled and followed', figures.schemas, count, 'exact'),
    y: linearAxis('resident memory', most, bytes),
    series,
  }
}

/** Each bucket ends at the part of the tokens that it holds with those below it; the slowest token is half a token away from all. */
function fromHistogram({ histogram }: EngineFigures): [number, number][] {
  const total = histogram.reduce((sum, [, tokens]) => sum + tokens, 0)
  let below = 0
  return histogram.flatMap(([bucket, tokens]): [number, number][] => {
    const time = 10 ** ((bucket + 0.5) / 100)
    const start = below
    below += tokens
    return [
      [(start + 0.5) / total, time],
      [(below - 0.5) / total, time],
    ]
  })
}

function timesOf<Column extends string>(
  times: { readonly [column in Column]: Spread },
  columns: readonly Column[],
  runs: number,
): string {
  return columns
    .map((column) => microseconds(column === 'max' && runs > 1 ? times[column].min : times[column].median))
    .join(' · ')
}

function factor({ median, min, max }: Spread): string {
  const write = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
  return min === max ? `${write(median)} ×` : `${write(median)} × (${write(min)} – ${write(max)})`
}

/** `1 µs`, `10 ms`: powers of ten. */
export function microsecondsShort(value: number): string {
  if (value >= 0.9e6) return `${Math.round(value / 1e6)} s`
  if (value >= 0.9e3) return `${Math.round(value / 1e3)} ms`
  return value >= 0.9 ? `${Math.round(value)} µs` : `${Math.round(value * 1000)} ns`
}

export function powerBelow(values: readonly number[]): number {
  return 10 ** Math.floor(Math.log10(Math.min(...values)))
}

export function powerAbove(values: readonly number[]): number {
  return 10 ** Math.ceil(Math.log10(Math.max(...values)))
}
