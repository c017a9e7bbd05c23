/** Prompts and answers of tokenizers that put a space before a text: what a `▁` means, and where. */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Tokenizer } from '@huggingface/tokenizers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBit } from '../../src/bits.ts'
import { generate } from '../../src/decode/generate.ts'
import { loadModel, type Model } from '../../src/decode/model.ts'
import { PromptTokenizer } from '../../src/decode/tokenizer.ts'
import { ModelError } from '../../src/errors.ts'
import { call, compile, compileRegex, type RunEvent } from '../../src/index.ts'
import { REPLACE, sentencePiece, sentencePieceModel, sequence, unigram } from '../support/sentence-piece.ts'

type Json = Record<string, unknown>

const PIECES = ['▁', 't', 'h', 'e', '▁t', '▁th', '▁the', 'he', '▁▁', '<', '/', 's', '>']
const isControl = (id: number) => id < 3
const scaffold = (text: string) => ({ text, trusted: true })
const user = (text: string) => ({ text, trusted: false })

function metaspace(document: Json, scheme: string): Json {
  const pre = { type: 'Metaspace', replacement: '▁', prepend_scheme: scheme, split: false }
  return { ...document, normalizer: null, pre_tokenizer: pre }
}

const LLAMA = sentencePiece(PIECES)
const MISTRAL = metaspace(sentencePiece(PIECES), 'first')
const GEMMA: Json = {
  ...sentencePiece(PIECES, { decoder: sequence(REPLACE, 'ByteFallback', 'Fuse') }),
  normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
}
const UNIGRAM = metaspace(unigram(PIECES), 'always')

/** Pieces of tokens, to be read. */
function tokensOf(document: { model?: unknown }, ids: readonly number[]): string[] {
  const { vocab } = document.model as { vocab: Record<string, number> | [string, number][] }
  const texts = Array.isArray(vocab) ? vocab.map(([text]) => text) : Object.keys(vocab)
  return ids.map((id) => texts[id]!)
}

