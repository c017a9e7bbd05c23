/**
 * Masks of lean threads in arrays whose items must differ: the mask of the position as it is for any array, the tokens that
 * must be taken out of it, and those that must be tried.
 *
 * A scalar that is an item itself loses what would end it as one that is there (`taken.ts`). Within a container nothing is
 * lost where there is room; tokens that lead out of it are marked (`Walker`) and tried only if what was written may still
 * become an item that is there. `null` where more would have to be known.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import { NumberTerminal } from '../automaton/number-terminal.ts'
import type { Program } from '../automaton/program.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import { TextsDfa } from '../automaton/texts-dfa.ts'
import type { Trie } from '../vocab/trie.ts'
import type { Entry } from './entry.ts'
import type { Item } from './item-index.ts'
import type { Lean } from './lean.ts'
import { type LeanItems, type OpenItems, REFUSED, UNDECIDED } from './lean-items.ts'
import type { Masks } from './masks.ts'
import { candidates, hasMoreValues, numbersFrom } from './scalar-values.ts'
import { clearBelow, endsOf, endsOfTexts, idsBelow, NarrowNumbers } from './taken.ts'
import type { Walker } from './walker.ts'

export interface ItemMask {
  readonly entry: Entry
  /** What takes tokens out of the mask that is shown. */
  readonly taken: readonly ((out: Uint32Array) => void)[]
  /** Ids that must be tried. */
  readonly narrow: readonly Int32Array[]
  /** Whether those with one step that items may forbid must be tried, too. */
  readonly isTried: boolean
  /** The arrays, with what was found of their items. */
  readonly open: OpenItems | null
}

/** A terminal that runs, or that may begin. */
interface Terminal {
  readonly dfa: Dfa
  readonly state: number
  readonly context: number
}

interface Position {
  readonly bytes: Uint8Array
  readonly length: number
  readonly taken: ((out: Uint32Array) => void)[]
  readonly narrow: Int32Array[]
  isTried: boolean
}

export class ItemMasks {
  readonly #program: Program
  readonly #walker: Walker
  readonly #masks: Masks
  readonly #rules: LeanItems
  readonly #trie: Trie
  readonly #narrow: NarrowNumbers

  constructor(program: Program, walker: Walker, masks: Masks, rules: LeanItems, trie: Trie) {
    this.#program = program
    this.#walker = walker
    this.#masks = masks
    this.#rules = rules
    this.#trie = trie
    this.#narrow = new NarrowNumbers(trie)
  }

