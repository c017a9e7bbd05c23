/** What the ways made of the requests, as tables. */
import { percent, type RawTable } from '../lib.ts'
import { type Request, stampTool, tools } from './requests.ts'
import { type Line, requestsOf, WAYS, type Way } from './run.ts'
import { type Outcome, type Score, score, Validator } from './score.ts'

export const OUTCOMES: readonly Outcome[] = ['exact', 'valid', 'rejected', 'cut', 'none']

/** A line beside its request and what it was worth. */
export interface Scored {
  readonly line: Line
  readonly request: Request
  readonly score: Score
}

export interface ScoredWay {
  readonly way: Way
  readonly scored: readonly Scored[]
}

/** The ways that were run, in their order. */
export function scoreWays(lines: readonly Line[], set: Way['set']): ScoredWay[] {
  const requests = new Map(requestsOf(set).map((request) => [request.id, request]))
  const validator = new Validator(set === 'stamp' ? [stampTool('generated')] : tools())
  return WAYS.filter((way) => way.set === set)
    .map((way) => {
      const own = lines.filter((line) => line.way === way.name && requests.has(line.id))
      const scored = own.map((line) => {
        const request = requests.get(line.id)!
        return { line, request, score: score(line, request, validator) }
      })
      return { way, scored }
    })
    .filter(({ scored }) => scored.length > 0)
}

export function labelOf({ set, prompt, mask }: Way): string {
  const masked = { off: 'no mask', on: 'mask', budget: 'mask and budget' }[mask]
  return set === 'stamp' ? `${prompt} schema, ${masked}` : masked
}

export function countOf(scored: readonly Scored[], outcome: Outcome): number {
  return scored.filter((each) => each.score.outcome === outcome).length
}

const OF_TOOLS = ', of the requests for one of twelve tools'

export function strictTables(lines: readonly Line[]): RawTable[] {
  const stamp = scoreWays(lines, 'stamp')
  const many = scoreWays(lines, 'tools')
  const tables = [
    ...(stamp.length === 0
      ? []
      : [outcomes(stamp), licences(stamp), reasons(stamp), fields(stamp), costs(stamp)]),
    ...(many.length === 0 ? [] : [kinds(many), names(many), reasons(many, OF_TOOLS), costs(many, OF_TOOLS)]),
  ]
  // Where nothing was rejected there are no reasons.
  return tables.filter(({ rows }) => rows.length > 0)
}

/** Tokens, forced tokens and the time in masks, way by way. */
export function costTables(lines: readonly Line[]): RawTable[] {
  const [stamp, many] = [scoreWays(lines, 'stamp'), scoreWays(lines, 'tools')]
  return [
    ...(stamp.length === 0 ? [] : [costs(stamp)]),
    ...(many.length === 0 ? [] : [costs(many, OF_TOOLS)]),
  ]
}

function outcomes(ways: readonly ScoredWay[]): RawTable {
  return {
    title: 'Requests to put a set in line for a seal, by what became of them',
    header: [
      'way',
      'requests',
      'right',
      'valid, not right',
      'rejected',
      'cut',
      'no call',
      'rejected of whole calls',
    ],
    rows: ways.map(({ way, scored }) => {
      const whole = scored.filter(({ score: { outcome } }) => outcome !== 'cut' && outcome !== 'none').length
      return [
        labelOf(way),
        String(scored.length),
        ...OUTCOMES.map((outcome) => String(countOf(scored, outcome))),
        percent(countOf(scored, 'rejected'), whole),
      ]
    }),
  }
}

/** What was said of the licence where the request mentions none. */
function licences(ways: readonly ScoredWay[]): RawTable {
  return {
    title: 'The licence, of requests that mention none and of those that give one',
    header: ['way', 'mention none', 'null', 'made up', 'left out, or no call', 'give one', 'right'],
    rows: ways.map(({ way, scored }) => {
      const isNone = ({ request }: Scored): boolean =>
        request.expected[0]!.arguments.pe_license_number === null
      const none = scored.filter(isNone).map(({ score: { calls, outcome } }) => {
        const given = outcome === 'cut' ? undefined : (calls[0]?.arguments as { pe_license_number?: unknown })
        return given?.pe_license_number
      })
      const given = scored.filter((each) => !isNone(each))
      const nulls = none.filter((value) => value === null).length
      const missing = none.filter((value) => value === undefined).length
      return [
        labelOf(way),
        none.length,
        nulls,
        none.length - nulls - missing,
        missing,
        given.length,
        given.filter(({ score: { fields: right } }) => right.pe_license_number).length,
      ].map(String)
    }),
  }
}

