import { describe, expect, it } from 'vitest'
import { Vocabulary } from '../../src/core.ts'
import { VocabularyError } from '../../src/errors.ts'
import { decodeTable, encodeTable } from '../../src/vocab/table-cache.ts'
import { readTokenizerJson } from '../../src/vocab/tokenizer-json.ts'
import { byteToken, REPLACE, sentencePiece, sequence, unigram } from '../support/sentence-piece.ts'

type Json = Record<string, unknown>

const END = '</s>'

/** The vocabulary of a document, read from its text; the object it parses to must give the same. */
function read(document: Json, options: { textTokens?: string[] } = {}): Vocabulary {
  const all = { endTokens: [END], ...options }
  const vocabulary = Vocabulary.fromTokenizerJson(JSON.stringify(document), all)
  const same = Vocabulary.fromTokenizerJson(document, all)
  for (let id = 0; id < vocabulary.size; id++) {
    expect(same.bytes(id)).toEqual(vocabulary.bytes(id))
    expect(same.isControl(id)).toBe(vocabulary.isControl(id))
  }
  expect(same.stripsFirstSpace).toBe(vocabulary.stripsFirstSpace)
  return vocabulary
}

/** The bytes of the token with this text, as Latin-1. */
function bytesOf(vocabulary: Vocabulary, document: Json, text: string): string | null {
  const { vocab } = document.model as { vocab: Record<string, number> | [string, number][] }
  const id = Array.isArray(vocab) ? vocab.findIndex(([piece]) => piece === text) : vocab[text]!
  const bytes = vocabulary.bytes(id)
  return bytes === null ? null : Buffer.from(bytes).toString('latin1')
}

const PIECES = [
  '▁',
  '▁the',
  'a▁b',
  '▁▁',
  '"',
  '\\',
  '\n',
  '"▁',
  'é',
  '日本',
  '🌿',
  '\u2582',
  '<0x4g>',
  '<0x041>',
]

