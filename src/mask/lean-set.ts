/**
 * Several lean threads: what a text stands at where the grammar has more than one way to read it.
 *
 * They are stepped byte by byte, each by itself, and those that differ in nothing but what follows are one. As with one
 * thread, whoever wants frames reads the text again.
 */
import type { Dfa } from '../automaton/dfa.ts'
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import type { Program } from '../automaton/program.ts'
import { isUsed, keysOf, keysOfEither, sameKeys } from './history.ts'
import { type Held, heldWithin, keysHeld, type Lean, withKey } from './lean.ts'
import { UNDECIDED } from './lean-items.ts'
import { ThreadSet } from './thread-set.ts'

/** The threads after the bytes from `from` to `to`, none where they are refused; `UNDECIDED` where lean threads do not do. */
export function readLeans(
  program: Program,
  leans: readonly Lean[],
  bytes: Uint8Array,
  from: number,
  to: number,
): readonly Lean[] | typeof UNDECIDED {
  let current = leans
  for (let at = from; at < to && current.length > 0; at++) {
    const step = new Step(program, bytes, at)
    for (const lean of current) if (!step.read(lean)) return UNDECIDED
    current = step.leans
  }
  return current
}

function joined(program: Program, known: Lean, lean: Lean): Lean | null {
  const { depth } = program.contexts
  if (depth[known.context] !== depth[lean.context]) return null
  if (known.start !== lean.start && lean.dfa instanceof KeyDfa) return null
  if (sameHeld(known.held, lean.held)) return known
  return program.isJson ? { ...known, held: heldByEither(known.held, lean.held) } : null
}

/** The threads, those that differ in nothing but what follows as one. */
export function mergeLeans(program: Program, leans: readonly Lean[]): readonly Lean[] {
  if (leans.length <= 1) return leans
  const set = new ThreadSet(program, joined)
  for (const lean of leans) set.add(lean)
  return set.threads
}

/** One byte, read with each of the threads. */
class Step {
  readonly #program: Program
  readonly #behind: ThreadSet<Lean>
  readonly #bytes: Uint8Array
  readonly #at: number

  constructor(program: Program, bytes: Uint8Array, at: number) {
    this.#program = program
    this.#behind = new ThreadSet(program, joined)
    this.#bytes = bytes
    this.#at = at
  }

  /** The threads behind the byte. */
  get leans(): readonly Lean[] {
    return this.#behind.threads
  }

  /** `false` where a lean thread does not do. */
  read({ dfa, state, context, start, held }: Lean): boolean {
    // What items forbid is told of one thread only.
    if (this.#program.contexts.watched[context] === 1) return false
    if (dfa === null) return this.#enter(context, held)
    const next = dfa.next(state, this.#bytes[this.#at]!)
    if (next !== 0) this.#settle(dfa, next, context, start, held)
    const tag = dfa.tag(state)
    return tag === 0 || this.#enter(this.#program.exit(context, tag), held)
  }

  #enter(context: number, held: Held | null): boolean {
    const { contexts } = this.#program
    for (const { dfa, context: inside, opens } of this.#program.closure(context).starts) {
      const state = dfa.next(dfa.start, this.#bytes[this.#at]!)
      if (state === 0) continue
      if (contexts.watched[inside] === 1) return false
      const around = opens === 0 ? held : heldWithin(held, contexts.depth[inside]! - opens)
      this.#settle(dfa, state, inside, this.#at, around)
    }
    return true
  }

  #settle(dfa: Dfa, state: number, context: number, start: number, held: Held | null): void {
    const tag = dfa.tag(state)
    if (tag === 0 || !dfa.final(state)) {
      if (tag === 0 && dfa instanceof KeyDfa && this.#isExhausted(dfa, state, context, start, held)) return
      this.#behind.add({ dfa, state, context, start, held, open: null })
      return
    }
    const behind = this.#program.exit(context, tag)
    const end = this.#at + 1
    if (!(dfa instanceof KeyDfa && isFree(tag))) {
      const around = heldWithin(held, this.#program.contexts.depth[behind]!)
      this.#behind.add({ dfa: null, state: 0, context: behind, start: end, held: around, open: null })
      return
    }
    const key = latin1(this.#bytes, start, end)
    const depth = this.#program.contexts.depth[context]!
    if (isUsed(keysHeld(held, depth), key)) return
    const longer = withKey(held, depth, key)
    this.#behind.add({ dfa: null, state: 0, context: behind, start: end, held: longer, open: null })
  }

  /** Whether a key that is being written can only become one that its object already holds. */
  #isExhausted(dfa: KeyDfa, state: number, context: number, start: number, held: Held | null): boolean {
    if (held === null || !dfa.mayRunOut(state)) return false
    const keys = keysHeld(held, this.#program.contexts.depth[context]!)
    return keys !== null && dfa.isExhausted(state, latin1(this.#bytes, start, this.#at + 1), keysOf(keys))
  }
}

/**
 * The keys that either thread holds. Both read one JSON text, so that their objects are the same and have the same keys: what
 * one does not hold is a declared name in it, which is no free key in any case.
 */
function heldByEither(a: Held | null, b: Held | null): Held | null {
  if (a === null || b === null) return a ?? b
  if (a.depth > b.depth) return { ...a, outer: heldByEither(a.outer, b) }
  if (a.depth < b.depth) return { ...b, outer: heldByEither(a, b.outer) }
  return { depth: a.depth, keys: keysOfEither(a.keys, b.keys)!, outer: heldByEither(a.outer, b.outer) }
}

function sameHeld(a: Held | null, b: Held | null): boolean {
  let x = a
  let y = b
  while (x !== y) {
    if (x === null || y === null || x.depth !== y.depth || !sameKeys(x.keys, y.keys)) return false
    x = x.outer
    y = y.outer
  }
  return true
}
