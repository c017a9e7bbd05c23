/**
 * What is still open: the frames of a thread from the outside in, each with what it needs.
 *
 * Derived when asked, from the thread's contexts (which frames, what they owe) and its history (where they began, which
 * key or index they are at). O(depth + text of the frames).
 */

import { END_CONTEXT } from '../automaton/contexts.ts'
import { KeyDfa } from '../automaton/key-dfa.ts'
import type { Place } from '../automaton/nodes.ts'
import type { ObjectPart } from '../automaton/parts.ts'
import type { Program } from '../automaton/program.ts'
import { StringDfa } from '../automaton/string-dfa.ts'
import type { FrameKind } from '../grammar/grammar.ts'
import { partPointer } from '../json/pointer.ts'
import { type Cell, within } from './history.ts'
import type { Text, Thread } from './threads.ts'

/** One open part of the text. */
export interface Frame {
  readonly kind: FrameKind
  /** JSON pointer of the value, relative to the JSON document in which the frame stands; of the object, for a key. */
  readonly pointer: string
  /** What was written of it, up to the last whole character. */
  readonly text: string
  /**
   * What must still come, in order, each item readable by itself: `"unit":` for a required key, `2 items`, `}`. Where a text
   * can end in several ways it is `an ending such as` the shortest one.
   */
  readonly needs: readonly string[]
}

const QUOTE = 0x22
const KEY = 'a key'
const VALUE = 'a value'
const ITEM = 'an item'

/** The frames of `thread`, outermost first. */
export function framesOf(program: Program, thread: Thread, text: Text): Frame[] {
  const frames: Frame[] = []
  const history = within(thread.history, program.contexts.depth[thread.context]!)
  const cells: Cell[] = []
  for (let cell: Cell | null = history; cell !== null; cell = cell.outer) cells.push(cell)
  cells.reverse()
  const contexts = frameContexts(program, thread.context)
  let pointer = ''
  cells.forEach((cell, i) => {
    const context = contexts[i]!
    const node = program.nodes[program.contexts.node[context]!]!
    const count = program.contexts.count[context]!
    const written = decode(text, cell.start)
    if (node.kind === 'frame-open') {
      frames.push({ kind: node.frame, pointer: '', text: written, needs: [] })
      pointer = ''
      return
    }
    if (node.kind !== 'object-place' && node.kind !== 'array-place') return
    const innermost = i === cells.length - 1
    const next = innermost ? awaited(program, thread, node) : null
    const inside = isInside(node.place, context, thread)
    if (node.kind === 'object-place') {
      frames.push({
        kind: 'object',
        pointer,
        text: written,
        needs: [...keysNeeded(node.part, count, next), '}'],
      })
      if (inside) pointer = partPointer(pointer, keyOf(text, cell))
      return
    }
    // An item that is due counts as begun in its context.
    const owed = node.part.owed(count)
    const items = next === null ? owed : inside ? owed + 1 : Math.max(owed, 1)
    const needs = [...(items > 0 ? [plural(items, 'item')] : []), ']']
    frames.push({ kind: 'array', pointer, text: written, needs })
    if (inside) pointer += `/${cell.index}`
  })
  const own = terminalFrame(thread, text, pointer)
  if (own !== null) frames.push(own)
  return frames
}

/** What is due at once, unless a required key says more, and the keys still owed. */
function keysNeeded(part: ObjectPart, count: number, due: readonly string[] | null): string[] {
  const owed = part.owed(count).map((property) => `${spelling(part.names.spellings[property]!)}:`)
  const extra = part.extra(count)
  if (extra > 0) owed.push(extra === 1 ? '1 more entry' : `${extra} more entries`)
  return due === null || (owed.length > 0 && due[0] === KEY) ? owed : [...due, ...owed]
}

/** What must come at once in the innermost container, where nothing of it was written: a key, a value, an item. */
function awaited(
  program: Program,
  thread: Thread,
  { kind, place }: { kind: string; place: Place },
): string[] | null {
  const { dfa, state, context, frame } = thread
  if (dfa === null) {
    if (place === 'before-key') return [KEY]
    if (place === 'before-item') return [ITEM]
    if (place !== 'after') return null
    const { starts } = program.closure(context)
    // Behind a key, only the colon belongs to no frame; behind an entry, only the separator does.
    const isColon = starts.length === 1 && starts[0]!.frame === null && starts[0]!.opens === 0
    if (!isColon) return [kind === 'object-place' ? VALUE : ITEM]
    return program.contexts.parent[context] !== 0 && !isPlace(program, context) ? [':', VALUE] : null
  }
  if (frame !== null || dfa.tag(state) === 0) return null
  if (place === 'after') return [kind === 'object-place' ? VALUE : ITEM]
  if (place !== 'separator') return null
  return [kind === 'object-place' ? KEY : ITEM]
}

