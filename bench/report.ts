/**
 * What the benchmarks measured, as a page: reads the files that they wrote with `--json` and writes `docs/performance.md` and
 * the charts beside it.
 *
 * Each file is a section, whose name the charts carry; what nobody measured is named. The same files give the same page.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { bytes, count, microseconds, type Raw, type RawAxis, root, UsageError } from './lib.ts'
import type { MasksFigures } from './masks/raw.ts'
import {
  compileChart,
  engineTable,
  maskChart,
  memoryChart,
  microsecondsShort,
  powerAbove,
  powerBelow,
  ratioRows,
  settings,
  sharedTable,
} from './report/masks.ts'
import { type Axis, type Chart, chart, linearAxis, logAxis } from './report/svg.ts'
import type { Options } from './terminal.ts'

export const summary = 'writes docs/performance.md and its charts from the files of --json: --from DIR'

/** The sections in their order, and what each answers. */
const SECTIONS: readonly (readonly [bench: string, title: string, text: string])[] = [
  ['masks', 'MaskBench', ''],
  [
    'cold',
    'The first request',
    'A new process asks for a schema that it has not seen. The code is loaded, the vocabulary is not; a mask is timed together with the acceptance of its token.',
  ],
  ['warm', 'The same schema again', 'In the process that has compiled it before.'],
  [
    'load',
    'Loading a vocabulary',
    'From the path of a `tokenizer.json` to a vocabulary that schemas are compiled for.',
  ],
  [
    'memory',
    'Memory',
    'All schemas of MaskBench, one after another, over one vocabulary, every instance followed; garbage is collected before each look.',
  ],
  ['decode', 'Decoding with the shipped model', ''],
  [
    'budget',
    'Masks within a budget',
    'Texts of MaskBench token by token, on grammars compiled alike. *Far* is 4,000 tokens; *near* the cost of the place and 0 to 11 tokens more, at every place.',
  ],
  [
    'serialize',
    'Grammars and matchers as bytes',
    'Of each schema the least time of several; what is made lazily is made later in both, at the first mask.',
  ],
  [
    'grammars',
    'Grammars in GBNF',
    'The grammars of `grammars/` with the texts that the tests hold them to, each compiled anew in every run, and `json.gbnf` with the instances of every 40th schema of MaskBench. Every engine reads the same GBNF, llguidance by its own script, whose time is not counted.',
  ],
  ['tools', 'Tools', ''],
  [
    'experiments',
    'Tool calls over the two experiments',
    'What was written in the runs that `docs/experiments.md` shows: *forced* tokens are those that the model was not asked for, *masks* is the time in them of all the time.',
  ],
  [
    'adversarial',
    'Hard schemas, grammars and patterns',
    'Each is compiled, or refused by a limit that is counted in steps, in a process of its own; *memory* is the most that it ever had. A goal that is missed is named behind its figures.',
  ],
  [
    'scale',
    'Growth',
    'One thing grows and the rest stays. The median mask is to grow at most twofold from the smallest to the largest, the time to compile at most in proportion.',
  ],
]

/** Charts in the same folder that `experiments` draws. */
const OF_EXPERIMENTS = /^experiments-/

interface Section {
  /** Name of the file without its end. */
  readonly stem: string
  readonly raw: Raw
}

export const options = {
  from: { type: 'string', value: 'DIR', help: 'the folder of the files of --json' },
  to: { type: 'string', default: join(root, 'docs'), value: 'DIR', help: 'where the page is written' },
} satisfies Options

