/**
 * One schema or grammar and its instances under an engine of JavaScript, each token timed: `driver.py` does the same in Python.
 *
 * A step that answers at once is not awaited, so that an engine without promises pays for none.
 */
import { collect, heapBytes } from '../lib.ts'
import type { Compiled, Engine, Job, Judged, JudgedInstance, Memory, PeerMatcher } from './protocol.ts'

/** Thrown on where the engine cannot go on. */
class BrokenEngine extends Error {}

export async function judge(engine: Engine, job: Job): Promise<Judged> {
  if (job.forget === true) await engine.forget?.()
  const begun = performance.now()
  let compiled: Compiled
  try {
    compiled = await engine.compile(job.source, job.notation)
  } catch (error) {
    if (engine.broken?.(error) === true) throw new BrokenEngine(reason(error))
    const compileNs = nanoseconds(performance.now() - begun)
    return { refused: reason(error), compileNs, instances: [], memory: memory(job.collect) }
  }
  const compileNs = nanoseconds(performance.now() - begun)
  const instances: JudgedInstance[] = []
  for (const [number, ids] of job.instances.entries()) {
    if (job.cold && number > 0) {
      compiled.dispose?.()
      compiled = await engine.compile(job.source, job.notation)
    }
    instances.push(await follow(engine, compiled, ids, begun + job.limitMs))
  }
  compiled.dispose?.()
  return { refused: null, compileNs, instances, memory: memory(job.collect) }
}

async function follow(
  engine: Engine,
  compiled: Compiled,
  ids: readonly number[],
  deadline: number,
): Promise<JudgedInstance> {
  const ns: number[] = []
  let matcher: PeerMatcher | undefined
  try {
    matcher = await compiled.matcher()
    for (const id of ids) {
      matcher.prepare?.()
      const started = performance.now()
      if (started > deadline) return { accepted: false, stopped: 'over the time limit', ns }
      let allowed = matcher.step(id)
      if (typeof allowed !== 'boolean') allowed = await allowed
      ns.push(nanoseconds(performance.now() - started))
      if (!allowed) return { accepted: false, stopped: null, ns }
    }
    return { accepted: await ended(matcher), stopped: null, ns }
  } catch (error) {
    if (engine.broken?.(error) === true) throw new BrokenEngine(reason(error))
    return { accepted: false, stopped: reason(error), ns }
  } finally {
    matcher?.dispose?.()
  }
}

function ended(matcher: PeerMatcher): boolean | Promise<boolean> {
  matcher.prepare?.()
  return matcher.ended()
}

/** What the loop of `follow` adds to each sample: the same loop around a step that does nothing. */
export async function overheadNs(): Promise<number> {
  const matcher: PeerMatcher = { step: (id) => id >= 0, ended: () => true }
  const nothing: Engine = { version: '', settings: '', compile: () => ({ matcher: () => matcher }) }
  const instances = Array.from({ length: 50 }, () => Array.from({ length: 200 }, (_, id) => id))
  const job: Job = { source: '', notation: 'json-schema', instances, cold: false, limitMs: 1e9 }
  const judged = await judge(nothing, job)
  const ns = judged.instances
    .slice(25)
    .flatMap((instance) => instance.ns)
    .sort((a, b) => a - b)
  return ns[ns.length >> 1] ?? 0
}

export function memory(collected = false): Memory {
  if (collected) collect()
  return { resident: process.memoryUsage.rss(), heap: heapBytes() }
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1e6)
}

function reason(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
