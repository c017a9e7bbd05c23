/**
 * One text that grows along a grammar: the mutable half of the engine.
 *
 * A matcher holds the bytes so far, the threads after each accepted token (so that a rollback is a pop), and a mask
 * buffer. It reads nothing but the compiled grammar, which it shares with others.
 */

import { KeyDfa } from '../automaton/key-dfa.ts'
import { bytesOf, latin1 } from '../automaton/latin1.ts'
import type { Program } from '../automaton/program.ts'
import { readPartial } from '../json/partial.ts'
import { printJson } from '../json/print.ts'
import type { Vocabulary } from '../vocab/vocabulary.ts'
import { decode, type Frame, framesOf, wholeLength } from './frames.ts'
import type { GrammarState } from './grammar-state.ts'
import { holdsKeys, keysOf, open, within } from './history.ts'
import type { Entry } from './masks.ts'
import {
  begun,
  firstThread,
  leave,
  mayEnd,
  plain,
  startsAt,
  step,
  type Text,
  type Thread,
} from './threads.ts'

/** Forced bytes beyond this are left for the next call. */
const MAX_FORCED = 4096

interface Position {
  readonly threads: readonly Thread[]
  /** Bytes of text up to here. */
  readonly length: number
  /** Whether an end token was accepted. */
  readonly ended: boolean
}

export class Matcher {
  readonly #grammar: GrammarState
  readonly #program: Program
  readonly #vocabulary: Vocabulary
  #bytes: Uint8Array = new Uint8Array(256)
  #length = 0
  readonly #positions: Position[]
  #buffer: Uint32Array | null = null
  #scratch = new Uint32Array(0)
  /** The entry that the buffer shows unchanged, if any. */
  #shown: Entry | null = null

