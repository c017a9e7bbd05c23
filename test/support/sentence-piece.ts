/** Documents as `tokenizer.json` has them, for tokenizers of SentencePiece: tokens 0 to 2 are `<unk>`, `<s>` and `</s>`. */

type Json = Record<string, unknown>

const SPECIAL = ['<unk>', '<s>', '</s>']

export const REPLACE = { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' }

/** The token of one byte: `<0x0A>`. */
export function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`
}

/** A decoder of several steps; a name stands for a step without settings. */
export function sequence(...steps: (string | Json)[]): Json {
  return {
    type: 'Sequence',
    decoders: steps.map((step) => (typeof step === 'string' ? { type: step } : step)),
  }
}

const LLAMA_DECODER = sequence(REPLACE, 'ByteFallback', 'Fuse', {
  type: 'Strip',
  content: ' ',
  start: 1,
  stop: 0,
})

/** What puts a space before each text and writes spaces as `▁`, in the way of Llama 2. */
const LLAMA_NORMALIZER = {
  type: 'Sequence',
  normalizers: [
    { type: 'Prepend', prepend: '\u2581' },
    { type: 'Replace', pattern: { String: ' ' }, content: '\u2581' },
  ],
}

function document(model: Json, decoder: Json): Json {
  const added = SPECIAL.map((content, id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  }))
  return {
    version: '1.0',
    added_tokens: added,
    normalizer: LLAMA_NORMALIZER,
    pre_tokenizer: null,
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [],
      special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
    },
    decoder,
    model,
  }
}

/** BPE in the way of Llama 2: special tokens, the 256 bytes if wanted, then the pieces. Each piece is merged from its characters. */
export function sentencePiece(
  pieces: readonly string[],
  options: { decoder?: Json; byteFallback?: boolean; bytes?: boolean } = {},
): Json {
  const { decoder = LLAMA_DECODER, byteFallback = true, bytes = true } = options
  const all = [
    ...SPECIAL,
    ...(bytes ? Array.from({ length: 256 }, (_, byte) => byteToken(byte)) : []),
    ...pieces,
  ]
  const vocab = Object.fromEntries(all.map((text, id) => [text, id]))
  const merges = pieces.flatMap((piece) => {
    const characters = [...piece]
    const last = characters.pop()!
    const head = characters.join('')
    return Object.hasOwn(vocab, head) && Object.hasOwn(vocab, last) ? [[head, last]] : []
  })
  return document(
    { type: 'BPE', unk_token: '<unk>', fuse_unk: true, byte_fallback: byteFallback, vocab, merges },
    decoder,
  )
}

/** Unigram: special tokens, the pieces, and the 256 bytes where it falls back to them. The longer a piece, the likelier. */
export function unigram(pieces: readonly string[], options: { byteFallback?: boolean } = {}): Json {
  const { byteFallback = false } = options
  const bytes = byteFallback ? Array.from({ length: 256 }, (_, byte) => byteToken(byte)) : []
  const vocab = [
    ...SPECIAL.map((text) => [text, 0]),
    ...pieces.map((text) => [text, -10 / [...text].length]),
    ...bytes.map((text) => [text, -20]),
  ]
  return document(
    { type: 'Unigram', unk_id: 0, byte_fallback: byteFallback, vocab },
    byteFallback ? LLAMA_DECODER : { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always' },
  )
}