  of(lean: Lean, bytes: Uint8Array, length: number): ItemMask | null {
    const { dfa, state, context, start } = lean
    const { threads } = this.#walker
    const at: Position = { bytes, length, taken: [], narrow: [], isTried: this.#isBehindItem(context, dfa) }
    const terminals: Terminal[] = []
    const ids: number[] = []
    let { open } = lean
    let behind = context
    let now: OpenItems | null | undefined = open
    if (dfa !== null) {
      const running = { dfa, state, context }
      terminals.push(running)
      ids.push(threads.intern(dfa, state, context))
      const looked = this.#add(running, open, start, at)
      if (looked === UNDECIDED) return null
      open = looked
      const tag = dfa.tag(state)
      if (tag === 0) now = undefined
      else {
        behind = this.#program.exit(context, tag)
        const ruling = this.#rules.passed(open, context, behind, tag, bytes, start, length)
        if (ruling === UNDECIDED) return null
        now = ruling === REFUSED ? undefined : ruling
      }
    }
    if (now !== undefined && this.#program.contexts.watched[behind] === 1) {
      ids.push(threads.intern(null, 0, behind))
      for (const next of this.#program.closure(behind).starts) {
        const begun = { dfa: next.dfa, state: next.dfa.start, context: next.context }
        terminals.push(begun)
        const looked = this.#add(begun, now, length, at)
        if (looked === UNDECIDED) return null
        if (dfa === null) open = looked
      }
    }
    const { taken, narrow, isTried } = at
    if (taken.length + narrow.length > 0 && terminals.length > 1 && !areApart(terminals)) return null
    return { entry: this.#masks.ofSet(ids), taken, narrow, isTried, open }
  }

  /** Whether an item has just ended, and no other is begun. */
  #isBehindItem(context: number, running: Dfa | null): boolean {
    const node = this.#program.nodes[this.#program.contexts.node[context]!]!
    if (node.kind !== 'array-place' || !node.part.isUnique) return false
    return node.place === 'separator' || (node.place === 'after' && running === null)
  }

  /** What the items take of a terminal that began at `start`. */
  #add(
    terminal: Terminal,
    open: OpenItems | null,
    start: number,
    at: Position,
  ): OpenItems | null | typeof UNDECIDED {
    const { dfa, context } = terminal
    const rules = this.#rules
    if (this.#program.isScalar(dfa) && rules.isItem(context)) {
      // Behind it another may be begun and ended, and be the same.
      at.isTried = true
      const own = rules.around(open, context)!
      if (rules.matter(own.outer, context) && !rules.room.afterItem(context)) return UNDECIDED
      if (own.items === null || own.alike?.length === 0) return open
      const ends = this.#addScalar(terminal, own.items, start, at)
      if (ends === null) return UNDECIDED
      if (ends.length > 0)
        at.taken.push((out) => {
          for (const node of ends) clearBelow(this.#trie, node, out)
        })
      return open
    }
    const isCalm = rules.room.isCalmTerminal(dfa, context)
    // Behind the item that it may end another must be left.
    if (!isCalm && !this.#program.isScalar(dfa)) at.isTried = true
    if (!rules.matter(open, context)) return open
    const looked = rules.looked(rules.around(open, context), at.bytes, at.length, false)
    if (!rules.matter(looked, context)) return looked
    if (this.#program.isScalar(dfa)) {
      // Whatever else it becomes, the item is another one.
      const ends = this.#addScalar(terminal, rules.scalarsAlike(looked), start, at)
      if (ends === null) return UNDECIDED
      if (ends.length > 0) at.narrow.push(idsBelow(this.#trie, ends))
      if (dfa instanceof NumberTerminal) at.isTried = true
      return looked
    }
    if (!isCalm && !this.#mayLeave(terminal, looked, at)) return UNDECIDED
    at.isTried = true
    return looked
  }

  /** Whether brackets and separators can be left in each way: where that ends an item, it is a new one. */
  #mayLeave({ dfa, state, context }: Terminal, open: OpenItems | null, at: Position): boolean {
    const { room } = this.#rules
    if (dfa instanceof KeyDfa || this.#program.isScalar(dfa)) return false
    for (const tag of dfa.tagsFrom(state)) {
      if (room.behind(context, tag)) continue
      const behind = this.#program.exit(context, tag)
      const rest = dfa.shortest(state, tag)
      if (rest === null) continue
      if (!room.isEndOfItem(behind) || !this.#rules.mayEnd(open, behind, at.bytes, at.length, rest))
        return false
    }
    return true
  }

  /** The nodes at which a scalar ends as one of the items; `null` where that is not all there is to know. */
  #addScalar(
    { dfa, state }: Terminal,
    items: Item | null,
    start: number,
    at: Position,
  ): readonly number[] | null {
    const typed = latin1(at.bytes, start, at.length)
    if (dfa instanceof StringDfa) {
      const ends: number[] = []
      for (const texts of candidates(typed, items)) {
        const found = endsOf(this.#trie, dfa, state, typed, texts)
        if (found === null) return null
        ends.push(...found)
      }
      return ends
    }
    if (dfa instanceof NumberTerminal) {
      if (numbersFrom(typed, items) === 0) return []
      const close: number[] = []
      for (const { id, text, to } of this.#narrow.of(dfa, state))
        if (!hasMoreValues(dfa, to, typed + text, items)) close.push(id)
      if (close.length > 0) at.narrow.push(Int32Array.from(close))
      return []
    }
    if (!(dfa instanceof TextsDfa)) return null
    const range = this.#rules.scalars.textsFrom(dfa, typed)
    return endsOfTexts(this.#trie, dfa, state, typed, range, this.#rules.scalars.isTaken(dfa, items))
  }
}

/** Whether no two of the terminals can read the same byte. */
function areApart(terminals: readonly Terminal[]): boolean {
  const read = new Uint8Array(256)
  for (const { dfa, state } of terminals) {
    const edges = dfa.edges(state)
    if (edges === null) return false
    const own = new Set(edges)
    for (const byte of own) {
      if (read[byte] === 1) return false
      read[byte] = 1
    }
  }
  return true
}
