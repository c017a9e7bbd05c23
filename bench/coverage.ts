/**
 * Coverage: which schemas of the official JSON Schema test suite compile, and is every instance of those judged rightly?
 *
 * Writes `docs/coverage.md`. Instances are read in every spelling (`any` for whitespace, order and numbers); formats are
 * annotations but in the files about formats, as the suite has it. A refusal stands under its keyword and reason, an
 * instance judged otherwise under the narrowing that covers it, or as a fault.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  ANNOTATIONS,
  type Deviation,
  DRAFTS,
  type Draft,
  hasSuite,
  judgeCase,
  NARROWINGS,
  optionsOf,
  readSuite,
  reasonFor,
  type SuiteCase,
  type SuiteInstance,
  suiteFolder,
} from '../test/support/suite.ts'
import { count, percent, root, UsageError } from './lib.ts'
import type { Options } from './terminal.ts'

export const summary = 'the official JSON Schema suite: compiled, refused, wrong; writes docs/coverage.md'

const COLUMNS = [
  ...['schemas', 'compiled', 'unsatisfiable', 'refused', 'instances', 'valid refused', 'invalid accepted'],
] as const

interface Tally {
  schemas: number
  compiled: number
  empty: number
  refused: number
  /** Schemas that have a valid instance, and how many of them are refused. */
  withValid: number
  refusedWithValid: number
  instances: number
  validRefused: number
  invalidAccepted: number
}

/** Schemas under one heading, by draft and file. */
type Places = Map<string, { schemas: number; files: Set<string> }>

interface Findings {
  readonly refusals: Places
  /** By why, file and case: the drafts, and the descriptions of the instances. */
  readonly validRefused: Differences
  readonly invalidAccepted: Differences
}

type Differences = Map<string, { drafts: Set<string>; instances: Set<string> }>

export const options = {
  data: {
    type: 'string',
    default: suiteFolder(root),
    value: 'DIR',
    help: 'a checkout of JSON-Schema-Test-Suite',
  },
  out: { type: 'string', default: join(root, 'docs', 'coverage.md'), value: 'FILE', help: 'the page' },
} satisfies Options

export function run(args: string[]): void {
  const { values } = parseArgs({ args, options })
  if (!hasSuite(values.data))
    throw new UsageError(`no test suite at ${values.data}: name its folder with --data`)
  const text = document(values.data)
  writeFileSync(values.out, text)
  console.log(text)
}

