/**
 * The masks of one matcher: what is known of its place for every text, less what this text's history forbids.
 *
 * Where a lean thread says all, a mask is the entry of that thread, shown as it stands. Else the tokens are taken out with
 * which a key would be one that its object holds already, or an item one that is there: along the spellings of the few
 * that are held, and token by token where only trying tells. Several threads add up.
 */
import { KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import { clearBit, clearBits, hasBit, setBit } from '../bits.ts'
import { addPart } from './bases.ts'
import type { Entry } from './entry.ts'
import type { GrammarState } from './grammar-state.ts'
import { holdsKeys, keysOf, type UsedKey } from './history.ts'
import { NO_IDS } from './id-lists.ts'
import { type Held, heldOf, keysHeld, type Lean } from './lean.ts'
import { addWhole, MaskView, writeEntry } from './mask-buffers.ts'
import type { Position } from './positions.ts'
import type { ThreadPlace } from './thread-set.ts'
import { begun, leave, startsAt, type Text, type Thread } from './threads.ts'
import type { TokenSearch } from './token-search.ts'

/** Where a matcher stands, as its masks ask. */
export interface Standing {
  /** The position; the same with more known of it may be put in its place. */
  now: Position
  /** The threads of the position. */
  readonly threads: readonly Thread[]
  text(): Text
  /** The position after a token; `null` where it is refused. */
  read(id: number): Position | null
}

/** An automaton of keys, and where a key stands in it. */
interface KeyAt {
  readonly dfa: KeyDfa
  readonly state: number
}

/** The ids of `once` that the keys held may forbid. */
function forbidden({ once, keys }: Entry, held: Held): ArrayLike<number> & Iterable<number> {
  if (keys === null || once.length === 0) return once
  const ids: number[] = []
  for (let at: Held | null = held; at !== null; at = at.outer)
    for (let key: UsedKey | null = at.keys; key !== null; key = key.next) ids.push(...keys.of(key.key))
  return ids
}

export class MatcherMasks {
  readonly #grammar: GrammarState
  readonly #place: Standing
  readonly #view: MaskView
  #scratch = new Uint32Array(0)

  constructor(grammar: GrammarState, place: Standing) {
    this.#grammar = grammar
    this.#place = place
    this.#view = new MaskView(grammar.buffers)
  }

  /** Words for a mask, all zero: those that are shown, where no array is given. */
  zeros(out: Uint32Array | undefined): Uint32Array {
    return out?.fill(0) ?? this.#view.scratch()
  }

  /** The tokens that may come next at the place's position; in the words that are shown, where no array is given. */
  mask({ lean, leans }: Position, out: Uint32Array | undefined): Uint32Array {
    if (lean === null) return leans !== null ? this.#maskOfLeans(leans, out) : this.#maskOfThreads(out)
    if (this.#grammar.program.contexts.watched[lean.context] !== 1)
      return this.maskOfLean(lean, this.#entry(lean), out)
    return this.#maskOfItem(lean, out) ?? this.#maskOfThreads(out)
  }

  #show(entry: Entry, out: Uint32Array | undefined): Uint32Array {
    if (out === undefined) return this.#view.show(entry)
    writeEntry(entry, out)
    return out
  }

  maskOfLean(lean: Lean, entry: Entry, out: Uint32Array | undefined): Uint32Array {
    const { unique } = this.#grammar
    const shown = this.#show(entry, out)
    const { held } = lean
    const { once, often } = entry
    if (held === null && often.length === 0 && once.length === 0) return shown
    if (out === undefined && (held !== null || once.length + often.length > 0)) this.#view.spoil()
    const isCleared = held !== null && this.#clearUsed(lean, shown)
    const isOutside = once.length > 0 && unique?.mayForbidOutside() === true
    const tried = isOutside ? once : held === null ? NO_IDS : forbidden(entry, held)
    if (isCleared || tried.length + often.length > 0) {
      this.#tryEach(tried, shown)
      this.#tryEach(often, shown)
    } else if (out === undefined) this.#view.keep(entry)
    return shown
  }

  /** The same in an array whose items must differ; `null` where it is not easily told what they forbid. */
  #maskOfItem(lean: Lean, out: Uint32Array | undefined): Uint32Array | null {
    const { itemMasks, unique } = this.#grammar
    const { bytes, length } = this.#place.text()
    const found = itemMasks!.of(lean, bytes, length)
    if (found === null) return null
    const { entry, taken, narrow, isTried, open } = found
    // What was looked up holds for all that follows.
    if (open !== lean.open) this.#place.now = { ...this.#place.now, lean: { ...lean, open } }
    const shown = this.#show(entry, out)
    const { held } = lean
    const isWhole = isTried || unique!.mayForbidOutside()
    const once = isWhole ? entry.once : held === null ? NO_IDS : forbidden(entry, held)
    if (held === null && taken.length + narrow.length + once.length + entry.often.length === 0) return shown
    if (out === undefined) this.#view.spoil()
    if (held !== null) this.#clearUsed(lean, shown)
    for (const clear of taken) clear(shown)
    for (const ids of narrow) this.#tryAllowed(ids, shown)
    this.#tryAllowed(once, shown)
    this.#tryAllowed(entry.often, shown)
    return shown
  }

  /** Takes out the tokens of the mask that what history holds forbids. */
  #tryAllowed(ids: ArrayLike<number>, out: Uint32Array): void {
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!
      if (hasBit(out, id) && this.#place.read(id) === null) clearBit(out, id)
    }
  }

  /** Takes out the tokens that what history holds forbids. */
  #tryEach(ids: ArrayLike<number>, out: Uint32Array): void {
    for (let i = 0; i < ids.length; i++) if (this.#place.read(ids[i]!) === null) clearBit(out, ids[i]!)
  }

  #maskOfLeans(leans: readonly Lean[], out: Uint32Array | undefined): Uint32Array {
    const { walker, masks, unique } = this.#grammar
    const ids = leans.map(({ dfa, state, context }) => walker.threads.intern(dfa, state, context))
    if (leans.every(({ held }) => held === null)) {
      const entry = masks.ofSet(ids)
      const isTried = entry.once.length > 0 && unique?.mayForbidOutside() === true
      if (entry.often.length === 0 && !isTried) return this.#show(entry, out)
    }
    const shown = this.zeros(out)
    const conditional = new Set<number>()
    leans.forEach((lean, i) => {
      const entry = masks.of(ids[i]!)
      this.#addEntry(entry, lean, shown)
      for (const id of entry.often) conditional.add(id)
      if (unique?.mayForbidOutside() === true) for (const id of entry.once) conditional.add(id)
      else if (lean.held !== null) for (const id of forbidden(entry, lean.held)) conditional.add(id)
    })
    this.#decide(conditional, shown)
    return shown
  }

  /** Adds the mask of a thread to `out`, less the keys that its objects hold. */
  #addEntry(entry: Entry, lean: Omit<Lean, 'open'>, out: Uint32Array): void {
    if (lean.held === null && entry.removed.length === 0) {
      addWhole(entry, out)
      return
    }
    if (this.#scratch.length < out.length) this.#scratch = new Uint32Array(out.length)
    const own = this.#scratch.subarray(0, out.length)
    writeEntry(entry, own)
    if (lean.held !== null) this.#clearUsed(lean, own)
    addPart(own, out)
  }

  /** Tries ids that some thread allows unless its history forbids them. */
  #decide(conditional: ReadonlySet<number>, out: Uint32Array): void {
    for (const id of conditional) {
      if (this.#place.read(id) === null) clearBit(out, id)
      else setBit(out, id)
    }
  }

  /** The mask of threads whose history lean ones do not tell. */
  #maskOfThreads(out: Uint32Array | undefined): Uint32Array {
    if (this.#place.now.ended) {
      return this.zeros(out)
    }
    const threads = this.#place.threads
    const shown = this.zeros(out)
    const conditional = new Set<number>()
    for (const thread of threads) this.#add(thread, shown, conditional)
    this.#decide(conditional, shown)
    const { search } = this.#grammar
    if (search !== null) this.#searchEach(search, shown)
    return shown
  }

  /** Takes out the tokens behind which no tokens lead to an end. */
  #searchEach(search: TokenSearch, out: Uint32Array): void {
    const here = this.#grammar.configuration(this.#place.threads)
    for (const id of this.#grammar.vocabulary.trie.tokens) {
      if (!hasBit(out, id)) continue
      if (search.least(search.after(here, this.#grammar.vocabulary.bytes(id)!)) === null) clearBit(out, id)
    }
    for (const { ids } of search.named(here))
      for (const id of ids) if (this.#place.read(id) !== null) setBit(out, id)
  }

  /** Adds the mask of a thread to `out`; ids that must be tried are collected. */
  #add(thread: Thread, out: Uint32Array, conditional: Set<number>): void {
    const { unique } = this.#grammar
    const text = this.#place.text()
    const watched = this.#grammar.program.contexts.watched[thread.context] === 1
    const tried = holdsKeys(thread.history) || unique?.mayForbid(thread, text) === true
    for (const part of watched ? this.#begun(thread, text) : [thread]) {
      const entry = this.#entry(part)
      this.#addEntry(entry, { ...part, held: heldOf(part.history) }, out)
      for (const id of entry.often) conditional.add(id)
      if (tried) for (const id of entry.once) conditional.add(id)
    }
  }

  /** Where items must differ: the thread's terminal, and those that may begin where it stands. */
  #begun(thread: Thread, text: Text): Thread[] {
    const { dfa, state, context, history } = thread
    if (dfa === null) {
      const starts = startsAt(
        this.#grammar.program,
        this.#grammar.unique,
        context,
        history,
        text.bytes,
        text.length,
      )
      return starts.map((start) => begun(this.#grammar.program, start, history, text.length))
    }
    const tag = dfa.tag(state)
    const behind = tag === 0 ? null : leave(this.#grammar.program, thread, tag, text, text.length)
    if (behind === null || this.#grammar.program.contexts.watched[behind.context] !== 1) return [thread]
    return [thread, ...this.#begun(behind, text)]
  }

  #entry({ dfa, state, context }: ThreadPlace): Entry {
    const { walker, masks, unique } = this.#grammar
    if (unique !== null && dfa !== null && this.#grammar.program.isFleeting(dfa))
      return masks.ofFleeting(dfa, state, context)
    return masks.of(walker.threads.intern(dfa, state, context))
  }

  /**
   * Takes out the tokens with which the key that is being written, or comes next, would be one the object already holds;
   * whether there was anything to do.
   */
  #clearUsed({ dfa, state, context, start, held }: Omit<Lean, 'open'>, out: Uint32Array): boolean {
    const { depth } = this.#grammar.program.contexts
    if (dfa instanceof KeyDfa) {
      const keys = keysHeld(held, depth[context]!)
      if (keys === null) return false
      const { bytes, length } = this.#place.text()
      this.#clearKeys([{ dfa, state }], keysOf(keys), latin1(bytes, start, length), out)
      return true
    }
    const tag = dfa === null ? 0 : dfa.tag(state)
    if (dfa !== null && tag === 0) return false
    // Between two terminals, or at a separator that could still take space: a key may begin right here, of one object.
    const here = dfa === null ? context : this.#grammar.program.exit(context, tag)
    const begun: KeyAt[] = []
    let keys: UsedKey | null = null
    for (const { dfa: next, context: inside, opens } of this.#grammar.program.closure(here).starts) {
      if (!(next instanceof KeyDfa) || opens > 0) continue
      keys = keysHeld(held, depth[inside]!)
      begun.push({ dfa: next, state: next.start })
    }
    if (keys === null) return false
    this.#clearKeys(begun, keysOf(keys), '', out)
    return true
  }

  /**
   * Takes out the tokens by which a key begun as `typed` becomes one of `taken`, or can become nothing else.
   *
   * @param from the automata that may read it
   */
  #clearKeys(from: readonly KeyAt[], taken: readonly string[], typed: string, out: Uint32Array): void {
    const { trie } = this.#grammar.vocabulary
    for (const key of taken) {
      if (!key.startsWith(typed)) continue
      let node = 0
      let at = from
      for (let i = typed.length; i < key.length; i++) {
        const byte = key.charCodeAt(i)
        node = trie.child(node, byte)
        at = at
          .map(({ dfa, state }) => ({ dfa, state: dfa.next(state, byte) }))
          .filter(({ state }) => state !== 0)
        if (node === 0 || at.length === 0) break
        const begun = key.slice(0, i + 1)
        if (i < key.length - 1 && at.some(({ dfa, state }) => !dfa.isExhausted(state, begun, taken))) continue
        clearBits(out, trie.tokens, trie.first[node]!, trie.first[trie.skip[node]!]!)
        break
      }
    }
  }
}
