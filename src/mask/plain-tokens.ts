/**
 * The plain tokens of a vocabulary: whole characters that stand for themselves in a JSON string, whatever its spelling.
 *
 * They are kept by their number of code points, so that a string with `r` characters left costs one mask, made when it is
 * asked for. The others (a quote, a backslash, a control character, half a character) are a trie of their own. One walk
 * over the vocabulary's trie tells them apart, once a vocabulary.
 */
import { NONE, STEPS as UTF8 } from '../automaton/utf8.ts'
import { emptyBits, setBits } from '../bits.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

/** Characters that stand for themselves: UTF-8 less a quote, a backslash and controls. */
const STEPS = UTF8.slice().fill(NONE, 0, 0x20)
STEPS[0x22] = NONE
STEPS[0x5c] = NONE

export class PlainTokens {
  /** The tokens that are not plain. */
  readonly special: Trie
  /** Most code points of a plain token. */
  readonly longest: number
  /** The plain tokens of n code points are `#ids[#starts[n], #starts[n + 1])`. */
  readonly #ids: Int32Array
  readonly #starts: Int32Array
  readonly #size: number
  /** Masks made so far, by the most code points. */
  readonly #upTo: (Uint32Array | undefined)[] = []

  constructor(vocabulary: Vocabulary) {
    const { trie } = vocabulary
    const lengths = plainLengths(trie)
    const starts = new Int32Array(trie.maxDepth + 2)
    const special: number[] = []
    let longest = 0
    for (let t = 0; t < lengths.length; t++) {
      const length = lengths[t]!
      if (length < 0) special.push(trie.tokens[t]!)
      else starts[length + 1]!++
      if (length > longest) longest = length
    }
    for (let n = 0; n <= trie.maxDepth; n++) starts[n + 1]! += starts[n]!
    const ids = new Int32Array(lengths.length - special.length)
    const at = starts.slice()
    for (let t = 0; t < lengths.length; t++) if (lengths[t]! >= 0) ids[at[lengths[t]!]!++] = trie.tokens[t]!
    this.special = vocabulary.trieOf(special)
    this.longest = longest
    this.#ids = ids
    this.#starts = starts
    this.#size = vocabulary.size
  }

  /** The plain tokens of at most so many code points, as a mask that is not to be changed. */
  upTo(length: number): Uint32Array {
    const most = Math.min(length, this.longest)
    const known = this.#upTo[most]
    if (known !== undefined) return known
    let from = most
    while (from > 0 && this.#upTo[from] === undefined) from--
    const shorter = this.#upTo[from]
    const begin = shorter === undefined ? 0 : this.#starts[from + 1]!
    const end = this.#starts[most + 1]!
    let mask = shorter
    if (mask === undefined || begin < end) {
      mask = shorter === undefined ? emptyBits(this.#size) : shorter.slice()
      setBits(mask, this.#ids, begin, end)
    }
    this.#upTo[most] = mask
    return mask
  }
}

const known = new WeakMap<Vocabulary, PlainTokens>()

export function plainTokensOf(vocabulary: Vocabulary): PlainTokens {
  let plain = known.get(vocabulary)
  if (plain === undefined) {
    plain = new PlainTokens(vocabulary)
    known.set(vocabulary, plain)
  }
  return plain
}

/** For each token in the order of the trie its number of code points, -1 where it is not plain. */
function plainLengths({ byte, depth, skip, first, tokens, size, maxDepth }: Trie): Int32Array {
  const lengths = new Int32Array(tokens.length).fill(-1)
  // By depth: the code points that are whole, and what is expected next.
  const counts = new Int32Array(maxDepth + 1)
  const states = new Int8Array(maxDepth + 1)
  let i = 1
  while (i < size) {
    const d = depth[i]!
    const state = STEPS[256 * states[d - 1]! + byte[i]!]!
    if (state === NONE) {
      i = skip[i]!
      continue
    }
    states[d] = state
    counts[d] = counts[d - 1]! + (state === 0 ? 1 : 0)
    if (state === 0) for (let t = first[i]!; t < first[i + 1]!; t++) lengths[t] = counts[d]!
    i++
  }
  return lengths
}