function document(folder: string): string {
  const sections: string[] = []
  const findings: Findings = { refusals: new Map(), validRefused: new Map(), invalidAccepted: new Map() }
  const summaries: string[][] = []
  for (const draft of DRAFTS) {
    const rows: string[][] = []
    const required = emptyTally()
    const optional = emptyTally()
    for (const { name, cases } of readSuite(folder, draft)) {
      const tally = emptyTally()
      for (const each of cases) judge(folder, draft, name, each, tally, findings)
      rows.push(row(`\`${name}\``, tally))
      add(name.startsWith('optional/') ? optional : required, tally)
    }
    for (const [name, tally] of [
      ['required', required],
      ['optional', optional],
    ] as const) {
      const { refusedWithValid, withValid } = tally
      summaries.push([...row(`${draft}, ${name}`, tally), percent(refusedWithValid, withValid)])
    }
    sections.push(`## ${draft}\n\n${table(['file', ...COLUMNS], rows)}`)
  }
  const { refusals, validRefused, invalidAccepted } = findings
  return [
    heading(),
    table(['', ...COLUMNS, 'refused of those with a valid instance'], summaries),
    validRefused.size === 0 ? '' : `## Valid and refused, by narrowing\n\n${differences(validRefused)}`,
    invalidAccepted.size === 0 ? '' : `## Invalid and accepted\n\n${differences(invalidAccepted)}`,
    refusals.size === 0 ? '' : `## Why schemas are refused\n\n${reasons(refusals)}`,
    ...sections,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function heading(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return `# Coverage of JSON Schema

Made by \`npm run bench -- coverage\` (version ${version}) from the official JSON-Schema-Test-Suite; not edited by hand.

A schema is enforced exactly, or refused with its place; one that nothing satisfies is refused as such. So the columns
that matter are the last ones: valid instances that were not accepted and invalid ones that were, of the instances of
all schemas but the refused, and the schemas refused although something satisfies them. The suite's remote documents are
at hand. Instances are read in the \`any\` modes. \`format\` is an annotation, but for the files under
\`optional/format\`, where it is asserted.`
}

function judge(
  folder: string,
  draft: Draft,
  file: string,
  each: SuiteCase,
  tally: Tally,
  findings: Findings,
): void {
  const verdict = judgeCase(each, optionsOf(folder, file))
  const hasValid = each.tests.some(({ valid }) => valid)
  tally.schemas++
  tally[verdict.kind]++
  if (hasValid) tally.withValid++
  if (verdict.kind === 'refused') {
    if (hasValid) tally.refusedWithValid++
    const keywords = verdict.keywords.map((keyword) => `\`${keyword}\``).join(', ')
    note(findings.refusals, `${keywords} | ${verdict.reason.replaceAll('|', '\\|')}`, `${draft} ${file}`)
    return
  }
  const { validRefused, invalidAccepted } = verdict
  tally.instances += each.tests.length
  tally.validRefused += validRefused.length
  tally.invalidAccepted += invalidAccepted.length
  const notes = (list: readonly Deviation[], instances: readonly SuiteInstance[], to: Differences): void => {
    for (const { description, text } of instances) {
      const why = reasonFor(list, file, text) ?? '**a fault**'
      const key = [why, `\`${file}\``, each.description].join(' | ')
      const known = to.get(key) ?? { drafts: new Set(), instances: new Set() }
      to.set(key, known)
      known.drafts.add(draft.slice('draft'.length))
      known.instances.add(description)
    }
  }
  notes(NARROWINGS, validRefused, findings.validRefused)
  notes(ANNOTATIONS, invalidAccepted, findings.invalidAccepted)
}

function note(places: Places, heading: string, file: string): void {
  let known = places.get(heading)
  if (known === undefined) {
    known = { schemas: 0, files: new Set() }
    places.set(heading, known)
  }
  known.schemas++
  known.files.add(file)
}

function emptyTally(): Tally {
  return {
    schemas: 0,
    compiled: 0,
    empty: 0,
    refused: 0,
    withValid: 0,
    refusedWithValid: 0,
    instances: 0,
    validRefused: 0,
    invalidAccepted: 0,
  }
}

function add(total: Tally, tally: Tally): void {
  for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key]
}

function row(
  name: string,
  { schemas, compiled, empty, refused, instances, validRefused, invalidAccepted }: Tally,
): string[] {
  return [name, ...[schemas, compiled, empty, refused, instances, validRefused, invalidAccepted].map(count)]
}

/** Why schemas are refused: the keywords, the reason, and in which files. */
function reasons(refusals: Places): string {
  const sorted = [...refusals].sort((a, b) => b[1].schemas - a[1].schemas || (a[0] < b[0] ? -1 : 1))
  const rows = sorted.map(([heading, { schemas, files }]) => {
    const [keywords = '', reason = ''] = heading.split(/ \| (.*)/s)
    return [keywords, reason, inFiles(files), count(schemas)]
  })
  return table(['keywords', 'first reason', 'in', 'schemas'], rows, 3)
}

/** The files, each with the drafts in which it is one: `not` (7, 2020-12). */
function inFiles(places: ReadonlySet<string>): string {
  const drafts = new Map<string, string[]>()
  for (const place of places) {
    const [draft = '', file = ''] = place.split(' ')
    drafts.set(file, [...(drafts.get(file) ?? []), draft.slice('draft'.length)])
  }
  return [...drafts].map(([file, list]) => `\`${file}\` (${list.join(', ')})`).join(', ')
}

function differences(found: Differences): string {
  const rows = [...found].map(([key, { drafts, instances }]) => [
    key,
    [...drafts].join(', '),
    [...instances].join('; '),
  ])
  return table(['why', 'file', 'case', 'drafts', 'instances'], rows, 5)
}

/** A table of Markdown; columns from `numbers` on are flush right. */
function table(header: readonly string[], rows: readonly (readonly string[])[], numbers = 1): string {
  const rule = header.map((_, column) => (column < numbers ? '---' : '--:'))
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
