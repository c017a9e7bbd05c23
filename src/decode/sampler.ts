/**
 * From logits and a mask to one token: greedy, or temperature, top-k, top-p and min-p, seeded.
 *
 * The mask comes first: what it excludes has no probability, and what is left is renormalised, so top-p and min-p speak
 * of the allowed tokens only. Then, in this order: temperature; min-p, relative to the best token; top-k; top-p, over
 * what the others left. Ties go to the lower id. Memory is allocated once (two arrays as wide as the logits); a draw is one pass
 * over the mask's words, and with top-k or top-p a heap over the allowed tokens: O(allowed + kept * log allowed).
 */
import { lowestBit, wordCount } from '../bits.ts'
import { ModelError } from '../errors.ts'
import { PlacedRandom } from './random.ts'

export interface SamplerOptions {
  /** 0, the default, takes the best token always; above, the logits are divided by it. */
  readonly temperature?: number
  /** Keeps the k best tokens; 0, the default, keeps all. */
  readonly topK?: number
  /** Keeps the best tokens until their share reaches p; 1, the default, keeps all. */
  readonly topP?: number
  /** Keeps tokens with at least this share of the best one's probability; 0, the default, keeps all. */
  readonly minP?: number
  /** Whole number; the same seed, prompt and settings give the same text. Default: a random one. */
  readonly seed?: number
}

const MAX_SEED = Number.MAX_SAFE_INTEGER

function check(name: string, value: number, fits: boolean, range: string): void {
  if (!fits) throw new RangeError(`${name} must be ${range}, not ${value}`)
}

export class Sampler {
  readonly temperature: number
  readonly topK: number
  readonly topP: number
  readonly minP: number
  readonly seed: number
  readonly #random: PlacedRandom
  /** Allowed token ids, then a heap of them; and the weight of each id. */
  readonly #ids: Int32Array
  readonly #weights: Float64Array

  /** `width` is the number of logits. Throws `RangeError` for a setting out of range, NaN included. */
  constructor(width: number, options: SamplerOptions = {}) {
    const { temperature = 0, topK = 0, topP = 1, minP = 0 } = options
    const seed = options.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]!
    check('temperature', temperature, temperature >= 0 && temperature < Infinity, 'a number of at least 0')
    check('topK', topK, Number.isInteger(topK) && topK >= 0, 'a whole number of at least 0 (0 keeps all)')
    check('topP', topP, topP > 0 && topP <= 1, 'above 0 and at most 1')
    check('minP', minP, minP >= 0 && minP <= 1, 'from 0 to 1')
    check(
      'seed',
      seed,
      Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED,
      `a whole number from 0 to ${MAX_SEED}`,
    )
    this.temperature = temperature
    this.topK = topK
    this.topP = topP
    this.minP = minP
    this.seed = seed
    this.#random = new PlacedRandom(seed)
    const scratch = temperature === 0 ? 0 : width
    this.#ids = new Int32Array(scratch)
    this.#weights = new Float64Array(scratch)
  }

  /**
   * The next token; `mask` has a bit for each allowed id, `null` allows all. `place` is the number of bytes before it: what
   * is drawn depends on the place and not on how many tokens led there.
   */
  sample(logits: Float32Array, mask: Uint32Array | null, place: number): number {
    return this.temperature === 0 ? best(logits, mask) : this.#draw(logits, mask, this.#random.at(place))
  }

  /** `random` is uniform in [0, 1). */
  #draw(logits: Float32Array, mask: Uint32Array | null, random: number): number {
    const ids = this.#ids
    const weights = this.#weights
    const top = logits[best(logits, mask)]!
    // Where the best logit is infinite, differences to it are no distribution to draw from.
    if (Math.abs(top) === Infinity) return best(logits, mask)
    const scale = 1 / this.temperature
    const floor = this.minP
    let count = 0
    let sum = 0
    for (let base = 0, word = 0; base < logits.length; base += 32, word++) {
      let bits = mask === null ? -1 : word < mask.length ? mask[word]! : 0
      while (bits !== 0) {
        const id = base + (31 - Math.clz32(bits & -bits))
        bits &= bits - 1
        if (id >= logits.length) break
        const difference = logits[id]! - top
        const weight = difference === 0 ? 1 : Math.exp(difference * scale)
        if (!(weight > 0 && weight >= floor)) continue
        ids[count++] = id
        weights[id] = weight
        sum += weight
      }
    }
    if ((this.topK > 0 && this.topK < count) || this.topP < 1) return this.#drawSorted(count, sum, random)
    let rest = random * sum
    for (let i = 0; i < count; i++) {
      rest -= weights[ids[i]!]!
      if (rest < 0) return ids[i]!
    }
    return ids[count - 1]!
  }

  /** Draws among the best of `count` tokens: they are taken off a heap until top-k or top-p is reached. */
  #drawSorted(count: number, sum: number, random: number): number {
    const ids = this.#ids
    const weights = this.#weights
    const limit = this.topK > 0 ? Math.min(this.topK, count) : count
    for (let i = (count >>> 1) - 1; i >= 0; i--) sink(ids, weights, i, count)
    // Taken tokens pile up behind the heap, the best at the very end.
    let total = sum
    let end = count
    if (limit < count) {
      // Top-p speaks of what top-k leaves, so that has to be summed first.
      total = 0
      for (let taken = 0; taken < limit; taken++) total += weights[pop(ids, weights, end--)]!
      end = count
    }
    const sorted = limit < count
    let kept = 0
    let share = 0
    const wanted = this.topP * total
    while (kept < limit) {
      const id = sorted ? ids[count - 1 - kept]! : pop(ids, weights, end--)
      kept++
      share += weights[id]!
      if (this.topP < 1 && share >= wanted) break
    }
    let rest = random * share
    for (let i = 0; i < kept; i++) {
      rest -= weights[ids[count - 1 - i]!]!
      if (rest < 0) return ids[count - 1 - i]!
    }
    return ids[count - kept]!
  }
}

