/**
 * Free text: any UTF-8 text up to the first of some stops.
 *
 * A stop may count everywhere, or only where the text begins with it; where it occurs the terminal ends, in tag `2 + its
 * index`, or it must not occur. Where no stop has come the text is whole behind every character, with tag 1, if it may end
 * so. The texts are looked for as Aho and Corasick do, so that a state is how much of them has just been read, together
 * with what is left of the character. States and rows are made at once: one for each byte of the texts, and a few.
 */
import { Dfa } from './dfa.ts'
import { NONE, STEPS } from './utf8.ts'

export interface FreeText {
  readonly stops: readonly {
    readonly text: string
    /** Only where the free text begins with it. */
    readonly atStart: boolean
    /** What it leads to; `null` where it does not occur. */
    readonly leadsTo: unknown
  }[]
  /** Whether the text may end without a stop. */
  readonly ends: boolean
}

/** The tag of a text that has ended without a stop; that of a stop is its index and 2. */
export const WITHOUT_STOP = 1
const FIRST_STOP = 2
/** In place of the tag of a stop that does not occur. */
const FORBIDDEN = -1

/** The texts to look for, as a trie whose every node knows where each byte leads: node 0 is the root. */
class Finder {
  readonly #next: Int32Array[] = [new Int32Array(256)]
  /** By node: the tag of the stop that ends there, `FORBIDDEN`, or 0. */
  readonly found: number[] = [0]

  constructor(texts: readonly (readonly [text: string, tag: number])[]) {
    for (const [text, tag] of texts) this.#insert(new TextEncoder().encode(text), tag)
    this.#link()
  }

  #insert(bytes: Uint8Array, tag: number): void {
    let node = 0
    for (const byte of bytes) {
      let child = this.#next[node]![byte]!
      if (child === 0) {
        child = this.#next.push(new Int32Array(256)) - 1
        this.found.push(0)
        this.#next[node]![byte] = child
      }
      node = child
    }
    this.found[node] = tag
  }

  /** Where a byte does not go on, the longest end of what was read that begins a text does. */
  #link(): void {
    const queue: { node: number; fallback: number }[] = []
    for (const child of this.#next[0]!) if (child !== 0) queue.push({ node: child, fallback: 0 })
    for (const { node, fallback } of queue) {
      const row = this.#next[node]!
      if (this.found[node] === 0) this.found[node] = this.found[fallback]!
      for (let byte = 0; byte < 256; byte++) {
        const behind = this.#next[fallback]![byte]!
        if (row[byte] === 0) row[byte] = behind
        else queue.push({ node: row[byte]!, fallback: behind })
      }
    }
  }

  next(node: number, byte: number): number {
    return this.#next[node]![byte]!
  }
}

/** A state as it is made. */
interface Place {
  /** Node of the finder, of what has just been read. */
  readonly node: number
  /** What is left of the character: a state of `STEPS`. */
  readonly rest: number
  /** The bytes read, while all of them begin a stop that counts at the start only; `null` elsewhere. */
  readonly begun: readonly number[] | null
  /** The tag with which the terminal ends here, for good. */
  readonly ended: number
}

const NOWHERE = new Int32Array(256)

export class FreeTextDfa extends Dfa {
  readonly start: number
  readonly #isLast: boolean
  /** By state and byte. */
  readonly #rows: Int32Array[] = [NOWHERE]
  readonly #tags: number[] = [0]
  readonly #reachable: (readonly number[])[] = [[]]
  /** By tag and state: bytes to the end with the tag. */
  readonly #distances = new Map<number, Int32Array>()

  /**
   * @param alphabet 256 entries, 1 for each byte that can be written
   * @param isLast whether no byte follows a text that has ended without a stop
   */
  constructor(text: FreeText, alphabet: Uint8Array, isLast: boolean) {
    super()
    this.#isLast = isLast
    const size = this.#build(text, alphabet)
    this.start = this.#prune(size)
  }

