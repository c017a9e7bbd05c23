/**
 * The declared names of one object, quoted, as a trie over bytes that is made where it is visited.
 *
 * A node is a run of the names that share its bytes. Looking at its children deals the run out by the next byte, so what
 * nobody types costs nothing: building is linear in the bytes, and 10,000 names are two arrays until the first key is
 * asked for. Nodes are numbered as they are made; those of one parent are one after the other, by their bytes.
 *
 * - `#byte[n]`   the byte on the edge into node n (node 0 is the root and has none)
 * - `#depth[n]`  bytes from the root to node n
 * - `#names[n]`  the array in which the names of node n are `[#low[n], #high[n])`, ascending
 * - `#first[n]`  the first child, `#width[n]` how many there are: -1 where nobody has looked yet
 */
import { quote } from '../json/print.ts'

/** Which of the names may come. */
export interface AllowedNames {
  /** No name of lower, and none of higher index may. */
  readonly from: number
  readonly to: number
  has(name: number): boolean
}

const encoder = new TextEncoder()
/** Between two names in the data: no quoted name has one. */
const NEWLINE = 0x0a
/** Names up to this many are dealt out by comparing them, more by counting bytes. */
const FEW = 16

export class KeyNames {
  /** The names behind one another. */
  readonly #data: Uint8Array
  /** Where each begins; it ends one before the next, and there is one more. */
  readonly #offsets: Int32Array
  /** `null` where every byte can be spelled. */
  readonly #alphabet: Uint8Array | null
  readonly #byte: number[] = [0]
  readonly #depth: number[] = [0]
  readonly #names: Int32Array[]
  readonly #low: number[] = [0]
  readonly #high: number[]
  readonly #first: number[] = [0]
  readonly #width: number[] = [-1]
  #spellings: readonly Uint8Array[] | null = null

