/**
 * Schemas, grammars and patterns that are hard on a compiler: how long does each take until it is compiled or refused, how
 * much memory, and how long do its masks?
 *
 * Each has a process of its own: Llama's vocabulary is loaded and a small schema followed that asks for its tables, then the
 * hard one is compiled and walked along at random, the mask computed before every token. Memory is the most that the process
 * ever had, the vocabulary, its file and the text included. Goals: a second and 512 MB to compile and for the first mask, five
 * seconds for texts of 10 MB, 50 ms for any further mask; nothing that compiles is refused later.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type CompiledGrammar,
  compile,
  compileGbnf,
  compileRegex,
  GrammarError,
  LimitError,
  type Matcher,
  PatternError,
  SchemaError,
  type Vocabulary,
  VocabularyError,
} from '../src/core.ts'
import { ADVERSARIAL } from '../test/support/adversarial.ts'
import { adversarialGrammars, adversarialPatterns } from '../test/support/adversarial-grammars.ts'
import { idsOf } from '../test/support/masks.ts'
import { Random } from '../test/support/random.ts'
import { llamaVocabulary } from '../test/support/vocabularies.ts'
import { bytes, machine, microseconds, printTables, type RawTable, UsageError, writeRaw } from './lib.ts'
import { json, type Options } from './terminal.ts'

export const summary =
  'hard schemas, grammars and patterns: compiled or refused, time, memory and masks of each'

const SEED = 20261130
/** Walks of each schema, and the tokens of each at most. */
const WALKS = 8
const TOKENS = 60
/** Goals: microseconds, bytes, microseconds. */
const COMPILE = 1_000_000
const COMPILE_LARGE = 5_000_000
const MEMORY = 512 << 20
const MASK = 50_000
/** Characters of a text that is large. */
const LARGE = 5_000_000
/** Milliseconds that one process may take. */
const PATIENCE = 120_000
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

type Source = string | Uint8Array

interface Case {
  readonly name: string
  readonly text: () => Source
  readonly compile: (text: Source, vocabulary: Vocabulary) => CompiledGrammar
}

/** By kind: the cases of each. */
const KINDS: readonly (readonly [title: string, header: string, cases: readonly Case[]])[] = [
  [
    'Hard schemas',
    'schema',
    ADVERSARIAL.map(([name, make]) => ({
      name,
      text: () => JSON.stringify(make()),
      compile: (text, vocabulary) => compile(text as string, vocabulary),
    })),
  ],
  [
    'Hard grammars',
    'grammar',
    adversarialGrammars().map(([name, text]) => ({ name, text, compile: compileGbnf })),
  ],
  [
    'Hard patterns',
    'pattern',
    adversarialPatterns().map(([name, text]) => ({
      name,
      text,
      compile: (pattern, vocabulary) => compileRegex(pattern as string, vocabulary),
    })),
  ],
]
const CASES = KINDS.flatMap(([, , cases]) => cases)

interface Outcome {
  readonly outcome: string
  /** Whether it was compiled, and whether that is how it stayed. */
  readonly stage: 'refused' | 'compiled' | 'refused later' | 'given up'
  readonly size: number
  readonly compile: number
  readonly memory: number
  readonly first: number
  readonly longest: number
}

export const options = {
  kind: { type: 'string', value: 'KIND', help: 'schema, grammar or pattern; by default all' },
  only: { type: 'string', value: 'PART', help: 'those whose name has this in it' },
  json,
  one: { type: 'string' },
} satisfies Options

export function run(args: string[]): void {
  const { values } = parseArgs({ args, options })
  if (values.one !== undefined) {
    process.stdout.write(JSON.stringify(measure(CASES[Number(values.one)]!)))
    return
  }
  const { only = '', kind } = values
  const tables: RawTable[] = []
  const figures: (Outcome & { kind: string; name: string })[] = []
  for (const [title, header, cases] of KINDS) {
    if (kind !== undefined && kind !== header) continue
    const chosen = cases.filter(({ name }) => name.includes(only))
    if (chosen.length === 0) continue
    const rows = chosen.map((each) => {
      const found = measureApart(CASES.indexOf(each))
      figures.push({ kind: header, name: each.name, ...found })
      return rowOf(each.name, found)
    })
    tables.push({
      title: `${title}, each in a process of its own`,
      header: [header, 'compile', 'memory', 'first mask', 'longest later', '', 'outcome'],
      rows,
    })
  }
  if (figures.length === 0)
    throw new UsageError(`nothing hard is of kind '${kind ?? ''}' and named '${only}'`)
  printTables(tables)
  console.log(`\n${machine()}`)
  if (values.json !== undefined)
    writeRaw(values.json, { bench: 'adversarial', args, tables, charts: [], figures })
}

function rowOf(name: string, found: Outcome): string[] {
  const { stage, compile: compiled, first, longest, memory } = found
  const goal = found.size > LARGE ? COMPILE_LARGE : COMPILE
  const above = [
    ...(stage === 'given up' ? ['no end'] : []),
    ...(compiled + first > goal ? ['compile'] : []),
    ...(memory > MEMORY ? ['memory'] : []),
    ...(longest > MASK ? ['mask'] : []),
    ...(stage === 'refused later' ? ['refused late'] : []),
  ]
  return [
    name,
    microseconds(compiled),
    bytes(memory),
    ...(stage === 'refused' || stage === 'given up' ? ['–', '–'] : [first, longest].map(microseconds)),
    above.length === 0 ? '' : `above the goal: ${above.join(', ')}`,
    found.outcome,
  ]
}

function measureApart(index: number): Outcome {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  try {
    const printed = execFileSync(process.execPath, [main, 'adversarial', '--one', String(index)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE,
    })
    return JSON.parse(printed) as Outcome
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string }
    const outcome = code === 'ETIMEDOUT' ? `none in ${PATIENCE / 1000} s` : lastLine(stderr ?? String(error))
    const nothing = { compile: 0, memory: 0, first: 0, longest: 0, size: 0 }
    return { outcome, stage: 'given up', ...nothing }
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)!.slice(0, SHOWN)
}

/** Characters of an error that are shown. */
const SHOWN = 140

function measure({ text: make, compile: compileText }: Case): Outcome {
  const vocabulary = llamaVocabulary()
  const small = compile(SMALL, vocabulary)
  for (let seed = 0; seed < WALKS; seed++) walk(small.matcher(), vocabulary, new Random(SEED + seed))
  const text = make()
  const found = { size: text.length, compile: 0, first: 0, longest: 0 }
  let stage: Outcome['stage'] = 'refused'
  let outcome = 'compiled'
  const started = performance.now()
  try {
    const grammar = compileText(text, vocabulary)
    found.compile = (performance.now() - started) * 1000
    stage = 'refused later'
    for (let seed = 0; seed < WALKS; seed++) {
      const times = walk(grammar.matcher(), vocabulary, new Random(SEED + seed))
      const later = seed === 0 ? times.slice(1) : times
      if (seed === 0) found.first = times[0]!
      found.longest = later.reduce((most, time) => Math.max(most, time), found.longest)
    }
    stage = 'compiled'
  } catch (error) {
    if (!REFUSALS.some((kind) => error instanceof kind)) throw error
    if (stage === 'refused') found.compile = (performance.now() - started) * 1000
    const { name, message } = error as Error
    outcome = `${stage === 'refused' ? '' : 'then '}${name}: ${message.slice(0, SHOWN)}`
  }
  return { ...found, outcome, stage, memory: peakBytes() }
}

const REFUSALS = [SchemaError, GrammarError, PatternError, LimitError, VocabularyError]

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