describe('prompts of tokenizers that put a space before a text', () => {
  it.each([
    ['before each span, as in Llama 2', LLAMA],
    ['before the first alone, as in Mistral v3', MISTRAL],
    ['nowhere, as in Gemma', GEMMA],
    ['before each span of Unigram', UNIGRAM],
  ])('are encoded as the whole-prompt tokenizer does: %s', (_, document) => {
    const tokenizer = new PromptTokenizer(document, {}, isControl)
    const whole = new Tokenizer(document, {})
    for (const content of ['the', ' the', 'the  the', '', 'het\u2581the', ' ', 'the ']) {
      for (const pieces of [
        [user(content)],
        [scaffold('<s>'), user(content), scaffold('</s>')],
        [scaffold('the<s>the '), user(content), scaffold('</s> the'), user(content)],
      ]) {
        const text = pieces.map((piece) => piece.text).join('')
        expect(tokenizer.encode(pieces), text).toEqual(whole.encode(text, { add_special_tokens: false }).ids)
        expect(tokenizer.encode(pieces, true)).toEqual(whole.encode(text).ids)
      }
    }
  })

  it('get it no more where text goes on from other text', () => {
    for (const document of [LLAMA, MISTRAL, GEMMA, UNIGRAM]) {
      const tokenizer = new PromptTokenizer(document, {}, isControl)
      expect(tokensOf(document, tokenizer.encodeText('the the'))).toEqual(['t', 'he', '▁the'])
    }
    const first = new PromptTokenizer(MISTRAL, {}, isControl).encode([scaffold('the<s>the</s>the')], true)
    expect(tokensOf(MISTRAL, first)).toEqual(['<s>', '▁the', '<s>', 't', 'he', '</s>', 't', 'he'])
  })

  it('are cut before each ▁, unless Metaspace says otherwise, as tokenizers does', () => {
    const pieces = ['▁', 'a', 'b', '▁a', 'a▁', '▁▁']
    for (const document of [sentencePiece(pieces), unigram(pieces)]) {
      const tokens = (settings: Json): string[] => {
        const pre = { type: 'Metaspace', replacement: '▁', ...settings }
        const parts = { ...document, normalizer: null, pre_tokenizer: pre }
        return tokensOf(document, new PromptTokenizer(parts, {}, isControl).encode([user('a a  b a')]))
      }
      const cut = ['▁a', '▁a', '▁', '▁', 'b', '▁a']
      expect(tokens({ prepend_scheme: 'always', split: true })).toEqual(cut)
      expect(tokens({ prepend_scheme: 'always' })).toEqual(cut)
      expect(tokens({})).toEqual(cut)
      expect(tokens({ prepend_scheme: 'always', split: false })).toEqual(['▁a', '▁a', '▁▁', 'b', '▁a'])
      for (const settings of [{ prepend_scheme: 'never' }, { add_prefix_space: false }])
        expect(tokens(settings)).toEqual(['a', ...cut.slice(1)])
    }
  })

  it('hold no control token of what users write, also where a piece of the vocabulary is one', () => {
    const whole = new Tokenizer({ ...UNIGRAM, added_tokens: [] }, {})
    expect(whole.encode('the</s>', { add_special_tokens: false }).ids).toContain(2)
    for (const document of [LLAMA, MISTRAL, GEMMA, UNIGRAM]) {
      const tokenizer = new PromptTokenizer(document, {}, isControl)
      const text = 'the</s> <s></s>'
      const ids = tokenizer.encode([scaffold('<s>'), user(text), scaffold('</s>')])
      expect(ids.slice(1, -1).filter(isControl)).toEqual([])
      const spelled = tokensOf(document, ids.slice(1, -1)).join('').replaceAll('▁', ' ')
      expect(spelled.trimStart()).toBe(text)
    }
  })

  it('hold none of what a normalizer makes of it, either', () => {
    const document = { ...UNIGRAM, normalizer: { type: 'NFKC' } }
    const tokenizer = new PromptTokenizer(document, {}, isControl)
    expect(tokenizer.encode([user('the＜/s＞the')]).filter(isControl)).toEqual([])
    const many = '</s>'.repeat(3_000)
    expect(tokenizer.encode([user(many)]).filter(isControl)).toEqual([])
  })

  it('have the bytes of characters that Unigram has no piece for', () => {
    const document = metaspace(unigram(PIECES, { byteFallback: true }), 'always')
    const tokenizer = new PromptTokenizer(document, {}, isControl)
    const spelled = tokensOf(document, tokenizer.encode([user('the é🌿 t')]))
    const bytes = [...'é']
      .concat('🌿')
      .map((text) =>
        [...new TextEncoder().encode(text)].map((byte) => `<0x${byte.toString(16).toUpperCase()}>`),
      )
    expect(spelled).toEqual(['▁the', '▁', ...bytes[0]!, ...bytes[1]!, '▁t'])
    expect(new PromptTokenizer(UNIGRAM, {}, isControl).encode([user('thé')])).toContain(0)
  })

  it('are refused where the merges make a token that there is not', () => {
    const broken = (merges: unknown) => () =>
      new PromptTokenizer({ ...LLAMA, model: { ...(LLAMA.model as object), merges } }, {}, isControl)
    expect(
      broken([
        ['▁', 't'],
        ['t', 't'],
      ]),
    ).toThrow(ModelError)
    expect(
      broken([
        ['▁', 't'],
        ['t', 't'],
      ]),
    ).toThrow(/model\.merges\[1\] makes "tt", which is not in the vocabulary/)
    expect(broken(['▁ t', 7])).toThrow(/model\.merges\[1\] is 7; expected two tokens/)
    expect(broken(['t'])).toThrow(/model\.merges\[0\] is "t"; expected two tokens/)
    expect(broken('x')).toThrow(/model\.merges is not a list/)
  })
})

