/**
 * One vocabulary loaded once, in the process that `load` makes for it: prints milliseconds by phase as JSON.
 *
 * Its arguments are the path of a `tokenizer.json`, the literal text of an end token, and the path of a cache file where it is
 * to be read from one; `--warm-up` where the vocabulary is warmed up before it is asked for anything. The code is loaded before the clock starts; nothing of it has run.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { compile, warmUp } from '../../src/core.ts'
import { decodeTable } from '../../src/vocab/table-cache.ts'
import { readTokenizerJson } from '../../src/vocab/tokenizer-json.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { residentBytes } from '../lib.ts'
import type { Loaded, Phase } from '../load.ts'

/** An object whose first mask is the least that a vocabulary must be ready for. */
const SIMPLE = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}'
/** And one whose instance is led through the tables of keys, strings and numbers, byte by byte. */
const VARIED = '{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}}}'
const INSTANCE = '{"a": "x", "c": [1.5, true]'

const WARM_UP = '--warm-up'
const [tokenizer = '', endToken = '', cache] = process.argv.slice(2).filter((arg) => arg !== WARM_UP)
const before = residentBytes()
const ms: Partial<Record<Phase, number>> = {}
let last = performance.now()

function passed(phase: Phase): void {
  const now = performance.now()
  ms[phase] = now - last
  last = performance.now()
}

const file = readFileSync(tokenizer)
passed('read')
const table = cache === undefined ? readTokenizerJson(file) : cached(cache)
if (cache === undefined) passed('tokens')
const vocabulary = Vocabulary.fromTable(table, { endTokens: [endToken] })
passed('vocabulary')
if (process.argv.includes(WARM_UP)) {
  warmUp(vocabulary)
  passed('warm up')
}
const grammar = compile(SIMPLE, vocabulary)
passed('compile')
grammar.matcher().mask()
passed('first mask')

const matcher = compile(VARIED, vocabulary, {
  whitespace: 'any',
  propertyOrder: 'any',
  numbers: 'any',
}).matcher()
const ids = bytesAlone(vocabulary)
last = performance.now()
for (const byte of new TextEncoder().encode(INSTANCE)) {
  matcher.mask()
  if (!matcher.accept(ids.get(byte)!)) throw new Error(`byte ${byte} of the instance is refused`)
}
passed('tables')

const resident = residentBytes() - before
const loaded: Loaded = {
  tokens: vocabulary.trie.tokens.length,
  ms,
  held: vocabulary.byteLength,
  resident,
}
process.stdout.write(JSON.stringify(loaded))

function cached(path: string) {
  const key = createHash('sha256').update(file).digest('hex')
  passed('hash')
  const table = decodeTable(readFileSync(path), key)
  if (table === null) throw new Error(`${path} is no cache of ${tokenizer}`)
  passed('cache')
  return table
}

function bytesAlone(vocabulary: Vocabulary): Map<number, number> {
  const ids = new Map<number, number>()
  for (const id of vocabulary.trie.tokens) {
    const bytes = vocabulary.bytes(id)!
    if (bytes.length === 1) ids.set(bytes[0]!, id)
  }
  return ids
}
