/**
 * A finite set of texts as a trie over bytes: enum values, constants, `true`, tag framings. Made where it is visited.
 *
 * A node is a run of the texts that share its bytes, shorter ones first. Looking at its children deals the run out by the
 * next byte, so building is linear in the bytes, and 100,000 values are two arrays until a token is read. Texts with a byte
 * the vocabulary cannot spell are left out.
 *
 * - `#byte[n]`   the byte on the edge into node n (node 0 is dead, node 1 the root: they have none)
 * - `#depth[n]`  bytes from the root to node n
 * - `#texts[n]`  the array in which the texts of node n are `[#low[n], #high[n])`
 * - `#first[n]`  the first child, `#width[n]` how many there are: -1 where nobody has looked yet
 *
 * PERF: `enum` of 100,000 strings, Llama's vocabulary, first mask (Node 20.20): 325 ms with all nodes made at once and texts
 * sorted by bytes, 40 ms so.
 */
import { Dfa, ONLY_TAG } from './dfa.ts'
import { latin1 } from './latin1.ts'

const encoder = new TextEncoder()

export class TextsDfa extends Dfa {
  readonly start: number
  /** The texts behind one another. */
  readonly #data: Uint8Array
  /** Where each begins; it ends one before the next, and there is one more. */
  readonly #offsets: Int32Array
  readonly #byte: number[] = [0, 0]
  readonly #depth: number[] = [0, 0]
  readonly #texts: Int32Array[]
  readonly #low: number[] = [0, 0]
  readonly #high: number[]
  readonly #first: number[] = [0, 0]
  readonly #width: number[] = [0, -1]
  #spelled: readonly string[] | null = null

  constructor(texts: readonly string[], alphabet: Uint8Array) {
    super()
    this.#data = encoder.encode(texts.join('\n'))
    this.#offsets = new Int32Array(texts.length + 1)
    for (let i = 0; i < texts.length; i++)
      this.#offsets[i + 1] = this.#offsets[i]! + byteLength(texts[i]!) + 1
    const all = this.#byLength(texts.length)
    const run = alphabet.every((occurs) => occurs === 1)
      ? all
      : all.filter((text) => this.#bytes(text).every((byte) => alphabet[byte] === 1))
    this.#texts = [run, run]
    this.#high = [0, run.length]
    this.start = run.length === 0 ? 0 : 1
  }

  /** All texts, one byte a unit: shorter first, then by bytes. */
  get texts(): readonly string[] {
    if (this.#spelled === null) {
      const texts = Array.from(this.#texts[1]!, (text) =>
        latin1(this.#data, this.#offsets[text]!, this.#offsets[text + 1]! - 1),
      )
      this.#spelled = texts.sort((a, b) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0))
    }
    return this.#spelled
  }

  next(state: number, byte: number): number {
    if (this.#width[state]! < 0) this.#deal(state)
    const bytes = this.#byte
    const first = this.#first[state]!
    let low = first
    let high = first + this.#width[state]!
    while (low < high) {
      const middle = (low + high) >> 1
      if (bytes[middle]! < byte) low = middle + 1
      else high = middle
    }
    return low < first + this.#width[state]! && bytes[low] === byte ? low : 0
  }
  edges(state: number): readonly number[] {
    if (this.#width[state]! < 0) this.#deal(state)
    return this.#byte.slice(this.#first[state]!, this.#first[state]! + this.#width[state]!)
  }
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
  tag(state: number): number {
    const low = this.#low[state]!
    return low < this.#high[state]! && this.#length(this.#texts[state]![low]!) === this.#depth[state] ? 1 : 0
  }
  final(state: number): boolean {
    if (this.#width[state]! < 0) this.#deal(state)
    return this.#width[state] === 0
  }
  shortest(state: number): Uint8Array {
    const run = this.#texts[state]!
    const depth = this.#depth[state]!
    let least = run[this.#low[state]!]!
    const length = this.#length(least)
    if (length === depth) return new Uint8Array(0)
    for (let at = this.#low[state]! + 1; at < this.#high[state]!; at++) {
      const text = run[at]!
      if (this.#length(text) > length) break
      if (this.#isBefore(text, least, depth, length)) least = text
    }
    return this.#bytes(least).subarray(depth)
  }

  #bytes(text: number): Uint8Array {
    return this.#data.subarray(this.#offsets[text]!, this.#offsets[text + 1]! - 1)
  }
  #length(text: number): number {
    return this.#offsets[text + 1]! - 1 - this.#offsets[text]!
  }

  /** Whether the bytes of one text, from one to another, are lower than those of another one. */
  #isBefore(a: number, b: number, from: number, to: number): boolean {
    const [first, second] = [this.#offsets[a]!, this.#offsets[b]!]
    for (let at = from; at < to; at++) {
      const difference = this.#data[first + at]! - this.#data[second + at]!
      if (difference !== 0) return difference < 0
    }
    return false
  }

  /** All texts, shorter ones first. */
  #byLength(count: number): Int32Array {
    const run = new Int32Array(count)
    if (count === 1) return run
    let longest = 0
    for (let text = 0; text < count; text++) longest = Math.max(longest, this.#length(text))
    const places = new Int32Array(longest + 2)
    for (let text = 0; text < count; text++) places[this.#length(text) + 1]!++
    for (let length = 1; length < places.length; length++) places[length]! += places[length - 1]!
    for (let text = 0; text < count; text++) run[places[this.#length(text)]!++] = text
    return run
  }

  /** Makes the children of a node. */
  #deal(node: number): void {
    const texts = this.#texts[node]!
    const high = this.#high[node]!
    const depth = this.#depth[node]!
    let low = this.#low[node]!
    this.#first[node] = this.#byte.length
    this.#width[node] = 0
    while (low < high && this.#length(texts[low]!) === depth) low++
    if (low === high) return
    const byteAt = (text: number): number => this.#data[this.#offsets[text]! + depth]!
    const only = byteAt(texts[low]!)
    let same = low + 1
    while (same < high && byteAt(texts[same]!) === only) same++
    if (same === high) {
      this.#add(node, only, texts, low, high)
      return
    }
    const ends = new Int32Array(256)
    for (let at = low; at < high; at++) ends[byteAt(texts[at]!)]!++
    const dealt = new Int32Array(high - low)
    let start = 0
    for (let byte = 0; byte < 256; byte++) {
      const count = ends[byte]!
      ends[byte] = start
      if (count > 0) this.#add(node, byte, dealt, start, start + count)
      start += count
    }
    for (let at = low; at < high; at++) {
      const text = texts[at]!
      dealt[ends[byteAt(text)]!++] = text
    }
  }

  #add(parent: number, byte: number, texts: Int32Array, low: number, high: number): void {
    this.#byte.push(byte)
    this.#depth.push(this.#depth[parent]! + 1)
    this.#texts.push(texts)
    this.#low.push(low)
    this.#high.push(high)
    this.#first.push(0)
    this.#width.push(-1)
    this.#width[parent]!++
  }
}

/** The bytes of a text as the encoder writes it: three for a lone surrogate. */
function byteLength(text: string): number {
  let length = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) length++
    else {
      length += 2
      const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
      // A pair is two units and four bytes.
      if (isPair) i++
    }
  }
  return length
}
