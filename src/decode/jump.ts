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
 * Where nothing is forced, which the mask tells, a step costs a look at two tokens. Else it costs the matcher's `forced`,
 * a look at the trie for each forced byte, and where there is a safe place one encoding of some 100 bytes (30 µs).
 */
import { emptyBits, hasBit, lowestBit } from '../bits.ts'
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
    this.#mask = emptyBits(vocabulary.size)
  }

  /** A token was chosen, and the constraint has accepted it. */
  add(id: number): void {
    this.#remember(id)
    this.#isOpen = false
  }

  /**
   * The tokens that are forced where `mask` is the constraint's, at most `room`; the constraint has accepted them. Empty
   * where there is a choice. There may be more behind them: to be asked again with the mask there.
   *
   * `isWithin`: the text must be whole after `room` tokens, as it can be now. The tokenizer's spelling may take more of them than
   * the cheapest one; then so much of it is written that the rest still fits.
   */
  jump(mask: Uint32Array, room: number, isWithin = false): readonly number[] {
    if (this.#isOpen || room < 1) return []
    const found = look(mask, this.#vocabulary)
    if (found === null) return []
    const ids = found.isOnly ? this.#accept([found.id]) : this.#jumpBytes(room, isWithin)
    for (const id of ids) this.#remember(id)
    return ids
  }

  #remember(id: number): void {
    if (this.#vocabulary.bytes(id) === null) this.#recent.length = 0
    else this.#recent.push(id)
    if (this.#recent.length > 2 * WINDOW) this.#recent = this.#recent.slice(-WINDOW)
  }

  #jumpBytes(room: number, isWithin: boolean): readonly number[] {
    const forced = this.#constraint.forced()
    const safe = this.#safePlace(forced)
    this.#isOpen = safe < forced.length
    if (safe === 0) return []
    const ids = this.#accept(this.#spell(forced, safe).slice(0, room))
    return isWithin ? this.#fitting(ids, room) : ids
  }

  /** Takes back tokens, the last first, until what is left can be completed in time. */
  #fitting(ids: readonly number[], room: number): readonly number[] {
    let count = ids.length
    while (count > 0 && this.#constraint.shortestCompletion().tokens > room - count) {
      this.#constraint.rollback(1)
      count--
    }
    if (count < ids.length) this.#isOpen = true
    return ids.slice(0, count)
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

  /** The first `length` of the forced bytes as tokens. No token goes across that place. */
  #spell(forced: Uint8Array, length: number): readonly number[] {
    const before = this.#recent.slice(-WINDOW).map((id) => this.#vocabulary.bytes(id)!)
    // A window begins with a character, not within one.
    while (before.length > 0 && (before[0]![0]! & 0xc0) === 0x80) before.shift()
    const bytes = joined([...before, forced])
    const here = bytes.length - forced.length
    const end = here + length
    const ids: number[] = []
    let at = here
    // The text so far may end where the tokenizer would not have cut it: from the next place on that is its own border.
    for (const { id, start, end: behind } of this.#encode(bytes)) {
      if (start < here || behind > end) continue
      if (at < start) ids.push(...longest(bytes.subarray(at, start), this.#vocabulary))
      ids.push(id)
      at = behind
    }
    return at === end ? ids : [...ids, ...longest(bytes.subarray(at, end), this.#vocabulary)]
  }

  /** What the tokenizer makes of whole characters, with the place of each token; empty where it writes other bytes. */
  #encode(bytes: Uint8Array): { id: number; start: number; end: number }[] {
    const whole = wholeLength({ bytes, length: bytes.length })
    let ids: readonly number[]
    try {
      ids = this.#tokenizer.encodeText(decoder.decode(bytes.subarray(0, whole)))
    } catch {
      return []
    }
    let end = 0
    const tokens: { id: number; start: number; end: number }[] = []
    for (const id of ids) {
      const start = end
      const part = this.#vocabulary.bytes(id)
      if (part === null || !part.every((byte, i) => byte === bytes[start + i])) return []
      end = start + part.length
      tokens.push({ id, start, end })
    }
    return tokens
  }

  /**
   * The last place in `forced` that no allowed token goes across, wherever before it begins; 0 where there is none. Every way
   * to write `forced` comes by it.
   */
  #safePlace(forced: Uint8Array): number {
    // Any spelling will do to see what may follow.
    const ids = this.#accept(longest(forced, this.#vocabulary))
    if (ids.length === 0) return 0
    const mayFollow = this.#nextBytes()
    let safe = 0
    let reached = 0
    for (let place = 0; place <= forced.length; place++) {
      if (reached <= place) safe = place
      if (place < forced.length)
        reached = Math.max(reached, farthest(this.#vocabulary.trie, forced, place, mayFollow))
    }
    this.#constraint.rollback(ids.length)
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
      return hasBit(this.#mask, id)
    }
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A token of the mask, and whether it is the only one; `null` where two of them begin with different bytes. */
function look(mask: Uint32Array, vocabulary: Vocabulary): { id: number; isOnly: boolean } | null {
  let first = -1
  let byte: number | undefined
  let isOnly = true
  for (let word = 0; word < mask.length; word++) {
    for (let bits = mask[word]!; bits !== 0; bits &= bits - 1) {
      const id = word * 32 + lowestBit(bits)
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
