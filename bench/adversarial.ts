/**
 * Schemas that are hard on a compiler: how long does each take, and how much memory, until it is compiled or refused?
 *
 * A schema is compiled under Llama's vocabulary, its first mask computed, and the resident memory noted while the grammar
 * is held. Goal: a second and 512 MB each.
 */
import { parseArgs } from 'node:util'
import { compile, LimitError, SchemaError } from '../src/core.ts'
import { ADVERSARIAL } from '../test/support/adversarial.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
import { bytes, machine, microseconds, residentBytes, table } from './lib.ts'

export const summary = 'hard schemas: compiled or refused, time and memory of each'

export function run(args: string[]): void {
  parseArgs({ args, options: {} })
  const vocabulary = llamaVocabulary()
  compile({ type: 'object' }, vocabulary).matcher().mask()
  const rows: string[][] = []
  for (const [name, make] of ADVERSARIAL) {
    const schema = JSON.stringify(make())
    const before = residentBytes()
    const started = performance.now()
    const outcome = outcomeOf(() => compile(schema, vocabulary).matcher().mask())
    const time = (performance.now() - started) * 1000
    rows.push([name, microseconds(time), bytes(Math.max(0, process.memoryUsage().rss - before)), outcome])
  }
  console.log(table(['schema', 'compile + first mask', 'memory', 'outcome'], rows))
  console.log(`\n${machine()}`)
}

function outcomeOf(work: () => unknown): string {
  try {
    work()
    return 'compiled'
  } catch (error) {
    if (!(error instanceof SchemaError || error instanceof LimitError)) throw error
    return `${error.name}: ${error.message.slice(0, 100)}`
  }
}
