/**
 * The terminal: stdout for results, stderr for people. Colours only where they are wanted (`NO_COLOR`, `FORCE_COLOR`, not
 * a terminal), and a reader that goes away (`| head`) ends the program quietly.
 */

/** Marks that a stream shows or does not. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

function makeStyle(coloured: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    coloured && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39) }
}

export const PLAIN = makeStyle(false)

/** The style for a stream, by the conventions of no-color.org. */
export function styleFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Style {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return PLAIN
  if (env.FORCE_COLOR !== undefined) return makeStyle(env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false')
  return makeStyle(stream.isTTY === true && env.TERM !== 'dumb')
}

/** Columns of a stdout that does not say how many it has. */
const COLUMNS = 120

type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number | undefined }

/** Writes results and progress; made once, so that tests can give streams of their own. */
export class Terminal {
  /** Of stderr. */
  readonly style: Style
  /** Of stdout, which may be a file while stderr is a terminal. */
  readonly resultStyle: Style
  readonly #out: Output
  readonly #err: Output
  #status = false

  constructor(out: Output = process.stdout, err: Output = process.stderr) {
    this.#out = out
    this.#err = err
    this.style = styleFor(err)
    this.resultStyle = styleFor(out)
  }

  /** Columns of stdout. */
  get columns(): number {
    return this.#out.columns ?? COLUMNS
  }

  /** A line of the result. */
  result(line: string): void {
    this.#out.write(`${line}\n`)
  }

  /** Lines for the person in front of it. */
  note(text: string): void {
    this.clearStatus()
    this.#err.write(`${text}\n`)
  }

  /** One line that the next one replaces; nothing where stderr is not a terminal. */
  status(text: string): void {
    if (this.#err.isTTY !== true) return
    this.#err.write(`\r\u001b[2K${this.style.dim(text)}`)
    this.#status = true
  }

  clearStatus(): void {
    if (this.#status) this.#err.write('\r\u001b[2K')
    this.#status = false
  }
}

/** Ends the program when the reader of a stream has gone, as `head` does. */
export function endQuietlyOnBrokenPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit()
      throw error
    })
  }
}

/** `1,234 ms` or `2.3 s`. */
export function duration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`
}

/** `1 token`, `2 tokens`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
