/**
 * One text that grows along a grammar: the mutable half of the engine.
 *
 * A matcher holds the bytes so far and where it stood after each of its last steps (`positions.ts`): as lean threads where
 * these do, which is nearly always, else as threads with their history. A step is a token, or what one call of `acceptBytes`
 * took. A rollback is a pop. A fork is O(1): it shares text and positions, and whichever writes first copies what it needs.
 * Frames are found by reading the text again when they are asked for: O(text) the first time, then O(what was added). Masks
 * are shown in buffers that all matchers of the vocabulary share.
 */

import { bytesOf } from '../automaton/latin1.ts'
import type { Program } from '../automaton/program.ts'
import { StringMinus } from '../automaton/string-minus.ts'
import { hasBit, wordCount } from '../bits.ts'
import { DataError } from '../errors.ts'
import { kindOf } from '../grammar/compose.ts'
import { readPartial } from '../json/partial.ts'
import { printJson } from '../json/print.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { decode, type Frame, framesOf, wholeLength } from './frames.ts'
import type { GrammarState } from './grammar-state.ts'
import { open, within } from './history.ts'
import { heldOf, type Lean, readLean } from './lean.ts'
import { UNDECIDED } from './lean-items.ts'
import { mergeLeans, readLeans } from './lean-set.ts'
import { decodeMatcher, encodeMatcher } from './matcher-bytes.ts'
import { MatcherMasks, type Standing } from './matcher-masks.ts'
import { checkNames, checkWords } from './options.ts'
import { type Position, Positions } from './positions.ts'
import { mayEnd } from './thread-set.ts'
import { firstThread, mergeThreads, step, type Thread } from './threads.ts'
import { MasksWithin, type Place } from './within.ts'

function leanPosition(leans: readonly Lean[], length: number): Position {
  const isOne = leans.length === 1
  return { lean: isOne ? leans[0]! : null, leans: isOne ? null : leans, threads: null, length, ended: false }
}

/** Forced bytes beyond this are left for the next call. */
const MAX_FORCED = 4096
/** Bytes that are read at once: where a lean thread does not do, so many are read again. */
const PIECE = 64

/** A token that was taken by its id, not for its bytes. */
interface Named {
  readonly id: number
  /** Steps before it. */
  readonly step: number
  /** Bytes before it. */
  readonly offset: number
  readonly before: Named | null
}

/** How a matcher is to be. */
export interface MatcherOptions {
  /** Steps that can be taken back; older ones are forgotten. 0 or more, `Infinity` too; default 4,096. */
  readonly maxRollback?: number
}

const DEFAULT_MAX_ROLLBACK = 4_096
const NO_BYTES = new Uint8Array(0)
const NO_OPTIONS: MaskOptions = {}
const encoder = new TextEncoder()

/** What a mask is to leave out. */
export interface MaskOptions {
  /**
   * Tokens that are left, the next one included: those after which the text cannot be completed in time are left out. Default
   * `Infinity`.
   */
  readonly budget?: number
}

export class Matcher {
  readonly #latest: () => GrammarState
  #grammar: GrammarState
  #program: Program
  readonly #vocabulary: Vocabulary
  #bytes: Uint8Array = NO_BYTES
  /** Bytes at the beginning of the buffer that are not to be written to: forks read them, or all of it is another's. */
  #shared = 0
  #length = 0
  #positions: Positions
  /** The last of the tokens that were taken by their ids. */
  #named: Named | null = null
  /** Made when a mask is asked for. */
  #masks: MatcherMasks | null = null
  #within: MasksWithin | null = null

  /**
   * @internal Matchers are made by `CompiledGrammar.matcher()` and `fork()`.
   * @param latest the state in which the grammar's next text is to begin
   */
  constructor(grammar: GrammarState, from: MatcherOptions | Positions, latest: () => GrammarState) {
    this.#latest = latest
    this.#grammar = grammar
    this.#program = grammar.program
    this.#vocabulary = grammar.vocabulary
    this.#positions =
      from instanceof Positions ? from.copy() : new Positions(this.#beginning(), maxRollbackOf(from))
  }

  #beginning(): Position {
    return this.#position([firstThread(this.#program)], 0)
  }

