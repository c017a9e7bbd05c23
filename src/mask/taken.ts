/**
 * The tokens with which a scalar that is being written, or comes next, would be a value that is taken: an item that is there
 * in an array whose items must differ.
 *
 * They are found along the spellings of the values that are taken, so that their cost is that of the few which begin as it was
 * written; the mask itself is the one of any scalar.
 */
import { latin1 } from '../automaton/latin1.ts'
import type { NumberTerminal } from '../automaton/number-terminal.ts'
import { readTyped } from '../automaton/spelled.ts'
import type { StringDfa } from '../automaton/string-dfa.ts'
import type { TextsDfa } from '../automaton/texts-dfa.ts'
import { clearBits } from '../bits.ts'
import type { Trie } from '../vocab/trie.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
}

/**
 * The nodes at which tokens end a string as one of some texts, at and below which they are that text and more; `null` where
 * on the way not very many strings can still come, so that more than the ends of these must be known. Costs the nodes that
 * lie on the way, and a search in the texts for each.
 *
 * @param state of the string, after what was typed of it, one byte a unit
 * @param texts each once, in order; they begin as it was typed
 */
export function endsOf(
  trie: Trie,
  dfa: StringDfa,
  state: number,
  typed: string,
  texts: readonly string[],
): readonly number[] | null {
  const root = typed === '' ? trie.child(0, QUOTE) : 0
  if (typed === '' && root === 0) return []
  const { text, pending } = readTyped(typed.slice(1))
  // The digits of an escape may be written in either case.
  const written = pending[0] === '\\' ? pending.toLowerCase() : pending
  const begun = typed === '' ? dfa.next(state, QUOTE) : state
  const spellings = new Spellings(trie, dfa, texts)
  return spellings.from(root, begun, 0, texts.length, text.length, written) ? spellings.ends : null
}

/** The spellings of texts along a trie. */
class Spellings {
  readonly ends: number[] = []
  readonly #trie: Trie
  readonly #dfa: StringDfa
  readonly #texts: readonly string[]

  constructor(trie: Trie, dfa: StringDfa, texts: readonly string[]) {
    this.#trie = trie
    this.#dfa = dfa
    this.#texts = texts
  }