describe('SentencePiece in tokenizer.json', () => {
  it.each([
    ['BPE, decoders in sequence', sentencePiece(PIECES)],
    ['Unigram, decoders in sequence', unigram(PIECES, { byteFallback: true })],
  ])('%s: a ▁ is a space wherever it stands, <0x0A> a byte, and all else its UTF-8', (_, document) => {
    const vocabulary = read(document)
    for (const piece of PIECES) {
      const expected = Buffer.from(piece.replaceAll('▁', ' ')).toString('latin1')
      expect(bytesOf(vocabulary, document, piece), piece).toBe(expected)
    }
    for (let byte = 0; byte < 256; byte++)
      expect(bytesOf(vocabulary, document, byteToken(byte))).toBe(String.fromCharCode(byte))
    expect(vocabulary.spellsBytes).toBe(true)
    expect(vocabulary.stripsFirstSpace).toBe(true)
  })

  it('takes a byte in small letters as its decoder does, and no other spelling', () => {
    const document = sentencePiece(['<0xfF>', '<0X41>', '<0x4>', '<0x+4>', ' <0x41'], { bytes: false })
    const vocabulary = read(document)
    expect(bytesOf(vocabulary, document, '<0xfF>')).toBe('\xff')
    for (const text of ['<0X41>', '<0x4>', '<0x+4>', ' <0x41']) {
      expect(bytesOf(vocabulary, document, text)).toBe(text)
    }
  })

  const metaspace = (parts: Json = {}) => ({ type: 'Metaspace', replacement: '▁', ...parts })
  it.each([
    [
      'Replace, ByteFallback, Fuse, Strip',
      sequence(REPLACE, 'ByteFallback', 'Fuse', { type: 'Strip', content: ' ', start: 1, stop: 0 }),
      true,
    ],
    ['Replace, ByteFallback, Fuse', sequence(REPLACE, 'ByteFallback', 'Fuse'), false],
    [
      'the same, of which Strip takes nothing',
      sequence(REPLACE, 'ByteFallback', 'Fuse', { type: 'Strip', content: ' ', start: 0, stop: 0 }),
      false,
    ],
    ['a sequence in a sequence', sequence(sequence(REPLACE, 'ByteFallback'), 'Fuse'), false],
    ['Metaspace with ByteFallback', sequence(metaspace(), 'ByteFallback'), true],
    [
      'Metaspace that never prepends',
      sequence(metaspace({ prepend_scheme: 'never' }), 'ByteFallback'),
      false,
    ],
    ['Metaspace that prepends first', sequence(metaspace({ prepend_scheme: 'first' }), 'ByteFallback'), true],
    ['Metaspace of old files', sequence(metaspace({ add_prefix_space: false }), 'ByteFallback'), false],
  ])('the decoder is %s', (_, decoder, strips) => {
    const document = sentencePiece(PIECES, { decoder })
    const vocabulary = read(document)
    expect(bytesOf(vocabulary, document, '▁the')).toBe(' the')
    expect(bytesOf(vocabulary, document, byteToken(0xe2))).toBe('\xe2')
    expect(vocabulary.stripsFirstSpace).toBe(strips)
  })

  it('tells by the decoder what is a byte, and what a space', () => {
    const plain = sentencePiece(['▁a', 'b'], { decoder: metaspace(), byteFallback: false })
    expect(bytesOf(read(plain), plain, byteToken(0x41))).toBe('<0x41>')
    const spaced = sentencePiece(['▁a', ' a'], { decoder: sequence('ByteFallback', 'Fuse') })
    expect(bytesOf(read(spaced), spaced, '▁a')).toBe('\xe2\x96\x81a')
    expect(bytesOf(read(spaced), spaced, ' a')).toBe(' a')
    const old = { ...sentencePiece(['▁a']), decoder: null, pre_tokenizer: metaspace() }
    expect(bytesOf(read(old), old, '▁a')).toBe(' a')
    expect(bytesOf(read(old), old, byteToken(0x41))).toBe('A')
  })

  it.each([
    [
      'another replacement',
      { decoder: metaspace({ replacement: '_' }), byteFallback: false },
      /BPE with Metaspace for "_"/,
    ],
    [
      'a replaced text of another kind',
      { decoder: sequence({ ...REPLACE, content: '' }, 'Fuse'), byteFallback: false },
      /BPE with a decoder that replaces \{"String":"▁"\} by ""/,
    ],
    [
      'a pattern',
      { decoder: sequence({ ...REPLACE, pattern: { Regex: '▁+' } }, 'ByteFallback') },
      /replaces \{"Regex":"▁\+"\} by " "/,
    ],
    [
      'tokens that are stripped',
      { decoder: sequence(REPLACE, 'ByteFallback', { type: 'Strip', content: ' ', start: 1, stop: 0 }) },
      /strips \{"content":" ","start":1,"stop":0\} from tokens/,
    ],
    [
      'an end that is stripped',
      {
        decoder: sequence(REPLACE, 'ByteFallback', 'Fuse', {
          type: 'Strip',
          content: ' ',
          start: 0,
          stop: 1,
        }),
      },
      /strips/,
    ],
    [
      'bytes before spaces',
      { decoder: sequence('ByteFallback', REPLACE, 'Fuse') },
      /the decoder ByteFallback, Replace, Fuse in this order/,
    ],
    ['an unknown step', { decoder: sequence(REPLACE, 'ByteFallback', 'Reverse') }, /BPE with Reverse/],
    [
      'bytes in the model alone',
      { decoder: metaspace() },
      /byte fallback in its model and without in its decoder \(Metaspace\)/,
    ],
    ['nothing but Fuse', { decoder: sequence('Fuse'), byteFallback: false }, /BPE with the decoder Fuse/],
  ])('refuses by what was found: %s', (_, options, message) => {
    expect(() => read(sentencePiece(['a'], options))).toThrow(VocabularyError)
    expect(() => read(sentencePiece(['a'], options))).toThrow(message)
  })

  it('says of WordPiece why it is refused', () => {
    const document = sentencePiece(['a'])
    Object.assign(document.model as Json, { type: 'WordPiece' })
    expect(() => read(document)).toThrow(
      /WordPiece; its bytes depend on the place .*, and no decoder has it, but encoders: only byte-level BPE/,
    )
  })

  it('takes what is unknown, and what a post-processor puts around a text, for control, added or not', () => {
    const cls = { id: 'cls', ids: [259], tokens: ['[CLS]'] }
    const bpe: Json = {
      ...sentencePiece(['[CLS]', 'a']),
      added_tokens: [{ id: 2, content: END, special: true }],
      post_processor: { type: 'TemplateProcessing', special_tokens: { cls } },
    }
    const vocabulary = read(bpe)
    expect([0, 259, 260].map((id) => vocabulary.isControl(id))).toEqual([true, true, false])
    expect(bytesOf(vocabulary, bpe, '<unk>')).toBe(null)
    expect(vocabulary.idOf('[CLS]')).toBe(259)
    const list: Json = {
      ...unigram(['▁a', '[CLS]']),
      added_tokens: [],
      post_processor: { type: 'RobertaProcessing', sep: [END, 2], cls: ['[CLS]', 4] },
    }
    const kinds = Array.from({ length: 5 }, (_, id) => read(list).isControl(id))
    expect(kinds).toEqual([true, false, true, false, true])
  })

  it('reads added tokens by the same rule, and decides as everywhere which of them are text', () => {
    const added = ['▁▁▁', '\n', '<td>', '<tool_call>', '<0x41>'].map((content, at) => ({
      id: 300 + at,
      content,
      special: false,
    }))
    const document = sentencePiece(['a'])
    document.added_tokens = [...(document.added_tokens as object[]), ...added]
    const vocabulary = read(document, { textTokens: ['<0x41>'] })
    const texts = added.map(({ id }) => {
      const bytes = vocabulary.bytes(id)
      return bytes === null ? null : Buffer.from(bytes).toString()
    })
    expect(texts).toEqual(['   ', '\n', '<td>', null, 'A'])
    expect(vocabulary.isControl(303)).toBe(true)
    expect(vocabulary.isHole(299)).toBe(true)
  })

  it('reads a list of pieces with any spacing, escapes and scores', () => {
    const text = String.raw`{"model": {"type": "Unigram", "unk_id": 0, "vocab": [ [ "\u003cunk\u003e" , 0 ],["</s>",-1e-3]
      ,["\u2581\"x\ud83c\udf3f" ,-2.5E+1],["", 0], [ "▁y",1] ]}, "decoder": {"type": "Metaspace"}}`
    const vocabulary = Vocabulary.fromTokenizerJson(text, { endTokens: [1] })
    expect(Buffer.from(vocabulary.bytes(2)!).toString()).toBe(' "x🌿')
    expect(vocabulary.bytes(3)).toBe(null)
    expect(Buffer.from(vocabulary.bytes(4)!).toString()).toBe(' y')
    expect(vocabulary.isControl(0)).toBe(true)
  })

  it.each([
    ['{"a": 0}', /model\.vocab is not a list of tokens with their scores/],
    ['["a"]', /model\.vocab\[0\] is "a"; expected \[text, score\]/],
    ['[["a", 0], [1, 0]]', /model\.vocab\[1\] is \[1,0\]/],
    ['[["a", 0], ["b"]]', /model\.vocab\[1\] is \["b"\]/],
    ['[["a", 0], ["b", "c"]]', /model\.vocab\[1\] is \["b","c"\]/],
    ['[["a", 0], ["b", 1, 2]]', /model\.vocab\[1\] is \["b",1,2\]/],
    ['[["a", 0], null]', /model\.vocab\[1\] is null/],
    ['[["a", 0],]', /not JSON/],
    ['[["a" 0]]', /not JSON/],
    ['3', /model\.vocab is not a list/],
  ])('refuses the list of pieces %s', (vocab, message) => {
    const text = `{"model": {"type": "Unigram", "unk_id": 0, "vocab": ${vocab}}, "decoder": {"type": "Metaspace"}}`
    const make = (source: string | object) => () => Vocabulary.fromTokenizerJson(source, { endTokens: [0] })
    expect(make(text)).toThrow(VocabularyError)
    expect(make(text)).toThrow(message)
    if (!String(message).includes('not JSON')) expect(make(JSON.parse(text) as object)).toThrow(message)
  })

  it.each([
    ['BPE', sentencePiece(['▁a', 'é🌿', '<0x41>'], { bytes: false })],
    ['Unigram', unigram(['▁a', 'é🌿'])],
  ])('says of %s where it is cut off, or damaged, at every byte', (_, document) => {
    const whole = new TextEncoder().encode(JSON.stringify(document))
    const make = (bytes: Uint8Array) => () => Vocabulary.fromTokenizerJson(bytes, { endTokens: [END] })
    for (let length = 0; length < whole.length; length++) {
      expect(make(whole.subarray(0, length)), `cut at ${length}`).toThrow(VocabularyError)
    }
    for (let at = 0; at < whole.length; at++) {
      for (const byte of [0x22, 0x00, 0x80, 0xff, 0x5c, 0x7b]) {
        const damaged = whole.slice()
        damaged[at] = byte
        try {
          make(damaged)()
        } catch (error) {
          expect(error, `${byte} at ${at}`).toBeInstanceOf(VocabularyError)
        }
      }
    }
  })

  it('refuses a token that is too long, and takes the largest id there may be', () => {
    const long = sentencePiece(['▁'.repeat(1_000_000)])
    expect(() => read(long)).toThrow('token 259 has 1000000 bytes; the most is 65535')
    const wide = sentencePiece(['▁a'])
    const { vocab } = wide.model as { vocab: Record<string, number> }
    vocab['▁b'] = 4_194_303
    const vocabulary = Vocabulary.fromTokenizerJson(JSON.stringify(wide), { endTokens: [END] })
    expect([vocabulary.size, vocabulary.isHole(4_194_302)]).toEqual([4_194_304, true])
    expect(Buffer.from(vocabulary.bytes(4_194_303)!).toString()).toBe(' b')
    vocab['▁c'] = 4_194_304
    expect(() => read(wide)).toThrow(/"▁c" the id 4194304; expected an integer from 0 to 4194303/)
  })

  it('is the same from a cache', () => {
    for (const document of [sentencePiece(PIECES), unigram(PIECES)]) {
      const table = readTokenizerJson(document)
      const again = decodeTable(encodeTable(table, 'key'), 'key')!
      expect(again.family).toEqual(table.family)
      const options = { endTokens: [END] }
      const [made, cached] = [table, again].map((each) => Vocabulary.fromTable(each, options))
      expect(cached!.stripsFirstSpace).toBe(true)
      for (let id = 0; id < made!.size; id++) {
        expect(cached!.bytes(id)).toEqual(made!.bytes(id))
        expect(cached!.isControl(id)).toBe(made!.isControl(id))
      }
    }
  })

  it('refuses a token that is not UTF-8', () => {
    const bytes = new TextEncoder().encode(JSON.stringify(sentencePiece(['▁▁aaaa'])))
    const at = Buffer.from(bytes).indexOf('▁▁aaaa')
    const bad = [
      [0xc1, 0x81],
      [0xe0, 0x81, 0x81],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf5],
      [0x80],
      [0xe2, 0x96],
    ]
    for (const wrong of bad) {
      const damaged = bytes.slice()
      damaged.set(wrong, at + 6)
      expect(() => Vocabulary.fromTokenizerJson(damaged, { endTokens: [END] }), wrong.join()).toThrow(
        /not JSON, .* not UTF-8/,
      )
    }
  })
})
