/**
 * Text of a language over code points, spelled in bytes: a JSON string (quotes and escapes included), a key (one
 * spelling of each character) or raw UTF-8.
 *
 * The language is a `CharLanguage` over classes of code points together with a minimum and a maximum length. Both are counted
 * in the state, never unrolled: a *content* state is (language state, code points still needed, code points left), and
 * only those that are visited exist. Between two contents lie the states inside one character: the rest of a UTF-8
 * sequence, an escape, a surrogate pair of escapes. When all characters that can still come of it lead to the same
 * content, such a state forgets which they are, so that a free string has some thirty states in all.
 *
 * Every state that is not 0 can be finished with bytes of the alphabet.
 */
import { LimitError } from '../errors.ts'
import { SHORT_ESCAPES } from '../json/escapes.ts'
import { rangeAt } from '../regex/classes.ts'
import { PriorityQueue } from '../regex/heap.ts'
import type { CharLanguage } from './char-language.ts'
import { RowDfa } from './dfa.ts'
import { bytesOf } from './latin1.ts'
import { LeastFirst } from './least-first.ts'
import { BACKSLASH, leastOf, leastSpellings, QUOTE, type Spelling } from './least-spelling.ts'

export interface StringLanguage {
  /** `null`: any text. */
  readonly chars: CharLanguage | null
  readonly minLength: number
  /** Inclusive; `Infinity` where there is no bound. */
  readonly maxLength: number
}

/** A content state, for whoever tabulates tokens by length. */
export interface Content {
  /** The state of the `CharLanguage`, or minus the tag of the language that every text is in from here. */
  readonly language: number
  /** Code points that must still come. */
  readonly need: number
  /** Code points that may still come; `Infinity` without a bound. */
  readonly rest: number
}

/** Any text, with tag 1. */
const ANY = -1

// What a state is, and what its fields a, b, c hold.
const START = 1 // a: the content after the opening quote
const CONTENT = 2 // a: language state, b: code points needed, c: code points left
const END = 3 // a: the tag
const UTF8_UNIFORM = 4 // a: the content that every end leads to, b: bytes left, c: the lead byte if it narrows the next one
const UTF8 = 5 // a: content before the character, b: bytes left, c: the first code point that is still possible
const ESCAPE = 6 // a: content before the escape
const HEX = 7 // after `\u`; a: content before the escape, b: digits left, c: value so far
const HEX_UNIFORM = 8 // a: the content that every end leads to, b: digits left
const LOW = 9 // a: content before the pair, b: the high surrogate, c: progress in the low one (see #low)

const QUOTE_ONLY = [QUOTE]
const ESCAPE_LETTERS = [...SHORT_ESCAPES.keys(), 0x75]
const ASCII: readonly number[] = [...Array(128).keys()]
const CONTINUATIONS: readonly number[] = Array.from({ length: 64 }, (_, i) => 0x80 + i)
const encoder = new TextEncoder()
const SEARCH_LIMIT = 200_000
/** Tags of keys are below this. */
const MAX_TAGS = 0x40000
/** Shortest rests that are remembered. */
const MAX_SHORTEST = 4_096

export class StringDfa extends RowDfa {
  readonly start: number
  readonly spelling: Spelling
  readonly #chars: CharLanguage | null
  readonly #unbounded: boolean
  readonly #alphabet: Uint8Array
  /** Whether a character once begun could lack the bytes to end it. */
  readonly #gaps: boolean
  readonly #kind: number[] = [0]
  readonly #a: number[] = [0]
  readonly #b: number[] = [0]
  readonly #c: number[] = [0]
  readonly #interned = new Map<string, number>()
  readonly #contents = new Map<number, Content>()
  readonly #after = new Map<number, Int32Array>()
  readonly #alive = new Map<number, boolean>()
  readonly #infinite = new Map<number, boolean>()
  readonly #shortest = new Map<number, Uint8Array | null>()
  readonly #spellings: readonly (Uint8Array | null)[]
  /** Whether every class of characters has a spelling. */
  readonly #spellsAll: boolean

