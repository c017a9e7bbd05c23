/**
 * Tokens that consist of characters of one class, for patterns that such characters cannot leave.
 *
 * From a state of a pattern, a class of characters is *closed* when any text of them keeps the pattern alive: `[a-z]` in
 * `^[a-z]+[0-9]*$`. All tokens made of them are then allowed at once, and the trie need only be read where other tokens
 * lie. The closure is found on the language's states, at most `MAX_STATES` of them.
 */
import type { CharLanguage } from '../automaton/char-language.ts'
import type { StringDfa } from '../automaton/string-dfa.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'

const MAX_STATES = 64
/** Tables kept; each holds a mask and a bit for each node of the trie. */
const MAX_TABLES = 64

export interface ClassTable {
  /** The tokens of characters of the class. */
  readonly mask: Uint32Array
  /** A bit for each node of the vocabulary's trie below which there are only such tokens. */
  readonly inside: Uint32Array
}

/** A closed class, and whether the language accepts wherever its characters lead. */
export interface ClosedClass {
  readonly classes: Uint8Array
  readonly accepting: boolean
}

/**
 * The largest class of characters found that is closed from the content `state`; `null` if there is none. Lengths are left
 * out of account: they are the caller's.
 */
export function closedClass(dfa: StringDfa, state: number): ClosedClass | null {
  const chars = dfa.chars!
  const first = dfa.content(state)!.language
  const classes = new Uint8Array(chars.classCount)
  let size = 0
  for (let cls = 0; cls < classes.length; cls++) if (chars.next(first, cls) !== 0) size += classes[cls] = 1
  for (;;) {
    if (size === 0) return null
    const states = [first]
    let accepting = true
    let shrunk = false
    for (let at = 0; at < states.length && !shrunk; at++) {
      if (states.length > MAX_STATES) return null
      for (let cls = 0; cls < classes.length; cls++) {
        if (classes[cls] === 0) continue
        const next = chars.next(states[at]!, cls)
        if (next === 0) {
          classes[cls] = 0
          size--
          shrunk = true
        } else if (!states.includes(next)) {
          states.push(next)
        }
      }
    }
    if (shrunk) continue
    for (const one of states) if (one !== first && chars.tag(one) === 0) accepting = false
    // The first state counts where its own characters lead back to it.
    const returns = states.some((one) =>
      classes.some((member, cls) => member === 1 && chars.next(one, cls) === first),
    )
    return { classes, accepting: accepting && (!returns || chars.tag(first) !== 0) }
  }
}

export class ClassTables {
  readonly #vocabulary: Vocabulary
  readonly #tables = new Map<string, ClassTable>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** The table of the code points whose class in `chars` is a member, as far as they stand for themselves in a JSON string. */
  of(chars: CharLanguage, classes: Uint8Array): ClassTable {
    const ranges = rangesOf(chars, classes)
    const key = ranges.join()
    let table = this.#tables.get(key)
    if (table === undefined) {
      if (this.#tables.size >= MAX_TABLES) this.#tables.clear()
      table = this.#make(ranges)
      this.#tables.set(key, table)
    }
    return table
  }

  #make(ranges: readonly number[]): ClassTable {
    const { size, trie } = this.#vocabulary
    const mask = new Uint32Array((size + 31) >>> 5)
    const member = this.#members(ranges)
    // Tokens outside the class among the first t in the order of the trie.
    const outside = new Int32Array(trie.tokens.length + 1)
    for (let t = 0; t < trie.tokens.length; t++) {
      const id = trie.tokens[t]!
      if (member[t] === 1) mask[id >>> 5]! |= 1 << (id & 31)
      outside[t + 1] = outside[t]! + 1 - member[t]!
    }
    const inside = new Uint32Array((trie.size + 31) >>> 5)
    for (let i = 1; i < trie.size; i++) {
      if (outside[trie.first[trie.skip[i]!]!] === outside[trie.first[i]!]) inside[i >>> 5]! |= 1 << (i & 31)
    }
    return { mask, inside }
  }

  /** For each token in the order of the trie, whether it is whole characters of the class, each standing for itself. */
  #members(ranges: readonly number[]): Uint8Array {
    const { trie, alphabet } = this.#vocabulary
    const { byte, depth, skip, first, size, maxDepth } = trie
    const member = new Uint8Array(trie.tokens.length)
    const ascii = new Uint8Array(128)
    for (let c = 0x20; c < 128; c++) if (c !== 0x22 && c !== 0x5c && isIn(ranges, c)) ascii[c] = 1
    // By depth: the bytes that a character still lacks, and its code point so far.
    const lacks = new Uint8Array(maxDepth + 1)
    const point = new Int32Array(maxDepth + 1)
    let i = 1
    while (i < size) {
      const d = depth[i]!
      const b = byte[i]!
      const left = alphabet[b] === 1 ? follow(b, lacks[d - 1]!, point[d - 1]!, ascii, ranges) : -1
      if (left < 0) {
        i = skip[i]!
        continue
      }
      lacks[d] = left
      point[d] = lacks[d - 1] === 0 ? b & (0x7f >> (left + 1)) : (point[d - 1]! << 6) | (b & 0x3f)
      if (left === 0) for (let t = first[i]!; t < first[i + 1]!; t++) member[t] = 1
      i++
    }
    return member
  }
}

/** The bytes that the character lacks after `byte`, or -1 where it is none of the class, or no character at all. */
function follow(
  byte: number,
  lacks: number,
  point: number,
  ascii: Uint8Array,
  ranges: readonly number[],
): number {
  if (lacks === 0) {
    if (byte < 0x80) return ascii[byte] === 1 ? 0 : -1
    return byte < 0xc2 ? -1 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte < 0xf5 ? 3 : -1
  }
  if ((byte & 0xc0) !== 0x80) return -1
  const codePoint = (point << 6) | (byte & 0x3f)
  if (lacks > 1) {
    // The second byte of a longer sequence decides whether it is overlong, a surrogate or out of range.
    if (lacks === 3) return codePoint < 0x10 || codePoint > 0x10f ? -1 : 2
    if (point < 0x10 && (codePoint < 0x20 || (codePoint >= 0x360 && codePoint <= 0x37f))) return -1
    return 1
  }
  return isIn(ranges, codePoint) ? 0 : -1
}

/** First code points of the ranges and, in turn, first code points behind them: `a, z + 1, …`. */
function rangesOf({ rangeStarts, rangeClass }: CharLanguage, classes: Uint8Array): number[] {
  const ranges: number[] = []
  for (let i = 0; i < rangeStarts.length; i++) {
    const member = classes[rangeClass[i]!] === 1
    if (member !== (ranges.length % 2 === 1)) ranges.push(rangeStarts[i]!)
  }
  return ranges
}

function isIn(ranges: readonly number[], codePoint: number): boolean {
  let low = 0
  let high = ranges.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]! <= codePoint) low = middle + 1
    else high = middle
  }
  return low % 2 === 1
}

/** Whether a token of the class keeps the content alive whatever its length, or up to the length that is left. */
export function isClosedAt(dfa: StringDfa, state: number, { accepting }: ClosedClass): boolean {
  const { language, rest } = dfa.content(state)!
  return language > 0 && (accepting || rest === Number.POSITIVE_INFINITY)
}
