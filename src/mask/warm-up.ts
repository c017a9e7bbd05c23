/**
 * Work that a vocabulary needs once, so that it need not be done while somebody waits: the token partitions of the terminals
 * that every schema shares (strings, keys, numbers, space between them), the classes of characters that patterns ask for, and
 * the JavaScript engine's first look at the loops.
 *
 * PERF: *first ten masks* of `npm run bench -- cold`, Llama 3.1: 80 to 130 ms without, 1.2 to 9 with one round before, about 1.2
 * with three; ten rounds gain nothing more. What it costs: *warm up* of `npm run bench -- load --warm-up`.
 */
import { hasBit } from '../bits.ts'
import { LimitError, VocabularyError } from '../errors.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { compile } from './compile-schema.ts'
import type { Matcher } from './matcher.ts'
import type { CompileOptions } from './options.ts'

const SCHEMA = `{
  "type": "object",
  "properties": {
    "text": { "type": "string" },
    "short": { "type": "string", "maxLength": 40 },
    "when": { "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$" },
    "list": { "type": "array", "items": { "type": "number" } },
    "count": { "type": "integer", "minimum": 0 },
    "unit": { "enum": ["celsius", "fahrenheit"] },
    "flag": { "type": "boolean" },
    "place": {
      "type": "object",
      "properties": { "name": { "type": "string" }, "at": { "$ref": "#/$defs/point" } },
      "required": ["name"],
      "additionalProperties": false
    }
  },
  "required": ["text", "short", "list", "count", "flag"],
  "additionalProperties": { "type": "string" },
  "$defs": { "point": { "anyOf": [{ "type": "null" }, { "type": "array", "items": { "type": "number" } }] } }
}`

/** Grammars made and read, so that what every grammar does is compiled too. */
const ROUNDS = 3

const INSTANCE =
  '{"text": "a \\"quote\\" here", "short": "some words", "when": "2024-05", "list": [1.5, -2, 30], "count": 12, ' +
  '"unit": "celsius", "flag": true, "place": {"name": "Paris", "at": [48.8, 2.3]}, "other": "x"}'

/**
 * Prepares a vocabulary for the first request: what it would compute for whatever schema comes first is computed now.
 * Optional, and done by `loadModel`; 0.2 s for 128,256 tokens.
 *
 * @param options those that schemas will be compiled with: white space and numbers have other automata under other options
 */
export function warmUp(vocabulary: Vocabulary, options: CompileOptions = {}): void {
  const text = new TextEncoder().encode(INSTANCE)
  for (let round = 0; round < ROUNDS; round++) {
    try {
      read(text, compile(SCHEMA, vocabulary, options).matcher(), vocabulary.trie)
    } catch (error) {
      // Other schemas may do with fewer bytes, and within the limits.
      if (!(error instanceof VocabularyError || error instanceof LimitError)) throw error
      return
    }
  }
}

/** Reads the text, or as much of it as is spelled so under the options. */
function read(text: Uint8Array, matcher: Matcher, trie: Trie): void {
  for (let at = 0, length = -1; at < text.length && length !== 0; at += length)
    length = acceptLongest(matcher, matcher.mask(), trie, text, at)
}

/** Accepts the longest token of the mask that the text goes on with, and returns its bytes; 0 where there is none. */
function acceptLongest(
  matcher: Matcher,
  mask: Uint32Array,
  trie: Trie,
  text: Uint8Array,
  at: number,
): number {
  let best = -1
  let length = 0
  for (let to = at, node = 0; to < text.length; ) {
    node = trie.child(node, text[to++]!)
    if (node === 0) break
    const id = trie.tokens[trie.first[node]!]!
    const isToken = trie.first[node]! < trie.first[node + 1]!
    if (!isToken || !hasBit(mask, id)) continue
    best = id
    length = to - at
  }
  return best >= 0 && matcher.accept(best) ? length : 0
}