  /**
   * @param alphabet 256 entries, 1 for each byte that the vocabulary can spell
   * @param text the names, quoted, each with a line feed behind it
   */
  constructor(names: readonly string[], alphabet: Uint8Array, text = spelled(names)) {
    this.#data = encoder.encode(text)
    this.#offsets = new Int32Array(names.length + 1)
    let count = 0
    for (let at = 0; at < this.#data.length; at++)
      if (this.#data[at] === NEWLINE) this.#offsets[++count] = at + 1
    this.#alphabet = alphabet.includes(0) ? alphabet : null
    const all = new Int32Array(names.length)
    for (let name = 0; name < all.length; name++) all[name] = name
    this.#names = [all]
    this.#high = [names.length]
  }

  /** The bytes of each name, quotes included. */
  get spellings(): readonly Uint8Array[] {
    this.#spellings ??= Array.from({ length: this.#offsets.length - 1 }, (_, name) =>
      this.#data.subarray(this.#offsets[name]!, this.#offsets[name + 1]! - 1),
    )
    return this.#spellings
  }

  isSpellable(name: number): boolean {
    const alphabet = this.#alphabet
    if (alphabet === null) return true
    const end = this.#offsets[name + 1]! - 1
    for (let at = this.#offsets[name]!; at < end; at++) if (alphabet[this.#data[at]!] !== 1) return false
    return true
  }

  /** The bytes that lead on from the node, ascending. Node 0 is the root. */
  edges(node: number): readonly number[] {
    const width = this.width(node)
    return this.#byte.slice(this.#first[node]!, this.#first[node]! + width)
  }

  /** How many bytes lead on from the node. */
  width(node: number): number {
    if (this.#width[node]! < 0) this.#deal(node)
    return this.#width[node]!
  }

  /** The first child; the others come behind it. Only once `width` was asked. */
  firstChild(node: number): number {
    return this.#first[node]!
  }

  /** The byte that leads to the node. */
  byte(node: number): number {
    return this.#byte[node]!
  }

  /** The child along `byte`, or -1. */
  child(node: number, byte: number): number {
    const bytes = this.#byte
    let low = 0
    let high = this.width(node)
    const first = this.#first[node]!
    while (low < high) {
      const middle = (low + high) >> 1
      if (bytes[first + middle]! < byte) low = middle + 1
      else high = middle
    }
    return low < this.#width[node]! && bytes[first + low] === byte ? first + low : -1
  }

  /** Index of the name that ends at the node, or -1. */
  name(node: number): number {
    if (this.#low[node]! === this.#high[node]!) return -1
    const name = this.#names[node]![this.#high[node]! - 1]!
    return this.#depth[node] === this.#length(name) ? name : -1
  }

  /** Bytes from the root to the node. */
  depth(node: number): number {
    return this.#depth[node]!
  }

  /** Whether there is any name at or below the node. */
  hasNames(node: number): boolean {
    return this.#low[node]! < this.#high[node]!
  }

  /** The indices, from `from` to `to`, of the names at or below the node, ascending. */
  within(node: number, from: number, to: number): Int32Array {
    const names = this.#names[node]!
    const low = lowerBound(names, this.#low[node]!, this.#high[node]!, from)
    return names.subarray(low, lowerBound(names, low, this.#high[node]!, to + 1))
  }

  /** Whether one of the names at or below the node may come. */
  some(node: number, allowed: AllowedNames): boolean {
    const { from, to } = allowed
    const names = this.#names[node]!
    const high = this.#high[node]!
    const low = this.#low[node]!
    for (let at = from === 0 ? low : lowerBound(names, low, high, from); at < high && names[at]! <= to; at++)
      if (this.isAmong(allowed, names[at]!)) return true
    return false
  }

  /** Whether a name may come and can be spelled. */
  isAmong(allowed: AllowedNames, name: number): boolean {
    return allowed.has(name) && this.isSpellable(name)
  }

  #length(name: number): number {
    return this.#offsets[name + 1]! - 1 - this.#offsets[name]!
  }

  /** Makes the children of a node. */
  #deal(node: number): void {
    const names = this.#names[node]!
    const low = this.#low[node]!
    const high = this.#high[node]!
    const depth = this.#depth[node]!
    this.#first[node] = this.#byte.length
    this.#width[node] = 0
    // A name that ends here is the only one: none is the beginning of another, as each ends in its only bare quote.
    if (low === high || this.name(node) >= 0) return
    const byteAt = (name: number): number => this.#data[this.#offsets[name]! + depth]!
    const only = byteAt(names[low]!)
    let same = low + 1
    while (same < high && byteAt(names[same]!) === only) same++
    if (same === high) {
      this.#add(node, only, names, low, high)
      return
    }
    const dealt = new Int32Array(high - low)
    if (dealt.length <= FEW) {
      for (let at = low; at < high; at++) {
        const byte = byteAt(names[at]!)
        let to = at - low
        for (; to > 0 && byteAt(dealt[to - 1]!) > byte; to--) dealt[to] = dealt[to - 1]!
        dealt[to] = names[at]!
      }
      for (let start = 0; start < dealt.length; ) {
        const byte = byteAt(dealt[start]!)
        let end = start + 1
        while (end < dealt.length && byteAt(dealt[end]!) === byte) end++
        this.#add(node, byte, dealt, start, end)
        start = end
      }
      return
    }
    const ends = new Int32Array(256)
    for (let at = low; at < high; at++) ends[byteAt(names[at]!)]!++
    let start = 0
    for (let byte = 0; byte < 256; byte++) {
      const count = ends[byte]!
      ends[byte] = start
      if (count > 0) this.#add(node, byte, dealt, start, start + count)
      start += count
    }
    for (let at = low; at < high; at++) {
      const name = names[at]!
      dealt[ends[byteAt(name)]!++] = name
    }
  }

  #add(parent: number, byte: number, names: Int32Array, low: number, high: number): void {
    this.#byte.push(byte)
    this.#depth.push(this.#depth[parent]! + 1)
    this.#names.push(names)
    this.#low.push(low)
    this.#high.push(high)
    this.#first.push(0)
    this.#width.push(-1)
    this.#width[parent]!++
  }
}

/** The tries of one grammar: objects with the same names share theirs, and what masks learn of it. */
export class KeyNamesTable {
  readonly #alphabet: Uint8Array
  readonly #known = new Map<string, KeyNames>()

  constructor(alphabet: Uint8Array) {
    this.#alphabet = alphabet
  }

  of(names: readonly string[]): KeyNames {
    const key = spelled(names)
    let found = this.#known.get(key)
    if (found === undefined) {
      found = new KeyNames(names, this.#alphabet, key)
      this.#known.set(key, found)
    }
    return found
  }
}

function spelled(names: readonly string[]): string {
  return names.map((name) => `${quote(name)}\n`).join('')
}

/** The first index in `[low, high)` whose value is not below `value`, or `high`. */
function lowerBound(values: Int32Array, low: number, high: number, value: number): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = (from + to) >> 1
    if (values[middle]! < value) from = middle + 1
    else to = middle
  }
  return from
}
