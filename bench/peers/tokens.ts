/** The vocabulary that all engines of a comparison have, and texts in its tokens. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import { UsageError } from '../lib.ts'
import type { Opening } from './protocol.ts'

export interface Tokens {
  readonly vocabulary: Omit<Opening, 'engine'>
  /** Ids of a text, without special tokens around it. */
  encode(text: string): readonly number[]
}

/** From a `tokenizer.json` and the configuration beside it. `endToken` is found by its usual names unless it is given. */
export function openTokens(path: string, endToken?: string): Tokens {
  if (!existsSync(path)) throw new UsageError(`no tokenizer at ${path}`)
  const text = readFileSync(path, 'utf8')
  const json = JSON.parse(text) as {
    model: { vocab: Record<string, number> }
    added_tokens: { id: number; content: string }[]
  }
  const end = endToken ?? endTokenOf(text)
  const endId = json.added_tokens.find(({ content }) => content === end)?.id ?? json.model.vocab[end]
  if (endId === undefined) throw new UsageError(`the tokenizer has no token ${end}`)
  let size = 0
  for (const id of Object.values(json.model.vocab)) size = Math.max(size, id + 1)
  for (const { id } of json.added_tokens) size = Math.max(size, id + 1)
  const config = join(dirname(path), 'tokenizer_config.json')
  const tokenizer = new Tokenizer(json, existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : {})
  return {
    vocabulary: { tokenizer: path, endToken: end, endId, size },
    encode: (written) => tokenizer.encode(written, { add_special_tokens: false }).ids,
  }
}

/** The end-of-text token by the names that byte-level vocabularies give it. */
function endTokenOf(text: string): string {
  const names = [
    '<|eot_id|>',
    '<|im_end|>',
    '<|endoftext|>',
    '<|return|>',
    '<｜end▁of▁sentence｜>',
    '</s>',
    '<eos>',
  ]
  const found = names.find((name) => text.includes(`"${name}"`))
  if (found === undefined) throw new UsageError('name the end token of this tokenizer with --end-token')
  return found
}
