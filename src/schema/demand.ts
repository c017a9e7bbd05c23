/**
 * Demands: that an object has an entry with a key of some language and a value of some node. They come of complements: what
 * breaks `additionalProperties`, `patternProperties` and `propertyNames` is one entry.
 *
 * A demand is met by a declared name, which is then required, or by a further key; one key may meet several. The ways to
 * meet all demands of a record are written out: most records have one demand and few names that it speaks of.
 */
import { LimitError } from '../errors.ts'
import type { Regex } from '../regex/regex.ts'
import type { Shapes } from './intersect.ts'
import { MAX_NAMES } from './keys.ts'
import type { Node } from './node.ts'
import { type Demand, type ObjectRecord, propertyAt } from './shape.ts'

/** Ways that are written out for one record. */
const MAX_WAYS = 20_000

/** A further key that is not one of the declared names, with its value. */
export interface Slot {
  readonly keys: Regex
  readonly value: Node
}

/** A way to meet all demands. */
export interface Way {
  /** The record without its demands, and with the names that meet some of them required. */
  readonly record: ObjectRecord
  /** Further keys that meet the others, all different. */
  readonly slots: readonly Slot[]
  /** The demands that further keys meet. */
  readonly left: readonly Demand[]
}

/** All ways, but for those that are seen to be empty. Slots are shared only where there is no room for more of them. */
export function waysOf(written: ObjectRecord, shapes: Shapes): readonly Way[] {
  const declared = declareShared(written, shapes)
  let ways: Way[] = [{ record: { ...declared, demands: [] }, slots: [], left: [] }]
  for (const demand of declared.demands) {
    ways = ways.flatMap((way) => meetDemand(way, demand, shapes))
    shapes.budget.spend(ways.length)
    if (ways.length > MAX_WAYS)
      throw new LimitError(
        'ways to have the entries that an object must have',
        MAX_WAYS,
        ways.length,
        'use fewer not, if or oneOf on one object',
      )
  }
  return ways.filter(({ record, slots }) => used(record, slots) <= record.max)
}

function used({ required }: ObjectRecord, slots: readonly Slot[]): number {
  return required.size + slots.length
}

function meetDemand({ record, slots, left }: Way, demand: Demand, shapes: Shapes): Way[] {
  const { nodes, strings } = shapes
  const ways: Way[] = []
  for (const name of new Set([...record.properties.keys(), ...record.required])) {
    if (!strings.matches(demand.keys, name)) continue
    const value = nodes.meet(propertyAt(record, name), demand.value)
    if (value === nodes.none) continue
    const required = new Set(record.required).add(name)
    const properties = new Map(record.properties).set(name, value)
    ways.push({ record: { ...record, properties, required }, slots, left })
  }
  const more = [...left, demand]
  for (const part of record.others.parts) {
    const keys = strings.both(part.keys, demand.keys)
    const value = nodes.meet(part.value, demand.value)
    if (keys !== null && value !== nodes.none && strings.countOf(keys) > MAX_NAMES)
      ways.push({ record, slots: [...slots, { keys, value }], left: more })
  }
  if (record.max === Number.POSITIVE_INFINITY) return ways
  slots.forEach((slot, index) => {
    const keys = strings.both(slot.keys, demand.keys)
    const value = nodes.meet(slot.value, demand.value)
    if (keys === null || value === nodes.none || strings.countOf(keys) <= MAX_NAMES) return
    ways.push({ record, slots: slots.with(index, { keys, value }), left: more })
  })
  return ways
}

/** The record with all names declared that few keys of several demands have in common. */
function declareShared(record: ObjectRecord, shapes: Shapes): ObjectRecord {
  const { strings } = shapes
  if (record.demands.length < 2 || record.max === Number.POSITIVE_INFINITY) return record
  const properties = new Map(record.properties)
  let languages = record.others.parts.map(({ keys }) => keys)
  for (const { keys } of record.demands) {
    shapes.budget.spend(languages.length)
    const cut = languages.flatMap((language) => strings.both(language, keys) ?? [])
    languages = [...new Set([...languages, ...cut])]
    if (languages.length > MAX_WAYS)
      throw new LimitError(
        'sets of keys that an object must have',
        MAX_WAYS,
        languages.length,
        'use fewer not, if or oneOf on one object',
      )
    for (const language of cut) {
      if (strings.countOf(language) > MAX_NAMES) continue
      for (const name of strings.listOf(language))
        if (!properties.has(name)) properties.set(name, record.others.at(name))
    }
  }
  return { ...record, properties }
}
