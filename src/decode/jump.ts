/**
 * Jump-forward: what the grammar forces is not asked of the model.
 *
 * Where the next bytes are forced they are spelled as the model's own tokenizer writes the text so far and them together,
 * up to the last place that the model would have come to in any case: a place across which no token of the vocabulary
 * goes that the mask would allow. Behind it the spelling may still merge with what follows, so the rest is left to the
 * mask. Hence a model that sees the bytes alone says the same text with and without jumps; one that sees tokens is asked at
 * fewer places, each in the spelling it knows best.
 *
 * A token that is the only one in the mask is forced whatever it holds; that is how control tokens are.
 *
 * Where nothing is forced, which the mask tells, a step costs a look at two tokens. A jump costs the matcher's `forced`,
 * one encoding of some 100 bytes (30 µs) and a look at the trie for each forced byte.
 */
import { wholeLength } from '../mask/frames.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import type { Constraint } from './constraint.ts'
import type { PromptTokenizer } from './tokenizer.ts'

/** Tokens before a place that its spelling is looked at with. Merges end where words do, so a few words tell all. */
const WINDOW = 16

export class Jumper {
  readonly #constraint: Constraint
  readonly #vocabulary: Vocabulary
  readonly #tokenizer: PromptTokenizer
  /** The last tokens, back to a control token. */
  #recent: number[] = []
  /** The rest of what is forced is the mask's. */
  #isOpen = false
  readonly #mask: Uint32Array

  constructor(constraint: Constraint, vocabulary: Vocabulary, tokenizer: PromptTokenizer) {
    this.#constraint = constraint
    this.#vocabulary = vocabulary
    this.#tokenizer = tokenizer
    this.#mask = new Uint32Array((vocabulary.size + 31) >>> 5)
  }

  /** A token was chosen, and the constraint has accepted it. */
  add(id: number): void {
    this.#remember(id)
    this.#isOpen = false
  }

