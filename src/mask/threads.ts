/**
 * The pushdown automaton run byte by byte with history: what a matcher does when it accepts a token.
 *
 * One call reads one byte with every thread. It is the walker's step plus what the walker leaves out: frames that begin
 * and end, keys and indices, and the refusal of a free key that the object already holds.
 */
import { isFree, KeyDfa } from '../automaton/key-dfa.ts'
import { latin1 } from '../automaton/latin1.ts'
import { CLOSE } from '../automaton/layout.ts'
import type { Program, Start } from '../automaton/program.ts'
import { StringMinus } from '../automaton/string-minus.ts'
import type { FrameKind } from '../grammar/grammar.ts'
import { type Cell, isUsed, itemOf, keysOf, mergedHistory, open, sameHistory, within } from './history.ts'
import { type ThreadPlace, ThreadSet } from './thread-set.ts'

export interface Thread extends ThreadPlace {
  readonly history: Cell | null
  /** Offset of the terminal's first byte. */
  readonly start: number
  readonly frame: FrameKind | null
}

/** The bytes read so far, as the threads need them. */
export interface Text {
  readonly bytes: Uint8Array
  readonly length: number
}

/** What items that must differ leave of the terminals that may begin at a context. */
export interface UniqueItems {
  starts(context: number, history: Cell | null, text: Text): readonly Start[]
}

export function firstThread(program: Program): Thread {
  return { dfa: null, state: 0, context: program.start, history: null, start: 0, frame: null }
}

/** The threads after byte number `text.length - 1`, which `text` already holds. */
export function step(
  program: Program,
  unique: UniqueItems | null,
  threads: readonly Thread[],
  text: Text,
): Thread[] {
  const byte = text.bytes[text.length - 1]!
  const next = new ThreadSet(program, joined)
  for (const thread of threads) {
    const { dfa, state, context } = thread
    if (dfa === null) {
      enter(program, unique, context, thread.history, text, byte, next)
      continue
    }
    const to = dfa.next(state, byte)
    if (to !== 0) settle(program, { ...thread, state: to }, text, next)
    const tag = dfa.tag(state)
    // What a terminal that could have gone on leaves behind was settled only now, with this byte.
    if (tag !== 0) {
      const left = leave(program, thread, tag, text, text.length - 1)
      if (left !== null) enter(program, unique, left.context, left.history, text, byte, next)
    }
  }
  return next.threads
}

/** The thread of a terminal that begins at offset `at`, in its first state unless one is given. */
export function begun(
  program: Program,
  { dfa, context, opens, frame }: Start,
  history: Cell | null,
  at: number,
  state = dfa.start,
): Thread {
  const frames = opens === 0 ? history : open(history, program.contexts.depth[context]!, opens, at)
  return { dfa, state, context, history: frames, start: at, frame }
}

function enter(
  program: Program,
  unique: UniqueItems | null,
  context: number,
  history: Cell | null,
  text: Text,
  byte: number,
  next: ThreadSet<Thread>,
): void {
  const starts = startsAt(program, unique, context, history, text.bytes, text.length - 1)
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!
    const state = start.dfa.next(start.dfa.start, byte)
    if (state !== 0) settle(program, begun(program, start, history, text.length - 1, state), text, next)
  }
}

/** The terminals that may begin at a context, after `length` bytes: less those that items which must differ rule out. */
export function startsAt(
  program: Program,
  unique: UniqueItems | null,
  context: number,
  history: Cell | null,
  bytes: Uint8Array,
  length: number,
): readonly Start[] {
  return unique !== null && program.contexts.watched[context] === 1
    ? unique.starts(context, history, { bytes, length })
    : program.closure(context).starts
}

/** Keeps a thread, left behind its terminal at once where that cannot go on. */
function settle(program: Program, thread: Thread, text: Text, next: ThreadSet<Thread>): void {
  const { dfa, state } = thread
  const tag = dfa!.tag(state)
  if (tag === 0 && dfa instanceof KeyDfa && isExhausted(program, thread, dfa, text)) return
  const kept = tag !== 0 && dfa!.final(state) ? leave(program, thread, tag, text, text.length) : plain(thread)
  if (kept !== null) next.add(kept)
}

/** The threads, those that differ in nothing but what follows as one. */
export function mergeThreads(program: Program, threads: readonly Thread[]): readonly Thread[] {
  const set = new ThreadSet(program, joined)
  for (const thread of threads) set.add(thread)
  return set.threads
}

function joined(program: Program, known: Thread, thread: Thread, isKnown: boolean): Thread | null {
  if (isKnown && sameHistory(known.history, thread.history)) return known
  const { depth, watched } = program.contexts
  if (watched[known.context] === 1 || watched[thread.context] === 1) return null
  if (depth[known.context] !== depth[thread.context]) return null
  if (known.start !== thread.start || known.frame !== thread.frame) return null
  const history = mergedHistory(known.history, thread.history, program.isJson)
  return history === undefined ? null : { ...known, history }
}

/** The thread in the string's own automaton where that tells all there is to tell: masks are shared there. */
function plain(thread: Thread): Thread {
  if (!(thread.dfa instanceof StringMinus)) return thread
  const state = thread.dfa.outside(thread.state)
  return state === 0 ? thread : { ...thread, dfa: thread.dfa.base, state }
}

/** Whether the key that is being written can only become one that its object already holds. */
function isExhausted(
  program: Program,
  { state, context, history, start }: Thread,
  dfa: KeyDfa,
  text: Text,
): boolean {
  if (!dfa.mayRunOut(state)) return false
  const used = within(history, program.contexts.depth[context]!)?.used ?? null
  return used !== null && dfa.isExhausted(state, latin1(text.bytes, start, text.length), keysOf(used))
}

/** The thread behind its terminal, which ended before offset `end`; `null` if it ended in a key that its object already holds. */
export function leave(program: Program, thread: Thread, tag: number, text: Text, end: number): Thread | null {
  const { context, start } = thread
  const behind = program.exit(context, tag)
  // The members of a union are places of one kind, as their terminal is one.
  const [member = context] = program.contexts.membersOf(context)
  const node = program.nodes[program.contexts.node[member]!]!
  let { history } = thread
  if (node.kind === 'object-place' && node.place === 'key') {
    const cell = within(history, program.contexts.depth[context]!)!
    let { used } = cell
    if (isFree(tag)) {
      const key = latin1(text.bytes, start, end)
      if (isUsed(used, key)) return null
      used = { key, next: used }
    }
    history = { ...cell, keyStart: start, keyEnd: end, used }
  } else if (node.kind === 'array-place' && behind !== context && tag !== CLOSE) {
    const cell = within(history, program.contexts.depth[context]!)!
    const ended = node.part.isUnique && node.place === 'separator'
    const items = ended ? itemOf(text.bytes, cell.itemStart, start, cell.items) : cell.items
    history = { ...cell, index: cell.index + 1, itemStart: end, items }
  }
  return { dfa: null, state: 0, context: behind, history, start: end, frame: null }
}
