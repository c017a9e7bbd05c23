/**
 * Proofs that the bytes of tokens are those of their tokenizer: what it encodes spells the text, and each token alone is what
 * its decoder makes of it. The tokenizer is `@huggingface/tokenizers`, which shares no code with the vocabulary.
 */
import { Tokenizer } from '@huggingface/tokenizers'
import { Vocabulary } from '../../src/core.ts'

export interface Subject {
  readonly vocabulary: Vocabulary
  readonly tokenizer: Tokenizer
  /** What the tokenizer does to a text before it cuts it: its documented rules for spaces and Unicode forms. */
  readonly rule: (text: string) => string
}

type Json = Record<string, unknown>

/** A vocabulary and the tokenizer of the same file; `rule` is the family's. */
export function subjectOf(
  source: Uint8Array,
  config: Json,
  endTokens: readonly (string | number)[],
  rule: Subject['rule'] = (text) => text,
): Subject {
  const document = JSON.parse(Buffer.from(source).toString()) as Json
  return {
    vocabulary: Vocabulary.fromTokenizerJson(source, { endTokens }),
    tokenizer: new Tokenizer(document, config),
    rule,
  }
}

/** Of SentencePiece: a literal `▁` is a space; `prefix` puts one before every text, or only before those that begin otherwise. */
export function spaceRule(prefix: 'none' | 'always' | 'unless there is one'): Subject['rule'] {
  return (text) => {
    const spaced = text.replaceAll('\u2581', ' ')
    if (prefix === 'none' || (prefix === 'unless there is one' && spaced.startsWith(' '))) return spaced
    return ` ${spaced}`
  }
}

/** Six control characters have no token in the shipped vocabulary: its tokenizer leaves them out. */
const UNSPELLED = String.fromCharCode(0x04, 0x06, 0x13, 0x14, 0x16, 0x1d)
export const withoutUnspelled: Subject['rule'] = (text) =>
  [...text].filter((character) => !UNSPELLED.includes(character)).join('')

/** Texts whose tokens spell something else. */
export function misspelled({ vocabulary, tokenizer, rule }: Subject, texts: Iterable<string>): string[] {
  const wrong: string[] = []
  for (const text of texts) {
    const { ids } = tokenizer.encode(text, { add_special_tokens: false })
    const parts = (ids as number[]).map((id) => vocabulary.bytes(id))
    const lost = parts.indexOf(null)
    const spelled =
      lost < 0 ? Buffer.concat(parts as Uint8Array[]).toString() : `(token ${ids[lost]} has no bytes)`
    if (spelled !== rule(text)) wrong.push(`${JSON.stringify(text)} is spelled ${JSON.stringify(spelled)}`)
  }
  return wrong
}

/** GPT-2's table by another route: what is printable in Latin-1 stays, the others are numbered. */
export function byteOfCharacter(): Map<string, number> {
  const isPrintable = (byte: number): boolean =>
    byte !== 0xad && /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(String.fromCharCode(byte))
  const table = new Map<string, number>()
  const others = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isPrintable(byte))
  for (let byte = 0; byte < 256; byte++) {
    table.set(String.fromCharCode(isPrintable(byte) ? byte : 256 + others.indexOf(byte)), byte)
  }
  return table
}

const BYTES = byteOfCharacter()

/** The bytes of a token by how its family writes it, in Latin-1; written from the families' descriptions. */
function ruleOf(token: string, isAdded: boolean, isByteLevel: boolean): string {
  const utf8 = (text: string) => Buffer.from(text).toString('latin1')
  if (!isByteLevel) {
    const byte = /^<0x([0-9A-Fa-f]{2})>$/u.exec(token)
    return byte === null ? utf8(token.split('\u2581').join(' ')) : String.fromCharCode(parseInt(byte[1]!, 16))
  }
  if (isAdded) return utf8(token)
  const bytes = [...token].map((character) => {
    const byte = BYTES.get(character)
    return byte === undefined ? utf8(character) : String.fromCharCode(byte)
  })
  return bytes.join('')
}

/** How many tokens there are of each kind of difference between their bytes and `decode([id])`. */
export interface Differences {
  /** The same text. */
  same: number
  /** The decoder drops the space that the token begins with. */
  firstSpace: number
  /** No whole characters: the decoder writes U+FFFD. */
  partial: number
  /** Written with characters outside the byte alphabet, of which this decoder makes U+0000, and Hugging Face's the text. */
  outside: number
  control: number
  hole: number
  /** Anything else: there should be none. */
  other: string[]
}

export function differences({ vocabulary, tokenizer }: Subject): Differences {
  const added = tokenizer.get_added_tokens_decoder()
  const isByteLevel = JSON.stringify(tokenizer.decoder?.config).includes('ByteLevel')
  const found: Differences = {
    same: 0,
    firstSpace: 0,
    partial: 0,
    outside: 0,
    control: 0,
    hole: 0,
    other: [],
  }
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let id = 0; id < vocabulary.size; id++) {
    if (vocabulary.isControl(id)) {
      found.control++
      continue
    }
    const bytes = vocabulary.bytes(id)
    if (bytes === null) {
      found.hole++
      continue
    }
    const latin1 = Buffer.from(bytes).toString('latin1')
    if (latin1 !== ruleOf(tokenizer.id_to_token(id)!, added.has(id), isByteLevel)) {
      found.other.push(`${id}: ${JSON.stringify(tokenizer.id_to_token(id))} is not ${JSON.stringify(latin1)}`)
      continue
    }
    const decoded = tokenizer.decode([id], { clean_up_tokenization_spaces: false })
    let text: string
    try {
      text = utf8.decode(bytes)
    } catch {
      if (decoded.includes('\ufffd')) found.partial++
      else found.other.push(`${id}: ${JSON.stringify(latin1)} is ${JSON.stringify(decoded)}`)
      continue
    }
    if (text === decoded) found.same++
    else if (vocabulary.stripsFirstSpace && text === ` ${decoded}`) found.firstSpace++
    else if (tokenizer.id_to_token(id) === text && decoded.includes('\0')) found.outside++
    else found.other.push(`${id}: ${JSON.stringify(text)} is ${JSON.stringify(decoded)}`)
  }
  return found
}
