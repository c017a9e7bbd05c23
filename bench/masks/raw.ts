/** The figures of `masks` for `--json`: all that `report` draws, in a form that a run of 6,266 schemas fits into a few MB. */
import type { Opened } from '../peers/protocol.ts'
import { type Ratio, type Spread, spread } from './print.ts'
import type { EngineRecord, Times, Verdict } from './record.ts'

/** Points of the memory curve. */
const MEMORY_POINTS = 200

export interface MasksFigures {
  readonly every: number
  readonly cold: boolean
  readonly vocabulary: number
  readonly schemas: number
  readonly runs: number
  readonly engines: readonly EngineFigures[]
  /** Over the schemas that every engine compiles. */
  readonly shared: { readonly schemas: number; readonly engines: readonly SubsetFigures[] }
  readonly ratios: readonly Ratio[]
  readonly ids: readonly string[]
  readonly sources: readonly string[]
}

type Spreads = { readonly [column in keyof Times]: Spread }

interface SubsetFigures {
  readonly name: string
  /** Microseconds, over the runs. */
  readonly tokens: Spreads
  readonly compile: Spreads
}

export interface EngineFigures extends SubsetFigures {
  readonly version: string
  readonly settings: string
  readonly overheadNs: number
  readonly loadMs: number
  readonly firstToken: Spreads
  /** Schemas with each verdict; with at least one instance judged so. */
  readonly counts: Record<Verdict | 'stopped' | 'validRefused' | 'invalidAccepted', number>
  /** Of the run whose mean is the median: `[bucket, count]`, see `EngineRecord.histogram`. */
  readonly histogram: readonly (readonly [number, number])[]
  /** Microseconds, ascending, of the same run. */
  readonly compileTimes: readonly number[]
  /** `[schemas, resident, heap]` in bytes, of the first run. */
  readonly memory: readonly (readonly [number, number, number])[]
  /** By schema: the verdict's first letter; tokens, their mean and their maximum in µs. */
  readonly verdicts: string
  readonly tokensOf: readonly number[]
  readonly meanOf: readonly number[]
  readonly maxOf: readonly number[]
}

interface Source {
  readonly every: number
  readonly cold: boolean
  readonly vocabulary: number
  readonly sources: readonly string[]
  readonly ids: readonly string[]
  readonly engines: readonly {
    readonly name: string
    readonly runs: readonly EngineRecord[]
    readonly opened: Opened
  }[]
  readonly ratios: readonly Ratio[]
}

export function figures({ every, cold, vocabulary, sources, ids, engines, ratios }: Source): MasksFigures {
  const shared = (schema: number): boolean => engines.every(({ runs }) => runs[0]!.compiled(schema))
  return {
    every,
    cold,
    vocabulary,
    schemas: ids.length,
    runs: engines[0]!.runs.length,
    engines: engines.map(({ name, runs, opened }) => engineFigures(name, runs, opened)),
    shared: {
      schemas: ids.filter((_, schema) => shared(schema)).length,
      engines: engines.map(({ name, runs }) => subset(name, runs, shared)),
    },
    ratios,
    ids,
    sources,
  }
}

function subset(
  name: string,
  runs: readonly EngineRecord[],
  included?: (schema: number) => boolean,
): SubsetFigures {
  return {
    name,
    tokens: spreads(runs.map((run) => run.tokenTimes(included))),
    compile: spreads(runs.map((run) => run.compileTimes(included))),
  }
}

function engineFigures(name: string, runs: readonly EngineRecord[], opened: Opened): EngineFigures {
  const figures = subset(name, runs)
  const middle = runs.find((run) => run.tokenTimes().mean === figures.tokens.mean.median) ?? runs[0]!
  const first = runs[0]!
  const having = (test: (schema: number) => boolean): number =>
    first.verdicts.filter((_, schema) => test(schema)).length
  const verdict = (wanted: Verdict): number => having((schema) => first.verdicts[schema] === wanted)
  const schemas = first.verdicts.map((_, schema) => first.schemaTokens(schema))
  const memoryStep = Math.ceil(first.memory.length / MEMORY_POINTS)
  return {
    ...figures,
    version: opened.version,
    settings: opened.settings,
    overheadNs: opened.overheadNs,
    loadMs: opened.loadMs,
    firstToken: spreads(runs.map((run) => run.firstTokenTimes())),
    counts: {
      passing: verdict('passing'),
      refused: verdict('refused'),
      failed: verdict('failed'),
      wrong: verdict('wrong'),
      stopped: having((schema) => first.wrong[schema]!.stopped > 0),
      validRefused: having((schema) => first.wrong[schema]!.validRefused > 0),
      invalidAccepted: having((schema) => first.wrong[schema]!.invalidAccepted > 0),
    },
    histogram: middle.histogram(),
    compileTimes: middle.compiles
      .filter((time) => Number.isFinite(time))
      .sort((a, b) => a - b)
      .map(short),
    memory: first.memory.flatMap((each, schema) =>
      each !== null && (schema % memoryStep === 0 || schema === first.memory.length - 1)
        ? [[schema + 1, each.resident, each.heap] as const]
        : [],
    ),
    verdicts: first.verdicts.map((each) => each[0]).join(''),
    tokensOf: schemas.map((each) => each.count),
    meanOf: schemas.map((each) => short(each.mean)),
    maxOf: schemas.map((each) => short(each.max)),
  }
}

function spreads(runs: readonly Times[]): Spreads {
  const columns = Object.keys(runs[0]!) as (keyof Times)[]
  return Object.fromEntries(
    columns.map((column) => [column, spread(runs.map((run) => run[column]))]),
  ) as Spreads
}

/** Four digits are more than any time is exact to. */
function short(value: number): number {
  return Number(value.toPrecision(4))
}
