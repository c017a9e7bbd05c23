/**
 * Ties between names: which must be there, and which must not, where another is. `dependentRequired` says the one, `not`
 * over two required names the other. Kept as they are, thirty of them are thirty facts; written out as records they
 * would be a union of 2^30.
 */
import type { KeyMaps } from './keys.ts'
import type { NodeTable } from './node.ts'
import type { ObjectRecord, Ties } from './shape.ts'

export const NO_TIES: Ties = { implies: new Map(), excludes: new Map() }

type NameSets = ReadonlyMap<string, ReadonlySet<string>>

/** That `name` brings others with it. */
export function implication(name: string, others: Iterable<string>): Ties {
  const targets = new Set(others)
  targets.delete(name)
  return targets.size === 0 ? NO_TIES : { implies: new Map([[name, targets]]), excludes: NO_TIES.excludes }
}

/** That `name` stands beside none of the others. */
export function exclusion(name: string, others: Iterable<string>): Ties {
  const excludes = new Map<string, Set<string>>()
  for (const other of others) {
    add(excludes, name, other)
    add(excludes, other, name)
  }
  return { implies: NO_TIES.implies, excludes }
}

export function uniteTies(a: Ties, b: Ties): Ties {
  if (a === NO_TIES || a === b) return b
  if (b === NO_TIES) return a
  return { implies: unite(a.implies, b.implies), excludes: unite(a.excludes, b.excludes) }
}

function unite(a: NameSets, b: NameSets): NameSets {
  if (a.size === 0) return b
  if (b.size === 0) return a
  const united = new Map(a)
  for (const [name, names] of b) united.set(name, new Set([...(a.get(name) ?? []), ...names]))
  return united
}

function add(sets: Map<string, Set<string>>, name: string, other: string): void {
  const set = sets.get(name)
  if (set === undefined) sets.set(name, new Set([other]))
  else set.add(other)
}

/** Which names must be there and which must not, where records say no more than that. */
export interface NamesOnly {
  readonly required: ReadonlySet<string>
  readonly impossible: readonly string[]
}

/** What a lone record says of the presence of names; `null` where it says anything else. */
export function namesOnly(
  records: readonly ObjectRecord[],
  { keys, nodes }: { readonly keys: KeyMaps; readonly nodes: NodeTable },
): NamesOnly | null {
  const record = records.length === 1 ? records[0] : undefined
  if (record === undefined || record.others !== keys.any || record.min > 0) return null
  if (record.max !== Number.POSITIVE_INFINITY || record.demands.length > 0) return null
  if (record.ties !== NO_TIES || record.blocked.length > 0) return null
  const impossible: string[] = []
  for (const [name, node] of record.properties) {
    if (node === nodes.none) impossible.push(name)
    else if (node !== nodes.any) return null
  }
  return { required: record.required, impossible }
}

/** That `name` brings with it what must be there, and excludes what must not. */
export function tiesOf(name: string, { required, impossible }: NamesOnly): Ties {
  return uniteTies(implication(name, required), exclusion(name, impossible))
}

/** A text by which equal ties are told. */
export function tiesKey(ties: Ties): string {
  if (ties === NO_TIES) return ''
  return JSON.stringify(
    [ties.implies, ties.excludes].map((sets) => [...sets].map(([name, set]) => [name, ...set])),
  )
}

/** The names and all that they bring with them. */
export function closureOf(ties: Ties, names: Iterable<string>): Set<string> {
  const closure = new Set(names)
  // What is added while it is gone through is gone through, too.
  for (const name of closure) for (const target of ties.implies.get(name) ?? []) closure.add(target)
  return closure
}

/** Whether two of the names exclude each other. */
export function isTorn(ties: Ties, names: ReadonlySet<string>): boolean {
  if (ties.excludes.size === 0) return false
  for (const name of names)
    for (const other of ties.excludes.get(name) ?? []) if (names.has(other)) return true
  return false
}