  constructor(language: StringLanguage, spelling: Spelling, alphabet: Uint8Array) {
    super()
    this.spelling = spelling
    this.#chars = language.chars
    this.#unbounded = language.maxLength === Number.POSITIVE_INFINITY
    this.#alphabet = alphabet
    this.#gaps = !coversContinuations(alphabet)
    this.#spellings = leastSpellings(language.chars, spelling, alphabet)
    const surrogates = language.chars?.classOf(0xd800) ?? -1
    this.#spellsAll = this.#spellings.every((spelling, cls) => spelling !== null || cls === surrogates)
    const { minLength, maxLength } = language
    const first =
      minLength > maxLength ? 0 : this.#content(language.chars?.start ?? ANY, minLength, maxLength)
    const quotable = spelling === 'raw' || alphabet[QUOTE] === 1
    this.start = first === 0 || !quotable ? 0 : spelling === 'raw' ? first : this.#intern(START, first, 0, 0)
  }

  /** The content that a state is, or `null` for a state inside a character or outside the quotes. */
  content(state: number): Content | null {
    return this.#contents.get(state) ?? null
  }

  /**
   * The content of a state of the `CharLanguage`, `need` code points still to come and `rest` at most; 0 where no text follows that
   * meets both.
   */
  contentAt(language: number, need: number, rest: number): number {
    return this.#content(language, need, rest)
  }

  /** Whether each character has a spelling that can be finished wherever it was begun, so that none is lost to the alphabet. */
  get spellsAll(): boolean {
    return this.#spellsAll && !this.#gaps
  }

  /** The automaton of the language; `null` where any text is allowed. */
  get chars(): CharLanguage | null {
    return this.#chars
  }

  /** Whether any text is in the language, of whatever length. */
  get isAny(): boolean {
    return this.#chars === null && this.#unbounded
  }