  /**
   * On from a node, with the texts from `low` to below `high`, that have the first `at` units in common, of whose next
   * character some bytes were written; whether there is room all the way. Recursion is as deep as a token is long.
   */
  from(node: number, state: number, low: number, high: number, at: number, written: string): boolean {
    let first = low
    if (first < high && this.#texts[first]!.length === at) {
      const end = this.#trie.child(node, QUOTE)
      if (end !== 0) this.ends.push(end)
      first++
    }
    // Nothing lies below.
    if (this.#trie.skip[node] === node + 1) return true
    while (first < high) {
      const code = this.#texts[first]!.codePointAt(at)
      const next = groupEnd(this.#texts, first, high, (text) => text.codePointAt(at) === code)
      if (!this.#character(node, state, first, next, at, written)) return false
      first = next
    }
    return true
  }

  /** On with a character in each of its spellings. */
  #character(node: number, state: number, first: number, next: number, at: number, written: string): boolean {
    const text = this.#texts[first]!
    const code = text.codePointAt(at)!
    const unit = text[at]!
    const end = at + (code > 0xffff ? 2 : 1)
    const along = (spelling: string): boolean =>
      !spelling.startsWith(written) || this.#bytes(node, state, spelling, written.length, first, next, end)
    if (code >= 0x20 && unit !== '"' && unit !== '\\' && !along(utf8(code))) return false
    if (written === '' ? this.#trie.child(node, BACKSLASH) === 0 : written[0] !== '\\') return true
    const short = SHORT_ESCAPES[unit]
    return (short === undefined || along(`\\${short}`)) && along(escapesOf(text, at, end))
  }

  /** Along one spelling, whose letters in escapes may be of either case. */
  #bytes(
    from: number,
    state: number,
    spelling: string,
    written: number,
    first: number,
    next: number,
    end: number,
  ): boolean {
    let node = from
    let at = state
    for (let i = written; i < spelling.length; i++) {
      const byte = spelling.charCodeAt(i)
      const isLetter = i > 1 && spelling[1] === 'u' && spelling[0] === '\\' && byte >= 0x61 && byte <= 0x66
      if (isLetter) {
        const upper = this.#trie.child(node, byte - 0x20)
        const to = upper === 0 ? 0 : this.#dfa.next(at, byte - 0x20)
        if (to !== 0 && !(this.#dfa.isLoose(to) && this.#bytes(upper, to, spelling, i + 1, first, next, end)))
          return false
      }
      node = this.#trie.child(node, byte)
      if (node === 0) return true
      at = this.#dfa.next(at, byte)
      if (at === 0) return true
      if (!this.#dfa.isLoose(at)) return false
    }
    return this.from(node, at, first, next, end, '')
  }
}

/** The escapes of the units from `at` to `next`, in small letters. */
function escapesOf(text: string, at: number, next: number): string {
  let escapes = ''
  for (let i = at; i < next; i++) escapes += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escapes
}

function utf8(code: number): string {
  if (code < 0x80) return String.fromCharCode(code)
  const bytes = encoder.encode(String.fromCodePoint(code))
  return latin1(bytes, 0, bytes.length)
}

const encoder = new TextEncoder()

/**
 * The nodes at and below which tokens end a choice of texts as one that is taken, or can do nothing else. Costs the nodes that
 * lie on the way.
 *
 * @param typed what was written of it, which led to `state`
 * @param isTaken by the index of a text
 */
export function endsOfTexts(
  trie: Trie,
  dfa: TextsDfa,
  state: number,
  typed: string,
  { texts, low, high }: TextRange,
  isTaken: (index: number) => boolean,
): readonly number[] {
  /** Texts taken of those from `low` on. */
  const counts = new Int32Array(high - low + 1)
  for (let i = low; i < high; i++) counts[i - low + 1] = counts[i - low]! + (isTaken(i) ? 1 : 0)
  const taken = (from: number, to: number): number => counts[to - low]! - counts[from - low]!
  const ends: number[] = []
  const { byte, skip } = trie
  const visit = (node: number, at: number, from: number, to: number, length: number): void => {
    if (taken(from, to) === to - from) {
      if (node !== 0) ends.push(node)
      else
        for (let child = 1; child < skip[0]!; child = skip[child]!)
          if (dfa.next(at, byte[child]!) !== 0) ends.push(child)
      return
    }
    let first = from
    if (texts[first]!.length === length) {
      // It is taken, but others begin with it: what goes on must go on as one of them.
      if (taken(first, first + 1) === 1)
        for (let child = node + 1; child < skip[node]!; child = skip[child]!)
          if (dfa.next(at, byte[child]!) === 0) ends.push(child)
      first++
    }
    while (first < to) {
      const unit = texts[first]!.charCodeAt(length)
      const next = groupEnd(texts, first, to, (text) => text.charCodeAt(length) === unit)
      const child = taken(first, next) === 0 ? 0 : trie.child(node, unit)
      if (child !== 0) visit(child, dfa.next(at, unit), first, next, length + 1)
      first = next
    }
  }
  if (low < high) visit(0, state, low, high, typed.length)
  return ends
}

/** Texts in order, one byte a unit, of which those from `low` to below `high` are meant. */
export interface TextRange {
  readonly texts: readonly string[]
  readonly low: number
  readonly high: number
}

/** Behind the texts from `first` on for which something holds that holds for a group of them. */
function groupEnd(
  texts: readonly string[],
  first: number,
  high: number,
  isSame: (text: string) => boolean,
): number {
  let low = first + 1
  let end = high
  while (low < end) {
    const middle = (low + end) >>> 1
    if (isSame(texts[middle]!)) low = middle + 1
    else end = middle
  }
  return low
}

/** Takes out the tokens at and below a node. */
export function clearBelow(trie: Trie, node: number, out: Uint32Array): void {
  clearBits(out, trie.tokens, trie.first[node]!, trie.first[trie.skip[node]!]!)
}

/** The tokens at and below nodes. */
export function idsBelow(trie: Trie, nodes: readonly number[]): Int32Array {
  const ids = new Set<number>()
  for (const node of nodes)
    for (let t = trie.first[node]!; t < trie.first[trie.skip[node]!]!; t++) ids.add(trie.tokens[t]!)
  return Int32Array.from(ids)
}

/** The tokens that stay in a number and lead where not very many values can come of it any more: kept with the automaton. */
export class NarrowNumbers {
  readonly #trie: Trie
  readonly #known = new WeakMap<NumberTerminal, Map<number, readonly NumberToken[]>>()

  constructor(trie: Trie) {
    this.#trie = trie
  }

  of(dfa: NumberTerminal, state: number): readonly NumberToken[] {
    let byState = this.#known.get(dfa)
    if (byState === undefined) {
      byState = new Map()
      this.#known.set(dfa, byState)
    }
    let tokens = byState.get(state)
    if (tokens === undefined) {
      const found: NumberToken[] = []
      this.#below(dfa, 0, state, '', false, found)
      tokens = found
      byState.set(state, tokens)
    }
    return tokens
  }

  /** Recursion is as deep as the longest token. */
  #below(
    dfa: NumberTerminal,
    node: number,
    state: number,
    text: string,
    narrow: boolean,
    found: NumberToken[],
  ): void {
    const { byte, skip, first, tokens } = this.#trie
    for (let child = node + 1; child < skip[node]!; child = skip[child]!) {
      const next = dfa.next(state, byte[child]!)
      if (next === 0) continue
      const isNarrow = narrow || !dfa.isLoose(next)
      const longer = text + String.fromCharCode(byte[child]!)
      if (isNarrow)
        for (let t = first[child]!; t < first[child + 1]!; t++)
          found.push({ id: tokens[t]!, text: longer, to: next })
      this.#below(dfa, child, next, longer, isNarrow, found)
    }
  }
}

export interface NumberToken {
  readonly id: number
  readonly text: string
  /** The state that it leads to. */
  readonly to: number
}