/** The allowed token with the highest logit, the lowest id among equals. */
function best(logits: Float32Array, mask: Uint32Array | null): number {
  const width = logits.length
  let found = -1
  let top = -Infinity
  if (mask === null) {
    for (let id = 0; id < width; id++) {
      const logit = logits[id]!
      // NaN is neither: where every logit is NaN, nothing is found.
      if (logit > top || (found < 0 && logit === -Infinity)) {
        found = id
        top = logit
      }
    }
  } else {
    const words = Math.min(mask.length, wordCount(width))
    for (let word = 0; word < words; word++) {
      let bits = mask[word]!
      while (bits !== 0) {
        const id = word * 32 + lowestBit(bits)
        bits &= bits - 1
        if (id >= width) break
        const logit = logits[id]!
        if (logit > top || (found < 0 && logit === -Infinity)) {
          found = id
          top = logit
        }
      }
    }
  }
  if (found < 0)
    throw new ModelError(
      'no allowed token has a logit that is a number; the model computes NaN, or the mask is empty',
    )
  return found
}

/** Moves the entry at `i` down until no child is better. */
function sink(ids: Int32Array, weights: Float64Array, start: number, count: number): void {
  const id = ids[start]!
  let i = start
  for (;;) {
    let child = 2 * i + 1
    if (child >= count) break
    if (child + 1 < count && better(weights, ids[child + 1]!, ids[child]!)) child++
    if (!better(weights, ids[child]!, id)) break
    ids[i] = ids[child]!
    i = child
  }
  ids[i] = id
}

/** Takes the best of the first `count` entries off the heap and leaves it at their end. */
function pop(ids: Int32Array, weights: Float64Array, count: number): number {
  const id = ids[0]!
  ids[0] = ids[count - 1]!
  ids[count - 1] = id
  sink(ids, weights, 0, count - 1)
  return id
}

function better(weights: Float64Array, a: number, b: number): boolean {
  const difference = weights[a]! - weights[b]!
  return difference > 0 || (difference === 0 && a < b)
}
