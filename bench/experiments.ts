/** The runs of the two experiments that were kept, as a page with charts: `docs/experiments.md`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cutChart, cutTable } from './cut/print.ts'
import { readTrace } from './cut.ts'
import { count, type RawTable, root, UsageError, writeRaw } from './lib.ts'
import { bars } from './report/bars.ts'
import { chart, linearAxis } from './report/svg.ts'
import {
  costTables,
  countOf,
  labelOf,
  OUTCOMES,
  type ScoredWay,
  scoreWays,
  strictTables,
} from './strict/tables.ts'
import { readRun } from './strict.ts'
import { json, type Options } from './terminal.ts'

export const summary =
  'writes docs/experiments.md and its charts from runs of `strict` and `cut` that were kept'

export const options = {
  from: {
    type: 'string',
    default: join(root, 'bench', 'experiments'),
    value: 'DIR',
    help: 'a folder with strict.jsonl and cut.json',
  },
  to: { type: 'string', default: join(root, 'docs'), value: 'DIR', help: 'where the page goes' },
  json: { ...json, help: 'writes what the calls cost, for `report`' },
} satisfies Options

/** What the outcomes are called. */
const NAMES = {
  exact: 'the right call',
  valid: 'valid, not the right one',
  rejected: 'rejected by the validator',
  cut: 'cut',
  none: 'no call',
} as const

/** Budgets between two lines of the table. */
const EVERY = 12

export function run(args: string[]): void {
  const { values } = parseArgs({ args, options })
  const strict = join(values.from, 'strict.jsonl')
  const cut = join(values.from, 'cut.json')
  for (const file of [strict, cut])
    if (!existsSync(file)) throw new UsageError(`${file} is not there; --from names the folder of the runs`)
  const lines = [
    '# The two experiments',
    '',
    ...strictSection(strict, values.to),
    '',
    ...cutSection(cut, values.to),
  ]
  writeFileSync(join(values.to, 'experiments.md'), `${lines.join('\n')}\n`)
  console.log(`wrote ${join(values.to, 'experiments.md')}`)
  if (values.json !== undefined)
    writeRaw(values.json, { bench: 'experiments', args, tables: costTables(readRun(strict).lines) })
}

function strictSection(file: string, to: string): string[] {
  const { head, lines } = readRun(file)
  draw(to, 'experiments-strict', barsOf(scoreWays(lines, 'stamp')))
  return [
    '## What strict does, and what it cannot do',
    '',
    `\`npm run demo:strict\` · ${head.date} · ${head.machine} · ${head.model}, greedy, at most ${head.maxTokens} tokens${head.every === 1 ? '' : `, every ${head.every}th request`}`,
    '',
    'The requests of `bench/requests`, one prompt for all ways but for the schema that it shows. Calls are judged by Ajv against the schema of the application (`stamp-tool.json`), formats asserted, whichever schema the model was shown (its `email` asks for a dot in the domain, which RFC 5321, and so the mask, does not); outputs without a mask are read loosely. A mask makes calls valid and no more: what a request does not say, a model of this size makes up.',
    '',
    '![What became of the requests, way by way](charts/experiments-strict.svg)',
    ...strictTables(lines).flatMap(markdown),
  ]
}

function barsOf(ways: readonly ScoredWay[]): string {
  return bars({
    title: 'What became of the requests',
    parts: OUTCOMES.map((outcome) => NAMES[outcome]),
    rows: ways.map(({ way, scored }) => ({
      name: labelOf(way),
      values: OUTCOMES.map((outcome) => countOf(scored, outcome)),
    })),
  })
}

function cutSection(file: string, to: string): string[] {
  const trace = readTrace(file)
  const { title, x, y, series } = cutChart(trace)
  const most = (part: 0 | 1): number =>
    Math.max(...series.flatMap(({ points }) => points.map((point) => point[part])))
  draw(
    to,
    'experiments-cut',
    chart({
      title,
      x: linearAxis(x.label, most(0), count, 'exact'),
      y: linearAxis(y.label, most(1), count),
      series,
    }),
  )
  const { steps, within } = trace
  const whole = within.filter(({ argumentsText }) => argumentsText !== null).length
  const budgets =
    within.length === 0
      ? []
      : [
          '',
          `With \`finishWithin: 'budget'\` ${whole} of ${within.length} budgets end complete, from ${within[0]!.budget} tokens, which the shortest call of this tool costs with its end token, to ${within.at(-1)!.budget}.`,
          ...markdown({
            title: 'The same call within a budget',
            header: ['maxTokens', 'tokens taken', 'the end of the arguments'],
            rows: within
              .filter((_, index) => index % EVERY === 0 || index === within.length - 1)
              .map(({ budget, tokens, argumentsText }) => [
                String(budget),
                String(tokens),
                argumentsText === null ? 'cut' : `\`…${argumentsText.slice(-60)}\``,
              ]),
          }),
        ]
  return [
    '## Why a grammar does not guarantee completion',
    '',
    `\`npm run demo:cut\` · ${trace.model}, greedy · “${trace.request}”`,
    '',
    `Every token of the call is legal, and it took ${steps.length - 1}. With fewer there is no call, but an account: the stack (\`<\` the call, \`{\` an object, \`[\` a list, \`"\` a string or a key, \`#\` a number, \`a\` what has one spelling), what each frame needs, and the shortest end with its cost in tokens. \`--html FILE\` writes a page that steps through it.`,
    '',
    '![Tokens that an end still costs, and frames that are open](charts/experiments-cut.svg)',
    ...markdown(cutTable(trace, EVERY)),
    ...budgets,
    '',
    '![The page: a step, its text, the stack, and the choice of the next token](demo-cut.png)',
  ]
}

function draw(to: string, name: string, svg: string): void {
  const folder = join(to, 'charts')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.svg`), svg)
}

function markdown({ title, header, rows }: RawTable): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = header.map((_, column) => (column === 0 ? '---' : '---:'))
  return ['', `**${title}**`, '', line(header), `|${rule.join('|')}|`, ...rows.map(line)]
}