/** A count for each thing that was wrong; a call may have several. */
function reasons(ways: readonly ScoredWay[], of = ''): RawTable {
  const counts = ways.map(({ scored }) => {
    const count = new Map<string, number>()
    for (const { score: each } of scored)
      for (const violation of each.violations) count.set(violation, (count.get(violation) ?? 0) + 1)
    return count
  })
  const sum = (name: string): number => counts.reduce((total, count) => total + (count.get(name) ?? 0), 0)
  const all = [...new Set(counts.flatMap((count) => [...count.keys()]))]
  return {
    title: `Why calls were rejected${of}; one may have several reasons`,
    header: ['reason', ...ways.map(({ way }) => labelOf(way))],
    rows: all
      .sort((a, b) => sum(b) - sum(a) || (a < b ? -1 : 1))
      .map((name) => [name, ...counts.map((count) => String(count.get(name) ?? 0))]),
  }
}

function fields(ways: readonly ScoredWay[]): RawTable {
  const names = [
    ...new Set(ways.flatMap(({ scored }) => scored.flatMap(({ score: each }) => Object.keys(each.fields)))),
  ]
  const cell = (scored: readonly Scored[], name: string): string => {
    const asked = scored.filter(({ score: each }) => Object.hasOwn(each.fields, name))
    return percent(asked.filter(({ score: each }) => each.fields[name]).length, asked.length)
  }
  const all = ({ scored }: ScoredWay): string => {
    const values = scored.flatMap(({ score: each }) => Object.values(each.fields))
    return percent(values.filter(Boolean).length, values.length)
  }
  return {
    title:
      'Arguments that are right, of all requests that fix them; of a call that was cut, or is none, none is',
    header: ['argument', ...ways.map(({ way }) => labelOf(way))],
    rows: [
      ...names.map((name) => [name, ...ways.map(({ scored }) => cell(scored, name))]),
      ['all', ...ways.map(all)],
    ],
  }
}

function costs(ways: readonly ScoredWay[], of = ''): RawTable {
  return {
    title: `What it cost${of}`,
    header: ['way', 'prompt tokens', 'read before', 'tokens', 'forced', 's', 'ms/token', 'masks'],
    rows: ways.map(({ way, scored }) => {
      const sum = (key: keyof Line): number =>
        scored.reduce((total, { line }) => total + Number(line[key]), 0)
      return [
        labelOf(way),
        (sum('promptTokens') / scored.length).toFixed(0),
        percent(sum('reusedTokens'), sum('promptTokens')),
        String(sum('tokens')),
        percent(sum('forcedTokens'), sum('tokens')),
        (sum('ms') / 1000).toFixed(1),
        ((sum('ms') - sum('promptMs')) / sum('tokens')).toFixed(1),
        percent(sum('maskMs'), sum('ms')),
      ]
    }),
  }
}

/** Right calls, all of them and none left over, by what is right. */
function kinds(ways: readonly ScoredWay[]): RawTable {
  const all = [...new Set(ways.flatMap(({ scored }) => scored.map(({ request }) => request.kind)))]
  return {
    title: 'Requests for one of twelve tools: the right tools / the right arguments too, of all',
    header: ['way', ...all, 'all'],
    rows: ways.map(({ way, scored }) => {
      const cell = (own: readonly Scored[]): string => {
        const named = own.filter(
          ({ score: { outcome, wrongNames, missing, extra } }) =>
            outcome !== 'cut' && wrongNames + missing + extra === 0,
        )
        return `${named.length} / ${countOf(own, 'exact')} of ${own.length}`
      }
      return [
        labelOf(way),
        ...all.map((kind) => cell(scored.filter(({ request }) => request.kind === kind))),
        cell(scored),
      ]
    }),
  }
}

function names(ways: readonly ScoredWay[]): RawTable {
  return {
    title: 'What went wrong with them',
    header: ['way', 'rejected', 'cut', 'no call', 'wrong tool', 'call missing', 'call too many'],
    rows: ways.map(({ way, scored }) => {
      const sum = (key: 'wrongNames' | 'missing' | 'extra'): number =>
        scored.reduce((total, { score: each }) => total + each[key], 0)
      return [
        labelOf(way),
        countOf(scored, 'rejected'),
        countOf(scored, 'cut'),
        countOf(scored, 'none'),
        sum('wrongNames'),
        sum('missing'),
        sum('extra'),
      ].map(String)
    }),
  }
}