  /** Whether infinitely many strings may still come of the state, as far as can be seen. */
  infinite(state: number): boolean {
    if (!this.#unbounded || this.#kind[state] === END) return false
    if (this.#chars === null) return true
    const content = this.#contents.get(state)
    if (content !== undefined) return content.language < 0 || this.#chars.infinite(content.language)
    let infinite = this.#infinite.get(state)
    if (infinite === undefined) {
      infinite = false
      for (let byte = 0; byte < 256 && !infinite; byte++) {
        const next = this.next(state, byte)
        infinite = next !== 0 && this.infinite(next)
      }
      this.#infinite.set(state, infinite)
    }
    return infinite
  }

  /** Whether more than a hundred thousand strings may still come of the state, as far as can be seen. */
  isLoose(state: number): boolean {
    if (this.#unbounded) return this.infinite(state)
    switch (this.#kind[state]) {
      // One character of any kind makes a million texts.
      case CONTENT:
        return this.#hasAnyLeft(state, 1)
      case START:
      case UTF8_UNIFORM:
      case HEX_UNIFORM:
        return this.#hasAnyLeft(this.#a[state]!, 1)
      case END:
        return false
      default:
        return this.#hasAnyLeft(this.#a[state]!, 2)
    }
  }

  /** Whether any characters may come at a content, and so many of them. */
  #hasAnyLeft(content: number, count: number): boolean {
    const { language, rest } = this.#contents.get(content)!
    return language < 0 && rest >= count
  }

  /** The content after one more code point of class `cls`, or 0. */
  afterClass(state: number, cls: number): number {
    return this.#afterClass(state, cls)
  }

  tag(state: number): number {
    if (this.#kind[state] === END) return this.#a[state]!
    return this.spelling === 'raw' ? this.#accepts(state) : 0
  }

  final(state: number): boolean {
    if (this.#kind[state] === END) return true
    const { rest } = this.#contents.get(state)!
    if (rest === 0) return true
    for (let cls = 0; cls < this.#spellings.length; cls++) {
      if (this.#spellings[cls] !== null && this.#afterClass(state, cls) !== 0) return false
    }
    return true
  }

  /** Inside a character, tags may be among these that its end rules out. */
  override tagsFrom(state: number): readonly number[] {
    if (this.#kind[state] === END) return [this.#a[state]!]
    const { language } = this.#contents.get(state) ?? this.#contents.get(this.#a[state]!)!
    return language < 0 ? [-language] : this.#chars!.tagsFrom(language)
  }

  edges(state: number): readonly number[] | null {
    switch (this.#kind[state]) {
      case START:
        return QUOTE_ONLY
      case END:
        return []
      case ESCAPE:
        return ESCAPE_LETTERS
      default:
        return null
    }
  }

  /** The content that `state` leads to by the opening quote, or `null` elsewhere. */
  opening(state: number): Content | null {
    return this.#kind[state] === START ? this.#contents.get(this.#a[state]!)! : null
  }

  /** The tag with which the string may end at a content, or 0. */
  #accepts(state: number): number {
    const content = this.#contents.get(state)
    if (content === undefined || content.need > 0) return 0
    return content.language < 0 ? -content.language : this.#chars!.tag(content.language)
  }

  #intern(kind: number, a: number, b: number, c: number): number {
    const key = `${kind},${a},${b},${c}`
    const known = this.#interned.get(key)
    if (known !== undefined) return known
    const state = this.#kind.push(kind) - 1
    this.#a.push(a)
    this.#b.push(b)
    this.#c.push(c)
    this.#interned.set(key, state)
    return state
  }

  #internContent(language: number, need: number, rest: number): number {
    const state = this.#intern(CONTENT, language, need, rest)
    if (!this.#contents.has(state)) this.#contents.set(state, { language, need, rest })
    return state
  }

  /** The content state, or 0 if no text can follow that meets the language and both lengths. */
  #content(language: number, need: number, rest: number): number {
    if (language === 0 || need > rest) return 0
    const state = this.#internContent(this.#settle(language), need, rest)
    return this.#isAlive(state) ? state : 0
  }

  /** Minus the tag where the language cannot be left any more. */
  #settle(language: number): number {
    return language < 0 ? language : -this.#chars!.anyTag(language) || language
  }

  #isAlive(state: number): boolean {
    const { language, need, rest } = this.#contents.get(state)!
    if (language < 0 && (need === 0 || this.#spellings.some((spelling) => spelling !== null))) return true
    if (this.#spellsAll && need === 0 && rest === Number.POSITIVE_INFINITY) return true
    if (this.#accepts(state) !== 0) return true
    const known = this.#alive.get(state)
    if (known !== undefined) return known
    const plain = language < 0 ? null : this.#chars!.hasLength(language, need, rest)
    return plain === false || (plain === true && this.#spellsAll) ? plain : this.#search(state)
  }

  /**
   * A search for an accepting content, least bound on what is left first: the path to it is alive; if there is none, all that
   * was seen is dead.
   */
  #search(from: number): boolean {
    const parent = new Map<number, number>([[from, 0]])
    const queue = new PriorityQueue<number>()
    queue.push(from, 0)
    let steps = 0
    for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
      for (let cls = 0; cls < this.#spellings.length; cls++) {
        if (this.#spellings[cls] === null) continue
        if (++steps > SEARCH_LIMIT)
          throw new LimitError(
            'states searched for a string that fits',
            SEARCH_LIMIT,
            steps,
            'use fewer or shorter patterns on one string',
          )
        const next = this.#step(state, cls)
        if (next === 0 || parent.has(next) || this.#alive.get(next) === false) continue
        const { language, need, rest } = this.#contents.get(next)!
        const plain = language < 0 ? null : this.#chars!.hasLength(language, need, rest)
        if (plain === false) continue
        parent.set(next, state)
        if (
          this.#accepts(next) !== 0 ||
          this.#alive.get(next) === true ||
          (plain === true && this.#spellsAll)
        ) {
          for (let at = next; at !== 0; at = parent.get(at)!) this.#alive.set(at, true)
          return true
        }
        queue.push(next, this.#bound(next))
      }
    }
    for (const state of parent.keys()) this.#alive.set(state, false)
    return false
  }

  /** Code points that a content has left, whatever the tag, at least. */
  #bound(state: number): number {
    const { language, need } = this.#contents.get(state)!
    if (language < 0) return need
    const tags = this.#chars!.tagsFrom(language)
    return Math.min(...tags.map((tag) => this.#chars!.minLength(language, need, tag)))
  }

  /** The content one class further, not asking whether it can be finished; 0 where the language or the length forbids it. */
  #step(state: number, cls: number): number {
    const { language, need, rest } = this.#contents.get(state)!
    if (rest === 0) return 0
    const next = language < 0 ? language : this.#chars!.next(language, cls)
    if (next === 0 || need - 1 > rest - 1) return 0
    return this.#internContent(this.#settle(next), Math.max(0, need - 1), rest - 1)
  }

  #afterClass(state: number, cls: number): number {
    let row = this.#after.get(state)
    if (row === undefined) {
      row = new Int32Array(this.#spellings.length).fill(-1)
      this.#after.set(state, row)
    }
    const known = row[cls]!
    if (known >= 0) return known
    const next = this.#step(state, cls)
    const target = next !== 0 && this.#isAlive(next) ? next : 0
    row[cls] = target
    return target
  }

  /** Where all code points of [low, high] lead: one content, 0 if none is allowed, or -1 if they differ. */
  #target(state: number, low: number, high: number): number {
    const chars = this.#chars
    if (chars === null || this.#contents.get(state)!.language < 0) return this.#afterClass(state, 0)
    const { rangeStarts, rangeClass } = chars
    let at = rangeAt(rangeStarts, low)
    const target = this.#afterClass(state, rangeClass[at]!)
    for (at++; at < rangeStarts.length && rangeStarts[at]! <= high; at++) {
      if (this.#afterClass(state, rangeClass[at]!) !== target) return -1
    }
    return target
  }

  protected transition(state: number, byte: number): number {
    if (this.#alphabet[byte] !== 1) return 0
    const target = this.#transition(state, byte)
    return target !== 0 && this.#gaps && !this.#finishable(target) ? 0 : target
  }

  /** Whether some byte of the alphabet continues a state inside a character; such states lie at most eleven bytes deep. */
  #finishable(state: number): boolean {
    const kind = this.#kind[state]!
    if (kind === START || kind === CONTENT || kind === END) return true
    for (let byte = 0; byte < 256; byte++) if (this.next(state, byte) !== 0) return true
    return false
  }

  #transition(state: number, byte: number): number {
    const a = this.#a[state]!
    const b = this.#b[state]!
    const c = this.#c[state]!
    switch (this.#kind[state]) {
      case START:
        return byte === QUOTE ? a : 0
      case CONTENT:
        return this.#fromContent(state, byte)
      case UTF8_UNIFORM: {
        const low = c === 0xe0 ? 0xa0 : c === 0xf0 ? 0x90 : 0x80
        const high = c === 0xed ? 0x9f : c === 0xf4 ? 0x8f : 0xbf
        if (byte < low || byte > high) return 0
        return b === 1 ? a : this.#intern(UTF8_UNIFORM, a, b - 1, 0)
      }
      case UTF8: {
        if (byte < 0x80 || byte > 0xbf) return 0
        const first = c + (byte & 0x3f) * 64 ** (b - 1)
        // Overlong forms, surrogates and what lies above U+10FFFF: each a whole block of the continuation after the lead.
        const overlong = first < (b === 3 ? 0x10000 : b === 2 ? 0x800 : 0x80)
        if (overlong || first > 0x10ffff || (first >= 0xd800 && first <= 0xdfff)) return 0
        return this.#utf8(a, b - 1, first, 0)
      }
      case ESCAPE:
        if (byte === 0x75) return this.#hex(a, 4, 0)
        return this.#shortEscape(a, byte)
      case HEX: {
        const digit = this.#digit(byte)
        return digit < 0 ? 0 : this.#hex(a, b - 1, c * 16 + digit)
      }
      case HEX_UNIFORM:
        if (this.#digit(byte) < 0) return 0
        return b === 1 ? a : this.#intern(HEX_UNIFORM, a, b - 1, 0)
      case LOW:
        return this.#low(a, b, c, byte)
      default:
        return 0
    }
  }

  #fromContent(state: number, byte: number): number {
    if (this.spelling !== 'raw') {
      if (byte === QUOTE) {
        const tag = this.#accepts(state)
        return tag === 0 ? 0 : this.#intern(END, tag, 0, 0)
      }
      if (byte === BACKSLASH) return this.#escape(state)
      if (byte < 0x20) return 0
    }
    if (byte < 0x80) return Math.max(0, this.#target(state, byte, byte))
    if (byte < 0xc2 || byte > 0xf4) return 0
    if (byte < 0xe0) return this.#utf8(state, 1, (byte & 0x1f) << 6, 0)
    if (byte < 0xf0) return this.#utf8(state, 2, (byte & 0x0f) << 12, byte)
    return this.#utf8(state, 3, (byte & 0x07) << 18, byte)
  }

  /** `rest` bytes of a sequence remain; its code point is one of `base .. base + 64 ** rest - 1`, cut to what `lead` allows. */
  #utf8(content: number, rest: number, base: number, lead: number): number {
    const low = lead === 0xe0 ? 0x800 : lead === 0xf0 ? 0x10000 : base
    const high = lead === 0xed ? 0xd7ff : lead === 0xf4 ? 0x10ffff : base + 64 ** rest - 1
    const target = this.#target(content, low, high)
    if (rest === 0 || target === 0) return Math.max(0, target)
    if (target < 0) return this.#intern(UTF8, content, rest, base)
    const narrows = lead === 0xe0 || lead === 0xed || lead === 0xf0 || lead === 0xf4
    return this.#intern(UTF8_UNIFORM, target, rest, narrows ? lead : 0)
  }

  #escape(content: number): number {
    if (this.#contents.get(content)!.rest === 0) return 0
    const state = this.#intern(ESCAPE, content, 0, 0)
    for (const byte of SHORT_ESCAPES.keys()) if (this.next(state, byte) !== 0) return state
    return this.next(state, 0x75) !== 0 ? state : 0
  }

  #shortEscape(content: number, byte: number): number {
    const codePoint = SHORT_ESCAPES.get(byte)
    if (codePoint === undefined || (this.spelling === 'key' && byte === 0x2f)) return 0
    return Math.max(0, this.#target(content, codePoint, codePoint))
  }

  #digit(byte: number): number {
    if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
    if (byte >= 0x61 && byte <= 0x66) return byte - 0x57
    // A key has one spelling: lower-case digits.
    return byte >= 0x41 && byte <= 0x46 && this.spelling === 'json' ? byte - 0x37 : -1
  }

  #hex(content: number, left: number, value: number): number {
    const low = value * 16 ** left
    const high = low + 16 ** left - 1
    if (this.spelling === 'key') return this.#keyHex(content, left, value, low, high)
    if (high < 0xd800 || low > 0xdfff) {
      const target = this.#target(content, low, high)
      if (left === 0 || target === 0) return Math.max(0, target)
      return target > 0 ? this.#intern(HEX_UNIFORM, target, left, 0) : this.#intern(HEX, content, left, value)
    }
    if (low >= 0xdc00 && high <= 0xdfff) return 0
    if (left === 0) {
      const block = astralBlock(low)
      return this.#target(content, block, block + 0x3ff) === 0 ? 0 : this.#intern(LOW, content, low, 0)
    }
    const below = low < 0xd800 && this.#target(content, low, 0xd7ff) !== 0
    const above = high > 0xdfff && this.#target(content, 0xe000, high) !== 0
    const pairLow = Math.max(low, 0xd800)
    const pairHigh = Math.min(high, 0xdbff)
    const pairs = this.#target(content, astralBlock(pairLow), astralBlock(pairHigh) + 0x3ff) !== 0
    return below || above || pairs ? this.#intern(HEX, content, left, value) : 0
  }

  /** In a key only controls without a short escape are written as `\u00xx`. */
  #keyHex(content: number, left: number, value: number, low: number, high: number): number {
    for (let unit = low; unit <= Math.min(high, 0x1f); unit++) {
      if ((unit >= 0x08 && unit <= 0x0a) || unit === 0x0c || unit === 0x0d) continue
      const target = this.#target(content, unit, unit)
      if (target === 0) continue
      return left === 0 ? target : this.#intern(HEX, content, left, value)
    }
    return 0
  }

  /** The second half of a surrogate pair: progress 0 awaits `\`, 1 awaits `u`, then digits with the value so far. */
  #low(content: number, high: number, progress: number, byte: number): number {
    if (progress === 0) return byte === BACKSLASH ? this.#intern(LOW, content, high, 1) : 0
    if (progress === 1) return byte === 0x75 ? this.#intern(LOW, content, high, 2) : 0
    const digit = this.#digit(byte)
    if (digit < 0) return 0
    const digits = progress === 2 ? 0 : progress % 16
    const value = (progress === 2 ? 0 : Math.floor(progress / 16)) * 16 + digit
    const left = 3 - digits
    const low = Math.max(value * 16 ** left, 0xdc00)
    const top = Math.min((value + 1) * 16 ** left - 1, 0xdfff)
    if (low > top) return 0
    const block = astralBlock(high) - 0xdc00
    const target = this.#target(content, block + low, block + top)
    if (left === 0 || target === 0) return Math.max(0, target)
    return this.#intern(LOW, content, high, value * 16 + digits + 1)
  }

  shortest(state: number, tag: number): Uint8Array | null {
    const key = state * MAX_TAGS + tag
    let shortest = this.#shortest.get(key)
    if (shortest === undefined) {
      shortest = this.#findShortest(state, tag)
      if (this.#shortest.size >= MAX_SHORTEST) this.#shortest.clear()
      this.#shortest.set(key, shortest)
    }
    return shortest
  }

  #findShortest(state: number, tag: number): Uint8Array | null {
    const search = new LeastFirst()
    search.offer(state, '')
    for (let steps = 0; ; steps++) {
      const entry = search.take()
      if (entry === null) return null
      if (steps > SEARCH_LIMIT) {
        throw new LimitError(
          'steps of the search for the shortest string',
          SEARCH_LIMIT,
          steps,
          'use fewer or shorter patterns on one string',
        )
      }
      const { state: from, text } = entry
      if (this.tag(from) === tag) return bytesOf(text)
      const content = this.#contents.get(from)
      if (content === undefined) {
        if (this.#isWithinCharacter(from)) {
          this.#offerCharacters(from, text, tag, search)
          continue
        }
        for (const byte of this.#bytesWithin(from)) {
          const to = this.next(from, byte)
          if (to !== 0) search.offer(to, text + String.fromCharCode(byte), this.atLeast(to, tag))
        }
        continue
      }
      if (this.spelling !== 'raw' && this.#accepts(from) === tag)
        search.offer(this.#intern(END, tag, 0, 0), `${text}"`)
      if (content.language < 0 && content.need > 0) {
        // Any characters do: the least of them, as often as needed, at once.
        const least = leastOf(this.#spellings)
        const to = this.#content(content.language, 0, content.rest - content.need)
        search.offer(to, text + least.repeat(content.need), this.atLeast(to, tag))
        continue
      }
      for (let cls = 0; cls < this.#spellings.length; cls++) {
        const spelling = this.#spellings[cls]
        if (spelling == null) continue
        const to = this.#afterClass(from, cls)
        if (to !== 0) search.offer(to, text + String.fromCharCode(...spelling), this.atLeast(to, tag))
      }
    }
  }

  /** Whether a state is inside a character of which the language tells several apart, and can be spelled to its end. */
  #isWithinCharacter(state: number): boolean {
    const kind = this.#kind[state]!
    if (this.#chars === null || this.#gaps) return false
    return kind === UTF8 || ((kind === HEX || kind === LOW) && this.spelling === 'json')
  }

  /** Bytes that may come next in a state that is no content, and some that may not. */
  #bytesWithin(state: number): Iterable<number> {
    const kind = this.#kind[state]!
    return kind === UTF8 || kind === UTF8_UNIFORM ? CONTINUATIONS : (this.edges(state) ?? ASCII)
  }

  /**
   * Within a character: of each class that it may still be of, the least one, whole. Byte by byte there would be a state for
   * each code point.
   */
  #offerCharacters(state: number, text: string, tag: number, search: LeastFirst): void {
    const content = this.#a[state]!
    const b = this.#b[state]!
    const c = this.#c[state]!
    const offer = (low: number, high: number, spell: (codePoint: number) => string): void => {
      for (const codePoint of this.#leastOfEach(low, high)) {
        const to = this.#target(content, codePoint, codePoint)
        if (to > 0) search.offer(to, text + spell(codePoint), this.atLeast(to, tag))
      }
    }
    if (this.#kind[state] === UTF8) {
      const low = Math.max(c, b === 3 ? 0x10000 : b === 2 && c < 0x10000 ? 0x800 : 0x80)
      const spell = (codePoint: number): string =>
        String.fromCharCode(...encoder.encode(String.fromCodePoint(codePoint)).subarray(-b))
      offer(low, Math.min(c + 64 ** b - 1, 0x10ffff), spell)
    } else if (this.#kind[state] === HEX) {
      const low = c * 16 ** b
      const high = low + 16 ** b - 1
      offer(low, high, (codePoint) => hexOf(codePoint).slice(-b))
      const from = Math.max(low, 0xd800)
      const to = Math.min(high, 0xdbff)
      const pair = (codePoint: number): string =>
        `${hexOf(highSurrogate(codePoint)).slice(-b)}\\u${hexOf(lowSurrogate(codePoint))}`
      if (from <= to) offer(astralBlock(from), astralBlock(to) + 0x3ff, pair)
    } else {
      const digits = c <= 2 ? 0 : c % 16
      const left = 4 - digits
      const value = c <= 2 ? 0 : Math.floor(c / 16)
      const lead = c === 0 ? '\\u' : c === 1 ? 'u' : ''
      const low = Math.max(value * 16 ** left, 0xdc00)
      const high = Math.min((value + 1) * 16 ** left - 1, 0xdfff)
      const block = astralBlock(b) - 0xdc00
      offer(block + low, block + high, (codePoint) => lead + hexOf(lowSurrogate(codePoint)).slice(-left))
    }
  }

  /** Of each range of code points that the language tells apart the first within [low, high] that is no surrogate. */
  *#leastOfEach(low: number, high: number): Generator<number> {
    const { rangeStarts } = this.#chars!
    for (let i = rangeAt(rangeStarts, low); i < rangeStarts.length && rangeStarts[i]! <= high; i++) {
      const first = Math.max(low, rangeStarts[i]!)
      const codePoint = first >= 0xd800 && first <= 0xdfff ? 0xe000 : first
      if (codePoint <= high && codePoint < (rangeStarts[i + 1] ?? 0x110000)) yield codePoint
    }
  }

  /** Bytes that the rest to an end with the tag has at least: a byte a character, and the quote. `Infinity` if there is none. */
  atLeast(state: number, tag: number): number {
    const a = this.#a[state]!
    const left = this.#b[state]!
    switch (this.#kind[state]) {
      case START:
        return 1 + this.#atContent(a, tag)
      case CONTENT:
        return this.#atContent(state, tag)
      case END:
        return 0
      case UTF8_UNIFORM:
      case HEX_UNIFORM:
        return left + this.#atContent(a, tag)
      case UTF8:
      case HEX:
        return left + Math.max(0, this.#atContent(a, tag) - 1)
      default:
        return Math.max(1, this.#atContent(a, tag))
    }
  }

  #atContent(state: number, tag: number): number {
    const { language, need } = this.#contents.get(state)!
    const characters =
      language < 0
        ? language === -tag
          ? need
          : Number.POSITIVE_INFINITY
        : this.#chars!.minLength(language, need, tag)
    return characters + (this.spelling === 'raw' ? 0 : 1)
  }
}

function astralBlock(high: number): number {
  return 0x10000 + (high - 0xd800) * 0x400
}

/** Whether every byte that can stand inside a character (continuations, digits of escapes) is in the alphabet. */
function coversContinuations(alphabet: Uint8Array): boolean {
  for (let byte = 0x80; byte <= 0xbf; byte++) if (alphabet[byte] !== 1) return false
  for (const byte of new TextEncoder().encode('\\u0123456789abcdefABCDEF"'))
    if (alphabet[byte] !== 1) return false
  return true
}

function highSurrogate(codePoint: number): number {
  return 0xd800 + ((codePoint - 0x10000) >>> 10)
}

function lowSurrogate(codePoint: number): number {
  return 0xdc00 + ((codePoint - 0x10000) & 0x3ff)
}

/** Four digits, in the letters with the lower bytes. */
function hexOf(unit: number): string {
  return unit.toString(16).toUpperCase().padStart(4, '0')
}
