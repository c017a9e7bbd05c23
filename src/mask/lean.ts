/**
 * One thread without its frames: what nearly every position of a text is, and all that a mask asks of it.
 *
 * Where frames began and which key or item they are at is found again by reading the text once more (`step`), when
 * somebody asks; only the free keys that open objects hold are carried along, and the items of arrays whose items must
 * differ, since they decide what may follow. Where more than one thread can read a byte, or it is not easily told what
 * items forbid, lean threads do not do: `readLean` says so.
 */
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import type { Program, Start } from '../automaton/program.ts'
import { type Cell, cellAt, isUsed, type UsedKey } from './history.ts'
import { type LeanItems, type OpenItems, REFUSED, UNDECIDED } from './lean-items.ts'
import type { ThreadPlace } from './thread-set.ts'

export interface Lean extends ThreadPlace {
  /** Offset of the terminal's first byte. */
  readonly start: number
  readonly held: Held | null
  /** Arrays around whose items must differ, and perhaps some that were closed. */
  readonly open: OpenItems | null
}

/** The free keys of one open object; those that hold none are left out. Innermost first. */
export interface Held {
  /** The depth of the object's context. */
  readonly depth: number
  readonly keys: UsedKey
  readonly outer: Held | null
}

/** The keys of the objects of depth at most `depth`. */
export function heldWithin(held: Held | null, depth: number): Held | null {
  let at = held
  while (at !== null && at.depth > depth) at = at.outer
  return at
}

/** The keys of the object of this depth. */
export function keysHeld(held: Held | null, depth: number): UsedKey | null {
  const at = heldWithin(held, depth)
  return at !== null && at.depth === depth ? at.keys : null
}

/** The same with one key more in the object of this depth. */
export function withKey(held: Held | null, depth: number, key: string): Held {
  const around = heldWithin(held, depth)
  const isOwn = around !== null && around.depth === depth
  return {
    depth,
    keys: { key, next: isOwn ? around.keys : null },
    outer: isOwn ? around.outer : around,
  }
}

/** What a history holds of free keys. */
export function heldOf(history: Cell | null): Held | null {
  const cells: Cell[] = []
  for (let cell = history; cell !== null; cell = cell.outer) if (cell.used !== null) cells.push(cell)
  let held: Held | null = null
  for (let cell = cells.pop(); cell !== undefined; cell = cells.pop())
    held = { depth: cell.depth, keys: cell.used!, outer: held }
  return held
}

/** A history that holds these keys, and nothing of where frames began. */
export function historyOf(held: Held | null): Cell | null {
  const all: Held[] = []
  let at = held
  while (at !== null && !histories.has(at)) {
    all.push(at)
    at = at.outer
  }
  let cell = at === null ? null : histories.get(at)!
  for (let own = all.pop(); own !== undefined; own = all.pop()) {
    cell = { ...cellAt(cell, own.depth), used: own.keys }
    histories.set(own, cell)
  }
  return cell
}

const histories = new WeakMap<Held, Cell>()

/**
 * The thread after the bytes from `from` to `to`; `null` where they are refused, `UNDECIDED` where lean threads do not do.
 *
 * @param rules of arrays whose items must differ, if the grammar has any
 */
export function readLean(
  program: Program,
  rules: LeanItems | null,
  lean: Lean,
  bytes: Uint8Array,
  from: number,
  to: number,
): Lean | null | typeof UNDECIDED {
  const { contexts } = program
  let { dfa, state, context, start, held, open } = lean
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!
    let next = 0
    if (dfa !== null) {
      next = dfa.next(state, byte)
      const tag = dfa.tag(state)
      if (tag !== 0) {
        const behind = program.exit(context, tag)
        if (next === 0) {
          if (contexts.watched[context] === 1) {
            const ruling = rules!.passed(open, context, behind, tag, bytes, start, i)
            if (ruling === UNDECIDED) return UNDECIDED
            if (ruling === REFUSED) return null
            open = ruling
          }
          context = behind
          dfa = null
        } else if (canBegin(program.closure(behind).starts, byte)) return UNDECIDED
      } else if (next === 0) return null
    }
    if (dfa === null) {
      const { starts } = program.closure(context)
      let found = -1
      for (let s = 0; s < starts.length; s++) {
        const { dfa: other } = starts[s]!
        const first = other.next(other.start, byte)
        if (first === 0) continue
        if (found >= 0) return UNDECIDED
        found = s
        next = first
      }
      if (found < 0) return null
      const begun: Start = starts[found]!
      dfa = begun.dfa
      context = begun.context
      if (begun.opens > 0) {
        if (held !== null) held = heldWithin(held, contexts.depth[context]! - begun.opens)
        if (contexts.watched[context] === 1) {
          const ruling = rules!.opened(open, begun)
          if (ruling === UNDECIDED || ruling === REFUSED) return UNDECIDED
          open = ruling
        }
      }
      start = i
    }
    state = next
    const tag = dfa.tag(state)
    if (tag !== 0 && dfa.final(state)) {
      if (dfa instanceof KeyDfa && isFree(tag)) {
        const key = latin1(bytes, start, i + 1)
        const own = contexts.depth[context]!
        if (isUsed(keysHeld(held, own), key)) return null
        held = withKey(held, own, key)
      }
      const behind = program.exit(context, tag)
      if (contexts.watched[context] === 1) {
        const ruling = rules!.passed(open, context, behind, tag, bytes, start, i + 1)
        if (ruling === UNDECIDED) return UNDECIDED
        if (ruling === REFUSED) return null
        open = ruling
      }
      context = behind
      if (held !== null) held = heldWithin(held, contexts.depth[context]!)
      dfa = null
      state = 0
      start = i + 1
    } else {
      // A key that can only become one that is there already.
      if (held !== null && tag === 0 && dfa instanceof KeyDfa && dfa.mayRunOut(state)) return UNDECIDED
      if (contexts.watched[context] === 1 && rules!.matter(open, context)) {
        const ruling = rules!.running(open, dfa, state, context, bytes, start, i + 1)
        if (ruling === UNDECIDED) return UNDECIDED
        if (ruling === REFUSED) return null
        open = ruling
      }
    }
  }
  return { dfa, state, context, start, held, open }
}

function canBegin(starts: readonly Start[], byte: number): boolean {
  for (let i = 0; i < starts.length; i++) {
    const { dfa } = starts[i]!
    if (dfa.next(dfa.start, byte) !== 0) return true
  }
  return false
}