  get #now(): Position {
    return this.#positions.now
  }

  /** The position of threads, lean where that says as much. */
  #position(threads: readonly Thread[], length: number): Position {
    const leans: Lean[] = []
    for (const thread of threads) {
      const lean = this.#leanOf(thread)
      // Several threads among items that must differ are compared with all their history.
      const isWatched = this.#program.contexts.watched[thread.context] === 1
      if (lean === null || (isWatched && threads.length > 1))
        return { lean: null, leans: null, threads, length, ended: false }
      leans.push(lean)
    }
    return { ...leanPosition(mergeLeans(this.#program, leans), length), threads }
  }

  #leanOf(thread: Thread): Lean | null {
    const { context, start, history } = thread
    const { search, rules } = this.#grammar
    // A search for whole tokens goes by configurations.
    if (search !== null) return null
    let { dfa, state } = thread
    if (dfa instanceof StringMinus) {
      state = dfa.baseOf(state)
      dfa = dfa.base
    } else if (rules !== null && dfa !== null && this.#program.isFleeting(dfa)) return null
    const open = rules === null ? null : rules.ofHistory(context, dfa, history)
    if (open === UNDECIDED) return null
    const held = heldOf(within(history, this.#program.contexts.depth[context]!))
    return { dfa, state, context, start, held, open }
  }

  /** The threads of the last position. */
  get #threads(): readonly Thread[] {
    const { now } = this.#positions
    return now.threads ?? this.#threadsAt(now, this.#positions.known)
  }

  /** The threads of a position, found by reading the text once more from one that has them. */
  #threadsAt(at: Position, known: Position): readonly Thread[] {
    let threads = known.threads!
    const text = { bytes: this.#bytes, length: known.length }
    while (text.length < at.length) {
      text.length++
      threads = step(this.#program, this.#grammar.unique, threads, text)
      this.#positions.note(text.length, threads)
    }
    at.threads = threads
    return threads
  }

  /**
   * The tokens that may come next: bit `id & 31` of word `id >>> 5`. Until an end token is accepted at least one is set.
   *
   * Without `out` the result is the matcher's own buffer, valid until its next call and to be read only; with `out` the
   * caller's array, of at least `(vocabulary.size + 31) >>> 5` words, is filled.
   *
   * With a budget only tokens after which the text can be completed in the tokens that are left; none where the budget is less
   * than `shortestCompletion().tokens`.
   *
   * @throws RangeError for an array that is too short, or a budget that is no number of tokens; TypeError for what is no array
   *   of 32-bit words, and for options
   */
  mask(out?: Uint32Array, options: MaskOptions = NO_OPTIONS): Uint32Array {
    if (options !== NO_OPTIONS) checkNames(options, ['budget'])
    const { budget = Number.POSITIVE_INFINITY } = options
    if (!(budget === Number.POSITIVE_INFINITY || (Number.isInteger(budget) && budget >= 0)))
      throw new RangeError(`budget is a number of tokens, 0 or more, not ${budget}`)
    if (out !== undefined) {
      checkWords(out, 'a mask')
      const words = wordCount(this.#vocabulary.size)
      if (out.length < words)
        throw new RangeError(
          `a mask of ${this.#vocabulary.size} tokens needs ${words} words, not ${out.length}`,
        )
    }
    if (budget !== Number.POSITIVE_INFINITY) return this.#maskWithin(budget - 1, out)
    this.#masks ??= new MatcherMasks(this.#grammar, this.#place)
    return this.#masks.mask(this.#positions.now, out)
  }

  /** The mask less the tokens after which completing the text costs more than `most`. */
  #maskWithin(most: number, out: Uint32Array | undefined): Uint32Array {
    this.#masks ??= new MatcherMasks(this.#grammar, this.#place)
    if (most < 0 || this.#now.ended) return this.#masks.zeros(out)
    this.#within ??= new MasksWithin(this.#grammar, this.#place)
    if (this.#within.isFar(most)) return this.#masks.mask(this.#positions.now, out)
    const entry = this.#within.entry(most)
    if (entry !== null) return this.#masks.maskOfLean(this.#now.lean!, entry, out)
    const shown = out ?? this.#masks.zeros(out)
    this.#within.write(most, shown)
    return shown
  }

  /** What masks ask. */
  get #place(): Place & Standing {
    const matcher = this
    return {
      get now() {
        return matcher.#now
      },
      set now(position) {
        matcher.#positions.now = position
      },
      get threads() {
        return matcher.#threads
      },
      text: () => ({ bytes: this.#bytes, length: this.#length }),
      read: (id) => this.#read(id),
      searched: (id) => {
        const other = this.fork()
        return other.accept(id) ? other.shortestCompletion().tokens : Number.POSITIVE_INFINITY
      },
      mask: (out) => this.#masks!.mask(this.#now, out),
      maskOf: (lean, entry, out) => this.#masks!.maskOfLean(lean, entry, out),
    }
  }

  /**
   * Takes token `id`, if it is allowed. A refused one changes nothing.
   * @throws TypeError for what is no number: ids of some runtimes are BigInts
   */
  accept(id: number): boolean {
    if (typeof id !== 'number') throw new TypeError(`a token is its id, a number, not ${typeof id}`)
    const next = this.#read(id)
    if (next === null) return false
    if (next.ended || this.#grammar.namesContent || this.#vocabulary.byteLengthOf(id) < 0)
      this.#named = { id, step: this.tokenCount, offset: this.#length, before: this.#named }
    this.#push(next)
    return true
  }

  /**
   * Takes bytes, whatever tokens would spell them: all of them, or none, and then nothing changes. They may end within a
   * token or within a character. Control tokens and end tokens cannot be spelled.
   *
   * Bytes that were taken, none too, are one step: `rollback(1)` takes them back together. O(bytes).
   *
   * @throws TypeError for what are no bytes
   */
  acceptBytes(bytes: Uint8Array): boolean {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('acceptBytes takes a Uint8Array')
    const next = this.#readBytes(bytes)
    if (next === null) return false
    this.#push(next)
    return true
  }

  /**
   * The same with the bytes of a text in UTF-8. A lone surrogate has none: it is refused.
   * @throws TypeError for what is no string
   */
  acceptText(text: string): boolean {
    if (typeof text !== 'string') throw new TypeError(`acceptText takes a string, not ${typeof text}`)
    return !/\p{Surrogate}/u.test(text) && this.acceptBytes(encoder.encode(text))
  }

  /**
   * How many of these tokens, from the first on, could be accepted one after the other: the legal beginning of a draft. An
   * end token counts where it is allowed, and nothing behind it does; nor does an id that is no token. The matcher stays as
   * it is.
   * @throws TypeError for what is no list of numbers
   */
  validatePrefix(ids: Iterable<number>): number {
    if (typeof ids === 'string' || typeof ids?.[Symbol.iterator] !== 'function')
      throw new TypeError(`validatePrefix takes a list of token ids, not ${kindOf(ids)}`)
    const positions = this.#positions
    const length = this.#length
    const named = this.#named
    let legal = 0
    this.#positions = positions.copy()
    try {
      for (const id of ids) {
        if (!this.accept(id)) break
        legal++
      }
    } finally {
      this.#positions = positions
      this.#length = length
      this.#named = named
    }
    return legal
  }

  #push(next: Position): void {
    this.#positions.push(next)
    this.#length = next.length
  }

  /** The position after token `id`, or `null` where it is refused. Writes its bytes behind the text. */
  #read(id: number): Position | null {
    const now = this.#now
    if (now.ended) return null
    const vocabulary = this.#vocabulary
    if (vocabulary.endTokens.includes(id)) {
      if (!this.isComplete()) return this.#readNamed(id)
      return { lean: null, leans: null, threads: [], length: this.#length, ended: true }
    }
    if (this.#grammar.namesContent) return this.#readEither(id)
    const count = vocabulary.byteLengthOf(id)
    if (count < 0) return this.#readNamed(id)
    if (count === 0) return null
    const length = this.#length + count
    this.#reserve(length)
    vocabulary.copyBytes(id, this.#bytes, this.#length)
    const { lean } = now
    if (lean === null) return this.#living(this.#advance(now, length, null))
    const next = readLean(this.#program, this.#grammar.rules, lean, this.#bytes, now.length, length)
    if (next === UNDECIDED) return this.#advanceSlowly(now, length, null)
    return next === null ? null : { lean: next, leans: null, threads: null, length, ended: false }
  }

  /** The position after a token that is content, and perhaps named by its id as well. */
  #readEither(id: number): Position | null {
    const named = this.#readNamed(id)
    const count = this.#vocabulary.byteLengthOf(id)
    if (count <= 0) return named
    const length = this.#length + count
    this.#reserve(length)
    this.#vocabulary.copyBytes(id, this.#bytes, this.#length)
    const spelled = this.#advance(this.#now, length, null)
    if (named === null || spelled === null) return this.#living(named ?? spelled)
    const threads = [...named.threads!, ...this.#threadsAt(spelled, this.#positions.known)]
    return this.#living(this.#position(mergeThreads(this.#program, threads), length))
  }

  /** The same after some bytes. */
  #readBytes(bytes: Uint8Array): Position | null {
    let at = this.#now
    if (at.ended) return null
    const length = this.#length + bytes.length
    this.#reserve(length)
    this.#bytes.set(bytes, this.#length)
    // Those of before are looked for where they are needed: they may lie as many steps back as can be taken back.
    let known: Position | null = null
    while (at.length < length) {
      const next = this.#advance(at, Math.min(at.length + PIECE, length), known)
      if (next === null) return null
      if (next.threads !== null) known = next
      at = next
    }
    return this.#living(at)
  }

  /**
   * The position after the bytes up to `length`, which stand in the buffer; `null` where they are refused.
   *
   * @param known one that has threads, at `at` or before; that of `positions` where it is `null`
   */
  #advance(at: Position, length: number, known: Position | null): Position | null {
    const { lean } = at
    if (lean === null) return this.#advanceSlowly(at, length, known)
    const next = readLean(this.#program, this.#grammar.rules, lean, this.#bytes, at.length, length)
    if (next === UNDECIDED) return this.#advanceSlowly(at, length, known)
    return next === null ? null : { lean: next, leans: null, threads: null, length, ended: false }
  }

  /** The same, as several lean threads, or as threads with their history. */
  #advanceSlowly(at: Position, length: number, known: Position | null): Position | null {
    const { lean, leans } = at
    if (lean !== null || leans !== null) {
      const next = readLeans(this.#program, leans ?? [lean!], this.#bytes, at.length, length)
      if (next !== UNDECIDED) return next.length === 0 ? null : leanPosition(next, length)
    }
    const text = { bytes: this.#bytes, length: at.length }
    let next = at.threads ?? this.#threadsAt(at, known ?? this.#positions.known)
    while (text.length < length && next.length > 0) {
      text.length++
      next = step(this.#program, this.#grammar.unique, next, text)
    }
    return next.length === 0 ? null : this.#position(next, length)
  }

  /** The position, unless no tokens lead from there to an end. */
  #living(at: Position | null): Position | null {
    const { search } = this.#grammar
    if (at === null || search === null) return at
    return search.least(this.#grammar.configuration(at.threads!)) === null ? null : at
  }

  /**
   * A token that the grammar names by id. Its bytes, or its literal text, become part of the text. An end token ends the
   * text, too: where it is named the text may end behind it (`end-tokens.ts`).
   */
  #readNamed(id: number): Position | null {
    if (!this.#grammar.namesContent && !this.#vocabulary.isControl(id)) return null
    const isEnd = this.#vocabulary.endTokens.includes(id)
    const found: Omit<Thread, 'start'>[] = []
    for (const thread of this.#threads) {
      const tag = thread.dfa === null ? 0 : thread.dfa.tag(thread.state)
      if (thread.dfa !== null && tag === 0) continue
      const context = thread.dfa === null ? thread.context : this.#program.exit(thread.context, tag)
      for (const { ids, context: behind, opens } of this.#program.closure(context).tokens) {
        if (!ids.includes(id)) continue
        const depth = this.#program.contexts.depth[behind]!
        const history = opens === 0 ? thread.history : open(thread.history, depth, opens, this.#length)
        found.push({ dfa: null, state: 0, context: behind, history, frame: null })
      }
    }
    if (found.length === 0) return null
    const literal = this.#vocabulary.spelling(id)
    const length = this.#length + literal.length
    const next = mergeThreads(
      this.#program,
      found.map((thread) => ({ ...thread, start: length })),
    )
    this.#reserve(length)
    this.#bytes.set(literal, this.#length)
    return isEnd
      ? { lean: null, leans: null, threads: [], length, ended: true }
      : this.#living(this.#position(next, length))
  }

  /** Makes room for a text of `length` bytes, behind what the text is so far, that may be written to. */
  #reserve(length: number): void {
    const isShared = this.#length < this.#shared
    if (length <= this.#bytes.length && !isShared) return
    const room =
      length <= this.#bytes.length ? this.#bytes.length : Math.max(length, this.#bytes.length * 2, 256)
    const own = new Uint8Array(room)
    // What is tried lies behind the text.
    own.set(isShared ? this.#bytes.subarray(0, this.#length) : this.#bytes)
    this.#bytes = own
    this.#shared = 0
  }

  /** Whether an end token is allowed now, or was accepted. */
  isComplete(): boolean {
    const { lean, leans, ended } = this.#now
    if (ended) return true
    if (lean !== null) return mayEnd(this.#program, lean)
    if (leans !== null) return leans.some((each) => mayEnd(this.#program, each))
    return this.#threads.some((thread) => mayEnd(this.#program, thread))
  }

  /** Whether nothing but an end token is allowed: the text is complete and cannot go on. */
  mustStop(): boolean {
    const { lean, leans, ended } = this.#now
    if (ended) return true
    return (lean !== null ? [lean] : (leans ?? this.#threads)).every(({ dfa, context }) => {
      if (dfa !== null) return false
      const { starts, tokens, ends } = this.#program.closure(context)
      return ends && starts.length === 0 && tokens.length === 0
    })
  }

  get vocabulary(): Vocabulary {
    return this.#vocabulary
  }

  /** Steps so far: tokens accepted, an end token included, and calls of `acceptBytes` that were. */
  get tokenCount(): number {
    return this.#positions.tokens
  }

  /** @internal Positions held: those that can be taken back to, and some of those before. */
  get positionsHeld(): number {
    return this.#positions.held
  }

  /**
   * Takes back the last `n` steps (a token, or what one call of `acceptBytes` took); as many as `maxRollback` can be.
   * @throws RangeError for more
   */
  rollback(n: number): void {
    this.#positions.back(n)
    this.#length = this.#now.length
    const { tokenCount } = this
    while (this.#named !== null && this.#named.step >= tokenCount) this.#named = this.#named.before
  }

  /** Begins anew: an empty text, of which nothing can be taken back. `maxRollback` stays. O(1). */
  reset(): void {
    this.#grammar = this.#latest()
    this.#program = this.#grammar.program
    this.#masks = null
    this.#within = null
    this.#length = 0
    this.#named = null
    this.#positions = new Positions(this.#beginning(), this.#positions.maxRollback)
  }

  /**
   * A matcher at the same place, independent of this one from here on. O(1); the first token that it takes costs a copy of
   * the text.
   */
  fork(): Matcher {
    const other = new Matcher(this.#grammar, this.#positions, this.#latest)
    other.#bytes = this.#bytes
    other.#shared = Number.POSITIVE_INFINITY
    this.#shared = Math.max(this.#shared, this.#length)
    other.#length = this.#length
    other.#named = this.#named
    return other
  }

  /**
   * Where the matcher stands, as bytes for `restore` of the same grammar, compiled or deserialised anywhere: the text and a byte
   * or two for each step that can be taken back.
   *
   * @throws LimitError where a rule of the grammar is nested more than 1,000 deep
   */
  serialize(): Uint8Array {
    const { maxRollback, fixed } = this.#positions
    const named: Named[] = []
    for (let at = this.#named; at !== null; at = at.before) named.push(at)
    named.reverse()
    const byStep = new Map(named.map((token) => [token.step, token]))
    const lengths = this.#positions.lengths()
    const steps = lengths.slice(1).map((length, i) => {
      const token = byStep.get(fixed + i)
      return token === undefined ? { bytes: length - lengths[i]! } : { id: token.id }
    })
    const before = named.filter(({ step: at }) => at < fixed)
    const record = { maxRollback, fixed, named: before, from: lengths[0]!, steps, text: this.bytes() }
    return encodeMatcher(record, this.#grammar)
  }

  /** @internal The matcher that `serialize` wrote; errors as `CompiledGrammar.restore` says. */
  static restored(bytes: Uint8Array, grammar: GrammarState, latest: () => GrammarState): Matcher {
    const { maxRollback, fixed, named, from, steps, text } = decodeMatcher(bytes, grammar)
    const matcher = new Matcher(grammar, { maxRollback: Number.POSITIVE_INFINITY }, latest)
    const read = (isTaken: boolean): void => {
      if (!isTaken) throw new DataError('the text is not one of this grammar')
    }
    const readTo = (end: number): void => {
      if (end > matcher.#length) read(matcher.acceptBytes(text.subarray(matcher.#length, end)))
    }
    for (const { id, offset } of named) {
      readTo(offset)
      read(matcher.accept(id))
    }
    readTo(from)
    matcher.#positions = matcher.#positions.beginning(fixed, maxRollback)
    for (const step of steps) {
      const at = matcher.#length
      if ('id' in step) read(matcher.accept(step.id))
      else read(at + step.bytes <= text.length && matcher.acceptBytes(text.subarray(at, at + step.bytes)))
    }
    read(matcher.#length === text.length && text.every((byte, i) => byte === matcher.#bytes[i]))
    return matcher
  }

  /** The text so far, up to its last whole character. */
  text(): string {
    return decode({ bytes: this.#bytes, length: this.#length }, 0)
  }

  /** The bytes so far. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  /** What is still open, from the outside in; empty when nothing is. */
  frames(): Frame[] {
    if (this.#now.ended) return []
    const text = { bytes: this.#bytes, length: this.#length }
    return framesOf(this.#program, this.#grammar.completions.of(this.#threads, text).thread, text)
  }

  /**
   * The shortest text, in bytes, that completes this one (ties: lowest bytes), and its cost: the fewest tokens that spell it
   * piece by piece, a piece ending where a terminal does, and an end token. The text begins with the character that pending bytes have opened, so that `text() + text` is whole.
   */
  shortestCompletion(): { text: string; tokens: number } {
    if (this.#now.ended) return { text: '', tokens: 0 }
    const text = { bytes: this.#bytes, length: this.#length }
    const { search, completions } = this.#grammar
    const found = search?.least(this.#grammar.configuration(this.#threads))
    // The search knows nothing of keys that are held already; where it writes one again, the least text in bytes is left.
    const least =
      found != null && (found.isNamed || this.#canRead(found.text))
        ? { text: found.text, tokens: found.tokens + 1 }
        : completions.of(this.#threads, text).least
    const rest = bytesOf(least.text)
    const pending = this.#bytes.subarray(wholeLength(text), this.#length)
    const whole = new Uint8Array(pending.length + rest.length)
    whole.set(pending)
    whole.set(rest, pending.length)
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole), tokens: least.tokens }
  }

  /**
   * What the outermost JSON value holds so far, as `JSON.parse` gives it: containers with the values in them that are
   * closed, the whole value once the text is one. `undefined` where nothing is closed and no container is begun. Numbers are
   * doubles here; `text()` loses nothing.
   */
  partial(): unknown {
    const frames = this.frames()
    if (frames.length === 0) return parseWhole(this.text())
    const outermost = frames.find(({ kind }) => kind === 'object' || kind === 'array')
    const value = outermost === undefined ? undefined : readPartial(outermost.text)
    return value === undefined ? undefined : JSON.parse(printJson(value))
  }

  /** Whether the text, one byte a unit, can follow. */
  #canRead(latin1Text: string): boolean {
    const length = this.#length + latin1Text.length
    this.#reserve(length)
    const text = { bytes: this.#bytes, length: this.#length }
    let threads = this.#threads
    while (text.length < length && threads.length > 0) {
      this.#bytes[text.length] = latin1Text.charCodeAt(text.length - this.#length)
      text.length++
      threads = step(this.#program, this.#grammar.unique, threads, text)
    }
    return threads.length > 0
  }

  /** The bytes that must come next, whatever the model says; empty where there is a choice, or the text may end. */
  forced(): Uint8Array {
    const forced: number[] = []
    if (this.#now.ended) return Uint8Array.from(forced)
    const text = { bytes: this.#bytes, length: this.#length }
    let current = this.#threads
    while (forced.length < MAX_FORCED) {
      if (current.some((thread) => mayEnd(this.#program, thread) || this.#awaitsToken(thread))) break
      const byte = this.#onlyByte(current, text)
      if (byte < 0) break
      forced.push(byte)
      this.#reserve(text.length + 1)
      text.bytes = this.#bytes
      this.#bytes[text.length++] = byte
      current = step(this.#program, this.#grammar.unique, current, text)
    }
    return Uint8Array.from(forced)
  }

  #awaitsToken({ dfa, state, context }: Thread): boolean {
    const tag = dfa === null ? 0 : dfa.tag(state)
    if (dfa !== null && tag === 0) return false
    return this.#program.closure(dfa === null ? context : this.#program.exit(context, tag)).tokens.length > 0
  }

  /** The one byte that some thread can read, or -1 if there are more. */
  #onlyByte(threads: readonly Thread[], text: { bytes: Uint8Array; length: number }): number {
    let only = -1
    this.#reserve(text.length + 1)
    text.bytes = this.#bytes
    // Automata made for one place of one text are not the walker's to keep.
    const viable =
      this.#grammar.unique === null ? this.#grammar.walker.viable(this.#grammar.configuration(threads)) : null
    for (let byte = 0; byte < 256; byte++) {
      if (viable !== null && !hasBit(viable, byte)) continue
      this.#bytes[text.length] = byte
      const longer = { bytes: this.#bytes, length: text.length + 1 }
      if (step(this.#program, this.#grammar.unique, threads, longer).length === 0) continue
      if (only >= 0) return -1
      only = byte
    }
    return only
  }
}

/** @throws TypeError for an option that is not known, RangeError for a number that is none of steps */
function maxRollbackOf(options: MatcherOptions): number {
  checkNames(options, ['maxRollback'])
  const { maxRollback = DEFAULT_MAX_ROLLBACK } = options
  if (!(maxRollback === Number.POSITIVE_INFINITY || (Number.isInteger(maxRollback) && maxRollback >= 0)))
    throw new RangeError(`maxRollback is a number of steps, 0 or more, not ${maxRollback}`)
  return maxRollback
}

/** `undefined` where the text is no JSON document: not begun, or with something around it. */
function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
