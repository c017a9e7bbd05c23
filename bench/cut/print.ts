/** A trace for a terminal of 80 columns: the curve, what each budget comes to, and some cuts in full. */

import { renderCompletion, renderFrames, visible } from '../../src/cli/report.ts'
import { PLAIN } from '../../src/cli/terminal.ts'
import type { RawChart, RawTable } from '../lib.ts'
import type { Finished, Step, Trace } from './trace.ts'

const WIDTH = 80
/** Lines of the curve. */
const HEIGHT = 12

/** What is open, in a letter each: the call, objects, lists, strings and keys, numbers, literals. */
const SIGNS: Readonly<Record<string, string>> = {
  tag: '<',
  object: '{',
  array: '[',
  key: '"',
  string: '"',
  number: '#',
  literal: 'a',
  text: '"',
}

function stackOf({ frames }: Step): string {
  return frames.map(({ kind }) => SIGNS[kind] ?? '?').join('')
}

/** What an object needs beside its keys. */
const NO_KEYS = new Set(['}', ':', 'a key', 'a value'])

/** Keys that open objects still need. */
function missingKeys({ frames }: Step): number {
  const objects = frames.filter(({ kind }) => kind === 'object')
  return objects.flatMap(({ needs }) => needs.filter((need) => !NO_KEYS.has(need))).length
}

export function curve({ steps }: Trace): string {
  const most = Math.max(...steps.map(({ cost }) => cost))
  const width = Math.min(WIDTH - 6, steps.length)
  const at = (column: number): Step =>
    steps[Math.round((column * (steps.length - 1)) / Math.max(1, width - 1))]!
  const lines: string[] = []
  for (let row = HEIGHT; row >= 1; row--) {
    const from = ((row - 1) * most) / HEIGHT
    const cells = Array.from({ length: width }, (_, column) => (at(column).cost > from ? '█' : ' ')).join('')
    lines.push(`${String(Math.round((row * most) / HEIGHT)).padStart(4)} ${cells}`.trimEnd())
  }
  const depth = Array.from({ length: width }, (_, column) => String(Math.min(9, at(column).frames.length)))
  return [
    'tokens still needed, by the tokens written; below it the depth of the stack',
    '',
    ...lines,
    `     ${'─'.repeat(width)}`,
    `     ${depth.join('')}`,
    `     0${String(steps.length - 1).padStart(width - 1)}`,
  ].join('\n')
}

/** A line for each budget. */
export function budgetLines({ steps }: Trace): string {
  const header = ' max  depth  stack    keys  needs  enough  so far'
  const rows = steps.slice(1).map((step, index) => {
    const count = index + 1
    const cells = [
      String(count).padStart(4),
      String(step.frames.length).padStart(7),
      `  ${stackOf(step).padEnd(7)}`,
      String(missingKeys(step)).padStart(6),
      String(step.cost).padStart(7),
      String(count + step.cost).padStart(8),
    ].join('')
    return `${cells}  ${tail(step.text, WIDTH - cells.length - 3)}${step.cost === 0 ? '' : '▌'}`
  })
  return [header, ...rows].join('\n')
}

/** The report of one cut, as the command line prints it. */
export function cutInFull(step: Step, count: number): string {
  return [
    `max ${count}`,
    `  so far   ${tail(step.text, 60)}▌`,
    ...renderFrames(step.frames, step.text, step.completion === '', PLAIN).map((line) => `  ${line}`),
    ...renderCompletion({ completion: head(step.completion, 46), completionTokens: step.cost }, PLAIN).map(
      (line) => `  ${line}`,
    ),
  ].join('\n')
}

export function withinLines(within: readonly Finished[]): string {
  const rows = within.map(({ budget, tokens, argumentsText }) => {
    const end = argumentsText === null ? 'cut' : 'complete'
    const cells = `${String(budget).padStart(4)}${String(tokens).padStart(7)}  ${end.padEnd(8)}`
    return `${cells}  ${tail(argumentsText ?? '', WIDTH - cells.length - 2)}`
  })
  return [' max  taken  end       the end of the arguments', ...rows].join('\n')
}

/** The curve as a chart, and the cuts as a table, for a report. */
export function cutChart({ steps }: Trace): RawChart {
  const points = (of: (step: Step) => number): [number, number][] =>
    steps.map((step, count) => [count, of(step)])
  return {
    name: 'curve',
    title: 'A call as it is written: what is open, and what it would take to close it',
    x: { label: 'tokens written', unit: '', scale: 'linear' },
    y: { label: 'tokens, or frames', unit: '', scale: 'linear' },
    series: [
      { name: 'tokens still needed', points: points(({ cost }) => cost) },
      { name: 'frames open', points: points(({ frames }) => frames.length) },
    ],
  }
}

export function cutTable({ steps }: Trace, every: number): RawTable {
  const shown = steps.map((step, count) => ({ step, count })).slice(1)
  return {
    title: 'The call, cut',
    header: [
      'maxTokens',
      'so far',
      'stack',
      'keys missing',
      'the shortest end',
      'its tokens',
      'would have done',
    ],
    rows: shown
      .filter(({ count }) => count % every === 0 || count === steps.length - 1)
      .map(({ step, count }) => [
        String(count),
        code(tail(step.text, 34)),
        step.frames.length === 0 ? '' : code(stackOf(step)),
        String(missingKeys(step)),
        step.completion === '' ? '' : code(head(step.completion, 34)),
        String(step.cost),
        String(count + step.cost),
      ]),
  }
}

function code(text: string): string {
  return `\`${text}\``
}

function tail(text: string, width: number): string {
  const characters = [...visible(text)]
  return characters.length <= width ? characters.join('') : `…${characters.slice(1 - width).join('')}`
}

function head(text: string, width: number): string {
  const characters = [...visible(text)]
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`
}
