/**
 * Ids of the calls of a conversation, as the format's templates take them, and the number of the next call.
 *
 * Others, such as those of a hosted service, and calls without any, are named by their places in the conversation, the same
 * way each time. Linear in the conversation.
 */
import type { Turn, TurnCall } from '../decode/messages.ts'
import type { CallFormat } from './formats/format.ts'
import type { CallIds } from './formats/pieces.ts'

export interface NamedCalls {
  readonly turns: readonly Turn[]
  /** How many calls there are; or more, where the ids of a conversation without its beginning say so. */
  readonly next: number
}

/** The turns with ids that the templates of a format take. */
export function nameCalls(turns: readonly Turn[], { ids }: CallFormat): NamedCalls {
  const calls = turns.flatMap((turn) => turn.calls)
  if (ids === undefined) return { turns, next: calls.length }
  const given = new Set(calls.flatMap(({ id }) => id ?? []))
  const names = new Map<string, string>()
  /** Names of calls that had none; their results have none either, and come in the same order. */
  const nameless: string[] = []
  let place = 0
  let next = 0
  const nameOf = ({ id, name }: TurnCall): string => {
    const own = id !== undefined && ids.taken.test(id) ? id : freeId(ids, place, name, given)
    given.add(own)
    place++
    next = Math.max(next, place, (numberOf(ids, own) ?? -1) + 1)
    if (id === undefined) nameless.push(own)
    else names.set(id, own)
    return own
  }
  const named = turns.map((turn) => ({
    ...turn,
    calls: turn.calls.map((call) => ({ ...call, id: nameOf(call) })),
    callId:
      turn.role !== 'tool'
        ? turn.callId
        : turn.callId === undefined
          ? nameless.shift()
          : names.get(turn.callId),
  }))
  return { turns: named, next }
}

/** The number that an id says, where it says one. */
export function numberOf({ taken }: CallIds, id: string): number | undefined {
  const digits = taken.exec(id)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function freeId(ids: CallIds, place: number, name: string, given: ReadonlySet<string>): string {
  let n = place
  while (given.has(ids.make(n, name))) n++
  return ids.make(n, name)
}
