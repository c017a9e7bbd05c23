/**
 * Coverage: which schemas of the official JSON Schema test suite compile, and is every instance of those judged rightly?
 *
 * Writes `docs/coverage.md`. Instances are read in every spelling (`any` for whitespace, order and numbers); formats are
 * annotations but in the files about formats, as the suite has it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  DRAFTS,
  type Draft,
  hasSuite,
  judgeCase,
  ON_PURPOSE,
  optionsOf,
  readSuite,
  suiteFolder,
} from '../test/support/suite.ts'
import { count, root, UsageError } from './lib.ts'

export const summary = 'the official JSON Schema suite: compiled, refused, wrong; writes docs/coverage.md'

interface Tally {
  schemas: number
  compiled: number
  empty: number
  refused: number
  instances: number
  validRefused: number
  invalidAccepted: number
}

interface Refusals {
  readonly ofFile: Set<string>
  schemas: number
}

export function run(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string', default: suiteFolder(root) },
      out: { type: 'string', default: join(root, 'docs', 'coverage.md') },
    },
  })
  if (!hasSuite(values.data))
    throw new UsageError(`no test suite at ${values.data}: name its folder with --data`)
  const text = document(values.data)
  writeFileSync(values.out, text)
  console.log(text)
}

function document(folder: string): string {
  const sections: string[] = []
  const refusals = new Map<string, Refusals>()
  const summaries: string[][] = []
  const wrong: string[][] = []
  for (const draft of DRAFTS) {
    const rows: string[][] = []
    const required = emptyTally()
    const optional = emptyTally()
    for (const { name, cases } of readSuite(folder, draft)) {
      const tally = emptyTally()
      for (const each of cases) judge(folder, draft, name, each, tally, refusals, wrong)
      rows.push(row(`\`${name}\``, tally))
      add(name.startsWith('optional/') ? optional : required, tally)
    }
    summaries.push(row(`${draft}, required`, required), row(`${draft}, optional`, optional))
    sections.push(`## ${draft}\n\n${markdown('file', rows)}`)
  }
  return [
    heading(),
    markdown('', summaries),
    wrong.length === 0 ? '' : `## Judged otherwise than the suite does\n\n${differences(wrong)}`,
    `## Why schemas are refused\n\n${reasons(refusals)}`,
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
that matter are the last two: valid instances that were not accepted and invalid ones that were, of the instances of
all schemas but the refused. The suite's remote documents are at hand. Instances are read in the \`any\` modes.
\`format\` is an annotation, but for the files under \`optional/format\`, where it is asserted.`
}

function judge(
  folder: string,
  draft: Draft,
  file: string,
  each: Parameters<typeof judgeCase>[0],
  tally: Tally,
  refusals: Map<string, Refusals>,
  wrong: string[][],
): void {
  tally.schemas++
  const verdict = judgeCase(each, optionsOf(folder, file))
  if (verdict.kind === 'refused') {
    tally.refused++
    const known = refusals.get(verdict.reason) ?? { ofFile: new Set<string>(), schemas: 0 }
    known.schemas++
    known.ofFile.add(file)
    refusals.set(verdict.reason, known)
    return
  }
  tally[verdict.kind]++
  tally.instances += each.tests.length
  tally.validRefused += verdict.validRefused.length
  tally.invalidAccepted += verdict.invalidAccepted.length
  const { validRefused, invalidAccepted } = verdict
  if (validRefused.length + invalidAccepted.length === 0) return
  const why = ON_PURPOSE.get(`${draft}/${file}`) ?? 'a fault'
  wrong.push([
    draft,
    `\`${file}\``,
    each.description,
    count(validRefused.length),
    count(invalidAccepted.length),
    why,
  ])
}

function emptyTally(): Tally {
  return { schemas: 0, compiled: 0, empty: 0, refused: 0, instances: 0, validRefused: 0, invalidAccepted: 0 }
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

function markdown(first: string, rows: readonly (readonly string[])[]): string {
  const header = [
    first,
    'schemas',
    'compiled',
    'unsatisfiable',
    'refused',
    'instances',
    'valid refused',
    'invalid accepted',
  ]
  return lines([header, ['---', ...header.slice(1).map(() => '--:')], ...rows])
}

function differences(wrong: readonly (readonly string[])[]): string {
  const header = ['draft', 'file', 'case', 'valid refused', 'invalid accepted', 'why']
  return lines([header, ['---', '---', '---', '--:', '--:', '---'], ...wrong])
}

function reasons(refusals: ReadonlyMap<string, Refusals>): string {
  const sorted = [...refusals].sort((a, b) => b[1].schemas - a[1].schemas || (a[0] < b[0] ? -1 : 1))
  const rows = sorted.map(([reason, { schemas, ofFile }]) => {
    const files = [...ofFile].sort()
    const shown = files.slice(0, 4).map((file) => `\`${file}\``)
    return [reason.replaceAll('|', '\\|'), count(schemas), shown.join(', ') + (files.length > 4 ? ', …' : '')]
  })
  return lines([['keyword, or reason', 'schemas', 'in'], ['---', '--:', '---'], ...rows])
}

function lines(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
