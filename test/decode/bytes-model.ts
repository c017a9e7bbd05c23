/**
 * A model that sees bytes and not tokens: its logits are a hash of the text so far and of each token, so that it wants
 * something at every place, and the same however it came there.
 */
import { expect } from 'vitest'
import type { Model } from '../../src/decode/model.ts'
import type { TokenBatch, TokenSequence } from '../../src/decode/sequence.ts'
import type { PromptTokenizer } from '../../src/decode/tokenizer.ts'
import type { Vocabulary } from '../../src/vocab/vocabulary.ts'

export class BytesModel implements Model {
  readonly vocabulary: Vocabulary
  readonly tokenizer: PromptTokenizer
  readonly chat = null
  readonly contextLength = 10_000
  /** The tokens that the last sequence has read. */
  fed: number[] = []
  readonly steps: number[] = []
  readonly #seed: number
  readonly #bonus: Float32Array

  /** Tokens that close something are liked better, so that texts end. */
  constructor(vocabulary: Vocabulary, tokenizer: PromptTokenizer, seed: number) {
    this.vocabulary = vocabulary
    this.tokenizer = tokenizer
    this.#seed = seed
    const closing = new Set([0x22, 0x7d, 0x5d])
    this.#bonus = Float32Array.from({ length: vocabulary.size }, (_, id) =>
      vocabulary.endTokens.includes(id) || vocabulary.bytes(id)?.some((byte) => closing.has(byte)) ? 0.15 : 0,
    )
  }

  startSequence(): TokenSequence {
    this.fed = []
    return this.#start(this.fed)
  }

  /** Texts for a `Batch`; `steps` says how many were read together each time. */
  startBatch(): TokenBatch {
    const sequences: TokenSequence[] = []
    return {
      sequences,
      add: () => {
        const sequence = this.#start([])
        sequences.push(sequence)
        return sequence
      },
      remove: (sequence) => {
        const place = sequences.indexOf(sequence)
        const last = sequences.pop()!
        if (last !== sequence) sequences[place] = last
      },
      step: async (ids) => {
        expect(ids).toHaveLength(sequences.length)
        this.steps.push(ids.length)
        return Promise.all(sequences.map(async (sequence, i) => (await sequence.append([ids[i]!]))!))
      },
    }
  }

  #start(fed: number[]): TokenSequence {
    const { vocabulary } = this
    const logits = new Float32Array(vocabulary.size)
    let state = this.#seed | 0
    return {
      get length() {
        return fed.length
      },
      append: async (ids) => {
        for (const id of ids) {
          fed.push(id)
          const bytes = vocabulary.bytes(id) ?? new TextEncoder().encode(vocabulary.literal(id) ?? '')
          for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193) + 0x9e3779b9
        }
        for (let id = 0; id < logits.length; id++) logits[id] = this.#bonus[id]! + unit(state, id)
        return logits
      },
      truncate: () => {
        throw new Error('a run takes nothing back')
      },
    }
  }

  async release(): Promise<void> {}
}

/** In [0, 1), from a state and an id. */
function unit(state: number, id: number): number {
  let mixed = Math.imul(state ^ (state >>> 15) ^ Math.imul(id, 0x85ebca6b), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}