  /**
   * The tokens that are forced where `mask` is the constraint's, at most `room`; the constraint has accepted them. Empty
   * where there is a choice. There may be more behind them: to be asked again with the mask there.
   */
  jump(mask: Uint32Array, room: number): readonly number[] {
    if (this.#isOpen || room < 1) return []
    const found = look(mask, this.#vocabulary)
    if (found === null) return []
    const ids = found.isOnly ? this.#accept([found.id]) : this.#jumpBytes(room)
    for (const id of ids) this.#remember(id)
    return ids
  }

  #remember(id: number): void {
    if (this.#vocabulary.bytes(id) === null) this.#recent.length = 0
    else this.#recent.push(id)
    if (this.#recent.length > 2 * WINDOW) this.#recent = this.#recent.slice(-WINDOW)
  }

  #jumpBytes(room: number): readonly number[] {
    const forced = this.#constraint.forced()
    if (forced.length === 0) return []
    const ids = this.#accept(this.#spell(forced))
    const spelled = lengthOf(ids, this.#vocabulary)
    const safe = this.#safePlace(forced, spelled)
    this.#isOpen = safe < forced.length
    let kept = 0
    for (let end = 0; kept < Math.min(ids.length, room); kept++) {
      end += this.#vocabulary.bytes(ids[kept]!)!.length
      if (end > safe) break
    }
    this.#constraint.rollback(ids.length - kept)
    return ids.slice(0, kept)
  }

  /** Gives tokens to the constraint: all, or none where one is refused. */
  #accept(ids: readonly number[]): readonly number[] {
    for (const [index, id] of ids.entries()) {
      if (this.#constraint.accept(id)) continue
      // A vocabulary that cannot write each byte alone has texts that no token leads on from.
      this.#constraint.rollback(index)
      return []
    }
    return ids
  }

  /** Forced bytes as tokens: all of them, or as far as they are whole characters. */
  #spell(forced: Uint8Array): readonly number[] {
    const before = this.#recent.slice(-WINDOW).map((id) => this.#vocabulary.bytes(id)!)
    // A window begins with a character, not within one.
    while (before.length > 0 && (before[0]![0]! & 0xc0) === 0x80) before.shift()
    const bytes = Uint8Array.from([...before, forced].flatMap((part) => [...part]))
    const here = bytes.length - forced.length
    // The text so far may end where the tokenizer would not have cut it: from the next place on that is its own border.
    const canonical = this.#encode(bytes)
    const first = canonical.findIndex(({ start }) => start >= here)
    if (first < 0) return longest(forced, this.#vocabulary)
    const seam = canonical[first]!.start - here
    const head = longest(forced.subarray(0, seam), this.#vocabulary)
    return seam > 0 && head.length === 0 ? [] : [...head, ...canonical.slice(first).map(({ id }) => id)]
  }

  /** What the tokenizer makes of whole characters, with the place of each token; empty where it writes other bytes. */
  #encode(bytes: Uint8Array): { id: number; start: number }[] {
    let text: string
    try {
      text = decoder.decode(bytes.subarray(0, wholeLength({ bytes, length: bytes.length })))
    } catch {
      return []
    }
    const ids = this.#tokenizer.encodeText(text)
    const parts = ids.map((id) => this.#vocabulary.bytes(id) ?? NO_BYTES)
    // Some put a space before every text.
    let start = new TextEncoder().encode(text).length - parts.reduce((sum, { length }) => sum + length, 0)
    const tokens = ids.map((id, index) => {
      const part = { id, start }
      start += parts[index]!.length
      return part
    })
    const agree = tokens.every(({ start }, index) =>
      parts[index]!.every((byte, i) => start + i < 0 || byte === bytes[start + i]),
    )
    return agree && (tokens[0]?.start ?? 0) <= 0 && !parts.includes(NO_BYTES) ? tokens : []
  }

  /**
   * The last place in `forced`, at most `limit`, that no allowed token goes across, wherever before it begins. Every way to
   * write `forced` comes by it. Called with the constraint behind the first `limit` bytes.
   */
  #safePlace(forced: Uint8Array, limit: number): number {
    const mayFollow = limit === forced.length ? this.#nextBytes() : () => true
    let safe = 0
    let reached = 0
    for (let place = 0; place <= limit; place++) {
      if (reached <= place) safe = place
      if (place < limit)
        reached = Math.max(reached, farthest(this.#vocabulary.trie, forced, place, mayFollow))
    }
    return safe
  }

  /** Which bytes the constraint allows next; the mask is taken when it is first asked. */
  #nextBytes(): (byte: number) => boolean {
    const { trie, spellsBytes } = this.#vocabulary
    let isTaken = false
    return (byte) => {
      if (!spellsBytes) return true
      if (!isTaken) this.#constraint.mask(this.#mask)
      isTaken = true
      const id = trie.tokens[trie.first[trie.child(0, byte)]!]!
      return ((this.#mask[id >>> 5]! >>> (id & 31)) & 1) === 1
    }
  }
}

const NO_BYTES = new Uint8Array(0)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A token of the mask, and whether it is the only one; `null` where two of them begin with different bytes. */
function look(mask: Uint32Array, vocabulary: Vocabulary): { id: number; isOnly: boolean } | null {
  let first = -1
  let byte: number | undefined
  let isOnly = true
  for (let word = 0; word < mask.length; word++) {
    for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) {
      const id = (word << 5) + (31 - Math.clz32(bits & -bits))
      const own = vocabulary.bytes(id)?.[0]
      if (first < 0) {
        first = id
        byte = own
      } else {
        if (own === undefined || own !== byte) return null
        isOnly = false
      }
    }
  }
  return first < 0 ? null : { id: first, isOnly }
}

/** The end of the longest token that begins at `place` and goes along `text`; `Infinity` where one goes beyond it. */
function farthest(trie: Trie, text: Uint8Array, place: number, mayFollow: (byte: number) => boolean): number {
  let end = place
  let node = 0
  for (let at = place; at < text.length; at++) {
    node = trie.child(node, text[at]!)
    if (node === 0) return end
    if (trie.first[node]! < trie.first[node + 1]!) end = at + 1
  }
  for (let child = node + 1; child < trie.skip[node]!; child = trie.skip[child]!) {
    if (mayFollow(trie.byte[child]!)) return Number.POSITIVE_INFINITY
  }
  return end
}

/** Bytes as the longest token that fits, again and again; empty where none does. */
function longest(bytes: Uint8Array, { trie }: Vocabulary): number[] {
  const ids: number[] = []
  for (let at = 0; at < bytes.length; ) {
    let id = -1
    let end = at
    for (let node = 0, to = at; to < bytes.length; to++) {
      node = trie.child(node, bytes[to]!)
      if (node === 0) break
      if (trie.first[node]! === trie.first[node + 1]!) continue
      id = trie.tokens[trie.first[node]!]!
      end = to + 1
    }
    if (id < 0) return []
    ids.push(id)
    at = end
  }
  return ids
}

function lengthOf(ids: readonly number[], vocabulary: Vocabulary): number {
  return ids.reduce((sum, id) => sum + vocabulary.bytes(id)!.length, 0)
}
