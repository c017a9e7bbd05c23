/** A model that says what it is told to: after a prompt of one token, the tokens of a script, each in its place. */
import { readFileSync } from 'node:fs'
import type { Model } from '../../src/decode/model.ts'
import type { TokenSequence } from '../../src/decode/sequence.ts'
import { PromptTokenizer } from '../../src/decode/tokenizer.ts'
import { Vocabulary } from '../../src/vocab/vocabulary.ts'

/** Only counts: what a prompt says does not matter to a script. */
const TOKENIZER = JSON.parse(readFileSync('test/fixtures/models/tiny-keep/tokenizer.json', 'utf8'))

/** The bytes as tokens 0 to 255, and an end token. */
export const END = 256

export class ScriptModel implements Model {
  readonly vocabulary = Vocabulary.fromBytes(
    [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), null],
    { endTokens: [END] },
  )
  readonly tokenizer = new PromptTokenizer(TOKENIZER, {}, () => true)
  readonly chat = null
  readonly contextLength: number
  /** Tokens that each run has read, over all sequences. */
  readonly runs: number[] = []
  readonly #script: readonly number[]

  constructor(script: readonly number[], contextLength = 1000) {
    this.#script = script
    this.contextLength = contextLength
  }

  /** Tokens read in all. */
  get read(): number {
    return this.runs.reduce((sum, count) => sum + count, 0)
  }

  startSequence(): TokenSequence {
    const logits = new Float32Array(257)
    let length = 0
    return {
      get length() {
        return length
      },
      append: async (ids) => {
        await new Promise((resolve) => setImmediate(resolve))
        length += ids.length
        this.runs.push(ids.length)
        logits.fill(0)
        logits[this.#script[length - 1] ?? END] = 1
        return logits
      },
      truncate: (to) => {
        length = to
      },
    }
  }

  async release(): Promise<void> {}
}

/** Token ids of a text for this model. */
export function bytesOf(text: string): number[] {
  return [...new TextEncoder().encode(text)]
}