  /** All states, with their rows, as if every one could be finished; how many there are. */
  #build({ stops, ends }: FreeText, alphabet: Uint8Array): number {
    const tags = stops.map(({ leadsTo }, i) => (leadsTo === null ? FORBIDDEN : FIRST_STOP + i))
    const finder = new Finder(
      stops.flatMap(({ text, atStart }, i) => (atStart ? [] : [[text, tags[i]!] as const])),
    )
    const atStart = stops.flatMap(({ text, atStart: isAtStart }, i) =>
      isAtStart ? [{ bytes: new TextEncoder().encode(text), tag: tags[i]! }] : [],
    )
    const places: Place[] = [{ node: 0, rest: 0, begun: null, ended: 0 }]
    const known = new Map<string, number>()
    const stateOf = (place: Place): number => {
      const { node, rest, begun, ended } = place
      const key = ended !== 0 ? `${ended}` : `${node} ${rest} ${begun?.join(',')}`
      let state = known.get(key)
      if (state === undefined) {
        state = places.push(place) - 1
        known.set(key, state)
      }
      return state
    }
    stateOf({ node: 0, rest: 0, begun: atStart.length > 0 ? [] : null, ended: 0 })
    for (let state = 1; state < places.length; state++) {
      const { node, rest, begun, ended } = places[state]!
      const row = new Int32Array(256)
      this.#rows[state] = row
      this.#tags[state] = ended !== 0 ? ended : ends && rest === 0 ? WITHOUT_STOP : 0
      if (ended !== 0) continue
      for (let byte = 0; byte < 256; byte++) {
        const left = STEPS[256 * rest + byte]!
        if (left === NONE || alphabet[byte] !== 1) continue
        const behind = finder.next(node, byte)
        let tag = finder.found[behind]!
        let begins: number[] | null = null
        if (begun !== null) {
          const bytes = [...begun, byte]
          const open = atStart.filter((stop) => bytes.every((each, i) => stop.bytes[i] === each))
          tag ||= open.find((stop) => stop.bytes.length === bytes.length)?.tag ?? 0
          if (open.length > 0) begins = bytes
        }
        if (tag === FORBIDDEN) continue
        row[byte] = stateOf({ node: behind, rest: left, begun: begins, ended: tag })
      }
    }
    return places.length
  }

  /** Takes out the states that cannot be finished, and says of the others how they can; the first state, 0 if it is none of them. */
  #prune(size: number): number {
    const before: number[][] = Array.from({ length: size }, () => [])
    for (let state = 1; state < size; state++)
      for (const target of new Set(this.#rows[state])) if (target !== 0) before[target]!.push(state)
    const reachable = Array.from({ length: size }, () => new Set<number>())
    for (const tag of new Set(this.#tags)) {
      if (tag === 0) continue
      const distances = new Int32Array(size).fill(-1)
      let near = this.#tags.flatMap((own, state) => (own === tag ? [state] : []))
      for (let distance = 0; near.length > 0; distance++) {
        const far: number[] = []
        for (const state of near) {
          if (distances[state]! >= 0) continue
          distances[state] = distance
          reachable[state]!.add(tag)
          far.push(...before[state]!)
        }
        near = far
      }
      this.#distances.set(tag, distances)
    }
    for (let state = 1; state < size; state++) {
      this.#reachable[state] = [...reachable[state]!].sort((a, b) => a - b)
      const row = this.#rows[state]!
      for (let byte = 0; byte < 256; byte++) if (reachable[row[byte]!]!.size === 0) row[byte] = 0
    }
    return reachable[1]!.size === 0 ? 0 : 1
  }

  next(state: number, byte: number): number {
    return this.#rows[state]![byte]!
  }
  tag(state: number): number {
    return this.#tags[state]!
  }
  final(state: number): boolean {
    return this.#tags[state]! >= FIRST_STOP
  }
  edges(_state: number): null {
    return null
  }
  tagsFrom(state: number): readonly number[] {
    return this.#reachable[state]!
  }
  override leadsOn(tag: number): boolean {
    return tag !== WITHOUT_STOP || !this.#isLast
  }

  shortest(state: number, tag: number): Uint8Array | null {
    const distances = this.#distances.get(tag)
    if (distances === undefined || distances[state]! < 0) return null
    const bytes = new Uint8Array(distances[state]!)
    let at = state
    for (let i = 0; i < bytes.length; i++) {
      const left = distances[at]! - 1
      const row = this.#rows[at]!
      const byte = row.findIndex((target) => target !== 0 && distances[target] === left)
      bytes[i] = byte
      at = row[byte]!
    }
    return bytes
  }
}
