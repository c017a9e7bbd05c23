/**
 * What a thread remembers beside its context: for each open frame where it began, the last key or index, the free keys it
 * holds, those that are not declared, and of an array whose items must differ those that are there. Kept out of contexts,
 * since it would make equal positions unequal and masks unshareable.
 *
 * A persistent stack, innermost frame first; forks and rollbacks share it. Frames deeper than the thread's context are
 * closed and dropped when the stack is next touched.
 */
import { readJson } from '../json/read.ts'
import { type Item, itemOfValue } from './item-index.ts'

/** One open frame. */
export interface Cell {
  /** The depth of its context. */
  readonly depth: number
  /** Offset of its first byte. */
  readonly start: number
  readonly outer: Cell | null
  /** The last key, quotes included, as offsets; both 0 before the first. */
  readonly keyStart: number
  readonly keyEnd: number
  /** Index of the last item begun, -1 before the first. */
  readonly index: number
  readonly used: UsedKey | null
  /** Of an array whose items must differ: offset of the item that was begun last, and those before it. */
  readonly itemStart: number
  readonly items: Item | null
}

/** Free keys of one object, last first, as their bytes between and with the quotes (one UTF-16 unit a byte). */
export interface UsedKey {
  readonly key: string
  readonly next: UsedKey | null
}

const EMPTY = { keyStart: 0, keyEnd: 0, index: -1, used: null, itemStart: 0, items: null } as const

/** The frames of depth at most `depth`. */
export function within(cell: Cell | null, depth: number): Cell | null {
  let at = cell
  while (at !== null && at.depth > depth) at = at.outer
  return at
}

/** The stack once `count` frames, the innermost of depth `depth`, begin at byte `start`. */
export function open(cell: Cell | null, depth: number, count: number, start: number): Cell | null {
  let top = within(cell, depth - count)
  for (let d = depth - count + 1; d <= depth; d++) {
    top = { ...EMPTY, depth: d, start, outer: top }
  }
  return top
}

/** The frame of just this depth, with nothing in it where the stack has none. */
export function cellAt(cell: Cell | null, depth: number): Cell {
  const at = within(cell, depth)
  return at !== null && at.depth === depth ? at : { ...EMPTY, depth, start: 0, outer: at }
}

export function isUsed(used: UsedKey | null, key: string): boolean {
  for (let at = used; at !== null; at = at.next) if (at.key === key) return true
  return false
}

export function keysOf(used: UsedKey | null): string[] {
  const keys: string[] = []
  for (let at = used; at !== null; at = at.next) keys.push(at.key)
  return keys
}

/** The keys that are in either list. */
export function keysOfEither(a: UsedKey | null, b: UsedKey | null): UsedKey | null {
  if (b === null || sameKeys(a, b)) return a
  let all = a
  for (let at: UsedKey | null = b; at !== null; at = at.next)
    if (!isUsed(a, at.key)) all = { key: at.key, next: all }
  return all
}

/** Whether any open object holds free keys. */
export function holdsKeys(cell: Cell | null): boolean {
  for (let at = cell; at !== null; at = at.outer) if (at.used !== null) return true
  return false
}

/** The value written between two offsets, before `next`. */
export function itemOf(bytes: Uint8Array, start: number, end: number, next: Item | null): Item {
  const text = decoder.decode(bytes.subarray(start, end))
  return itemOfValue(readJson(text, { maxDepth: Number.POSITIVE_INFINITY }), next)
}

const decoder = new TextDecoder()

/** Equal in all that decides what may follow; where frames began does not. */
export function sameHistory(a: Cell | null, b: Cell | null): boolean {
  let x = a
  let y = b
  while (x !== y) {
    if (x === null || y === null || x.depth !== y.depth) return false
    if (x.itemStart !== y.itemStart || !sameKeys(x.used, y.used) || !sameKeys(x.items, y.items)) return false
    x = x.outer
    y = y.outer
  }
  return true
}

/**
 * What two threads remember that differ in nothing but what follows them; `undefined` where they differ in more. Depth of
 * recursion: that of containers.
 *
 * @param isJson whether each object holds the same keys in both, if only as declared names in one
 */
export function mergedHistory(a: Cell | null, b: Cell | null, isJson: boolean): Cell | null | undefined {
  if (a === b) return a
  if (a === null || b === null || a.depth !== b.depth || a.start !== b.start) return undefined
  if (a.keyStart !== b.keyStart || a.keyEnd !== b.keyEnd || a.index !== b.index) return undefined
  if (a.itemStart !== b.itemStart || !sameKeys(a.items, b.items)) return undefined
  const outer = mergedHistory(a.outer, b.outer, isJson)
  if (outer === undefined) return undefined
  if (sameKeys(a.used, b.used)) return outer === a.outer ? a : { ...a, outer }
  if (!isJson) return undefined
  return {
    ...a,
    outer,
    used: a.used === null || b.used === null ? (a.used ?? b.used) : keysOfEither(a.used, b.used),
  }
}

interface Keyed {
  readonly key: string
  readonly next: Keyed | null
}

export function sameKeys(a: Keyed | null, b: Keyed | null): boolean {
  let x = a
  let y = b
  while (x !== y) {
    if (x === null || y === null || x.key !== y.key) return false
    x = x.next
    y = y.next
  }
  return true
}
