/**
 * A finite set of texts as a trie: enum values, constants, `true`, tag framings.
 *
 * Texts are inserted by (length, bytes), so the first one that passes a node is the shortest completion from there.
 * Building is linear in the bytes. Texts with a byte the vocabulary cannot spell are left out.
 */
import { Dfa, ONLY_TAG } from './dfa.ts'
import { latin1 } from './latin1.ts'

const encoder = new TextEncoder()

export class TextsDfa extends Dfa {
  readonly start: number
  readonly #children: (Map<number, number> | undefined)[] = [undefined, undefined]
  readonly #ends: boolean[] = [false, false]
  /** Index of the text that completes each node soonest. */
  readonly #least: number[] = [0, 0]
  readonly #depth: number[] = [0, 0]
  readonly #texts: Uint8Array[]
  #spelled: readonly string[] | null = null

  constructor(texts: readonly string[], alphabet: Uint8Array) {
    super()
    this.#texts = texts
      .map((text) => encoder.encode(text))
      .filter((bytes) => bytes.every((byte) => alphabet[byte] === 1))
      .sort(compareTexts)
    this.#texts.forEach((text, index) => {
      this.#insert(text, index)
    })
    this.start = this.#texts.length === 0 ? 0 : 1
  }

  /** All texts, one byte a unit: shorter first, then by bytes. */
  get texts(): readonly string[] {
    this.#spelled ??= this.#texts.map((text) => latin1(text, 0, text.length))
    return this.#spelled
  }

  #insert(text: Uint8Array, index: number): void {
    let node = 1
    for (const byte of text) {
      let edges = this.#children[node]
      if (edges === undefined) {
        edges = new Map()
        this.#children[node] = edges
      }
      let child = edges.get(byte)
      if (child === undefined) {
        child = this.#children.push(undefined) - 1
        this.#ends.push(false)
        this.#least.push(index)
        this.#depth.push(this.#depth[node]! + 1)
        edges.set(byte, child)
      }
      node = child
    }
    this.#ends[node] = true
  }

  next(state: number, byte: number): number {
    return this.#children[state]?.get(byte) ?? 0
  }
  edges(state: number): Iterable<number> {
    return this.#children[state]?.keys() ?? []
  }
  tagsFrom(_state: number): readonly number[] {
    return ONLY_TAG
  }
  tag(state: number): number {
    return this.#ends[state] ? 1 : 0
  }
  final(state: number): boolean {
    return this.#children[state] === undefined
  }
  shortest(state: number): Uint8Array {
    return this.#ends[state]
      ? new Uint8Array(0)
      : this.#texts[this.#least[state]!]!.subarray(this.#depth[state]!)
  }
}

/** Shorter first, then by bytes. */
function compareTexts(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return a.length - b.length
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!
    if (difference !== 0) return difference
  }
  return 0
}
