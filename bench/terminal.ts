/** What a benchmark says of itself and of how far it is: its options, and progress on stderr. */
import { join } from 'node:path'
import { root } from './lib.ts'

/** An option as `parseArgs` takes it, and what `--help` says of it. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly default?: string | boolean
  /** What stands behind its name: `N`, `FILE`, `DIR`. */
  readonly value?: string
  /** One line, without the default. One that has none is the benchmark's own and is not listed. */
  readonly help?: string
}

export type Options = Readonly<Record<string, Option>>

/** The option of every benchmark that runs a model: by default the one of this repository. */
export const modelFolder = {
  type: 'string',
  default: join(root, 'models', 'smollm2-135m-instruct'),
  value: 'DIR',
  help: 'the folder of a model',
} as const

/** The option of every benchmark that measures. */
export const json = { type: 'string', value: 'FILE', help: 'writes the raw figures, for `report`' } as const

/** A line for each option, `indent` spaces before it. */
export function describeOptions(options: Options, indent: number): string {
  const lines = Object.entries(options).flatMap(([name, { default: usual, value, help }]) => {
    if (help === undefined) return []
    const isShown = usual !== undefined && usual !== false && usual !== ''
    return [[`--${name}${value === undefined ? '' : ` ${value}`}`, isShown ? `${help}; ${usual}` : help]]
  })
  const width = Math.max(0, ...lines.map(([written]) => written!.length))
  return lines.map(([written, help]) => `${' '.repeat(indent)}${written!.padEnd(width)}  ${help}\n`).join('')
}

/** Milliseconds between two lines where stderr is no terminal. */
const PAUSE = 10_000

/** How far a benchmark is: one line that is written over in a terminal, a line now and then elsewhere. */
export class Progress {
  #written = performance.now()
  #shown = ''

  show(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
    else if (performance.now() - this.#written >= PAUSE) {
      process.stderr.write(`${text}\n`)
      this.#written = performance.now()
    }
    this.#shown = text
  }

  /** Takes the line away: results are to follow. */
  end(): void {
    if (process.stderr.isTTY && this.#shown !== '') process.stderr.write('\r\x1b[K')
    this.#shown = ''
  }
}
