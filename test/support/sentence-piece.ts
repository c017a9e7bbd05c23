/** Documents as `tokenizer.json` has them, for tokenizers of SentencePiece: tokens 0 to 2 are `<unk>`, `<s>` and `</s>`. */
import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

/** Pieces that JSON and calls are full of, with and without a space, to 313 tokens: as many as the tiny models have logits. */
const TINY_PIECES = [
  ...['▁', ...'"{}[]:,0123456789', ...'aehlnorst'],
  ...[
    '▁{',
    '{"',
    '▁"',
    '":',
    '":▁',
    '▁t',
    '▁th',
    '▁the',
    'he',
    'hel',
    'hell',
    'hello',
    '▁hello',
    '▁▁',
    '▁▁▁▁',
  ],
  ...['"}', '},', ',▁', '",', '",▁', 'tr', '▁a', '▁s', '10', 'é', '日', '▁é'],
].slice(0, 313 - 259)

const CHAT = `{% for m in messages %}<s>{{ m['role'] }}
{{ m['content'] }}</s>
{% endfor %}{% if add_generation_prompt %}<s>assistant
{% endif %}`

/**
 * A model folder of the weights of `fixture` with a tokenizer of SentencePiece, in a new temporary folder: 313 tokens, of which
 * `</s>` ends a text.
 */
export async function sentencePieceModel(fixture: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'espalier-sentence-piece-'))
  await cp(fixture, folder, { recursive: true })
  const write = (file: string, value: unknown) => writeFile(join(folder, file), JSON.stringify(value))
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))
  await write('config.json', { ...config, bos_token_id: 1, eos_token_id: 2 })
  await write('generation_config.json', { eos_token_id: 2 })
  await write('tokenizer.json', sentencePiece(TINY_PIECES))
  const texts = { bos_token: '<s>', eos_token: '</s>', chat_template: CHAT, model_max_length: 1024 }
  await write('tokenizer_config.json', texts)
  return folder
}
