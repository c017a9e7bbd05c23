/**
 * Which family a `tokenizer.json` belongs to, by what its decoder does to the text of a token.
 *
 * The decoder decides, since it is what turns tokens into text; the pre-tokenizer is asked where there is none. Two families
 * are read: byte-level characters (GPT-2 and after), and text with `▁` for a space and `<0x0A>` for a byte (SentencePiece's BPE
 * and Unigram). Every other is refused by its name with what was found: wrong bytes would be silent.
 */
import { VocabularyError } from '../errors.ts'
import { isRecord, type TokenizerFields, VocabularyTexts } from './tokenizer-scan.ts'

/** What the text of a token says about its bytes, where it is not in byte-level characters. */
export interface TextRules {
  /** `▁` is a space. */
  readonly spaces: boolean
  /** `<0x0A>` is a byte. */
  readonly byteFallback: boolean
}

export interface TokenFamily {
  /** `null` where tokens are written in byte-level characters. */
  readonly text: TextRules | null
  /**
   * The tokenizer's own decoder takes away a space at the very beginning of the ids it is given. Bytes are not concerned: an
   * answer stands behind a prompt, where a space stays one.
   */
  readonly stripsFirstSpace: boolean
}

const BYTE_LEVEL: TokenFamily = { text: null, stripsFirstSpace: false }

/** Families whose bytes cannot be known, or that no decoder model has, and why. */
const REFUSED = new Map([
  [
    'WordPiece',
    'its bytes depend on the place (a space comes before a token unless it stands first), and no decoder has it, but encoders',
  ],
  ['WordLevel', 'it has whole words, and drops what stands between them'],
  ['CTC', 'it is for speech, where tokens that are said twice count once'],
])

/** The family of a file. Throws `VocabularyError` with the name of one that is not read, and what was found. */
export function readFamily(fields: TokenizerFields): TokenFamily {
  const { model } = fields
  const type = modelType(fields)
  const decoder = steps(fields.document.get('decoder'), 'decoders')
  if (decoder.some((step) => step.type === 'CTC')) throw refused('CTC')
  if (type !== 'BPE' && type !== 'Unigram') throw refused(type)
  requireVocabulary(fields.vocab, type)
  for (const affix of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    const value = model.get(affix)
    if (typeof value === 'string' && value !== '')
      throw refused(`${type} with ${affix} ${JSON.stringify(value)}`)
  }
  const preTokenizer = steps(fields.document.get('pre_tokenizer'), 'pretokenizers')
  const asked = decoder.length > 0 ? decoder : preTokenizer
  if (asked.some((step) => step.type === 'ByteLevel')) {
    const other = decoder.find((step) => step.type !== 'ByteLevel' && step.type !== 'Fuse')
    if (other !== undefined) throw refused(`byte-level ${type} with the decoder step ${other.type}`)
    return BYTE_LEVEL
  }
  const hasByteFallback = model.get('byte_fallback') === true
  if (decoder.length === 0) {
    const metaspace = preTokenizer.find((step) => step.type === 'Metaspace')
    if (metaspace === undefined) {
      const pre =
        preTokenizer.length === 0 ? 'or pre-tokenizer' : `and with the pre-tokenizer ${names(preTokenizer)}`
      throw refused(`${type} without a decoder ${pre}`)
    }
    return textFamily(type, [metaspace, ...(hasByteFallback ? [{ type: 'ByteFallback' }] : [])])
  }
  if (hasByteFallback && !decoder.some((step) => step.type === 'ByteFallback'))
    throw refused(`${type} with byte fallback in its model and without in its decoder (${names(decoder)})`)
  return textFamily(type, decoder)
}

/** Steps may come in this order alone, each once: another order would make other bytes. */
const ORDER = ['Replace', 'Metaspace', 'ByteFallback', 'Fuse', 'Strip']

function textFamily(type: string, decoder: readonly Step[]): TokenFamily {
  let last = -1
  let spaces = false
  let byteFallback = false
  let isFused = false
  let stripsFirstSpace = false
  const found = `${type} with the decoder ${names(decoder)}`
  for (const step of decoder) {
    const place = ORDER.indexOf(step.type)
    if (place < 0) throw refused(`${type} with ${step.type}`)
    if (place <= last) throw refused(`${found} in this order`)
    last = place
    if (step.type === 'Replace') {
      const { pattern, content } = step
      if (!isRecord(pattern) || pattern.String !== '\u2581' || content !== ' ')
        throw refused(
          `${type} with a decoder that replaces ${JSON.stringify(pattern)} by ${JSON.stringify(content)}`,
        )
      spaces = true
    } else if (step.type === 'Metaspace') {
      const { replacement = '\u2581', prepend_scheme: scheme } = step
      if (spaces || replacement !== '\u2581')
        throw refused(`${type} with Metaspace for ${JSON.stringify(replacement)}`)
      spaces = true
      stripsFirstSpace = scheme === undefined ? step.add_prefix_space !== false : scheme !== 'never'
    } else if (step.type === 'ByteFallback') byteFallback = true
    else if (step.type === 'Fuse') isFused = true
    else {
      const { content, start = 0, stop = 0 } = step
      if (!isFused || content !== ' ' || stop !== 0)
        throw refused(
          `${type} with a decoder that strips ${JSON.stringify({ content, start, stop })} from tokens`,
        )
      stripsFirstSpace ||= start !== 0
    }
  }
  if (!spaces && !byteFallback) throw refused(found)
  return { text: { spaces, byteFallback }, stripsFirstSpace }
}

function refused(family: string): VocabularyError {
  const why = REFUSED.get(family)
  return new VocabularyError(
    `this tokenizer.json is ${family}; ${why === undefined ? '' : `${why}: `}` +
      'only byte-level BPE, and BPE or Unigram of SentencePiece, can be read exactly',
  )
}

/** The type of the model; files written before it was named are told apart by their fields, as `tokenizers` does. */
function modelType({ model, hasMerges, vocab }: TokenizerFields): string {
  const type = model.get('type')
  if (typeof type === 'string') return type
  if (hasMerges) return 'BPE'
  if (vocab instanceof VocabularyTexts && vocab.isList) return 'Unigram'
  return model.has('continuing_subword_prefix') ? 'WordPiece' : 'of no known model type'
}

function requireVocabulary(vocab: unknown, type: string): void {
  const isList = type === 'Unigram'
  if (vocab instanceof VocabularyTexts && vocab.isList === isList) return
  throw new VocabularyError(
    isList
      ? 'model.vocab is not a list of tokens with their scores, as Unigram has; is the file whole?'
      : 'model.vocab is not an object of token texts to ids; is the file whole?',
  )
}

type Step = Readonly<Record<string, unknown>> & { readonly type: string }

/** The steps of a component in order, sequences flattened. */
function steps(component: unknown, list: string): Step[] {
  const found: Step[] = []
  const pending: unknown[] = [component]
  while (pending.length > 0) {
    const next = pending.pop()
    if (!isRecord(next)) continue
    const { type, [list]: members } = next
    if (Array.isArray(members)) pending.push(...members.toReversed())
    else if (typeof type === 'string') found.push({ ...next, type })
  }
  return found
}

function names(steps: readonly Step[]): string {
  return steps.map(({ type }) => type).join(', ')
}
