/** The program `espalier` within this process: its arguments in, its exit code and what it wrote out. */
import { Writable } from 'node:stream'
import { main } from '../../src/cli/program.ts'
import { Terminal } from '../../src/cli/terminal.ts'

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

class Sink extends Writable {
  text = ''
  readonly isTTY: boolean
  readonly columns: number | undefined

  constructor(isTTY = false, columns?: number) {
    super()
    this.isTTY = isTTY
    this.columns = columns
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

async function runInto(out: Sink, err: Sink, args: readonly string[]): Promise<Run> {
  const code = await main(args, new Terminal(out, err))
  return { code, out: out.text, err: err.text }
}

/** As when both streams are pipes. */
export function run(...args: readonly string[]): Promise<Run> {
  return runInto(new Sink(), new Sink(), args)
}

/** As when stderr is a terminal. */
export function runBeforePerson(...args: readonly string[]): Promise<Run> {
  return runInto(new Sink(), new Sink(true), args)
}

/** As when stdout has so many columns. */
export function runInColumns(columns: number, ...args: readonly string[]): Promise<Run> {
  return runInto(new Sink(true, columns), new Sink(), args)
}
