/**
 * The tables of `masks`.
 *
 * Of several runs a figure is the median over them with the smallest and the largest beneath; a maximum is the smallest of
 * the runs, because one collection of garbage, or one other process, makes any single one. Ratios are taken within a run.
 */
import { bytes, count, microseconds, percent, table } from '../lib.ts'
import type { EngineRecord, Times } from './record.ts'

/** One engine, and its record of each run. */
export interface Measured {
  readonly name: string
  readonly runs: readonly EngineRecord[]
}

type Included = (schema: number) => boolean

const COLUMNS = ['mean', 'p50', 'p90', 'p99', 'p999', 'max'] as const satisfies readonly (keyof Times)[]
const TITLES = ['avg', 'p50', 'p90', 'p99', 'p99.9', 'max']

/** The middle one of the runs (the upper of two), the smallest and the largest. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  return { median: sorted[sorted.length >> 1]!, min: sorted[0]!, max: sorted.at(-1)! }
}

/** Verdicts and times of each engine. */
export function engines(measured: readonly Measured[], included?: Included): string {
  const rows: string[][] = []
  for (const { name, runs } of measured) {
    const first = runs[0]!
    const of = first.verdicts.map((_, schema) => schema).filter((schema) => included?.(schema) ?? true)
    const having = (test: (schema: number) => boolean): number => of.filter(test).length
    const tokens = runs.map((run) => run.tokenTimes(included))
    const compiles = runs.map((run) => run.compileTimes(included))
    rows.push([
      name,
      percent(
        having((schema) => first.verdicts[schema] === 'passing'),
        of.length,
      ),
      count(having((schema) => first.verdicts[schema] === 'refused')),
      count(having((schema) => first.verdicts[schema] === 'failed')),
      count(having((schema) => first.wrong[schema]!.stopped > 0)),
      count(having((schema) => first.wrong[schema]!.validRefused > 0)),
      count(having((schema) => first.wrong[schema]!.invalidAccepted > 0)),
      ...COLUMNS.filter((column) => column !== 'p90').map((column) => cell(tokens, column)),
      ...(['p50', 'p99', 'max'] as const).map((column) => cell(compiles, column)),
    ])
  }
  const header = ['engine', 'passing', 'refused', 'failed', 'stopped', 'valid refused', 'invalid accepted']
  const times = TITLES.filter((title) => title !== 'p90')
  return table([...header, ...times, 'compile p50', 'p99', 'max'], rows)
}

function cell(runs: readonly Times[], column: keyof Times): string {
  const { median, min } = spread(runs.map((run) => run[column]))
  return microseconds(column === 'max' ? min : median)
}

/** Every figure of one engine, with the range over the runs where there were several. */
export function details({ name, runs }: Measured): string {
  const kinds: [string, Times[]][] = [
    ['mask + accept', runs.map((run) => run.tokenTimes())],
    ['compile', runs.map((run) => run.compileTimes())],
    ['compile + first token', runs.map((run) => run.firstTokenTimes())],
  ]
  const rows = kinds.flatMap(([kind, times]) => {
    const figures = [kind, count(times[0]!.count), ...COLUMNS.map((column) => cell(times, column))]
    if (runs.length === 1) return [figures]
    const range = COLUMNS.map((column) => {
      const { min, max } = spread(times.map((each) => each[column]))
      return `${microseconds(min)} – ${microseconds(max)}`
    })
    return [figures, ['  over the runs', '', ...range]]
  })
  return table([name, 'samples', ...TITLES], rows)
}

/** Figures of a peer divided by ours, within each run, over the schemas that both compile. */
export interface Ratio {
  readonly peer: string
  readonly schemas: number
  readonly mean: Spread
  readonly p50: Spread
  readonly p99: Spread
  readonly compileP50: Spread
}

export function ratios(ours: Measured, peers: readonly Measured[]): Ratio[] {
  return peers.map((peer) => {
    const both: Included = (schema) => ours.runs[0]!.compiled(schema) && peer.runs[0]!.compiled(schema)
    const mine = ours.runs.map((run) => [run.tokenTimes(both), run.compileTimes(both)] as const)
    const theirs = peer.runs.map((run) => [run.tokenTimes(both), run.compileTimes(both)] as const)
    const ratio = (which: 0 | 1, column: keyof Times): Spread =>
      spread(theirs.map((times, run) => times[which][column] / mine[run]![which][column]))
    return {
      peer: peer.name,
      schemas: ours.runs[0]!.verdicts.filter((_, schema) => both(schema)).length,
      mean: ratio(0, 'mean'),
      p50: ratio(0, 'p50'),
      p99: ratio(0, 'p99'),
      compileP50: ratio(1, 'p50'),
    }
  })
}

export function ratioTable(all: readonly Ratio[]): string {
  const write = ({ median, min, max }: Spread): string =>
    min === max ? factor(median) : `${factor(median)} (${factor(min)} – ${factor(max)})`
  return table(
    ['peer ÷ ours, where both compile', 'schemas', 'avg', 'p50', 'p99', 'compile p50'],
    all.map(({ peer, schemas, mean, p50, p99, compileP50 }) => [
      peer,
      count(schemas),
      ...[mean, p50, p99, compileP50].map(write),
    ]),
  )
}

function factor(value: number): string {
  return Number.isFinite(value) ? `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ×` : '–'
}

/** Verdicts of one engine by source, instances counted. */
export function bySource(record: EngineRecord, sources: readonly string[]): string {
  const header = [
    'source',
    'schemas',
    'passing',
    'of compiled',
    'refused',
    'valid refused',
    'invalid accepted',
  ]
  const row = (name: string, schemas: readonly number[]): string[] => {
    const having = (test: (schema: number) => boolean): number => schemas.filter(test).length
    const sum = (kind: 'validRefused' | 'invalidAccepted'): number =>
      schemas.reduce((total, schema) => total + record.wrong[schema]![kind], 0)
    const passing = having((schema) => record.verdicts[schema] === 'passing')
    const compiled = having((schema) => record.compiled(schema))
    return [
      name,
      count(schemas.length),
      percent(passing, schemas.length),
      percent(passing, compiled),
      count(schemas.length - compiled),
      count(sum('validRefused')),
      count(sum('invalidAccepted')),
    ]
  }
  const all = sources.map((_, schema) => schema)
  const rows = [...new Set(sources)].map((source) =>
    row(
      source,
      all.filter((schema) => sources[schema] === source),
    ),
  )
  return table(header, [...rows, row('all', all)])
}

/** Why schemas were refused or failed, the commonest reason first. */
export function refusals(record: EngineRecord, verbose: boolean): string {
  const reasons = [...record.refusals].sort((a, b) => b[1].length - a[1].length)
  const shown = verbose ? reasons : reasons.slice(0, 12)
  const lines = [
    table(
      ['refused because of', 'schemas'],
      shown.map(([reason, ids]) => [reason, count(ids.length)]),
    ),
  ]
  if (reasons.length > shown.length) lines.push(`and ${reasons.length - shown.length} other reasons`)
  if (verbose) for (const [reason, ids] of shown) lines.push(`${reason}: ${ids.join(' ')}`)
  return lines.join('\n')
}

/** Resident memory: with the vocabulary, and what the schemas added to it. */
export function memory(name: string, opened: number, record: EngineRecord): string {
  const last = record.memory.findLast((each) => each !== null)
  const growth = last === undefined || last === null ? '–' : bytes(last.resident - opened)
  return `${name}: ${bytes(opened)} with the vocabulary, ${growth} growth over the run`
}