/** Whether a context stands for a container itself, and not for something within it. */
function isPlace(program: Program, context: number): boolean {
  const { kind } = program.nodes[program.contexts.node[context]!]!
  return kind === 'object-place' || kind === 'array-place'
}

/** Whether a value of the container is being written: its context lies below the value's, or the value's terminal runs in it. */
function isInside(place: Place, context: number, thread: Thread): boolean {
  return place === 'after' && (context !== thread.context || thread.dfa !== null)
}

/** The contexts that stand for the open frames, outermost first. */
function frameContexts(program: Program, context: number): number[] {
  const { depth, parent } = program.contexts
  const found: number[] = []
  for (let c = context; c !== END_CONTEXT; c = parent[c]!) {
    if (depth[c]! > depth[parent[c]!]!) found.push(c)
  }
  return found.reverse()
}

function terminalFrame(thread: Thread, text: Text, pointer: string): Frame | null {
  const { dfa, state, frame, start } = thread
  if (dfa === null || frame === null) return null
  return { kind: frame, pointer, text: decode(text, start), needs: needsOf(thread, dfa, state, text) }
}

function needsOf({ frame }: Thread, dfa: NonNullable<Thread['dfa']>, state: number, text: Text): string[] {
  if (dfa instanceof StringDfa) {
    const need = dfa.content(state)?.need ?? 0
    const end = dfa.spelling === 'raw' ? [] : ['"']
    return need > 0 ? [plural(need, 'character'), ...end] : restOr(dfa, state, text, end)
  }
  if (dfa instanceof KeyDfa) {
    const name = [...dfa.namesFrom(state)].at(0)
    if (name === undefined) return ['"']
    return [ending(dfa, state, text, dfa.names.spellings[name]!.subarray(dfa.typed(state)))]
  }
  if (frame === 'number') return dfa.tag(state) !== 0 ? [] : ['digits']
  return restOr(dfa, state, text, [])
}

/** The shortest rest where it says more than the closing mark. */
function restOr(dfa: NonNullable<Thread['dfa']>, state: number, text: Text, otherwise: string[]): string[] {
  if (dfa.tag(state) !== 0) return []
  const rest = dfa.shortest(state, 1)
  return rest === null || rest.length === 0 ? otherwise : [ending(dfa, state, text, rest)]
}

/** A rest, said to be an example if there are others; a closing mark is needed in any case. O(256 * length). */
function ending(dfa: NonNullable<Thread['dfa']>, state: number, text: Text, rest: Uint8Array): string {
  if (rest.length === 1 && rest[0] === QUOTE) return '"'
  let at = state
  for (const byte of rest) {
    for (let other = 0; other < 256; other++) {
      if (other !== byte && dfa.next(at, other) !== 0) return `an ending such as ${withPending(text, rest)}`
    }
    at = dfa.next(at, byte)
  }
  return withPending(text, rest)
}

/** A rest as text, from the beginning of the character that is not complete yet. */
function withPending(text: Text, rest: Uint8Array): string {
  return decoder.decode(Uint8Array.from([...text.bytes.subarray(wholeLength(text), text.length), ...rest]))
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** U+FEFF is a character of the text like any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function spelling(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** The text from `start` on, without the bytes of a character that is not complete yet. */
export function decode(text: Text, start: number): string {
  return decoder.decode(text.bytes.subarray(start, wholeLength(text)))
}

/** How many bytes make whole characters: all, but for the beginning of a UTF-8 sequence at the end. */
export function wholeLength({ bytes, length }: Text): number {
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back]!
    if (byte < 0x80) return length
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return needed > back ? length - back : length
    }
  }
  return length
}

function keyOf(text: Text, { keyStart, keyEnd }: Cell): string {
  return JSON.parse(decoder.decode(text.bytes.subarray(keyStart, keyEnd))) as string
}
