/** The process of an engine of JavaScript: lines in, lines out, as `protocol.ts` says. */
import { createInterface } from 'node:readline'
import { loadEspalier } from './espalier.ts'
import { loadHf } from './hf.ts'
import { judge, memory, overheadNs } from './judge.ts'
import type { Engine, Job, LoadEngine, Opened, Opening } from './protocol.ts'
import { loadWebXGrammar } from './web-xgrammar.ts'

const ENGINES: Record<string, LoadEngine> = {
  espalier: loadEspalier,
  'web-xgrammar': loadWebXGrammar,
  hf: loadHf,
}

let engine: Engine | undefined
// What an engine prints must not come between the lines.
console.log = console.error
console.warn = console.error
try {
  for await (const line of createInterface({ input: process.stdin })) {
    const answer =
      engine === undefined ? await open(JSON.parse(line)) : await judge(engine, JSON.parse(line) as Job)
    process.stdout.write(`${JSON.stringify(answer)}\n`)
  }
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stdout.write(`${JSON.stringify({ error: message })}\n`, () => process.exit(1))
}

async function open(opening: Opening): Promise<Opened> {
  const openEngine = ENGINES[opening.engine]!()
  const started = performance.now()
  engine = await openEngine(opening)
  const loadMs = performance.now() - started
  return {
    version: engine.version,
    settings: engine.settings,
    loadMs,
    overheadNs: await overheadNs(),
    memory: memory(true),
  }
}
