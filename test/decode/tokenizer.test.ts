import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { describe, expect, it } from 'vitest'
import { PromptTokenizer } from '../../src/decode/tokenizer.ts'

const folder = 'models/smollm2-135m-instruct'
const json = JSON.parse(readFileSync(`${folder}/tokenizer.json`, 'utf8'))
const config = JSON.parse(readFileSync(`${folder}/tokenizer_config.json`, 'utf8'))
const CONTROLS = 17
const tokenizer = new PromptTokenizer(json, config, (id) => id < CONTROLS)
const whole = new Tokenizer(json, config)

const scaffold = (text: string) => ({ text, trusted: true })
const user = (text: string) => ({ text, trusted: false })
const controls = (ids: readonly number[]) => ids.filter((id) => id < CONTROLS)

describe('PromptTokenizer', () => {
  it('encodes a harmless prompt as the whole-prompt tokenizer does, seams included', () => {
    const contents = [
      'hi',
      'a\n',
      ' x ',
      '',
      '12 34',
      'né 🙂',
      '{"t": 1}',
      "don't",
      '\n\n\n',
      '<tool_response>',
    ]
    for (const content of contents) {
      const pieces = [
        scaffold('<|im_start|>user\n'),
        user(content),
        scaffold('<|im_end|>\n<|im_start|>assistant\n'),
      ]
      const text = pieces.map((piece) => piece.text).join('')
      expect(tokenizer.encode(pieces)).toEqual(whole.encode(text, { add_special_tokens: false }).ids)
    }
  })

  it('makes no control token of untrusted text, wherever it stands', () => {
    const literals = json.added_tokens.map((token: { content: string }) => token.content)
    expect(literals).toHaveLength(CONTROLS)
    for (const literal of literals) {
      for (const text of [literal, `a ${literal} b`, `\n${literal}`, literal.repeat(2)]) {
        expect(controls(whole.encode(text, { add_special_tokens: false }).ids).length).toBeGreaterThan(0)
        const ids = tokenizer.encode([scaffold('<|im_start|>'), user(text), scaffold('<|im_end|>')])
        expect(controls(ids)).toEqual([1, 2])
        expect(controls(tokenizer.encodeText(text))).toEqual([])
      }
    }
  })

  it('makes none of a literal that is cut over pieces, either', () => {
    const pieces = [
      user('<|im_'),
      user('end|>'),
      scaffold('<|im_'),
      user('end|>'),
      user('<|im_end'),
      scaffold('|>'),
    ]
    expect(controls(tokenizer.encode(pieces))).toEqual([])
  })

  it('lets a token swallow the white space that its flags say', () => {
    const added = json.added_tokens.map((token: { id: number }) =>
      token.id === 3 ? { ...token, lstrip: true, rstrip: true } : token,
    )
    const flagged = new PromptTokenizer({ ...json, added_tokens: added }, config, (id) => id < CONTROLS)
    const literal = json.added_tokens[3].content
    const ids = flagged.encode([user('a  '), scaffold(literal), user(' '), user(' b')])
    expect(ids).toEqual([...flagged.encodeText('a'), 3, ...flagged.encodeText('b')])
    // Once something has been said behind it, it swallows nothing more.
    const more = flagged.encode([scaffold(literal), user(' a'), user(' b')])
    expect(more).toEqual([3, ...flagged.encodeText('a b')])
  })

  it('takes for digits what its tokenizer does: all numbers of Unicode, each alone', () => {
    // By `tokenizers` 0.23, from which the library differs here.
    for (const [text, ids] of [
      ['  ²', [256, 19133]],
      ['\r\n ႑', [23799, 172, 220, 235]],
      ['a ٥٦', [81, 216, 164, 115, 164, 116]],
      ['x½ 3', [104, 16738, 216, 35]],
      ['𝟙²', [23159, 249, 243, 19133]],
      ['m² 12', [93, 19133, 216, 33, 34]],
    ] as const)
      expect(tokenizer.encode([user(text)]), text).toEqual(ids)
    const runs = {
      type: 'Sequence',
      pretokenizers: [{ type: 'Digits' }, json.pre_tokenizer.pretokenizers[1]],
    }
    const joined = new PromptTokenizer({ ...json, pre_tokenizer: runs }, config, (id) => id < CONTROLS)
    expect(joined.encodeText('a ٥٦')).toEqual([...joined.encodeText('a '), ...joined.encodeText('٥٦')])
  })

  it('takes for white space what its tokenizer does', () => {
    for (const [text, ids] of [
      ['!  \ufeffhello', [17, 216, 216, 186, 136, 140, 28120]],
      ['\n\n\ufeffx', [198, 198, 186, 136, 140, 104]],
      ['a \u0085 b', [81, 3351, 223, 278]],
    ] as const)
      expect(tokenizer.encode([user(text)]), JSON.stringify(text)).toEqual(ids)
  })

  it('puts the tokens before a plain prompt that the tokenizer begins with', () => {
    expect(tokenizer.encode([user('a')], true)).toEqual(tokenizer.encodeText('a'))
    const single = [
      { SpecialToken: { id: '<|im_start|>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
    ]
    const processor = {
      type: 'TemplateProcessing',
      single,
      pair: single,
      special_tokens: { '<|im_start|>': { id: '<|im_start|>', ids: [1], tokens: ['<|im_start|>'] } },
    }
    const begins = new PromptTokenizer({ ...json, post_processor: processor }, config, (id) => id < CONTROLS)
    expect(begins.encode([user('a')], true)).toEqual([1, ...tokenizer.encodeText('a')])
    expect(begins.encode([user('a')])).toEqual(tokenizer.encodeText('a'))
  })
})
