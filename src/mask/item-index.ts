/**
 * The items of an array that must differ, looked up: whether one is there, which strings and numbers begin as was typed.
 *
 * Few items are looked through. Of many, an index is kept with the last of them and moves on to later ones, once these are
 * more than a few: then a look-up costs no more for ten thousand items than for ten. Whoever goes back to items before
 * makes theirs anew.
 */
import { jsonKey } from '../json/print.ts'
import { JsonNumber, type JsonValue } from '../json/value.ts'

/** An item, as a value; last first. */
export interface Item {
  /** The `jsonKey` of the value. */
  readonly key: string
  readonly value: JsonValue
  readonly next: Item | null
  /** How many there are up to here. */
  readonly size: number
  /** Of this one and those before it. */
  index: ItemIndex | null
  /** The scalars within this one and those before it, once somebody asked; `undefined` before. */
  scalars: Item | null | undefined
}

/** Items that are looked through one by one. */
const FEW = 32

class ItemIndex {
  readonly keys = new Set<string>()
  /** The strings, and the keys of numbers, in order. */
  readonly strings: string[] = []
  readonly numbers: string[] = []

  add({ key, value }: Item): void {
    this.keys.add(key)
    if (typeof value === 'string') insert(this.strings, value)
    else if (value instanceof JsonNumber) insert(this.numbers, key)
  }
}

export function itemOfValue(value: JsonValue, next: Item | null): Item {
  return { key: jsonKey(value), value, next, size: (next?.size ?? 0) + 1, index: null, scalars: undefined }
}

/** The items that are in no index, few, and the index of all others. */
function split(items: Item | null): { recent: readonly Item[]; index: ItemIndex | null } {
  const recent: Item[] = []
  let at = items
  while (at !== null && at.index === null && recent.length <= FEW) {
    recent.push(at)
    at = at.next
  }
  if (recent.length <= FEW) return { recent, index: at === null ? null : at.index }
  while (at !== null && at.index === null) {
    recent.push(at)
    at = at.next
  }
  const index = at?.index ?? new ItemIndex()
  if (at !== null) at.index = null
  for (const item of recent) index.add(item)
  items!.index = index
  return { recent: [], index }
}

/** Whether the value is none of the items. */
export function isNew(key: string, items: Item | null): boolean {
  if (items === null) return true
  const { recent, index } = split(items)
  for (const item of recent) if (item.key === key) return false
  return index === null || !index.keys.has(key)
}

/** The strings among the items that begin so, in lists that are in order and hold each once. */
export function stringsFrom(prefix: string, items: Item | null): (readonly string[])[] {
  const { recent, index } = split(items)
  const found: string[] = []
  for (const { value } of recent)
    if (typeof value === 'string' && value.startsWith(prefix)) insert(found, value)
  const lists: (readonly string[])[] = found.length === 0 ? [] : [found]
  if (index === null) return lists
  const { strings } = index
  const from = lowerBound(strings, prefix)
  const to = endOf(strings, prefix, from)
  if (from < to) lists.push(strings.slice(from, to))
  return lists
}

/** The scalars within the items, as items of their own. */
export function scalarsOf(items: Item | null): Item | null {
  const pending: Item[] = []
  let at = items
  while (at !== null && at.scalars === undefined) {
    pending.push(at)
    at = at.next
  }
  let scalars = at?.scalars ?? null
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    scalars = withScalars(item.value, scalars)
    item.scalars = scalars
  }
  return scalars
}

/** Recursion is as deep as an item is nested. */
export function withScalars(value: JsonValue, before: Item | null): Item | null {
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber)
    return itemOfValue(value, before)
  let scalars = before
  for (const inner of value.values()) scalars = withScalars(inner, scalars)
  return scalars
}

export function valuesOf(items: Item | null): JsonValue[] {
  const values: JsonValue[] = []
  for (let item = items; item !== null; item = item.next) values.push(item.value)
  return values
}

/** How many numbers among the items have a key that begins so. */
export function countNumbersFrom(prefix: string, items: Item | null): number {
  const { recent, index } = split(items)
  let count = 0
  for (const { key, value } of recent) if (value instanceof JsonNumber && key.startsWith(prefix)) count++
  if (index === null) return count
  return count + lowerBound(index.numbers, `${prefix}\uffff`) - lowerBound(index.numbers, prefix)
}

/** Behind the texts from `from` on that begin so. */
function endOf(sorted: readonly string[], prefix: string, from: number): number {
  let low = from
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.startsWith(prefix)) low = middle + 1
    else high = middle
  }
  return low
}

function insert(sorted: string[], text: string): void {
  const at = lowerBound(sorted, text)
  if (sorted[at] !== text) sorted.splice(at, 0, text)
}

/** The index of the first text that is not below. */
export function lowerBound(sorted: readonly string[], text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < text) low = middle + 1
    else high = middle
  }
  return low
}

/** In the order of UTF-16 units. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
