/**
 * Records whose ties no grammar says, spelled out. A grammar says ties as long as few counts hang on the choice of names;
 * where a demand, or a least number of entries, would have to choose among names that are tied, each tied name is there or
 * not in records of their own.
 */
import { LimitError } from '../errors.ts'
import type { Shapes } from './intersect.ts'
import type { ObjectRecord } from './shape.ts'
import { NO_TIES } from './ties.ts'

/** Records without ties that one record may be spelled out to. */
const MAX_SPELLED = 20_000

/** Whether a grammar says the record's ties. */
function isSayable({ ties, demands, min }: ObjectRecord): boolean {
  return ties === NO_TIES || (demands.length === 0 && min <= 1)
}

/** The record, or where a grammar cannot say its ties, records without them. */
export function spellOut(record: ObjectRecord, shapes: Shapes): readonly ObjectRecord[] {
  const spelled: ObjectRecord[] = []
  const pending = [record]
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    if (isSayable(one)) {
      spelled.push(one)
      continue
    }
    const { properties, required } = one
    const [name] = [...one.ties.implies.keys(), ...one.ties.excludes.keys()]
    if (name === undefined) throw new RangeError('ties without names')
    shapes.budget.spend(1 + properties.size)
    const without = new Map(properties).set(name, shapes.nodes.none)
    const parts = [
      { ...one, required: new Set([...required, name]) },
      { ...one, properties: without },
    ]
    for (const part of parts) {
      const settled = shapes.settleObject(part)
      if (settled !== null) pending.push(settled)
    }
    const count = spelled.length + pending.length
    if (count > MAX_SPELLED)
      throw new LimitError(
        'combinations of names that bring or exclude others',
        MAX_SPELLED,
        count,
        'let fewer names depend on others (dependentRequired, not required)',
      )
  }
  return spelled
}
