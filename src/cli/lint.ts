/**
 * `espalier lint`: what a service, or our own engine, refuses in a set of tools, and what makes models err; with `--fix`
 * the tools that pass.
 */
import { writeFile } from 'node:fs/promises'
import { fromJs } from '../json/from-js.ts'
import { printJson } from '../json/print.ts'
import { readJson } from '../json/read.ts'
import type { Change, Effect, Finding, LintDialect, Severity } from '../tools/lint/finding.ts'
import { fixAndLint } from '../tools/lint/fix.ts'
import { lintTools } from '../tools/lint/lint.ts'
import { withFlags } from './compile-flags.ts'
import { EXIT } from './exit.ts'
import { readJsonFile, UsageError } from './input.ts'
import { visible } from './report.ts'
import { plural, type Style, type Terminal } from './terminal.ts'

export interface LintFlags {
  readonly dialect: LintDialect
  readonly fix?: boolean
  readonly output?: string
  readonly json?: boolean
}

export async function runLint(path: string, flags: LintFlags, terminal: Terminal): Promise<number> {
  if (flags.output !== undefined && !flags.fix)
    throw new UsageError('--output is where --fix writes the tools; give both')
  const document = await readJsonFile(path)
  if (flags.fix) return runFix(document, flags, terminal)
  const findings = lintTools(document, { dialect: flags.dialect })
  if (flags.json) terminal.result(printJson(fromJs(findings)))
  else {
    for (const line of describeFindings(findings, terminal.resultStyle)) terminal.result(line)
    terminal.result(summary(path, findings, flags.dialect, terminal.resultStyle))
  }
  return exitCode(findings)
}

async function runFix(document: unknown, flags: LintFlags, terminal: Terminal): Promise<number> {
  const { dialect, output, json } = flags
  const { tools, changes, findings } = fixAndLint(document, { dialect })
  const left = findings.filter(({ severity }) => severity === 'error')
  if (output !== undefined) {
    try {
      await writeFile(output, `${tools}\n`)
    } catch (error) {
      throw new UsageError(`${output} cannot be written: ${(error as Error).message}`)
    }
  }
  if (json) {
    const written = output === undefined ? { tools: readJson(tools) } : {}
    terminal.result(printJson(fromJs({ ...written, changes, left })))
    return exitCode(left)
  }
  if (output === undefined) terminal.result(tools)
  const { style } = terminal
  for (const line of describeChanges(changes, style)) terminal.note(line)
  for (const line of describeFindings(left, style)) terminal.note(line)
  terminal.note(`${plural(changes.length, 'change')}; ${summary(output ?? '-', findings, dialect, style)}`)
  return exitCode(left)
}

function describeChanges(changes: readonly Change[], style: Style): string[] {
  const marks: Readonly<Record<Effect, string>> = {
    looser: style.yellow('looser'),
    narrower: style.yellow('narrower'),
    different: style.yellow('different'),
    same: style.dim('same'),
  }
  return changes.map(
    ({ effect, pointer, message }) => `${marks[effect]}  ${visible(pointer)}  ${style.dim(visible(message))}`,
  )
}

function exitCode(findings: readonly Finding[]): number {
  return findings.some(({ severity }) => severity === 'error') ? EXIT.refused : EXIT.complete
}

/** By tool, those of one tool in the order of their weight. */
function describeFindings(findings: readonly Finding[], style: Style): string[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const group = groups.get(finding.tool ?? '')
    if (group === undefined) groups.set(finding.tool ?? '', [finding])
    else group.push(finding)
  }
  const marks: Readonly<Record<Severity, string>> = {
    error: style.red('error'),
    warning: style.yellow('warning'),
    note: style.dim('note'),
  }
  const lines: string[] = []
  for (const [tool, group] of groups) {
    lines.push(style.bold(tool === '' ? 'all tools' : visible(tool)))
    for (const severity of ['error', 'warning', 'note'] as const) {
      for (const { pointer, why, instead } of group.filter((each) => each.severity === severity)) {
        lines.push(`  ${marks[severity]}  ${visible(pointer)}`)
        lines.push(`    ${visible(withFlags(why))}`)
        lines.push(`    ${style.dim(`instead: ${visible(withFlags(instead))}`)}`)
      }
    }
  }
  return lines
}

function summary(path: string, findings: readonly Finding[], dialect: LintDialect, style: Style): string {
  const count = (severity: Severity): number => findings.filter((each) => each.severity === severity).length
  const name = path === '-' ? 'the tools' : path
  const counts = (['error', 'warning', 'note'] as const).map((severity) => plural(count(severity), severity))
  const verdict = count('error') > 0 ? style.red('refused') : style.green('passes')
  return `${verdict}  ${name}, ${dialect}: ${counts.join(', ')}`
}