export function run(args: string[]): void {
  const { values } = parseArgs({ args, options })
  if (values.from === undefined) throw new UsageError('name the folder of the files of --json with --from')
  const sections = readSections(values.from)
  const charts = join(values.to, 'charts')
  mkdirSync(charts, { recursive: true })
  for (const name of readdirSync(charts)) if (!OF_EXPERIMENTS.test(name)) rmSync(join(charts, name))
  const lines = [
    '# Performance',
    '',
    'Written by `npm run bench -- report`, from what the benchmarks wrote. Times of other processes on the machine are in',
    'them: only figures of one run compare, and ratios more than times.',
  ]
  const draw = (name: string, drawn: Chart): void => {
    writeFileSync(join(charts, `${name}.svg`), chart(drawn))
    lines.push('', `![${drawn.title}](charts/${name}.svg)`)
  }
  for (const section of sections) write(section, lines, draw)
  const missing = SECTIONS.filter(([bench]) => !sections.some(({ raw }) => raw.bench === bench))
  if (missing.length > 0) {
    lines.push('', `Not measured: ${missing.map(([bench]) => `\`npm run bench -- ${bench}\``).join(', ')}.`)
  }
  const page = join(values.to, 'performance.md')
  writeFileSync(page, `${lines.join('\n')}\n`)
  console.log(
    `${relative(process.cwd(), page)}: ${sections.map(({ stem }) => stem).join(', ') || 'nothing measured'}`,
  )
}

function readSections(folder: string): Section[] {
  let names: string[]
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    throw new UsageError(`there is no folder ${folder}`)
  }
  const rank = ({ raw, stem }: Section): (string | number)[] => {
    const place = SECTIONS.findIndex(([bench]) => bench === raw.bench)
    const { cold = false, schemas = 0 } = (raw.figures ?? {}) as Partial<MasksFigures>
    return [place < 0 ? SECTIONS.length : place, raw.bench, cold ? 1 : 0, -schemas, stem]
  }
  return names
    .map((name) => ({
      stem: basename(name, '.json'),
      raw: readRaw(join(folder, name)),
    }))
    .filter(({ raw }) => typeof raw.bench === 'string' && typeof raw.command === 'string')
    .sort((a, b) => {
      const [left, right] = [rank(a), rank(b)]
      const at = left.findIndex((value, index) => value !== right[index])
      return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1
    })
}

function write({ stem, raw }: Section, lines: string[], draw: (name: string, drawn: Chart) => void): void {
  const [, title, text] = SECTIONS.find(([bench]) => bench === raw.bench) ?? ['', raw.bench, '']
  const figures = raw.bench === 'masks' ? (raw.figures as MasksFigures) : null
  const of =
    figures === null
      ? ''
      : `, ${count(figures.schemas)} schemas, ${figures.cold ? 'compiled anew for each instance' : 'grammar warm'}`
  lines.push('', `## ${title}${of}`, '', `\`${raw.command}\` · ${raw.date} · ${raw.machine}`)
  if (text !== '') lines.push('', text)
  for (const note of raw.notes ?? []) lines.push('', note)
  if (figures !== null) writeMasks(stem, figures, lines, draw)
  for (const { title, header, rows } of raw.tables ?? []) {
    lines.push('', `**${title}**`)
    markdown(header, rows, lines)
  }
  for (const { name, title, x, y, series } of raw.charts ?? []) {
    const values = (part: 0 | 1): number[] =>
      series.flatMap(({ points }) => points.map((point) => point[part]))
    draw(`${stem}-${name}`, { title, x: axis(x, values(0), 'exact'), y: axis(y, values(1), 'round'), series })
  }
}

function writeMasks(
  stem: string,
  figures: MasksFigures,
  lines: string[],
  draw: (name: string, drawn: Chart) => void,
): void {
  const { shared, engines, ratios, runs, vocabulary } = figures
  lines.push(
    '',
    `A sample is the mask before a token of an instance and the acceptance of the token, until the first that is refused; ${count(vocabulary)} tokens, one thread.` +
      (runs > 1
        ? ` Figures are medians over ${runs} runs, maxima the smallest of theirs, ratios taken within a run with their range.`
        : ''),
  )
  const one = engineTable(figures)
  markdown(one.header, one.rows, lines)
  if (engines.length > 1) {
    lines.push(
      '',
      `The ${count(shared.schemas)} schemas that every engine compiles: what is refused is not fast.`,
    )
    const same = sharedTable(figures)
    markdown(same.header, same.rows, lines)
    const compared = ratioRows(ratios)
    markdown(compared.header, compared.rows, lines)
  }
  draw(`${stem}-times`, maskChart(figures))
  draw(`${stem}-compile`, compileChart(figures))
  draw(`${stem}-memory`, memoryChart(figures))
  lines.push('', ...settings(figures))
}

function markdown(header: readonly string[], rows: readonly (readonly string[])[], lines: string[]): void {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = header.map((_, column) => (column === 0 ? '---' : '---:'))
  lines.push('', line(header), `|${rule.join('|')}|`, ...rows.map(line))
}

function axis({ label, unit, scale }: RawAxis, values: readonly number[], end: 'round' | 'exact'): Axis {
  if (scale === 'linear') return linearAxis(label, Math.max(...values), written(unit), end)
  const positive = values.filter((value) => value > 0)
  const to = end === 'exact' ? Math.max(...positive) : powerAbove(positive)
  return logAxis(label, powerBelow(positive), to, written(unit))
}

function written(unit: RawAxis['unit']): (value: number) => string {
  if (unit === 'B') return bytes
  if (unit === 'µs')
    return (value) => (value === 0 ? '0' : powerOfTen(value) ? microsecondsShort(value) : microseconds(value))
  return count
}

function powerOfTen(value: number): boolean {
  return Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9
}

function readRaw(path: string): Raw {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Raw
  } catch (error) {
    throw new UsageError(`${path} holds no raw figures: ${(error as Error).message}`)
  }
}
