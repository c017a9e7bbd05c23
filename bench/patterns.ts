/**
 * What does a state of a pattern cost the first time it is met, and what would reading every token with its automaton?
 *
 * Each round makes the automaton of a pattern anew and asks for the tokens that may come in the states along one of its
 * texts. What a vocabulary learns once (the characters of its tokens, masks of sets of them) is there from the second round
 * on, as it is for the second schema with such a pattern. Beside it the trie of tokens is walked by the bytes of the
 * automaton, in rounds of their own.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SingleLanguage } from '../src/automaton/char-language.ts'
import { DfaPool } from '../src/automaton/dfa-pool.ts'
import { StringDfa } from '../src/automaton/string-dfa.ts'
import { Vocabulary } from '../src/core.ts'
import { Partitions } from '../src/mask/partition.ts'
import { PartitionCache } from '../src/mask/partition-cache.ts'
import { CharDfa } from '../src/regex/chardfa.ts'
import { formatWithLength } from '../src/regex/formats.ts'
import { parsePattern } from '../src/regex/pattern.ts'
import { type Regex, RegexBuilder } from '../src/regex/regex.ts'
import { llamaTokenizer, machine, microseconds, positive, printTables, Samples, writeRaw } from './lib.ts'
import { json, type Options } from './terminal.ts'

export const summary = 'what a state of a pattern costs the first time, beside reading every token'

/** Patterns, or names of formats, and a text of each. */
const PATTERNS: readonly (readonly [name: string, text: string])[] = [
  ['^[a-z]+$', 'identifier'],
  ['^[A-Za-z_][A-Za-z0-9_]*$', 'snake_case'],
  ['^[^/]+$', 'a file.txt'],
  ['^.*$', 'any text'],
  ['.*\\.json$', 'file.json'],
  ['[0-9]{4}-[0-9]{2}', 'on 2024-01-'],
  ['^[0-9a-f]{24}$', '507f1f77bcf8'],
  ['^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$', '123e4567-e89b-12d3'],
  ['^\\d{4}-\\d{2}-\\d{2}$', '2024-01-02'],
  ['^[\\w.-]{1,255}$', 'some-name.v1'],
  ['^(\\S+\\s+){0,49}\\S+$', 'some few words'],
  ['^[A-Z]{2}[0-9]{3}-(foo|bar|[a-z]{2,8})\\.json$', 'AB123-foo.json'],
  [
    '^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$',
    'a.host-name',
  ],
  ['date-time', '2024-01-02T10:2'],
  ['email', 'some.body@exam'],
  ['uri', 'https://example.com/a?b'],
  ['hostname', 'www.example.c'],
]

export const options = {
  rounds: { type: 'string', default: '40', value: 'N', help: 'times that each pattern is read anew' },
  json,
} satisfies Options

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const rounds = positive('--rounds', values.rounds)
  const vocabulary = Vocabulary.fromTokenizerJson(readFileSync(llamaTokenizer, 'utf8'), {
    endTokens: ['<|eot_id|>'],
  })
  const partitions = new Partitions(vocabulary, new DfaPool(vocabulary.alphabet))
  const rows: string[][] = []
  for (const [name, text] of PATTERNS) {
    const first = new Samples()
    const later = new Samples()
    const walked = new Samples()
    for (let round = 0; round < rounds; round++) {
      const dfa = automaton(name, vocabulary)
      const cache = new PartitionCache(1 << 26)
      eachState(dfa, text, (state) =>
        (round === 0 ? first : later).add(time(() => partitions.of(dfa, state, null, cache))),
      )
    }
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      const dfa = automaton(name, vocabulary)
      eachState(dfa, text, (state) => walked.add(time(() => walk(dfa, state, vocabulary))))
    }
    rows.push(
      [name, first.percentile(100), later.percentile(50), later.percentile(99), walked.percentile(50)].map(
        (cell) => (typeof cell === 'string' ? cell : microseconds(cell)),
      ),
    )
  }
  const tables = [
    {
      title: `Microseconds a state, Llama 3.1, ${rounds} rounds`,
      header: ['pattern', 'first round, max', 'then p50', 'p99', 'every token, p50'],
      rows,
    },
  ]
  console.log(machine())
  printTables(tables)
  if (values.json !== undefined) writeRaw(values.json, { bench: 'patterns', args, tables })
}

function automaton(name: string, vocabulary: Vocabulary): StringDfa {
  const builder = new RegexBuilder()
  const language = formatWithLength(name, builder)
  const regex: Regex = language?.language ?? parsePattern(name, builder)
  const chars = new SingleLanguage(new CharDfa(builder, regex))
  const { min: minLength, max: maxLength } = language ?? { min: 0, max: Number.POSITIVE_INFINITY }
  return new StringDfa({ chars, minLength, maxLength }, 'json', vocabulary.alphabet)
}

/** The states of the string along a text, each once. */
function eachState(dfa: StringDfa, text: string, ask: (state: number) => void): void {
  const seen = new Set<number>()
  let state = dfa.next(dfa.start, 0x22)
  for (const byte of Buffer.from(text)) {
    if (!seen.has(state)) ask(state)
    seen.add(state)
    state = dfa.next(state, byte)
    if (state === 0) throw new RangeError(`${JSON.stringify(text)} does not match`)
  }
}

function time(work: () => unknown): number {
  const start = performance.now()
  work()
  return (performance.now() - start) * 1000
}

/** The number of tokens that stay in the string. */
function walk(dfa: StringDfa, state: number, { trie }: Vocabulary): number {
  const { byte, depth, skip, first, size, maxDepth } = trie
  const states = new Int32Array(maxDepth + 1)
  states[0] = state
  let tokens = 0
  for (let i = 1; i < size; ) {
    const d = depth[i]!
    const next = dfa.next(states[d - 1]!, byte[i]!)
    if (next === 0 || dfa.tag(next) !== 0) {
      i = skip[i]!
      continue
    }
    tokens += first[i + 1]! - first[i]!
    states[d] = next
    i++
  }
  return tokens
}
