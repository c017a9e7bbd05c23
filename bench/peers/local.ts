/** This package measured in the process that asks: `node --cpu-prof` sees nothing but it. */
import { loadEspalier } from './espalier.ts'
import { judge, memory, overheadNs } from './judge.ts'
import type { Engine, Job, Judged, Opened, Opening } from './protocol.ts'

export class LocalEngine {
  readonly name = 'espalier'
  readonly opened: Opened
  readonly #engine: Engine

  private constructor(engine: Engine, opened: Opened) {
    this.#engine = engine
    this.opened = opened
  }

  static async open(opening: Omit<Opening, 'engine'>): Promise<LocalEngine> {
    const openEngine = loadEspalier()
    const started = performance.now()
    const engine = await openEngine({ ...opening, engine: 'espalier' })
    const loadMs = performance.now() - started
    const { version, settings } = engine
    const opened = { version, settings, loadMs, overheadNs: await overheadNs(), memory: memory(true) }
    return new LocalEngine(engine, opened)
  }

  judge(job: Job): Promise<Judged> {
    return judge(this.#engine, job)
  }

  async warmUp(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) await this.judge(job)
  }

  close(): void {}
}
