/**
 * Schemas that are hard on a compiler: how long does each take until it is compiled or refused, how much memory, and how
 * long do its masks?
 *
 * Each schema has a process of its own: Llama's vocabulary is loaded and a small schema followed that asks for its tables,
 * then the hard one is compiled and walked along at random, the mask computed before every token. Memory is the most that
 * the process ever had, the vocabulary and its file included. Goals: a second and 512 MB to compile, 50 ms for any mask.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compile, LimitError, type Matcher, SchemaError, type Vocabulary } from '../src/core.ts'
import { ADVERSARIAL } from '../test/support/adversarial.ts'
import { idsOf } from '../test/support/masks.ts'
import { Random } from '../test/support/random.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
import { bytes, machine, microseconds, printTables, type RawTable, UsageError, writeRaw } from './lib.ts'
import { json, type Options } from './terminal.ts'

export const summary = 'hard schemas: compiled or refused, time, memory and masks of each'

const SEED = 20261130
/** Walks of each schema, and the tokens of each at most. */
const WALKS = 8
const TOKENS = 60
/** Goals: microseconds, bytes, microseconds. */
const COMPILE = 1_000_000
const MEMORY = 512 << 20
const MASK = 50_000
/** Part of the tokens chosen that hold structure, where some do: a walk is not to stay in one string. */
const STRUCTURAL = 0.5
const STRUCTURE = /["{}[\],:]/

const SMALL = {
  type: 'object',
  properties: {
    a: { type: 'string' },
    b: { type: 'array', items: {} },
    c: { type: 'string', pattern: '^[a-z]+( [^"]*)?$' },
    d: { type: 'string', format: 'date', maxLength: 20 },
  },
}

interface Outcome {
  readonly outcome: string
  readonly compile: number
  readonly memory: number
  readonly first: number
  readonly longest: number
}

export const options = {
  only: { type: 'string', value: 'PART', help: 'schemas whose name has this in it' },
  json,
  one: { type: 'string' },
} satisfies Options

export function run(args: string[]): void {
  const { values } = parseArgs({ args, options })
  if (values.one !== undefined) {
    process.stdout.write(JSON.stringify(measure(ADVERSARIAL[Number(values.one)]![1])))
    return
  }
  const { only = '' } = values
  const rows: string[][] = []
  const figures: (Outcome & { name: string })[] = []
  for (const [index, [name]] of ADVERSARIAL.entries()) {
    if (!name.includes(only)) continue
    const found = measureApart(index)
    figures.push({ name, ...found })
    const above = [
      ...(found.compile > COMPILE ? ['compile'] : []),
      ...(found.memory > MEMORY ? ['memory'] : []),
      ...(Math.max(found.first, found.longest) > MASK ? ['mask'] : []),
    ]
    rows.push([
      name,
      microseconds(found.compile),
      bytes(found.memory),
      ...(found.outcome === 'compiled' ? [found.first, found.longest].map(microseconds) : ['–', '–']),
      above.length === 0 ? '' : `above the goal: ${above.join(', ')}`,
      found.outcome,
    ])
  }
  if (figures.length === 0) throw new UsageError(`no hard schema is named '${only}'`)
  const result: RawTable = {
    title: 'Hard schemas, each in a process of its own',
    header: ['schema', 'compile', 'memory', 'first mask', 'longest mask', '', 'outcome'],
    rows,
  }
  printTables([result])
  console.log(`\n${machine()}`)
  if (values.json !== undefined)
    writeRaw(values.json, { bench: 'adversarial', args, tables: [result], charts: [], figures })
}

function measureApart(index: number): Outcome {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const printed = execFileSync(process.execPath, [main, 'adversarial', '--one', String(index)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(printed) as Outcome
}

function measure(make: () => unknown): Outcome {
  const vocabulary = llamaVocabulary()
  const small = compile(SMALL, vocabulary)
  for (let seed = 0; seed < WALKS; seed++) walk(small.matcher(), vocabulary, new Random(SEED + seed))
  const schema = JSON.stringify(make())
  const started = performance.now()
  let compiled = 0
  try {
    const grammar = compile(schema, vocabulary)
    compiled = (performance.now() - started) * 1000
    let first = 0
    let longest = 0
    for (let seed = 0; seed < WALKS; seed++) {
      const times = walk(grammar.matcher(), vocabulary, new Random(SEED + seed))
      if (seed === 0) first = times[0]!
      longest = times.reduce((most, time) => Math.max(most, time), longest)
    }
    return { outcome: 'compiled', compile: compiled, memory: peakBytes(), first, longest }
  } catch (error) {
    if (!(error instanceof SchemaError || error instanceof LimitError)) throw error
    const stage = compiled === 0 ? '' : 'then '
    if (compiled === 0) compiled = (performance.now() - started) * 1000
    return {
      outcome: `${stage}${error.name}: ${error.message.slice(0, 100)}`,
      compile: compiled,
      memory: peakBytes(),
      first: 0,
      longest: 0,
    }
  }
}

/** The microseconds of each mask on a random walk. */
function walk(matcher: Matcher, vocabulary: Vocabulary, random: Random): number[] {
  const times: number[] = []
  while (times.length < TOKENS) {
    const started = performance.now()
    const mask = matcher.mask()
    times.push((performance.now() - started) * 1000)
    const ids = idsOf(mask).filter((id) => !vocabulary.endTokens.includes(id))
    if (ids.length === 0) break
    const structural = random.chance(STRUCTURAL)
      ? ids.filter((id) => STRUCTURE.test(Buffer.from(vocabulary.bytes(id)!).toString('latin1')))
      : []
    matcher.accept(random.pick(structural.length > 0 ? structural : ids))
  }
  return times
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024
}