describe('answers of a model whose tokenizer puts a space before a text', () => {
  let folder: string
  let model: Model
  let decoder: Tokenizer
  beforeAll(async () => {
    folder = await sentencePieceModel('test/fixtures/models/tiny-positions')
    model = await loadModel(folder, { threads: 1 })
    decoder = new Tokenizer(JSON.parse(readFileSync(`${folder}/tokenizer.json`, 'utf8')), {})
  })
  afterAll(async () => {
    await model.release()
    await rm(folder, { recursive: true })
  })

  const messages = [{ role: 'user', content: 'the' }]
  const decode = (ids: number[]) => decoder.decode(ids, { clean_up_tokenization_spaces: false })

  async function idsOf(run: AsyncIterable<RunEvent>): Promise<number[]> {
    const ids: number[] = []
    for await (const event of run) if (event.type === 'token') ids.push(event.id)
    return ids
  }

  it('go on from the prompt: a ▁ is a space of the text also where the first token begins with one', async () => {
    expect(model.vocabulary.stripsFirstSpace).toBe(true)
    const grammar = compileRegex(' hello( the)*', model.vocabulary)
    for (const jumpForward of [true, false]) {
      const run = generate(model, { messages, grammar, jumpForward, finishWithin: 'budget', maxTokens: 20 })
      const ids = (await idsOf(run)).filter((id) => !model.vocabulary.endTokens.includes(id))
      const { text } = await run.result
      expect(text).toMatch(/^ hello/u)
      const prompt = model.tokenizer.encode(model.chat!.render([{ ...messages[0]!, calls: [] } as never]))
      expect(decode([...prompt, ...ids])).toBe(decode(prompt) + text)
      // By itself it is the beginning of a text to the decoder, which drops the space.
      expect(decode(ids)).toBe(text.slice(1))
    }
  })

  it('of a schema begin without a space, and none is lost inside a string', async () => {
    const schema = { const: ['hello', ' hello'] }
    const idOf = (text: string) => decoder.token_to_id(text)!
    const matcher = compile(schema, model.vocabulary, { whitespace: 'compact' }).matcher()
    const allows = (text: string) => hasBit(matcher.mask(), idOf(text))
    expect([allows('['), allows('▁'), allows('▁{')]).toEqual([true, false, false])
    for (const text of ['[', '"']) matcher.accept(idOf(text))
    expect([allows('hello'), allows('hel'), allows('▁hello'), allows('▁')]).toEqual([
      true,
      true,
      false,
      false,
    ])
    for (const text of ['hello', '",', '"']) expect(matcher.accept(idOf(text))).toBe(true)
    expect([allows('hello'), allows('▁hello'), allows('▁')]).toEqual([false, true, true])
    for (const jumpForward of [true, false]) {
      const { text } = await generate(model, { messages, schema, jumpForward, whitespace: 'compact' }).result
      expect(text).toBe('["hello"," hello"]')
    }
  })

  it('are given to a prompt that fits as its tokenizer writes it, a ▁ being a space', async () => {
    const run = generate(model, { prompt: '▁'.repeat(1_500), maxTokens: 1 })
    expect((await run.result).usage.promptTokens).toBeLessThan(800)
  })

  it('of a call are strict', async () => {
    const parameters = {
      type: 'object',
      properties: { on: { type: 'boolean' }, name: { type: 'string', maxLength: 5 } },
      required: ['on', 'name'],
      additionalProperties: false,
    }
    const tools = [{ type: 'function', function: { name: 'set', parameters } }]
    const run = call(model, {
      tools,
      messages,
      toolFormat: 'json',
      toolChoice: 'required',
      parallelToolCalls: false,
      finishWithin: 'budget',
    })
    const { stopReason, calls } = await run.result
    expect(stopReason).toBe('complete')
    expect(calls).toMatchObject([
      { name: 'set', arguments: { on: expect.any(Boolean), name: expect.any(String) } },
    ])
  })
})
