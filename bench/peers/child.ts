/**
 * An engine in a process of its own, asked one schema at a time: only one engine of a comparison works at any moment.
 *
 * A process that dies or does not answer in time is replaced; the schema counts as failed. The new one has seen a few
 * schemas before it is measured again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../lib.ts'
import type { Job, Judged, Opened, Opening } from './protocol.ts'
import { fromPeers, peersFolder } from './require.ts'

export type EngineName = keyof typeof SPECS

interface EngineSpec {
  /** `python` runs `driver.py` in the virtual environment, `node` runs `host.ts`. */
  readonly runs: 'node' | 'python'
  /** Its package in `bench/peers`; this project needs none. */
  readonly needs?: string
  /** Schemas that it sees before it is measured, for one of `--warm`: native code has nothing to warm but caches. */
  readonly warm: number
  /** Seconds for a schema, where there is another bound than `--limit`. */
  readonly limit?: number
}

const SPECS = {
  espalier: { runs: 'node', warm: 1 },
  llguidance: { runs: 'python', needs: 'llguidance', warm: 0.2 },
  xgrammar: { runs: 'python', needs: 'xgrammar', warm: 0.1 },
  'xgrammar-dynamic': { runs: 'python', needs: 'xgrammar', warm: 0.1 },
  'web-xgrammar': { runs: 'node', needs: '@mlc-ai/web-xgrammar', warm: 0.1 },
  hf: { runs: 'node', needs: '@huggingface/transformers-structured-output', warm: 0.1, limit: 10 },
} as const satisfies Record<string, EngineSpec>

export const ENGINES: Record<EngineName, EngineSpec> = SPECS

export const python: string = join(peersFolder, '.venv', 'bin', 'python')

/** Why the engine cannot be measured here, or null. */
export function missing(name: EngineName): string | null {
  const spec = ENGINES[name]
  if (spec.runs === 'python') return existsSync(python) ? null : 'there is no virtual environment'
  if (spec.needs === undefined) return null
  try {
    fromPeers.resolve(spec.needs)
    return null
  } catch {
    return `${spec.needs} is not installed`
  }
}

/** The option of every benchmark that measures other engines. */
export const peers = {
  type: 'string',
  default: '',
  value: 'A,B',
  help: `engines beside this one, of ${Object.keys(ENGINES).slice(1).join(', ')}`,
} as const

/** The engines of `--peers`, without those that are not installed: they are named on stderr. */
export function presentPeers(written: string): EngineName[] {
  const known = Object.keys(ENGINES).filter((name) => name !== 'espalier') as EngineName[]
  const present: EngineName[] = []
  for (const named of written === '' ? [] : written.split(',')) {
    const name = known.find((each) => each === named)
    if (name === undefined) throw new UsageError(`no peer is named '${named}'; there are ${known.join(', ')}`)
    const reason = missing(name)
    if (reason === null) present.push(name)
    else console.error(`${name} is left out: ${reason}; \`npm run bench -- setup\` installs it`)
  }
  return present
}

/** The schema took the process with it, or the time that it had. */
interface Failed {
  readonly failed: string
}

export class PeerProcess {
  readonly name: EngineName
  readonly #opening: Opening
  #child: ChildProcess | undefined
  #waiting: ((line: string | Failed) => void) | undefined
  #errors = ''
  readonly #warm: Job[] = []
  opened!: Opened

  private constructor(name: EngineName, opening: Opening) {
    this.name = name
    this.#opening = opening
  }

  /** Throws an `Error` with what the engine says where it does not open. */
  static async open(name: EngineName, opening: Omit<Opening, 'engine'>): Promise<PeerProcess> {
    const peer = new PeerProcess(name, { ...opening, engine: name })
    await peer.#start()
    return peer
  }

  async judge(job: Job): Promise<Judged | Failed> {
    if (this.#child === undefined) {
      await this.#start()
      for (const earlier of this.#warm) await this.#ask<Judged>(earlier, earlier.limitMs)
    }
    return this.#ask<Judged>(job, job.limitMs * 2 + 5000)
  }

  /** Judges without measuring, and keeps the first few for a process that replaces this one. */
  async warmUp(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      const answer = await this.judge(job)
      if ('failed' in answer || answer.refused !== null || this.#warm.length === 8) continue
      this.#warm.push(job)
    }
  }

  close(): void {
    this.#child?.stdin?.end()
    this.#child = undefined
  }

  async #start(): Promise<void> {
    const script = join(peersFolder, 'driver.py')
    const host = fileURLToPath(new URL('host.js', import.meta.url))
    const { runs } = ENGINES[this.name]
    const child = runs === 'python' ? spawn(python, [script]) : spawn(process.execPath, [host])
    this.#child = child
    this.#errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-2000)
    })
    // A process that was given up may still end, or speak, while another one is asked.
    const answer = (line: string | Failed): void => {
      if (this.#child === child) this.#waiting?.(line)
    }
    // What is written to a process that has just ended is answered by its end.
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', answer)
    child.on('error', (error) => answer({ failed: error.message }))
    child.on('close', (code, signal) => {
      const last = this.#errors.trim().split('\n').at(-1) ?? ''
      answer({ failed: `the process ended (${signal ?? code}) ${last}`.trim() })
      if (this.#child === child) this.#child = undefined
    })
    const opened = await this.#ask<Opened>(this.#opening, 600_000)
    if ('failed' in opened) throw new Error(opened.failed)
    this.opened = opened
  }

  #ask<T>(question: object, limitMs: number): Promise<T | Failed> {
    const child = this.#child!
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#child = undefined
        child.kill('SIGKILL')
        finish({ failed: 'over the time limit' })
      }, limitMs)
      const finish = (answer: string | Failed): void => {
        clearTimeout(timer)
        this.#waiting = undefined
        const value = typeof answer === 'string' ? (JSON.parse(answer) as T & { error?: string }) : answer
        if ('error' in value && value.error !== undefined) {
          this.#child = undefined
          resolve({ failed: value.error })
        } else {
          resolve(value)
        }
      }
      this.#waiting = finish
      child.stdin?.write(`${JSON.stringify(question)}\n`)
    })
  }
}
