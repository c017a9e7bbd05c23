/**
 * The work of the engine, counted on a fixed set of schemas, grammars and texts under the shipped tokenizer, against what it was:
 * `counters.json`. A clock on a shared machine tells a factor of two; these tell a tenth.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { type CompiledGrammar, compile, compileGbnf, Vocabulary } from '../../src/core.ts'
import { effort } from '../../src/effort.ts'
import { engineOf } from '../../src/mask/engine.ts'
import { readTokenizerJson } from '../../src/vocab/tokenizer-json.ts'
import { shippedTokenizer } from '../support/vocabularies.ts'
import { GRAMMAR_WORKLOADS, WORKLOADS } from '../support/workloads.ts'

type Counts = Record<string, number>

const FILE = new URL('counters.json', import.meta.url)
/** Part by which a count may differ; and how much of a small one, where a tenth is less than one. */
const PART = 0.1
const FEW = 2
const ACCEPT = 'ESPALIER_ACCEPT_COUNTERS'
const accept = Boolean(process.env[ACCEPT])

const table = readTokenizerJson(readFileSync(shippedTokenizer))
const known = (accept ? {} : JSON.parse(readFileSync(FILE, 'utf8'))) as Record<string, Counts>
const found: Record<string, Counts> = {}

const CASES = [
  ...WORKLOADS.map(({ name, schema, texts, anyOrder = false }) => {
    const propertyOrder = anyOrder ? 'any' : 'schema'
    const make = (vocabulary: Vocabulary): CompiledGrammar =>
      compile(schema as object, vocabulary, { propertyOrder })
    return { name, make, texts }
  }),
  ...GRAMMAR_WORKLOADS.map(({ name, gbnf, texts }) => {
    const make = (vocabulary: Vocabulary): CompiledGrammar => compileGbnf(gbnf, vocabulary)
    return { name, make, texts }
  }),
]

test.each(CASES)('the work for $name has not grown', ({ name, make, texts }) => {
  const counts = measure(make, texts)
  found[name] = counts
  const before = known[name]
  if (accept) return
  expect(before, `not in counters.json: ${renewing('add it')}`).toBeDefined()
  const { more, less } = changes(before!, counts)
  if (less.length > 0) {
    process.stdout.write(
      `${name}: less work than in counters.json (${less.join(', ')}); ${renewing('renew it, so that this stays')}\n`,
    )
  }
  expect(more, `more work than in counters.json; ${renewing('if that is meant, accept it')}`).toEqual([])
})

test('every count of the file is looked at', () => {
  if (accept) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`)
  else expect(Object.keys(known)).toEqual(CASES.map(({ name }) => name))
})

test('a count that grew by more than a tenth is told from one that did not', () => {
  expect(changes({ nodes: 1000, masks: 10 }, { nodes: 1100, masks: 12 })).toEqual({ more: [], less: [] })
  expect(changes({ nodes: 1000, masks: 10 }, { nodes: 1101, masks: 13 }).more).toEqual([
    'nodes 1000 → 1101',
    'masks 10 → 13',
  ])
  expect(changes({ nodes: 1000 }, { nodes: 899 }).less).toEqual(['nodes 1000 → 899'])
  expect(changes({}, { rests: 3 }).more).toEqual(['rests 0 → 3'])
})

/** What compiling and the masks of all texts take, with nothing known of the vocabulary before. */
function measure(make: (vocabulary: Vocabulary) => CompiledGrammar, texts: readonly string[]): Counts {
  const vocabulary = Vocabulary.fromTable(table, { endTokens: ['<|im_end|>'] })
  const before = { ...effort }
  const grammar = make(vocabulary)
  for (const text of texts) {
    const matcher = grammar.matcher()
    for (const id of greedy(vocabulary, text)) {
      expect(hasBit(matcher.mask(), id), `${vocabulary.literal(id)} in ${text}`).toBe(true)
      matcher.accept(id)
    }
    matcher.mask()
    expect(matcher.isComplete(), text).toBe(true)
  }
  const { maskBytes, ...sizes } = grammar.sizes
  const counts: Counts = {}
  for (const name of Object.keys(effort) as (keyof typeof effort)[])
    counts[name] = effort[name] - before[name]
  return { ...counts, ...sizes, bytes: maskBytes + engineOf(vocabulary).partitions.byteLength }
}

/** The text in the longest tokens that fit, from the left. */
function greedy({ trie }: Vocabulary, text: string): number[] {
  const bytes = new TextEncoder().encode(text)
  const ids: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let longest = 0
    let length = 0
    for (let node = 0, to = at; to < bytes.length; to++) {
      node = trie.child(node, bytes[to]!)
      if (node === 0) break
      if (trie.first[node]! === trie.first[node + 1]!) continue
      longest = node
      length = to + 1 - at
    }
    ids.push(trie.tokens[trie.first[longest]!]!)
    at += length
  }
  return ids
}

function changes(before: Counts, now: Counts): { more: string[]; less: string[] } {
  const more: string[] = []
  const less: string[] = []
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [old, count] = [before[name] ?? 0, now[name] ?? 0]
    const change = `${name} ${old} → ${count}`
    // Rounded, as 1000 * 1.1 is 1100.0000000000002.
    if (count > Math.max(Math.round(old * (1 + PART)), old + FEW)) more.push(change)
    if (count < Math.min(Math.round(old * (1 - PART)), old - FEW)) less.push(change)
  }
  return { more, less }
}

function renewing(why: string): string {
  return `${why}: ${ACCEPT}=1 npx vitest run test/mask/counters.test.ts writes the file`
}
