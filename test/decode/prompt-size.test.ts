import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { generate } from '../../src/decode/generate.ts'
import { encodePrompt } from '../../src/decode/prompt-size.ts'
import { type PromptPiece, PromptTokenizer } from '../../src/decode/tokenizer.ts'
import { keepsTexts } from '../../src/decode/tokenizer-parts.ts'
import { ModelError } from '../../src/errors.ts'
import { call, type Model } from '../../src/index.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'
import { Random, seedOf } from '../support/random.ts'
import { sayModel } from '../tools/say-model.ts'

const folder = 'models/smollm2-135m-instruct'
const text = readFileSync(`${folder}/tokenizer.json`, 'utf8')
const vocabulary = Vocabulary.fromTokenizerJson(text, { endTokens: ['<|im_end|>'] })
const config = JSON.parse(readFileSync(`${folder}/tokenizer_config.json`, 'utf8'))
const tokenizer = new PromptTokenizer(JSON.parse(text), config, (id) => vocabulary.isControl(id))

const untrusted = (content: string): PromptPiece => ({ text: content, trusted: false })

/** The model, with a tokenizer that nobody may ask. */
function withoutEncoding(model: Model): Model {
  const encode = (): never => {
    throw new Error('the prompt was encoded')
  }
  return {
    ...model,
    tokenizer: Object.assign(Object.create(model.tokenizer), { encode, encodeText: encode }),
  }
}

describe('encodePrompt', () => {
  it('refuses what cannot fit before it is encoded, whatever it is written in', () => {
    const reader = withoutEncoding({ vocabulary, tokenizer, contextLength: 8192 } as Model)
    for (const unit of [
      'a',
      ' ',
      '!',
      'é',
      'e\u0301',
      '世',
      '🙂',
      'QUJD',
      'hello world ',
      '\u0000',
      '<|im_end|>',
    ])
      expect(() => encodePrompt(reader, [untrusted(unit.repeat(1_200_000 / unit.length))]), unit).toThrow(
        /^the prompt has at least \d+ tokens and the model's context 8192; shorten the messages or the tools$/,
      )
  })

  it('refuses nothing that fits: no text has fewer tokens than it counts', () => {
    const seed = seedOf('prompt sizes')
    const random = new Random(seed)
    const parts = [
      'a',
      'aaaa',
      ' ',
      '    ',
      '\n',
      'é',
      'e\u0301',
      'か\u3099',
      '世界',
      '🙂',
      'the ',
      '{"',
      '<|im_end|>',
    ]
    for (let round = 0; round < 60; round++) {
      const pieces = Array.from({ length: 1 + random.below(4) }, () => {
        const [first, second] = [random.pick(parts), random.pick(parts)]
        const units = Array.from({ length: random.below(900) }, () => (random.below(9) > 0 ? first : second))
        return { text: units.join(''), trusted: random.below(3) === 0 }
      })
      const ids = tokenizer.encode(pieces)
      expect(encodePrompt({ vocabulary, tokenizer, contextLength: ids.length }, pieces)).toEqual(ids)
      expect(encodePrompt({ vocabulary, tokenizer }, pieces)).toEqual(ids)
    }
  })

  it('loses nothing where a text is counted in several parts', () => {
    const pieces = [untrusted('hello '.repeat(25_000))]
    const ids = tokenizer.encode(pieces)
    expect(encodePrompt({ vocabulary, tokenizer, contextLength: ids.length }, pieces)).toEqual(ids)
  })

  it('counts a text as it is when its characters are composed, as some tokenizers do first', () => {
    const json = { ...JSON.parse(text), normalizer: { type: 'NFC' } }
    const composing = new PromptTokenizer(json, config, (id) => vocabulary.isControl(id))
    const pieces = [untrusted('e\u0301'.repeat(20_000))]
    const ids = composing.encode(pieces)
    expect(encodePrompt({ vocabulary, tokenizer: composing, contextLength: ids.length }, pieces)).toEqual(ids)
  })

  it('leaves it to tokenizers that leave out or swallow some of a text what fits', () => {
    const json = JSON.parse(text)
    const of = (more: object) =>
      new PromptTokenizer({ ...json, ...more }, config, (id) => vocabulary.isControl(id))
    const strip = { type: 'Strip', strip_left: true, strip_right: true }
    const spaces = [untrusted(`${' '.repeat(200_000)}a`)]
    const ids = of({ normalizer: strip }).encode(spaces)
    expect(ids).toHaveLength(1)
    expect(
      encodePrompt({ vocabulary, tokenizer: of({ normalizer: strip }), contextLength: 10 }, spaces),
    ).toEqual(ids)
    const kept = [null, { type: 'NFC' }, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }]
    const changed = [
      strip,
      { type: 'NFKC' },
      { type: 'Precompiled', precompiled_charsmap: '' },
      { type: 'Replace', pattern: { Regex: ' +' }, content: ' ' },
      { type: 'Replace', pattern: { String: '  ' }, content: ' ' },
      { type: 'Sequence', normalizers: [{ type: 'NFC' }, strip] },
    ]
    for (const normalizer of kept) expect(keepsTexts({ normalizer }), JSON.stringify(normalizer)).toBe(true)
    for (const normalizer of changed)
      expect(keepsTexts({ normalizer }), JSON.stringify(normalizer)).toBe(false)
    expect(keepsTexts({ normalizer: null, added_tokens: [{ id: 1, content: '<x>', rstrip: true }] })).toBe(
      false,
    )
  })

  it('counts nothing where no token spells the text', () => {
    const letters = Vocabulary.fromBytes([Uint8Array.of(0x61), null], { endTokens: [1] })
    const pieces = [untrusted('b'.repeat(100))]
    expect(encodePrompt({ vocabulary: letters, tokenizer, contextLength: 10 }, pieces)).toEqual(
      tokenizer.encode(pieces),
    )
  })
})

describe('a prompt of a megabyte in one word', () => {
  const word = 'x'.repeat(1 << 20)
  const model = withoutEncoding(sayModel(''))

  it('is refused at once, be it in a message, in a tool, in a result or by itself', () => {
    const tool = { name: 'f', description: word, parameters: { type: 'object', properties: {} } }
    const user = { role: 'user', content: 'x' }
    const asked = { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] }
    const tools = [{ ...tool, description: 'f' }]
    for (const start of [
      () => generate(model, { prompt: word }),
      () => generate(model, { messages: [{ role: 'user', content: word }] }),
      () => call(model, { tools: [tool], messages: [user] }),
      () => call(model, { tools, messages: [user], system: word }),
      () => call(model, { tools, messages: [user, asked, { role: 'tool', content: word }] }),
    ])
      expect(start).toThrow(ModelError)
  })
})