  /** @internal Matchers are made by `CompiledGrammar.matcher()` and `fork()`. */
  constructor(grammar: GrammarState, positions?: readonly Position[]) {
    this.#grammar = grammar
    this.#program = grammar.program
    this.#vocabulary = grammar.vocabulary
    this.#positions = positions?.slice() ?? [
      { threads: [firstThread(grammar.program)], length: 0, ended: false },
    ]
  }

  get #now(): Position {
    return this.#positions[this.#positions.length - 1]!
  }

  /**
   * The tokens that may come next: bit `id & 31` of word `id >>> 5`. Until an end token is accepted at least one is set.
   *
   * Without `out` the result is the matcher's own buffer, valid until its next call and to be read only; with `out` the
   * caller's array, of at least `(vocabulary.size + 31) >>> 5` words, is filled.
   */
  mask(out?: Uint32Array): Uint32Array {
    const words = (this.#vocabulary.size + 31) >>> 5
    if (out !== undefined) {
      if (out.length < words)
        throw new RangeError(
          `a mask of ${this.#vocabulary.size} tokens needs ${words} words, not ${out.length}`,
        )
      this.#fill(out)
      return out
    }
    this.#buffer ??= new Uint32Array(words)
    this.#fill(this.#buffer)
    return this.#buffer
  }

  #fill(out: Uint32Array): void {
    this.#fillAlive(out)
    const { search } = this.#grammar
    if (search === null || this.#now.ended) return
    if (out === this.#buffer) this.#shown = null
    const here = this.#configuration(this.#now.threads)
    for (const id of this.#vocabulary.trie.tokens) {
      if (((out[id >>> 5]! >>> (id & 31)) & 1) === 0) continue
      if (search.least(search.after(here, this.#vocabulary.bytes(id)!)) === null)
        out[id >>> 5]! &= ~(1 << (id & 31))
    }
  }

  /** The threads as the walker knows them, without history. */
  #configuration(threads: readonly Thread[]): number {
    const { walker } = this.#grammar
    return walker.union(threads.map(({ dfa, state, context }) => walker.threads.intern(dfa, state, context)))
  }

  /** The mask where every byte can be written by itself. */
  #fillAlive(out: Uint32Array): void {
    const { threads, ended } = this.#now
    const only =
      threads.length === 1 && !ended && !this.#mayForbid(threads[0]!) ? this.#entry(threads[0]!) : null
    if (only !== null && only.often.length === 0) {
      if (out === this.#buffer && this.#shown === only) return
      this.#write(only, out)
      this.#shown = out === this.#buffer ? only : this.#shown
      return
    }
    if (out === this.#buffer) this.#shown = null
    out.fill(0)
    if (ended) return
    const conditional = new Set<number>()
    for (const thread of threads) this.#add(thread, threads.length === 1, out, conditional)
    for (const id of conditional) {
      if (this.#read(id) === null) out[id >>> 5]! &= ~(1 << (id & 31))
      else out[id >>> 5]! |= 1 << (id & 31)
    }
  }

  /** Whether what a thread remembers may forbid tokens that its mask allows, or be asked for some of them. */
  #mayForbid({ context, history }: Thread): boolean {
    return holdsKeys(history) || this.#program.contexts.watched[context] === 1
  }

  /** Adds the mask of a thread to `out`, where it may be the only one; ids that must be tried are collected. */
  #add(thread: Thread, isOnly: boolean, out: Uint32Array, conditional: Set<number>): void {
    const { unique } = this.#grammar
    const watched = this.#program.contexts.watched[thread.context] === 1
    const text = { bytes: this.#bytes, length: this.#length }
    const parts = watched ? this.#begun(thread, text) : [thread]
    const tried = holdsKeys(thread.history) || unique?.mayForbid(thread, text) === true
    const isAlone = isOnly && parts.length === 1
    // Only keys that are held take tokens out again.
    const isPlain = !isAlone && !holdsKeys(thread.history)
    if (!isAlone && !isPlain && this.#scratch.length < out.length) this.#scratch = new Uint32Array(out.length)
    for (const part of parts) {
      const entry = this.#entry(part)
      if (isPlain) this.#union(entry, out)
      else {
        const own = isAlone ? out : this.#scratch
        this.#write(entry, own)
        this.#clearUsed(part, own)
        if (own !== out) for (let i = 0; i < out.length; i++) out[i]! |= own[i]!
      }
      for (const id of entry.often) conditional.add(id)
      if (tried) for (const id of entry.once) conditional.add(id)
    }
  }

  /** Where items must differ: the thread's terminal, and those that may begin where it stands. */
  #begun(thread: Thread, text: Text): Thread[] {
    const { dfa, state, context, history } = thread
    if (dfa === null) {
      const starts = startsAt(this.#program, this.#grammar.unique, context, history, text.bytes, text.length)
      return starts.map((start) => begun(this.#program, start, history, text.length))
    }
    const tag = dfa.tag(state)
    const behind = tag === 0 ? null : leave(this.#program, thread, tag, text, text.length)
    if (behind === null || this.#program.contexts.watched[behind.context] !== 1) return [thread]
    return [thread, ...this.#begun(behind, text)]
  }

  #entry({ dfa, state, context }: Thread): Entry {
    const { walker, masks, unique } = this.#grammar
    if (unique !== null && dfa !== null && this.#program.isFleeting(dfa))
      return masks.ofFleeting(dfa, state, context)
    return masks.of(walker.threads.intern(dfa, state, context))
  }

  #write(entry: Entry, out: Uint32Array): void {
    if (entry.base === null) out.fill(0)
    else {
      out.set(entry.base)
      out.fill(0, entry.base.length)
    }
    this.#set(entry, out)
  }

  #union(entry: Entry, out: Uint32Array): void {
    const { base } = entry
    if (base !== null) for (let i = 0; i < base.length; i++) out[i]! |= base[i]!
    this.#set(entry, out)
  }

  #set({ ids, once, often, ends }: Entry, out: Uint32Array): void {
    for (let i = 0; i < ids.length; i++) out[ids[i]! >>> 5]! |= 1 << (ids[i]! & 31)
    for (let i = 0; i < once.length; i++) out[once[i]! >>> 5]! |= 1 << (once[i]! & 31)
    for (let i = 0; i < often.length; i++) out[often[i]! >>> 5]! |= 1 << (often[i]! & 31)
    if (ends) for (const id of this.#vocabulary.endTokens) out[id >>> 5]! |= 1 << (id & 31)
  }

  /** Takes out the tokens with which the key that is being written, or comes next, would be one the object already holds. */
  #clearUsed(thread: Thread, out: Uint32Array): void {
    if (thread.dfa === null) {
      // Between two terminals: a key may be about to begin.
      for (const start of this.#program.closure(thread.context).starts)
        if (start.dfa instanceof KeyDfa)
          this.#clearUsed(begun(this.#program, start, thread.history, this.#length), out)
    } else if (thread.dfa instanceof KeyDfa) {
      const used = within(thread.history, this.#program.contexts.depth[thread.context]!)?.used ?? null
      const typed = latin1(this.#bytes, thread.start, this.#length)
      this.#clearKeys(thread.dfa, thread.state, keysOf(used), typed, out)
    } else {
      const tag = thread.dfa.tag(thread.state)
      // A separator that could still take space: the key may begin right here, too.
      if (tag !== 0)
        this.#clearUsed(
          { ...thread, dfa: null, state: 0, context: this.#program.exit(thread.context, tag) },
          out,
        )
    }
  }

  /** Takes out the tokens by which a key begun as `typed` becomes one of `taken`, or can become nothing else. */
  #clearKeys(dfa: KeyDfa, from: number, taken: readonly string[], typed: string, out: Uint32Array): void {
    const { trie } = this.#vocabulary
    for (const key of taken) {
      if (!key.startsWith(typed)) continue
      let node = 0
      let state = from
      for (let i = typed.length; i < key.length; i++) {
        node = trie.child(node, key.charCodeAt(i))
        state = dfa.next(state, key.charCodeAt(i))
        if (node === 0 || state === 0) break
        if (i < key.length - 1 && !dfa.isExhausted(state, key.slice(0, i + 1), taken)) continue
        for (let t = trie.first[node]!; t < trie.first[trie.skip[node]!]!; t++) {
          out[trie.tokens[t]! >>> 5]! &= ~(1 << (trie.tokens[t]! & 31))
        }
        break
      }
    }
  }

  /** Takes token `id`, if it is allowed. A refused one changes nothing. */
  accept(id: number): boolean {
    const next = this.#read(id)
    if (next === null) return false
    this.#positions.push(next)
    this.#length = next.length
    return true
  }

  /** The position after token `id`, or `null` where it is refused. Writes its bytes behind the text. */
  #read(id: number): Position | null {
    const { threads, ended } = this.#now
    if (ended) return null
    if (this.#vocabulary.endTokens.includes(id)) {
      return this.isComplete() ? { threads: [], length: this.#length, ended: true } : null
    }
    const bytes = this.#vocabulary.bytes(id)
    if (bytes === null) return this.#readControl(id)
    if (bytes.length === 0) return null
    const length = this.#length + bytes.length
    this.#reserve(length)
    this.#bytes.set(bytes, this.#length)
    const text = { bytes: this.#bytes, length: this.#length }
    let next = threads
    const within = this.#readWithin(threads, bytes)
    if (within !== null) {
      next = [within.thread]
      text.length += within.read
    }
    while (text.length < length && next.length > 0) {
      text.length++
      next = step(this.#program, this.#grammar.unique, next, text)
    }
    if (next.length === 0) return null
    const { search } = this.#grammar
    if (search !== null && search.least(this.#configuration(next)) === null) return null
    return { threads: next, length, ended: false }
  }

  /** The common case: one thread reads bytes inside its terminal. As far as that goes. */
  #readWithin(threads: readonly Thread[], bytes: Uint8Array): { thread: Thread; read: number } | null {
    const thread = threads[0]!
    const { dfa } = thread
    if (threads.length > 1 || dfa === null) return null
    // Keys already held are looked at byte by byte.
    if (dfa instanceof KeyDfa && holdsKeys(thread.history)) return null
    let { state } = thread
    let read = 0
    while (read < bytes.length && dfa.tag(state) === 0) {
      const next = dfa.next(state, bytes[read]!)
      if (next === 0 || dfa.tag(next) !== 0) break
      state = next
      read++
    }
    return { thread: plain({ ...thread, state }), read }
  }

  /** A token that the grammar names by id. Its literal text becomes part of the text. */
  #readControl(id: number): Position | null {
    const literal = this.#vocabulary.isControl(id)
      ? new TextEncoder().encode(this.#vocabulary.literal(id) ?? '')
      : null
    if (literal === null) return null
    const length = this.#length + literal.length
    const next: Thread[] = []
    for (const thread of this.#now.threads) {
      const tag = thread.dfa === null ? 0 : thread.dfa.tag(thread.state)
      if (thread.dfa !== null && tag === 0) continue
      const context = thread.dfa === null ? thread.context : this.#program.exit(thread.context, tag)
      for (const { ids, context: behind, opens } of this.#program.closure(context).tokens) {
        if (!ids.includes(id)) continue
        const depth = this.#program.contexts.depth[behind]!
        const history = opens === 0 ? thread.history : open(thread.history, depth, opens, this.#length)
        next.push({ dfa: null, state: 0, context: behind, history, start: length, frame: null })
      }
    }
    if (next.length === 0) return null
    this.#reserve(length)
    this.#bytes.set(literal, this.#length)
    return { threads: next, length, ended: false }
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return
    const longer = new Uint8Array(Math.max(length, this.#bytes.length * 2))
    longer.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = longer
  }

  /** Whether an end token is allowed now, or was accepted. */
  isComplete(): boolean {
    const { threads, ended } = this.#now
    return ended || threads.some((thread) => mayEnd(this.#program, thread))
  }

  /** Whether nothing but an end token is allowed: the text is complete and cannot go on. */
  mustStop(): boolean {
    const { threads, ended } = this.#now
    if (ended) return true
    return threads.every(({ dfa, context }) => {
      if (dfa !== null) return false
      const { starts, tokens, ends } = this.#program.closure(context)
      return ends && starts.length === 0 && tokens.length === 0
    })
  }

  /** Tokens accepted so far, an end token included. */
  get tokenCount(): number {
    return this.#positions.length - 1
  }

  /** Takes back the last `n` tokens. */
  rollback(n: number): void {
    if (!Number.isInteger(n) || n < 0 || n >= this.#positions.length) {
      throw new RangeError(`cannot take back ${n} of ${this.#positions.length - 1} tokens`)
    }
    this.#positions.length -= n
    this.#length = this.#now.length
  }

  /** A matcher at the same place, independent of this one from here on. */
  fork(): Matcher {
    const other = new Matcher(this.#grammar, this.#positions)
    other.#bytes = this.#bytes.slice()
    other.#length = this.#length
    return other
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
    return framesOf(this.#program, this.#grammar.completions.of(this.#now.threads, text).thread, text)
  }

  /**
   * The shortest text, in bytes, that completes this one (ties: lowest bytes), and the fewest tokens that spell it, end
   * token included. It begins with the character that pending bytes have opened, so that `text() + text` is whole.
   */
  shortestCompletion(): { text: string; tokens: number } {
    if (this.#now.ended) return { text: '', tokens: 0 }
    const text = { bytes: this.#bytes, length: this.#length }
    const { search, completions } = this.#grammar
    const found = search?.least(this.#configuration(this.#now.threads))
    // The search knows nothing of keys that are held already; where it writes one again, the least text in bytes is left.
    const least =
      found != null && this.#canRead(found.text)
        ? { text: found.text, tokens: found.tokens + 1 }
        : completions.of(this.#now.threads, text).least
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
    let threads = this.#now.threads
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
    const { threads, ended } = this.#now
    if (ended) return Uint8Array.from(forced)
    const text = { bytes: this.#bytes, length: this.#length }
    let current = threads
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
    for (let byte = 0; byte < 256; byte++) {
      this.#bytes[text.length] = byte
      const longer = { bytes: this.#bytes, length: text.length + 1 }
      if (step(this.#program, this.#grammar.unique, threads, longer).length === 0) continue
      if (only >= 0) return -1
      only = byte
    }
    return only
  }
}

/** `undefined` where the text is no JSON document: not begun, or with something around it. */
function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
